//! Every note of the vault, read and parsed once.

use std::collections::HashSet;

use jiff::civil::Date;
use serde_json::Value;
use wellread_text::{Names, Note, Shingles, Span, Words, fold};

use crate::Result;
use crate::corpus::VaultPath;
use crate::keyless::own_sections;
use crate::ports::Skipped;
use crate::vault::{Vault, day_in, parse_day};

/// Fields of the frontmatter in which people write down when they last saw to a note.
const CHANGED_FIELDS: [&str; 4] = ["updated", "modified", "reviewed", "date"];

pub(super) struct Notes {
    /// By path.
    pub all: Vec<ReadNote>,
    /// Every file's name, for resolving links.
    pub names: Names,
    /// Every folder that holds something, folded.
    pub folders: HashSet<String>,
    pub skipped: Vec<Skipped>,
}

pub(super) struct ReadNote {
    pub path: VaultPath,
    pub text: String,
    pub note: Note,
    /// Other names, from its frontmatter: its aliases, and its title where that is another one.
    pub aliases: Vec<String>,
    pub title: Option<String>,
    /// Where no name stands for itself.
    pub closed: Vec<Span>,
    /// The sections that Wellread wrote.
    pub own: Vec<Span>,
    pub changed: Date,
    /// Counted when its words are looked at.
    pub words: usize,
    /// The smallest of its shingles, from then on.
    pub sketch: Vec<u64>,
    pub is_daily: bool,
    /// The user's preferences, which Wellread keeps.
    pub is_ours: bool,
}

impl Notes {
    pub fn read(vault: &Vault, without_private: bool) -> Result<Self> {
        let listing = vault.files.list()?;
        let names = Names::of(listing.files.iter().map(|entry| entry.path.as_str()));
        let folders = folders(listing.files.iter().map(|entry| entry.path.as_str()));
        let mut notes = Self { all: Vec::new(), names, folders, skipped: listing.skipped };
        for entry in listing.files.iter().filter(|entry| entry.path.is_note()) {
            let read = match vault.read(&entry.path) {
                Ok(read) => read,
                // It went away since it was listed.
                Err(error) if error.kind() == crate::Kind::NotFound => continue,
                Err(error) => {
                    let reason = error.message().to_owned();
                    notes.skipped.push(Skipped { path: entry.path.to_string(), reason });
                    continue;
                }
            };
            let note = read.parse();
            if without_private && vault.says_private(&entry.path, &note) {
                continue;
            }
            if let Some(warning) = read.warning {
                notes.skipped.push(Skipped { path: entry.path.to_string(), reason: warning });
            }
            let modified = vault.modified(&read.entry);
            notes.all.push(ReadNote::of(vault, read.path, read.text, note, modified));
        }
        if without_private {
            // What can't be read may be private.
            notes.skipped.clear();
        }
        notes.all.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(notes)
    }

    pub fn path(&self, at: usize) -> String {
        self.all[at].path.to_string()
    }
}

/// The folders that these files are in, each with those above it.
fn folders<'a>(paths: impl Iterator<Item = &'a str>) -> HashSet<String> {
    let mut all = HashSet::new();
    for path in paths {
        let mut folder = path;
        while let Some((above, _)) = folder.rsplit_once('/') {
            if !all.insert(fold(above)) {
                break;
            }
            folder = above;
        }
    }
    all
}

impl ReadNote {
    fn of(vault: &Vault, path: VaultPath, text: String, note: Note, modified: Date) -> Self {
        let field = |name: &&str| note.frontmatter.as_ref()?.field(name).and_then(day_in);
        let title = note.frontmatter.as_ref().and_then(|front| front.field("title")).and_then(Value::as_str);
        Self {
            title: title
                .map(|title| title.trim().to_owned())
                .filter(|title| fold(title) != fold(path.stem())),
            aliases: note.aliases(),
            closed: note.closed(&text),
            own: own_sections(&note, &text),
            changed: CHANGED_FIELDS.iter().filter_map(field).chain([modified]).max().unwrap_or(modified),
            words: 0,
            sketch: Vec::new(),
            is_daily: parse_day(path.stem()).is_ok()
                || fold(path.folder()) == fold(&vault.layout.daily_notes),
            is_ours: fold(path.as_str()) == fold(&vault.layout.preferences),
            path,
            text,
            note,
        }
    }

    /// Its text without the frontmatter.
    pub fn body(&self) -> Span {
        self.note.frontmatter.as_ref().map_or(0, |front| front.span.end)..self.text.len()
    }

    pub fn shingles(&self) -> Shingles {
        Shingles::of_words(&Words::within(&self.text, self.body()))
    }

    /// The line, from 1, that a byte is in.
    pub fn line(&self, at: usize) -> usize {
        1 + self.text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count()
    }
}
