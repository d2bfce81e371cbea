//! The settings file: read with every key checked, changed without losing a comment.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::{fs, io};

use toml_edit::{Array, DocumentMut, Item, Table, TableLike};
use wellread_core::{Error, Kind, Result};

use super::{Key, Shape, Value};

/// The file's settings; none where there is no file, unless the user named it.
pub fn read(path: &Path, must_exist: bool) -> Result<Vec<(&'static Key, Value)>> {
    match fs::read_to_string(path) {
        Ok(text) => parse(&text, path),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !must_exist => Ok(Vec::new()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(Error::not_found(format!("there is no settings file `{}`", path.display()))
                .hint("`wellread config set` makes it, or name another"))
        }
        Err(error) => Err(unreadable(path, &error.to_string())),
    }
}

pub fn parse(text: &str, path: &Path) -> Result<Vec<(&'static Key, Value)>> {
    let text = text.trim_start_matches('\u{feff}');
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let line =
            error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        unreadable(path, &format!("line {line}: {}", error.message().trim().replace('\n', ", ")))
    })?;
    let mut values = Vec::new();
    collect(document.as_table(), "", path, &mut values)?;
    Ok(values)
}

fn collect(
    table: &dyn TableLike,
    above: &str,
    path: &Path,
    values: &mut Vec<(&'static Key, Value)>,
) -> Result<()> {
    for (name, item) in table.iter() {
        let full = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
        match item.as_table_like() {
            Some(below) => collect(below, &full, path, values)?,
            None => {
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
    let found = match key.shape {
        Shape::List => {
            let strings = |items: &Array| {
                items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<_>>()
            };
            item.as_array().and_then(strings).map(Value::List).ok_or_else(|| key.must_be("a list of strings"))
        }
        _ => item.as_str().ok_or_else(|| key.must_be("a string")).and_then(|text| key.parse(text)),
    };
    found.map_err(|error| Error::invalid(format!("{error}, in `{}`", path.display())))
}

/// Changes one setting and leaves every other line as it is.
pub fn set(path: &Path, key: &Key, new: &Value) -> Result<()> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(unreadable(path, &error.to_string())),
    };
    let changed = with(&text, key, new, path)?;
    // What is written must be read back, also where it was not readable before.
    parse(&changed, path)?;
    write(path, &changed)
        .map_err(|error| Error::new(Kind::Failed, format!("could not write `{}`: {error}", path.display())))
}

fn with(text: &str, key: &Key, new: &Value, path: &Path) -> Result<String> {
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        return parse(text, path).map(|_| String::new());
    };
    let Some((section, name)) = key.path.rsplit_once('.') else {
        return Err(Error::invalid(format!("`{}` can't be set", key.path)));
    };
    let table = document.entry(section).or_insert(Item::Table(Table::new()));
    let table =
        table.as_table_like_mut().ok_or_else(|| unreadable(path, &format!("`{section}` is no table")))?;
    let mut value = match new {
        Value::Text(text) => toml_edit::Value::from(text),
        Value::List(items) => toml_edit::Value::from(items.iter().collect::<Array>()),
    };
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(old) => {
            // A comment behind the value belongs to it.
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => {
            table.insert(name, Item::Value(value));
        }
    }
    Ok(document.to_string())
}

/// Whole or not at all, and for the user's eyes only: it may hold a key.
fn write(path: &Path, text: &str) -> io::Result<()> {
    // A link leads to the file that is meant: the user may keep settings elsewhere.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let beside = path.with_extension(format!("toml.{}", std::process::id()));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn unreadable(path: &Path, why: &str) -> Error {
    Error::invalid(format!("the settings file `{}` can't be read: {why}", path.display()))
}
