//! A language server that does everything wrong: each time the question ends with a failure that says why, in bounded
//! time and memory, and nothing of the server is left.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use wellread_core::domain::untrusted::Untrusted;
use wellread_core::ports::{ServerAnswer, ServerFailure, ServerQuestion, ServerQuestionKind};

use crate::hostile::{BEES, Hostile, place};
use crate::studied::{ask, places};

fn broken(failure: &ServerFailure) -> &str {
    match failure {
        ServerFailure::Broken { why, .. } => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_that_says_what_is_no_message_is_ended() {
    for (mode, why) in [
        ("welcomes", "not a message of the protocol"),
        ("endless head", "head of a message is too long"),
        ("large message", "too large"),
        ("garbage", "not valid JSON"),
        ("deep", "not valid JSON"),
        ("odd units", "handshake"),
    ] {
        let hostile = Hostile::new(mode, &Value::Null);
        let pool = hostile.studied.pool();
        let failure = hostile.asked(&pool).unwrap_err();
        assert!(broken(&failure).contains(why), "{mode}: {failure:?}");
        assert!(failure.message().contains("python") && failure.hint().is_some(), "{mode}");
        hostile.nothing_is_left();
    }
}

#[test]
fn an_answer_of_another_shape_is_none() {
    for wrong in [json!("x"), json!(7), json!([{"uri": 7}]), json!([[]])] {
        let hostile = Hostile::new("well", &wrong);
        let failure = hostile.asked(&hostile.studied.pool()).unwrap_err();
        assert!(broken(&failure).contains("not have the requested shape"), "{wrong}: {failure:?}");
    }
    let hostile = Hostile::new("error", &json!([-32603, -32601, -32801, -32802]));
    let pool = hostile.studied.pool();
    let failure = hostile.asked(&pool).unwrap_err();
    assert_eq!(broken(&failure), "it answered with the error -32603");
    assert!(!failure.message().contains("Ignore"));
    assert!(matches!(
        hostile.asked(&pool).unwrap_err(),
        ServerFailure::Unable { what: ServerQuestionKind::Definition, .. }
    ));
    assert_eq!(hostile.asked(&pool).unwrap(), ServerAnswer::default(), "what passes is asked again");
    assert_eq!(hostile.starts(), 1);
}

#[test]
fn a_server_that_dies_is_started_again_and_left_alone_when_it_does_so_too_often() {
    for (mode, said) in
        [("dies", Some("out of wax")), ("half", None), ("dies at start", Some("\u{1b}[31mno licence"))]
    {
        let hostile = Hostile::new(mode, &Value::Null);
        let pool = hostile.studied.pool();
        for _ in 0..3 {
            match hostile.asked(&pool).unwrap_err() {
                ServerFailure::Died { said: last, .. } => {
                    assert_eq!(last.as_ref().map(Untrusted::expose), said, "{mode}");
                }
                other => panic!("{mode}: {other:?}"),
            }
        }
        let failure = hostile.asked(&pool).unwrap_err();
        assert!(matches!(failure, ServerFailure::GivenUp { times: 3, .. }), "{mode}: {failure:?}");
        assert!(failure.hint().is_some());
        assert_eq!(hostile.starts(), 3, "{mode}");
        hostile.nothing_is_left();
    }
}

#[test]
fn a_server_that_does_not_start_in_time_is_not_ready_and_ended_in_the_end() {
    let mut hostile = Hostile::new("hangs at start", &Value::Null);
    hostile.studied.settings.start_limit = Duration::from_millis(300);
    let pool = hostile.studied.pool();
    let short = ServerQuestion { limit: Duration::from_millis(1), ..hostile.question() };
    for question in [&short, &hostile.question()] {
        let failure = ask(&pool, question).unwrap_err();
        assert!(matches!(failure, ServerFailure::NotReady { .. }), "{failure:?}");
    }
    hostile.nothing_is_left();
}

#[test]
fn a_pool_that_is_dropped_while_a_server_starts_leaves_nothing_behind() {
    let hostile = Hostile::new("hangs at start", &Value::Null);
    let pool = hostile.studied.pool();
    let short = ServerQuestion { limit: Duration::from_millis(500), ..hostile.question() };
    assert!(matches!(ask(&pool, &short).unwrap_err(), ServerFailure::NotReady { .. }));
    drop(pool);
    hostile.nothing_is_left();
}

#[test]
fn a_question_that_is_not_answered_is_taken_back_and_the_second_time_the_server_is_ended() {
    let hostile = Hostile::new("hangs", &Value::Null);
    let pool = hostile.studied.pool();
    // Once it runs, a start does not count toward the limit.
    let short = ServerQuestion { limit: Duration::from_millis(700), ..hostile.question() };
    let mut timed_out = 0;
    for _ in 0..20 {
        match ask(&pool, &short).unwrap_err() {
            ServerFailure::TimedOut { .. } => timed_out += 1,
            ServerFailure::NotReady { .. } => {}
            other => panic!("{other:?}"),
        }
        if timed_out == 2 {
            break;
        }
    }
    assert_eq!(timed_out, 2);
    let log = hostile.log();
    let id = |method: &str, pointer: &str| {
        let message = log.iter().find(|message| message["method"] == method);
        message.and_then(|message| message.pointer(pointer)).cloned().unwrap_or_else(|| panic!("no {method}"))
    };
    assert_eq!(id("$/cancelRequest", "/params/id"), id("textDocument/definition", "/id"));
    hostile.nothing_is_left();
    let deaf = Hostile::new("deaf", &Value::Null);
    let much = format!("{BEES}# {}\n", "x".repeat(3 << 20));
    let pool = deaf.studied.pool();
    let failures: Vec<_> = (0..6)
        .map(|_| {
            ask(
                &pool,
                &ServerQuestion { limit: Duration::from_millis(500), text: much.clone(), ..deaf.question() },
            )
        })
        .map(Result::unwrap_err)
        .collect();
    assert!(failures.iter().any(|failure| matches!(failure, ServerFailure::TimedOut { .. })), "{failures:?}");
    drop(pool);
    deaf.nothing_is_left();
}

#[test]
fn a_flood_of_news_and_questions_is_survived() {
    let hostile = Hostile::new("floods", &Value::Null);
    let found = place(&hostile.studied.root().join("bees.py"), 0, 0, 2);
    fs::write(hostile.studied.around().join("answers"), found.to_string()).unwrap();
    let answer = hostile.asked(&hostile.studied.pool()).unwrap();
    assert_eq!(places(&answer), ["bees.py 1:1"]);
    let complains = Hostile::new("complains", &Value::Null);
    assert_eq!(complains.asked(&complains.studied.pool()).unwrap(), ServerAnswer::default());
}

#[test]
fn an_answer_from_before_all_was_read_is_asked_for_again_or_marked() {
    let hostile = Hostile::new("indexes", &Value::Null);
    let root = hostile.studied.root();
    let both = json!([place(&root.join("bees.py"), 0, 0, 2), place(&root.join("more.py"), 0, 7, 11)]);
    fs::write(hostile.studied.around().join("answers"), both.to_string()).unwrap();
    let pool = hostile.studied.pool();
    let answer = hostile.asked(&pool).unwrap();
    assert_eq!(places(&answer), ["bees.py 1:1", "more.py 1:8"]);
    assert_eq!(answer.partial, None);

    let never = Hostile::new("never ready", &json!([place(&root.join("bees.py"), 0, 0, 2)]));
    let question = ServerQuestion { limit: Duration::from_secs(2), ..never.question() };
    let failure = ask(&never.studied.pool(), &question).unwrap_err();
    assert!(matches!(failure, ServerFailure::NotReady { .. }), "places elsewhere are none: {failure:?}");
    let found = json!([place(&never.studied.root().join("bees.py"), 0, 0, 2)]);
    fs::write(never.studied.around().join("answers"), found.to_string()).unwrap();
    let answer = ask(&never.studied.pool(), &question).unwrap();
    assert_eq!(answer.partial.unwrap(), "the language server was still reading the repository");
}
