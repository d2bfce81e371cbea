//! What a service's no means: whether to try again, what to tell the user, and what not to send the next time.

use std::time::Duration;

use serde_json::Value;
use wellread_core::domain::display::render_duration;
use wellread_core::ports::{ModelFailure, ModelRequest, ReplyFormatMode};

/// Of a service's own words.
const LONGEST_SAYING: usize = 300;

/// Why an attempt came to nothing.
#[derive(Debug)]
pub(super) enum AttemptFailure {
    /// A second attempt would fail in the same way.
    Final(ModelFailure),
    /// It may pass; how long the service asks to be left alone.
    Passing(ModelFailure, Option<Duration>),
    /// The service takes the request without something that it can be told without.
    Dislikes(UnsupportedParams),
}

/// What a service turned out not to take, so that it is not sent again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct UnsupportedParams {
    /// To be asked for its count of tokens.
    pub(super) usage: bool,
    /// The older name of the longest reply.
    pub(super) max_tokens: bool,
    pub(super) temperature: bool,
}

impl UnsupportedParams {
    /// With what this refusal speaks of. The same where it is nothing new.
    fn learn_from(mut self, body: &str, request: &ModelRequest) -> Self {
        if body.contains("stream_options") || body.contains("include_usage") {
            self.usage = true;
        } else if body.contains("max_completion_tokens") {
            self.max_tokens = true;
        } else if body.contains("temperature") && request.temperature.is_some() {
            self.temperature = true;
        }
        self
    }
}

/// What was refused, and by whom.
pub(super) struct RefusalContext<'a> {
    pub(super) base: &'a str,
    pub(super) model: &'a str,
    pub(super) key: Option<&'a str>,
    pub(super) key_hint: &'a str,
    pub(super) request: &'a ModelRequest,
    pub(super) dislikes: UnsupportedParams,
    pub(super) wait: Option<Duration>,
}

