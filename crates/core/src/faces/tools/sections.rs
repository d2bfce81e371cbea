//! Edits of one section, found by its heading.

use schemars::JsonSchema;
use serde::Deserialize;
use wellread_text::{append_to_section, close_open_blocks, replace_section};

use super::edit::{NoteEnd, add_text};
use super::write_answer::{AboutFiles, WriteAnswer};
use super::{AnswerOrigins, Ctx, Effect, Tool};
use crate::library::vault::ChangeOptions;
use crate::{Error, Result};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SectionArgs {
    /// The note, relative to the vault; the `.md` is optional.
    path: String,
    /// The section's heading with its `#`s, as in `## Research`; case does not matter.
    heading: String,
    /// The text.
    content: String,
    /// Return the diff and change nothing.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug)]
pub struct ReplaceSection;

impl Tool for ReplaceSection {
    const NAME: &'static str = "replace_section";
    const ABOUT: &'static str = "Replaces a section, including its heading, up to the next heading of the same or a \
                                 higher level. Repeat the heading in `content` to keep it.";
    const EFFECT: Effect = Effect::Writes;
    type Args = SectionArgs;
    type Output = WriteAnswer;
    const STUB: &'static [&'static str] = &["path", "message", "operation", "kept"];

    fn answer_origins(output: &WriteAnswer) -> AnswerOrigins {
        output.file_origins()
    }

    async fn call(&self, ctx: &Ctx, args: SectionArgs) -> Result<WriteAnswer> {
        edit_section(ctx, Self::NAME, &args, SectionMode::Replace)
    }
}

#[derive(Debug)]
pub struct AppendToSection;

impl Tool for AppendToSection {
    const NAME: &'static str = "append_to_section";
    const ABOUT: &'static str = "Adds text at the end of a section, after a blank line.";
    const EFFECT: Effect = Effect::Adds;
    type Args = SectionArgs;
    type Output = WriteAnswer;
    const STUB: &'static [&'static str] = &["path", "message", "operation", "kept"];

    fn answer_origins(output: &WriteAnswer) -> AnswerOrigins {
        output.file_origins()
    }

    async fn call(&self, ctx: &Ctx, args: SectionArgs) -> Result<WriteAnswer> {
        edit_section(ctx, Self::NAME, &args, SectionMode::Append)
    }
}

#[derive(Debug)]
pub struct EditFile;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditFileArgs {
    /// The note, relative to the vault; the `.md` is optional.
    path: String,
    /// The text.
    content: String,
    /// `append` at the end, `prepend` at the top, or `section`.
    position: Position,
    /// For `section`: its heading with its `#`s.
    heading: Option<String>,
    /// For `section`: `replace` it or `append` to it.
    mode: Option<SectionMode>,
    /// Return the diff and change nothing.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    Append,
    Prepend,
    Section,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectionMode {
    Replace,
    Append,
}

impl Tool for EditFile {
    const NAME: &'static str = "edit_file";
    const ABOUT: &'static str = "Edits a note at its end, at its top or in a section: append_to_file, prepend_to_file, \
                                 replace_section and append_to_section as one call.";
    const EFFECT: Effect = Effect::Writes;
    type Args = EditFileArgs;
    type Output = WriteAnswer;
    const STUB: &'static [&'static str] = &["path", "message", "operation", "kept"];

    fn answer_origins(output: &WriteAnswer) -> AnswerOrigins {
        output.file_origins()
    }

    async fn call(&self, ctx: &Ctx, args: EditFileArgs) -> Result<WriteAnswer> {
        let EditFileArgs { path, content, position, heading, mode, dry_run } = args;
        if !matches!(position, Position::Section) && (heading.is_some() || mode.is_some()) {
            return Err(Error::invalid("`heading` and `mode` go with `position` `section`").with_path(path));
        }
        match position {
            Position::Append => add_text(ctx, Self::NAME, &path, &content, dry_run, NoteEnd::Bottom),
            Position::Prepend => add_text(ctx, Self::NAME, &path, &content, dry_run, NoteEnd::Top),
            Position::Section => {
                let missing =
                    |name: &str| Error::invalid(format!("`position` is `section`, so `{name}` is needed"));
                let heading = heading.ok_or_else(|| missing("heading"))?;
                let mode = mode.ok_or_else(|| missing("mode").hint("`replace` or `append`"))?;
                edit_section(ctx, Self::NAME, &SectionArgs { path, heading, content, dry_run }, mode)
            }
        }
    }
}

fn edit_section(ctx: &Ctx, label: &str, args: &SectionArgs, mode: SectionMode) -> Result<WriteAnswer> {
    let path = ctx.vault.locate(&args.path)?;
    if args.content.is_empty() && matches!(mode, SectionMode::Append) {
        return Err(Error::invalid("`content` is empty: there is nothing to add").with_path(path.as_str()));
    }
    // An unclosed block in it would swallow the sections below.
    let content = close_open_blocks(&args.content);
    let outcome = ctx.vault.edit(ChangeOptions::new(label, args.dry_run), &path, |note| {
        Ok(vec![match mode {
            SectionMode::Replace => replace_section(&note.text, &args.heading, &content)?,
            SectionMode::Append => append_to_section(&note.text, &args.heading, &content)?,
        }])
    })?;
    let done = match mode {
        SectionMode::Replace => format!("replaced `{}` in `{path}`", args.heading.trim()),
        SectionMode::Append => format!("added to `{}` in `{path}`", args.heading.trim()),
    };
    Ok(WriteAnswer::from_outcome(path.as_str(), &done, outcome))
}
