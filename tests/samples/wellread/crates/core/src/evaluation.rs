//! How well code research does: questions with the places that they must lead to, asked, judged and compared.
//!
//! No model judges here. A citation either lies where the suite says or it does not; what is uncertain is how far a handful of
//! questions speaks for all others, and that is what the intervals say.

mod compared;
mod expected;
mod interval;
mod judged;
mod suite;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use compared::{Change, Compared, Difference, compared};
pub use expected::{Expected, Region, expected};
pub use interval::{Estimate, estimate};
pub use judged::judged;
pub use suite::{Expect, LineRange, Question, Suite};

use crate::codebase::Codebase;
use crate::event::Spent;
use crate::research::{CodeAnswer, CodeAsked};
use crate::{Error, Result};

/// What an evaluation gave: this is what a result file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluated {
    pub suite: String,
    /// What answered: a model's name, or `none`.
    pub model: String,
    pub totals: Totals,
    pub questions: Vec<Judged>,
}

/// Means over the questions, each with its 95 % interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    pub recall: Option<Estimate>,
    pub precision: Option<Estimate>,
    /// How many citations hold what their lines hold now: anything but 1 is a defect.
    pub exact: Option<Estimate>,
    pub steps: Option<Estimate>,
    pub tokens: Option<Estimate>,
    pub seconds: Option<Estimate>,
    /// Questions that could not be answered at all.
    pub failed: usize,
}

/// How one question went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub id: String,
    pub ask: String,
    /// How much of what was expected was found, from 0 to 1.
    pub recall: f64,
    /// How many of the citations lie where something was expected; nothing where no place was, or nothing was cited.
    pub precision: Option<f64>,
    pub exact: Option<f64>,
    pub citations: usize,
    /// What was expected and not found.
    pub missed: Vec<String>,
    pub steps: u64,
    pub tokens: u64,
    pub seconds: f64,
    pub run_id: Option<String>,
    pub error: Option<String>,
}

/// Who answers: an answer, and what it cost.
pub type Ask<'a> = dyn FnMut(&Question, CodeAsked) -> Result<(CodeAnswer, Spent)> + 'a;

/// Asks every question of the suite. One that fails counts as not answered; the others are asked all the same.
pub fn evaluate(codebase: &Codebase, suite: &Suite, model: &str, ask: &mut Ask<'_>) -> Result<Evaluated> {
    suite.check()?;
    let wanted = all_expected(codebase, suite)?;
    let mut questions = Vec::with_capacity(suite.questions.len());
    for (question, wanted) in suite.questions.iter().zip(&wanted) {
        let asked = CodeAsked {
            question: question.ask.clone(),
            repository: Some(codebase.name().to_owned()),
            scope: question.scope.clone(),
            budget: question.budget,
            debug: false,
        };
        questions.push(judged(codebase, question, wanted, ask(question, asked)));
    }
    let totals = Totals::of(&questions);
    Ok(Evaluated { suite: suite.name.clone(), model: model.to_owned(), totals, questions })
}

/// Every expected place of a suite, looked up in the files as they are: a suite that has rotted is an error before it is a
/// low figure.
pub fn all_expected(codebase: &Codebase, suite: &Suite) -> Result<Vec<Vec<Expected>>> {
    const SHOWN: usize = 5;
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    for question in &suite.questions {
        match expected(codebase, question) {
            Ok(places) => found.push(places),
            Err(error) => wrong.push(format!("question `{}`: {}", question.id, error.message())),
        }
    }
    if wrong.is_empty() {
        return Ok(found);
    }
    let more = wrong.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    wrong.truncate(SHOWN);
    Err(Error::invalid(format!("the suite expects what is not there: {}{more}", wrong.join("; ")))
        .hint("the code has changed since the suite was written, or it is another repository"))
}

impl Totals {
    fn of(questions: &[Judged]) -> Self {
        let over = |value: &dyn Fn(&Judged) -> Option<f64>| {
            estimate(&questions.iter().filter_map(value).collect::<Vec<f64>>())
        };
        Self {
            recall: over(&|judged| Some(judged.recall)),
            precision: over(&|judged| judged.precision),
            exact: over(&|judged| judged.exact),
            steps: over(&|judged| Some(judged.steps as f64)),
            tokens: over(&|judged| Some(judged.tokens as f64)),
            seconds: over(&|judged| Some(judged.seconds)),
            failed: questions.iter().filter(|judged| judged.error.is_some()).count(),
        }
    }
}
