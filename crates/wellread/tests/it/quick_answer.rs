//! `wellread ask` against a small web: an answer, a question back, unsure or unavailable, and nothing that is not for people.

use std::process::Command;

use serde_json::{Value, json};
use wellread_testkit::web_server::{WebServerReply, brave, duckduckgo, duckduckgo_puzzle, searxng, tavily};
use wellread_testkit::{ModelServer, Turn, WebServer};

use crate::desk::{Desk, Ran, borne_out};
use crate::partner::with;
use crate::study::{FOUND, Study, desk, id_of, thinks, web, with_web};

const QUESTION: &str = "How many bees does a strong hive hold?";
const KEY: &str = "sk-very-secret";

/// The binary with these services, all of them at this web.
fn services<'a>(command: &'a mut Command, names: &str, base: &str) -> &'a mut Command {
    command.env("WELLREAD_SEARCH_SERVICES", names);
    for name in ["DUCKDUCKGO", "BRAVE", "TAVILY", "SEARXNG"] {
        command.env(format!("WELLREAD_SEARCH_{name}_BASE_URL"), base);
    }
    command
}

fn keys(command: &mut Command) -> &mut Command {
    command.env("BRAVE_API_KEY", KEY).env("TAVILY_API_KEY", KEY)
}

/// Whatever the answer is, no key is anywhere. The status is 3 where nothing was found, and otherwise 0.
fn ask(command: &mut Command, question: &str) -> (Value, Ran) {
    let ran = Ran::of(command.args(["ask", "--json", question]));
    assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "{ran:?}");
    let answer = ran.json();
    let found_nothing = answer["kind"] == "unsure" && answer["source"].is_null();
    assert_eq!(
        (ran.status, &answer["success"]),
        (Some(if found_nothing { 3 } else { 0 }), &json!(true)),
        "{ran:?}"
    );
    (answer, ran)
}

#[test]
fn a_service_that_answers_by_itself_costs_no_call_of_the_model() {
    let desk = desk();
    let (web, model) = (WebServer::start(), ModelServer::start([]));
    let rows = [("Hives", web.url("/hive"), "At midsummer a strong hive holds about 60,000 bees.")];
    let rows = rows.each_ref().map(|(title, url, snippet)| (*title, url.as_str(), *snippet));
    web.add_reply("/search", tavily(Some("A strong hive holds about 60,000 bees at midsummer."), &rows));
    let mut command = desk.here();
    with(keys(services(&mut command, "tavily", &web.base)), &model);
    let (answer, _) = ask(&mut command, QUESTION);
    assert_eq!(answer["kind"], "answer", "{answer}");
    assert_eq!(
        answer["answer"],
        format!("A strong hive holds about 60,000 bees at midsummer.\n\nSource: {}", web.url("/hive"))
    );
    let asked = web.requests();
    let [asked] = asked.as_slice() else { panic!("one request: {asked:?}") };
    let body: Value = serde_json::from_str(&asked.body).unwrap();
    assert_eq!(
        (&body["include_answer"], &body["max_results"], &body["search_depth"], &body["query"]),
        (&json!("advanced"), &json!(3), &json!("basic"), &json!(QUESTION)),
        "{body}"
    );
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    // For people: the paragraph, a blank line, and the source.
    let mut command = desk.here();
    keys(services(&mut command, "tavily", &web.base));
    let ran = Ran::of(command.args(["ask", "how", "many", "bees?"]));
    assert_eq!(ran.status, Some(0));
    assert!(ran.stdout.trim_end().ends_with(&format!("\n\nSource: {}", web.url("/hive"))), "{ran:?}");
}

#[test]
fn an_answer_of_a_few_letters_counts_as_none() {
    let desk = desk();
    let web = WebServer::start();
    let url = web.url("/hive");
    web.add_reply("/search", tavily(Some("Yes, many."), &[("Hives", &url, FOUND)]));
    let mut command = desk.here();
    keys(services(&mut command, "tavily", &web.base));
    let (answer, _) = ask(&mut command, QUESTION);
    let said = answer["answer"].as_str().unwrap();
    assert!(!said.contains("Yes, many") && said.contains("60,000 bees"), "{answer}");
}

