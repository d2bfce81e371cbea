//! A team on one PostgreSQL: three workers and two servers, one of which is killed again and again, while the database is
//! restarted and is gone for a while. Every task is done once, every finding is there once and becomes one note, no note has
//! a section twice, and nothing is lost.
//!
//! `WELLREAD_LONG=1` makes it ten minutes, with the database gone for one of them.

use std::collections::BTreeSet;
use std::fs::File;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};
use wellread_adapters::postgres::PostgresRecords;
use wellread_core::domain::id::AgendaId;
use wellread_core::ports::agenda::{AgendaEvent, FindingStatus, TaskSource};
use wellread_core::ports::{Agendas as _, FindingFilter, Findings as _, JobEntry, JobQueue as _, JobState};
use wellread_core::{ErrorKind, Result};
use wellread_testkit::{Random, agenda_fixtures};

use crate::agenda_bench::{Bench, PAGES, Trap, findings, notes};
use crate::desk::{Ran, Tree, copy, repository};
use crate::postgres_server::{OwnServer, TestDatabase};
use crate::serve_roles::Background;
use crate::served::{Address, Served};

const TASKS: usize = 2;
const WORKERS: usize = 3;
const SERVERS: usize = 2;
/// Notes that are researched over and over.
const RESEARCHED: [&str; 3] = ["Bees/Varroa mite", "Bees/Swarming", "Bees/Winter losses"];
/// A lease that nobody knows of has to run out, and after a restart of the database workers have their time to come back.
const LAST_TASKS: Duration = Duration::from_secs(180);
/// As long as a user tries to decide something.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// What happens when, from the start.
struct Plan {
    lasts: Duration,
    gone_at: Duration,
    gone_for: Duration,
    /// Every so often the database is restarted.
    restart_every: Duration,
    /// How long a user waits before the next agenda.
    pace: Duration,
    /// The longest time between two kills, in milliseconds.
    kill_pause: usize,
}

impl Plan {
    fn choose() -> Self {
        let seconds = Duration::from_secs;
        match std::env::var_os("WELLREAD_LONG").is_some() {
            true => Self {
                lasts: seconds(600),
                gone_at: seconds(200),
                gone_for: seconds(60),
                restart_every: seconds(75),
                pace: Duration::from_millis(1500),
                kill_pause: 3000,
            },
            false => Self {
                lasts: seconds(10),
                gone_at: seconds(2),
                gone_for: seconds(3),
                restart_every: seconds(6),
                pace: Duration::from_millis(600),
                kill_pause: 1000,
            },
        }
    }
}

/// The processes, and what was asked of them.
struct Team {
    bench: Bench,
    url: String,
    records: PostgresRecords,
    addresses: [RwLock<Address>; SERVERS],
    approved: Mutex<Vec<AgendaId>>,
    over: AtomicBool,
    /// What a page would have shown that was open all the while: the records forget it in time.
    told: Mutex<Vec<(u64, AgendaEvent)>>,
    accepts: AtomicUsize,
    researched: AtomicUsize,
    cut_off: AtomicUsize,
    refused: AtomicUsize,
}

fn here(bench: &Bench, url: &str) -> Command {
    let mut command = bench.here();
    command.env("WELLREAD_DATABASE_URL", url);
    command
}

fn serve(bench: &Bench, url: &str) -> Served {
    Served::of(here(bench, url), &["--role", "api"])
}

impl Team {
    fn start_worker(&self) -> Background {
        let log = self.bench.desk.folder().join("workers.log");
        let errors = File::options().create(true).append(true).open(log).unwrap();
        Background::start(here(&self.bench, &self.url), "worker", Stdio::from(errors))
    }

    /// Reads what was told since the last time.
    fn hear(&self) -> Result<()> {
        let mut told = self.told.lock().unwrap();
        let last = told.last().map_or(0, |(number, _)| *number);
        told.extend(self.records.events_after(last, usize::MAX)?.0);
        Ok(())
    }

