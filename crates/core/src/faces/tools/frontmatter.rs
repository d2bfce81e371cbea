//! Edits of one frontmatter field, in one note or in many.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wellread_text::{FrontmatterChange, change_frontmatter};

use super::batch::BatchAnswer;
use super::write_answer::{AboutFiles, WriteAnswer};
use super::{AnswerOrigins, Ctx, Effect, Tool};
use crate::library::vault::{ChangeOptions, Vault};
use crate::{Error, Result};

#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldOperation {
    #[default]
    Set,
    Remove,
    Append,
}

#[derive(Debug)]
pub struct UpdateFrontmatter;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateArgs {
    /// The note, relative to the vault; the `.md` is optional.
    path: String,
    /// The name of the field.
    field: String,
    /// The value. JSON (`["a","b"]`, `3`, `true`) is parsed; anything else is text.
    #[serde(default)]
    #[schemars(schema_with = "any_value")]
    value: Option<Value>,
    /// `set`, `remove`, or `append` to a list.
    #[serde(default)]
    operation: FieldOperation,
    /// Return the diff and change nothing.
    #[serde(default)]
    dry_run: bool,
}

fn any_value(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "anyOf": [
            { "type": "string" },
            { "type": "number" },
            { "type": "boolean" },
            { "type": "array", "items": { "type": "string" } }
        ]
    })
}

impl Tool for UpdateFrontmatter {
    const NAME: &'static str = "update_frontmatter";
    const ABOUT: &'static str = "Sets, removes or extends one field of a note's frontmatter. All other lines, \
                                 including comments and order, stay unchanged.";
    const EFFECT: Effect = Effect::Writes;
    type Args = UpdateArgs;
    type Output = WriteAnswer;
    const STUB: &'static [&'static str] = &["path", "message", "operation", "kept"];

    fn answer_origins(output: &WriteAnswer) -> AnswerOrigins {
        output.file_origins()
    }

    async fn call(&self, ctx: &Ctx, args: UpdateArgs) -> Result<WriteAnswer> {
        let change = build_change(args.operation, args.value)?;
        update(&ctx.vault, ChangeOptions::new(Self::NAME, args.dry_run), &args.path, &args.field, &change)
    }
}

#[derive(Debug)]
pub struct BatchUpdateFrontmatter;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchUpdateArgs {
    /// The notes, relative to the vault.
    paths: Vec<String>,
    /// The name of the field.
    field: String,
    /// The value. JSON (`["a","b"]`, `3`, `true`) is parsed; anything else is text.
    #[serde(default)]
    #[schemars(schema_with = "any_value")]
    value: Option<Value>,
    /// `set`, `remove`, or `append` to a list.
    #[serde(default)]
    operation: FieldOperation,
    /// Return the diff and change nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for BatchUpdateFrontmatter {
    const NAME: &'static str = "batch_update_frontmatter";
    const ABOUT: &'static str = "Sets, removes or extends one frontmatter field in many notes. Continues after a \
                                 failure, and reports what succeeded and what failed.";
    const EFFECT: Effect = Effect::Writes;
    type Args = BatchUpdateArgs;
    type Output = BatchAnswer<WriteAnswer>;
    const STUB: &'static [&'static str] =
        &["total", "succeeded.path", "failed.path", "failed.error", "group"];

    fn answer_origins(output: &BatchAnswer<WriteAnswer>) -> AnswerOrigins {
        output.file_origins()
    }

    async fn call(&self, ctx: &Ctx, args: BatchUpdateArgs) -> Result<BatchAnswer<WriteAnswer>> {
        let change = build_change(args.operation, args.value)?;
        let how = ChangeOptions::new(Self::NAME, args.dry_run);
        BatchAnswer::run(&ctx.vault, how, &args.paths, String::as_str, |vault, how, path| {
            update(vault, how, path, &args.field, &change)
        })
    }
}

fn update(
    vault: &Vault,
    how: ChangeOptions<'_>,
    path: &str,
    field: &str,
    change: &FrontmatterChange,
) -> Result<WriteAnswer> {
    let path = vault.locate(path)?;
    let outcome = vault
        .edit(how, &path, |note| Ok(change_frontmatter(&note.text, field, change)?.into_iter().collect()))?;
    let done = match change {
        FrontmatterChange::Set(_) => format!("set `{field}` in `{path}`"),
        FrontmatterChange::Remove => format!("removed `{field}` from `{path}`"),
        FrontmatterChange::Append(_) | FrontmatterChange::Exchange { .. } => {
            format!("added to `{field}` in `{path}`")
        }
    };
    Ok(WriteAnswer::from_outcome(path.as_str(), &done, outcome))
}

fn build_change(operation: FieldOperation, value: Option<Value>) -> Result<FrontmatterChange> {
    let value = value.map(parse_loose_json);
    let needed = || Error::invalid("this operation needs a `value`").hint("only `remove` needs none");
    if operation == FieldOperation::Remove
        && value.as_ref().is_some_and(|value| *value != Value::String(String::new()))
    {
        return Err(Error::invalid("`remove` removes the whole field and takes no `value`")
            .hint("to drop one entry of a list, `set` the list that should remain"));
    }
    Ok(match operation {
        FieldOperation::Set => FrontmatterChange::Set(value.ok_or_else(needed)?),
        FieldOperation::Append => FrontmatterChange::Append(value.ok_or_else(needed)?),
        FieldOperation::Remove => FrontmatterChange::Remove,
    })
}

/// Parses `["a"]`, `3` and `true` in a string as JSON. A number that would not be written back the same, such as the
/// version `3.10` or a long id, stays text.
fn parse_loose_json(value: Value) -> Value {
    let Value::String(text) = value else { return value };
    match serde_json::from_str(&text) {
        Ok(Value::Number(number)) if number.to_string() != text.trim() => Value::String(text),
        Ok(json) => json,
        Err(_) => Value::String(text),
    }
}
