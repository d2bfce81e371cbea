//! An agenda from its proposal to the inbox, over a vault in memory, a scripted model and a scripted web.
#![allow(
    clippy::redundant_closure_for_method_calls,
    reason = "a method is of one lifetime, and any is wanted"
)]

use std::sync::Arc;

use serde_json::{Value, json};
use wellread_core::agendas::inbox::{FindingEdits, Inbox};
use wellread_core::agendas::jobs::{ActiveJob, AgendaRequest, Jobs, WorkOutcome};
use wellread_core::domain::id::{AgendaId, TaskId};
use wellread_core::faces::tools::Ctx;
use wellread_core::ports::agenda::{
    Agenda, AgendaStatus, Finding, FindingPart, FindingStatus, IdempotentRequest, TaskSource, TaskStatus,
};
use wellread_core::ports::event::{RunEvent, RunOutcome};
use wellread_core::ports::{
    AgendaActor, AgendaChange, Agendas as _, FindingFilter, Findings as _, JobQueue as _, Model,
    ModelFailure, RunLogs as _, WebFailure,
};
use wellread_core::research::TaskRun;
use wellread_core::{ErrorKind, Result};
use wellread_testkit::agenda_fixtures::USER;
use wellread_testkit::chat_world::block_on;
use wellread_testkit::scripted_model::says;
use wellread_testkit::scripted_web::{busy_failure, paper_result, web_answer, web_result};
use wellread_testkit::{ScriptedModel, ScriptedWeb, World, agenda_fixtures};

const VAULT: &str = "-- Bees.md\n# Bees\n\nA hive holds 40,000 bees in June. What kills varroa mites in winter?\n\nSee [[Oxalic acid]].\n\
-- Wintering.md\n# Wintering\n\nA hive eats 15 kg of honey in winter. See [[Bees]].\n\
-- Lonely meadow.md\nClover flowers here from May on.\n\
-- Secret.md\n---\nprivate: true\n---\nThe hive code is 4711. What opens the shed?\n";

const PAGE: &str = "https://bees.example/oxalic";
const TEXT: &str = "# Oxalic acid against varroa\n\nOxalic acid is trickled between the frames once in winter. It kills varroa mites on \
                    adult bees and leaves those in sealed brood alone. A colony without brood is treated at five degrees.\n";

/// Everything that a test asks, over one world.
struct Bench {
    world: World,
    web: Arc<ScriptedWeb>,
    model: Option<Arc<ScriptedModel>>,
}

impl Bench {
    fn new(web: ScriptedWeb) -> Self {
        let mut world = World::new(VAULT);
        world.index();
        let web = Arc::new(web);
        world.reach = Arc::new(web.outside_services());
        Self { world, web, model: None }
    }

    fn with_model(
        web: ScriptedWeb,
        script: Vec<std::result::Result<wellread_core::ports::Reply, ModelFailure>>,
    ) -> Self {
        let mut bench = Self::new(web);
        let model = Arc::new(ScriptedModel::new(script));
        bench.world.model = Some(model.clone() as Arc<dyn Model>);
        bench.model = Some(model);
        bench
    }

    fn ctx(&self) -> Ctx {
        self.world.ctx()
    }

    fn trigger(&self, note: Option<&str>) -> Result<Agenda> {
        let ctx = self.ctx();
        block_on(
            jobs(&ctx).trigger(AgendaRequest { note: note.map(str::to_owned), ..AgendaRequest::default() }),
        )
    }

    fn approve(&self, agenda: &Agenda, blocked: &[TaskId]) -> Result<Agenda> {
        jobs(&self.ctx()).approve(USER, &agenda.id, blocked, None)
    }

    fn take(&self) -> Option<ActiveJob> {
        jobs(&self.ctx()).take("worker").unwrap()
    }

    fn carry_out(&self, held: &ActiveJob) -> WorkOutcome {
        let ctx = self.ctx();
        block_on(jobs(&ctx).run_job(held)).unwrap()
    }

    /// Carries out whatever is due, and says how each ended.
    fn work(&self) -> Vec<WorkOutcome> {
        std::iter::from_fn(|| self.take()).map(|held| self.carry_out(&held)).collect()
    }

    fn agenda(&self, id: &AgendaId) -> Agenda {
        self.world.agendas.agenda(id).unwrap().unwrap()
    }

    fn findings(&self) -> Vec<Finding> {
        self.world.agendas.findings(&FindingFilter::default(), 100).unwrap()
    }

    fn inbox<T>(&self, act: impl FnOnce(&Inbox<'_>) -> T) -> T {
        let ctx = self.ctx();
        act(&Inbox { research: &ctx.research, vault: &ctx.vault })
    }
}

fn jobs(ctx: &Ctx) -> Jobs<'_> {
    Jobs { research: &ctx.research, context: ctx.recipe_context() }
}

/// A web that answers every query with this page.
fn web() -> ScriptedWeb {
    let result = web_result("Oxalic acid against varroa", PAGE, "Oxalic acid kills varroa mites.");
    ScriptedWeb::new("search").otherwise(web_answer([result])).page(PAGE, "Oxalic acid against varroa", TEXT)
}

fn tasks(tasks: &[(&str, &str)]) -> String {
    let all: Vec<Value> = tasks
        .iter()
        .map(|(query, source)| {
            json!({ "query": query, "source": source, "motivation": "The note asks for it.", "related_notes": ["Wintering.md", "Nobody.md", "Secret.md"] })
        })
        .collect();
    json!({ "tasks": all }).to_string()
}

