//! The settings file: read with every key checked, changed without losing a comment.

use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::{fs, io};

use toml_edit::{Array, DocumentMut, Item, Table, TableLike};
use wellread_core::{Error, ErrorKind, Result};

use super::key::all_settings;
use super::value::A_DECIMAL;
use super::{Config, SettingKey, SettingShape, SettingValue, code, repos, vaults};
use crate::wiring::system::create_private_file;

/// The file's settings; none where there is no file, unless the user named it.
pub fn read(path: &Path, must_exist: bool) -> Result<Vec<(&'static SettingKey, SettingValue)>> {
    match fs::read_to_string(path) {
        Ok(text) => parse(&text, path),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !must_exist => Ok(Vec::new()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(Error::not_found(format!("there is no settings file `{}`", path.display()))
                .hint("`wellread config set` creates it, or name another"))
        }
        Err(error) => Err(unreadable(path, &error.to_string())),
    }
}

pub fn parse(text: &str, path: &Path) -> Result<Vec<(&'static SettingKey, SettingValue)>> {
    let mut values = Vec::new();
    collect_settings(parse_document(text, path)?.as_table(), "", path, &mut values)?;
    Ok(values)
}

fn parse_document(text: &str, path: &Path) -> Result<DocumentMut> {
    let text = text.trim_start_matches('\u{feff}');
    text.parse().map_err(|error: toml_edit::TomlError| {
        let line =
            error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        unreadable(path, &format!("line {line}: {}", error.message().trim().replace('\n', ", ")))
    })
}

fn collect_settings(
    table: &dyn TableLike,
    above: &str,
    path: &Path,
    values: &mut Vec<(&'static SettingKey, SettingValue)>,
) -> Result<()> {
    for (name, item) in table.iter() {
        let full = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
        // A table that is one setting, and not settings of their own.
        let is_whole = |key: &SettingKey| matches!(key.shape, SettingShape::Commands | SettingShape::Vaults);
        let whole = all_settings().iter().any(|key| key.path == full && is_whole(key));
        match item.as_table_like().filter(|_| !whole) {
            Some(below) => collect_settings(below, &full, path, values)?,
            None => {
                let key = SettingKey::find(&full).map_err(|error| {
                    let hint = error.hint_text().unwrap_or_default().to_owned();
                    Error::invalid(format!("{} in `{}`", error.message(), path.display())).hint(hint)
                })?;
                values.push((key, read_value(key, item, path)?));
            }
        }
    }
    Ok(())
}

fn read_value(key: &SettingKey, item: &Item, path: &Path) -> Result<SettingValue> {
    parse_item(key, item).map_err(|error| {
        let named = Error::invalid(format!("{error}, in `{}`", path.display()));
        match error.hint_text() {
            Some(hint) => named.hint(hint),
            None => named,
        }
    })
}

/// A value as it stands in the file.
pub(super) fn parse_item(key: &SettingKey, item: &Item) -> Result<SettingValue> {
    match key.shape {
        SettingShape::List => {
            let strings = |items: &Array| {
                items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<_>>()
            };
            item.as_array()
                .and_then(strings)
                .map(SettingValue::List)
                .ok_or_else(|| key.must_be("a list of strings"))
        }
        SettingShape::Choices(words) => {
            let strings =
                item.as_array().and_then(|items| items.iter().map(toml_edit::Value::as_str).collect());
            let strings: Result<Vec<&str>> = strings.ok_or_else(|| key.must_be("a list of strings"));
            strings.and_then(|strings| key.parse_choices(strings.into_iter(), words))
        }
        SettingShape::Number(most) => {
            let number = item.as_integer().and_then(|number| u64::try_from(number).ok());
            let number = number.filter(|number| *number <= most);
            number.map(SettingValue::Number).ok_or_else(|| key.must_be_number(most))
        }
        SettingShape::Repos => repos::from_item(item).map(SettingValue::Repos),
        SettingShape::Vaults => vaults::from_item(item).map(SettingValue::Vaults),
        SettingShape::Commands => match (item.as_table_like(), item.as_str()) {
            (Some(table), _) => code::from_table(table).map(SettingValue::Commands),
            (None, Some(written)) => key.parse(written),
            (None, None) => Err(key.must_be("a table of languages with commands")),
        },
        // As text or as a number, whichever comes to mind.
        SettingShape::Decimal => {
            let number = item.as_float().map(|number| number.to_string());
            let written = number.or_else(|| item.as_integer().map(|number| number.to_string()));
            let written = written.or_else(|| item.as_str().map(str::to_owned));
            written.ok_or_else(|| key.must_be(A_DECIMAL)).and_then(|text| key.parse(&text))
        }
        SettingShape::Switch if item.as_bool().is_some() => {
            key.parse(if item.as_bool() == Some(true) { "on" } else { "off" })
        }
        SettingShape::Schedule if item.as_bool().is_some() => {
            key.parse(if item.as_bool() == Some(true) { "on" } else { "off" })
        }
        SettingShape::Text
        | SettingShape::Folder
        | SettingShape::Level
        | SettingShape::OneOf(_)
        | SettingShape::Switch
        | SettingShape::Schedule
        | SettingShape::Secret => {
            item.as_str().ok_or_else(|| key.must_be("a string")).and_then(|text| key.parse(text))
        }
    }
}

/// The settings of the file alone; none where there is no file.
pub fn read_file(path: &Path) -> Result<Vec<(&'static SettingKey, SettingValue)>> {
    read(path, false)
}

/// Changes one setting and leaves every other line as it is.
pub fn set(path: &Path, key: &SettingKey, new: &SettingValue) -> Result<()> {
    change(path, |document| put_value(document, key, new, path))
}

/// Changes several settings at once: all of them or none.
pub fn set_all(path: &Path, new: &[(&SettingKey, SettingValue)]) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    change(path, |document| new.iter().try_for_each(|(key, value)| put_value(document, key, value, path)))
}

