//! Rechecked citations as JSON and as text.

use serde_json::{Value, json};

use super::{CurrentPlace, FollowMethod, RecheckState, RecheckedCitation};

impl RecheckedCitation {
    /// The citation and its state as JSON.
    pub fn to_json(&self) -> Value {
        let mut object = json!({
            "evidence": self.evidence,
            "run_id": self.evidence.run(),
            "source": self.source,
            "standing": self.state.name(),
        });
        let more = match &self.state {
            RecheckState::Holds => json!({}),
            RecheckState::Moved { to, how } => {
                json!({ "now": place_to_json(to), "followed_by": how.name() })
            }
            RecheckState::Ambiguous { places } => {
                json!({ "places": places.iter().map(place_to_json).collect::<Vec<_>>() })
            }
            RecheckState::Changed { to, diff, only, .. } => {
                json!({ "now": place_to_json(to), "diff": diff.expose(), "only": only.map(super::CosmeticDifference::name) })
            }
            RecheckState::Gone { reason } | RecheckState::Unreachable { reason } => {
                json!({ "reason": reason })
            }
        };
        if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
            object.extend(more.into_iter().filter(|(_, value)| !value.is_null()));
        }
        object
    }

    /// The citation and its state for people: one line, with the diff below it if there is one.
    pub fn render_text(&self) -> String {
        let line = format!("{:<11} {}  {}", self.state.name(), self.evidence, self.source.location());
        match &self.state {
            RecheckState::Holds => line,
            RecheckState::Moved { to, .. } => format!("{line}\n            now {}", render_place(to)),
            RecheckState::Ambiguous { places } => {
                let places: Vec<String> = places.iter().map(render_place).collect();
                format!("{line}\n            the same text is in several places: {}", places.join(", "))
            }
            RecheckState::Changed { to, diff, .. } => {
                let diff =
                    diff.expose().lines().map(|line| format!("\n            {line}")).collect::<String>();
                format!("{line}\n            now {}{diff}", render_place(to))
            }
            RecheckState::Gone { reason } | RecheckState::Unreachable { reason } => {
                format!("{line}\n            {reason}")
            }
        }
    }
}

impl FollowMethod {
    /// The method's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Content => "content",
            Self::Git => "git",
        }
    }
}

fn place_to_json(place: &CurrentPlace) -> Value {
    json!({ "path": place.path, "start_line": place.start_line, "end_line": place.end_line })
}

fn render_place(place: &CurrentPlace) -> String {
    format!("{}:{}-{}", place.path, place.start_line, place.end_line)
}
