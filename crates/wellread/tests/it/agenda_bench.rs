//! A vault to look after, a small web that answers every query with pages of its own, and a model that writes up what it is
//! shown. A trap holds one request back, the first or the tenth, whoever is asked.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wellread_core::domain::id::AgendaId;
use wellread_core::ports::agenda::{Agenda, Finding, TaskSource};
use wellread_core::ports::{FindingFilter, Records};
use wellread_testkit::scripted_server::HttpRequest;
use wellread_testkit::web_server::{ReplyGate, WebServerReply as WebReply, searxng};
use wellread_testkit::{ModelServer, Turn, WebServer, agenda_fixtures};

use crate::desk::{Desk, PATIENCE, Ran};
use crate::partner::with;
use crate::served::{Reply, Served};
use crate::study::{article, id_of, prompt};

/// How many pages every query finds.
pub const PAGES: usize = 2;
/// As many turns as a model may need.
const TURNS: usize = 60;

/// Holds one request back, by its number among all that are made of the web and the model.
pub struct Trap {
    seen: AtomicUsize,
    at: usize,
    tell: Mutex<mpsc::Sender<()>>,
    told: Mutex<mpsc::Receiver<()>>,
    gate: ReplyGate,
    /// How long the web takes for every answer.
    delay: Duration,
}

impl Trap {
    pub fn at(number: usize) -> Arc<Self> {
        let (tell, told) = mpsc::channel();
        let (tell, told) = (Mutex::new(tell), Mutex::new(told));
        let (seen, gate) = (AtomicUsize::new(0), ReplyGate::default());
        Arc::new(Self { seen, at: number, tell, told, gate, delay: Duration::ZERO })
    }

    pub fn nowhere() -> Arc<Self> {
        Self::at(usize::MAX)
    }

    /// Holds nothing back; but the web takes so long for every answer.
    pub fn slow(delay: Duration) -> Arc<Self> {
        let mut trap = Self::nowhere();
        if let Some(trap) = Arc::get_mut(&mut trap) {
            trap.delay = delay;
        }
        trap
    }

    /// Waits until the request is there.
    pub fn until_sprung(&self) {
        self.told.lock().unwrap().recv_timeout(PATIENCE).expect("the request comes");
    }

    /// Lets it go.
    pub fn open(&self) {
        self.gate.open();
    }

    pub fn seen(&self) -> usize {
        self.seen.load(Ordering::SeqCst)
    }

    fn springs(&self) -> bool {
        let springs = self.seen.fetch_add(1, Ordering::SeqCst) + 1 == self.at;
        if springs {
            self.tell.lock().unwrap().send(()).unwrap();
        }
        springs
    }
}

pub struct Bench {
    pub desk: Desk,
    pub web: WebServer,
    pub model: Option<ModelServer>,
    pub trap: Arc<Trap>,
}

impl Bench {
    /// Without a model.
    pub fn new(trap: Arc<Trap>) -> Self {
        let desk = Desk::bare();
        desk.save(
            "Bees.md",
            "# Bees\n\nHow heavy is heather honey? It is said that oak galls make ink. See [[Ink]].\n",
        );
        desk.save(
            "Ink.md",
            "# Ink\n\nInk was made of iron and galls, and thickened with heather honey. See [[Bees]].\n",
        );
        let web = WebServer::start();
        let (base, held) = (web.base.clone(), trap.clone());
        web.add_responder("/search", move |request| held_by(&held, found(&base, request)));
        let held = trap.clone();
        web.add_responder("/page/", move |request| held_by(&held, page(request)));
        Self { desk, web, model: None, trap }
    }

    pub fn with_model(trap: Arc<Trap>) -> Self {
        let turns = (0..TURNS).map(|_| {
            let trap = trap.clone();
            Turn::from_request(
                move |body| if trap.springs() { Turn::hangs() } else { thought(&prompt(body)) },
            )
        });
        let model = ModelServer::start(turns.collect::<Vec<_>>());
        Self { model: Some(model), ..Self::new(trap) }
    }

    /// The binary with this web and this model.
    pub fn here(&self) -> Command {
        let mut command = self.desk.here();
        self.around(&mut command);
        command
    }

    fn around<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        searching(command, &self.web);
        match &self.model {
            Some(model) => with(command, model),
            None => command,
        }
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.here().args(args))
    }

    pub fn serve(&self) -> Served {
        self.serve_with(|command| command)
    }

    pub fn serve_with(&self, change: impl FnOnce(&mut Command) -> &mut Command) -> Served {
        Served::with(&self.desk, &[], |command| change(self.around(command)))
    }

    /// An agenda that waits for approval, with a task for each of these queries.
    pub fn proposed(&self, records: &dyn Records, queries: &[&str]) -> AgendaId {
        let mut agenda = agenda_fixtures::agenda(queries.len());
        for (task, query) in agenda.tasks.iter_mut().zip(queries) {
            (task.query, task.source) = ((*query).to_owned(), TaskSource::Web);
        }
        records.propose(&agenda, None).unwrap();
        agenda.id
    }

    /// The paths of what was asked of the web.
    pub fn asked(&self) -> Vec<String> {
        self.web.request_lines().iter().map(|line| line.trim_start_matches("GET ").to_owned()).collect()
    }
}

