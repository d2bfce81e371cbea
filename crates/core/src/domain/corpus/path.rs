//! Paths inside a vault: parsed once, trusted afterwards.
//!
//! Parsing looks at the text of a path only. An adapter makes sure that no symbolic link on the way leads out of the
//! vault, since only it can look.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::path_system::PathSystem;
use crate::{Error, Result};

/// Folders that are never read, listed or written, like every folder whose name begins with a dot.
pub const DEFAULT_EXCLUDED: [&str; 7] =
    [".obsidian", ".git", ".trash", ".venv", ".chroma_db", ".wellread", "node_modules"];

const TRASH: &str = ".trash";
/// The longest file extension that counts as one, in bytes; that of `excalidraw`.
const MAX_EXTENSION: usize = 10;
const MAX_NAME_BYTES: usize = 255;
/// The hint of errors about paths.
const RELATIVE_PATH_HINT: &str = "give the path relative to the vault, such as `Folder/Note.md`";
const MAX_PATH_BYTES: usize = 4096;

/// A file's path relative to the vault: `Projects/Bees.md`. No `..`, no empty part, no excluded folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VaultPath(String);

impl VaultPath {
    /// A path in the vault's trash, the one excluded folder that files are moved to and back from. No text that a user
    /// or a model writes parses to such a path.
    pub fn in_trash(name: &str) -> Self {
        Self(format!("{TRASH}/{}", name.replace('/', "_")))
    }

    /// A path that was parsed before it was stored in the index; it is not checked again. Access to the file it names
    /// still goes through the rules.
    pub fn from_index(stored: String) -> Self {
        Self(stored)
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path's components: folders first, the file's name last.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The file's name, extension included.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The file's name as a note's name: without its extension if it is that of a note.
    pub fn stem(&self) -> &str {
        let name = self.name();
        match name.rsplit_once('.') {
            Some((stem, "md" | "markdown" | "txt")) if !stem.is_empty() => stem,
            _ => name,
        }
    }

    /// The file's extension: `md`. A dot that belongs to a title, as in `Dr. Smith` or `Release 1.2`, does not begin an
    /// extension.
    pub fn extension(&self) -> Option<&str> {
        let (stem, ending) = self.name().rsplit_once('.')?;
        let letters = ending.bytes().any(|byte| byte.is_ascii_alphabetic());
        let short = ending.len() <= MAX_EXTENSION && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (letters && short && !stem.is_empty()).then_some(ending)
    }

    /// The path of the folder that the file is in; empty for the vault itself.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Whether the file is a note, by its extension.
    pub fn is_note(&self) -> bool {
        is_note(&self.0)
    }

    /// Whether the file is Markdown by an extension that makes it no note here, as other programs use them.
    pub fn is_other_markdown(&self) -> bool {
        let known = [
            "mdx",
            "qmd",
            "rmd",
            "rmarkdown",
            "mdown",
            "mkd",
            "mkdn",
            "mkdown",
            "mdwn",
            "mdtxt",
            "mdtext",
            "mdc",
            "mdoc",
            "markdoc",
            "livemd",
        ];
        self.extension().is_some_and(|ending| known.iter().any(|known| ending.eq_ignore_ascii_case(known)))
    }

    /// Whether the file is prose in another format than Markdown, by its extension: reStructuredText, AsciiDoc or Org.
    pub fn is_other_prose(&self) -> bool {
        let known = ["rst", "adoc", "asciidoc", "org"];
        self.extension().is_some_and(|ending| known.iter().any(|known| ending.eq_ignore_ascii_case(known)))
    }

    /// Whether the file is an Obsidian base, by its extension.
    pub fn is_base(&self) -> bool {
        self.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("base"))
    }

    /// Whether the file is an Obsidian canvas, by its extension.
    pub fn is_canvas(&self) -> bool {
        self.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("canvas"))
    }
}

impl fmt::Display for VaultPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a file with that name is a note, by its extension.
pub fn is_note(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| {
        ["md", "markdown", "txt"].iter().any(|known| ending.eq_ignore_ascii_case(known))
    })
}

/// A folder's path relative to the vault; the vault itself is the empty path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultFolder(String);

impl VaultFolder {
    /// The folder's path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the file is in this folder, or with `recursive` anywhere below it.
    pub fn contains(&self, path: &VaultPath, recursive: bool) -> bool {
        let folder = path.folder();
        folder == self.0
            || recursive
                && (self.0.is_empty()
                    || folder.strip_prefix(&self.0).is_some_and(|rest| rest.starts_with('/')))
    }
}

