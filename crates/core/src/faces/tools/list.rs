//! Lists notes by folder, by frontmatter, and by date.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use wellread_text::fold;

use super::paged::{Paged, hundred};
use super::{AnswerOrigins, Ctx, Effect, Tool};
use crate::library::vault::parse_day;
use crate::{Error, Result};

#[derive(Debug)]
pub struct ListFilesByFrontmatter;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ByFrontmatterArgs {
    /// The name of the field.
    field: String,
    /// The value to look for.
    #[schemars(with = "String")]
    value: Value,
    /// `contains`: an item of a list or part of a string; `equals`: the whole value.
    #[serde(default)]
    match_type: MatchType,
    /// Maximum number of entries to return.
    #[serde(default = "hundred")]
    limit: usize,
    /// Number of entries to skip.
    #[serde(default)]
    offset: usize,
}

#[derive(Debug, Default, Clone, Copy, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchType {
    #[default]
    Contains,
    Equals,
}

impl Tool for ListFilesByFrontmatter {
    const NAME: &'static str = "list_files_by_frontmatter";
    const ABOUT: &'static str = "Lists notes whose frontmatter field has a value: as an item of a list or part of a \
                                 string (`contains`), or exactly (`equals`).";
    const EFFECT: Effect = Effect::Reads;
    type Args = ByFrontmatterArgs;
    type Output = Paged<String>;
    const STUB: &'static [&'static str] = &["total", "results"];

    fn answer_origins(output: &Paged<String>) -> AnswerOrigins {
        AnswerOrigins::Files(output.results.clone())
    }

    async fn call(&self, ctx: &Ctx, args: ByFrontmatterArgs) -> Result<Paged<String>> {
        if args.field.trim().is_empty() {
            return Err(Error::invalid("`field` is empty"));
        }
        let wanted = WantedValue::new(&args.value);
        let accepts = |value: &Value| wanted.matches(&restore_wiki_links(value), args.match_type);
        let found = ctx.vault.links.find_notes_by_field(&args.field, &accepts)?;
        Ok(Paged::new(found, args.limit, args.offset).map(|path| path.to_string()))
    }
}

/// The value that is looked for. It is compared with every value that the field has in any note.
struct WantedValue {
    text: String,
    folded: String,
}

impl WantedValue {
    fn new(value: &Value) -> Self {
        let text = value_text(value).into_owned();
        Self { folded: fold(&text), text }
    }

    fn matches(&self, value: &Value, how: MatchType) -> bool {
        match (value, how) {
            (Value::Array(items), MatchType::Contains) => {
                items.iter().any(|item| fold(&value_text(item)) == self.folded)
            }
            (Value::Object(_) | Value::Array(_), _) => {
                serde_json::from_str::<Value>(&self.text).is_ok_and(|wanted| wanted == *value)
            }
            (_, MatchType::Contains) => fold(&value_text(value)).contains(&self.folded),
            (_, MatchType::Equals) => value_text(value) == self.text,
        }
    }
}

/// YAML reads `[[Note]]` without quotes as a list in a list; the user meant a link.
fn restore_wiki_links(value: &Value) -> Cow<'_, Value> {
    let Value::Array(items) = value else { return Cow::Borrowed(value) };
    Cow::Owned(match items.as_slice() {
        [Value::Array(inner)] if inner.len() == 1 && !inner[0].is_array() => {
            Value::String(format!("[[{}]]", value_text(&inner[0])))
        }
        _ => items.iter().map(|item| restore_wiki_links(item).into_owned()).collect(),
    })
}

/// A value as a person would write it.
fn value_text(value: &Value) -> Cow<'_, str> {
    value.as_str().map_or_else(|| Cow::Owned(value.to_string()), Cow::Borrowed)
}

#[derive(Debug)]
pub struct SearchByFolder;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ByFolderArgs {
    /// The folder, relative to the vault; empty for the vault itself.
    folder: String,
    /// Whether to include subfolders.
    #[serde(default)]
    recursive: bool,
    /// Maximum number of entries to return.
    #[serde(default = "hundred")]
    limit: usize,
    /// Number of entries to skip.
    #[serde(default)]
    offset: usize,
}

impl Tool for SearchByFolder {
    const NAME: &'static str = "search_by_folder";
    const ABOUT: &'static str = "Lists the files in a folder, as sorted paths relative to the vault.";
    const EFFECT: Effect = Effect::Reads;
    type Args = ByFolderArgs;
    type Output = Paged<String>;
    const STUB: &'static [&'static str] = &["total", "results"];

    fn answer_origins(output: &Paged<String>) -> AnswerOrigins {
        AnswerOrigins::Files(output.results.clone())
    }

    async fn call(&self, ctx: &Ctx, args: ByFolderArgs) -> Result<Paged<String>> {
        let listing = ctx.vault.files.share_list()?;
        let folder = ctx.vault.find_folder(&args.folder, &listing)?;
        let files = listing.files.iter().filter(|entry| folder.contains(&entry.path, args.recursive));
        Ok(Paged::new(files.map(|entry| entry.path.to_string()).collect(), args.limit, args.offset))
    }
}

#[derive(Debug)]
pub struct SearchByDateRange;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ByDateArgs {
    /// The first date, YYYY-MM-DD.
    start_date: String,
    /// The last date, inclusive, YYYY-MM-DD.
    end_date: String,
    /// `created`: the date in the frontmatter, otherwise the file's creation date; `modified`: the last change.
    #[serde(default)]
    date_type: DateType,
    /// Maximum number of entries to return.
    #[serde(default = "hundred")]
    limit: usize,
    /// Number of entries to skip.
    #[serde(default)]
    offset: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DateType {
    Created,
    #[default]
    Modified,
}

impl Tool for SearchByDateRange {
    const NAME: &'static str = "search_by_date_range";
    const ABOUT: &'static str = "Lists notes that were created or modified between two dates, inclusive.";
    const EFFECT: Effect = Effect::Reads;
    type Args = ByDateArgs;
    type Output = Paged<String>;
    const STUB: &'static [&'static str] = &["total", "results"];

    fn answer_origins(output: &Paged<String>) -> AnswerOrigins {
        AnswerOrigins::Files(output.results.clone())
    }

    async fn call(&self, ctx: &Ctx, args: ByDateArgs) -> Result<Paged<String>> {
        let (start, end) = (parse_day(&args.start_date)?, parse_day(&args.end_date)?);
        let found = ctx.vault.notes_in_days(start, end, args.date_type == DateType::Created)?;
        Ok(Paged::new(found.iter().map(ToString::to_string).collect(), args.limit, args.offset))
    }
}
