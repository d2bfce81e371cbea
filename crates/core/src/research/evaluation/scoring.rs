//! Scores an answer against what was expected of it.

use wellread_text::fold;

use super::{QuestionScore, ResolvedExpectation, SuiteQuestion};
use crate::Result;
use crate::code::codebase::Codebase;
use crate::ports::event::RunUsage;
use crate::research::{Citation, CodeAnswer};

/// Scores an answer. A failed question has recall 0 and all expectations missed.
pub fn score_answer(
    codebase: &Codebase,
    question: &SuiteQuestion,
    wanted: &[ResolvedExpectation],
    answered: Result<(CodeAnswer, RunUsage)>,
) -> QuestionScore {
    let mut judged = QuestionScore {
        id: question.id.clone(),
        ask: question.ask.clone(),
        recall: 0.0,
        precision: None,
        exact: None,
        citations: 0,
        missed: wanted.iter().map(|expected| expected.written.clone()).collect(),
        steps: 0,
        tokens: 0,
        seconds: 0.0,
        run_id: None,
        error: None,
    };
    let (answer, spent) = match answered {
        Ok(answered) => answered,
        Err(error) => {
            judged.error = Some(error.message().to_owned());
            return judged;
        }
    };
    let missed: Vec<&ResolvedExpectation> =
        wanted.iter().filter(|expected| !is_found(expected, &answer)).collect();
    judged.recall = ratio(wanted.len() - missed.len(), wanted.len()).unwrap_or(1.0);
    judged.missed = missed.into_iter().map(|expected| expected.written.clone()).collect();
    let cited = &answer.citations;
    judged.citations = cited.len();
    if question.expect.has_places() {
        let leads = |citation: &&Citation| {
            wanted.iter().flat_map(|expected| &expected.regions).any(|region| region.touches(citation))
        };
        judged.precision = ratio(cited.iter().filter(leads).count(), cited.len());
    }
    judged.exact = ratio(cited.iter().filter(|citation| is_exact(codebase, citation)).count(), cited.len());
    judged.steps = spent.steps;
    judged.tokens = spent.tokens_read + spent.tokens_written;
    judged.seconds = spent.seconds;
    judged.run_id = Some(answer.run_id);
    judged
}

fn ratio(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn is_found(expected: &ResolvedExpectation, answer: &CodeAnswer) -> bool {
    if expected.regions.is_empty() {
        let fact = normalize_text(&expected.written);
        return normalize_text(&answer.answer).contains(&fact)
            || answer.citations.iter().any(|citation| normalize_text(&citation.text).contains(&fact));
    }
    answer.citations.iter().any(|citation| expected.regions.iter().any(|region| region.is_reached(citation)))
}

/// Whether the cited lines still contain the cited text.
fn is_exact(codebase: &Codebase, citation: &Citation) -> bool {
    let held = codebase.parse_path(&citation.path).and_then(|path| {
        codebase.read(&path)?.lines(&codebase.corpus, citation.start_line, citation.end_line)
    });
    held.is_ok_and(|(place, text)| text == citation.text && place.lines.1 == citation.end_line)
}

/// Text without differences in case and white space.
fn normalize_text(text: &str) -> String {
    fold(text).split_whitespace().collect::<Vec<_>>().join(" ")
}