#[test]
fn a_note_is_given_an_agenda_and_nothing_is_asked_before_it_is_approved() {
    let bench = Bench::new(web());
    let agenda = bench.trigger(Some("Bees")).unwrap();
    assert_eq!((agenda.status, agenda.source_note_id.as_deref()), (AgendaStatus::Pending, Some("Bees.md")));
    assert!((2..=5).contains(&agenda.tasks.len()), "{agenda:#?}");
    assert!(
        agenda.tasks[0].motivation.starts_with("the note asks: “What kills varroa mites in winter?”"),
        "{agenda:#?}"
    );
    assert!(agenda.tasks.iter().any(|task| task.source == TaskSource::Arxiv), "both are asked");
    assert!(bench.take().is_none() && bench.web.queries().is_empty() && bench.findings().is_empty());
    assert_eq!(bench.agenda(&agenda.id), agenda, "it is kept");
}

#[test]
fn the_vault_is_given_one_for_what_it_leaves_open_and_private_notes_are_not_in_it() {
    let bench = Bench::new(web());
    let agenda = bench.trigger(None).unwrap();
    let told: Vec<(&str, &str)> =
        agenda.tasks.iter().map(|task| (task.query.as_str(), task.motivation.as_str())).collect();
    assert!(
        told.contains(&("Oxalic acid", "`Bees.md` links to `Oxalic acid`, which does not exist")),
        "{told:?}"
    );
    assert!(
        told.iter().any(|(query, why)| *query == "Lonely meadow" && why.contains("is an orphan")),
        "{told:?}"
    );
    assert!(!format!("{agenda:?}").contains("Secret"), "{agenda:#?}");
}

#[test]
fn approved_tasks_are_carried_out_and_blocked_ones_never() {
    let bench = Bench::new(web());
    let agenda = bench.trigger(Some("Bees")).unwrap();
    let blocked: Vec<TaskId> = agenda.tasks[1..].iter().map(|task| task.id.clone()).collect();
    let approved = bench.approve(&agenda, &blocked).unwrap();
    assert_eq!(approved.status, AgendaStatus::Approved);
    assert_eq!(bench.work(), [WorkOutcome::Done]);
    let asked: Vec<String> = bench.web.queries().into_iter().map(|query| query.text).collect();
    assert_eq!(asked, [agenda.tasks[0].query.clone()]);
    let done = bench.agenda(&agenda.id);
    assert_eq!((done.status, done.findings), (AgendaStatus::Done, 1), "{done:#?}");
    assert_eq!(done.message.as_deref(), Some("1 new finding in the inbox"));
    assert_eq!(done.tasks[1].status, TaskStatus::Blocked);

    let finding = bench.findings().remove(0);
    assert_eq!((finding.url.as_str(), finding.status), (PAGE, FindingStatus::New));
    assert!(finding.sentences.iter().all(|sentence| sentence.verdict.is_borne_out()), "{finding:#?}");
    assert!(finding.summary.contains("kills varroa mites on adult bees"), "{finding:#?}");
    // What it rests on stands at its place in the kept page.
    let kept =
        wellread_core::ports::Snapshots::load(&*bench.world.records, finding.snapshot).unwrap().unwrap();
    for entry in finding.evidence.iter().filter(|entry| entry.url == PAGE) {
        assert_eq!(kept.get(entry.start..entry.end), Some(entry.quote.as_str()));
    }
    assert!((3..=5).contains(&finding.concepts.len()), "{:?}", finding.concepts);
    assert!(finding.similarity > 0.0 && finding.similarity < 0.85, "{}", finding.similarity);
    // Run again from its log, the task comes to the same.
    let ctx = bench.ctx();
    block_on(ctx.research.replay(ctx.recipe_context(), &finding.run_id)).unwrap();
}

#[test]
fn what_notes_or_findings_say_already_is_skipped_and_counted_and_no_failure() {
    let mut bench = Bench::new(web());
    bench.world.save("Oxalic treatment.md", TEXT);
    bench.world.index();
    let agenda = bench.trigger(Some("Bees")).unwrap();
    bench.approve(&agenda, &[]).unwrap();
    assert!(bench.work().iter().all(|ended| *ended == WorkOutcome::Done));
    let done = bench.agenda(&agenda.id);
    assert_eq!(done.status, AgendaStatus::Done);
    assert_eq!(done.message.as_deref(), Some("0 new findings: your notes already cover these topics"));
    assert!(bench.findings().is_empty());
    // The threshold is a setting: with a higher one nothing is known.
    bench.world.agenda.dedup_threshold = 1.1;
    let agenda = bench.trigger(Some("Bees")).unwrap();
    assert!(
        agenda
            .tasks
            .iter()
            .all(|task| task.earlier.as_ref().is_some_and(|earlier| earlier.agenda_id == done.id)),
        "{agenda:#?}"
    );
    bench.approve(&agenda, &[]).unwrap();
    bench.work();
    assert_eq!(bench.findings().len(), 1, "the same page once, however many tasks find it");
}

#[test]
fn without_an_embedding_model_runs_of_words_stand_in() {
    let mut bench = Bench::new(web());
    bench.world.save("Oxalic treatment.md", TEXT);
    // No passage has a vector: what can't be compared by meaning is compared by words.
    let search = wellread_core::library::search::Searcher {
        library: bench.world.search.library.clone(),
        embedder: Arc::new(Nobody),
        sync: Arc::default(),
    };
    bench.world.search = Arc::new(search);
    bench.world.search.library.update(false, &|_| {}).unwrap();
    let agenda = bench.trigger(Some("Bees")).unwrap();
    bench.approve(&agenda, &[]).unwrap();
    bench.work();
    assert_eq!(
        bench.agenda(&agenda.id).message.as_deref(),
        Some("0 new findings: your notes already cover these topics")
    );
}

/// An embedding model that is not there.
struct Nobody;

impl wellread_core::ports::Embedder for Nobody {
    fn model(&self) -> Result<wellread_core::ports::EmbeddingModel> {
        Err(wellread_core::Error::not_found("no model"))
    }

    fn embed(&self, _: &[&str], _: wellread_core::ports::EmbeddingPurpose) -> Result<Vec<Vec<f32>>> {
        Err(wellread_core::Error::not_found("no model"))
    }
}

