//! A task that came to nothing for reasons that may pass is tried again, after as long a pause as it was asked for, and asks
//! for nothing twice that it was given before.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use wellread_core::agendas::jobs::{ActiveJob, Jobs, WorkOutcome};
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::display::render_duration;
use wellread_core::domain::id::{AgendaId, RunId};
use wellread_core::engine::run::{RunStore, StopSignal};
use wellread_core::faces::tools::Ctx;
use wellread_core::ports::agenda::{Agenda, AgendaStatus, Task, TaskSource, TaskStatus};
use wellread_core::ports::event::{LoggedEvent, RunEvent};
use wellread_core::ports::{
    Agendas as _, JobQueue as _, JobState, LockGuard, RunHeader, RunLogs, Snapshots, WebFailure,
};
use wellread_core::research::{Research, ResearchEvent, TaskRun, TaskStep};
use wellread_core::{Error, ErrorKind, Result};
use wellread_testkit::agenda_fixtures::USER;
use wellread_testkit::chat_world::block_on;
use wellread_testkit::scripted_web::{web_answer, web_result};
use wellread_testkit::{MemoryRecords, ScriptedWeb, World, agenda_fixtures};

const QUERY: &str = "oxalic acid";
const PAGES: [&str; 2] = ["https://bees.example/one", "https://bees.example/two"];
const TEXT: &str = "# Oxalic acid\n\nOxalic acid is trickled between the frames once in winter. It kills mites on adult bees.\n";

/// One task that is to be carried out.
struct Bench {
    world: World,
    web: Arc<ScriptedWeb>,
    id: AgendaId,
    told: Arc<Mutex<Vec<(TaskStep, String)>>>,
}

impl Bench {
    fn new(web: ScriptedWeb) -> Self {
        let mut world = World::new("-- Bees.md\n# Bees\n\nA hive holds 40,000 bees in June.\n");
        world.index();
        let web = Arc::new(web);
        world.reach = Arc::new(web.outside_services());
        let mut agenda = agenda_fixtures::agenda(1);
        (agenda.tasks[0].query, agenda.tasks[0].source) = (QUERY.to_owned(), TaskSource::Web);
        world.agendas.propose(&agenda, None).unwrap();
        let bench = Self { world, web, id: agenda.id, told: Arc::default() };
        jobs(&bench.ctx()).approve(USER, &bench.id, &[], None).unwrap();
        bench
    }

    fn ctx(&self) -> Ctx {
        let told = self.told.clone();
        let watch = move |progress: ResearchEvent| {
            if let ResearchEvent::Step { step, about } = progress {
                told.lock().unwrap().push((step, about));
            }
        };
        self.world.ctx().with_progress(Arc::new(watch), StopSignal::default())
    }

    /// Takes the job when it is due, so many seconds from now.
    fn take(&self) -> (ActiveJob, i64) {
        let now = self.world.vault.clock.now().timestamp();
        let waiting = match self.world.agendas.jobs().unwrap().remove(0).state {
            JobState::Waiting { not_before } => not_before.max(now),
            state => panic!("{state:?}"),
        };
        let until = waiting + jiff::SignedDuration::from_secs(60);
        let taken = self.world.agendas.take_job("worker", waiting, until).unwrap().unwrap();
        (ActiveJob { lease: taken.lease, tries: taken.tries }, waiting.duration_since(now).as_secs())
    }

    /// One try: after how many seconds it was due, and how it ended.
    fn attempt(&self) -> (i64, WorkOutcome) {
        let (held, after) = self.take();
        let ctx = self.ctx();
        (after, block_on(jobs(&ctx).run_job(&held)).unwrap())
    }

    fn agenda(&self) -> Agenda {
        self.world.agendas.agenda(&self.id).unwrap().unwrap()
    }

    fn task(&self) -> Task {
        self.agenda().tasks.remove(0)
    }

    fn run(&self) -> RunId {
        self.task().run_id.unwrap()
    }
}

fn jobs(ctx: &Ctx) -> Jobs<'_> {
    Jobs { research: &ctx.research, context: ctx.recipe_context() }
}

fn searched() -> ScriptedWeb {
    let all = PAGES.map(|url| web_result("Oxalic acid", url, "Of oxalic acid."));
    ScriptedWeb::new("search").answers(QUERY, web_answer(all))
}

fn busy_for(seconds: u64) -> WebFailure {
    WebFailure::busy("asked too often").with_wait(Some(std::time::Duration::from_secs(seconds)))
}

