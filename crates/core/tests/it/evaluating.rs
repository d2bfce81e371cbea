//! Questions asked of a scripted answerer, and judged.

use wellread_core::code::codebase::{Codebase, Scope};
use wellread_core::library::search::Provenance;
use wellread_core::ports::event::RunUsage;
use wellread_core::research::evaluation::{EvaluationResult, Suite, evaluate, resolve_suite};
use wellread_core::research::{Citation, CodeAnswer};
use wellread_core::{Error, Result};
use wellread_testkit::World;

const CODE: &str = "\
-- src/store.py
LIMIT = 7

def open(path):
    return read(path)

def read(path):
    return path * LIMIT
-- src/other.py
def close():
    pass
";

fn codebase() -> Codebase {
    let world = World::new("").with_repository("wax", CODE);
    world.index();
    Codebase::new(world.search.library.clone(), "wax", Scope::default()).unwrap()
}

fn suite(questions: &str) -> Suite {
    serde_json::from_str(&format!(
        "{{\"name\": \"s\", \"repository\": \"wax\", \"question\": [{questions}]}}"
    ))
    .unwrap()
}

fn citation(path: &str, lines: (usize, usize), text: &str) -> Citation {
    Citation {
        id: "ev-1".to_owned(),
        path: path.to_owned(),
        start_line: lines.0,
        end_line: lines.1,
        provenance: Provenance::Bm25,
        text: text.to_owned(),
    }
}

fn answer(text: &str, citations: Vec<Citation>) -> Result<(CodeAnswer, RunUsage)> {
    let answer = CodeAnswer {
        answer: text.to_owned(),
        citations,
        confidence: 0.5,
        run_id: "r".to_owned(),
        notice: None,
        coverage: None,
        steps: Vec::new(),
    };
    Ok((
        answer,
        RunUsage { steps: 3, seconds: 0.5, tokens_read: 10, tokens_written: 5, ..RunUsage::default() },
    ))
}

fn judged(questions: &str, answers: Vec<Result<(CodeAnswer, RunUsage)>>) -> EvaluationResult {
    let mut answers = answers.into_iter();
    let mut ask = |_: &_, asked: wellread_core::research::CodeRequest| {
        assert_eq!(asked.repository.as_deref(), Some("wax"));
        answers.next().expect("no more questions than answers")
    };
    let evaluated = evaluate(&codebase(), &suite(questions), "none", &mut ask).unwrap();
    assert!(answers.next().is_none());
    evaluated
}

const FOUR: &str = r#"{"id": "a", "ask": "where?", "expect": {"files": ["src/other.py"], "lines": ["src/store.py:1"], "symbols": ["store.py::read"], "facts": ["path * limit"]}}"#;

#[test]
fn what_is_found_is_counted_and_what_is_not_is_named() {
    let all = vec![
        citation("src/store.py", (6, 7), "def read(path):\n    return path * LIMIT"),
        citation("src/other.py", (1, 1), "def close():"),
        citation("src/store.py", (1, 1), "LIMIT = 7"),
    ];
    let judged_all = judged(FOUR, vec![answer("It is read.", all)]);
    let one = &judged_all.questions[0];
    assert_eq!((one.recall, one.precision, one.exact, one.citations), (1.0, Some(1.0), Some(1.0), 3));
    assert_eq!((one.steps, one.tokens, one.seconds, one.missed.len()), (3, 15, 0.5, 0));

    let some = vec![
        citation("src/store.py", (3, 4), "def open(path):\n    return read(path)"),
        citation("src/store.py", (6, 7), "def read(path):\n    return path * LIMIT"),
        citation("src/other.py", (1, 1), "def closed():"),
    ];
    let judged_some = judged(FOUR, vec![answer("So it is.", some)]);
    let one = &judged_some.questions[0];
    assert_eq!((one.recall, one.missed.as_slice()), (0.75, ["src/store.py:1-1".to_owned()].as_slice()));
    // `open` was asked for by nobody, and the last citation does not hold what its line holds.
    assert_eq!((one.precision, one.exact), (Some(2.0 / 3.0), Some(2.0 / 3.0)));
}

#[test]
fn a_question_that_fails_finds_nothing_and_the_others_are_asked() {
    let two =
        format!("{FOUR}, {{\"id\": \"b\", \"ask\": \"what?\", \"expect\": {{\"facts\": [\"Seven\"]}}}}");
    let evaluated =
        judged(&two, vec![Err(Error::failed("no answer in time")), answer("It is  seven.", Vec::new())]);
    let [one, other] = &evaluated.questions[..] else { panic!("{evaluated:?}") };
    assert_eq!((one.recall, one.missed.len(), one.error.as_deref()), (0.0, 4, Some("no answer in time")));
    assert_eq!((other.recall, other.precision, other.exact), (1.0, None, None));
    assert_eq!((evaluated.totals.failed, evaluated.totals.recall.unwrap().mean), (1, 0.5));
    assert_eq!(evaluated.totals.precision, None);
}

#[test]
fn a_suite_that_expects_what_is_not_there_is_refused_before_anything_is_asked() {
    let rotten = |expect: &str| {
        let suite = suite(&format!("{{\"id\": \"a\", \"ask\": \"b\", \"expect\": {expect}}}"));
        resolve_suite(&codebase(), &suite).unwrap_err().message().to_owned()
    };
    for (expect, why) in [
        (r#"{"files": ["src/gone.py"]}"#, "question `a`: there is no file `src/gone.py`"),
        (r#"{"lines": ["src/other.py:2-3"]}"#, "question `a`: `src/other.py:2-3`: the file has 2 lines"),
        (r#"{"symbols": ["gone"]}"#, "question `a`: there is no symbol `gone`"),
        (r#"{"files": ["../x"]}"#, "question `a`: "),
    ] {
        assert!(rotten(expect).contains(why), "{expect}: {}", rotten(expect));
    }
}
