//! The web in memory: it answers as a test scripted it, and refuses everything else.

use std::collections::{HashMap, VecDeque};
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard};

use wellread_core::domain::untrusted::Untrusted;
use wellread_core::engine::outside::{OutsideServices, SentLog};
use wellread_core::ports::{
    BoxFuture, FetchableUrl, FetchedPage, PageFetcher, PageLimits, Paper, Recording, ServiceIdentity, Speech,
    WebAnswer, WebFailure, WebQuery, WebResult, WebSearchService,
};
use wellread_core::{Error, Result};

/// A service that searches, and pages. What it was asked is kept.
pub struct ScriptedWeb {
    pub service: ServiceIdentity,
    /// By the query's text.
    answers: HashMap<String, Result<WebAnswer, WebFailure>>,
    /// To every query that is not scripted by its text.
    otherwise: Option<Result<WebAnswer, WebFailure>>,
    /// By the address.
    pages: HashMap<String, Result<FetchedPage, WebFailure>>,
    /// By the address: what comes before that, once each.
    first: Mutex<HashMap<String, VecDeque<WebFailure>>>,
    asked: Mutex<Vec<WebQuery>>,
    fetched: Mutex<Vec<String>>,
}

/// A result as a service gives it.
pub fn web_result(title: &str, url: &str, snippet: &str) -> WebResult {
    WebResult {
        title: title.to_owned(),
        url: url.to_owned(),
        snippet: Untrusted::from_outside(snippet),
        paper: None,
    }
}

/// A paper as arXiv gives it.
pub fn paper_result(id: &str, title: &str, summary: &str) -> WebResult {
    let paper = Paper {
        id: id.to_owned(),
        authors: vec!["Ann Hive".to_owned()],
        published: "2023-01-01T00:00:00Z".to_owned(),
        pdf_url: Some(format!("https://arxiv.org/pdf/{id}")),
    };
    WebResult { paper: Some(paper), ..web_result(title, &format!("https://arxiv.org/abs/{id}"), summary) }
}

/// An answer with these results.
pub fn web_answer(results: impl IntoIterator<Item = WebResult>) -> Result<WebAnswer, WebFailure> {
    Ok(WebAnswer { results: results.into_iter().collect(), ..WebAnswer::default() })
}

pub fn busy_failure() -> WebFailure {
    WebFailure::busy("asked too often")
}

impl ScriptedWeb {
    /// A service on another machine.
    pub fn new(name: &str) -> Self {
        let endpoint = format!("https://{name}.example");
        Self {
            service: ServiceIdentity { name: name.to_owned(), endpoint, is_local: false, answers: false },
            answers: HashMap::new(),
            otherwise: None,
            pages: HashMap::new(),
            first: Mutex::default(),
            asked: Mutex::default(),
            fetched: Mutex::default(),
        }
    }

    /// A scripted service on this machine.
    pub fn new_local(name: &str) -> Self {
        let web = Self::new(name);
        let endpoint = "http://127.0.0.1:1".to_owned();
        Self { service: ServiceIdentity { endpoint, is_local: true, ..web.service.clone() }, ..web }
    }

    /// What it answers to this query, however often it is asked.
    #[must_use]
    pub fn answers(mut self, query: &str, answer: Result<WebAnswer, WebFailure>) -> Self {
        self.answers.insert(query.to_owned(), answer);
        self
    }

    /// What it answers to every other query.
    #[must_use]
    pub fn otherwise(mut self, answer: Result<WebAnswer, WebFailure>) -> Self {
        self.otherwise = Some(answer);
        self
    }

    #[must_use]
    pub fn page(mut self, url: &str, title: &str, text: &str) -> Self {
        let page = FetchedPage {
            url: url.to_owned(),
            title: Some(title.to_owned()),
            author: None,
            date: None,
            site: None,
            language: None,
            text: Untrusted::from_outside(text),
            cut: false,
        };
        self.pages.insert(url.to_owned(), Ok(page));
        self
    }

    #[must_use]
    pub fn page_fails(mut self, url: &str, failure: WebFailure) -> Self {
        self.pages.insert(url.to_owned(), Err(failure));
        self
    }

    /// The page fails in these ways before it is what it is otherwise.
    #[must_use]
    pub fn page_fails_first(self, url: &str, failures: impl IntoIterator<Item = WebFailure>) -> Self {
        lock(&self.first).insert(url.to_owned(), failures.into_iter().collect());
        self
    }

    /// What it was asked so far.
    pub fn queries(&self) -> Vec<WebQuery> {
        lock(&self.asked).clone()
    }

    /// The addresses that were fetched so far.
    pub fn fetched_urls(&self) -> Vec<String> {
        lock(&self.fetched).clone()
    }

    /// A reach in which this is the one service, arXiv, and where pages come from.
    pub fn outside_services(self: &Arc<Self>) -> OutsideServices {
        OutsideServices {
            services: vec![self.clone()],
            arxiv: self.clone(),
            pages: self.clone(),
            speech: OutsideServices::none().speech,
            sendings: SentLog::default(),
            offline: false,
        }
    }
}

impl WebSearchService for ScriptedWeb {
    fn identity(&self) -> ServiceIdentity {
        self.service.clone()
    }

    fn search<'a>(&'a self, query: &'a WebQuery) -> BoxFuture<'a, Result<WebAnswer, WebFailure>> {
        lock(&self.asked).push(query.clone());
        let answer = self.answers.get(&query.text).or(self.otherwise.as_ref()).cloned();
        let answer =
            answer.unwrap_or_else(|| panic!("{} was not scripted for {:?}", self.service.name, query.text));
        Box::pin(ready(answer))
    }
}

impl PageFetcher for ScriptedWeb {
    fn fetch<'a>(
        &'a self,
        page: &'a FetchableUrl,
        _: PageLimits,
    ) -> BoxFuture<'a, Result<FetchedPage, WebFailure>> {
        lock(&self.fetched).push(page.url().to_owned());
        let first = lock(&self.first).get_mut(page.url()).and_then(VecDeque::pop_front).map(Err);
        let answer = first.or_else(|| self.pages.get(page.url()).cloned());
        Box::pin(ready(answer.unwrap_or_else(|| panic!("there is no page {:?} in the script", page.url()))))
    }
}

/// Writes down recordings as it was told to, by their names, and refuses all others.
pub struct ScriptedSpeech {
    pub is_local: bool,
    said: HashMap<String, Result<String>>,
    heard: Mutex<Vec<(String, Vec<u8>)>>,
}

impl ScriptedSpeech {
    pub fn new(is_local: bool, said: impl IntoIterator<Item = (&'static str, Result<&'static str>)>) -> Self {
        let said = said.into_iter().map(|(name, said)| (name.to_owned(), said.map(str::to_owned)));
        Self { is_local, said: said.collect(), heard: Mutex::default() }
    }

    /// The recordings that came, by name, with their bytes.
    pub fn recordings(&self) -> Vec<(String, Vec<u8>)> {
        lock(&self.heard).clone()
    }
}

impl Speech for ScriptedSpeech {
    fn endpoint(&self) -> (String, bool) {
        ("https://speech.example".to_owned(), self.is_local)
    }

    fn transcribe<'a>(&'a self, recording: &'a Recording) -> BoxFuture<'a, Result<Untrusted>> {
        lock(&self.heard).push((recording.name.clone(), recording.bytes.clone()));
        let said = self.said.get(&recording.name).cloned();
        let said =
            said.unwrap_or_else(|| Err(Error::failed(format!("`{}` was not scripted", recording.name))));
        Box::pin(ready(said.map(Untrusted::from_outside)))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
