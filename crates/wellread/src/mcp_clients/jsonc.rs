//! One member of an object in JSON with comments: found, added, replaced and removed without touching another byte.

use std::ops::Range;

use serde::Serialize as _;
use serde_json::Value;
use wellread_core::{Error, Result};

/// Where the member is: the name of an object at the top, and the member's own name in it.
#[derive(Debug, Clone, Copy)]
pub struct MemberPath<'a> {
    pub object: &'a str,
    pub name: &'a str,
}

/// The text's value, without comments and trailing commas.
pub fn parse(text: &str) -> Result<Value> {
    let plain = strip_comments(text);
    if plain.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    let value: Value = serde_json::from_str(&plain)
        .map_err(|error| Error::invalid(format!("it is not valid JSON: {error}")))?;
    if value.is_object() { Ok(value) } else { Err(Error::invalid("it is not a JSON object")) }
}

/// The text with the member set to a value.
pub fn set(text: &str, path: MemberPath<'_>, value: &Value) -> Result<String> {
    parse(text)?;
    let style = Style::detect(text);
    let Some(root) = Object::scan(text, 0) else {
        let whole = serde_json::json!({ path.object: { path.name: value } });
        let between = if text.is_empty() || text.ends_with('\n') { "" } else { style.newline };
        return Ok(format!("{text}{between}{}{}", style.render(&whole, 0), style.newline));
    };
    let Some(parent) = root.find(path.object) else {
        let parent = serde_json::json!({ path.name: value });
        return Ok(root.insert_first(text, path.object, &parent, &style, 1));
    };
    let object = Object::scan(text, parent.value.start).filter(|object| object.open == parent.value.start);
    let Some(object) = object else {
        return Err(Error::invalid(format!("`{}` in it is not an object", path.object)));
    };
    Ok(match object.find(path.name) {
        Some(member) => {
            let mut changed = text.to_owned();
            changed.replace_range(member.value.clone(), &style.render(value, 2));
            changed
        }
        None => object.insert_first(text, path.name, value, &style, 2),
    })
}

/// The text without the member; the same text if there is none.
pub fn remove(text: &str, path: MemberPath<'_>) -> Result<String> {
    parse(text)?;
    let object = Object::scan(text, 0).and_then(|root| {
        let parent = root.find(path.object)?.value.start;
        Object::scan(text, parent).filter(|object| object.open == parent)
    });
    Ok(object.map_or_else(|| text.to_owned(), |object| object.remove(text, path.name)))
}

/// How a text is laid out.
struct Style {
    indent: String,
    newline: &'static str,
}

impl Style {
    fn detect(text: &str) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let first =
            Object::scan(text, 0).and_then(|root| root.members.first().map(|member| member.key.start));
        let before = first.map_or("", |start| &text[..start]);
        let indent = before.rsplit_once('\n').map_or("", |(_, indent)| indent);
        let is_plain = !indent.is_empty() && indent.chars().all(|c| c == ' ' || c == '\t');
        Self { indent: if is_plain { indent.to_owned() } else { "  ".to_owned() }, newline }
    }

    /// A value whose first line stands at this depth.
    fn render(&self, value: &Value, depth: usize) -> String {
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(self.indent.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        // A value of strings, lists and objects can always be written.
        let _ = value.serialize(&mut serializer);
        String::from_utf8_lossy(&bytes).replace('\n', &self.line_start(depth))
    }

    fn line_start(&self, depth: usize) -> String {
        self.newline.to_owned() + &self.indent.repeat(depth)
    }
}

/// An object of a text, by the places of its parts.
struct Object {
    open: usize,
    close: usize,
    members: Vec<Member>,
}

struct Member {
    name: String,
    key: Range<usize>,
    value: Range<usize>,
}

impl Object {
    /// The object that begins at or after a place, behind space and comments only.
    fn scan(text: &str, start: usize) -> Option<Self> {
        let mut scanner = Scanner { text, at: start };
        scanner.skip_trivia();
        scanner.object()
    }

