//! Intervals on known figures, comparisons, and suites that make no sense.

use serde_json::{Value, json};

use super::*;

fn question(id: &str, recall: f64, precision: f64) -> QuestionScore {
    QuestionScore {
        id: id.to_owned(),
        ask: format!("where is {id}?"),
        recall,
        precision: Some(precision),
        exact: Some(1.0),
        citations: 3,
        missed: Vec::new(),
        steps: 4,
        tokens: 100,
        seconds: 1.5,
        run_id: None,
        error: None,
    }
}

fn evaluated(recalls: &[f64]) -> EvaluationResult {
    let questions: Vec<QuestionScore> =
        recalls.iter().enumerate().map(|(at, recall)| question(&format!("q{at}"), *recall, 0.5)).collect();
    EvaluationResult {
        suite: "s".to_owned(),
        model: "none".to_owned(),
        totals: Totals::from_scores(&questions),
        questions,
    }
}

#[test]
fn an_interval_holds_the_mean_and_narrows_with_more_questions() {
    let few: Vec<f64> = (0..10).map(|at| f64::from(at % 2)).collect();
    let many: Vec<f64> = (0..1000).map(|at| f64::from(at % 2)).collect();
    let (few, many) = (estimate(&few).unwrap(), estimate(&many).unwrap());
    for Estimate { mean, low, high, .. } in [few, many] {
        assert!((mean - 0.5).abs() < 1e-9 && low < 0.5 && 0.5 < high, "{low} {mean} {high}");
    }
    // The deviation of a mean of n tosses is 0.5/√n; 1.96 of them to either side.
    assert!((few.high - few.low - 2.0 * 1.96 * 0.5 / 10f64.sqrt()).abs() < 0.12, "{few:?}");
    assert!((many.high - many.low - 2.0 * 1.96 * 0.5 / 1000f64.sqrt()).abs() < 0.01, "{many:?}");
}

#[test]
fn figures_that_are_all_the_same_have_no_width_and_none_have_no_estimate() {
    assert_eq!(estimate(&[0.25; 7]), Some(Estimate { mean: 0.25, low: 0.25, high: 0.25, of: 7 }));
    assert_eq!(estimate(&[]), None);
    let values: Vec<f64> = (0..20).map(f64::from).collect();
    assert_eq!(estimate(&values), estimate(&values));
}

#[test]
fn identical_runs_do_not_differ() {
    let one = evaluated(&[1.0, 0.5, 0.0, 0.75]);
    let same = compare_evaluations(&one, &one).unwrap();
    assert_eq!((same.verdict, same.common), (ScoreChange::None, 4));
    assert_eq!(same.said, "no difference across the 4 questions");
    assert!(same.better.is_empty() && same.worse.is_empty() && same.notice.is_none());
    assert!(
        same.differences.iter().all(|each| each.difference.mean == 0.0 && each.change == ScoreChange::None)
    );
}

#[test]
fn a_run_that_finds_more_is_better_and_the_other_way_round_worse() {
    let low = evaluated(&[0.0, 0.1, 0.2, 0.0, 0.3, 0.1, 0.2, 0.1]);
    let high = evaluated(&[0.9, 1.0, 1.0, 0.8, 0.9, 1.0, 1.0, 0.1]);
    let up = compare_evaluations(&low, &high).unwrap();
    assert_eq!(up.verdict, ScoreChange::Better);
    assert!(up.said.starts_with("better: recall differs by +0.7"), "{}", up.said);
    assert_eq!((up.better.len(), up.worse.len()), (7, 0));
    assert_eq!(compare_evaluations(&high, &low).unwrap().verdict, ScoreChange::Worse);
    // One question more out of many is no difference that they show.
    let (one, other) = (evaluated(&[0.5; 8]), evaluated(&[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0]));
    let hardly = compare_evaluations(&one, &other).unwrap();
    assert_eq!((hardly.verdict, hardly.better), (ScoreChange::None, vec!["q7".to_owned()]));
}

#[test]
fn less_time_is_better() {
    let slow = evaluated(&[1.0; 5]);
    let mut fast = slow.clone();
    fast.questions.iter_mut().for_each(|question| question.seconds = 0.5);
    let compared = compare_evaluations(&slow, &fast).unwrap();
    let seconds = compared.differences.iter().find(|each| each.measure == "seconds").unwrap();
    assert_eq!((seconds.change, compared.verdict), (ScoreChange::Better, ScoreChange::None));
}

