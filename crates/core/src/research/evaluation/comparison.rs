//! Compares two evaluations of one suite, question by question.

use serde::{Deserialize, Serialize};

use super::interval::{Estimate, estimate};
use super::{EvaluationResult, QuestionScore};
use crate::{Error, Result};

/// How a later evaluation differs from an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationComparison {
    /// The change as a whole.
    pub verdict: ScoreChange,
    /// The verdict as a sentence.
    pub said: String,
    /// The change of each measure.
    pub differences: Vec<MeasureDifference>,
    /// The ids of the questions that got better.
    pub better: Vec<String>,
    /// The ids of the questions that got worse.
    pub worse: Vec<String>,
    /// How many questions both evaluations have.
    pub common: usize,
    /// A notice for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// How a score changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreChange {
    /// It got better.
    Better,
    /// It got worse.
    Worse,
    /// The interval of the difference contains zero.
    None,
}

/// The change of one measure: later minus earlier, over the questions that have it in both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasureDifference {
    /// The measure's name.
    pub measure: String,
    /// The mean difference.
    pub difference: Estimate,
    /// How the measure changed.
    pub change: ScoreChange,
}

/// A measure's name, how it is read, and whether less of it is better.
type Measure = (&'static str, fn(&QuestionScore) -> Option<f64>, bool);

const MEASURES: [Measure; 6] = [
    ("recall", |judged| Some(judged.recall), false),
    ("precision", |judged| judged.precision, false),
    ("exact", |judged| judged.exact, false),
    ("steps", |judged| Some(judged.steps as f64), true),
    ("tokens", |judged| Some(judged.tokens as f64), true),
    ("seconds", |judged| Some(judged.seconds), true),
];

/// Compares a later evaluation with an earlier one. Only questions that both asked in the same words count; `Err` if
/// there are none, or the suites differ.
pub fn compare_evaluations(
    earlier: &EvaluationResult,
    later: &EvaluationResult,
) -> Result<EvaluationComparison> {
    if earlier.suite != later.suite {
        return Err(Error::invalid(format!(
            "the results belong to two suites: `{}` and `{}`",
            earlier.suite, later.suite
        )));
    }
    let pairs: Vec<(&QuestionScore, &QuestionScore)> = later
        .questions
        .iter()
        .filter_map(|now| {
            let before =
                earlier.questions.iter().find(|before| before.id == now.id && before.ask == now.ask)?;
            Some((before, now))
        })
        .collect();
    if pairs.is_empty() {
        return Err(Error::invalid("the two results have no question in common"));
    }
    let differences: Vec<MeasureDifference> =
        MEASURES.iter().filter_map(|measure| measure_difference(&pairs, measure)).collect();
    let (verdict, said) = decide_verdict(&differences, pairs.len());
    let went = |better: bool| {
        let ids = pairs.iter().filter(|(before, now)| is_better(before, now) == Some(better));
        ids.map(|(_, now)| now.id.clone()).collect()
    };
    let alone = earlier.questions.len() + later.questions.len() - 2 * pairs.len();
    let notice = (alone > 0).then(|| {
        format!(
            "{} questions are compared; {alone} are in only one of the results, or worded differently",
            pairs.len()
        )
    });
    let (better, worse) = (went(true), went(false));
    Ok(EvaluationComparison { verdict, said, differences, better, worse, common: pairs.len(), notice })
}

fn measure_difference(
    pairs: &[(&QuestionScore, &QuestionScore)],
    (measure, of, less_is_better): &Measure,
) -> Option<MeasureDifference> {
    let values: Vec<f64> = pairs.iter().filter_map(|(before, now)| Some(of(now)? - of(before)?)).collect();
    let difference = estimate(&values)?;
    let change = match (difference.low > 0.0, difference.high < 0.0) {
        (true, _) if *less_is_better => ScoreChange::Worse,
        (true, _) => ScoreChange::Better,
        (_, true) if *less_is_better => ScoreChange::Better,
        (_, true) => ScoreChange::Worse,
        _ => ScoreChange::None,
    };
    Some(MeasureDifference { measure: (*measure).to_owned(), difference, change })
}

/// The first of exactness, recall and precision that changed decides.
fn decide_verdict(differences: &[MeasureDifference], questions: usize) -> (ScoreChange, String) {
    let of = |name: &str| differences.iter().find(|difference| difference.measure == name);
    let decides = ["exact", "recall", "precision"]
        .into_iter()
        .filter_map(of)
        .find(|difference| difference.change != ScoreChange::None);
    let Some(MeasureDifference { measure, difference, change }) = decides else {
        return (ScoreChange::None, format!("no difference across the {questions} questions"));
    };
    let word = if *change == ScoreChange::Better { "better" } else { "worse" };
    let said = format!(
        "{word}: {measure} differs by {:+.3} ({:+.3} to {:+.3}) over {} questions",
        difference.mean, difference.low, difference.high, difference.of
    );
    (*change, said)
}

fn is_better(before: &QuestionScore, now: &QuestionScore) -> Option<bool> {
    let key = |judged: &QuestionScore| [judged.recall, judged.precision.unwrap_or_default()];
    let (before, now) = (key(before), key(now));
    before.iter().zip(&now).find(|(before, now)| before != now).map(|(before, now)| now > before)
}