    fn hear_all_the_while(&self) {
        while !self.is_over() {
            // The database may be away.
            let _ = self.hear();
            thread::sleep(Duration::from_millis(200));
        }
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Asks one of the servers, and again, until it is answered: it may be killed, and the database may be away.
    fn persist(&self, random: &mut Random, status: u16, ask: impl Fn(&Address) -> Option<(u16, String)>) {
        let is_answered = self.try_while(random, status, ask, |began| began.elapsed() < LONGEST_WAIT);
        assert!(is_answered, "it was never answered");
    }

    /// The same as long as `goes_on`; whether it was answered.
    fn try_while(
        &self,
        random: &mut Random,
        status: u16,
        ask: impl Fn(&Address) -> Option<(u16, String)>,
        goes_on: impl Fn(Instant) -> bool,
    ) -> bool {
        let began = Instant::now();
        while goes_on(began) {
            let address = self.addresses[random.below(SERVERS)].read().unwrap().clone();
            match ask(&address) {
                Some((answered, _)) if answered == status => return true,
                Some((503, _)) => self.refused.fetch_add(1, Ordering::Relaxed),
                Some(other) => panic!("{other:?}"),
                None => self.cut_off.fetch_add(1, Ordering::Relaxed),
            };
            thread::sleep(Duration::from_millis(50));
        }
        false
    }

    /// Proposes agendas and approves each by one of the servers.
    fn approve_all_the_while(&self, user: usize, pace: Duration) {
        let mut random = Random::seeded(10 + user as u64);
        for round in 0.. {
            if self.is_over() {
                return;
            }
            let mut agenda = agenda_fixtures::agenda(TASKS);
            for (number, task) in agenda.tasks.iter_mut().enumerate() {
                task.query = format!("honey user{user} round{round} task{number}");
                task.source = TaskSource::Web;
            }
            until_reached(|| match self.records.agenda(&agenda.id)? {
                Some(_) => Ok(()),
                None => self.records.propose(&agenda, None).map(drop),
            });
            let (path, key) = (format!("/api/research/agenda/{}/approve", agenda.id), agenda.id.to_string());
            let body = json!({ "blockedTaskIds": [] });
            self.persist(&mut random, 202, |address| address.post(&path, Some(&key), &body));
            self.approved.lock().unwrap().push(agenda.id);
            thread::sleep(pace);
        }
    }

    /// Accepts what is new, whoever else does the same.
    fn accept_all_the_while(&self, user: usize) {
        let mut random = Random::seeded(20 + user as u64);
        while !self.is_over() {
            let new = FindingFilter { status: Some(FindingStatus::New), ..FindingFilter::default() };
            for finding in self.records.findings(&new, 4).unwrap_or_default() {
                let path = format!("/api/research/findings/{}/accept", finding.id);
                self.persist(&mut random, 200, |address| address.post(&path, None, &json!({})));
                self.accepts.fetch_add(1, Ordering::Relaxed);
            }
            thread::sleep(Duration::from_millis(200));
        }
    }

    /// Researches the same notes over and over. That takes longer than any other request, so it may be cut off as often as it is
    /// tried.
    fn research_all_the_while(&self) {
        let mut random = Random::seeded(30);
        while !self.is_over() {
            let note = random.one_of(&RESEARCHED);
            let is_done = self.research(&mut random, note, |_| !self.is_over());
            self.researched.fetch_add(usize::from(is_done), Ordering::Relaxed);
            thread::sleep(Duration::from_millis(500));
        }
    }

    fn research(&self, random: &mut Random, note: &str, goes_on: impl Fn(Instant) -> bool) -> bool {
        let body = json!({ "path": note, "depth": "shallow" });
        // That there is nothing to say is an answer, too.
        let told = |(status, said): (u16, String)| match said.contains("nothing was found") {
            true => (200, said),
            false => (status, said),
        };
        let ask = |address: &Address| address.post("/api/note/research", None, &body).map(told);
        self.try_while(random, 200, ask, goes_on)
    }
}

/// Says that it is over when it is dropped, however that comes about: otherwise the users would go on.
struct SaysOver<'a>(&'a AtomicBool);

impl Drop for SaysOver<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Tries until the database is there.
fn until_reached<T>(mut act: impl FnMut() -> Result<T>) -> T {
    loop {
        match act() {
            Err(error) if error.kind() == ErrorKind::Unavailable => thread::sleep(Duration::from_millis(50)),
            done => return done.unwrap(),
        }
    }
}

/// Whether one more kill can't make a task look as if it killed its workers: a task whose worker was killed three times is set
/// aside. One that somebody has in hand may have been left by a worker that was killed a moment ago.
fn may_kill_worker(jobs: &[JobEntry]) -> bool {
    jobs.iter().all(|job| job.crashes + u32::from(matches!(job.state, JobState::Leased { .. })) <= 1)
}

/// What was killed and stopped.
#[derive(Debug, Default)]
struct Toll {
    workers: usize,
    servers: usize,
    restarts: usize,
    gone: usize,
}

