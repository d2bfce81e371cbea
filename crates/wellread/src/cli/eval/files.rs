//! The files of an evaluation: a suite, and results.

use std::path::Path;

use serde_json::{Map, Value};
use toml_edit::{DocumentMut, Item, Table, Value as Toml};
use wellread_core::research::evaluation::{EvaluationResult, Suite};
use wellread_core::{Error, Result};

/// Larger than any that a person writes, or a run leaves.
const LARGEST: u64 = 16 * 1024 * 1024;

pub fn read_suite(path: &Path) -> Result<Suite> {
    let text = read_text(path)?;
    let wrong = |why: String| {
        Error::invalid(format!("`{}` is not a suite: {why}", path.display()))
            .hint("see `wellread eval --help`")
    };
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        wrong(
            error
                .to_string()
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .collect::<Vec<_>>()
                .join(" "),
        )
    })?;
    let suite: Suite = serde_json::from_value(table_to_json(document.as_table()))
        .map_err(|error| wrong(error.to_string()))?;
    suite.check().map_err(|error| {
        let rejected = wrong(error.message().to_owned());
        error.hint_text().map_or(rejected.clone(), |hint| rejected.hint(hint))
    })?;
    Ok(suite)
}

pub fn read_results(path: &Path) -> Result<EvaluationResult> {
    serde_json::from_str(&read_text(path)?).map_err(|error| {
        Error::invalid(format!("`{}` contains no evaluation results: {error}", path.display()))
            .hint("`wellread eval SUITE.toml --out FILE` writes them")
    })
}

pub fn write_results(path: &Path, evaluated: &EvaluationResult) -> Result<()> {
    let failed = |why: String| Error::failed(format!("could not write `{}`: {why}", path.display()));
    let text = serde_json::to_string_pretty(evaluated).map_err(|error| failed(error.to_string()))?;
    std::fs::write(path, text + "\n").map_err(|error| failed(error.to_string()))
}

fn read_text(path: &Path) -> Result<String> {
    let shown = path.display();
    let about = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::not_found(format!("there is no file `{shown}`")),
        _ => Error::failed(format!("could not inspect `{shown}`: {error}")),
    })?;
    if !about.is_file() {
        return Err(Error::invalid(format!("`{shown}` is not a file")));
    }
    if about.len() > LARGEST {
        return Err(Error::invalid(format!("`{shown}` is larger than {} MiB", LARGEST >> 20)));
    }
    std::fs::read_to_string(path).map_err(|error| Error::invalid(format!("`{shown}` can't be read: {error}")))
}

fn table_to_json(table: &Table) -> Value {
    Value::Object(table.iter().map(|(name, item)| (name.to_owned(), item_to_json(item))).collect())
}

fn item_to_json(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => value_to_json(value),
        Item::Table(table) => table_to_json(table),
        Item::ArrayOfTables(tables) => Value::Array(tables.iter().map(table_to_json).collect()),
    }
}

fn value_to_json(value: &Toml) -> Value {
    match value {
        Toml::String(text) => Value::from(text.value().as_str()),
        Toml::Integer(number) => Value::from(*number.value()),
        Toml::Float(number) => Value::from(*number.value()),
        Toml::Boolean(is) => Value::from(*is.value()),
        Toml::Datetime(moment) => Value::from(moment.value().to_string()),
        Toml::Array(items) => Value::Array(items.iter().map(value_to_json).collect()),
        Toml::InlineTable(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.to_owned(), value_to_json(value)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_may_be_written_with_tables_or_inline() {
        let one = "name = \"s\"\nrepository = \"x\"\n[[question]]\nid = \"a\"\nask = \"b\"\nbudget = 3\nexpect = { files = [\"a.py\"] }\n";
        let other = "name = \"s\"\nrepository = \"x\"\n[[question]]\nid = \"a\"\nask = \"b\"\nbudget = 3\n[question.expect]\nfiles = [\"a.py\"]\n";
        let read = |text: &str| {
            let document: DocumentMut = text.parse().unwrap();
            serde_json::from_value::<Suite>(table_to_json(document.as_table())).unwrap()
        };
        assert_eq!(read(one), read(other));
        assert_eq!(read(one).questions[0].expect.files, ["a.py"]);
    }
}
