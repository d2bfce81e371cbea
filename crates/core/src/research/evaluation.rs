//! Evaluates code research: asks questions with expected places, judges the answers, and compares two evaluations.
//!
//! No model judges here: a citation either is where the suite expects it, or it is not. The intervals say how far a few
//! questions can stand for all others.

mod comparison;
mod expectations;
mod interval;
mod scoring;
mod suite;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use comparison::{EvaluationComparison, MeasureDifference, ScoreChange, compare_evaluations};
pub use expectations::{Region, ResolvedExpectation, resolve_expectations};
pub use interval::{Estimate, estimate};
pub use scoring::score_answer;
pub use suite::{Expectations, LineRange, Suite, SuiteQuestion};

use crate::code::codebase::Codebase;
use crate::ports::event::RunUsage;
use crate::research::{CodeAnswer, CodeRequest};
use crate::{Error, Result};

/// The result of an evaluation, as stored in a result file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationResult {
    /// The suite's name.
    pub suite: String,
    /// What answered: a model's name, or `none`.
    pub model: String,
    /// The means over all questions.
    pub totals: Totals,
    /// The score of each question.
    pub questions: Vec<QuestionScore>,
}

/// Means over the questions, each with its 95 % interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// The share of expected regions that were cited.
    pub recall: Option<Estimate>,
    /// The share of citations that were expected.
    pub precision: Option<Estimate>,
    /// The share of citations whose text is what their lines contain now: anything but 1 is a defect.
    pub exact: Option<Estimate>,
    /// The number of steps.
    pub steps: Option<Estimate>,
    /// The number of tokens.
    pub tokens: Option<Estimate>,
    /// The time in seconds.
    pub seconds: Option<Estimate>,
    /// Questions that could not be answered at all.
    pub failed: usize,
}

/// The score of one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuestionScore {
    /// The question's id.
    pub id: String,
    /// The question.
    pub ask: String,
    /// How much of what was expected was found, from 0 to 1.
    pub recall: f64,
    /// The share of citations that are at expected places; `None` if no place was expected or nothing was cited.
    pub precision: Option<f64>,
    /// The share of citations whose text is what their lines contain now.
    pub exact: Option<f64>,
    /// The number of citations.
    pub citations: usize,
    /// What was expected and not found.
    pub missed: Vec<String>,
    /// The number of steps.
    pub steps: u64,
    /// The number of tokens.
    pub tokens: u64,
    /// The time in seconds.
    pub seconds: f64,
    /// The run's id.
    pub run_id: Option<String>,
    /// The error, if there was no answer.
    pub error: Option<String>,
}

/// Answers a question, and says what it used.
pub type Answerer<'a> = dyn FnMut(&SuiteQuestion, CodeRequest) -> Result<(CodeAnswer, RunUsage)> + 'a;

/// Asks every question of the suite. A failed question counts as not answered, and the others are still asked.
pub fn evaluate(
    codebase: &Codebase,
    suite: &Suite,
    model: &str,
    ask: &mut Answerer<'_>,
) -> Result<EvaluationResult> {
    suite.check()?;
    let wanted = resolve_suite(codebase, suite)?;
    let mut questions = Vec::with_capacity(suite.questions.len());
    for (question, wanted) in suite.questions.iter().zip(&wanted) {
        let asked = CodeRequest {
            question: question.ask.clone(),
            repository: Some(codebase.name().to_owned()),
            scope: question.scope.clone(),
            budget: question.budget,
            debug: false,
        };
        questions.push(score_answer(codebase, question, wanted, ask(question, asked)));
    }
    let totals = Totals::from_scores(&questions);
    Ok(EvaluationResult { suite: suite.name.clone(), model: model.to_owned(), totals, questions })
}

/// Looks up every expected place of a suite in the current files; `Err` lists those that do not exist any more.
pub fn resolve_suite(codebase: &Codebase, suite: &Suite) -> Result<Vec<Vec<ResolvedExpectation>>> {
    const SHOWN: usize = 5;
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    for question in &suite.questions {
        match resolve_expectations(codebase, question) {
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
    Err(Error::invalid(format!("the suite expects things that do not exist: {}{more}", wrong.join("; ")))
        .hint("the code has changed since the suite was written, or it is a different repository"))
}

impl Totals {
    fn from_scores(questions: &[QuestionScore]) -> Self {
        let over = |value: &dyn Fn(&QuestionScore) -> Option<f64>| {
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
