//! One table of `mcp_servers` in TOML: found, added and removed without touching another byte.

use serde_json::{Map, Value, json};
use toml_edit::{Document, Item, TableLike, Value as TomlValue};
use wellread_core::{Error, Result};

use super::member::{MemberPath, unsafe_layout};

const SERVERS: &str = "mcp_servers";

fn parse(text: &str) -> Result<Document<&str>> {
    Document::parse(text.trim_start_matches('\u{feff}')).map_err(|error: toml_edit::TomlError| {
        Error::invalid(format!("it is not valid TOML: {}", error.message().trim().replace('\n', ", ")))
    })
}

/// The text's value.
fn parse_value(text: &str) -> Result<Value> {
    Ok(without_empty(render_table(parse(text)?.as_table())))
}

/// Without its last entry, the table of all entries may be gone, too: an empty one counts as none.
fn without_empty(mut whole: Value) -> Value {
    let is_empty = whole.get(SERVERS).and_then(Value::as_object).is_some_and(Map::is_empty);
    if let Some(top) = whole.as_object_mut().filter(|_| is_empty) {
        top.remove(SERVERS);
    }
    whole
}

fn render_table(table: &dyn TableLike) -> Value {
    table.iter().map(|(name, item)| (name.to_owned(), render_item(item))).collect()
}

fn render_item(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => render_value(value),
        Item::Table(table) => render_table(table),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| render_table(table)).collect(),
    }
}

/// A value in terms of JSON; what JSON does not have is told apart by a name.
fn render_value(value: &TomlValue) -> Value {
    match value {
        TomlValue::String(text) => Value::from(text.value().as_str()),
        TomlValue::Integer(number) => Value::from(*number.value()),
        TomlValue::Float(number) => json!({ "float": number.value().to_string() }),
        TomlValue::Boolean(is_set) => Value::from(*is_set.value()),
        TomlValue::Datetime(time) => json!({ "time": time.value().to_string() }),
        TomlValue::Array(items) => items.iter().map(render_value).collect(),
        TomlValue::InlineTable(table) => render_table(table),
    }
}

/// A changed text, if it says exactly what it should.
fn check(changed: String, expected: &Value) -> Result<String> {
    let is_right = parse_value(&changed).is_ok_and(|made| made == *expected);
    if is_right { Ok(changed) } else { Err(unsafe_layout()) }
}

/// The entry of that name.
pub fn find(text: &str, name: &str) -> Result<Option<Value>> {
    let path = MemberPath { object: SERVERS, name };
    Ok(path.find(&parse_value(text)?).cloned())
}

/// The text with the entry's command and arguments: in their places, or in a new last table.
pub fn set(text: &str, name: &str, entry: &Value) -> Result<String> {
    let path = MemberPath { object: SERVERS, name };
    let whole = parse_value(text)?;
    let is_there = path.find(&whole).is_some();
    let expected = path.set(whole, entry)?;
    let changed = if is_there { replace_command(text, name, entry)? } else { append(text, name, entry) };
    check(changed, &expected)
}

/// A string or a list of strings, which JSON and TOML write in the same way.
fn render_plain(value: &Value) -> String {
    match value.as_array() {
        Some(items) => format!("[{}]", items.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")),
        None => value.to_string(),
    }
}

/// The entry on one line, for people.
pub fn render_line(name: &str, entry: &Value) -> String {
    let (command, args) = (render_plain(&entry["command"]), render_plain(&entry["args"]));
    format!("{name} = {{ command = {command}, args = {args} }}")
}

fn append(text: &str, name: &str, entry: &Value) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = text.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text += newline;
    }
    if !text.is_empty() {
        text += newline;
    }
    let lines = [
        format!("[{SERVERS}.{name}]"),
        format!("command = {}", render_plain(&entry["command"])),
        format!("args = {}", render_plain(&entry["args"])),
    ];
    text + &lines.map(|line| line + newline).concat()
}

/// The text with other values for the command and the arguments of an entry that it has.
fn replace_command(text: &str, name: &str, entry: &Value) -> Result<String> {
    let document = parse(text)?;
    let found = document.as_table().get(SERVERS).and_then(|servers| servers.get(name));
    let found = found.ok_or_else(unsafe_layout)?;
    let span = |key: &str| found.get(key).and_then(Item::span);
    let command = span("command").ok_or_else(unsafe_layout)?;
    let args = render_plain(&entry["args"]);
    let between = match found {
        Item::Value(_) => ", ",
        _ if text.contains("\r\n") => "\r\n",
        _ => "\n",
    };
    let mut cuts = vec![(command.clone(), render_plain(&entry["command"]))];
    match span("args") {
        Some(known) => cuts.push((known, args)),
        None => cuts.push((command.end..command.end, format!("{between}args = {args}"))),
    }
    cuts.sort_by_key(|(place, _)| place.start);
    let mut changed = document.raw().to_owned();
    for (place, new) in cuts.into_iter().rev() {
        changed.replace_range(place, &new);
    }
    let mark = &text[..text.len() - document.raw().len()];
    Ok(format!("{mark}{changed}"))
}