fn silent() -> WebFailure {
    WebFailure::Unreachable { message: "no answer within 10 s".to_owned() }
}

fn gone() -> WebFailure {
    WebFailure::Broken { message: "status 404".to_owned() }
}

#[test]
fn who_asks_to_be_left_alone_is_waited_for_within_bounds_and_it_is_told() {
    for (asked, at_least, at_most) in [(30, 30, 30), (1, 2, 3), (86_400, 600, 600)] {
        let bench = Bench::new(ScriptedWeb::new("search").answers(QUERY, Err(busy_for(asked))));
        assert_eq!(bench.attempt(), (0, WorkOutcome::Later));
        let said = bench.task().message.unwrap();
        assert!(
            said.starts_with(&format!(
                "search: asked too often; it asks to wait {}; it is retried in ",
                render_duration(Duration::from_secs(asked))
            )),
            "{said}"
        );
        assert_eq!(bench.told.lock().unwrap().last(), Some(&(TaskStep::Wait, said)));
        let (_, after) = bench.take();
        assert!((at_least..=at_most).contains(&after), "{asked}: {after}");
    }
}

#[test]
fn the_own_pause_is_kept_where_it_is_longer() {
    let bench = Bench::new(ScriptedWeb::new("search").answers(QUERY, Err(busy_for(4))));
    assert_eq!(bench.attempt(), (0, WorkOutcome::Later));
    let (first, ended) = bench.attempt();
    assert_eq!((first, ended), (4, WorkOutcome::Later));
    // The second is longer by itself than it is asked for.
    let (second, ended) = bench.attempt();
    assert_eq!(((8..=12).contains(&second), ended), (true, WorkOutcome::Failed), "{second}");
}

#[test]
fn pages_that_may_be_there_another_time_are_asked_for_again_and_nothing_else_is() {
    let web = searched().page_fails(PAGES[0], gone()).page_fails_first(PAGES[1], [silent()]).page(
        PAGES[1],
        "Oxalic acid",
        TEXT,
    );
    let bench = Bench::new(web);
    assert_eq!(bench.attempt().1, WorkOutcome::Later);
    assert_eq!(bench.task().status, TaskStatus::Queued);
    let said = bench.task().message.unwrap();
    assert!(
        said.starts_with("none of the 2 results could be read: no answer within 10 s; it is retried"),
        "{said}"
    );
    let run = bench.run();

    assert_eq!(bench.attempt().1, WorkOutcome::Done);
    assert_eq!(bench.web.queries().len(), 1, "the search was answered");
    assert_eq!(bench.web.fetched_urls(), [PAGES[0], PAGES[1], PAGES[1]], "what is gone is gone");
    let task = bench.task();
    assert_eq!((task.status, task.counts.unwrap().findings), (TaskStatus::Done, 1), "{task:#?}");
    assert_eq!(task.message.as_deref(), Some("1 of 2 results skipped: status 404"));
    assert_eq!(task.run_id.as_ref(), Some(&run), "it went on as the same run");
    // From its log alone it comes to the same.
    let ctx = bench.ctx();
    block_on(ctx.research.replay(ctx.recipe_context(), &run)).unwrap();
    assert_eq!(bench.web.fetched_urls().len(), 3);
}

#[test]
fn the_third_try_is_the_last_and_its_failure_is_told() {
    let bench = Bench::new(searched().page_fails(PAGES[0], busy_for(20)).page_fails(PAGES[1], silent()));
    let tries: Vec<(i64, WorkOutcome)> = (0..3).map(|_| bench.attempt()).collect();
    assert_eq!(tries, [(0, WorkOutcome::Later), (20, WorkOutcome::Later), (20, WorkOutcome::Failed)]);
    assert_eq!((bench.web.queries().len(), bench.web.fetched_urls().len()), (1, 6));
    let agenda = bench.agenda();
    assert_eq!((agenda.status, agenda.tasks[0].status), (AgendaStatus::Failed, TaskStatus::Failed));
    assert!(agenda.message.as_deref().is_some_and(|said| said.contains("could be read")), "{agenda:#?}");
    let ctx = bench.ctx();
    block_on(ctx.research.replay(ctx.recipe_context(), &bench.run())).unwrap();
}

#[test]
fn what_lasts_is_not_tried_again() {
    let lasting = [
        gone(),
        WebFailure::Refused { message: "10.0.0.1 is private".to_owned() },
        WebFailure::TooLarge { message: "it is larger than 524288 bytes".to_owned() },
        WebFailure::Broken { message: "an image is no text".to_owned() },
    ];
    for failure in lasting {
        let web = searched().page_fails(PAGES[0], failure.clone()).page_fails(PAGES[1], failure);
        let bench = Bench::new(web);
        assert_eq!(bench.attempt().1, WorkOutcome::Failed);
        assert!(bench.world.agendas.jobs().unwrap().is_empty());
    }
}