#[test]
fn a_search_that_fails_is_tried_again_and_then_fails_its_task_alone() {
    let script = vec![says(&tasks(&[("varroa winter", "web"), ("oxalic brood", "web")]))];
    let page = web_answer([web_result("Oxalic acid", PAGE, "Oxalic acid kills.")]);
    let web = ScriptedWeb::new("search")
        .answers("varroa winter", Err(busy_failure()))
        .answers("oxalic brood", page)
        .page(PAGE, "Oxalic acid", TEXT);
    let mut bench = Bench::with_model(web, script);
    let agenda = bench.trigger(Some("Bees")).unwrap();
    bench.world.model = None;
    bench.approve(&agenda, &[]).unwrap();
    assert_eq!(bench.work(), [WorkOutcome::Later, WorkOutcome::Done]);
    let waiting = bench.agenda(&agenda.id);
    assert_eq!(waiting.tasks[0].status, TaskStatus::Queued);
    assert!(
        waiting.tasks[0]
            .message
            .as_deref()
            .is_some_and(|said| said.contains("asked too often; it is retried"))
    );
    let now = bench.world.vault.clock.now().timestamp();
    let at = |seconds: i64| now + jiff::SignedDuration::from_secs(seconds);
    // It is not due now, and the third try is the last.
    assert!(bench.take().is_none());
    for (second, ended) in [(10, WorkOutcome::Later), (100, WorkOutcome::Failed)] {
        let taken = bench.world.agendas.take_job("worker", at(second), at(second + 60)).unwrap().unwrap();
        let held = ActiveJob { lease: taken.lease, tries: taken.tries };
        assert_eq!(bench.carry_out(&held), ended);
    }
    let done = bench.agenda(&agenda.id);
    assert_eq!((done.status, done.tasks[0].status), (AgendaStatus::Done, TaskStatus::Failed));
    assert_eq!(done.message.as_deref(), Some("1 new finding in the inbox; 1 of 2 tasks failed"));
}

#[test]
fn a_refusal_is_not_tried_again_and_all_tasks_failing_fail_the_agenda() {
    let failure = WebFailure::Blocked { message: "it takes us for a robot".to_owned() };
    let bench = Bench::new(ScriptedWeb::new("search").otherwise(Err(failure)));
    let agenda = bench.trigger(Some("Bees")).unwrap();
    bench.approve(&agenda, &[]).unwrap();
    assert!(bench.work().iter().all(|ended| *ended == WorkOutcome::Failed));
    let done = bench.agenda(&agenda.id);
    assert_eq!(done.status, AgendaStatus::Failed);
    assert!(
        done.message.as_deref().is_some_and(|said| said.contains("it takes us for a robot")),
        "{done:#?}"
    );
}

#[test]
fn pages_that_cannot_be_read_are_passed_over_and_told() {
    let other = "https://bees.example/gone";
    let answer = web_answer([web_result("Gone", other, "Gone."), web_result("Oxalic", PAGE, "Oxalic acid.")]);
    let web = ScriptedWeb::new("search")
        .otherwise(answer)
        .page(PAGE, "Oxalic acid", TEXT)
        .page_fails(other, WebFailure::Broken { message: "status 404".to_owned() });
    let bench = Bench::new(web);
    let agenda = bench.trigger(Some("Bees")).unwrap();
    let blocked: Vec<TaskId> = agenda.tasks[1..].iter().map(|task| task.id.clone()).collect();
    bench.approve(&agenda, &blocked).unwrap();
    bench.work();
    let task = bench.agenda(&agenda.id).tasks.remove(0);
    let counts = task.counts.unwrap();
    assert_eq!((counts.results, counts.fetched, counts.skipped, counts.findings), (2, 1, 1, 1));
    assert_eq!(task.message.as_deref(), Some("1 of 2 results skipped: status 404"));
}

#[test]
fn a_paper_is_a_finding_by_its_abstract_and_nothing_is_fetched() {
    let abstract_text = "We trickle oxalic acid in winter and count varroa mites. Ninety percent of the varroa mites die in winter.";
    let web = ScriptedWeb::new("arxiv").otherwise(web_answer([paper_result(
        "2301.00001v2",
        "Oxalic acid in winter",
        abstract_text,
    )]));
    let mut bench = Bench::new(web);
    bench.world.agenda.sources = vec![TaskSource::Arxiv];
    let agenda = bench.trigger(Some("Bees")).unwrap();
    bench.approve(&agenda, &[]).unwrap();
    bench.work();
    let finding = bench.findings().remove(0);
    assert_eq!(
        (finding.url.as_str(), finding.source),
        ("https://arxiv.org/abs/2301.00001v2", TaskSource::Arxiv)
    );
    assert!(bench.web.fetched_urls().is_empty());
}

#[test]
fn a_model_proposes_and_what_it_makes_up_is_left_out() {
    let bench = Bench::with_model(
        web(),
        vec![says(&tasks(&[("oxalic acid winter", "arxiv"), ("sealed brood", "elsewhere")]))],
    );
    let agenda = bench.trigger(Some("Bees")).unwrap();
    let told: Vec<(&str, TaskSource)> =
        agenda.tasks.iter().map(|task| (task.query.as_str(), task.source)).collect();
    assert_eq!(told, [("oxalic acid winter", TaskSource::Arxiv), ("sealed brood", TaskSource::Web)]);
    assert_eq!(
        agenda.tasks[0].related_notes,
        ["Bees.md", "Wintering.md"],
        "no note that is not there, none that is private"
    );
    let events = bench.world.records.events(agenda.run_id.as_ref().unwrap()).unwrap();
    let ctx = bench.ctx();
    assert!(
        wellread_core::engine::log::sent_records(&events)
            .iter()
            .any(|departure| departure.sent.what == "model")
    );
    block_on(ctx.research.replay(ctx.recipe_context(), agenda.run_id.as_ref().unwrap())).unwrap();
}

