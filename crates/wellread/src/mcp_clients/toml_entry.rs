//! One table of `mcp_servers` in TOML: found, added and removed without touching another byte.

use serde_json::Value;
use toml_edit::{DocumentMut, Item, TableLike};
use wellread_core::{Error, Result};

use super::ServerCommand;

const SERVERS: &str = "mcp_servers";

fn parse(text: &str) -> Result<DocumentMut> {
    let text = text.trim_start_matches('\u{feff}');
    text.parse().map_err(|error: toml_edit::TomlError| {
        Error::invalid(format!("it is not valid TOML: {}", error.message().trim().replace('\n', ", ")))
    })
}

/// The command of the entry of that name.
pub fn find(text: &str, name: &str) -> Result<Option<ServerCommand>> {
    let document = parse(text)?;
    let servers = document.get(SERVERS).and_then(Item::as_table_like);
    let Some(entry) = servers.and_then(|servers| servers.get(name)).and_then(Item::as_table_like) else {
        return Ok(None);
    };
    let args = entry.get("args").and_then(Item::as_array).into_iter().flatten();
    Ok(Some(ServerCommand {
        program: entry.get("command").and_then(Item::as_str).unwrap_or_default().to_owned(),
        args: args.filter_map(|arg| arg.as_str().map(str::to_owned)).collect(),
    }))
}

/// The text with the entry as its last table.
pub fn set(text: &str, name: &str, command: &ServerCommand) -> Result<String> {
    let mut text = if find(text, name)?.is_some() { remove(text, name)? } else { text.to_owned() };
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    if !text.is_empty() && !text.ends_with('\n') {
        text += newline;
    }
    if !text.is_empty() {
        text += newline;
    }
    // A string of JSON is one of TOML, too.
    let quoted = |word: &String| Value::from(word.as_str()).to_string();
    let args: Vec<String> = command.args.iter().map(quoted).collect();
    let lines = [
        format!("[{SERVERS}.{name}]"),
        format!("command = {}", quoted(&command.program)),
        format!("args = [{}]", args.join(", ")),
    ];
    text += &lines.map(|line| line + newline).concat();
    match find(&text, name) {
        Ok(Some(made)) if made == *command => Ok(text),
        _ => Err(Error::invalid(format!("its `{SERVERS}` are written in a way that can't be extended"))),
    }
}

/// The text without the entry, and without the empty line above it.
pub fn remove(text: &str, name: &str) -> Result<String> {
    let before = list_keys(&parse(text)?);
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
    let changed = kept.concat();
    let ours = format!("{SERVERS}.{name}");
    let expected: Vec<String> =
        before.into_iter().filter(|key| *key != ours && !key.starts_with(&format!("{ours}."))).collect();
    let left: Vec<String> = list_keys(&parse(&changed)?);
    // Without its last entry, the table of all entries may be gone, too.
    let is_same = |key: &&String| key.as_str() != SERVERS;
    if expected.iter().filter(is_same).ne(left.iter().filter(is_same)) {
        return Err(Error::invalid(format!(
            "its `{SERVERS}` are written in a way that can't be taken apart"
        )));
    }
    Ok(changed)
}

/// The path of every key, in order.
fn list_keys(document: &DocumentMut) -> Vec<String> {
    fn collect(table: &dyn TableLike, above: &str, keys: &mut Vec<String>) {
        for (name, item) in table.iter() {
            let path = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
            if let Some(below) = item.as_table_like() {
                collect(below, &path, keys);
            }
            keys.push(path);
        }
    }
    let mut keys = Vec::new();
    collect(document.as_table(), "", &mut keys);
    keys.sort();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> ServerCommand {
        let args = ["mcp", "--vault", "/home/me/My \"notes\"\\é"].map(str::to_owned);
        ServerCommand { program: "/usr/bin/wellread".to_owned(), args: args.to_vec() }
    }

    #[test]
    fn a_table_is_added_and_removed_without_another_byte() {
        for text in [
            "# mine\nmodel = \"o3\" # fast\n\n[mcp_servers.other]\ncommand = \"x\"\nenv = { A = \"[mcp]\" }\n",
            "model = \"o3\"\r\n\r\n[tui]\r\ntheme = \"dark\"\r\n",
            "",
        ] {
            let added = set(text, "wellread", &command()).unwrap();
            assert_eq!(find(&added, "wellread").unwrap(), Some(command()), "{added}");
            assert_eq!(set(&added, "wellread", &command()).unwrap(), added);
            assert_eq!(remove(&added, "wellread").unwrap(), text);
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
            assert!(set(text, "wellread", &command()).is_err(), "{text}");
        }
    }
}
