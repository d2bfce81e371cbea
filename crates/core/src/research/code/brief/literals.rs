//! The lines that have a text which the question quotes, those first in which something happens with it, and the lines
//! with the values that it asks for.

use std::cmp::Reverse;

use serde_json::{Value, json};
use wellread_text::FileRole;

use super::CodeBrief;
use super::rendering::{plain_line, rows, text_field};
use crate::Result;
use crate::insight::keyless::{is_comment, is_test};
use crate::research::code::actions::{FIND_LITERAL, FIND_VALUE};

/// The words of a statement that ends in an error or a result, and the calls that make or report an error.
const STATEMENTS: [&str; 6] = ["raise", "throw", "throws", "return", "returns", "assert"];
const CALLS: [&str; 10] =
    ["Error(", "Exception(", "Errorf(", "Err(", "error(", "fail(", "reject(", "abort(", "panic(", "!("];
/// How many lines above and below a text may belong to the same statement, or use what it makes.
const ABOVE: usize = 2;
const BELOW: usize = 3;

impl CodeBrief<'_> {
    /// Collects the lines that have a text word for word. Returns whether there are any; `None` if it could not be searched.
    pub(super) async fn collect_literal(&mut self, text: &str) -> Result<Option<bool>> {
        let found = self.run_action(FIND_LITERAL, json!({ "text": text })).await?;
        if found["success"] != true {
            return Ok(None);
        }
        let mut lines = rows(&found, "results");
        let is_found = !lines.is_empty();
        lines.sort_by_cached_key(|row| rank(row, text));
        self.literals.append(&mut lines);
        Ok(Some(is_found))
    }

    /// Collects the lines that give one of these names a value. Returns whether there are any.
    pub(super) async fn collect_values(&mut self, names: &[String]) -> Result<bool> {
        let before = self.literals.len();
        for name in names {
            let found = self.run_action(FIND_VALUE, json!({ "name": name })).await?;
            let mut lines = rows(&found, "results");
            lines.sort_by_cached_key(|row| {
                let is_test = is_test(text_field(row, "path"), text_field(row, "symbol"));
                (is_test, is_comment(quoted_line(row).trim()))
            });
            self.literals.append(&mut lines);
        }
        Ok(self.literals.len() > before)
    }

    /// Collects the lines that have the messages of the question, and says which are nowhere. Returns those.
    pub(super) async fn collect_messages(&mut self, messages: &[String]) -> Result<Vec<String>> {
        let mut missing = Vec::new();
        for message in messages {
            let is_found = self.collect_literal(message).await?;
            if is_found == Some(false) {
                let plain = plain_line(message);
                self.findings.missing.push(format!("- The text `{plain}` is not in the searched files."));
            }
            if is_found != Some(true) {
                missing.push(message.clone());
            }
        }
        Ok(missing)
    }
}

/// The program before its tests, code before comments, and what raises, throws or returns the text before what declares it.
fn rank(row: &Value, literal: &str) -> (u8, bool, Reverse<bool>, Reverse<bool>) {
    let (path, symbol) = (text_field(row, "path"), text_field(row, "symbol"));
    let role = match FileRole::from_path(path) {
        FileRole::Prose => 3,
        _ if is_test(path, symbol) => 2,
        FileRole::Extra => 1,
        _ => 0,
    };
    let (lines, at, line) = (text_field(row, "text").lines(), line_index(row), quoted_line(row));
    // The words of the text itself say nothing about what the code does.
    let happens = |line: &str| is_event(&line.replace(literal, ""));
    let is_near = lines.skip(at.saturating_sub(ABOVE)).take(ABOVE.min(at) + 1 + BELOW).any(happens);
    (role, is_comment(line.trim()), Reverse(happens(line)), Reverse(is_near))
}

/// The index of a row's line among those around it.
fn line_index(row: &Value) -> usize {
    let number = |field: &str| row[field].as_u64().unwrap_or_default();
    usize::try_from(number("line").saturating_sub(number("start_line"))).unwrap_or_default()
}

fn quoted_line(row: &Value) -> &str {
    text_field(row, "text").lines().nth(line_index(row)).unwrap_or_default()
}

fn is_event(line: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    !is_comment(line.trim())
        && (line.split(|letter: char| !is_word(letter)).any(|word| STATEMENTS.contains(&word))
            || CALLS.iter().any(|call| line.contains(call)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_raises_a_text_comes_before_what_declares_it_and_tests_come_last() {
        let row = |path: &str, text: &str| json!({ "path": path, "line": 2, "start_line": 1, "text": text });
        let mut all = [
            row("tests/test_jar.py", "\nraise Heavy('too heavy')"),
            row("jar.py", "\n# raise 'too heavy'"),
            row("jar.d.ts", "type Reason = {\n  error: 'too heavy'"),
            row("jar.ts", "\nconst res = answer('too heavy')\nthrow res"),
            row("jar.go", "\nreturn errors.New(\"too heavy\")"),
        ];
        all.sort_by_cached_key(|row| rank(row, "too heavy"));
        let order: Vec<&str> = all.iter().map(|row| text_field(row, "path")).collect();
        assert_eq!(order, ["jar.go", "jar.ts", "jar.d.ts", "jar.py", "tests/test_jar.py"]);
    }
}
