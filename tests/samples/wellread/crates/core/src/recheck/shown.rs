//! How a citation stands, as it is told.

use serde_json::{Value, json};

use super::{Followed, Rechecked, Spot, Standing};

impl Rechecked {
    /// For programs.
    pub fn object(&self) -> Value {
        let mut object = json!({
            "evidence": self.evidence,
            "run_id": self.evidence.run(),
            "source": self.source,
            "standing": self.standing.name(),
        });
        let more = match &self.standing {
            Standing::Holds => json!({}),
            Standing::Moved { to, how, also } => {
                json!({ "now": spot(to), "followed_by": how.name(), "also": also.iter().map(spot).collect::<Vec<_>>() })
            }
            Standing::Changed { to, diff, only, .. } => {
                json!({ "now": spot(to), "diff": diff.look(), "only": only.map(super::Only::name) })
            }
            Standing::Gone { reason } | Standing::Unreachable { reason } => json!({ "reason": reason }),
        };
        if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
            object.extend(more.into_iter().filter(|(_, value)| !value.is_null()));
        }
        object
    }

    /// For people: a line, and the difference below it where there is one.
    pub fn told(&self) -> String {
        let line = format!("{:<11} {}  {}", self.standing.name(), self.evidence, self.source.shown());
        match &self.standing {
            Standing::Holds => line,
            Standing::Moved { to, .. } => format!("{line}\n            now {}", place(to)),
            Standing::Changed { to, diff, .. } => {
                let diff =
                    diff.look().lines().map(|line| format!("\n            {line}")).collect::<String>();
                format!("{line}\n            now {}{diff}", place(to))
            }
            Standing::Gone { reason } | Standing::Unreachable { reason } => {
                format!("{line}\n            {reason}")
            }
        }
    }
}

impl Followed {
    pub fn name(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Content => "content",
            Self::Git => "git",
        }
    }
}

fn spot(spot: &Spot) -> Value {
    json!({ "path": spot.path, "start_line": spot.start_line, "end_line": spot.end_line })
}

fn place(spot: &Spot) -> String {
    format!("{}:{}-{}", spot.path, spot.start_line, spot.end_line)
}
