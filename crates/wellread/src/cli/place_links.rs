//! Places in a result as hyperlinks, where they name a file of the vault or of a repository.

use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::file_uri::to_file_uri;
use crate::output::{SpanStyle, StyledText};

/// What stands before the place that an answer is from.
const SOURCE: &str = "Source: ";

/// The folders that places are in.
#[derive(Debug, Default)]
pub struct PlaceLinks {
    /// The vault, under no name, and repositories under theirs.
    roots: Vec<(String, PathBuf)>,
}

impl PlaceLinks {
    /// Links into the vault and the repositories of the settings.
    pub fn from_config(config: &Config) -> Self {
        let vault = config.vault().ok().map(|vault| (String::new(), vault));
        let repos = config.repos().unwrap_or_default().into_iter().map(|repo| (repo.name, repo.path));
        Self { roots: vault.into_iter().chain(repos).collect() }
    }

    /// Links into one vault.
    pub fn for_vault(vault: Option<&PathBuf>) -> Self {
        Self { roots: vault.map(|vault| (String::new(), vault.clone())).into_iter().collect() }
    }

    /// The text with each code span that is a place in an existing file, like `Bees.md:12-14`, as a link to that file; and the
    /// place on a line that names the source.
    pub fn link_text(&self, text: &str) -> StyledText {
        let mut linked = StyledText::default();
        for line in text.split_inclusive('\n') {
            match line.strip_prefix(SOURCE) {
                Some(place) => {
                    linked.push(SOURCE);
                    self.push_place(&mut linked, place.trim_end_matches('\n'));
                    linked.push(if place.ends_with('\n') { "\n" } else { "" });
                }
                None => self.push_line(&mut linked, line),
            }
        }
        linked
    }

    fn push_line(&self, linked: &mut StyledText, line: &str) {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once('`') {
            linked.push(before);
            match after.split_once('`') {
                Some((span, behind)) => {
                    linked.push("`");
                    self.push_place(linked, span);
                    linked.push("`");
                    rest = behind;
                }
                None => {
                    linked.push("`");
                    rest = after;
                }
            }
        }
        linked.push(rest);
    }

    /// Adds a place, as a link if its file exists.
    pub fn push_place(&self, linked: &mut StyledText, place: &str) {
        match self.find_address(place) {
            Some(address) => linked.push_styled(place, SpanStyle::Link(address)),
            None => linked.push(place),
        }
    }

    /// The address of the file that a place names: `path:lines` in the vault, `name:path:lines` or `name: path:lines` in a
    /// repository.
    fn find_address(&self, place: &str) -> Option<String> {
        self.roots.iter().find_map(|(name, root)| {
            let inside = if name.is_empty() {
                place
            } else {
                place.strip_prefix(name)?.strip_prefix(':')?.trim_start()
            };
            file_address(inside, root)
        })
    }
}

/// The address of the file that a place names, if it exists below the root.
fn file_address(place: &str, root: &Path) -> Option<String> {
    let (path, lines) = place.rsplit_once(':')?;
    let is_lines = !lines.is_empty() && lines.split('-').all(|line| line.parse::<usize>().is_ok());
    let is_inside = !path.split('/').any(|part| matches!(part, "" | "." | ".."));
    let file = std::path::absolute(root).ok()?.join(path);
    if !is_lines || !is_inside || path.chars().any(char::is_control) || !file.is_file() {
        return None;
    }
    to_file_uri(&file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_file_becomes_a_link_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Varroa mite.md"), "x").unwrap();
        let links = PlaceLinks {
            roots: vec![
                (String::new(), folder.path().to_owned()),
                ("code".to_owned(), folder.path().to_owned()),
            ],
        };
        let address = format!("file://{}/Varroa%20mite.md", folder.path().display());
        let linked = |text: &str| format!("{:?}", links.link_text(text)).contains(&address);
        for place in [
            "Old. (`Varroa mite.md:22`)",
            "x\n\nSource: Varroa mite.md:22-23",
            "`code:Varroa mite.md:2`",
            "Source: code: Varroa mite.md:1\n",
        ] {
            assert!(linked(place), "{place}");
            assert!(format!("{:?}", links.link_text(place)).contains(&format!("{place:?}")), "{place}");
        }
        for same in [
            "`None.md:2`",
            "`Varroa mite.md`",
            "`../x:1`",
            "`a` ` b",
            "```\nx:1\n```",
            "`Varroa mite.md:x`",
            "Varroa mite.md:22",
            "`other:Varroa mite.md:2`",
        ] {
            assert!(!linked(same), "{same}");
        }
    }
}
