//! Who wrote a note, and which notes instruct models.

use wellread_text::{Canvas, Note, fold};

use super::Vault;
use crate::domain::corpus::{Action, VaultPath};
use crate::domain::untrusted::Origin;
use crate::{Error, Result};

/// File names that programs take for instructions to a model, in any folder.
const AGENT_FILES: [&str; 7] = [
    "agents.md",
    "claude.md",
    "gemini.md",
    "skill.md",
    "copilot-instructions.md",
    "system_prompt.txt",
    "system_prompt.md",
];
const PROMPT_FOLDERS: [&str; 2] = ["prompts", ".obsidian"];

impl Vault {
    /// Who wrote a file's text. A file that is no note, or can't be read, counts as from outside.
    pub fn origin_of(&self, path: &VaultPath) -> Origin {
        if !path.is_note() || self.layout.clippings.iter().any(|folder| is_inside(path, folder)) {
            return Origin::Outside;
        }
        match self.read(path) {
            Ok(note) if !has_source_address(&note.text) => Origin::Notes,
            _ => Origin::Outside,
        }
    }

    /// Whether a note must not leave this machine: by its folder, its tags, or `private: true`. An unreadable note is
    /// private.
    pub fn is_private(&self, path: &VaultPath) -> bool {
        if self.layout.private_folders.iter().any(|folder| is_inside(path, folder)) {
            return true;
        }
        if path.is_canvas() {
            let canvas = self.read(path).ok().and_then(|file| Canvas::parse(&file.text).ok());
            return canvas.is_none_or(|canvas| canvas.tags.iter().any(|tag| self.is_private_tag(tag)));
        }
        if !path.is_note() {
            return false;
        }
        let Ok(note) = self.read(path) else { return true };
        self.is_marked_private(path, &note.parse())
    }

    /// Whether a note that was parsed already is private, by its folder, its tags, or `private: true`.
    pub fn is_marked_private(&self, path: &VaultPath, parsed: &Note) -> bool {
        if self.layout.private_folders.iter().any(|folder| is_inside(path, folder)) {
            return true;
        }
        let marked = match parsed.frontmatter.as_ref().map(|front| &front.fields) {
            None => false,
            Some(Err(_)) => true,
            Some(Ok(fields)) => fields.iter().any(|(name, value)| {
                fold(name) == "private"
                    && !matches!(value, serde_json::Value::Bool(false) | serde_json::Value::Null)
            }),
        };
        marked || parsed.all_tags().iter().any(|tag| self.is_private_tag(tag))
    }

    fn is_private_tag(&self, tag: &str) -> bool {
        let tag = fold(tag);
        self.layout
            .private_tags
            .iter()
            .map(|known| fold(known.trim_start_matches('#')))
            .any(|known| tag == known || tag.strip_prefix(&known).is_some_and(|rest| rest.starts_with('/')))
    }

    /// Returns an error if a change would touch a file that instructs models.
    pub(super) fn check_instructions_untouched(&self, actions: &[Action]) -> Result<()> {
        match actions.iter().flat_map(Action::paths).find(|path| self.instructs_models(path)) {
            None => Ok(()),
            Some(path) => Err(Error::refused(format!(
                "`{path}` instructs models, and this conversation holds text from outside"
            ))
            .with_path(path.as_str())
            .hint("nothing was changed; edit it by hand, or in a new conversation")),
        }
    }

    /// Whether models take instructions from a file.
    pub fn instructs_models(&self, path: &VaultPath) -> bool {
        let name = fold(path.name());
        let prompts = path.folder().split('/').any(|part| PROMPT_FOLDERS.contains(&fold(part).as_str()));
        fold(path.as_str()) == fold(&self.layout.preferences)
            || AGENT_FILES.contains(&name.as_str())
            || name.ends_with(".prompt.md")
            || prompts
    }
}

fn is_inside(path: &VaultPath, folder: &str) -> bool {
    let (path, folder) = (fold(path.as_str()), fold(folder.trim_matches('/')));
    !folder.is_empty() && path.strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether the frontmatter has an address as `source` or `url`. Unreadable frontmatter might have one.
fn has_source_address(text: &str) -> bool {
    let Some(front) = Note::parse(text).frontmatter else { return false };
    let Ok(fields) = front.fields else { return true };
    let address = |value: &serde_json::Value| {
        let written = value.to_string().to_lowercase();
        written.contains("://") || written.contains("www.")
    };
    fields.iter().any(|(name, value)| ["source", "url"].contains(&fold(name).as_str()) && address(value))
}
