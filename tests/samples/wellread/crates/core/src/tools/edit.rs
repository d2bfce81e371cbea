//! New notes, and text at the ends of a note.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use wellread_text::{Frontmatter, append, close_fences, frontmatter_block, line_ending, prepend};

use super::written::{About, Written};
use super::{Ctx, Effect, Shown, Tool};
use crate::vault::How;
use crate::{Error, Result};

#[derive(Debug)]
pub struct CreateFile;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateFileArgs {
    /// Where the new file goes, relative to the vault; a name without an ending gets `.md`.
    path: String,
    /// The note's text.
    #[serde(default)]
    content: String,
    /// The frontmatter's fields, as a JSON object in a string.
    #[schemars(with = "Option<String>")]
    frontmatter: Option<Value>,
    /// Answer with the difference and change nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for CreateFile {
    const NAME: &'static str = "create_file";
    const ABOUT: &'static str = "Makes a new note, and the folders that it needs. Never overwrites.";
    const EFFECT: Effect = Effect::Adds;
    type Args = CreateFileArgs;
    type Output = Written;
    const STUB: &'static [&'static str] = &["path", "message", "operation", "kept"];

    fn shows(output: &Written) -> Shown {
        output.shown()
    }

    async fn call(&self, ctx: &Ctx, args: CreateFileArgs) -> Result<Written> {
        let path = ctx.vault.vacancy(&args.path)?;
        let text = match args.frontmatter.map(fields).transpose().map_err(|error| error.at(path.as_str()))? {
            Some(fields) if !fields.is_empty() => {
                if Frontmatter::of(&args.content).is_some() {
                    return Err(Error::invalid("`content` has a frontmatter of its own")
                        .at(path.as_str())
                        .hint("give the fields in one place: in `content` or in `frontmatter`"));
                }
                let block = frontmatter_block(&fields, line_ending(&args.content));
                block.map_err(|error| Error::from(error).at(path.as_str()))? + &args.content
            }
            _ => args.content,
        };
        let outcome = ctx.vault.create(How::new(Self::NAME, args.dry_run), &path, &text)?;
        Ok(Written::of(path.as_str(), &format!("created `{path}`"), outcome))
    }
}

/// The fields, given as JSON in a string or, by a client that knows better, as an object.
fn fields(given: Value) -> Result<Map<String, Value>> {
    let given = match given {
        Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
        Value::String(text) => serde_json::from_str(&text)
            .map_err(|error| Error::invalid(format!("`frontmatter` is no JSON: {error}")))?,
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
    /// The note, relative to the vault; the `.md` may be left out.
    path: String,
    /// The text to add.
    content: String,
    /// Answer with the difference and change nothing.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug)]
pub struct AppendToFile;

impl Tool for AppendToFile {
    const NAME: &'static str = "append_to_file";
    const ABOUT: &'static str = "Adds text at the end of a note, on a line of its own.";
    const EFFECT: Effect = Effect::Adds;
    type Args = AddArgs;
    type Output = Written;
    const STUB: &'static [&'static str] = &["path", "message", "operation", "kept"];

    fn shows(output: &Written) -> Shown {
        output.shown()
    }

    async fn call(&self, ctx: &Ctx, args: AddArgs) -> Result<Written> {
        add(ctx, Self::NAME, &args.path, &args.content, args.dry_run, End::Bottom)
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
    type Output = Written;
    const STUB: &'static [&'static str] = &["path", "message", "operation", "kept"];

    fn shows(output: &Written) -> Shown {
        output.shown()
    }

    async fn call(&self, ctx: &Ctx, args: AddArgs) -> Result<Written> {
        add(ctx, Self::NAME, &args.path, &args.content, args.dry_run, End::Top)
    }
}

#[derive(Debug, Clone, Copy)]
pub enum End {
    Top,
    Bottom,
}

pub fn add(ctx: &Ctx, label: &str, path: &str, content: &str, dry_run: bool, end: End) -> Result<Written> {
    let path = ctx.vault.locate(path)?;
    if content.is_empty() {
        return Err(Error::invalid("`content` is empty: there is nothing to add").at(path.as_str()));
    }
    let outcome = ctx.vault.edit(How::new(label, dry_run), &path, |note| {
        Ok(vec![match end {
            // What it leaves open would swallow the note below it.
            End::Top => prepend(&note.text, &close_fences(content)),
            End::Bottom => append(&note.text, content),
        }])
    })?;
    let done = match end {
        End::Top => format!("added at the top of `{path}`"),
        End::Bottom => format!("added at the end of `{path}`"),
    };
    Ok(Written::of(path.as_str(), &done, outcome))
}
