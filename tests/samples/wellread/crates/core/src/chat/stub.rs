//! What later turns need of a tool's answer: that it worked, counts, paths. Each tool declares its own.

use serde_json::{Map, Value, json};

/// How many entries of a list a stub names.
const NAMED: usize = 20;
const LONGEST_TEXT: usize = 300;

/// The stub of an envelope, with these fields: `path`, or `results.path` for one field of each entry of a list.
pub fn stub(envelope: &Value, fields: &[&str]) -> Value {
    let mut stub = Map::new();
    if super::has_failed(envelope) {
        stub.insert("status".to_owned(), json!("failed"));
        for field in ["error", "hint"] {
            stub.extend(envelope.get(field).map(|value| (field.to_owned(), short(value))));
        }
        return Value::Object(stub);
    }
    stub.insert("status".to_owned(), json!("ok"));
    for field in fields {
        let kept = match field.split_once('.') {
            None => envelope.get(field).map(|value| (*field, short(value))),
            Some((list, of_each)) => envelope.get(list).and_then(Value::as_array).map(|entries| {
                let each: Vec<Value> =
                    entries.iter().filter_map(|entry| entry.get(of_each)).cloned().collect();
                (*field, short(&Value::Array(each)))
            }),
        };
        stub.extend(kept.map(|(name, value)| (name.to_owned(), value)));
    }
    Value::Object(stub)
}

/// Long lists by their beginning and their length, long texts by their beginning.
fn short(value: &Value) -> Value {
    match value {
        Value::Array(entries) if entries.len() > NAMED => {
            let mut first: Vec<Value> = entries[..NAMED].iter().map(short).collect();
            first.push(json!(format!("… {} in all", entries.len())));
            Value::Array(first)
        }
        Value::Array(entries) => entries.iter().map(short).collect(),
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
            stub(&found, &["results.source", "notice"]),
            json!({ "status": "ok", "results.source": ["a.md", "b.md"] })
        );
        let failed = json!({ "success": false, "error": "x".repeat(400), "content": "secret" });
        let kept = stub(&failed, &["content"]);
        assert_eq!(kept["status"], "failed");
        assert!(kept["error"].as_str().unwrap().chars().count() == 301 && kept.get("content").is_none());
        let paths: Vec<String> = (0..50).map(|n| format!("{n}.md")).collect();
        let listed = stub(&json!({ "success": true, "results": paths, "total": 50 }), &["total", "results"]);
        assert_eq!(listed["results"].as_array().unwrap().len(), 21);
        assert_eq!(listed["total"], 50);
    }
}