/// Removes a setting, so that its default counts again. No where the file does not have it.
pub fn unset(path: &Path, key: &SettingKey) -> Result<bool> {
    if matches!(key.shape, SettingShape::Repos | SettingShape::Vaults) {
        return Err(not_settable(key));
    }
    if !path.exists() {
        return Ok(false);
    }
    change(path, |document| Ok(remove_value(document.as_table_mut(), &key.path)))
}

/// Removes the value at a dotted path, and the table that it leaves empty, unless a comment stands above that.
fn remove_value(table: &mut dyn TableLike, path: &str) -> bool {
    let Some((section, rest)) = path.split_once('.') else { return table.remove(path).is_some() };
    let Some(below) = table.get_mut(section).and_then(Item::as_table_like_mut) else { return false };
    let is_removed = remove_value(below, rest);
    let has_comment = |item: &Item| {
        let prefix = item.as_table().and_then(|table| table.decor().prefix()?.as_str());
        prefix.is_some_and(|prefix| prefix.contains('#'))
    };
    let is_bare = below.is_empty() && table.get(section).is_some_and(|item| !has_comment(item));
    if is_removed && is_bare {
        table.remove(section);
    }
    is_removed
}

/// Replaces the whole file by a text that can be read.
pub fn replace_text(path: &Path, text: &str) -> Result<()> {
    Config::check_file(parse(text, path)?, path)?;
    write(path, text).map_err(|error| Error::failed(format!("could not write `{}`: {error}", path.display())))
}

/// Changes the file by a change of its document, which keeps comments and order.
pub fn change<T>(path: &Path, act: impl FnOnce(&mut DocumentMut) -> Result<T>) -> Result<T> {
    // Requests change it at the same time: each has to see what the one before wrote.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(unreadable(path, &error.to_string())),
    };
    let mut document = parse_document(&text, path)?;
    let done = act(&mut document)?;
    let changed = document.to_string();
    // What is written must be read back, also where it was not readable before.
    let is_sound = |text: &str| Config::check_file(parse(text, path)?, path);
    parse(&changed, path)?;
    if let Err(error) = is_sound(&changed)
        && is_sound(&text).is_ok()
    {
        return Err(error);
    }
    if changed != text {
        write(path, &changed).map_err(|error| {
            Error::new(ErrorKind::Failed, format!("could not write `{}`: {error}", path.display()))
        })?;
    }
    Ok(done)
}

fn put_value(document: &mut DocumentMut, key: &SettingKey, new: &SettingValue, path: &Path) -> Result<()> {
    let mut value = match new {
        SettingValue::Text(text) => toml_edit::Value::from(text),
        SettingValue::List(items) => toml_edit::Value::from(items.iter().collect::<Array>()),
        SettingValue::Number(number) => toml_edit::Value::from(i64::try_from(*number).unwrap_or(i64::MAX)),
        SettingValue::Secret(written) => toml_edit::Value::from(written.as_written()),
        SettingValue::Repos(_) | SettingValue::Vaults(_) => return Err(not_settable(key)),
        SettingValue::Commands(commands) => toml_edit::Value::from(commands.to_table()),
    };
    let (section, name) = key.path.rsplit_once('.').ok_or_else(|| not_settable(key))?;
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for part in section.split('.') {
        let below = table.entry(part).or_insert(Item::Table(Table::new()));
        let wrong = || unreadable(path, &format!("`{section}` is not a table"));
        table = below.as_table_like_mut().ok_or_else(wrong)?;
    }
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
    Ok(())
}

pub fn not_settable(key: &SettingKey) -> Error {
    Error::invalid(format!("`{}` is a list of tables, which `config set` does not change", key.path)).hint(
        match key.shape {
            SettingShape::Vaults => "use `wellread vault add NAME DIR` and `wellread vault remove NAME`",
            _ => "use `wellread repo add DIR` and `wellread repo remove NAME`",
        },
    )
}

/// Whole or not at all, and for the user's eyes only: it may hold a key.
fn write(path: &Path, text: &str) -> io::Result<()> {
    // A link leads to the file that is meant: the user may keep settings elsewhere.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let beside = path.with_extension(format!("toml.{}", std::process::id()));
    let mut file = create_private_file(&beside)?;
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