/// The text without the entry, and without the empty line above it.
pub fn remove(text: &str, name: &str) -> Result<String> {
    let path = MemberPath { object: SERVERS, name };
    let expected = path.remove(parse_value(text)?);
    let is_ours = |line: &str| {
        let header = line.trim().trim_start_matches('[').replace(['"', '\'', ' '], "");
        [format!("{SERVERS}.{name}]"), format!("{SERVERS}.{name}.")].iter().any(|own| header.starts_with(own))
            && line.trim_start().starts_with('[')
    };
    let mut kept: Vec<&str> = Vec::new();
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if !is_ours(line) {
            kept.push(line);
            continue;
        }
        if kept.last().is_some_and(|last| last.trim().is_empty()) {
            kept.pop();
        }
        // Up to the next table; what is said above that one stays.
        let mut rest: Vec<&str> = Vec::new();
        while let Some(next) = lines.next_if(|next| !next.starts_with('[')) {
            let is_said = next.trim().is_empty() || next.trim_start().starts_with('#');
            if is_said { rest.push(next) } else { rest.clear() }
        }
        kept.extend(rest);
    }
    check(kept.concat(), &without_empty(expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Value {
        json!({ "command": "/usr/bin/wellread", "args": ["mcp", "--vault", "/home/me/My \"notes\"\\é"] })
    }

    #[test]
    fn a_table_is_added_and_removed_without_another_byte() {
        for text in [
            "# mine\nmodel = \"o3\" # fast\n\n[mcp_servers.other]\ncommand = \"x\"\nenv = { A = \"[mcp]\" }\n",
            "model = \"o3\"\r\n\r\n[tui]\r\ntheme = \"dark\"\r\nat = 1979-05-27\r\nodd = nan\r\n",
            "",
        ] {
            let added = set(text, "wellread", &entry()).unwrap();
            assert_eq!(find(&added, "wellread").unwrap(), Some(entry()), "{added}");
            assert_eq!(set(&added, "wellread", &entry()).unwrap(), added);
            assert_eq!(remove(&added, "wellread").unwrap(), text);
        }
    }

    #[test]
    fn an_entry_gets_another_command_in_its_place() {
        for (text, expected) in [
            (
                "\u{feff}[mcp_servers.wellread]\nargs = [\n  \"x\",\n] # mine\ncommand = 'old' # slow\nenv = { A = \"1\" }\n\n[tui]\n",
                "\u{feff}[mcp_servers.wellread]\nargs = [\"mcp\"] # mine\ncommand = \"new\" # slow\nenv = { A = \"1\" }\n\n[tui]\n",
            ),
            (
                "[mcp_servers]\r\nwellread = { command = \"old\", startup_timeout_sec = 1.5 }\r\n",
                "[mcp_servers]\r\nwellread = { command = \"new\", args = [\"mcp\"], startup_timeout_sec = 1.5 }\r\n",
            ),
            (
                "[mcp_servers.wellread]\r\ncommand = \"old\"\r\n",
                "[mcp_servers.wellread]\r\ncommand = \"new\"\r\nargs = [\"mcp\"]\r\n",
            ),
        ] {
            let mut entry = find(text, "wellread").unwrap().unwrap();
            entry["command"] = json!("new");
            entry["args"] = json!(["mcp"]);
            assert_eq!(set(text, "wellread", &entry).unwrap(), expected);
        }
    }

    #[test]
    fn a_table_in_the_middle_goes_with_its_own_tables_and_nothing_else() {
        let text = "a = 1\n\n[mcp_servers.wellread]\ncommand = \"w\"\nargs = [\n  \"mcp\",\n]\n\n[mcp_servers.wellread.env]\nA = \"1\"\n\n# the other\n[mcp_servers.other]\ncommand = \"o\"\n";
        let left = remove(text, "wellread").unwrap();
        assert_eq!(left, "a = 1\n\n# the other\n[mcp_servers.other]\ncommand = \"o\"\n");
    }

    #[test]
    fn what_can_not_be_changed_is_refused() {
        for text in ["mcp_servers = { other = { command = \"x\" } }\n", "mcp_servers = 3\n", "not toml"] {
            assert!(set(text, "wellread", &entry()).is_err(), "{text}");
        }
        for text in [
            "[mcp_servers]\nwellread = { command = \"x\" }\n",
            "a = \"\"\"\n[mcp_servers.wellread]\n\"\"\"\n\n[mcp_servers.wellread]\ncommand = \"x\"\n",
            "[mcp_servers.wellread]\ncommand = \"x\"\n  [mcp_servers.other]\n  command = \"y\"\n",
        ] {
            assert!(remove(text, "wellread").is_err(), "{text}");
        }
    }
}
