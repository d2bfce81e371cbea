//! Finds the lines that give a name a value which can be read there: a number, a text, true or false.

use schemars::JsonSchema;
use serde::Deserialize;
use wellread_text::FileRole;

use super::literals::find_whole;
use super::{Inspection, Inspector, LiteralFindings};
use crate::{Error, Result};

/// A longer line is generated, and can't be shown.
const LONGEST_LINE: usize = 200;
/// What declares types alone, and sets nothing.
const TYPES_ALONE: &str = ".d.ts";
/// Values that stand for the lack of one.
const NONE: [&str; 5] = ["None", "null", "nil", "undefined", "NULL"];
const TRUTH: [&str; 4] = ["true", "false", "True", "False"];

/// The arguments of finding the values of a name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindValueArgs {
    /// The name of a setting, a parameter, a field or a constant.
    pub name: String,
}

impl Inspector<'_> {
    /// The lines of the program and its scripts that give a name a value; those that give it none come last.
    pub fn find_value(&self, args: &FindValueArgs) -> Result<Inspection<LiteralFindings>> {
        let name = args.name.rsplit(['.', ':']).next().unwrap_or_default();
        if name.trim().is_empty() {
            return Err(Error::invalid("the name is empty").hint("give the name of a setting"));
        }
        let (mut places, mut without) = (Vec::new(), Vec::new());
        for path in self.files_with_text(name)? {
            let role = FileRole::from_path(path.as_str());
            if matches!(role, FileRole::Test | FileRole::Prose) || path.as_str().ends_with(TYPES_ALONE) {
                continue;
            }
            let Ok(source) = self.codebase.read(&path) else { continue };
            for (at, line) in source.text.lines().enumerate() {
                match find_given_value(line, name) {
                    Some(GivenValue::Literal) => places.push((source.clone(), at + 1)),
                    Some(GivenValue::None) => without.push((source.clone(), at + 1)),
                    None => {}
                }
            }
        }
        places.append(&mut without);
        self.inspect_lines(places)
    }
}

/// The kind of value that a line gives a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GivenValue {
    Literal,
    None,
}

/// What a line gives a name: `port = 80`, `port: int = 80`, `"port": 80`, `port: { default: 80 }`.
fn find_given_value(line: &str, name: &str) -> Option<GivenValue> {
    if line.len() > LONGEST_LINE {
        return None;
    }
    find_whole(line, name).find_map(|at| {
        let rest = line[at + name.len()..].trim_start_matches(['"', '\'', '`', '?', '!']).trim_start();
        read_assigned(rest).or_else(|| {
            let (_, after) = rest.split_once("default")?;
            read_assigned(after.trim_start_matches(['"', '\'']).trim_start())
        })
    })
}

/// The value behind `=`, `:=` or `:`, or behind a type and `=`.
fn read_assigned(rest: &str) -> Option<GivenValue> {
    if let Some(value) = rest.strip_prefix(":=").or_else(|| rest.strip_prefix('=')) {
        return read_value(value);
    }
    let after = rest.strip_prefix(':').filter(|after| !after.starts_with(':'))?;
    read_value(after).or_else(|| {
        let (kind, value) = after.split_once('=')?;
        // A type has no other members beside it.
        let is_type = !kind.contains([',', ';', '{', '"', '\'']) && !kind.ends_with(['!', '<', '>']);
        is_type.then(|| read_value(value))?
    })
}

fn read_value(text: &str) -> Option<GivenValue> {
    let text = text.trim_start();
    let word: String = text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    if NONE.contains(&word.as_str()) {
        return Some(GivenValue::None);
    }
    let number = text.trim_start_matches(['-', '+', '.']);
    let is_literal = TRUTH.contains(&word.as_str())
        || number.starts_with(|letter: char| letter.is_ascii_digit())
        || text.starts_with(['"', '\'', '`'])
        || is_call_of_number(text);
    is_literal.then_some(GivenValue::Literal)
}

/// Whether a text begins with a call on a number alone: `Duration::from_secs(30)`.
fn is_call_of_number(text: &str) -> bool {
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':');
    let Some((name, rest)) = text.split_once('(') else { return false };
    let inner = rest.split(')').next().unwrap_or_default();
    !name.is_empty()
        && name.chars().all(is_name)
        && inner.starts_with(|letter: char| letter.is_ascii_digit())
        && !inner.contains(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_told_from_a_copy_and_a_declaration() {
        use GivenValue::{Literal, None as Nothing};
        for (line, given) in [
            ("    port: int = 80,", Some(Literal)),
            ("port = 80", Some(Literal)),
            ("const port: u16 = 80;", Some(Literal)),
            ("port := 80", Some(Literal)),
            ("  port: 8 * 10, // usual", Some(Literal)),
            ("\"port\": \"http\"", Some(Literal)),
            ("port: { type: 'integer', default: 80 },", Some(Literal)),
            ("let port = Port::new(80);", Some(Literal)),
            ("function open (port = 80) {", Some(Literal)),
            ("port: true", Some(Literal)),
            ("port: Option<u16> = None", Some(Nothing)),
            ("self.port = port", None),
            ("port: config.port,", None),
            ("port?: number;", None),
            ("if port == 80:", None),
            ("ports = 80", None),
            ("port: { type: 'integer', default: usual.port }", None),
            ("open(port, size=80)", None),
            ("port: int, size: int = 80", None),
            ("(port) => 80", None),
            ("Port::new(port)::size = 80", None),
        ] {
            assert_eq!(find_given_value(line, "port"), given, "{line}");
        }
    }
}