/// The binary with the SearXNG of this web, and leave to fetch its pages.
pub fn searching<'a>(command: &'a mut Command, web: &WebServer) -> &'a mut Command {
    command
        .env("WELLREAD_SEARCH_SERVICES", "searxng")
        .env("WELLREAD_SEARCH_SEARXNG_BASE_URL", &web.base)
        .env("WELLREAD_RESEARCH_SOURCES", "web")
        .env("WELLREAD_HTTP_ALLOW", web.base.trim_start_matches("http://"))
}

fn held_by(trap: &Trap, reply: WebReply) -> WebReply {
    thread::sleep(trap.delay);
    if trap.springs() { reply.with_gate(&trap.gate) } else { reply }
}

/// The words of a query, as they stand in an address.
fn slug(request: &HttpRequest) -> String {
    let query = request.first_line().split(['?', '&', ' ']).find_map(|part| part.strip_prefix("q="));
    let words = query.unwrap_or_default().replace("%20", "-").replace('+', "-");
    words.to_lowercase()
}

fn found(base: &str, request: &HttpRequest) -> WebReply {
    let slug = slug(request);
    let urls: Vec<String> = (1..=PAGES).map(|number| format!("{base}/page/{slug}/{number}")).collect();
    let rows: Vec<(&str, &str, &str)> =
        urls.iter().map(|url| ("A page", url.as_str(), "Of what was asked.")).collect();
    searxng(&rows)
}

/// A page that speaks of its query, in words that no other page has.
fn page(request: &HttpRequest) -> WebReply {
    let path = request.first_line().split(' ').nth(1).unwrap();
    let (slug, number) = path.trim_start_matches("/page/").rsplit_once('/').unwrap();
    let sentences = sentences(&slug.replace('-', " "), number);
    article(&format!("{} {number}", slug.replace('-', " ")), &[&sentences.join(" ")])
}

pub fn sentences(topic: &str, number: &str) -> Vec<String> {
    let word = |at: usize| {
        let seed = wellread_core::domain::corpus::Hash::compute(format!("{topic} {number} {at}").as_bytes())
            .to_string();
        seed.chars().filter(char::is_ascii_alphabetic).take(7).collect::<String>()
    };
    let sentence = |at: usize| {
        let words: Vec<String> = (0..6).map(|word_at| word(at * 10 + word_at)).collect();
        format!(
            "The {topic} of the {number} hill is known for {} and {}.",
            words[..3].join(" "),
            words[3..].join(" ")
        )
    };
    (1..=4).map(sentence).collect()
}

/// What the model answers: an agenda, or a page written up in the words that it was shown.
fn thought(prompt: &str) -> Turn {
    if prompt.starts_with("You propose research") {
        let task = |query: &str| json!({ "query": query, "source": "web", "motivation": "The note asks.", "related_notes": [] });
        return Turn::json(&json!({ "tasks": [task("heather honey"), task("oak galls")] }));
    }
    let said = prompt
        .split(". ")
        .flat_map(|part| part.split('\n'))
        .find(|line| line.starts_with("The ") && line.contains(" hill is known for "));
    let said = said.unwrap_or_else(|| panic!("no page is shown:\n{prompt}")).trim_end_matches('.');
    let id = id_of(prompt, said);
    Turn::json(&json!({
        "summary": format!("{said} [{id}]."), "bearing": "", "concepts": ["hill", "honey"], "related_notes": ["Ink.md"],
    }))
}

/// Waits until this is so.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}: it never came to that");
        thread::sleep(Duration::from_millis(5));
    }
}

pub fn agenda(records: &dyn Records, id: &AgendaId) -> Agenda {
    records.agenda(id).unwrap().unwrap()
}

pub fn until_ended(records: &dyn Records, id: &AgendaId) -> Agenda {
    until("the agenda ends", || agenda(records, id).ended.is_some());
    agenda(records, id)
}

pub fn findings(records: &dyn Records) -> Vec<Finding> {
    records.findings(&FindingFilter::default(), usize::MAX).unwrap()
}

pub fn approve(served: &Served, id: &AgendaId) -> Reply {
    served.post(&format!("/api/research/agenda/{id}/approve"), &json!({ "blockedTaskIds": [] }))
}

/// A request with a key.
pub fn keyed(served: &Served, path: &str, key: &str, body: &Value) -> Reply {
    let body = body.to_string();
    let more = format!(
        "Connection: close\r\nIdempotency-Key: {key}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    );
    served.raw((served.head(&format!("POST {path}"), &more) + &body).as_bytes())
}

/// A success of this status.
pub fn done(reply: &Reply, status: u16) -> Value {
    let answer = reply.json();
    assert!(reply.status == status && answer["success"] == true, "{reply:?}");
    answer
}

/// The notes that were made of findings: path and finding.
pub fn notes(desk: &Desk) -> Vec<(String, String)> {
    let mut notes = Vec::new();
    for (path, (_, bytes)) in desk.tree() {
        let Ok(text) = String::from_utf8(bytes) else { continue };
        if let Some(finding) = text.lines().find_map(|line| line.strip_prefix("finding: ")) {
            notes.push((path.display().to_string(), finding.trim_matches('"').to_owned()));
        }
    }
    notes
}