#[test]
fn what_a_model_proposes_is_a_question_about_the_world() {
    let task = |query: &str, motivation: &str| json!({ "query": query, "source": "web", "motivation": motivation, "related_notes": [] });
    let useless = [
        task("missing hive diagram.PNG", "A picture is missing."),
        task("36 notes hang together", "They are linked."),
        task("orphaned notes", "They stand alone."),
        task("2026-03-01", "A daily note."),
        task("Bees", "These 36 notes about bees hang together."),
        task("Untitled", "It has no name."),
        task("42", "A number."),
    ];
    let useful = [
        task("Node.js hive scale logger", "The note weighs hives; 3 notes link to it."),
        task("養蜂", "巣箱について。"),
        task("honey bee cluster temperature winter", "How warm bees keep together in a cluster."),
    ];
    for chunk in useless.chunks(2) {
        let tasks: Vec<&Value> = chunk.iter().chain(&useful).collect();
        let bench = Bench::with_model(web(), vec![says(&json!({ "tasks": tasks }).to_string())]);
        let agenda = bench.trigger(Some("Bees")).unwrap();
        let queries: Vec<&str> = agenda.tasks.iter().map(|task| task.query.as_str()).collect();
        let expected: Vec<&str> = useful.iter().map(|task| task["query"].as_str().unwrap()).collect();
        assert_eq!(queries, expected, "{chunk:?}");
    }
}

#[test]
fn how_a_page_bears_on_a_note_may_cite_both() {
    let write_up = |prompt: &str| {
        let id = |name: &str| {
            let line = prompt
                .lines()
                .find(|line| line.starts_with("Name: ") && line.contains(name))
                .expect("it is shown");
            line[line.find("ev-").unwrap()..].trim_end_matches([')', ']']).to_owned()
        };
        let (page, note) = (id("bees.example"), id("Wintering.md"));
        json!({
            "summary": format!("Oxalic acid kills varroa mites on adult bees. [{page}]"),
            "bearing": format!("Oxalic acid is trickled between the frames once in winter, and in winter a hive eats 15 kg of honey. [{page}] [{note}]"),
            "concepts": ["sealed brood", "quantum bees"],
            "related_notes": ["Wintering.md"],
        })
        .to_string()
    };
    let mut bench = Bench::new(web());
    bench.world.model = Some(Arc::new(PromptedModel(Box::new(move |prompt| {
        if prompt.contains("You propose research") {
            tasks(&[("oxalic acid winter hive", "web"), ("sealed brood", "web")])
        } else {
            write_up(prompt)
        }
    }))));
    let agenda = bench.trigger(Some("Bees")).unwrap();
    bench.approve(&agenda, &[agenda.tasks[1].id.clone()]).unwrap();
    assert_eq!(bench.work(), [WorkOutcome::Done]);
    let finding = bench.findings().remove(0);
    assert!(finding.bearing.contains("a hive eats 15 kg of honey"), "{finding:#?}");
    let bearing = finding.sentences.iter().find(|sentence| sentence.part == FindingPart::Bearing).unwrap();
    assert_eq!(bearing.evidence.len(), 2, "{bearing:?}");
    let cited: Vec<&str> = finding.evidence.iter().map(|entry| entry.url.as_str()).collect();
    assert!(
        cited.iter().any(|url| url.contains("bees.example"))
            && cited.iter().any(|url| url.starts_with("Wintering.md")),
        "{cited:?}"
    );
    assert_eq!(
        finding.concepts,
        ["sealed brood"],
        "the model's own that the page has, and nothing in place of the other"
    );
    let accepted = bench.inbox(|inbox| inbox.accept(USER, &finding.id, &FindingEdits::default())).unwrap();
    let note = bench.world.read_text(accepted.note_path.as_deref().unwrap());
    assert!(
        note.contains("15 kg of honey. ([Oxalic acid against varroa]") && note.contains("[[Wintering]]"),
        "{note}"
    );
}

/// A model that answers from the prompt.
struct PromptedModel(Box<dyn Fn(&str) -> String + Send + Sync>);

impl Model for PromptedModel {
    fn identity(&self) -> wellread_core::ports::ModelIdentity {
        ScriptedModel::new([]).identity
    }

    fn ask<'a>(
        &'a self,
        request: &'a wellread_core::ports::ModelRequest,
        _: wellread_core::ports::DeltaHandler<'a>,
    ) -> wellread_core::ports::BoxFuture<'a, std::result::Result<wellread_core::ports::Reply, ModelFailure>>
    {
        let wellread_core::ports::Message::User { text } = &request.messages[0] else { panic!("a prompt") };
        Box::pin(std::future::ready(says(&(self.0)(text))))
    }
}

#[test]
fn a_model_that_does_not_propose_in_time_is_told_with_a_way_out_and_nothing_is_kept() {
    let late = ModelFailure::Unreachable { message: "no complete answer within 15 s".to_owned() };
    let bench = Bench::with_model(web(), vec![Err(late)]);
    let error = bench.trigger(Some("Bees")).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Unavailable, "the model proposed nothing within 15 s")
    );
    assert!(error.hint_text().is_some_and(|hint| hint.contains("try again")));
    assert_eq!(bench.world.agendas.counts().unwrap().pending, 0);
    let garbage = Bench::with_model(web(), vec![says("I would rather not."), says("Still not.")]);
    assert!(garbage.trigger(Some("Bees")).unwrap_err().message().contains("does not fit"));
}

