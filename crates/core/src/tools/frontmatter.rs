//! Edits of one frontmatter field, in one note or in many.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wellread_text::{FrontmatterChange, change_frontmatter};

use super::written::Written;
use super::{Ctx, Effect, Tool};
use crate::id::OperationId;
use crate::vault::How;
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
    /// The note, relative to the vault; the `.md` may be left out.
    path: String,
    /// The name of the field.
    field: String,
    /// The value. One that is JSON (`["a","b"]`, `3`, `true`) is taken as such, anything else as text.
    #[serde(default)]
    #[schemars(schema_with = "any_value")]
    value: Option<Value>,
    /// `set`, `remove`, or `append` to a list.
    #[serde(default)]
    operation: FieldOperation,
    /// Answer with the difference and change nothing.
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
    const ABOUT: &'static str = "Sets, removes or extends one field of a note's frontmatter. Every other line, comments \
                                 and order included, stays as it is.";
    const EFFECT: Effect = Effect::Writes;
    type Args = UpdateArgs;
    type Output = Written;

    async fn call(&self, ctx: &Ctx, args: UpdateArgs) -> Result<Written> {
        let change = change_for(args.operation, args.value)?;
        update(ctx, How::new(Self::NAME, args.dry_run), &args.path, &args.field, &change)
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
    /// The value. One that is JSON (`["a","b"]`, `3`, `true`) is taken as such, anything else as text.
    #[serde(default)]
    #[schemars(schema_with = "any_value")]
    value: Option<Value>,
    /// `set`, `remove`, or `append` to a list.
    #[serde(default)]
    operation: FieldOperation,
    /// Answer with the difference and change nothing.
    #[serde(default)]
    dry_run: bool,
}

/// What became of each file of a batch.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Batch {
    pub succeeded: Vec<Written>,
    pub failed: Vec<Failure>,
    pub total: usize,
    /// What `wellread undo` takes to take all of it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Failure {
    pub path: String,
    pub error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Batch {
    /// Does each in turn, and goes on after a failure. An error only where nothing succeeded at all.
    pub fn run<T>(
        label: &str,
        dry_run: bool,
        items: &[T],
        path: impl Fn(&T) -> &str,
        each: impl Fn(How<'_>, &T) -> Result<Written>,
    ) -> Result<Self> {
        if items.is_empty() {
            return Err(Error::invalid("the list is empty: there is nothing to do"));
        }
        let group = OperationId::fresh().to_string();
        let how = How { label, group: Some(&group), dry_run };
        let mut batch = Self { succeeded: Vec::new(), failed: Vec::new(), total: items.len(), group: None };
        for item in items {
            match each(how, item) {
                Ok(written) => batch.succeeded.push(written),
                Err(error) => batch.failed.push(Failure {
                    path: path(item).to_owned(),
                    error: error.message().to_owned(),
                    hint: error.hint_text().map(str::to_owned),
                }),
            }
        }
        if batch.succeeded.is_empty() {
            let failed = serde_json::to_value(&batch.failed).unwrap_or_default();
            return Err(Error::failed(format!("none of the {} succeeded", items.len())).with("failed", failed));
        }
        batch.group = batch.succeeded.iter().any(|written| written.operation.is_some()).then_some(group);
        Ok(batch)
    }
}

impl Tool for BatchUpdateFrontmatter {
    const NAME: &'static str = "batch_update_frontmatter";
    const ABOUT: &'static str = "Sets, removes or extends one frontmatter field in many notes. It goes on after a \
                                 failure, and says what succeeded and what failed.";
    const EFFECT: Effect = Effect::Writes;
    type Args = BatchUpdateArgs;
    type Output = Batch;

    async fn call(&self, ctx: &Ctx, args: BatchUpdateArgs) -> Result<Batch> {
        let change = change_for(args.operation, args.value)?;
        Batch::run(Self::NAME, args.dry_run, &args.paths, String::as_str, |how, path| {
            update(ctx, how, path, &args.field, &change)
        })
    }
}

fn update(ctx: &Ctx, how: How<'_>, path: &str, field: &str, change: &FrontmatterChange) -> Result<Written> {
    let path = ctx.vault.locate(path)?;
    let outcome = ctx.vault.edit(how, &path, |note| Ok(change_frontmatter(&note.text, field, change)?.into_iter().collect()))?;
    let done = match change {
        FrontmatterChange::Set(_) => format!("set `{field}` in `{path}`"),
        FrontmatterChange::Remove => format!("removed `{field}` from `{path}`"),
        FrontmatterChange::Append(_) => format!("added to `{field}` in `{path}`"),
    };
    Ok(Written::of(path.as_str(), &done, outcome))
}

fn change_for(operation: FieldOperation, value: Option<Value>) -> Result<FrontmatterChange> {
    let value = value.map(taken_as_json);
    let needed = || Error::invalid("this operation needs a `value`").hint("`remove` is the one that needs none");
    Ok(match operation {
        FieldOperation::Set => FrontmatterChange::Set(value.ok_or_else(needed)?),
        FieldOperation::Append => FrontmatterChange::Append(value.ok_or_else(needed)?),
        FieldOperation::Remove => FrontmatterChange::Remove,
    })
}

/// `["a"]`, `3` and `true` in a string mean what they look like.
fn taken_as_json(value: Value) -> Value {
    match value {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        other => other,
    }
}