#[test]
fn the_model_answers_from_what_was_found_and_is_checked() {
    let good =
        |prompt: &str| format!("A strong hive holds 60,000 bees at midsummer [{}].", id_of(prompt, FOUND));
    let study = Study::new(web(), thinks(1, &[], good));
    study.web.add_reply("/hive", WebServerReply::status(404));
    let (answer, _) = ask(&mut study.here(), QUESTION);
    assert_eq!((&answer["kind"], &answer["source"]), (&json!("answer"), &json!(study.web.url("/hive"))));
    let said = answer["answer"].as_str().unwrap();
    assert!(said.starts_with("A strong hive holds 60,000 bees at midsummer.\n\nSource: "), "{said}");
    assert_eq!(borne_out(&answer["coverage"]), 1, "{answer}");
    let run = answer["run_id"].as_str().unwrap();
    let verified = study.run(&["verify", run, "--json"]).done();
    assert_eq!(borne_out(&verified["coverage"]), 1, "{verified}");

    // What the evidence does not bear is no answer, whatever the model says to that.
    let wrong =
        |prompt: &str| format!("A strong hive holds 90,000 bees at midsummer [{}].", id_of(prompt, FOUND));
    study.model.push_turns(thinks(2, &[], wrong));
    let (refused, _) = ask(&mut study.here(), QUESTION);
    let said = refused["answer"].as_str().unwrap();
    assert!(!said.contains("90,000") && said.contains(FOUND), "{refused}");
    assert!(refused["notice"].as_str().unwrap().contains("did not bear out"), "{refused}");

    // One that fails leaves the best sentences, quoted.
    study.model.push_turns((0..6).map(|_| Turn::status(400, "{\"error\":{\"message\":\"secret trouble\"}}")));
    let (quoted, ran) = ask(&mut study.here(), QUESTION);
    assert!(quoted["answer"].as_str().unwrap().contains(FOUND), "{quoted}");
    assert!(!ran.stdout.contains("secret trouble"), "{ran:?}");
}

#[test]
fn a_broad_question_gets_a_question_back_and_nothing_is_asked() {
    let study = Study::new(WebServer::start(), []);
    for (broad, names) in [("bees", "Wintering"), ("  ?! ", "What would you like")] {
        let (answer, _) = ask(&mut study.here(), broad);
        let said = answer["answer"].as_str().unwrap();
        assert!(answer["kind"] == "clarify" && said.ends_with('?'), "{answer}");
        assert!(said.contains(names) || said.contains("Bees") || said.contains("Notes"), "{broad}: {answer}");
    }
    assert_eq!(study.web.request_lines(), [""; 0]);
    assert!(study.model.requests_so_far().is_empty());
}

#[test]
fn a_question_that_is_far_too_long_is_refused_in_a_sentence() {
    let study = Study::new(WebServer::start(), []);
    let long = "why ".repeat(25_000);
    let refused = study.run(&["ask", "--json", &long]).failed(2);
    assert!(refused["error"].as_str().unwrap().contains("longer than"), "{refused}");
    study.run(&["tool", "research", &json!({ "query": long }).to_string()]).failed(2);
    study.run(&["tool", "research", "{}"]).failed(2);
    assert_eq!(study.web.request_lines(), [""; 0]);
}

#[test]
fn what_cannot_be_looked_up_is_said_in_one_practical_sentence() {
    let unavailable = |command: &mut Command| {
        let (answer, ran) = ask(command, QUESTION);
        assert_eq!(answer["kind"], "unavailable", "{answer}");
        let said = answer["answer"].as_str().unwrap();
        assert_eq!(said, "I couldn't look that up right now; please try again in a few minutes.");
        for told in [&ran.stdout, &ran.stderr] {
            for technical in
                ["429", "500", "401", "status", "refused", "onnection", "API_KEY", "127.0.0.1", "error"]
            {
                assert!(!told.contains(technical), "{technical}: {ran:?}");
            }
        }
    };
    let desk = desk();
    for status in [429, 500, 401, 404] {
        for (service, path) in [
            ("duckduckgo", "/html/"),
            ("brave", "/res/v1/web/search"),
            ("tavily", "/search"),
            ("searxng", "/search"),
        ] {
            let web = WebServer::start().with_reply(path, WebServerReply::status(status));
            let mut command = desk.here();
            unavailable(keys(services(&mut command, service, &web.base)));
            assert!(!web.requests().is_empty());
        }
    }
    let robot = WebServer::start().with_reply("/html/", duckduckgo_puzzle());
    unavailable(services(&mut desk.here(), "duckduckgo", &robot.base));
    // Without a key nobody is asked at all.
    let web = WebServer::start();
    unavailable(services(&mut desk.here(), "brave,tavily", &web.base));
    assert_eq!(web.request_lines(), [""; 0]);
    let gone = web.base.clone();
    drop(web);
    unavailable(services(&mut desk.here(), "duckduckgo", &gone));
}

