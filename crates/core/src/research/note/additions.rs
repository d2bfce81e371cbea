//! What a reader finds worth adding to a note: without a language model, everything is quoted.

use std::collections::{BTreeMap, BTreeSet};

use super::keyless::{FINDINGS, OF_A_SOURCE, QUOTES, topic_heading};
use super::{NoteJob, TopicMaterial};
use crate::Result;
use crate::domain::corpus::VaultPath;
use crate::domain::id::EvidenceId;
use crate::engine::gather::SearchReach;
use crate::insight::keyless::{self, KnownWords, Quote, ReadableSection, Topic};

use crate::research::Work;
use crate::research::quote_sources::QuoteSources;

/// How many passages that are near to the note as a whole are read besides those of its topics.
const NEARBY: usize = 20;
/// The most characters of the note by which these are found.
const LONGEST_QUERY: usize = 240;

/// A heading, and the lines below it.
pub(super) type QuotedList = (String, Vec<String>);

impl Work<'_, NoteJob> {
    /// The sentences that are worth adding to the note, in lists by topic; `None` without a reader.
    pub(super) async fn quote_additions(
        &self,
        path: &VaultPath,
        topics: &[Topic],
        material: &[TopicMaterial],
        used: &mut BTreeSet<EvidenceId>,
    ) -> Result<Option<Vec<QuotedList>>> {
        let is_read = || self.research.reader.is_some() && self.gatherer.compares_by_meaning();
        if !self.run.draw("has_reader", is_read)? {
            return Ok(None);
        }
        let title = path.stem();
        let note = keyless::describe_note(title, &self.job.text);
        let nearby = self.find_nearby(path, &note).await?;
        let mut sources = QuoteSources::default();
        let mut topic_of: Vec<Option<usize>> = Vec::new();
        let found = material.iter().enumerate().map(|(number, material)| (Some(number), material));
        for (number, material) in found.chain([(None, &nearby)]) {
            sources.add_topic(&self.gatherer, material)?;
            topic_of.resize(sources.passages.len(), number);
        }
        let known = KnownWords::from_note(title, &self.job.text);
        let reading = |sections: &[ReadableSection]| self.read_for_note(&note, sections);
        let Some(additions) = keyless::find_additions(&known, &sources.passages, &reading) else {
            return Ok(None);
        };
        let mut lists: BTreeMap<usize, QuotedList> = BTreeMap::new();
        for (quote, heading) in choose_additions(additions, topics, &topic_of, &sources) {
            let reason = format!("worth adding under `{heading}`");
            let id = sources.cite(self.run, &quote, &reason)?;
            if used.insert(id.clone()) {
                let place = topic_of[quote.passage].unwrap_or(topics.len() + quote.passage);
                let same = lists.iter().find(|(_, (other, _))| *other == heading).map(|(place, _)| *place);
                let list = lists.entry(same.unwrap_or(place)).or_insert_with(|| (heading, Vec::new()));
                list.1.push(format!("{} [{id}]", quote.quoted));
            }
        }
        Ok(Some(lists.into_values().collect()))
    }

    /// Passages that are near to the note as a whole, whether or not they share a topic's words.
    async fn find_nearby(&self, path: &VaultPath, note: &str) -> Result<TopicMaterial> {
        let query: String = note.chars().take(LONGEST_QUERY).collect();
        let found = self.gatherer.search_library_widely(&query, NEARBY, Some(path), SearchReach::Distant);
        let (passages, skipped) = found.await?;
        Ok(TopicMaterial { passages, skipped: skipped.into_iter().collect(), ..TopicMaterial::default() })
    }

    /// How much each piece of each section is worth for the note. Logged, so that a replay chooses the same sentences.
    fn read_for_note(&self, note: &str, sections: &[ReadableSection]) -> Option<Vec<Vec<f32>>> {
        let read = |section: &ReadableSection| {
            let reader = self.research.reader.as_deref()?;
            Some(reader.read(note, &section.context, &section.pieces))
        };
        self.run.draw("readings", || sections.iter().map(read).collect::<Option<Vec<_>>>()).ok().flatten()
    }
}

/// The best of all, few of one heading and of one source, each with its heading: the topic that it was found for, or else the name
/// of its note.
fn choose_additions(
    additions: Vec<Quote>,
    topics: &[Topic],
    topic_of: &[Option<usize>],
    sources: &QuoteSources<'_>,
) -> Vec<(Quote, String)> {
    let mut chosen: Vec<(Quote, String)> = Vec::new();
    for quote in additions {
        let passage = &sources.passages[quote.passage];
        let heading = match topic_of[quote.passage] {
            Some(number) => topic_heading(&topics[number].topic),
            None => topic_heading(passage.title()),
        };
        let of_source =
            chosen.iter().filter(|(other, _)| sources.passages[other.passage].source == passage.source);
        let is_full = of_source.count() >= OF_A_SOURCE
            || chosen.iter().filter(|(_, other)| *other == heading).count() >= QUOTES;
        if chosen.len() < FINDINGS && !is_full {
            chosen.push((quote, heading));
        }
    }
    chosen
}
