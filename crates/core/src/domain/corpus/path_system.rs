//! How paths are written on an operating system, and which names mean something else there.

use std::borrow::Cow;

use super::path::fold_name;

/// The characters that no name has on Windows. A colon would name a stream of a file, or a drive.
const NO_PART_OF_A_NAME: [char; 9] = ['\\', '/', ':', '*', '?', '"', '<', '>', '|'];
/// Devices, whatever ending follows.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
/// Devices that a digit follows, also a raised one.
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// An operating system, as far as the text of a path is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathSystem {
    /// Linux: names are bytes, and compared as such.
    Unix,
    /// macOS: file systems find a file in other case and in another Unicode form, too.
    Mac,
    /// Windows: the same, with drives, backslashes, devices and streams.
    Windows,
}

impl PathSystem {
    /// The system that this program is made for.
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::Mac
    } else {
        Self::Unix
    };

    /// The path with `/` between its parts, and without the prefix of paths that Windows has resolved.
    pub(super) fn with_slashes(self, written: &str) -> Cow<'_, str> {
        if self != Self::Windows {
            return Cow::Borrowed(written);
        }
        let slashed = written.replace('\\', "/");
        Cow::Owned(match slashed.strip_prefix("//?/") {
            None => slashed,
            Some(resolved) => match resolved.strip_prefix("UNC/") {
                Some(share) => format!("//{share}"),
                None if has_drive(resolved) => resolved.to_owned(),
                // A device, a volume by its number: it is absolute, and no folder of ours.
                None => slashed,
            },
        })
    }

    /// Whether a path begins at the root of a file system, or at a drive.
    pub(super) fn is_absolute(self, slashed: &str) -> bool {
        slashed.starts_with('/') || self == Self::Windows && has_drive(slashed)
    }

    /// What remains of a path below a folder, with the slash before it; `None` if it is elsewhere.
    pub(super) fn strip_folder<'a>(self, path: &'a str, folder: &str) -> Option<&'a str> {
        let below = |rest: &&str| rest.is_empty() || rest.starts_with('/');
        if self == Self::Unix {
            return path.strip_prefix(folder).filter(below);
        }
        // By its parts: the same name may be longer in another form.
        let mut rest = path;
        for part in folder.split('/') {
            let end = rest.find('/').unwrap_or(rest.len());
            if fold_name(&rest[..end]) != fold_name(part) {
                return None;
            }
            rest = rest[end..].strip_prefix('/').unwrap_or("");
        }
        Some(&path[path.len() - rest.len() - usize::from(!rest.is_empty())..])
    }

    /// Why this is no name of a file here.
    pub(super) fn name_problem(self, name: &str) -> Option<&'static str> {
        if self == Self::Windows { windows_name_problem(name) } else { None }
    }
}

fn has_drive(slashed: &str) -> bool {
    slashed.as_bytes().get(1) == Some(&b':')
}

/// Why Windows would take a name for something else than a file of that name: a device, a drive, a stream of another file, a
/// file whose name lacks the dots and spaces at its end, or one that a short name of DOS stands for.
pub fn windows_name_problem(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let is_numbered = NUMBERED_DEVICES.iter().any(|device| {
        let digit = stem.strip_prefix(device).map(|rest| rest.chars().collect::<Vec<_>>());
        matches!(digit.as_deref(), Some(['0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}']))
    });
    if name.is_empty() || name == "." || name == ".." {
        Some("is none")
    } else if name.contains(NO_PART_OF_A_NAME) || name.chars().any(char::is_control) {
        Some("has a character that Windows has no place for in names")
    } else if name.ends_with(['.', ' ']) {
        Some("ends with a dot or a space, which Windows drops")
    } else if is_numbered || DEVICES.contains(&stem.as_str()) {
        Some("is a device on Windows")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::domain::corpus::PathRules;

    fn windows() -> PathRules {
        let roots = [r"C:\Users\Ada\vault".to_owned(), r"\\?\C:\Users\Ada\vault".to_owned()];
        PathRules::for_system(PathSystem::Windows, roots, &["Secret".to_owned(), r"Work\Hidden".to_owned()])
    }

    #[test]
    fn on_windows_a_path_is_read_however_it_is_written() {
        for (written, path) in [
            (r"Projects\Bees.md", "Projects/Bees.md"),
            ("Projects/Bees.md", "Projects/Bees.md"),
            (r"C:\Users\Ada\vault\Bees.md", "Bees.md"),
            (r"c:\users\ADA\Vault\Bees.md", "Bees.md"),
            ("C:/Users/Ada/vault/a/Bees.md", "a/Bees.md"),
            (r"\\?\C:\Users\Ada\vault\Bees.md", "Bees.md"),
            ("console.md", "console.md"),
            ("COM10.md", "COM10.md"),
        ] {
            assert_eq!(windows().parse_file(written).unwrap().as_str(), path, "{written}");
        }
    }

    #[test]
    fn on_windows_a_name_that_means_something_else_is_refused() {
        for written in [
            r"..\x.md",
            r"a\..\..\x.md",
            r"C:\Windows\win.ini",
            r"C:x.md",
            r"D:\Users\Ada\vault\x.md",
            r"\Users\Ada\vault\x.md",
            r"C:\Users\Ada\vault2\x.md",
            r"\\server\share\x.md",
            r"\\.\PhysicalDrive0",
            r"\\?\GLOBALROOT\Device\x",
            "Bees.md:stream",
            "Bees.md::$DATA",
            "Secret::$INDEX_ALLOCATION/x.md",
            "Secret./x.md",
            "Secret /x.md",
            "Bees.md.",
            "Bees.md ",
            "nul",
            "NUL.md",
            "a/Con.txt",
            "com1",
            "LPT\u{b2}.md",
            "aux .md",
            "a?.md",
            "a*.md",
            "a|b.md",
            r"secret\x.md",
            r"work\HIDDEN\x.md",
            r".git\config",
        ] {
            let error = windows().parse_file(written).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused, "{written}: {error}");
        }
        assert_eq!(windows().parse_file(r"a\").unwrap_err().kind(), ErrorKind::Invalid);
    }

    #[test]
    fn where_files_are_found_in_any_form_a_root_is_too() {
        let root = "/Users/Ada/Caf\u{e9}".to_owned();
        let rules = |system| PathRules::for_system(system, [root.clone()], &["Gr\u{fc}n".to_owned()]);
        let other_form = "/users/ada/cafe\u{301}/x.md";
        assert_eq!(rules(PathSystem::Mac).parse_file(other_form).unwrap().as_str(), "x.md");
        assert_eq!(rules(PathSystem::Unix).parse_file(other_form).unwrap_err().kind(), ErrorKind::Refused);
        assert!(rules(PathSystem::Mac).parse_file("/Users/Ada/Caf\u{e9}s/x.md").is_err());
        // An excluded folder is, in whatever form it is written.
        for system in [PathSystem::Mac, PathSystem::Unix] {
            assert_eq!(rules(system).parse_file("GRU\u{308}N/x.md").unwrap_err().kind(), ErrorKind::Refused);
        }
    }

    #[test]
    fn on_linux_a_backslash_is_a_letter() {
        let rules = PathRules::for_system(PathSystem::Unix, ["/v".to_owned()], &[]);
        for written in [r"a\b.md", "C:x.md", "nul", "Bees.md:x", "a. "] {
            assert_eq!(rules.parse_file(written).unwrap().as_str(), written);
        }
    }
}
