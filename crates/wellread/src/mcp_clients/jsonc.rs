//! One member of an object in JSON with comments: found, added, replaced and removed without touching another byte.

use std::ops::Range;

use serde::Serialize as _;
use serde_json::Value;
use wellread_core::{Error, Result};

use super::member::{MemberPath, unsafe_layout};

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
    let expected = path.set(parse(text)?, value)?;
    check(write_member(text, path, value), &expected)
}

/// The text without the member; the same text if there is none.
pub fn remove(text: &str, path: MemberPath<'_>) -> Result<String> {
    let whole = parse(text)?;
    if path.find(&whole).is_none() {
        return Ok(text.to_owned());
    }
    let changed = find_parent(text, path).map(|object| object.remove(text, path.name));
    check(changed, &path.remove(whole))
}

/// A changed text, if it says exactly what it should.
fn check(changed: Option<String>, expected: &Value) -> Result<String> {
    changed.filter(|changed| parse(changed).is_ok_and(|made| made == *expected)).ok_or_else(unsafe_layout)
}

/// The text with the member; `None` where no place for it is found.
fn write_member(text: &str, path: MemberPath<'_>, value: &Value) -> Option<String> {
    let style = Style::detect(text);
    let Some(root) = Object::scan(text, 0) else {
        let whole = serde_json::json!({ path.object: { path.name: value } });
        let between = if text.is_empty() || text.ends_with('\n') { "" } else { style.newline };
        let is_blank = strip_comments(text).trim().is_empty();
        return is_blank.then(|| format!("{text}{between}{}{}", style.render(&whole, 0), style.newline));
    };
    if root.find(path.object).is_none() {
        let parent = serde_json::json!({ path.name: value });
        return Some(root.insert_first(text, path.object, &parent, &style, 1));
    }
    let object = find_parent(text, path)?;
    Some(match object.find(path.name) {
        Some(member) => {
            let mut changed = text.to_owned();
            changed.replace_range(member.value.clone(), &style.render(value, 2));
            changed
        }
        None => object.insert_first(text, path.name, value, &style, 2),
    })
}

/// The object that the member is in.
fn find_parent(text: &str, path: MemberPath<'_>) -> Option<Object> {
    let parent = Object::scan(text, 0)?.find(path.object)?.value.start;
    Object::scan(text, parent).filter(|object| object.open == parent)
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
        // A value can always be written to memory.
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

    /// The member of that name; the last of several, as parsers have it.
    fn find(&self, name: &str) -> Option<&Member> {
        self.members.iter().rfind(|member| member.name == name)
    }

    /// The text with a new first member, on a line of its own.
    fn insert_first(&self, text: &str, name: &str, value: &Value, style: &Style, depth: usize) -> String {
        let after = &text[self.open + 1..self.close];
        // A comment beside the brace stays there, unless it goes on in the next line.
        let line = after.split_once('\n').map(|(line, _)| line.trim_end_matches('\r'));
        let is_whole = |line: &&str| strip_comments(&format!("{line}\n0")).trim() == "0";
        let place = line.filter(is_whole).map_or(0, str::len);
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
        let Some(at) = self.members.iter().rposition(|member| member.name == name) else {
            return text.to_owned();
        };
        let member = &self.members[at];
        let above = at.checked_sub(1).map(|above| self.members[above].value.end);
        let own = member.find_start(text, above.unwrap_or(self.open + 1))..member.value.end;
        let comma =
            find_comma(text, member.value.end).or_else(|| above.and_then(|above| find_comma(text, above)));
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

impl Member {
    /// Where the member's own bytes start. The end of the line above is one of them, unless it is still needed: it ends a comment
    /// there, and no other end of a line follows the member.
    fn find_start(&self, text: &str, above: usize) -> usize {
        let before = text[..self.key.start].trim_end_matches([' ', '\t']);
        let Some(line) = before.strip_suffix('\n') else { return before.len() };
        let line = line.strip_suffix('\r').unwrap_or(line);
        let is_comment = !strip_comments(&format!("{}0", &text[above..line.len()])).ends_with('0');
        let after = text[self.value.end..].trim_start_matches([' ', '\t']);
        let after = after.strip_prefix(',').unwrap_or(after).trim_start_matches([' ', '\t']);
        let is_needed = is_comment && !after.starts_with(['\n', '\r']);
        if is_needed { before.len() } else { line.len() }
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
