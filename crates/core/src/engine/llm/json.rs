//! Finds JSON in a model's reply: alone, fenced, or within prose.
//!
//! Tolerates common mistakes: trailing commas, comments, line breaks inside strings. Truncated JSON is not completed.

use serde_json::Value;

/// The bytes to scan for closing brackets: a fixed amount, and a factor of the text's length. Hostile text costs no
/// more than long text.
const PATIENCE: (usize, usize) = (64 << 10, 3);

/// The JSON object or list in a text; the longest if there are several. A text that is JSON as a whole may be any
/// value.
pub fn json_in_text(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}').trim();
    // The reasoning before the answer is not part of it.
    let text = text.rsplit_once("</think>").map_or(text, |(_, answer)| answer).trim();
    if let Some(value) = parse(text) {
        return Some(value);
    }
    let mut best: Option<(usize, Value)> = None;
    let mut from = 0;
    let mut patience = PATIENCE.0 + PATIENCE.1 * text.len();
    while let Some(start) = text[from..].find(['{', '[']).map(|at| from + at) {
        from = start + 1;
        let length = find_closing_bracket(&text.as_bytes()[start..]);
        let Some(left) = patience.checked_sub(length.unwrap_or(text.len() - start)) else { break };
        patience = left;
        let Some(length) = length else { continue };
        let Some(value) = parse(&text[start..start + length]) else { continue };
        from = start + length;
        if best.as_ref().is_none_or(|(longest, _)| length > *longest) {
            best = Some((length, value));
        }
    }
    best.map(|(_, value)| value)
}

fn parse(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().or_else(|| serde_json::from_str(&repair_json(text)).ok())
}

/// The number of bytes up to and including the bracket that closes the first one; `None` if it stays open.
fn find_closing_bracket(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Removes comments and trailing commas, and escapes line breaks and tabs inside strings.
fn repair_json(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let (mut quoted, mut escaped) = (false, false);
    while let Some(letter) = rest.next() {
        if quoted {
            match letter {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => quoted = false,
                '\n' => {
                    mended.push_str("\\n");
                    continue;
                }
                '\t' => {
                    mended.push_str("\\t");
                    continue;
                }
                '\r' => continue,
                _ => {}
            }
            mended.push(letter);
            continue;
        }
        match (letter, rest.peek()) {
            ('"', _) => {
                quoted = true;
                mended.push(letter);
            }
            ('/', Some('/')) => while rest.next_if(|next| *next != '\n').is_some() {},
            ('/', Some('*')) => {
                let mut last = ' ';
                for next in rest.by_ref().skip(1) {
                    if (last, next) == ('*', '/') {
                        break;
                    }
                    last = next;
                }
            }
            ('}' | ']', _) => {
                let end = mended.trim_end().len();
                if mended[..end].ends_with(',') {
                    mended.truncate(end - 1);
                }
                mended.push(letter);
            }
            _ => mended.push(letter),
        }
    }
    mended
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_however_it_is_wrapped() {
        let wanted = json!({ "a": [1, "}"], "b": { "c": "x" } });
        let written = r#"{"a": [1, "}"], "b": {"c": "x"}}"#;
        for text in [
            written.to_owned(),
            format!("\u{feff}\n{written}\n"),
            format!("```json\n{written}\n```"),
            format!("```\n{written}\n```\nI hope that helps {{:}}"),
            format!("Sure! As said in [1], here it is: {written}. Anything else?"),
            format!("<think>{{\"no\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}}</think>{written}"),
            "{ // why\n \"a\": [1, \"}\",], /* {[ */ \"b\": {\"c\": \"x\",},\n}".to_owned(),
            format!("{{ not json }} {written}"),
            format!("{{\"half\": {written}"),
        ] {
            assert_eq!(json_in_text(&text), Some(wanted.clone()), "{text}");
        }
        assert_eq!(
            json_in_text("{\"a\": \"two\nlines\tand // no comment ,]\"}"),
            Some(json!({ "a": "two\nlines\tand // no comment ,]" }))
        );
        assert_eq!(json_in_text("3"), Some(json!(3)));
        for none in ["", "no", "{", "]", "{\"a\": 1", "{]", "\"", "{{{}", "/*", "[//", "\\", "{\"\\"] {
            assert!(json_in_text(none).is_none_or(|value| value == json!({})), "{none}");
        }
    }

    #[test]
    fn hostile_text_ends() {
        for text in
            ["{", "[", "{\"", "[{\"a\":", "}{", "\\", "{\"a\":1,}", "/*", "//", ",]", "{\"\\", "{,", "[ "]
        {
            let long = text.repeat((1 << 18) / text.len());
            json_in_text(&long);
            json_in_text(&format!("{long}]}}"));
        }
        assert_eq!(json_in_text(&"{".repeat(1 << 20)), None);
        assert_eq!(json_in_text(&format!("{}{}", "[".repeat(1 << 18), "]".repeat(1 << 18))), None);
        json_in_text(&format!("[1{}]", " ,".repeat(1 << 18)));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z{\"]{0,4}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_a_model_says_nothing_breaks(text in "[\\[\\]{}\",:/*\\\\ \n\ta-c0-9é`]{0,60}|.{0,60}") {
            json_in_text(&text);
        }

        #[test]
        fn an_object_is_found_in_prose_as_it_is(value in any_json(), before in "[a-zA-Z .,\n]{0,20}", after in "[a-zA-Z .,\n]{0,20}") {
            let value = json!({ "answer": value });
            for written in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                prop_assert_eq!(json_in_text(&format!("{before}{written}{after}")), Some(value.clone()));
                let fenced = format!("{before}\n```json\n{written}\n```\n{after}");
                prop_assert_eq!(json_in_text(&fenced), Some(value.clone()));
            }
        }
    }
}
