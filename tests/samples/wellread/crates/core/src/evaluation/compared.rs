//! Two evaluations of one suite side by side, question by question.

use serde::{Deserialize, Serialize};

use super::interval::{Estimate, estimate};
use super::{Evaluated, Judged};
use crate::{Error, Result};

/// How a later evaluation differs from an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    pub verdict: Change,
    /// The verdict as a sentence.
    pub said: String,
    pub differences: Vec<Difference>,
    /// The ids of the questions that went better, and worse.
    pub better: Vec<String>,
    pub worse: Vec<String>,
    /// How many questions both have.
    pub common: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Better,
    Worse,
    /// The interval of the difference holds zero.
    None,
}

/// One measure: the later minus the earlier, over the questions that have it in both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    pub measure: String,
    pub difference: Estimate,
    pub change: Change,
}

/// A measure, how it is read, and whether less of it is better.
type Measure = (&'static str, fn(&Judged) -> Option<f64>, bool);

const MEASURES: [Measure; 6] = [
    ("recall", |judged| Some(judged.recall), false),
    ("precision", |judged| judged.precision, false),
    ("exact", |judged| judged.exact, false),
    ("steps", |judged| Some(judged.steps as f64), true),
    ("tokens", |judged| Some(judged.tokens as f64), true),
    ("seconds", |judged| Some(judged.seconds), true),
];

/// The later evaluation against the earlier. Only questions that both asked in the same words are compared.
pub fn compared(earlier: &Evaluated, later: &Evaluated) -> Result<Compared> {
    if earlier.suite != later.suite {
        return Err(Error::invalid(format!(
            "the results are of two suites: `{}` and `{}`",
            earlier.suite, later.suite
        )));
    }
    let pairs: Vec<(&Judged, &Judged)> = later
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
    let differences: Vec<Difference> =
        MEASURES.iter().filter_map(|measure| difference(&pairs, measure)).collect();
    let (verdict, said) = verdict(&differences, pairs.len());
    let went = |better: bool| {
        let ids = pairs.iter().filter(|(before, now)| went_better(before, now) == Some(better));
        ids.map(|(_, now)| now.id.clone()).collect()
    };
    let alone = earlier.questions.len() + later.questions.len() - 2 * pairs.len();
    let notice = (alone > 0).then(|| {
        format!(
            "{} questions are compared; {alone} are in one of the results alone, or asked in other words",
            pairs.len()
        )
    });
    let (better, worse) = (went(true), went(false));
    Ok(Compared { verdict, said, differences, better, worse, common: pairs.len(), notice })
}

fn difference(pairs: &[(&Judged, &Judged)], (measure, of, less_is_better): &Measure) -> Option<Difference> {
    let values: Vec<f64> = pairs.iter().filter_map(|(before, now)| Some(of(now)? - of(before)?)).collect();
    let difference = estimate(&values)?;
    let change = match (difference.low > 0.0, difference.high < 0.0) {
        (true, _) if *less_is_better => Change::Worse,
        (true, _) => Change::Better,
        (_, true) if *less_is_better => Change::Better,
        (_, true) => Change::Worse,
        _ => Change::None,
    };
    Some(Difference { measure: (*measure).to_owned(), difference, change })
}

/// What is found decides; where that is the same, what is cited beside it.
fn verdict(differences: &[Difference], questions: usize) -> (Change, String) {
    let of = |name: &str| differences.iter().find(|difference| difference.measure == name);
    let decides = ["exact", "recall", "precision"]
        .into_iter()
        .filter_map(of)
        .find(|difference| difference.change != Change::None);
    let Some(Difference { measure, difference, change }) = decides else {
        return (Change::None, format!("no difference that the {questions} questions show"));
    };
    let word = if *change == Change::Better { "better" } else { "worse" };
    let said = format!(
        "{word}: {measure} differs by {:+.3} ({:+.3} to {:+.3}) over {} questions",
        difference.mean, difference.low, difference.high, difference.of
    );
    (*change, said)
}

fn went_better(before: &Judged, now: &Judged) -> Option<bool> {
    let key = |judged: &Judged| [judged.recall, judged.precision.unwrap_or_default()];
    let (before, now) = (key(before), key(now));
    before.iter().zip(&now).find(|(before, now)| before != now).map(|(before, now)| now > before)
}
