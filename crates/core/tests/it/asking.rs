//! Services that search, asked in turn.

use std::sync::Arc;

use wellread_core::Error;
use wellread_core::engine::outside::{OutsideServices, WebSearchOutcome};
use wellread_core::ports::{WebAnswer, WebFailure, WebQuery, WebSearchService};
use wellread_testkit::ScriptedWeb;
use wellread_testkit::chat_world::block_on;
use wellread_testkit::scripted_web::{busy_failure, paper_result, web_answer, web_result};

fn query(text: &str) -> WebQuery {
    WebQuery { text: text.to_owned(), limit: 5, offset: 0, answer: false }
}

fn reach(services: &[&Arc<ScriptedWeb>]) -> OutsideServices {
    let services = services.iter().map(|service| (*service).clone() as Arc<dyn WebSearchService>).collect();
    OutsideServices { services, ..OutsideServices::none() }
}

fn scripted(name: &str, answer: Result<WebAnswer, WebFailure>) -> Arc<ScriptedWeb> {
    Arc::new(ScriptedWeb::new(name).answers("old hives", answer))
}

fn ask(services: &[&Arc<ScriptedWeb>]) -> WebSearchOutcome {
    block_on(reach(services).search(&query("old hives")))
}

fn names(searched: &WebSearchOutcome) -> Vec<&str> {
    searched.failed.iter().map(|(service, _)| service.name.as_str()).collect()
}

#[test]
fn the_first_that_answers_is_the_last_that_is_asked() {
    let (one, two) = (
        scripted("brave", web_answer([web_result("A", "https://a.example/", "a")])),
        scripted("tavily", web_answer([])),
    );
    let searched = ask(&[&one, &two]);
    let (service, answer) = searched.outcome.clone().unwrap();
    assert_eq!((service.name.as_str(), answer.results.len()), ("brave", 1));
    assert!(searched.failed.is_empty() && two.queries().is_empty());
}

#[test]
fn one_that_fails_is_told_of_and_the_next_is_asked() {
    let blocked = WebFailure::Blocked { message: "a puzzle".to_owned() };
    let (one, two) = (scripted("duckduckgo", Err(blocked.clone())), scripted("brave", Err(busy_failure())));
    let three = scripted("searxng", web_answer([web_result("A", "https://a.example/", "a")]));
    let searched = ask(&[&one, &two, &three]);
    assert_eq!(searched.outcome.as_ref().unwrap().0.name, "searxng");
    assert_eq!(names(&searched), ["duckduckgo", "brave"]);
    assert_eq!(searched.failed[0].1, blocked);
    let sent: Vec<(&str, u64, bool)> =
        searched.sent.iter().map(|sent| (sent.to.as_str(), sent.bytes, sent.stays)).collect();
    assert_eq!(
        sent,
        [
            ("https://duckduckgo.example", 9, false),
            ("https://brave.example", 9, false),
            ("https://searxng.example", 9, false)
        ]
    );
    assert_eq!(searched.sent[0].about, "old hives");
}

#[test]
fn nothing_found_is_an_answer() {
    let (one, two) = (scripted("duckduckgo", web_answer([])), scripted("brave", web_answer([])));
    let searched = ask(&[&one, &two]);
    assert_eq!(searched.outcome.unwrap().1, WebAnswer::default());
    assert!(two.queries().is_empty());
}

#[test]
fn where_all_fail_the_failure_is_told_that_can_be_mended() {
    let key = WebFailure::Key { message: "no".to_owned(), hint: "set BRAVE_API_KEY".to_owned() };
    let (one, two) = (scripted("brave", Err(key.clone())), scripted("duckduckgo", Err(busy_failure())));
    let searched = ask(&[&one, &two]);
    assert_eq!(searched.outcome, Err(key));
    assert_eq!(names(&searched), ["brave", "duckduckgo"]);
}

#[test]
fn where_none_is_set_up_the_hint_says_what_to_do_and_nothing_is_sent() {
    for searched in [ask(&[]), block_on(OutsideServices::none().search_papers(&query("old hives")))] {
        let Err(WebFailure::NotSetUp { hint, .. }) = &searched.outcome else { panic!("{searched:?}") };
        assert!(hint.contains("search.services") && hint.contains("--web"), "{hint}");
        assert!(searched.sent.is_empty());
    }
}

#[test]
fn the_same_page_twice_is_one_result() {
    let rows = [
        "https://a.example/x",
        "http://a.example/x/",
        "https://a.example/x#part",
        "https://a.example/x?y",
        "https://b.example/",
    ];
    let one = scripted("brave", web_answer(rows.map(|url| web_result("A", url, "a"))));
    let (_, answer) = ask(&[&one]).outcome.unwrap();
    let urls: Vec<&str> = answer.results.iter().map(|result| result.url.as_str()).collect();
    assert_eq!(urls, ["https://a.example/x", "https://a.example/x?y", "https://b.example/"]);
}

#[test]
fn a_run_that_says_no_keeps_the_query_here() {
    let one = scripted("brave", web_answer([]));
    let told = block_on(reach(&[&one]).search_with_hook(&query("old hives"), &|sent| {
        assert_eq!((sent.what.as_str(), sent.about.as_str()), ("search", "old hives"));
        Err(Error::refused("the budget is used up"))
    }));
    assert_eq!(told.unwrap_err().message(), "the budget is used up");
    assert!(one.queries().is_empty());
}

#[test]
fn papers_are_asked_of_arxiv_alone() {
    let arxiv = Arc::new(ScriptedWeb::new("arxiv").otherwise(web_answer([paper_result(
        "2301.00001v1",
        "On hives",
        "Old.",
    )])));
    let other = scripted("brave", web_answer([]));
    let reach = OutsideServices { arxiv: arxiv.clone(), ..reach(&[&other]) };
    let (service, answer) = block_on(reach.search_papers(&query("hives"))).outcome.unwrap();
    assert_eq!((service.name.as_str(), answer.results.len()), ("arxiv", 1));
    assert!(other.queries().is_empty());
    assert_eq!(reach.sendings.take().len(), 1);
}
