//! A note as it is: its text, what its frontmatter says, and the hash by which an edit can tell that it changed.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use wellread_core::Result;

use crate::app::App;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Note {
    pub path: String,
    /// The full text, including the frontmatter.
    pub text: String,
    /// The hash of the file's bytes.
    pub hash: String,
    pub frontmatter: Map<String, Value>,
    pub headings: Vec<Heading>,
    pub tags: Vec<String>,
    pub aliases: Vec<String>,
    /// The size in bytes.
    pub size: u64,
    /// The creation date: from the frontmatter, otherwise from the file.
    pub created: String,
    pub modified: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Heading {
    pub level: u8,
    pub text: String,
    /// The line in the file, from 1.
    pub line: usize,
}

/// The file of that path; the `.md` may be left out.
pub fn read_note(app: &App, path: &str) -> Result<Note> {
    let vault = &app.ctx.vault;
    let read = vault.read(&vault.locate(path)?)?;
    let parsed = read.parse();
    let fields = parsed.frontmatter.as_ref().map_or_else(|| Ok(Map::new()), |front| front.fields.clone());
    let broken = fields.as_ref().err().map(|error| format!("the frontmatter can't be read: {error}"));
    let headings = parsed.headings.iter().map(|heading| Heading {
        level: heading.level,
        text: heading.text.clone(),
        line: heading.line,
    });
    Ok(Note {
        path: read.path.to_string(),
        hash: read.hash.to_string(),
        frontmatter: fields.unwrap_or_default(),
        headings: headings.collect(),
        tags: parsed.all_tags(),
        aliases: parsed.aliases(),
        size: read.entry.size,
        created: vault.creation_day(&read.entry).to_string(),
        modified: vault.modification_day(&read.entry).to_string(),
        warning: read.warning.or(broken),
        text: read.text,
    })
}