    fn find(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// The text with a new first member, on a line of its own.
    fn insert_first(&self, text: &str, name: &str, value: &Value, style: &Style, depth: usize) -> String {
        let after = &text[self.open + 1..self.close];
        // A comment beside the brace stays there.
        let line = after.split_once('\n').map(|(line, _)| line.trim_end_matches('\r'));
        let place = line.filter(|line| strip_comments(line).trim().is_empty()).map_or(0, str::len);
        let rest = &after[place..];
        let mut new =
            style.line_start(depth) + &format!("{}: {}", Value::from(name), style.render(value, depth));
        if !self.members.is_empty() {
            new.push(',');
        } else if !rest.contains('\n') {
            new += &style.line_start(depth - 1);
        }
        let at = self.open + 1 + place;
        format!("{}{new}{}", &text[..at], &text[at..])
    }

    fn remove(&self, text: &str, name: &str) -> String {
        let Some(at) = self.members.iter().position(|member| member.name == name) else {
            return text.to_owned();
        };
        let member = &self.members[at];
        let before = text[..member.key.start].trim_end_matches([' ', '\t']);
        let before = before.strip_suffix('\n').map_or(before, |line| line.strip_suffix('\r').unwrap_or(line));
        let own = before.len()..member.value.end;
        let comma = find_comma(text, member.value.end)
            .or_else(|| at.checked_sub(1).and_then(|last| find_comma(text, self.members[last].value.end)));
        let mut cuts: Vec<Range<usize>> =
            comma.map(|comma| comma..comma + 1).into_iter().chain([own]).collect();
        cuts.sort_by_key(|cut| cut.start);
        let mut changed = text.to_owned();
        for cut in cuts.into_iter().rev() {
            changed.replace_range(cut, "");
        }
        changed
    }
}

/// The comma behind a place, behind space and comments only.
fn find_comma(text: &str, start: usize) -> Option<usize> {
    let mut scanner = Scanner { text, at: start };
    scanner.skip_trivia();
    (scanner.peek() == Some(b',')).then_some(scanner.at)
}

/// Reads a text that is known to be JSON but for its comments and trailing commas.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    fn skip_trivia(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let length = match rest.chars().next() {
                Some(c) if c.is_whitespace() || c == '\u{feff}' => c.len_utf8(),
                Some('/') => comment_length(rest),
                _ => 0,
            };
            if length == 0 {
                return;
            }
            self.at += length;
        }
    }

    fn object(&mut self) -> Option<Object> {
        let open = self.at;
        self.take(b'{')?;
        let mut members = Vec::new();
        loop {
            self.skip_trivia();
            if self.take(b'}').is_some() {
                return Some(Object { open, close: self.at - 1, members });
            }
            let key = self.string()?;
            let name = serde_json::from_str(&self.text[key.clone()]).ok()?;
            self.skip_trivia();
            self.take(b':')?;
            self.skip_trivia();
            let value = self.value()?;
            members.push(Member { name, key, value });
            self.skip_trivia();
            let _ = self.take(b',');
        }
    }

    fn value(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        match self.peek()? {
            b'{' => self.object().map(|_| ())?,
            b'"' => self.string().map(|_| ())?,
            b'[' => {
                self.at += 1;
                loop {
                    self.skip_trivia();
                    if self.take(b']').is_some() {
                        break;
                    }
                    self.value()?;
                    self.skip_trivia();
                    let _ = self.take(b',');
                }
            }
            _ => {
                let rest = &self.text[start..];
                let end = rest.find(|c: char| c.is_whitespace() || ",]}/".contains(c)).unwrap_or(rest.len());
                self.at += end;
            }
        }
        (self.at > start).then_some(start..self.at)
    }

    fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        self.at += string_length(&self.text[start..])?;
        Some(start..self.at)
    }
}

/// The bytes of the string that a text begins with, quotes included.
fn string_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    let inside = text.strip_prefix('"')?;
    let end = inside.find(|c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some(end + 2)
}

