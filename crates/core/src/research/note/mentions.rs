//! What other notes say of the very thing that the researched note is about.

use std::collections::BTreeSet;

use super::additions::QuotedList;
use super::keyless::topic_heading;
use super::{NoteJob, TopicMaterial};
use crate::Result;
use crate::domain::corpus::{CorpusName, VaultPath};
use crate::domain::id::EvidenceId;
use crate::engine::gather::LibraryPassage;
use crate::insight::keyless::{self, KnownWords, Quote};
use crate::research::Work;
use crate::research::quote_sources::QuoteSources;

/// The most names that are searched for, and the most passages that are read for each.
const NAMES: usize = 3;
const PASSAGES: usize = 24;

impl Work<'_, NoteJob> {
    /// Puts the lines of other notes that name the note first, as far as they are not quoted yet.
    pub(super) async fn add_mentions(
        &self,
        path: &VaultPath,
        lists: &mut Vec<QuotedList>,
        used: &mut BTreeSet<EvidenceId>,
    ) -> Result<()> {
        let names = self.collect_names();
        if names.is_empty() || self.job.focus.is_some() {
            return Ok(());
        }
        let material = self.find_naming(path, &names).await?;
        let mut sources = QuoteSources::default();
        sources.add_topic(&self.gatherer, &material)?;
        let title = path.stem();
        let known = KnownWords::from_note(title, &self.job.text);
        let mut lines = Vec::new();
        for quote in keyless::find_mentions(&names, &self.job.text, &known, &sources.passages) {
            let source = sources.passages[quote.passage].source;
            if self.is_quoted(source, &quote, used) {
                continue;
            }
            let id = sources.cite(self.run, &quote, &format!("it names `{title}`"))?;
            if used.insert(id.clone()) {
                lines.push(format!("{} [{id}]", quote.quoted));
            }
        }
        let heading = topic_heading(title);
        match lists.iter_mut().find(|(other, _)| *other == heading) {
            Some((_, same)) => same.splice(0..0, lines).for_each(drop),
            None => lists.insert(0, (heading, lines)),
        }
        Ok(())
    }

    /// The names by which other notes speak of this one. Logged, since those of people depend on who else there is; none in runs that
    /// were recorded before there were any.
    fn collect_names(&self) -> Vec<String> {
        let (vault, job) = (self.vault, self.job);
        let collect = || {
            let files = vault.files.list().map(|listing| listing.files).unwrap_or_default();
            let notes = files.iter().filter(|file| file.path.is_note()).map(|file| file.path.to_string());
            let others: Vec<String> = notes.filter(|other| *other != job.path).collect();
            keyless::collect_names(&job.path, &job.text, &others)
        };
        self.run.draw("names", collect).unwrap_or_default()
    }

    /// The passages of other notes that are found for the names.
    async fn find_naming(&self, path: &VaultPath, names: &[String]) -> Result<TopicMaterial> {
        let mut material = TopicMaterial::default();
        for name in names.iter().take(NAMES) {
            let (passages, _) = self.gatherer.search_library(name, PASSAGES, Some(path)).await?;
            let in_vault = |passage: &LibraryPassage| passage.hit.place.corpus == CorpusName::Vault;
            material.passages.extend(passages.into_iter().filter(in_vault));
        }
        Ok(material)
    }

    /// Whether a part of it is quoted already.
    fn is_quoted(&self, source: &str, quote: &Quote, used: &BTreeSet<EvidenceId>) -> bool {
        let ledger = self.run.ledger();
        used.iter().filter_map(|id| ledger.entry(id)).filter_map(|entry| entry.source.file()).any(
            |(_, place)| {
                place.path.as_str() == source
                    && place.span.start < quote.span.end
                    && quote.span.start < place.span.end
            },
        )
    }
}
