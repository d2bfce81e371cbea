//! Recognizes the paths of installed packages: which package a file belongs to, and where it is in there.
//!
//! Whether the package is the one of the repository is decided elsewhere.

/// A file of an installed package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledFile {
    /// The name of the package, or of the repository that it was checked out from.
    pub package: String,
    /// The file's path below the folder of the package.
    pub inside: String,
    /// Whether that folder is a copy of the whole repository, and not only of the package.
    pub is_checkout: bool,
}

/// Folders with what is compiled from the sources of a package.
const BUILT: [&str; 8] = ["dist", "build", "lib", "out", "esm", "cjs", "es", "umd"];

impl InstalledFile {
    /// Parses a path with `/` between its parts. `None` if no package manager installs packages in such a folder.
    pub fn parse(written: &str) -> Option<Self> {
        let path = format!("/{}", written.trim_start_matches('/'));
        let of_package = |(package, inside): (&str, &str)| Self {
            package: package.to_owned(),
            inside: inside.to_owned(),
            is_checkout: false,
        };
        // The innermost folder of a nested installation counts.
        if let Some((_, below)) = path.rsplit_once("/node_modules/") {
            return split_scoped(below).map(of_package);
        }
        if let Some((_, below)) = path.rsplit_once("/registry/src/") {
            let (_, below) = below.split_once('/')?;
            let (folder, inside) = below.split_once('/')?;
            return Some(of_package((without_version(folder)?, inside)));
        }
        if let Some((_, below)) = path.rsplit_once("/git/checkouts/") {
            let (folder, below) = below.split_once('/')?;
            let (_, inside) = below.split_once('/')?;
            let (repository, _) = folder.rsplit_once('-')?;
            return Some(Self { is_checkout: true, ..of_package((repository, inside)) });
        }
        if let Some((_, below)) = path.rsplit_once("/gems/") {
            let (folder, inside) = below.split_once('/')?;
            return Some(of_package((without_version(folder)?, inside)));
        }
        let (_, below) = path.rsplit_once("/vendor/")?;
        let (folder, inside) = split_scoped(below)?;
        Some(of_package((without_version(folder).unwrap_or(folder), inside)))
    }

    /// The path, without its ending, of the file that this one may be compiled from: `src/lid` for `dist/lid.js`. `None` if
    /// it is not in a folder for compiled files.
    pub fn possible_source(&self) -> Option<String> {
        let (path, _) = self.inside.rsplit_once('.')?;
        let parts: Vec<&str> = path.split('/').collect();
        let folders = parts.iter().take_while(|part| BUILT.contains(part)).count();
        let below = parts.get(folders..).filter(|below| folders > 0 && !below.is_empty())?;
        Some(format!("src/{}", below.join("/")))
    }
}

/// The name of the package at the beginning of a path, and the rest: `@scope/name` is one name.
fn split_scoped(below: &str) -> Option<(&str, &str)> {
    let scope = below.starts_with('@').then(|| below.find('/')).flatten().map_or(0, |slash| slash + 1);
    let end = scope + below[scope..].find('/')?;
    Some((&below[..end], &below[end + 1..]))
}

/// The name in `name-1.2.3`; `None` without a version.
fn without_version(folder: &str) -> Option<&str> {
    let is_version = |text: &str| {
        let after = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
        after.len() < text.len()
            && after
                .strip_prefix('.')
                .is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
    };
    folder.match_indices('-').find(|(at, _)| is_version(&folder[at + 1..])).map(|(at, _)| &folder[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installed_file_is_told_by_the_folders_above_it() {
        for (written, package, inside) in [
            ("/app/node_modules/jars/lib/reply.js", "jars", "lib/reply.js"),
            ("node_modules/@bees/lids/lid.js", "@bees/lids", "lid.js"),
            ("/a/node_modules/x/node_modules/jars/index.js", "jars", "index.js"),
            ("/a/node_modules/.pnpm/jars@1.2.3/node_modules/jars/a.js", "jars", "a.js"),
            (
                "/home/u/.cargo/registry/src/index.crates.io-6f17/wax-press-0.13.5/src/a.rs",
                "wax-press",
                "src/a.rs",
            ),
            ("/c/registry/src/github.com-1ecc/wax-2-lids-2.0.0-rc.1/src/a.rs", "wax-2-lids", "src/a.rs"),
            (
                "/home/u/.cargo/git/checkouts/wax-0a1b2c3d4e5f6071/1a2b3c4/lids/src/a.rs",
                "wax",
                "lids/src/a.rs",
            ),
            ("/usr/lib/ruby/gems/3.2.0/gems/rack-3.0.8/lib/rack/a.rb", "rack", "lib/rack/a.rb"),
            ("/src/vendor/wax/src/a.rs", "wax", "src/a.rs"),
        ] {
            let installed = InstalledFile::parse(written).unwrap_or_else(|| panic!("{written}"));
            assert_eq!(
                (installed.package.as_str(), installed.inside.as_str()),
                (package, inside),
                "{written}"
            );
            assert_eq!(installed.is_checkout, written.contains("checkouts"), "{written}");
        }
        for written in ["/app/src/a.js", "node_modules/a.js", "/c/registry/src/a.rs", "/x/gems/a.rb", ""] {
            assert_eq!(InstalledFile::parse(written), None, "{written}");
        }
    }

    #[test]
    fn a_built_file_has_a_source_of_the_same_name() {
        for (inside, source) in [
            ("dist/cjs/lid/a.js", Some("src/lid/a")),
            ("lib/a.mjs", Some("src/a")),
            ("a.js", None),
            ("src/a.js", None),
            ("dist/", None),
        ] {
            let installed = InstalledFile::parse(&format!("/node_modules/jars/{inside}")).unwrap();
            assert_eq!(installed.possible_source().as_deref(), source, "{inside}");
        }
    }
}
