//! Stubs of tool answers for later turns: status, counts, paths. Each tool declares its fields.

use serde_json::{Map, Value, json};

/// How many entries of a list a stub contains.
const NAMED: usize = 20;
const LONGEST_TEXT: usize = 300;

/// The stub of an envelope, with these fields: `path`, or `results.path` for one field of each entry of a list.
pub fn build_stub(envelope: &Value, fields: &[&str]) -> Value {
    let mut stub = Map::new();
    if super::has_failed(envelope) {
        stub.insert("status".to_owned(), json!("failed"));
        for field in ["error", "hint"] {
            stub.extend(envelope.get(field).map(|value| (field.to_owned(), shorten_value(value))));
        }
        return Value::Object(stub);
    }
    stub.insert("status".to_owned(), json!("ok"));
    for field in fields {
        let kept = match field.split_once('.') {
            None => envelope.get(field).map(|value| (*field, shorten_value(value))),
            Some((list, of_each)) => envelope.get(list).and_then(Value::as_array).map(|entries| {
                let each: Vec<Value> =
                    entries.iter().filter_map(|entry| entry.get(of_each)).cloned().collect();
                (*field, shorten_value(&Value::Array(each)))
            }),
        };
        stub.extend(kept.map(|(name, value)| (name.to_owned(), value)));
    }
    Value::Object(stub)
}

/// Shortens lists to their first entries and their length, and texts to their beginning.
fn shorten_value(value: &Value) -> Value {
    match value {
        Value::Array(entries) if entries.len() > NAMED => {
            let mut first: Vec<Value> = entries[..NAMED].iter().map(shorten_value).collect();
            first.push(json!(format!("… {} in all", entries.len())));
            Value::Array(first)
        }
        Value::Array(entries) => entries.iter().map(shorten_value).collect(),
        Value::String(text) => match text.char_indices().nth(LONGEST_TEXT) {
            Some((cut, _)) => json!(format!("{}…", &text[..cut])),
            None => value.clone(),
        },
        Value::Object(_) => json!("…"),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_keeps_what_was_declared_and_no_text() {
        let found = json!({ "success": true, "results": [
            { "source": "a.md", "content": "long" }, { "source": "b.md", "content": "long" }], "mode": "hybrid" });
        assert_eq!(
            build_stub(&found, &["results.source", "notice"]),
            json!({ "status": "ok", "results.source": ["a.md", "b.md"] })
        );
        let failed = json!({ "success": false, "error": "x".repeat(400), "content": "secret" });
        let kept = build_stub(&failed, &["content"]);
        assert_eq!(kept["status"], "failed");
        assert!(kept["error"].as_str().unwrap().chars().count() == 301 && kept.get("content").is_none());
        let paths: Vec<String> = (0..50).map(|n| format!("{n}.md")).collect();
        let listed =
            build_stub(&json!({ "success": true, "results": paths, "total": 50 }), &["total", "results"]);
        assert_eq!(listed["results"].as_array().unwrap().len(), 21);
        assert_eq!(listed["total"], 50);
    }
}
