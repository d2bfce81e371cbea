//! The block at the top of a note as other programs read it: below blank lines, closed by `...`, in TOML, or never closed.
//!
//! Read only to learn what a note says of itself. It is no frontmatter that anything shows, searches or edits.

use serde_json::{Map, Value};
use toml_edit::{Document, Item, TableLike};

use super::{Frontmatter, MAX_BYTES, yaml};
use crate::span::line_end;
use crate::{BOM, Span};

/// The tables of TOML in which site generators have fields of their own.
const FIELD_TABLES: [&str; 2] = ["taxonomies", "extra"];

/// How a kind of block is written.
struct BlockKind {
    opens: &'static str,
    closes: &'static [&'static str],
    /// What stands between a field's name and its value.
    separator: char,
    parse: fn(&str) -> Result<Map<String, Value>, String>,
}

const KINDS: [BlockKind; 2] = [
    BlockKind {
        opens: "---",
        closes: &["---", "..."],
        separator: ':',
        parse: |text| yaml::parse(text).map(|fields| fields.map),
    },
    BlockKind { opens: "+++", closes: &["+++"], separator: '=', parse: parse_toml },
];

impl Frontmatter {
    /// Parses a block at the top that is no frontmatter by [`Frontmatter::parse`], and might be for another program. `None`
    /// if there is none, or nothing in it looks like a field. The fields of a block that is not closed are an error.
    pub fn parse_foreign(text: &str) -> Option<Frontmatter> {
        let start = text.len()
            - text.trim_start_matches(|letter: char| letter == BOM || letter.is_whitespace()).len();
        let first = line_end(text, start);
        let kind = KINDS.iter().find(|kind| text[start..first].trim_end() == kind.opens)?;
        let (inner, end) = match find_end(text, first, kind.closes) {
            Some(closing) => (first..closing.start, closing.end),
            None => (first..text.len(), text.len()),
        };
        let yaml_or_toml = &text[inner.clone()];
        let fields = if inner.end == end {
            Err("the frontmatter is not closed".to_owned())
        } else if inner.len() > MAX_BYTES {
            Err("the frontmatter is too large".to_owned())
        } else {
            (kind.parse)(yaml_or_toml)
        };
        let is_block = fields.is_ok() || has_field(yaml_or_toml, kind.separator);
        is_block.then_some(Frontmatter { span: start..end, inner, fields })
    }
}

/// The first line that closes a block.
fn find_end(text: &str, mut at: usize, closes: &[&str]) -> Option<Span> {
    while at < text.len() {
        let end = line_end(text, at);
        if closes.contains(&text[at..end].trim_end()) {
            return Some(at..end);
        }
        at = end;
    }
    None
}

/// Whether a line of the first paragraph looks like a field: prose between two rules has none.
fn has_field(text: &str, separator: char) -> bool {
    let is_blank = |line: &&str| line.trim().is_empty();
    let mut paragraph = text.lines().skip_while(is_blank).take_while(|line| !is_blank(line));
    let is_name = |name: &str| {
        !name.trim().is_empty()
            && name.chars().all(|letter| letter.is_alphanumeric() || " \t_-.'\"<".contains(letter))
    };
    paragraph.any(|line| line.split_once(separator).is_some_and(|(name, _)| is_name(name)))
}

fn parse_toml(text: &str) -> Result<Map<String, Value>, String> {
    let document = Document::parse(text).map_err(|error| error.message().to_owned())?;
    let mut fields = Map::new();
    add_fields(document.as_table(), &mut fields);
    Ok(fields)
}

/// Adds the fields of a table. Where a name is used twice, each has an entry.
fn add_fields(table: &dyn TableLike, fields: &mut Map<String, Value>) {
    for (name, item) in table.iter() {
        match item.as_table_like().filter(|_| FIELD_TABLES.contains(&name)) {
            Some(table) => add_fields(table, fields),
            None => add_field(name, item, fields),
        }
    }
}

fn add_field(name: &str, item: &Item, fields: &mut Map<String, Value>) {
    // White space around a name does not count.
    let mut name = name.to_owned();
    while fields.contains_key(&name) {
        name.push(' ');
    }
    fields.insert(name, to_json(item));
}

fn to_json(item: &Item) -> Value {
    if let Some(array) = item.as_array() {
        return array.iter().map(|value| to_json(&Item::Value(value.clone()))).collect();
    }
    if let Some(table) = item.as_table_like() {
        return table
            .iter()
            .map(|(name, item)| (name.to_owned(), to_json(item)))
            .collect::<Map<_, _>>()
            .into();
    }
    match (item.as_bool(), item.as_integer(), item.as_str()) {
        (Some(truth), _, _) => truth.into(),
        (_, Some(number), _) => number.into(),
        (_, _, Some(text)) => text.into(),
        _ => item.to_string().trim().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Option<Result<Value, ()>> {
        let front = Frontmatter::parse_foreign(text)?;
        Some(front.fields.map(Value::Object).map_err(drop))
    }

    #[test]
    fn a_block_is_read_as_other_programs_do() {
        let field = || Some(Ok(serde_json::json!({"private": true})));
        for text in [
            "---\nprivate: true\n...\nx\n",
            "\n\n---\nprivate: true\n---\nx\n",
            "\u{feff}\u{feff}---\r\nprivate: true\r\n---\r\n",
            "+++\nprivate = true\n+++\nx\n",
            " \n+++ \n[extra]\nprivate = true\n+++\n",
        ] {
            assert_eq!(fields(text), field(), "{text:?}");
        }
        let tags = "+++\ntags = ['a']\nprice = 1.5\n[taxonomies]\ntags = [\"b\"]\n+++\n";
        assert_eq!(
            fields(tags),
            Some(Ok(serde_json::json!({"tags": ["a"], "price": "1.5", "tags ": ["b"]})))
        );
    }

    #[test]
    fn what_looks_like_a_block_and_is_none_is_an_error() {
        for text in [
            "---\nprivate: true\n",
            "---\n\ntitle: x\n\nx\n",
            "\n---\na: [\n---\n",
            "+++\na = \n+++\n",
            "+++\na = 1\n",
        ] {
            assert_eq!(fields(text), Some(Err(())), "{text:?}");
        }
    }

    #[test]
    fn prose_and_rules_are_no_block() {
        for text in [
            "",
            "x\n",
            "---\n",
            "---\n\n# Bees\n\nname: x\n",
            "\n---\nA rule.\n---\n",
            "- --\na: b\n",
            "+++\nx\n",
        ] {
            assert_eq!(fields(text), None, "{text:?}");
        }
    }
}