#[test]
fn one_service_that_fails_leaves_the_question_to_the_next() {
    let desk = desk();
    let web = WebServer::start();
    let url = web.url("/hive");
    let rows = [("Hives", url.as_str(), FOUND)];
    web.add_reply("/html/", duckduckgo_puzzle());
    web.add_reply("/res/v1/web/search", WebServerReply::status(429));
    web.add_reply("/search", searxng(&rows));
    let mut command = desk.here();
    let (answer, _) = ask(keys(services(&mut command, "duckduckgo,brave,searxng", &web.base)), QUESTION);
    assert_eq!((&answer["kind"], &answer["source"]), (&json!("answer"), &json!(url)), "{answer}");
    let paths: Vec<String> =
        web.request_lines().iter().map(|line| line.split(['?', ' ']).nth(1).unwrap().to_owned()).collect();
    assert_eq!(paths, ["/html/", "/res/v1/web/search", "/search"]);
    // The page of the result stands at an internal address that nobody allowed: it is not fetched.
    let working = WebServer::start().with_reply("/res/v1/web/search", brave(&rows));
    let mut command = desk.here();
    let (answer, _) = ask(keys(services(&mut command, "brave,searxng", &working.base)), QUESTION);
    assert_eq!(answer["kind"], "answer", "{answer}");
    assert_eq!(working.requests().len(), 1, "who answers is the last who is asked");
}

#[test]
fn nothing_that_speaks_of_it_is_said_with_doubt() {
    let desk = desk();
    let web = WebServer::start().with_reply("/html/", duckduckgo(&[]));
    let (answer, _) =
        ask(with_web(&mut desk.here(), &web), "Which zeppelins crossed Patagonia before breakfast?");
    assert_eq!(answer["kind"], "unsure", "{answer}");
    assert!(answer["answer"].as_str().unwrap().starts_with("I'm not fully certain, but "), "{answer}");
}

#[test]
fn without_a_service_notes_answer_and_the_web_is_one_setting_away() {
    let desk = desk();
    let question = "How many bees does a hive hold in winter?";
    let (answer, _) = ask(&mut desk.here(), question);
    assert_eq!(answer["kind"], "answer", "{answer}");
    assert!(answer["answer"].as_str().unwrap().contains("10,000 bees in winter"), "{answer}");
    assert!(answer["source"].as_str().unwrap().starts_with("Wintering.md:"), "{answer}");
    assert!(answer["notice"].as_str().unwrap().contains("search.services"), "{answer}");

    // `--web` is DuckDuckGo, for this call.
    let web = web();
    web.add_reply("/hive", WebServerReply::status(404));
    let ask_web = |desk: &Desk| {
        let mut command = desk.here();
        command.env("WELLREAD_SEARCH_DUCKDUCKGO_BASE_URL", &web.base);
        Ran::of(command.args(["ask", "--web", "--json", QUESTION])).done()
    };
    let answer = ask_web(&desk);
    assert_eq!((&answer["source"], &answer["notice"]), (&json!(web.url("/hive")), &Value::Null), "{answer}");
    assert_eq!(web.request_lines().len(), 1, "{:?}", web.request_lines());
}

#[test]
fn an_answer_by_meaning_is_replayed_without_the_model_that_chose_it() {
    let desk = Desk::new().with_built_in_model();
    let question = "how cold may it be when I open a hive";
    let answer = desk.run(["--offline", "ask", question, "--json"]).done();
    let without = |args: &[&str]| {
        let mut command = desk.here();
        Ran::of(command.env("WELLREAD_EMBEDDING_PROVIDER", "none").args(args)).done()
    };
    let again = without(&["--offline", "ask", question, "--json"]);
    assert_ne!(again["answer"], answer["answer"], "words alone choose otherwise, or this shows nothing");
    let run = answer["run_id"].as_str().unwrap();
    assert_eq!(without(&["--offline", "replay", run, "--json"])["answer"], answer["answer"]);
}
