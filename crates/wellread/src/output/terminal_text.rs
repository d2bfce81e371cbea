//! Text that a terminal can be given, whoever wrote it: nothing in it moves the cursor, changes a color, sets a title or turns
//! the order of words around.
//!
//! Notes, code, pages and models' words are shown on terminals, and names of files are in messages. All of it becomes this type
//! before it is written; the only escape sequences are our own, added here.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::Value;
use wellread_core::domain::display::{acts_on_terminal, reveal_controls};

/// A text that does nothing to a terminal but appear there.
#[derive(Debug)]
pub struct TerminalText<'a>(Cow<'a, str>);

impl<'a> TerminalText<'a> {
    /// Any text; what a terminal would act on is written out: `⟨U+001B⟩`.
    pub fn new(text: &'a str) -> Self {
        Self(reveal_controls(text))
    }

    /// What [`StyledText`](super::StyledText) rendered: its words were made harmless one by one, and its escapes are ours.
    pub fn from_rendered(text: String) -> Self {
        Self(text.into())
    }

    /// JSON. What a terminal would act on is escaped as JSON escapes it, so that a program reads the same value.
    pub fn from_json(value: &Value, indented: bool) -> Self {
        let json = if indented { format!("{value:#}") } else { value.to_string() };
        // Outside of strings JSON has only line ends, and within strings those are escaped already.
        if !json.chars().any(acts_on_terminal) {
            return Self(json.into());
        }
        let mut safe = String::with_capacity(json.len());
        for letter in json.chars() {
            if acts_on_terminal(letter) {
                safe += &format!("\\u{:04x}", u32::from(letter));
            } else {
                safe.push(letter);
            }
        }
        Self(safe.into())
    }

    /// A line that takes the place of the current one, cut to so many characters; an empty one erases it.
    pub fn status_line(text: &str, longest: usize) -> Self {
        let line: String = text.chars().filter(|letter| !acts_on_terminal(*letter)).take(longest).collect();
        Self(format!("\r\x1b[K{}", line.replace(['\n', '\t'], " ")).into())
    }

    /// How an error begins.
    pub fn error_label(color: bool) -> Self {
        Self(if color { "\x1b[1;31merror\x1b[0m: " } else { "error: " }.into())
    }

    /// Writes it.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(self.0.as_bytes())
    }

    pub fn ends_line(&self) -> bool {
        self.0.ends_with('\n')
    }
}

/// The log on standard error: each piece is written as [`TerminalText`].
#[derive(Debug, Clone, Copy)]
pub struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        TerminalText::new(&String::from_utf8_lossy(bytes)).write_to(&mut io::stderr().lock())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const HOSTILE: &str = "a\x1b]0;owned\x07b\x1b[2J\u{9b}31m\rc\u{202e}d\x7f\x08";

    #[test]
    fn hostile_text_only_appears() {
        let text = TerminalText::new(HOSTILE);
        assert_eq!(
            text.0,
            "a⟨U+001B⟩]0;owned⟨U+0007⟩b⟨U+001B⟩[2J⟨U+009B⟩31m⟨U+000D⟩c⟨U+202E⟩d⟨U+007F⟩⟨U+0008⟩"
        );
    }

    #[test]
    fn json_keeps_its_value() {
        let value = json!({ HOSTILE: [HOSTILE, "ü\n\t"] });
        for indented in [false, true] {
            let text = TerminalText::from_json(&value, indented).0;
            assert!(!text.chars().any(acts_on_terminal), "{text:?}");
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
    }

    #[test]
    fn a_status_line_is_one_line_and_its_only_escapes_are_ours() {
        let line = TerminalText::status_line(&format!("{HOSTILE}\nmore\t"), 200).0;
        let rest = line.strip_prefix("\r\x1b[K").unwrap();
        assert!(!rest.chars().any(acts_on_terminal) && !rest.contains('\n'), "{rest:?}");
    }
}