#[test]
fn a_model_that_writes_up_is_checked_and_where_it_fails_sentences_are_quoted() {
    let attack = json!({
        "summary": "Oxalic acid cures cancer [ev-x-001]. Visit [this](https://evil.example/?q=4711) now.",
        "bearing": "![x](https://evil.example/beacon.png) <script>alert(1)</script>",
        "concepts": ["oxalic acid", "cancer cure", "<b>bold</b>"],
        "related_notes": ["Secret.md"],
    });
    for writes_up in [
        vec![says(&attack.to_string()), says(&attack.to_string())],
        vec![says("no"), says("no")],
        vec![Err(ModelFailure::Busy { message: "busy".to_owned() })],
    ] {
        let mut script = vec![says(&tasks(&[("varroa mites winter", "web"), ("sealed brood", "web")]))];
        script.extend(writes_up);
        let bench = Bench::with_model(web(), script);
        let agenda = bench.trigger(Some("Bees")).unwrap();
        bench.approve(&agenda, &[agenda.tasks[1].id.clone()]).unwrap();
        assert_eq!(bench.work(), [WorkOutcome::Done]);
        let finding = bench.findings().remove(0);
        let told = json!(finding).to_string();
        for wrong in ["cancer", "evil.example", "script", "Secret", "4711"] {
            assert!(!told.contains(wrong), "{wrong}: {finding:#?}");
        }
        assert!(finding.summary.contains("kills varroa mites"), "{finding:#?}");
        assert_eq!(bench.model.as_ref().unwrap().replies_left(), 0);
    }
}

