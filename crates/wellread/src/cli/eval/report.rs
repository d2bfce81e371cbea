//! An evaluation for people.

use std::time::Duration;

use wellread_core::domain::display::{counted, render_duration};
use wellread_core::research::evaluation::{
    Estimate, EvaluationComparison, EvaluationResult, QuestionScore, ScoreChange,
};

pub fn render_evaluation(evaluated: &EvaluationResult) -> String {
    let mut lines: String = evaluated.questions.iter().map(render_question).collect();
    let totals = &evaluated.totals;
    lines += &format!(
        "\n{}: {}, model {}\n",
        evaluated.suite,
        counted(evaluated.questions.len(), "question", "questions"),
        evaluated.model
    );
    for (name, estimate, places) in [
        ("recall", totals.recall, 3),
        ("precision", totals.precision, 3),
        ("exact", totals.exact, 3),
        ("steps", totals.steps, 1),
        ("tokens", totals.tokens, 0),
        ("seconds", totals.seconds, 2),
    ] {
        lines += &render_total(name, estimate, places);
    }
    if totals.failed > 0 {
        lines += &format!("  {} could not be answered\n", totals.failed);
    }
    lines
}

fn render_question(judged: &QuestionScore) -> String {
    let precision = judged.precision.map_or("    –".to_owned(), |share| format!("{share:>5.2}"));
    let mut line = format!(
        "{:<28} recall {:>5.2}  precision {precision}  {}, {}, {}, {}\n",
        judged.id,
        judged.recall,
        counted(judged.citations, "citation", "citations"),
        counted(judged.steps, "step", "steps"),
        counted(judged.tokens, "token", "tokens"),
        render_duration(Duration::try_from_secs_f64(judged.seconds).unwrap_or_default())
    );
    if let Some(error) = &judged.error {
        line += &format!("    failed: {error}\n");
    } else if !judged.missed.is_empty() {
        line += &format!("    missed: {}\n", judged.missed.join(", "));
    }
    line
}

fn render_total(name: &str, estimate: Option<Estimate>, places: usize) -> String {
    match estimate {
        Some(Estimate { mean, low, high, of }) => {
            format!(
                "  {name:<10} {mean:.places$}  ({low:.places$} to {high:.places$}, {})\n",
                counted(of, "question", "questions")
            )
        }
        None => format!("  {name:<10} –\n"),
    }
}

pub fn render_comparison(compared: &EvaluationComparison) -> String {
    let mut lines = format!("\nCompared with the earlier run: {}\n", compared.said);
    for difference in &compared.differences {
        let Estimate { mean, low, high, .. } = difference.difference;
        let word = match difference.change {
            ScoreChange::Better => "better",
            ScoreChange::Worse => "worse",
            ScoreChange::None => "",
        };
        let line = format!("  {:<10} {mean:+.3}  ({low:+.3} to {high:+.3})  {word}", difference.measure);
        lines += &format!("{}\n", line.trim_end());
    }
    for (word, ids) in [("better", &compared.better), ("worse", &compared.worse)] {
        if !ids.is_empty() {
            lines += &format!("  {word}: {}\n", ids.join(", "));
        }
    }
    if let Some(notice) = &compared.notice {
        lines += &format!("  {notice}\n");
    }
    lines
}
