//! Every note of the vault, read and parsed once.

use std::collections::HashSet;

use jiff::civil::Date;
use serde_json::Value;
use wellread_text::{FileNames, Heading, Link, LinkForm, Note, Shingles, Span, Words, fold};

use crate::Result;
use crate::domain::corpus::VaultPath;
use crate::insight::keyless::find_generated_sections;
use crate::library::vault::{Vault, parse_day, parse_day_value};
use crate::ports::SkippedFile;

/// Frontmatter fields in which people record when they last updated a note.
const CHANGED_FIELDS: [&str; 4] = ["updated", "modified", "reviewed", "date"];

pub(super) struct Notes {
    /// The notes, sorted by path.
    pub all: Vec<ParsedNote>,
    /// The names of all files, for resolving links.
    pub names: FileNames,
    /// All folders that are not empty, case-folded.
    pub folders: HashSet<String>,
    pub skipped: Vec<SkippedFile>,
}

/// A note with what the report needs of it. All notes are held at once, so nothing else is kept.
pub(super) struct ParsedNote {
    pub path: VaultPath,
    pub text: String,
    /// Where the text after the frontmatter begins.
    body_start: usize,
    pub headings: Box<[NoteHeading]>,
    /// Empty once [`Notes::forget_links`] was called.
    pub links: Box<[NoteLink]>,
    /// The ids of the blocks that links can point to.
    pub blocks: Box<[String]>,
    /// The parts of the body that are not prose.
    pub opaque: Box<[Span]>,
    /// The aliases from the frontmatter.
    pub aliases: Vec<String>,
    pub title: Option<String>,
    /// Spans in which a name is not mentioned by itself, such as code and links.
    pub closed: Box<[Span]>,
    /// The sections that Wellread wrote.
    pub own: Vec<Span>,
    pub changed: Date,
    /// The number of words, counted when the words are first scanned.
    pub words: usize,
    /// The smallest of its shingles, set when the words are first scanned.
    pub sketch: Vec<u64>,
    pub is_daily: bool,
    /// Whether this is the preferences note, which Wellread maintains.
    pub is_ours: bool,
}

/// A heading of a note.
pub(super) struct NoteHeading {
    pub level: u8,
    pub text: Box<str>,
    pub span: Span,
}

/// A link of a note, as [`Link`] describes it.
pub(super) struct NoteLink {
    pub target: Box<str>,
    pub subpath: Option<Box<str>>,
    pub alias: Option<Box<str>>,
    pub line: u32,
    pub span: Span,
    pub embed: bool,
    pub is_wiki: bool,
}

impl From<Heading> for NoteHeading {
    fn from(heading: Heading) -> Self {
        Self { level: heading.level, text: heading.text.into(), span: heading.span }
    }
}

impl From<Link> for NoteLink {
    fn from(link: Link) -> Self {
        Self {
            target: link.target.into(),
            subpath: link.subpath.map(Into::into),
            alias: link.alias.map(Into::into),
            line: u32::try_from(link.line).unwrap_or(u32::MAX),
            span: link.span,
            embed: link.embed,
            is_wiki: link.form == LinkForm::Wiki,
        }
    }
}

impl Notes {
    pub fn read(vault: &Vault) -> Result<Self> {
        let listing = vault.files.list()?;
        let names = FileNames::from_paths(listing.files.iter().map(|entry| entry.path.as_str()));
        let folders = folders(listing.files.iter().map(|entry| entry.path.as_str()));
        let mut notes = Self { all: Vec::new(), names, folders, skipped: listing.skipped };
        for entry in listing.files.iter().filter(|entry| entry.path.is_note()) {
            let read = match vault.read(&entry.path) {
                Ok(read) => read,
                // The note was deleted since it was listed.
                Err(error) if error.kind() == crate::ErrorKind::NotFound => continue,
                Err(error) => {
                    let reason = error.message().to_owned();
                    notes.skipped.push(SkippedFile { path: entry.path.to_string(), reason });
                    continue;
                }
            };
            let note = read.parse();
            if let Some(warning) = read.warning {
                notes.skipped.push(SkippedFile { path: entry.path.to_string(), reason: warning });
            }
            let modified = vault.modification_day(&read.entry);
            notes.all.push(ParsedNote::new(vault, read.path, read.text, note, modified));
        }
        notes.all.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(notes)
    }

    /// Frees the links of all notes, which nothing needs once it is known who links to whom.
    pub fn forget_links(&mut self) {
        self.all.iter_mut().for_each(|note| note.links = Box::default());
    }

    pub fn path(&self, at: usize) -> String {
        self.all[at].path.to_string()
    }
}

/// The folders that these files are in, and all folders above.
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

impl ParsedNote {
    fn new(vault: &Vault, path: VaultPath, mut text: String, note: Note, modified: Date) -> Self {
        text.shrink_to_fit();
        let field = |name: &&str| note.frontmatter.as_ref()?.field(name).and_then(parse_day_value);
        let title = note.frontmatter.as_ref().and_then(|front| front.field("title")).and_then(Value::as_str);
        Self {
            title: title
                .map(|title| title.trim().to_owned())
                .filter(|title| fold(title) != fold(path.stem())),
            aliases: note.aliases(),
            closed: note.unlinkable_spans(&text).into(),
            own: find_generated_sections(&note, &text),
            changed: CHANGED_FIELDS.iter().filter_map(field).chain([modified]).max().unwrap_or(modified),
            words: 0,
            sketch: Vec::new(),
            is_daily: parse_day(path.stem()).is_ok()
                || fold(path.folder()) == fold(&vault.layout.daily_notes),
            is_ours: fold(path.as_str()) == fold(&vault.layout.preferences),
            body_start: note.frontmatter.as_ref().map_or(0, |front| front.span.end),
            headings: note.headings.into_iter().map(Into::into).collect(),
            links: note.links.into_iter().map(Into::into).collect(),
            blocks: note.blocks.into_iter().map(|block| block.id).collect(),
            opaque: note.opaque.into(),
            path,
            text,
        }
    }

    /// The text without the frontmatter.
    pub fn body(&self) -> Span {
        self.body_start..self.text.len()
    }

    pub fn shingles(&self) -> Shingles {
        Shingles::from_words(&Words::from_part(&self.text, self.body()))
    }

    /// The line, from 1, that a byte is in.
    pub fn line_at(&self, at: usize) -> usize {
        1 + self.text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count()
    }
}