/// Kills one of them again and again, each of which is started anew, and stops the database now and then.
fn kill_all_the_while(
    team: &Team,
    plan: &Plan,
    database: &mut OwnServer,
    workers: &mut Vec<Background>,
    servers: &mut [Served; SERVERS],
) -> Toll {
    let (mut random, mut toll) = (Random::seeded(40), Toll::default());
    let begun = Instant::now();
    let mut next_restart = plan.restart_every;
    let mut back_at = None;
    let mut may_kill = true;
    // On a busy machine it takes longer until everything has happened.
    while begun.elapsed() < plan.lasts || back_at.is_some() || toll.restarts == 0 {
        match back_at {
            None if toll.gone == 0 && begun.elapsed() >= plan.gone_at => {
                // What is in hand meanwhile may look as if its worker had been killed.
                while !may_kill_worker(&until_reached(|| team.records.jobs())) {
                    thread::sleep(Duration::from_millis(20));
                }
                database.order("stop");
                toll.gone += 1;
                back_at = Some(begun.elapsed() + plan.gone_for);
            }
            Some(then) if begun.elapsed() >= then => {
                database.order("start");
                back_at = None;
            }
            None if begun.elapsed() >= next_restart => {
                database.order("stop");
                database.order("start");
                toll.restarts += 1;
                next_restart += plan.restart_every;
            }
            _ => {}
        }
        thread::sleep(Duration::from_millis(random.below(plan.kill_pause) as u64));
        // While the database is away, nobody takes anything: what was seen last still holds.
        may_kill = team.records.jobs().map_or(may_kill && back_at.is_some(), |jobs| may_kill_worker(&jobs));
        let victim = random.below(WORKERS + SERVERS);
        if victim < WORKERS && may_kill {
            workers.remove(victim).end(Signal::KILL);
            workers.push(team.start_worker());
            toll.workers += 1;
        } else {
            let server = &mut servers[victim % SERVERS];
            server.signal(Signal::KILL);
            let killed = std::mem::replace(server, serve(&team.bench, &team.url));
            *team.addresses[victim % SERVERS].write().unwrap() = Address::of(server);
            killed.ended();
            toll.servers += 1;
        }
    }
    toll
}

/// Every task was done once, with its findings, and everybody was told of everything once.
fn check_each_once(team: &Team) {
    let records = &team.records;
    let approved = team.approved.lock().unwrap();
    team.hear().unwrap();
    let told = team.told.lock().unwrap().clone();
    agenda_fixtures::check_each_done_once(records, told, approved.iter(), TASKS);
    for id in approved.iter() {
        let agenda = records.agenda(id).unwrap().unwrap();
        assert_eq!(agenda.findings, TASKS * PAGES, "{agenda:#?}");
    }
    let found = findings(records);
    let pages: BTreeSet<&str> = found.iter().map(|finding| finding.url.as_str()).collect();
    let count = approved.len() * TASKS * PAGES;
    assert_eq!((found.len(), pages.len()), (count, count), "no finding twice, and none lost");
    assert_eq!(records.jobs().unwrap(), []);
}

/// One note for each finding, and nothing else that is new; no section twice.
fn check_vault(team: &Team, before: &Tree) {
    let desk = &team.bench.desk;
    let found = findings(&team.records);
    assert!(found.iter().all(|finding| finding.status == FindingStatus::Accepted), "{found:#?}");
    let accepting = FindingFilter { accepting: true, ..FindingFilter::default() };
    assert_eq!(team.records.findings(&accepting, usize::MAX).unwrap(), []);
    let named: BTreeSet<(String, String)> =
        found.iter().map(|finding| (finding.note_path.clone().unwrap(), finding.id.to_string())).collect();
    assert_eq!(notes(desk).into_iter().collect::<BTreeSet<_>>(), named, "one note for each");
    let is_file = |mode: &str| mode.starts_with("100");
    let files = desk.tree().into_iter().filter(|(_, (mode, _))| is_file(mode)).map(|(path, _)| path);
    let new: Vec<_> = files.filter(|path| !before.contains_key(path)).collect();
    assert_eq!(new.len(), named.len(), "nothing is left lying about: {new:?}");
    let researched: usize = RESEARCHED
        .map(|path| {
            let (path, text) = (format!("{path}.md"), desk.text(&format!("{path}.md")));
            let old = String::from_utf8(before[std::path::Path::new(&path)].1.clone()).unwrap();
            assert!(text.starts_with(old.trim_end()), "{path}: {text}");
            let sections = text.lines().filter(|line| *line == "## Research").count();
            assert!(sections <= 1, "{path}: {text}");
            sections
        })
        .iter()
        .sum();
    assert!(researched > 0, "something was researched");
}

