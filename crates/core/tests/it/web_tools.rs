//! `web_search` and `arxiv_search`.

use std::sync::Arc;

use serde_json::json;
use wellread_core::engine::outside::OutsideServices;
use wellread_core::ports::{WebAnswer, WebFailure};
use wellread_testkit::scripted_web::{busy_failure, paper_result, web_answer, web_result};
use wellread_testkit::{ScriptedWeb, World};

use crate::ask::{fails, ok};

fn world(web: ScriptedWeb) -> (World, Arc<ScriptedWeb>) {
    let (mut world, web) = (World::new("-- Bees.md\nx\n"), Arc::new(web));
    world.reach = Arc::new(web.outside_services());
    (world, web)
}

#[test]
fn pages_come_with_title_address_and_snippet() {
    let rows = [
        web_result("Old hives", "https://a.example/", "They are old."),
        web_result("B", "https://b.example/", ""),
    ];
    let (world, web) = world(ScriptedWeb::new("brave").answers("how old are hives", web_answer(rows)));
    let answer = ok(&world, "web_search", json!({"query": "  how old\nare hives "}));
    assert_eq!(
        answer["results"],
        json!([
            {"title": "Old hives", "url": "https://a.example/", "snippet": "They are old."},
            {"title": "B", "url": "https://b.example/", "snippet": ""},
        ])
    );
    assert_eq!((&answer["service"], answer.get("message")), (&json!("brave"), None));
    assert_eq!((web.queries()[0].limit, web.queries()[0].answer), (10, false));
}

#[test]
fn none_found_says_so() {
    let (world, _) = world(ScriptedWeb::new("brave").otherwise(web_answer([])));
    let answer = ok(&world, "web_search", json!({"query": "x"}));
    assert_eq!((&answer["results"], &answer["message"]), (&json!([]), &json!("No web results found")));
}

#[test]
fn a_service_that_failed_before_is_told_of() {
    let (mut world, _) = world(ScriptedWeb::new("brave"));
    let one = Arc::new(ScriptedWeb::new("duckduckgo").otherwise(Err(busy_failure())));
    let two = Arc::new(ScriptedWeb::new("brave").otherwise(web_answer([])));
    world.reach = Arc::new(OutsideServices { services: vec![one, two], ..OutsideServices::none() });
    let answer = ok(&world, "web_search", json!({"query": "x"}));
    assert_eq!(answer["service"], "brave");
    assert!(answer["notice"].as_str().unwrap().contains("duckduckgo: asked too often"), "{answer}");
}

#[test]
fn where_nobody_is_chosen_the_hint_is_the_answer() {
    let world = World::new("-- Bees.md\nx\n");
    for tool in ["web_search", "arxiv_search"] {
        let answer = fails(&world, tool, json!({"query": "hives"}));
        assert!(answer["hint"].as_str().unwrap().contains("search.services"), "{answer}");
    }
}

#[test]
fn a_query_that_is_empty_or_a_whole_text_is_refused_and_not_sent() {
    let (world, web) = world(ScriptedWeb::new("brave"));
    for (query, why) in [
        ("", "empty"),
        (" \n ", "empty"),
        (&"ä ".repeat(251)[..], "longer than 500"),
        (&"x".repeat(501)[..], "longer than 500"),
    ] {
        for tool in ["web_search", "arxiv_search"] {
            let answer = fails(&world, tool, json!({"query": query}));
            assert!(answer["error"].as_str().unwrap().contains(why), "{answer}");
        }
    }
    assert!(web.queries().is_empty());
}

#[test]
fn papers_come_with_all_that_is_known_and_in_pages() {
    let answer = WebAnswer {
        total: Some(214),
        ..web_answer([paper_result("2301.00001v2", "On hives", "They are old.")]).unwrap()
    };
    let (world, web) = world(ScriptedWeb::new("arxiv").otherwise(Ok(answer)));
    let answer = ok(&world, "arxiv_search", json!({"query": "hives", "offset": 20}));
    assert_eq!(answer["total"], 214);
    assert_eq!(
        answer["results"],
        json!([{
            "id": "2301.00001v2", "title": "On hives", "authors": ["Ann Hive"], "abstract": "They are old.",
            "published": "2023-01-01T00:00:00Z", "url": "https://arxiv.org/abs/2301.00001v2",
            "pdf_url": "https://arxiv.org/pdf/2301.00001v2",
        }])
    );
    assert_eq!((web.queries()[0].limit, web.queries()[0].offset), (5, 20));
    ok(&world, "arxiv_search", json!({"query": "hives", "n_results": 5000}));
    assert_eq!(web.queries()[1].limit, 100);
    assert!(
        fails(&world, "arxiv_search", json!({"query": "hives", "n_results": 0}))["error"]
            .as_str()
            .unwrap()
            .contains("limit")
    );
}

#[test]
fn failures_are_errors_that_say_what_to_do() {
    for (failure, error, hint) in [
        (
            WebFailure::Broken { message: "arxiv says: incorrect id".to_owned() },
            "arxiv says: incorrect id",
            None,
        ),
        (busy_failure(), "asked too often", Some("try again later")),
        (
            WebFailure::Key { message: "no".to_owned(), hint: "set BRAVE_API_KEY".to_owned() },
            "no",
            Some("set BRAVE_API_KEY"),
        ),
    ] {
        let (world, _) = world(ScriptedWeb::new("arxiv").otherwise(Err(failure)));
        for tool in ["web_search", "arxiv_search"] {
            let answer = fails(&world, tool, json!({"query": "hives"}));
            assert_eq!((answer["error"].as_str().unwrap(), answer["hint"].as_str()), (error, hint));
        }
    }
}
