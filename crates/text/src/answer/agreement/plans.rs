//! Whether a sentence tells as done what its source only plans.

use super::cues::{is_intended, is_negation, is_planned};
use super::tokens::Token;
use super::turns::AlignedClause;
use super::{Mismatch, Statement};

/// The word for an open task, which a source marks with a box.
const OPEN_TASK: &str = "open task";

impl AlignedClause<'_> {
    pub fn find_plan(&self, statement: &Statement) -> Option<Mismatch> {
        let leaves_open = |token: &Token| is_intended(token) || is_planned(token) || is_negation(token);
        if statement.tokens.iter().any(leaves_open) || !is_done(&self.tokens) {
            return None;
        }
        if self.unit.is_open_task {
            return Some(Mismatch::Overstated(OPEN_TASK.to_owned()));
        }
        let has_past = self.source.iter().any(|token| PAST.contains(&token.plain.as_str()));
        let plan = self.source.iter().find(|token| is_planned(token)).filter(|_| !has_past);
        plan.map(|plan| Mismatch::Overstated(plan.plain.clone()))
    }
}

const PAST: [&str; 4] = ["was", "were", "had", "did"];

/// What follows `has` where it is no verb's perfect: `has a desk`, `has to ask`.
const OWNED: [&str; 15] =
    ["a", "an", "the", "to", "its", "his", "her", "their", "our", "my", "some", "many", "more", "few", "one"];

/// Whether the clause says that something happened: `was`, `has asked`, but not `has a desk` or `has to ask`.
fn is_done(clause: &[&Token]) -> bool {
    clause.iter().enumerate().any(|(at, token)| {
        let next = clause.get(at + 1).filter(|next| !next.is_number && !OWNED.contains(&next.plain.as_str()));
        PAST.contains(&token.plain.as_str())
            || ["has", "have"].contains(&token.plain.as_str()) && next.is_some()
    })
}