impl RefusalContext<'_> {
    pub(super) fn classify_status(&self, status: u16, body: &[u8]) -> AttemptFailure {
        let whole = String::from_utf8_lossy(body).to_lowercase();
        if matches!(status, 400 | 422) {
            let learned = self.dislikes.learn_from(&whole, self.request);
            if learned != self.dislikes {
                return AttemptFailure::Dislikes(learned);
            }
        }
        let (base, said) = (self.base, self.render_server_message(body));
        let rejected = |message: String| AttemptFailure::Final(ModelFailure::Rejected { status, message });
        if let Some(what) = self.unsupported_feature(status, &whole) {
            return AttemptFailure::Final(ModelFailure::Unsupported { what: what.to_owned() });
        }
        match status {
            401 | 403 => {
                let no = if self.key.is_some() { "rejected the key" } else { "asks for a key" };
                let hint = self.key_hint.to_owned();
                AttemptFailure::Final(ModelFailure::Key { message: format!("{base} {no}{said}"), hint })
            }
            413 => AttemptFailure::Final(ModelFailure::TooLong {
                message: format!("the request is too large for {base}{said}"),
            }),
            400..500 if mentions_length(&whole) => AttemptFailure::Final(ModelFailure::TooLong {
                message: format!("the request is too long for {}{said}", self.model),
            }),
            404 => {
                rejected(format!("{base} has no model `{}`, or no chat at this address{said}", self.model))
            }
            // Money does not come back by waiting.
            429 if whole.contains("insufficient_quota") => AttemptFailure::Final(ModelFailure::Busy {
                message: format!("{base} has no quota left{said}"),
            }),
            408 | 409 | 429 | 500 | 502..=504 | 520..=529 => {
                let what = if status == 429 { "has reached its rate limit" } else { "is busy or failing" };
                let wait = match self.wait {
                    Some(wait) if wait.as_secs() > 0 => format!(", asks to wait {}", render_duration(wait)),
                    _ => String::new(),
                };
                let message = format!("{base} {what}: status {status}{wait}{said}");
                AttemptFailure::Passing(ModelFailure::Busy { message }, self.wait)
            }
            300..400 => rejected(format!(
                "{base} redirects, and redirects are not followed; set the address it redirects to"
            )),
            _ => rejected(format!("{base} refused the request: status {status}{said}")),
        }
    }

    /// An error that came inside an answer, with the status that it would have had.
    pub(super) fn classify_error(&self, error: &Value) -> AttemptFailure {
        let code = ["code", "status", "status_code", "http_code"].iter().find_map(|name| {
            let code = &error[*name];
            code.as_u64().or_else(|| code.as_str()?.parse().ok()).filter(|code| (400..600).contains(code))
        });
        let kind = error["type"].as_str().or(error["code"].as_str()).unwrap_or_default();
        let status = match (code, kind) {
            (Some(code), _) => code as u16,
            (_, kind) if kind.contains("overloaded") => 529,
            (_, kind) if kind.contains("rate_limit") => 429,
            (_, kind) if kind.contains("authentication") || kind.contains("permission") => 401,
            (_, kind) if kind.contains("not_found") => 404,
            (_, kind) if kind.contains("invalid") || kind.contains("context") => 400,
            _ => 500,
        };
        self.classify_status(status, serde_json::json!({ "error": error }).to_string().as_bytes())
    }

    /// That the service can't do what was asked for, rather than not this once.
    fn unsupported_feature(&self, status: u16, body: &str) -> Option<&'static str> {
        let says = |words: &[&str]| words.iter().any(|word| body.contains(word));
        let shape = self.request.shape.as_ref().map(|shape| shape.by);
        let unable = says(&[
            "support",
            "unknown",
            "unrecognized",
            "not permitted",
            "not allowed",
            "not enabled",
            "not implemented",
            "not available",
            "requires",
            "unexpected",
            "extra",
            "invalid",
            "disabled",
        ]);
        if !matches!(status, 400 | 404 | 405 | 422 | 500 | 501) || !unable {
            return None;
        }
        let constraint = [
            "response_format",
            "response format",
            "json_schema",
            "json schema",
            "grammar",
            "structured output",
        ];
        if shape == Some(ReplyFormatMode::Schema) && says(&constraint) {
            return Some("constrained replies");
        }
        let forced = shape == Some(ReplyFormatMode::Tool) && says(&["tool_choice", "tool choice"]);
        let cannot = says(&[
            "support",
            "not enabled",
            "not implemented",
            "not available",
            "requires --jinja",
            "disabled",
        ]) || (matches!(status, 400 | 422)
            && says(&["not permitted", "unrecognized", "unexpected", "extra"]));
        let tools = !self.request.tools.is_empty() || shape == Some(ReplyFormatMode::Tool);
        let named = says(&["tools", "tool use", "tool call", "tool_choice", "function call"]);
        (forced || (tools && named && cannot)).then_some("tools")
    }

    /// The service's own words, ready to stand behind a message.
    pub(super) fn render_server_message(&self, body: &[u8]) -> String {
        let said = self.clean(&extract_message(body));
        if said.is_empty() { said } else { format!("; it says: {said}") }
    }

    /// Without the key, which servers repeat at times, on one line, and not endless.
    pub(super) fn clean(&self, text: &str) -> String {
        let key = self.key.filter(|key| !key.is_empty());
        let text = key.map_or_else(|| text.to_owned(), |key| text.replace(key, "…"));
        let one_line: Vec<&str> = text
            .split(|letter: char| letter.is_whitespace() || letter.is_control())
            .filter(|word| !word.is_empty())
            .collect();
        let mut line = one_line.join(" ");
        if let Some((cut, _)) = line.char_indices().nth(LONGEST_SAYING - 1) {
            line.truncate(cut);
            line.push('…');
        }
        line
    }
}

/// What a body says to people: a message in JSON, a page's title, or the plain text.
fn extract_message(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        let value = value.as_array().and_then(|list| list.first().cloned()).unwrap_or(value);
        let places = [
            "/error/message",
            "/message",
            "/error/error/message",
            "/error",
            "/detail",
            "/detail/0/msg",
            "/msg",
        ];
        let said = places.iter().find_map(|place| value.pointer(place)?.as_str());
        return said.map_or_else(|| value.to_string(), str::to_owned);
    }
    if text.starts_with('<') {
        let lower = text.to_ascii_lowercase();
        let title = lower.find("<title>").map(|at| at + "<title>".len());
        let title = title.and_then(|from| Some(&text[from..from + lower[from..].find("</title>")?]));
        return title.unwrap_or_default().to_owned();
    }
    text.to_owned()
}

fn mentions_length(body: &str) -> bool {
    const WORDS: [&str; 12] = [
        "context length",
        "context_length",
        "maximum context",
        "context window",
        "context size",
        "exceed_context",
        "prompt is too long",
        "input is too long",
        "too many tokens",
        "reduce the length",
        "maximum prompt length",
        "max_model_len",
    ];
    WORDS.iter().any(|words| body.contains(words))
}
