//! Without vectors a new page is compared word by word with every finding that there ever was, at a bounded cost.

use std::sync::Arc;

use wellread_core::agendas::jobs::{Jobs, WorkOutcome};
use wellread_core::library::search::Searcher;
use wellread_core::ports::agenda::{Finding, TaskCounts, TaskSource};
use wellread_core::ports::{
    AgendaActor, AgendaChange, Agendas as _, Embedder, EmbeddingModel, EmbeddingPurpose, NewFinding,
    Sketches as _, Snapshots as _,
};
use wellread_core::{Error, Result};
use wellread_testkit::agenda_fixtures::USER;
use wellread_testkit::chat_world::block_on;
use wellread_testkit::run_fixtures::event_time;
use wellread_testkit::scripted_web::{web_answer, web_result};
use wellread_testkit::{ScriptedWeb, World, agenda_fixtures};

const QUERY: &str = "old hives";
const PAGE: &str = "https://elsewhere.example/copy";
const MANY: u64 = 1_200;

/// An embedding model that is not there.
struct Nobody;

impl Embedder for Nobody {
    fn model(&self) -> Result<EmbeddingModel> {
        Err(Error::not_found("no model"))
    }

    fn embed(&self, _: &[&str], _: EmbeddingPurpose) -> Result<Vec<Vec<f32>>> {
        Err(Error::not_found("no model"))
    }
}

/// A page in words that no other page has, but for some that are on all of them.
fn text(number: u64) -> String {
    let words: String = (0..120).map(|word| format!("n{number}w{word} ")).collect();
    format!(
        "# Old hives {number}\n\nWe use cookies to make this page better. The old hives number {number}: {words}.\n"
    )
}

/// A world without vectors, in which so much was found before.
fn world(texts: impl Iterator<Item = String>) -> World {
    let mut world = World::new("-- Bees.md\n# Bees\n\nA hive holds 40,000 bees in June.\n");
    let library = world.search.library.clone();
    world.search = Arc::new(Searcher { library, embedder: Arc::new(Nobody), sync: Arc::default() });
    world.search.library.update(false, &|_| {}).unwrap();
    let mut before = agenda_fixtures::agenda(1);
    before.max_findings = usize::MAX;
    let task = before.tasks[0].id.clone();
    let earlier = |(number, text): (u64, String)| {
        let snapshot = world.records.keep(&text).unwrap();
        let url = format!("https://bees.example/{number}");
        let finding = Finding {
            snapshot,
            created: event_time(number),
            ..agenda_fixtures::finding(&before.id, &task, &url)
        };
        NewFinding { finding, embedding: None }
    };
    let findings: Vec<NewFinding> = (0..).zip(texts).map(earlier).collect();
    world.agendas.propose(&before, None).unwrap();
    let add = |change: &mut AgendaChange| {
        change.findings = findings.clone();
        Ok(())
    };
    world.agendas.change_agenda(&before.id, AgendaActor::User, &mut { add }).unwrap();
    world
}

/// What became of a task that finds these pages.
fn carried_out(world: &mut World, pages: &[(&str, String)]) -> TaskCounts {
    let mut web = ScriptedWeb::new("search")
        .answers(QUERY, web_answer(pages.iter().map(|(url, _)| web_result("Old hives", url, "Of hives."))));
    for (url, text) in pages {
        web = web.page(url, "Old hives", text);
    }
    world.reach = Arc::new(Arc::new(web).outside_services());
    let mut agenda = agenda_fixtures::agenda(1);
    (agenda.tasks[0].query, agenda.tasks[0].source) = (QUERY.to_owned(), TaskSource::Web);
    world.agendas.propose(&agenda, None).unwrap();
    let ctx = world.ctx();
    let jobs = Jobs { research: &ctx.research, context: ctx.recipe_context() };
    jobs.approve(USER, &agenda.id, &[], None).unwrap();
    let held = jobs.take("worker").unwrap().unwrap();
    assert_eq!(block_on(jobs.run_job(&held)).unwrap(), WorkOutcome::Done);
    world.agendas.agenda(&agenda.id).unwrap().unwrap().tasks.remove(0).counts.unwrap()
}

#[test]
fn what_was_found_first_is_known_however_much_came_after_it() {
    let mut world = world((0..MANY).map(text));
    let counts = carried_out(&mut world, &[(PAGE, text(0)), ("https://elsewhere.example/new", text(MANY))]);
    assert_eq!((counts.fetched, counts.duplicates, counts.found_before, counts.findings), (2, 1, 1, 1));
    // What each is compared by is there now, and is not made again.
    let mut kept = 0;
    world.agendas.for_each_sketch(&mut |_, _| kept += 1).unwrap();
    assert!(kept >= MANY as usize, "{kept}");
}

#[test]
fn the_same_page_twice_in_one_search_is_found_once() {
    let mut world = world(std::iter::empty());
    let counts = carried_out(&mut world, &[(PAGE, text(1)), ("https://elsewhere.example/again", text(1))]);
    assert_eq!((counts.duplicates, counts.findings), (1, 1));
}

#[test]
fn what_all_pages_share_makes_none_of_them_known() {
    let mut world = world((0..40).map(text));
    let counts = carried_out(&mut world, &[(PAGE, text(41))]);
    assert_eq!((counts.duplicates, counts.findings), (0, 1));
}