#[test]
fn a_try_that_nobody_heard_the_end_of_counts_all_the_same() {
    let bench = Bench::new(searched().page_fails(PAGES[0], silent()).page_fails(PAGES[1], silent()));
    assert_eq!(bench.attempt().1, WorkOutcome::Later);
    // The run has ended once, and once is written down: it goes on. Where none is, its end is still to be told.
    let ctx = bench.ctx();
    let over = ctx.research.resume_task(&bench.run(), 0).unwrap().unwrap();
    let TaskRun::Over(carried) = over else { panic!("it has ended") };
    assert!(carried.failed.unwrap().may_pass);
    let events = bench.world.records.events(&bench.run()).unwrap().len();
    assert!(matches!(ctx.research.resume_task(&bench.run(), 1).unwrap(), Some(TaskRun::Open(_))));
    assert_eq!(bench.world.records.events(&bench.run()).unwrap().len(), events + 1, "it was taken up");
}

/// The logs of runs and the text of pages, which can't be reached at one call and are back for the next.
struct AwayOnce {
    records: Arc<MemoryRecords>,
    calls: AtomicUsize,
    at: usize,
}

impl AwayOnce {
    fn pass(&self) -> Result<()> {
        if self.calls.fetch_add(1, Ordering::Relaxed) + 1 != self.at {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Unavailable, "the database can't be reached"))
    }
}

impl RunLogs for AwayOnce {
    fn begin(&self, run: &RunHeader, first: &RunEvent) -> Result<()> {
        self.pass()?;
        self.records.begin(run, first)
    }

    fn lock_run(&self, run: &RunId) -> Result<LockGuard> {
        self.records.lock_run(run)
    }

    fn append(&self, run: &RunId, number: u64, at: Timestamp, event: &RunEvent) -> Result<()> {
        self.pass()?;
        self.records.append(run, number, at, event)
    }

    fn events(&self, run: &RunId) -> Result<Vec<LoggedEvent>> {
        self.records.events(run)
    }

    fn runs(&self, beginning: &str, at_most: usize) -> Result<Vec<RunHeader>> {
        self.records.runs(beginning, at_most)
    }
}

impl Snapshots for AwayOnce {
    fn keep(&self, text: &str) -> Result<Hash> {
        self.pass()?;
        self.records.keep(text)
    }

    fn load(&self, hash: Hash) -> Result<Option<String>> {
        self.pass()?;
        self.records.load(hash)
    }
}

#[test]
fn whenever_the_records_are_away_for_a_moment_the_task_is_handed_back_and_nothing_is_lost() {
    const OTHER: &str =
        "# Winter\n\nA beekeeper who treats with oxalic acid in December reaches every mite.\n";
    for at in 1.. {
        let web = searched().page(PAGES[0], "Oxalic acid", TEXT).page(PAGES[1], "Winter", OTHER);
        let bench = Bench::new(web);
        let records = bench.world.records.clone();
        let away = Arc::new(AwayOnce { records, calls: AtomicUsize::new(0), at });
        let mut ctx = bench.ctx();
        ctx.research = Arc::new(Research {
            runs: RunStore { records: away.clone(), clock: bench.world.vault.clock.clone() },
            snapshots: away.clone(),
            ..(*ctx.research).clone()
        });
        let (held, _) = bench.take();
        let tried = block_on(jobs(&ctx).run_job(&held));
        if away.calls.load(Ordering::Relaxed) < at {
            assert_eq!(tried.unwrap(), WorkOutcome::Done);
            assert!(at > 10, "{at}");
            return;
        }
        assert_eq!(tried.unwrap_err().kind(), ErrorKind::Unavailable, "{at}");
        jobs(&ctx).hand_back(&held).unwrap();
        assert_eq!(bench.task().status, TaskStatus::Queued, "{at}");
        assert_eq!(bench.attempt(), (0, WorkOutcome::Done), "{at}");
        let counts = bench.task().counts.unwrap();
        assert_eq!((counts.findings, counts.skipped), (2, 0), "{at}");
        let asked = bench.web.queries().len() + bench.web.fetched_urls().len();
        assert!(asked <= 4, "{at}: only what was in the air is asked again");
    }
}
