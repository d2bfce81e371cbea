//! Reads a note, or facts about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use wellread_text::{BOM, LineIndex, take_page};

use super::{AnswerOrigins, Ctx, Effect, Tool};
use crate::domain::corpus::{CorpusName, Place};
use crate::domain::evidence::{NewEvidence, Provenance, Source};
use crate::domain::untrusted::Untrusted;
use crate::library::vault::NoteText;
use crate::{Error, Result};

#[derive(Debug)]
pub struct ReadFile;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFileArgs {
    /// The file, relative to the vault; the `.md` is optional.
    path: String,
    /// The character to start at.
    #[serde(default)]
    offset: usize,
    /// Maximum number of characters to read.
    #[serde(default = "four_thousand")]
    length: usize,
}

fn four_thousand() -> usize {
    4000
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FileText {
    path: String,
    /// The text. Part of a longer file is marked as such at its start and end.
    content: String,
    /// The number of characters in the whole file.
    total_chars: usize,
    /// The offset of the next part; absent if this is the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    /// The part by its place, where it is the file's own bytes.
    #[serde(skip)]
    place: Option<(Place, String)>,
}

impl Tool for ReadFile {
    const NAME: &'static str = "read_file";
    const ABOUT: &'static str = "Reads a file in the vault. A long file is returned in parts: each part ends with the \
                                 offset of the next.";
    const EFFECT: Effect = Effect::Reads;
    type Args = ReadFileArgs;
    type Output = FileText;
    const STUB: &'static [&'static str] = &["path", "total_chars", "next_offset"];

    fn answer_origins(output: &FileText) -> AnswerOrigins {
        let span = output.place.as_ref().map_or(0..usize::MAX, |(place, _)| place.span.clone());
        AnswerOrigins::Passages(vec![(output.path.clone(), span)])
    }

    fn evidence(output: &FileText) -> Vec<(String, NewEvidence)> {
        let found = |(place, text): &(Place, String)| NewEvidence {
            source: Source::from_place(place, None),
            text: Untrusted::from_note(text.clone()),
            reason: "it was read".to_owned(),
            provenance: Provenance::Manual,
            score: None,
            symbol: None,
        };
        output.place.iter().map(|part| (String::new(), found(part))).collect()
    }

    async fn call(&self, ctx: &Ctx, args: ReadFileArgs) -> Result<FileText> {
        let path = ctx.vault.locate(&args.path)?;
        if args.length == 0 {
            return Err(Error::invalid("`length` must be at least 1").with_path(path.as_str()));
        }
        let note = ctx.vault.read(&path)?;
        let part = take_page(note.text.trim_start_matches(BOM), args.offset, args.length);
        if args.offset > 0 && args.offset >= part.total {
            return Err(Error::invalid(format!("the offset {} is past the end", args.offset))
                .with_path(path.as_str())
                .hint(format!("the file has {} characters", part.total)));
        }
        let place = locate_part(&note, &part.text, args.offset);
        let mut content = String::new();
        if args.offset > 0 {
            let end = part.next.unwrap_or(part.total);
            content += &format!("[continued: characters {} to {end} of {}]\n\n", args.offset, part.total);
        }
        content += &part.text;
        if let Some(next) = part.next {
            content +=
                &format!("\n\n[cut at character {next} of {}: read on with offset={next}]", part.total);
        }
        Ok(FileText {
            path: path.to_string(),
            content,
            total_chars: part.total,
            next_offset: part.next,
            warning: note.warning,
            place,
        })
    }
}

/// The place and text of a part that begins at this character; `None` if it is not the file's own bytes.
fn locate_part(note: &NoteText, part: &str, offset: usize) -> Option<(Place, String)> {
    let body = note.text.trim_start_matches(BOM);
    let start = note.text.len() - body.len() + body.char_indices().nth(offset)?.0;
    let span = start..start + part.len();
    if note.warning.is_some() || part.is_empty() || note.text.get(span.clone()) != Some(part) {
        return None;
    }
    let lines = LineIndex::new(&note.text);
    let place = Place {
        corpus: CorpusName::Vault,
        path: note.path.clone(),
        lines: (lines.line_of(span.start), lines.line_of(span.end - 1)),
        span,
        hash: note.hash,
    };
    Some((place, part.to_owned()))
}

#[derive(Debug)]
pub struct GetNoteInfo;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetNoteInfoArgs {
    /// The note, relative to the vault; the `.md` is optional.
    path: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct NoteInfo {
    path: String,
    frontmatter: Map<String, Value>,
    headings: Vec<HeadingInfo>,
    tags: Vec<String>,
    aliases: Vec<String>,
    /// The number of distinct notes and files it links to.
    outgoing_links: usize,
    /// The number of notes that link to it.
    incoming_links: usize,
    /// In bytes.
    size: u64,
    /// The creation date: from the frontmatter, otherwise from the file.
    created: String,
    modified: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct HeadingInfo {
    level: u8,
    text: String,
    /// The line in the file, from 1.
    line: usize,
}

impl Tool for GetNoteInfo {
    const NAME: &'static str = "get_note_info";
    const ABOUT: &'static str = "A note's frontmatter, headings with their lines, tags, aliases, link counts, size and \
                                 dates, without its text.";
    const EFFECT: Effect = Effect::Reads;
    type Args = GetNoteInfoArgs;
    type Output = NoteInfo;
    const STUB: &'static [&'static str] = &["path", "tags", "outgoing_links", "incoming_links", "modified"];

    fn answer_origins(output: &NoteInfo) -> AnswerOrigins {
        AnswerOrigins::Files(vec![output.path.clone()])
    }

    async fn call(&self, ctx: &Ctx, args: GetNoteInfoArgs) -> Result<NoteInfo> {
        let vault = &ctx.vault;
        let path = vault.locate(&args.path)?;
        let note = vault.read(&path)?;
        let parsed = note.parse();
        let fields = parsed.frontmatter.as_ref().map_or_else(|| Ok(Map::new()), |front| front.fields.clone());
        let broken = fields.as_ref().err().map(|error| format!("the frontmatter can't be read: {error}"));
        Ok(NoteInfo {
            frontmatter: fields.unwrap_or_default(),
            headings: parsed
                .headings
                .iter()
                .map(|heading| HeadingInfo {
                    level: heading.level,
                    text: heading.text.clone(),
                    line: heading.line,
                })
                .collect(),
            tags: parsed.all_tags(),
            aliases: parsed.aliases(),
            outgoing_links: vault.count_outgoing_links(&path, &parsed)?,
            incoming_links: vault.backlinks(&path)?.from.len(),
            size: note.entry.size,
            created: vault.creation_day(&note.entry).to_string(),
            modified: vault.modification_day(&note.entry).to_string(),
            warning: note.warning.or(broken),
            path: path.to_string(),
        })
    }
}