#[test]
fn only_questions_that_both_have_are_compared_and_it_says_so() {
    let (one, mut other) = (evaluated(&[1.0, 0.0, 0.5]), evaluated(&[1.0, 0.0]));
    other.questions[1].ask = "something else?".to_owned();
    let compared = super::compare_evaluations(&one, &other).unwrap();
    assert_eq!(compared.common, 1);
    assert!(compared.notice.unwrap().starts_with("1 questions are compared; 3 are in only one"), "");
    other.questions.clear();
    assert!(super::compare_evaluations(&one, &other).is_err());
    let another = EvaluationResult { suite: "t".to_owned(), ..evaluated(&[1.0]) };
    let error = super::compare_evaluations(&one, &another).unwrap_err();
    assert!(error.message().contains("two suites: `s` and `t`"), "{error}");
}

#[test]
fn a_result_file_is_read_as_it_was_written() {
    let one = evaluated(&[1.0, 0.25]);
    let text = serde_json::to_string(&one).unwrap();
    assert_eq!(serde_json::from_str::<EvaluationResult>(&text).unwrap(), one);
}

fn suite(question: &Value) -> std::result::Result<Suite, String> {
    let suite = json!({ "name": "s", "repository": "code", "question": [question] });
    let suite: Suite = serde_json::from_value(suite).map_err(|error| error.to_string())?;
    suite.check().map_err(|error| error.to_string())?;
    Ok(suite)
}

#[test]
fn a_suite_that_makes_no_sense_is_an_error_that_says_why() {
    let good = json!({ "id": "a", "ask": "where?", "expect": { "files": ["a.py"] } });
    assert!(suite(&good).is_ok());
    let with = |name: &str, value: Value| {
        let mut question = good.clone();
        question[name] = value;
        question
    };
    for (question, why) in [
        (with("expct", json!(1)), "unknown field `expct`"),
        (with("expect", json!({})), "the question `a` expects nothing"),
        (with("expect", json!({ "line": ["a:1"] })), "unknown field `line`"),
        (with("expect", json!({ "lines": ["a.py"] })), "`a.py` names no lines"),
        (with("expect", json!({ "lines": ["a.py:x-2"] })), "names no lines"),
        (with("expect", json!({ "lines": ["a.py:9-2"] })), "are not a range"),
        (with("expect", json!({ "lines": ["a.py:0"] })), "are not a range"),
        (with("expect", json!({ "facts": [" "] })), "an empty fact"),
        (with("id", json!("")), "a question has no id"),
        (with("ask", json!(" ")), "asks nothing"),
        (with("budget", json!(0)), "a budget of zero steps"),
        (with("budget", json!(21)), "the maximum is 20"),
    ] {
        let error = suite(&question).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
    let two = json!({ "name": "s", "repository": "x", "question": [good.clone(), good] });
    let error = serde_json::from_value::<Suite>(two).unwrap().check().unwrap_err();
    assert_eq!(error.message(), "two questions have the id `a`");
    let none: Suite = serde_json::from_value(json!({ "name": "s", "repository": "x" })).unwrap();
    assert_eq!(none.check().unwrap_err().message(), "the suite has no questions");
}

#[test]
fn lines_are_touched_and_symbols_lain_in() {
    let cite = |first, last| crate::research::Citation {
        id: "e".to_owned(),
        path: "a.py".to_owned(),
        start_line: first,
        end_line: last,
        provenance: crate::domain::evidence::Provenance::Bm25,
        text: String::new(),
    };
    let region = |is_symbol| Region { path: "a.py".to_owned(), lines: Some((10, 20)), is_symbol };
    for (first, last, touched, lies) in [
        (10, 20, true, true),
        (12, 14, true, true),
        (20, 40, true, false),
        (1, 40, true, true),
        (5, 14, true, true),
        (21, 30, false, false),
        (1, 9, false, false),
    ] {
        assert_eq!(region(false).is_reached(&cite(first, last)), touched, "{first}-{last}");
        assert_eq!(region(true).is_reached(&cite(first, last)), lies, "{first}-{last}");
    }
    let whole = Region { path: "a.py".to_owned(), lines: None, is_symbol: false };
    assert!(
        whole.is_reached(&cite(7, 7)) && !Region { path: "b.py".to_owned(), ..whole }.touches(&cite(7, 7))
    );
}