/// Parses paths that a user or a model wrote, and refuses those that must not be touched.
#[derive(Debug, Clone)]
pub struct PathRules {
    roots: Vec<String>,
    /// Case-folded. An entry without `/` matches a folder of that name anywhere, one with `/` a path from the vault's
    /// root.
    excluded: Vec<String>,
    system: PathSystem,
}

impl PathRules {
    /// `roots` are the absolute paths under which the vault is known; `excluded` are names or paths of folders to stay
    /// out of, compared without case.
    pub fn new(roots: impl IntoIterator<Item = String>, excluded: &[String]) -> Self {
        Self::for_system(PathSystem::HERE, roots, excluded)
    }

    /// The rules by which paths are written on a system.
    pub fn for_system(
        system: PathSystem,
        roots: impl IntoIterator<Item = String>,
        excluded: &[String],
    ) -> Self {
        let to_root = |root: String| system.with_slashes(&root).trim_end_matches('/').to_owned();
        let roots = roots.into_iter().map(to_root).collect();
        let excluded = excluded
            .iter()
            .map(|name| fold_name(system.with_slashes(name).trim_matches('/')))
            .filter(|name| !name.is_empty())
            .collect();
        Self { roots, excluded, system }
    }

    /// Parses a file's path, relative to the vault or absolute inside it.
    pub fn parse_file(&self, written: &str) -> Result<VaultPath> {
        if written.is_empty() {
            return Err(Error::invalid("the path is empty").with_path("").hint(RELATIVE_PATH_HINT));
        }
        let slashed = self.system.with_slashes(written);
        let parts = self.parse_parts(written, &slashed)?;
        if slashed.ends_with('/') || slashed.ends_with("/.") || parts.is_empty() {
            return Err(Error::invalid(format!("`{}` is a folder, not a file", render_for_message(written)))
                .with_path(render_for_message(written))
                .hint("name a file in it"));
        }
        Ok(VaultPath(parts.join("/")))
    }

    /// Parses a folder's path; empty, `.` or `/` is the vault itself.
    pub fn parse_folder(&self, written: &str) -> Result<VaultFolder> {
        let written = if written == "/" { "" } else { written };
        Ok(VaultFolder(self.parse_parts(written, &self.system.with_slashes(written))?.join("/")))
    }

    /// Whether a component of a path names a file or folder to stay out of.
    pub fn excludes(&self, part: &str) -> bool {
        let folded = fold_name(part);
        folded.starts_with('.') || self.excluded.contains(&folded)
    }

    /// Whether a path is that of a folder excluded by its path, or is below one.
    pub fn excludes_path(&self, path: &str) -> bool {
        let paths = || self.excluded.iter().filter(|excluded| excluded.contains('/'));
        if paths().next().is_none() {
            return false;
        }
        let folded = fold_name(path);
        let below = |excluded: &String| {
            folded.strip_prefix(excluded).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        paths().any(below)
    }

    /// Whether a path that was parsed under other rules is excluded by these. The trash is open to whoever has a path there.
    pub fn excludes_file(&self, path: &VaultPath) -> bool {
        let is_in_trash = path.parts().next() == Some(TRASH);
        !is_in_trash && (path.parts().any(|part| self.excludes(part)) || self.excludes_path(path.as_str()))
    }

    /// The parts of a path. `slashed` is the same with `/` between them; errors show it as it was written.
    fn parse_parts<'a>(&self, written: &str, slashed: &'a str) -> Result<Vec<&'a str>> {
        let refuse = |why: &str| {
            Err(Error::refused(format!("the path `{}` {why}", render_for_message(written)))
                .with_path(render_for_message(written))
                .hint(RELATIVE_PATH_HINT))
        };
        let excluded = |why: &str| {
            Err(Error::refused(format!("the path `{}` {why}", render_for_message(written)))
                .with_path(render_for_message(written))
                .hint("excluded folders are neither read nor written; `wellread config show` lists them"))
        };
        if written.chars().any(char::is_control) {
            return refuse("contains a control character");
        }
        if written.len() > MAX_PATH_BYTES {
            return refuse("is too long");
        }
        let mut parts = Vec::new();
        for part in self.strip_root(written, slashed)?.split('/') {
            match part {
                "" | "." => {}
                ".." => return refuse("leaves the vault (`..` is not allowed)"),
                "~" if parts.is_empty() => return refuse("begins at the home folder, not in the vault"),
                _ if part.len() > MAX_NAME_BYTES => return refuse("has a name of more than 255 bytes"),
                _ if self.system.name_problem(part).is_some() => {
                    let problem = self.system.name_problem(part).unwrap_or_default();
                    return refuse(&format!("has a name that {problem} (`{}`)", render_for_message(part)));
                }
                _ if self.excludes(part) => {
                    return excluded(&format!("is in an excluded folder (`{}`)", render_for_message(part)));
                }
                _ => parts.push(part),
            }
        }
        if self.excludes_path(&parts.join("/")) {
            return excluded("is in an excluded folder");
        }
        Ok(parts)
    }

    /// Strips the vault's own path from an absolute one.
    fn strip_root<'a>(&self, written: &str, slashed: &'a str) -> Result<&'a str> {
        if !self.system.is_absolute(slashed) {
            return Ok(slashed);
        }
        self.roots.iter().find_map(|root| self.system.strip_folder(slashed, root)).ok_or_else(|| {
            Error::refused(format!("the path `{}` is outside the vault", render_for_message(written)))
                .with_path(render_for_message(written))
                .hint(RELATIVE_PATH_HINT)
        })
    }
}

