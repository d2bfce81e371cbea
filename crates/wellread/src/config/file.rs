//! The settings file: read with every key checked, changed without losing a comment.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::{fs, io};

use toml_edit::{Array, DocumentMut, Item, Table};
use wellread_core::{Error, Kind, Result};

use super::{Key, Shape, Value};

/// The file's settings; none where there is no file, unless the user named it.
pub fn read(path: &Path, must_exist: bool) -> Result<Vec<(&'static Key, Value)>> {
    match fs::read_to_string(path) {
        Ok(text) => parse(&text, path),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !must_exist => Ok(Vec::new()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(Error::not_found(format!("there is no settings file `{}`", path.display())))
        }
        Err(error) => Err(unreadable(path, &error.to_string())),
    }
}

pub fn parse(text: &str, path: &Path) -> Result<Vec<(&'static Key, Value)>> {
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        unreadable(path, error.to_string().trim().replace('\n', "\n  ").as_str())
    })?;
    let mut values = Vec::new();
    collect(document.as_table(), "", path, &mut values)?;
    Ok(values)
}

fn collect(table: &Table, above: &str, path: &Path, values: &mut Vec<(&'static Key, Value)>) -> Result<()> {
    for (name, item) in table {
        let full = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
        match item {
            Item::Table(below) => collect(below, &full, path, values)?,
            _ => {
                let key = Key::named(&full).map_err(|error| {
                    let hint = error.hint_text().unwrap_or_default().to_owned();
                    Error::invalid(format!("{} in `{}`", error.message(), path.display())).hint(hint)
                })?;
                values.push((key, value(key, item, path)?));
            }
        }
    }
    Ok(())
}

fn value(key: &Key, item: &Item, path: &Path) -> Result<Value> {
    let wrong = |wanted: &str| {
        Error::invalid(format!("the setting `{}` in `{}` must be {wanted}", key.path, path.display()))
    };
    match key.shape {
        Shape::Text => item.as_str().map(|text| Value::Text(text.to_owned())).ok_or_else(|| wrong("a string")),
        Shape::List => {
            let items = item.as_array().ok_or_else(|| wrong("a list of strings"))?;
            let items = items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
            items.map(Value::List).ok_or_else(|| wrong("a list of strings"))
        }
    }
}

/// Changes one setting and leaves every other line as it is.
pub fn set(path: &Path, key: &Key, new: &Value) -> Result<()> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(unreadable(path, &error.to_string())),
    };
    parse(&text, path)?;
    let mut document: DocumentMut = text.parse().map_err(|_| unreadable(path, "no TOML"))?;
    let Some((section, name)) = key.path.rsplit_once('.') else {
        return Err(Error::invalid(format!("`{}` can't be set", key.path)));
    };
    let table = document.entry(section).or_insert(Item::Table(Table::new()));
    let table = table.as_table_mut().ok_or_else(|| unreadable(path, &format!("`{section}` is no table")))?;
    table[name] = match new {
        Value::Text(text) => toml_edit::value(text),
        Value::List(items) => toml_edit::value(items.iter().collect::<Array>()),
    };
    write(path, &document.to_string()).map_err(|error| {
        Error::new(Kind::Failed, format!("could not write `{}`: {error}", path.display()))
    })
}

/// Whole or not at all, and for the user's eyes only: it may hold a key.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let beside = path.with_extension(format!("toml.{}", std::process::id()));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn unreadable(path: &Path, why: &str) -> Error {
    Error::invalid(format!("the settings file `{}` can't be read: {why}", path.display()))
}
