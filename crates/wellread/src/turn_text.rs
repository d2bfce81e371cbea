//! What more than one face says of a turn, in words: what was not checked, and what a tool was called with.

use serde_json::Value;
use wellread_core::domain::display::counted;

/// The sentences that nobody checked, the first few of them in words.
pub fn render_unchecked(unchecked: &[String]) -> String {
    const SHOWN: usize = 5;
    if unchecked.is_empty() {
        return String::new();
    }
    let sentences = counted(unchecked.len(), "sentence cites", "sentences cite");
    let mut said = format!("not checked: {sentences} no source\n");
    for sentence in unchecked.iter().take(SHOWN) {
        said += &format!("  - {}\n", strip_control_chars(sentence));
    }
    if unchecked.len() > SHOWN {
        said += &format!("  … and {} more\n", unchecked.len() - SHOWN);
    }
    said
}

/// A call's arguments in a few words.
pub fn summarize_arguments(arguments: &Value) -> String {
    const LONGEST: usize = 60;
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let words = match arguments {
        Value::Object(fields) => fields.values().map(word).collect::<Vec<_>>().join(", "),
        other => word(other),
    };
    let line = strip_control_chars(&words);
    match line.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

/// A model's words on one line.
pub fn strip_control_chars(words: &str) -> String {
    words.replace(char::is_control, " ")
}