/// Lower case in one Unicode form, and without invisible characters that some file systems ignore in names.
pub fn fold_name(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let visible: String = name
        .chars()
        .filter(|c| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'))
        .collect();
    wellread_text::fold(&visible)
}

/// A user's text, shortened and cleaned for one line of a message.
fn render_for_message(written: &str) -> String {
    let line: String =
        written.chars().take(200).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if written.chars().nth(200).is_some() { format!("{line}…") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn rules() -> PathRules {
        PathRules::new(["/home/ada/vault".to_owned()], &["node_modules".to_owned(), "Secret".to_owned()])
    }

    #[test]
    fn a_path_is_relative_to_the_vault_or_absolute_inside_it() {
        for (written, path) in [
            ("Bees.md", "Bees.md"),
            ("a/./b//c.md", "a/b/c.md"),
            ("/home/ada/vault/a/b.md", "a/b.md"),
            ("Ünïcode 日本.md", "Ünïcode 日本.md"),
            ("a..b/c...md", "a..b/c...md"),
        ] {
            assert_eq!(rules().parse_file(written).unwrap().as_str(), path);
        }
    }

    #[test]
    fn a_path_that_leaves_the_vault_or_enters_an_excluded_folder_is_refused() {
        for written in [
            "../x.md",
            "a/../../x.md",
            "a/..",
            "/etc/passwd",
            "/home/ada/vault2/x.md",
            "/home/ada/vault/../x.md",
            ".obsidian/app.json",
            ".OBSIDIAN/app.json",
            "a/.git/config",
            ".GIT/x.md",
            "Node_Modules/x.md",
            "secret/x.md",
            ".hidden.md",
            "\u{200b}.git/config",
            "\u{200b}Se\u{feff}cret/x.md",
            "a\0b.md",
            "a\nb.md",
            &"x".repeat(300),
            &"x/".repeat(4000),
        ] {
            let error = rules().parse_file(written).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused, "{written}: {error}");
            assert!(!error.message().contains(char::is_control), "{error}");
        }
    }

    #[test]
    fn a_folder_is_excluded_by_its_path_there_and_nowhere_else() {
        let rules =
            PathRules::new(["/home/ada/vault".to_owned()], &["/Work/Secret/".to_owned(), String::new()]);
        for written in
            ["Work/Secret/a.md", "work/SECRET/b/c.md", "/home/ada/vault/Work/./Secret/a.md", "Work/Secret"]
        {
            assert_eq!(rules.parse_file(written).unwrap_err().kind(), ErrorKind::Refused, "{written}");
        }
        for written in ["Secret/a.md", "Work/Secrets/a.md", "Work/a.md", "Home/Work/Secret/a.md"] {
            assert!(rules.parse_file(written).is_ok(), "{written}");
        }
    }

    #[test]
    fn a_folder_where_a_file_is_meant_is_an_error() {
        for written in ["", ".", "a/", "a/.", "/home/ada/vault/", "/home/ada/vault/."] {
            assert_eq!(rules().parse_file(written).unwrap_err().kind(), ErrorKind::Invalid, "{written}");
        }
    }

    #[test]
    fn a_folder_holds_its_files_and_below_it_where_asked() {
        let path = rules().parse_file("a/b/c.md").unwrap();
        let holds =
            |folder: &str, recursive| rules().parse_folder(folder).unwrap().contains(&path, recursive);
        assert!(holds("a/b", false) && holds("a", true) && holds("", true) && holds("/", true));
        assert!(!holds("a", false) && !holds("", false) && !holds("a/bc", true) && !holds("a/b/c.md", true));
    }
}
