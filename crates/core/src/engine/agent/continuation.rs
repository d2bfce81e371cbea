//! Long tool answers, kept for the turn and returned in parts.

use std::collections::HashMap;

use serde_json::{Value, json};
use wellread_text::take_page;

use crate::domain::untrusted::Origin;
use crate::engine::run::ToolReply;
use crate::ports::{ToolCall, ToolSpec};

/// The name of the tool that returns the rest of a long answer.
pub const GET_CONTINUATION: &str = "get_continuation";

pub fn spec() -> ToolSpec {
    ToolSpec {
        name: GET_CONTINUATION.to_owned(),
        about: "The next part of a tool's answer that was cut: by its tool_call_id, from the offset that the cut names."
            .to_owned(),
        input: json!({
            "type": "object",
            "properties": {
                "tool_call_id": { "type": "string", "description": "The id that the cut answer names." },
                "offset": { "type": "integer", "minimum": 0, "description": "The character to begin with." },
            },
            "required": ["tool_call_id", "offset"],
            "additionalProperties": false,
        }),
    }
}

/// The answers of this turn that were longer than a part.
pub struct Continuations {
    length: usize,
    whole: HashMap<String, LongAnswer>,
}

struct LongAnswer {
    text: String,
    origin: Origin,
    private: bool,
    /// Characters returned so far, counted without a gap from the beginning.
    handed: usize,
}

/// A part of an answer.
pub struct AnswerPart {
    pub text: String,
    /// Our notice after the text: where it was cut and how to continue. Empty if it was not cut.
    pub note: String,
    /// Everything returned of the answer so far, without a gap from its beginning.
    pub handed: String,
}

impl Continuations {
    pub fn new(length: usize) -> Self {
        Self { length: length.max(1), whole: HashMap::new() }
    }

    /// The first part of a tool's answer or, for a `get_continuation` call, the part that it asks for.
    pub fn part(&mut self, call: &ToolCall, answered: &ToolReply) -> AnswerPart {
        if let Some((of, offset)) = parse_request(call).filter(|_| call.name == GET_CONTINUATION)
            && self.whole.contains_key(&of)
            && let Some(Value::String(_)) = answered.envelope.get(PART)
        {
            return self.cut(&of, offset);
        }
        let text = answered.envelope.to_string();
        if text.chars().nth(self.length).is_none() || self.fits_without_envelope(&answered.envelope, &text) {
            return AnswerPart { handed: text.clone(), text, note: String::new() };
        }
        self.whole.insert(
            call.id.clone(),
            LongAnswer { text, origin: answered.origin, private: answered.private, handed: 0 },
        );
        self.cut(&call.id, 0)
    }

    /// Whether the texts of an answer fit into a part, and only its fields and escapes make it longer: a file that was
    /// read in full must not lose its last lines to them.
    fn fits_without_envelope(&self, envelope: &Value, text: &str) -> bool {
        count_text(envelope) <= self.length && text.chars().count() <= 2 * self.length
    }

    fn cut(&mut self, of: &str, offset: usize) -> AnswerPart {
        let Some(kept) = self.whole.get_mut(of) else {
            return AnswerPart { text: String::new(), note: String::new(), handed: String::new() };
        };
        let part = take_page(&kept.text, offset, self.length);
        let end = part.next.unwrap_or(part.total);
        if offset <= kept.handed {
            kept.handed = kept.handed.max(end);
        }
        let note = match part.next {
            Some(next) => format!(
                "[cut: characters {offset} to {end} of {}; go on with get_continuation(tool_call_id=\"{of}\", offset={next})]",
                part.total
            ),
            None => {
                format!("[characters {offset} to {end} of {}: the end; tool_call_id=\"{of}\"]", part.total)
            }
        };
        AnswerPart { text: part.text, note, handed: kept.text.chars().take(kept.handed).collect() }
    }

    /// Answers a `get_continuation` call; `None` for any other tool.
    pub fn answer(&self, call: &ToolCall) -> Option<ToolReply> {
        if call.name != GET_CONTINUATION {
            return None;
        }
        let failed = |why: String| ToolReply::trusted(json!({ "success": false, "error": why }));
        let Some((of, offset)) = parse_request(call) else {
            return Some(failed(
                "it takes `tool_call_id`, a string, and `offset`, a whole number".to_owned(),
            ));
        };
        let Some(kept) = self.whole.get(&of) else {
            return Some(failed(format!("no answer of this turn with the id `{of}` was cut")));
        };
        let part = take_page(&kept.text, offset, self.length);
        if offset >= part.total {
            return Some(failed(format!("the answer has {} characters", part.total)));
        }
        let envelope = json!({ "success": true, PART: part.text });
        Some(ToolReply { envelope, origin: kept.origin, private: kept.private })
    }
}

/// Shorter strings are fields of an answer, such as paths, and not its text.
const SHORTEST_TEXT: usize = 200;

/// How many characters the texts of an answer have.
fn count_text(value: &Value) -> usize {
    match value {
        Value::String(text) => {
            Some(text.chars().count()).filter(|count| *count >= SHORTEST_TEXT).unwrap_or(0)
        }
        Value::Array(values) => values.iter().map(count_text).sum(),
        Value::Object(fields) => fields.values().map(count_text).sum(),
        _ => 0,
    }
}

const PART: &str = "part";

fn parse_request(call: &ToolCall) -> Option<(String, usize)> {
    let of = call.arguments.get("tool_call_id")?.as_str()?.to_owned();
    let offset = match call.arguments.get("offset") {
        None => 0,
        Some(given) => usize::try_from(given.as_u64()?).ok()?,
    };
    Some((of, offset))
}