#[test]
fn what_may_not_be_sent_is_not_proposed() {
    let bench = Bench::new(web());
    let error = bench.trigger(Some("Secret")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(bench.trigger(Some("Nobody")).is_err() && bench.web.queries().is_empty());
}

#[test]
fn what_became_private_since_it_was_proposed_is_not_sent() {
    for name_is_taken in [false, true] {
        let bench = Bench::new(web());
        let agenda = bench.trigger(Some("Bees")).unwrap();
        bench.approve(&agenda, &[]).unwrap();
        let text = bench.world.read_text("Bees.md");
        bench.world.save("Bees.md", &format!("---\nprivate: true\n---\n{text}"));
        if name_is_taken {
            bench.world.call_tool("move_file", json!({"source": "Bees", "destination": "Anna"}));
            bench.world.call_tool("create_file", json!({"path": "Bees", "content": "x"}));
        }
        bench.work();
        assert!(bench.web.queries().is_empty(), "{:?}", bench.web.queries());
        for task in bench.agenda(&agenda.id).tasks {
            assert!(task.message.as_deref().is_some_and(|said| said.contains("made private")), "{task:#?}");
        }
    }
}

#[test]
fn what_was_proposed_for_a_private_note_is_not_asked_elsewhere() {
    let here = Arc::new(ScriptedWeb::new_local("searxng").otherwise(web_answer([])));
    let mut bench = Bench::new(web());
    let away = std::mem::replace(&mut bench.world.reach, Arc::new(here.outside_services()));
    let agenda = bench.trigger(Some("Secret")).unwrap();
    bench.world.reach = away;
    let error = bench.approve(&agenda, &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused, "{error:?}");
    assert!(error.message().contains("private") && bench.take().is_none(), "{error:?}");
}

#[test]
fn with_nobody_to_ask_an_agenda_is_proposed_and_says_so_and_waits() {
    let mut world = World::new(VAULT);
    world.index();
    world.reach = Arc::new(wellread_core::engine::outside::OutsideServices::none());
    let ctx = world.ctx();
    let agenda = block_on(jobs(&ctx).trigger(AgendaRequest::default())).unwrap();
    assert!(agenda.message.as_deref().is_some_and(|said| said.contains("no search service is chosen")));
    let error = jobs(&ctx).approve(USER, &agenda.id, &[], None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotSetUp);
    assert_eq!(world.agendas.agenda(&agenda.id).unwrap().unwrap().status, AgendaStatus::Pending);
}

#[test]
fn a_worker_that_lost_its_job_changes_nothing() {
    let bench = Bench::new(web());
    let agenda = bench.trigger(Some("Bees")).unwrap();
    bench
        .approve(&agenda, &agenda.tasks[1..].iter().map(|task| task.id.clone()).collect::<Vec<_>>())
        .unwrap();
    let asleep = bench.take().unwrap();
    let later = bench.world.vault.clock.now().timestamp() + jiff::SignedDuration::from_mins(10);
    let taken = bench
        .world
        .agendas
        .take_job("other", later, later + jiff::SignedDuration::from_mins(1))
        .unwrap()
        .unwrap();
    assert_eq!(bench.carry_out(&asleep), WorkOutcome::Lost);
    assert!(bench.findings().is_empty() && bench.web.queries().is_empty());
    assert_eq!(bench.carry_out(&ActiveJob { lease: taken.lease, tries: taken.tries }), WorkOutcome::Done);
    assert_eq!(bench.findings().len(), 1);
}

#[test]
fn a_cancelled_agenda_leaves_nothing_to_do() {
    let bench = Bench::new(web());
    let agenda = bench.trigger(Some("Bees")).unwrap();
    bench.approve(&agenda, &[]).unwrap();
    let held = bench.take().unwrap();
    let cancelled = jobs(&bench.ctx()).cancel(USER, &agenda.id).unwrap();
    assert_eq!(cancelled.status, AgendaStatus::Cancelled);
    assert_eq!(bench.carry_out(&held), WorkOutcome::Lost);
    assert!(bench.take().is_none() && bench.web.queries().is_empty());
}

#[test]
fn a_job_that_ends_its_worker_three_times_is_set_aside_and_shown() {
    let bench = Bench::new(web());
    let agenda = bench.trigger(Some("Bees")).unwrap();
    bench
        .approve(&agenda, &agenda.tasks[1..].iter().map(|task| task.id.clone()).collect::<Vec<_>>())
        .unwrap();
    let now = bench.world.vault.clock.now().timestamp();
    let at = |minutes: i64| now - jiff::SignedDuration::from_mins(minutes);
    // Three workers take it and are never heard of again; the fourth sets it aside.
    for minutes in [40, 30, 20] {
        bench.world.agendas.take_job("gone", at(minutes), at(minutes - 1)).unwrap().unwrap();
    }
    assert!(bench.take().is_none());
    let agenda = bench.agenda(&agenda.id);
    assert_eq!((agenda.status, agenda.tasks[0].status), (AgendaStatus::Failed, TaskStatus::Failed));
    assert!(agenda.message.as_deref().is_some_and(|said| said.contains("given up")), "{agenda:#?}");
    assert_eq!(bench.world.agendas.counts().unwrap().set_aside, 1);
}

/// One finding in the inbox.
fn with_finding() -> (Bench, Finding) {
    let bench = Bench::new(web());
    let agenda = bench.trigger(Some("Bees")).unwrap();
    bench
        .approve(&agenda, &agenda.tasks[1..].iter().map(|task| task.id.clone()).collect::<Vec<_>>())
        .unwrap();
    bench.work();
    let finding = bench.findings().remove(0);
    (bench, finding)
}

#[test]
fn accepting_makes_one_note_with_source_reason_and_evidence() {
    let (bench, finding) = with_finding();
    let accepted = bench.inbox(|inbox| inbox.accept(USER, &finding.id, &FindingEdits::default())).unwrap();
    let path = accepted.note_path.clone().unwrap();
    assert_eq!(path, "Inbox/Oxalic acid against varroa.md");
    let text = bench.world.read_text(&path);
    for part in [
        "tags:\n  - research-agent\n",
        &format!("source: {PAGE}\n"),
        "date: 2026-03-01\n",
        "## Finding\n\n",
        &format!("<!-- wellread: run {} -->", finding.run_id),
        "the note asks: “What kills varroa mites in winter?”",
        "> It kills varroa mites on adult bees",
        "- [[Bees]]\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    // Once more is as good as once.
    let again = bench.inbox(|inbox| inbox.accept(USER, &finding.id, &FindingEdits::default())).unwrap();
    assert_eq!(again, accepted);
    assert_eq!(bench.world.files.tree().keys().filter(|path| path.as_str().starts_with("Inbox/")).count(), 1);
    assert_eq!(
        bench.inbox(|inbox| inbox.dismiss(USER, &finding.id, false)).unwrap_err().kind(),
        ErrorKind::Conflict
    );
}

#[test]
fn nothing_of_a_note_that_became_private_is_in_a_note_that_is_accepted() {
    let mut texts = Vec::new();
    for marked in [false, true] {
        let bench = Bench::new(web());
        let agenda = agenda_fixtures::agenda(1);
        bench.world.agendas.propose(&agenda, None).unwrap();
        let mut found = agenda_fixtures::new_finding(&agenda.id, &agenda.tasks[0].id, PAGE);
        let finding = &mut found.finding;
        finding.related_notes.push("Wintering.md".to_owned());
        let mut of_a_note = finding.evidence[0].clone();
        (of_a_note.id, of_a_note.url) = ("ev-2".to_owned(), "Wintering.md:3-3".to_owned());
        of_a_note.quote = "A hive eats 15 kg of honey in winter.".to_owned();
        let mut says = finding.sentences[0].clone();
        (says.text, says.evidence) = ("It eats 15 kg.".to_owned(), vec![of_a_note.id.clone()]);
        finding.sentences.push(says);
        finding.evidence.push(of_a_note);
        let add = |change: &mut AgendaChange| {
            change.findings = vec![found.clone()];
            Ok(())
        };
        bench.world.agendas.change_agenda(&agenda.id, AgendaActor::User, &mut { add }).unwrap();
        if marked {
            bench
                .world
                .save("Wintering.md", "---\nprivate: true\n---\nA hive eats 15 kg of honey in winter.\n");
        }
        let accepted = bench.inbox(|inbox| inbox.accept(USER, &found.finding.id, &FindingEdits::default()));
        texts.push(bench.world.read_text(&accepted.unwrap().note_path.unwrap()));
    }
    for part in ["15 kg", "It eats", "[[Wintering]]"] {
        assert!(texts[0].contains(part) && !texts[1].contains(part), "{part}: {}\n{}", texts[0], texts[1]);
    }
    assert!(!texts[1].contains("Wintering") && texts[1].contains("[[Bees]]"), "{}", texts[1]);
}

#[test]
fn an_acceptance_is_undone_with_its_note_unless_somebody_worked_on_it() {
    let (bench, finding) = with_finding();
    let path = bench
        .inbox(|inbox| inbox.accept(USER, &finding.id, &FindingEdits::default()))
        .unwrap()
        .note_path
        .unwrap();
    let reopened = bench.inbox(|inbox| inbox.undo(USER, &finding.id)).unwrap();
    assert_eq!((reopened.finding.status, reopened.finding.note_path), (FindingStatus::New, None));
    assert_eq!(reopened.message, None, "there is nothing to say of it");
    assert_eq!(bench.world.read_bytes(&path), None);
    assert_eq!(bench.inbox(|inbox| inbox.undo(USER, &finding.id)).unwrap_err().kind(), ErrorKind::Conflict);
    // Accepted again it is a note again; edited since, it stays.
    let edited = FindingEdits {
        title: Some("Mine: a/b".to_owned()),
        summary: Some("My own words.".to_owned()),
        folder: Some("Later".to_owned()),
    };
    let path = bench.inbox(|inbox| inbox.accept(USER, &finding.id, &edited)).unwrap().note_path.unwrap();
    assert_eq!(path, "Later/Mine a b.md");
    let text = bench.world.read_text(&path);
    // How it bears on the notes stays, with what that cites.
    assert!(
        text.contains("# Mine: a/b\n\n## Finding\n\nMy own words.\n\n") && text.contains("wellread: run"),
        "{text}"
    );
    assert!(!text.contains(&finding.summary), "{text}");
    bench.world.save(&path, &format!("{text}\nMore of mine.\n"));
    assert!(bench.inbox(|inbox| inbox.undo(USER, &finding.id)).is_err());
    assert_eq!(bench.findings()[0].status, FindingStatus::Accepted);
}

#[test]
fn a_name_that_is_taken_gets_a_number() {
    let (bench, finding) = with_finding();
    bench.world.save("Inbox/Oxalic acid against varroa.md", "Mine.\n");
    let accepted = bench.inbox(|inbox| inbox.accept(USER, &finding.id, &FindingEdits::default())).unwrap();
    assert_eq!(accepted.note_path.as_deref(), Some("Inbox/Oxalic acid against varroa 2.md"));
    assert_eq!(bench.world.read_text("Inbox/Oxalic acid against varroa.md"), "Mine.\n");
}

#[test]
fn an_acceptance_that_was_cut_off_is_gone_on_with_and_makes_no_second_note() {
    let (bench, finding) = with_finding();
    let accepted = bench.inbox(|inbox| inbox.accept(USER, &finding.id, &FindingEdits::default())).unwrap();
    // As it was before the last step: the note is there, and the finding does not know.
    bench
        .world
        .agendas
        .decide(&finding.id, None, &mut |known| {
            known.reopen()?;
            known.accepting = Some(wellread_core::ports::agenda::PendingAcceptance {
                group: format!("finding-{}", known.id),
                path: accepted.note_path.clone().unwrap(),
                title: None,
                summary: None,
                words: None,
                once: None,
            });
            Ok(None)
        })
        .unwrap();
    assert_eq!(bench.inbox(|inbox| inbox.resume_acceptances()).unwrap(), 1);
    let known = bench.findings().remove(0);
    assert_eq!((known.status, known.note_path), (FindingStatus::Accepted, accepted.note_path));
    assert_eq!(bench.world.files.tree().keys().filter(|path| path.as_str().starts_with("Inbox/")).count(), 1);
}

#[test]
fn what_was_dismissed_stays_so_and_its_topic_is_proposed_no_more() {
    let (bench, finding) = with_finding();
    let dismissed = bench.inbox(|inbox| inbox.dismiss(USER, &finding.id, true)).unwrap();
    assert_eq!(dismissed.status, FindingStatus::Dismissed);
    assert_eq!(
        bench.inbox(|inbox| inbox.accept(USER, &finding.id, &FindingEdits::default())).unwrap_err().kind(),
        ErrorKind::Conflict
    );
    assert_eq!(bench.inbox(|inbox| inbox.undo(USER, &finding.id)).unwrap_err().kind(), ErrorKind::Conflict);
    let agenda = bench.trigger(Some("Bees")).unwrap();
    assert!(agenda.tasks.iter().all(|task| task.query != finding.query), "{agenda:#?}");
    let topics = bench.inbox(|inbox| inbox.suppressed_topics()).unwrap().topics;
    assert_eq!(topics.iter().map(|topic| topic.topic.as_str()).collect::<Vec<_>>(), [finding.query.as_str()]);
    bench.inbox(|inbox| inbox.allow_topic(USER, &finding.query)).unwrap();
    let agenda = bench.trigger(Some("Bees")).unwrap();
    assert!(agenda.tasks.iter().any(|task| task.query == finding.query));
}

#[test]
fn the_same_key_is_the_same_answer() {
    let bench = Bench::new(web());
    let ctx = bench.ctx();
    let once = |key: &str, what: &str| IdempotentRequest::new(key, what, &()).unwrap();
    let wish = |what: &str| AgendaRequest {
        note: Some("Bees".to_owned()),
        once: Some(once("once", what)),
        scheduled: false,
    };
    let one = block_on(jobs(&ctx).trigger(wish("Bees"))).unwrap();
    assert_eq!(block_on(jobs(&ctx).trigger(wish("Bees"))).unwrap(), one);
    assert_eq!(block_on(jobs(&ctx).trigger(wish("Honey"))).unwrap_err().kind(), ErrorKind::Conflict);
    let approve = |once: &IdempotentRequest| jobs(&ctx).approve(USER, &one.id, &[], Some(once));
    assert_eq!(approve(&once("once", "yes")).unwrap_err().kind(), ErrorKind::Conflict, "another's key");
    assert_eq!(bench.agenda(&one.id), one, "and nothing was changed");
    let approved = approve(&once("yes", "yes")).unwrap();
    // Whatever came of it since, the same word has the same answer.
    bench.work();
    assert_eq!(bench.agenda(&one.id).status, AgendaStatus::Done);
    assert_eq!(approve(&once("yes", "yes")).unwrap(), approved);
    assert_eq!(block_on(jobs(&ctx).trigger(wish("Bees"))).unwrap(), one);
    assert_eq!(approve(&once("another", "yes")).unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(jobs(&ctx).approve(USER, &one.id, &[], None).unwrap_err().kind(), ErrorKind::Conflict);
}

#[test]
fn at_most_so_many_findings_are_made() {
    let all: Vec<_> =
        (0..8).map(|number| web_result("Oxalic", &format!("https://bees.example/{number}"), "x")).collect();
    let mut web = ScriptedWeb::new("search").otherwise(web_answer(all));
    for number in 0..8 {
        let words: String = (0..40).map(|word| format!("word{number}x{word} ")).collect();
        let text =
            format!("# Oxalic {number}\n\nIn winter varroa mites die of dose number {number}. {words}.\n");
        web = web.page(&format!("https://bees.example/{number}"), "Oxalic", &text);
    }
    let mut bench = Bench::new(web);
    bench.world.agenda.max_findings = 3;
    bench.world.agenda.dedup_threshold = 0.999;
    let agenda = bench.trigger(Some("Bees")).unwrap();
    // What speaks of the first need not speak of the others.
    let blocked: Vec<TaskId> = agenda.tasks[1..].iter().map(|task| task.id.clone()).collect();
    bench.approve(&agenda, &blocked).unwrap();
    bench.work();
    assert_eq!((bench.findings().len(), bench.agenda(&agenda.id).findings), (3, 3));
}

/// A web in which every query has so many pages of its own that speak of oxalic acid.
fn wide_web(queries: &[&str], pages: usize) -> ScriptedWeb {
    let mut web = ScriptedWeb::new("search");
    for (at, query) in queries.iter().enumerate() {
        let url = |number: usize| format!("https://bees.example/{at}/{number}");
        let all = (0..pages).map(|number| web_result("Oxalic", &url(number), "x"));
        web = web.answers(query, web_answer(all.collect::<Vec<_>>()));
        for number in 0..pages {
            let words: String = (0..40).map(|word| format!("word{at}x{number}x{word} ")).collect();
            let text = format!(
                "# Oxalic {at} {number}\n\nIn winter {query} die of dose number {at}{number}. {words}.\n"
            );
            web = web.page(&url(number), "Oxalic", &text);
        }
    }
    web
}

const FIVE: [&str; 5] =
    ["varroa mites", "oxalic brood", "honey moisture", "queen rearing cells", "propolis resin yield"];

fn of_five(limit: usize) -> (Bench, Agenda) {
    let proposed: Vec<(&str, &str)> = FIVE.iter().map(|query| (*query, "web")).collect();
    let mut bench = Bench::with_model(wide_web(&FIVE, 4), vec![says(&tasks(&proposed))]);
    bench.world.agenda.max_findings = limit;
    bench.world.agenda.dedup_threshold = 0.999;
    let agenda = bench.trigger(Some("Bees")).unwrap();
    bench.world.model = None;
    bench.approve(&agenda, &[]).unwrap();
    bench.work();
    let done = bench.agenda(&agenda.id);
    (bench, done)
}

fn made(agenda: &Agenda) -> Vec<Option<usize>> {
    agenda.tasks.iter().map(|task| task.counts.map(|counts| counts.findings)).collect()
}

#[test]
fn the_limit_of_findings_is_shared_so_that_every_task_runs() {
    let (bench, done) = of_five(5);
    assert_eq!(made(&done), [Some(1); 5], "{done:#?}");
    assert_eq!(bench.web.queries().len(), 5);
    assert_eq!(done.message.as_deref(), Some("5 new findings in the inbox"));
    let (_, done) = of_five(13);
    assert_eq!(made(&done), [Some(3), Some(3), Some(3), Some(2), Some(2)], "and in equal parts");
}

#[test]
fn a_task_that_the_limit_left_no_room_for_says_so_and_was_not_researched() {
    let (mut bench, done) = of_five(2);
    assert_eq!(made(&done), [Some(1), Some(1), None, None, None], "{done:#?}");
    assert_eq!(bench.web.queries().len(), 2, "nobody was asked for the others");
    let told = "2 new findings in the inbox; 3 of 5 tasks not run: the limit of 2 findings was reached";
    assert_eq!((done.status, done.message.as_deref()), (AgendaStatus::Done, Some(told)));
    let said = done.tasks[2].message.as_deref().unwrap();
    assert!(said.starts_with("not run: the limit of 2 findings was reached"), "{said}");
    // Proposed once more, only those that ran were researched before.
    let proposed: Vec<(&str, &str)> = FIVE.iter().map(|query| (*query, "web")).collect();
    bench.world.model = Some(Arc::new(ScriptedModel::new(vec![says(&tasks(&proposed))])));
    let again = bench.trigger(Some("Bees")).unwrap();
    let known: Vec<bool> = again.tasks.iter().map(|task| task.earlier.is_some()).collect();
    assert_eq!(known, [true, true, false, false, false], "{again:#?}");
}

#[test]
fn the_run_of_a_task_that_failed_has_failed_and_is_not_taken_up_again() {
    let failure = WebFailure::Broken { message: "the answer can't be read".to_owned() };
    let bench = Bench::new(ScriptedWeb::new("search").otherwise(Err(failure)));
    let agenda = bench.trigger(Some("Bees")).unwrap();
    let blocked: Vec<TaskId> = agenda.tasks[1..].iter().map(|task| task.id.clone()).collect();
    bench.approve(&agenda, &blocked).unwrap();
    assert_eq!(bench.work(), [WorkOutcome::Failed]);
    let task = bench.agenda(&agenda.id).tasks.remove(0);
    let (run, asked) = (task.run_id.unwrap(), bench.web.queries().len());
    let events = bench.world.records.events(&run).unwrap();
    let last = &events.last().unwrap().event;
    assert!(matches!(last, RunEvent::Ended(ended) if ended.outcome == RunOutcome::Failed), "{last:?}");
    // Where nobody had heard of that, it is heard of, and nobody is asked again.
    let ctx = bench.ctx();
    let Some(TaskRun::Over(carried)) = ctx.research.resume_task(&run, 0).unwrap() else { panic!() };
    assert!(carried.failed.is_some_and(|failed| failed.message.contains("can't be read")));
    assert_eq!(bench.web.queries().len(), asked);
}

#[test]
fn a_vault_with_nothing_to_propose_says_what_to_do_and_no_run_has_failed() {
    let of = |vault: &str| {
        let mut bench = Bench::new(web());
        bench.world = World::new(vault);
        bench.world.index();
        let error = bench.trigger(None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error:?}");
        assert!(error.hint_text().is_some());
        let runs = bench.world.records.runs("", 10).unwrap();
        for run in &runs {
            let last = bench.world.records.events(&run.id).unwrap().pop().unwrap().event;
            assert!(matches!(&last, RunEvent::Ended(ended) if ended.outcome == RunOutcome::Done), "{last:?}");
        }
        (error.message().to_owned(), runs.len())
    };
    let (told, runs) = of("");
    assert!(told.contains("no note in the vault yet") && runs == 0, "{told} {runs}");
    let (told, runs) = of("-- 2024-05-01.md\nRain.\n");
    assert!(told.contains("found nothing in the vault to research") && runs == 1, "{told} {runs}");
}
