//! Parses answers into places of the repository, or text. If something is left out, the answer says so.

use serde_json::Value;
use wellread_core::domain::untrusted::Untrusted;
use wellread_core::ports::{ServerAnswer, ServerQuestionKind};

use super::places::{MOST, PlaceReader, RawPlaces};
use super::wire;

/// The longest hover text in characters.
const LONGEST_HOVER: usize = 8000;
/// The largest hover message in bytes.
const LARGEST_HOVER: usize = 1024 * 1024;

/// Parses an answer; `None` if it does not have the shape of the question.
pub fn parse_answer(
    what: ServerQuestionKind,
    message: &[u8],
    reader: &mut PlaceReader<'_>,
) -> Option<ServerAnswer> {
    if what == ServerQuestionKind::Hover {
        return parse_hover(message);
    }
    let written: RawPlaces = wire::result(message)?;
    let (places, left_out) = reader.places(&written);
    let mut answer = ServerAnswer { places, ..ServerAnswer::default() };
    if written.count > MOST {
        answer =
            mark_partial(answer, &format!("only the first {MOST} of {} places were read", written.count));
    }
    match left_out {
        0 => Some(answer),
        1 => Some(mark_partial(answer, "a place that is not among the repository's files is left out")),
        many => Some(mark_partial(
            answer,
            &format!("{many} places that are not among the repository's files are left out"),
        )),
    }
}

fn parse_hover(message: &[u8]) -> Option<ServerAnswer> {
    let result: Value =
        Some(message).filter(|message| message.len() <= LARGEST_HOVER).and_then(wire::result)?;
    if result.is_null() {
        return Some(ServerAnswer::default());
    }
    let words = hover_text(result.get("contents")?)?;
    let cut = words.char_indices().nth(LONGEST_HOVER).map(|(at, _)| at);
    let shown = words[..cut.unwrap_or(words.len())].trim();
    let hover = (!shown.is_empty()).then(|| Untrusted::from_outside(shown));
    let answer = ServerAnswer { hover, ..ServerAnswer::default() };
    Some(if cut.is_some() { mark_partial(answer, "what the language server shows was cut") } else { answer })
}

/// The text of a hover: a string, an object with a value, or a list of these.
fn hover_text(contents: &Value) -> Option<String> {
    match contents {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text.clone()),
        Value::Object(text) => text.get("value")?.as_str().map(str::to_owned),
        Value::Array(texts) => {
            let texts = texts.iter().map(|text| if text.is_array() { None } else { hover_text(text) });
            Some(texts.collect::<Option<Vec<_>>>()?.join("\n\n"))
        }
        _ => None,
    }
}

/// Adds a reason why the answer may be incomplete.
pub fn mark_partial(mut answer: ServerAnswer, why: &str) -> ServerAnswer {
    answer.partial = Some(answer.partial.map_or_else(|| why.to_owned(), |before| format!("{before}; {why}")));
    answer
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(contents: &Value) -> Option<(String, bool)> {
        let answer = parse_hover(json!({"id": 1, "result": {"contents": contents}}).to_string().as_bytes())?;
        Some((
            answer.hover.map(|hover| hover.expose().to_owned()).unwrap_or_default(),
            answer.partial.is_some(),
        ))
    }

    #[test]
    fn what_is_shown_is_read_in_each_of_its_forms() {
        for (contents, expected) in [
            (json!("plain"), "plain"),
            (json!({"kind": "markdown", "value": " **x** \n"}), "**x**"),
            (json!({"language": "rust", "value": "fn x()"}), "fn x()"),
            (json!(["a", {"language": "c", "value": "b"}]), "a\n\nb"),
            (json!([]), ""),
            (json!(null), ""),
        ] {
            assert_eq!(shown(&contents), Some((expected.to_owned(), false)), "{contents}");
        }
        assert_eq!(parse_hover(br#"{"id":1,"result":null}"#), Some(ServerAnswer::default()));
    }

    #[test]
    fn what_is_no_such_thing_or_too_much_is_not_taken() {
        for wrong in [json!(7), json!({"kind": "markdown"}), json!([["a"]]), json!({"value": 7})] {
            assert_eq!(shown(&wrong), None, "{wrong}");
        }
        assert_eq!(shown(&json!("x".repeat(LARGEST_HOVER))), None);
        let (text, cut) = shown(&json!("ä".repeat(LONGEST_HOVER + 1))).unwrap();
        assert_eq!((text.chars().count(), cut), (LONGEST_HOVER, true));
        assert!(!shown(&json!("ä".repeat(LONGEST_HOVER))).unwrap().1);
        assert_eq!(parse_hover(b"{\"id\":1}"), None);
    }
}
