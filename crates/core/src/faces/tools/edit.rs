//! Creates notes, and adds text at the ends of a note.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use wellread_text::{Frontmatter, append, close_open_blocks, frontmatter_block, line_ending, prepend};

use super::write_answer::{AboutFiles, WriteAnswer};
use super::{AnswerOrigins, Ctx, Effect, Tool};
use crate::library::vault::ChangeOptions;
use crate::{Error, Result};

#[derive(Debug)]
pub struct CreateFile;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateFileArgs {
    /// The path of the new file, relative to the vault; a name without an extension gets `.md`.
    path: String,
    /// The note's text.
    #[serde(default)]
    content: String,
    /// The frontmatter's fields, as a JSON object in a string.
    #[schemars(with = "Option<String>")]
    frontmatter: Option<Value>,
    /// Return the diff and change nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for CreateFile {
    const NAME: &'static str = "create_file";
    const ABOUT: &'static str = "Creates a new note, and missing folders. Never overwrites.";
    const EFFECT: Effect = Effect::Adds;
    type Args = CreateFileArgs;
    type Output = WriteAnswer;
    const STUB: &'static [&'static str] = &["path", "message", "operation", "kept"];

    fn answer_origins(output: &WriteAnswer) -> AnswerOrigins {
        output.file_origins()
    }

    async fn call(&self, ctx: &Ctx, args: CreateFileArgs) -> Result<WriteAnswer> {
        let path = ctx.vault.new_note_path(&args.path)?;
        let text = match args
            .frontmatter
            .map(parse_fields)
            .transpose()
            .map_err(|error| error.with_path(path.as_str()))?
        {
            Some(fields) if !fields.is_empty() => {
                if Frontmatter::parse(&args.content).is_some() {
                    return Err(Error::invalid("`content` has a frontmatter of its own")
                        .with_path(path.as_str())
                        .hint("give the fields in one place: in `content` or in `frontmatter`"));
                }
                let block = frontmatter_block(&fields, line_ending(&args.content));
                block.map_err(|error| Error::from(error).with_path(path.as_str()))? + &args.content
            }
            _ => args.content,
        };
        let outcome = ctx.vault.create(ChangeOptions::new(Self::NAME, args.dry_run), &path, &text)?;
        Ok(WriteAnswer::from_outcome(path.as_str(), &format!("created `{path}`"), outcome))
    }
}

/// The fields, given as JSON in a string or as an object.
fn parse_fields(given: Value) -> Result<Map<String, Value>> {
    let given = match given {
        Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
        Value::String(text) => serde_json::from_str(&text)
            .map_err(|error| Error::invalid(format!("`frontmatter` is not JSON: {error}")))?,
        other => other,
    };
    match given {
        Value::Object(fields) => Ok(fields),
        _ => {
            Err(Error::invalid("`frontmatter` must be a JSON object").hint("for example {\"tags\": [\"a\"]}"))
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddArgs {
    /// The note, relative to the vault; the `.md` is optional.
    path: String,
    /// The text to add.
    content: String,
    /// Return the diff and change nothing.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug)]
pub struct AppendToFile;

impl Tool for AppendToFile {
    const NAME: &'static str = "append_to_file";
    const ABOUT: &'static str = "Adds text at the end of a note, on a new line.";
    const EFFECT: Effect = Effect::Adds;
    type Args = AddArgs;
    type Output = WriteAnswer;
    const STUB: &'static [&'static str] = &["path", "message", "operation", "kept"];

    fn answer_origins(output: &WriteAnswer) -> AnswerOrigins {
        output.file_origins()
    }

    async fn call(&self, ctx: &Ctx, args: AddArgs) -> Result<WriteAnswer> {
        add_text(ctx, Self::NAME, &args.path, &args.content, args.dry_run, NoteEnd::Bottom)
    }
}

#[derive(Debug)]
pub struct PrependToFile;

impl Tool for PrependToFile {
    const NAME: &'static str = "prepend_to_file";
    const ABOUT: &'static str =
        "Adds text at the top of a note, after its frontmatter, followed by a blank line.";
    const EFFECT: Effect = Effect::Adds;
    type Args = AddArgs;
    type Output = WriteAnswer;
    const STUB: &'static [&'static str] = &["path", "message", "operation", "kept"];

    fn answer_origins(output: &WriteAnswer) -> AnswerOrigins {
        output.file_origins()
    }

    async fn call(&self, ctx: &Ctx, args: AddArgs) -> Result<WriteAnswer> {
        add_text(ctx, Self::NAME, &args.path, &args.content, args.dry_run, NoteEnd::Top)
    }
}

#[derive(Debug, Clone, Copy)]
pub enum NoteEnd {
    Top,
    Bottom,
}

pub fn add_text(
    ctx: &Ctx,
    label: &str,
    path: &str,
    content: &str,
    dry_run: bool,
    end: NoteEnd,
) -> Result<WriteAnswer> {
    let path = ctx.vault.locate(path)?;
    if content.is_empty() {
        return Err(Error::invalid("`content` is empty: there is nothing to add").with_path(path.as_str()));
    }
    let outcome = ctx.vault.edit(ChangeOptions::new(label, dry_run), &path, |note| {
        Ok(vec![match end {
            // An unclosed block in it would swallow the note below.
            NoteEnd::Top => prepend(&note.text, &close_open_blocks(content)),
            NoteEnd::Bottom => append(&note.text, content),
        }])
    })?;
    let done = match end {
        NoteEnd::Top => format!("added at the top of `{path}`"),
        NoteEnd::Bottom => format!("added at the end of `{path}`"),
    };
    Ok(WriteAnswer::from_outcome(path.as_str(), &done, outcome))
}