fn check_records(team: &Team) {
    let checked = Ran::of(here(&team.bench, &team.url).args(["db", "check", "--json"])).done();
    assert_eq!((&checked["ok"], &checked["damaged"]), (&Value::Bool(true), &json!([])), "{checked}");
    let log = std::fs::read_to_string(team.bench.desk.folder().join("workers.log")).unwrap();
    assert!(!log.contains("panicked"), "{log}");
}

fn wait_for_last_tasks(team: &Team) -> Duration {
    let begun = Instant::now();
    let approved = team.approved.lock().unwrap().clone();
    let mut open: Vec<AgendaId> = approved;
    while !open.is_empty() {
        let jobs = team.records.jobs().unwrap();
        assert!(begun.elapsed() < LAST_TASKS, "{jobs:#?}");
        open.retain(|id| team.records.agenda(id).unwrap().unwrap().ended.is_none());
        thread::sleep(Duration::from_millis(100));
    }
    begun.elapsed()
}

fn prepare(url: String, records: PostgresRecords) -> (Team, [Served; SERVERS]) {
    let bench = Bench::new(Trap::slow(Duration::from_millis(150)));
    copy(&repository().join("examples/vault"), &bench.desk.vault());
    let servers = [(); SERVERS].map(|()| serve(&bench, &url));
    let addresses = servers.each_ref().map(|server| RwLock::new(Address::of(server)));
    let (approved, told, over) = (Mutex::default(), Mutex::default(), AtomicBool::new(false));
    let [accepts, researched, cut_off, refused] = [const { AtomicUsize::new(0) }; 4];
    let team =
        Team { bench, url, records, addresses, approved, over, told, accepts, researched, cut_off, refused };
    (team, servers)
}

#[test]
#[allow(clippy::print_stdout, reason = "figures of the long run")]
fn whoever_is_killed_and_however_long_the_database_is_away_each_task_is_done_once() {
    let Some(mut server) = OwnServer::start() else { return };
    let database = TestDatabase::create_on(&server.address);
    let plan = Plan::choose();
    let (team, mut servers) = prepare(database.url(&database.role()), database.open("default"));
    let before = team.bench.desk.tree();
    let mut workers: Vec<Background> = (0..WORKERS).map(|_| team.start_worker()).collect();
    let begun = Instant::now();
    let toll = thread::scope(|scope| {
        let (team, pace) = (&team, plan.pace);
        for user in 0..2 {
            scope.spawn(move || team.approve_all_the_while(user, pace));
        }
        for user in 0..3 {
            scope.spawn(move || team.accept_all_the_while(user));
        }
        scope.spawn(move || team.research_all_the_while());
        scope.spawn(move || team.hear_all_the_while());
        let _over = SaysOver(&team.over);
        kill_all_the_while(team, &plan, &mut server, &mut workers, &mut servers)
    });
    let took = wait_for_last_tasks(&team);
    check_each_once(&team);
    let mut random = Random::seeded(50);
    for finding in findings(&team.records) {
        let path = format!("/api/research/findings/{}/accept", finding.id);
        team.persist(&mut random, 200, |address| address.post(&path, None, &json!({})));
    }
    let in_time = |began: Instant| began.elapsed() < LONGEST_WAIT;
    assert!(RESEARCHED.iter().all(|note| team.research(&mut random, note, in_time)));
    check_vault(&team, &before);
    for worker in workers {
        assert_eq!(worker.end(Signal::TERM), Some(0));
    }
    for server in servers {
        server.end();
    }
    check_records(&team);
    assert!(toll.workers > 0 && toll.servers > 0 && toll.restarts > 0 && toll.gone == 1, "{toll:?}");
    if std::env::var_os("WELLREAD_LONG").is_some() {
        let approved = team.approved.lock().unwrap().len();
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        println!(
            "{:?}: {} workers and {} servers killed, the database restarted {} times and gone for {:?}",
            begun.elapsed(),
            toll.workers,
            toll.servers,
            toll.restarts,
            plan.gone_for
        );
        println!(
            "{approved} agendas, {} tasks, {} findings, {} times accepted, {} notes researched",
            approved * TASKS,
            approved * TASKS * PAGES,
            count(&team.accepts),
            count(&team.researched)
        );
        println!(
            "{} requests cut off, {} refused while the database was away; the last task was done {took:?} after the last kill",
            count(&team.cut_off),
            count(&team.refused)
        );
    }
}
