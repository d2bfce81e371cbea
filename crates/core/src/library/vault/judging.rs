//! What the vault's files are judged to be, for everybody who asks: private, from outside, or instructions to models.

use wellread_text::Note;

use super::{NoteText, Vault};
use crate::domain::corpus::{Action, VaultPath};
use crate::domain::untrusted::Origin;
use crate::library::judge::{FileJudge, OutsideSpans, PrivateReason};
use crate::{Error, Result};

/// The detail of an error that says that only the user changes this file.
pub const INSTRUCTS_MODELS: &str = "instructs_models";

impl Vault {
    /// The judge of this vault's files.
    pub fn judge(&self) -> FileJudge<'_> {
        FileJudge { layout: &self.layout, outside: &*self.outside, files: &*self.files }
    }

    /// Who wrote a file's text: the least trusted of its parts counts. A file that is no note, or can't be read, counts
    /// as from outside.
    pub fn origin_of(&self, path: &VaultPath) -> Origin {
        self.read(path).map_or(Origin::Outside, |note| self.outside_spans(&note).origin())
    }

    /// The parts of a note's text that came from outside.
    pub fn outside_spans(&self, note: &NoteText) -> OutsideSpans {
        self.judge().find_outside_spans(&note.path, &note.text)
    }

    /// Whether a note must not leave this machine: by its folder, its tags, or the key `private`. An unreadable note is
    /// private.
    pub fn is_private(&self, path: &VaultPath) -> bool {
        self.judge().is_private(path)
    }

    /// Whether a file is private with this text, which it may no longer have. A canvas is judged by the tags of its cards,
    /// and one that can't be understood is private.
    pub fn is_private_text(&self, path: &VaultPath, text: &str) -> bool {
        self.judge().find_private_reason_in(path, text, &Note::parse(text)).is_some()
    }

    /// The private folder that a path is in, whether there is a file or not.
    pub fn find_private_place(&self, path: &VaultPath) -> Option<PrivateReason> {
        self.judge().find_private_place(path)
    }

    /// Whether models take instructions from a file.
    pub fn instructs_models(&self, path: &VaultPath) -> bool {
        self.judge().instructs_models(path)
    }

    /// Returns an error if a change would touch a file that instructs models.
    pub(super) fn check_instructions_untouched(&self, actions: &[Action]) -> Result<()> {
        match actions.iter().flat_map(Action::paths).find(|path| self.instructs_models(path)) {
            None => Ok(()),
            Some(path) => Err(Error::refused(format!(
                "`{path}` instructs models, and this conversation holds text from outside"
            ))
            .with_path(path.as_str())
            .with_detail(INSTRUCTS_MODELS, true)
            .hint("nothing was changed; edit it by hand, or in a new conversation")),
        }
    }

    /// Remembers what a change writes, moves or edits of text from outside, before it is made: from then on it is
    /// recognized wherever it stands.
    pub(super) fn remember_outside(&self, actions: &[Action]) -> Result<()> {
        let judge = self.judge();
        let mut edited = Vec::new();
        for action in actions {
            if self.edits.origin.is_outside() {
                self.remember_outside_name(action)?;
            }
            match action {
                Action::Create { text, .. } if self.edits.origin.is_outside() => {
                    judge.remember_outside(text)?;
                }
                Action::Edit { path, expect, splices } => {
                    edited.extend(self.outside_lines_after(path, *expect, splices)?);
                }
                // A file that is no note comes from outside, and may become one.
                Action::Move { from, to } if from.is_note() || to.is_note() => {
                    // What can't be read has no lines to be recognized by.
                    if let Ok(content) = self.whole().files.read(from) {
                        let text = String::from_utf8_lossy(&content.bytes);
                        if judge.find_outside_spans(from, &text) == OutsideSpans::Everything {
                            judge.remember_outside(&text)?;
                        }
                    }
                }
                _ => {}
            }
        }
        // All at once: to remember takes a moment each time.
        if edited.is_empty() { Ok(()) } else { self.outside.remember(&edited) }
    }

    /// Remembers the new name that a change gives to a file, and those of the folders that it makes for it.
    fn remember_outside_name(&self, action: &Action) -> Result<()> {
        let (path, old_name) = match action {
            Action::Create { path, .. } => (path, None),
            Action::Move { from, to } if *to != VaultPath::in_trash(to.name()) => (to, Some(from.name())),
            _ => return Ok(()),
        };
        let folders = path.as_str().match_indices('/').map(|(at, _)| &path.as_str()[..at]);
        let is_new = |folder: &&str| {
            let path = self.rules.parse_file(folder);
            path.is_ok_and(|path| self.whole().files.find(&path).is_ok_and(|found| found.is_none()))
        };
        let own = (old_name != Some(path.name())).then_some(path.as_str());
        let names: Vec<&str> = folders.filter(is_new).chain(own).collect();
        self.judge().remember_outside_names(&names)
    }
}