/// The bytes of the comment that a text begins with; 0 if it begins with none. The end of a line is not part of it.
fn comment_length(text: &str) -> usize {
    if text.starts_with("//") {
        return text.find(['\n', '\r']).unwrap_or(text.len());
    }
    match text.strip_prefix("/*") {
        Some(inside) => inside.find("*/").map_or(text.len(), |end| end + 4),
        None => 0,
    }
}

/// JSON without comments and without commas before a closing bracket.
fn strip_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => string_length(rest).unwrap_or(rest.len()),
            '/' if comment_length(rest) > 0 => {
                plain.push(' ');
                rest = &rest[comment_length(rest)..];
                continue;
            }
            '}' | ']' => {
                let kept = plain.trim_end().len();
                if plain[..kept].ends_with(',') {
                    plain.truncate(kept - 1);
                }
                1
            }
            other => other.len_utf8(),
        };
        plain += &rest[..length];
        rest = &rest[length..];
    }
    plain
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PATH: MemberPath<'static> = MemberPath { object: "servers", name: "wellread" };

    fn value() -> Value {
        json!({ "command": "/bin/wellread", "args": ["mcp"] })
    }

    #[test]
    fn a_member_is_added_replaced_and_removed_without_another_byte() {
        for text in [
            "{\n  // mine\n  \"servers\": { // all\n    \"other\": { \"command\": \"x\" }, // a comment, with {\n  },\n}\n",
            "{\"servers\":{\"other\":{\"args\":[\"}\",\"//\",\"\\\"\"]}}}",
            "{\r\n\t\"a\": [1, 2, /* three */ 3,],\r\n\t\"servers\": {\r\n\t\t\"other\": 1\r\n\t}\r\n}\r\n",
            "\u{feff}{ \"servers\": { \"other\": 1, /* last */ } }",
        ] {
            let added = set(text, PATH, &value()).unwrap();
            let parsed = parse(&added).unwrap();
            assert_eq!(parsed["servers"]["wellread"], value(), "{added}");
            let mut others = parsed.clone();
            others["servers"].as_object_mut().unwrap().remove("wellread");
            assert_eq!(others, parse(text).unwrap(), "{added}");
            let replaced = set(&added, PATH, &json!("other")).unwrap();
            assert_eq!(set(&replaced, PATH, &value()).unwrap(), added);
            assert_eq!(remove(&added, PATH).unwrap(), text);
        }
    }

    #[test]
    fn a_member_is_removed_wherever_it_stands() {
        for (text, left) in [
            ("{\"servers\": {\"a\": 1, \"wellread\": {}}}", "{\"servers\": {\"a\": 1}}"),
            ("{\"servers\": {\"a\": 1,\n\"wellread\": {} // ours\n}}", "{\"servers\": {\"a\": 1 // ours\n}}"),
            ("{\"servers\": {\"wellread\": 1}}", "{\"servers\": {}}"),
            (
                "{\"servers\": {\"a\": 1,\n \"wellread\": [],\n \"b\": 2,\n}}",
                "{\"servers\": {\"a\": 1,\n \"b\": 2,\n}}",
            ),
            ("{\"servers\": [\"wellread\"]}", "{\"servers\": [\"wellread\"]}"),
        ] {
            assert_eq!(remove(text, PATH).unwrap(), left);
        }
    }

    #[test]
    fn what_is_missing_is_made_and_what_is_broken_is_left_alone() {
        for text in ["", " \n", "{}", "{\n}\n", "{ // nothing yet\n}", "{\"a\": 1}", "// only a comment\n"] {
            let made = set(text, PATH, &value()).unwrap();
            assert_eq!(parse(&made).unwrap()["servers"]["wellread"], value(), "{made}");
        }
        for broken in
            ["{", "[1]", "{\"servers\": }", "{\"servers\": {\"a\": 1}", "{'a': 1}", "{\"servers\": 3}"]
        {
            assert!(set(broken, PATH, &value()).is_err(), "{broken}");
        }
    }
}
