//! Finds a note's topics, and gathers what the vault, the codebases and the web say about them.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt as _;
use futures_util::future::{join, join_all};
use futures_util::stream;
use serde_json::json;
use wellread_text::{Span, link_key};

use super::{Depth, NoteJob, OF_A_PAGE, TopicMaterial};
use crate::Result;
use crate::domain::corpus::VaultPath;
use crate::domain::untrusted::Untrusted;
use crate::engine::gather::{PageText, SkippedSource, WebSearchResults};
use crate::insight::keyless::{self, Topic};
use crate::ports::event::RunEvent;
use crate::ports::{FetchableUrl, WebQuery, WebResult};
use crate::research::{ResearchStage, Work};

/// How many results of each kind are used for a topic.
const RESULTS: usize = 5;
/// A note that one in so many notes links to, and at least so many, says nothing about any of them.
const HUB_SHARE: usize = 8;
const HUB_LINKS: usize = 8;

/// A page with its spans relevant to a topic, or why there is none.
type FetchedPage = std::result::Result<(PageText, Vec<Span>), SkippedSource>;

impl Work<'_, NoteJob> {
    /// The topics of the note, by the model or by rules.
    pub(super) async fn find_topics(&self) -> Result<Vec<Topic>> {
        self.begin_stage(ResearchStage::Topics, "");
        let Some(model) = self.model else { return self.topics_by_rules() };
        let note = Untrusted::new(self.job.origin, keyless::strip_generated_sections(&self.job.text));
        self.topics_by_model(model, &note).await
    }

    /// Topics from headings, links, tags, questions and key phrases.
    fn topics_by_rules(&self) -> Result<Vec<Topic>> {
        let job = self.job;
        let name = job.path.rsplit('/').next().unwrap_or(&job.path);
        let title = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let most = self.research.settings.max_topics;
        let mut topics = keyless::find_topics(title, &job.text, job.focus.as_deref(), most * 2, &|_| 1.0);
        if job.focus.is_none() {
            let hubs = self.find_hubs(&topics)?;
            topics.retain(|topic| !hubs.contains(&topic.topic));
        }
        topics.truncate(most);
        self.record_topics(&topics)?;
        Ok(topics)
    }

    /// The topics that are names of notes that everything links to. Logged, since links change.
    fn find_hubs(&self, topics: &[Topic]) -> Result<Vec<String>> {
        let vault = self.vault;
        let linking =
            |name: &str| vault.links.find_mentions(&[link_key(name)]).map_or(0, |found| found.notes.len());
        self.run.draw("hubs", || {
            let files = vault.files.list().map(|listing| listing.files).unwrap_or_default();
            let notes = files.iter().filter(|file| file.path.is_note()).count();
            let most = (notes / HUB_SHARE).max(HUB_LINKS);
            let names = topics.iter().map(|topic| topic.topic.clone());
            names.filter(|name| linking(name) > most).collect()
        })
    }

    /// Logs the topics as the plan of the run.
    pub(super) fn record_topics(&self, topics: &[Topic]) -> Result<()> {
        let names: Vec<&str> = topics.iter().map(|topic| topic.topic.as_str()).collect();
        self.run.record_event(&RunEvent::Plan { plan: json!({ "topics": names }) })
    }

    /// Gathers for all topics, several concurrently; the results are in the order of the topics.
    pub(super) async fn gather_topics(
        &self,
        path: &VaultPath,
        has_web: bool,
        topics: &[Topic],
    ) -> Result<Vec<TopicMaterial>> {
        let (done, of) = (&AtomicUsize::new(0), topics.len());
        self.report_stage(ResearchStage::Gather, 0, of, "");
        let each = topics.iter().enumerate().map(|(number, topic)| async move {
            let material = self.gather_topic(path, has_web, topic).await;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            self.report_stage(ResearchStage::Gather, done, of, &topic.topic);
            (number, material)
        });
        let each: Vec<_> = each.collect();
        let at_once = self.research.settings.concurrency.max(1);
        let mut all: Vec<(usize, Result<TopicMaterial>)> =
            stream::iter(each).buffer_unordered(at_once).collect().await;
        all.sort_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, material)| material).collect()
    }

    async fn gather_topic(&self, path: &VaultPath, has_web: bool, topic: &Topic) -> Result<TopicMaterial> {
        let query = WebQuery { text: topic.topic.clone(), limit: RESULTS, offset: 0, answer: false };
        let web = async {
            if has_web { self.gatherer.search_web(&query).await } else { Ok(WebSearchResults::default()) }
        };
        let library = self.gatherer.search_library(&topic.topic, RESULTS, Some(path));
        let (web, library) = join(web, library).await;
        let (web, (passages, skipped)) = (web?, library?);
        let mut material = TopicMaterial { passages, ..TopicMaterial::default() };
        material.skipped.extend(skipped);
        material.skipped.extend(web.to_skipped(&topic.topic));
        let pages = if self.job.depth == Depth::Deep { self.research.settings.pages_per_topic } else { 0 };
        let fetched: Vec<_> =
            web.answer.results.iter().take(pages).map(|result| self.read_result(result, topic)).collect();
        for page in join_all(fetched).await {
            match page? {
                Ok(page) => material.pages.push(page),
                Err(skipped) => material.skipped.push(skipped),
            }
        }
        material.web = web;
        Ok(material)
    }

    async fn read_result(&self, result: &WebResult, topic: &Topic) -> Result<FetchedPage> {
        let url = FetchableUrl::from_result(result);
        let page = match self.gatherer.fetch_page(&url, self.research.page_limits(), &topic.topic).await? {
            Ok(page) => page,
            Err(missed) => return Ok(Err(SkippedSource { what: result.url.clone(), reason: missed.reason })),
        };
        let spans = match self.model {
            Some(model) => self.extract_spans(model, &page, &result.url, topic).await?,
            None => page.spans_about(&topic.topic, OF_A_PAGE),
        };
        Ok(Ok((page, spans)))
    }
}
