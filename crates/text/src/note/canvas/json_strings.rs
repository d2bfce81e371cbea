//! Finds the strings of a JSON text with their places, which a JSON parser does not keep.
//!
//! A parser checks the text first, so the walk over its bytes need not: it only has to tell keys from values, and to
//! know in which object of which list a value is.

use serde_json::Value;

use crate::Span;
use crate::span::bom_len;

/// A string in an object of a top-level list, as in `{"nodes": [{"text": "…"}]}`.
#[derive(Debug)]
pub(super) struct JsonString {
    /// The keys that lead to it: of the list, and of the string itself.
    pub path: Vec<String>,
    /// The string without its escapes.
    pub text: String,
    /// What is written between the quotation marks.
    pub span: Span,
}

/// For each byte of a string without its escapes, where it is written in the file; and where the string ends.
pub(super) fn written_offsets(file: &str, span: &Span, text: &str) -> Vec<usize> {
    let written = &file[span.clone()];
    let mut offsets = Vec::with_capacity(text.len() + 1);
    let mut at = 0;
    for letter in text.chars() {
        offsets.resize(offsets.len() + letter.len_utf8(), span.start + at);
        at += written_len(&written[at..], letter);
    }
    offsets.push(span.end);
    offsets
}

/// The number of bytes in which a character is written at the start of this text.
fn written_len(written: &str, letter: char) -> usize {
    let len = match written.as_bytes() {
        [b'\\', b'u', ..] if letter.len_utf16() == 2 => 12,
        [b'\\', b'u', ..] => 6,
        [b'\\', ..] => 2,
        _ => letter.len_utf8(),
    };
    len.min(written.len())
}

/// The strings of a JSON text, in its order, or why it is not JSON.
pub(super) fn json_strings(text: &str) -> Result<Vec<JsonString>, String> {
    let start = bom_len(text);
    let parsed: Value =
        serde_json::from_str(&text[start..]).map_err(|error| format!("not a canvas: {error}"))?;
    if !parsed.is_object() {
        return Err("not a canvas: no JSON object".to_owned());
    }
    drop(parsed);
    let mut walk = Walk { containers: vec![], key_follows: false, found: vec![] };
    let bytes = text.as_bytes();
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => {
                let end = string_end(bytes, at);
                walk.string(text, at..end);
                at = end + 1;
            }
            byte => walk.step(byte),
        }
    }
    Ok(walk.found)
}

/// The position of the quotation mark that ends a string.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

struct Walk {
    /// The open objects and lists, outermost first; an object with its latest key.
    containers: Vec<Option<String>>,
    /// Whether the next string is a key.
    key_follows: bool,
    found: Vec<JsonString>,
}

impl Walk {
    fn step(&mut self, byte: u8) {
        match byte {
            b'{' => {
                self.containers.push(Some(String::new()));
                self.key_follows = true;
            }
            b'[' => {
                self.containers.push(None);
                self.key_follows = false;
            }
            b'}' | b']' => {
                self.containers.pop();
                self.key_follows = false;
            }
            b',' => self.key_follows = matches!(self.containers.last(), Some(Some(_))),
            _ => {}
        }
    }

    fn string(&mut self, text: &str, span: Span) {
        if self.key_follows {
            if let Some(Some(key)) = self.containers.last_mut() {
                *key = decode(text, &span);
            }
            self.key_follows = false;
            return;
        }
        if let [Some(list), None, Some(field)] = self.containers.as_slice() {
            let path = vec![list.clone(), field.clone()];
            self.found.push(JsonString { path, text: decode(text, &span), span });
        }
    }
}

/// The string without its escapes; empty for a string that is none, which a checked text does not have.
fn decode(text: &str, span: &Span) -> String {
    let quoted = text.get(span.start - 1..span.end + 1).unwrap_or_default();
    serde_json::from_str(quoted).unwrap_or_default()
}
