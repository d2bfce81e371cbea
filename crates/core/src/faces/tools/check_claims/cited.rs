//! Looks up what a text cites, and judges it by that.

use std::sync::Arc;

use wellread_text::{FileNames, Note, OkfFields, find_citations};

use super::super::Ctx;
use super::sources::SourceReader;
use crate::Result;
use crate::domain::corpus::{CorpusName, normalize_address};
use crate::domain::evidence::Ledger;
use crate::domain::id::RunId;
use crate::domain::verdict::{GateReport, VerdictReason};
use crate::engine::log;
use crate::ports::Corpus;
use crate::trust::citations::{
    CitationContext, CitedTarget, RewrittenText, WrittenCitation, find_keyed_citations, find_keyed_targets,
};
use crate::trust::gate::{CitedSources, EvidenceReader, judge_cited};

/// Reads what the parts of a text cite.
pub(super) struct CitationReader<'a, 'r> {
    pub ctx: &'a Ctx,
    pub corpora: Vec<(CorpusName, Arc<dyn Corpus>)>,
    /// The names of the files, which links lead to.
    pub names: Arc<FileNames>,
    /// The path of the text, from which links lead.
    pub from: String,
    /// The only sources that count, unless there are none.
    pub given: &'a [(String, String)],
    pub sources: &'r mut SourceReader<'a>,
    /// The sources in the frontmatter of the text, which its footnotes may be keyed to.
    pub fields: OkfFields,
    /// How many citations were found.
    pub cites: usize,
}

/// What a citation leads to.
#[derive(PartialEq)]
enum FoundSource {
    /// A document that was read, or lines of it.
    Document(usize, Option<(usize, usize)>),
    /// Nothing that can be read.
    Missing(VerdictReason),
    /// Nothing that counts here.
    Other,
}

impl CitationReader<'_, '_> {
    /// Judges a part of the text that begins at this byte; `run` wrote it, if it is known.
    pub async fn judge(&mut self, body: &str, offset: usize, run: Option<&RunId>) -> Result<GateReport> {
        let ctx = self.ctx;
        let stored = run.and_then(|run| self.load_ledger(std::slice::from_ref(run)));
        let (rewritten, found) = match &stored {
            Some(ledger) => {
                let context = CitationContext { ledger, names: &self.names, from: &self.from };
                (context.restored_ids(body), Vec::new())
            }
            None => self.rewrite(body).await?,
        };
        self.cites += find_citations(&rewritten.text).len();
        let ledger = match stored {
            Some(ledger) => Some(ledger),
            None if self.given.is_empty() => self.load_ledger(&log::cited_runs(body)),
            None => None,
        };
        if let Some(ledger) = &ledger {
            self.sources.note_origins(ledger);
        }
        let documents = if self.given.is_empty() { self.sources.documents.as_slice() } else { self.given };
        let verifier = ctx.research.opinions.verifier.as_deref();
        let mut cited = CitedSources::new(verifier);
        for (id, found) in found {
            match found {
                FoundSource::Document(number, Some(lines)) => cited.add_lines(id, &documents[number], lines),
                FoundSource::Document(number, None) => cited.add_document(id, &documents[number]),
                FoundSource::Missing(why) => cited.add_missing(id, why),
                FoundSource::Other => {}
            }
        }
        if let Some(ledger) = &ledger {
            let places =
                EvidenceReader { corpora: &self.corpora, snapshots: &*ctx.research.snapshots, verifier };
            cited.add_evidence(&rewritten.text, ledger, &places);
        }
        let mut report = judge_cited(&rewritten.text, &cited, self.given);
        rewritten.restore_report(&mut report, offset);
        Ok(report)
    }

    /// The text with ids for what it cites, and what each id stands for.
    async fn rewrite<'t>(
        &mut self,
        body: &'t str,
    ) -> Result<(RewrittenText<'t>, Vec<(String, FoundSource)>)> {
        let resolve = |label: &str, written| {
            find_keyed_targets(&self.fields, (&self.names, &self.from), label, written)
        };
        let citations = find_keyed_citations(body, &resolve);
        // An id that the text itself does not have.
        let prefix = (0..).map(|number| format!("ev-cited{number}-")).find(|prefix| !body.contains(prefix));
        let prefix = prefix.unwrap_or_default();
        let (mut ids, mut all): (Vec<Vec<String>>, Vec<(String, FoundSource)>) = (Vec::new(), Vec::new());
        for citation in &citations {
            let mut own = Vec::new();
            for target in &citation.targets {
                match self.find(target).await? {
                    FoundSource::Other => {}
                    found => {
                        // What is cited again keeps its id, and is read once.
                        let known = all.iter().find(|(_, known)| *known == found).map(|(id, _)| id.clone());
                        let id = known.unwrap_or_else(|| format!("{prefix}{:03}", all.len() + 1));
                        own.push(id.clone());
                        if all.iter().all(|(known, _)| *known != id) {
                            all.push((id, found));
                        }
                    }
                }
            }
            ids.push(own);
        }
        Ok((WrittenCitation::rewrite(body, &citations, &ids), all))
    }

    async fn find(&mut self, target: &CitedTarget) -> Result<FoundSource> {
        if !self.given.is_empty() {
            return Ok(self.find_given(target));
        }
        let found = match target {
            CitedTarget::Address(url) => match self.sources.read_cited_page(url).await? {
                Ok(number) => FoundSource::Document(number, None),
                Err(because) => {
                    FoundSource::Missing(VerdictReason::PlaceUnreachable { id: url.clone(), because })
                }
            },
            CitedTarget::Lines { repository, path, lines } => {
                let number = self.sources.read_file(repository.as_deref(), path, &self.from)?;
                self.narrow(number, path, None, Some(*lines))
            }
            CitedTarget::Link { target, anchor, lines } => {
                let path = self.names.resolve(target, &self.from).path().unwrap_or(target).to_owned();
                let number = self.sources.read_file(None, &path, &self.from)?;
                self.narrow(number, target, anchor.as_deref(), *lines)
            }
        };
        Ok(found)
    }

    /// The part of a document that is cited.
    fn narrow(
        &self,
        number: Option<usize>,
        written: &str,
        anchor: Option<&str>,
        lines: Option<(usize, usize)>,
    ) -> FoundSource {
        let Some(number) = number else {
            return FoundSource::Missing(VerdictReason::PlaceGone { id: written.to_owned() });
        };
        match (lines, anchor) {
            (Some(lines), _) => FoundSource::Document(number, Some(lines)),
            (None, None) => FoundSource::Document(number, None),
            (None, Some(anchor)) => match find_anchored_lines(&self.sources.documents[number].1, anchor) {
                Some(lines) => FoundSource::Document(number, Some(lines)),
                None => FoundSource::Missing(VerdictReason::PlaceUnreachable {
                    id: format!("{written}#{anchor}"),
                    because: "the note has no such heading or block".to_owned(),
                }),
            },
        }
    }

    /// What a citation leads to if only the given sources count.
    fn find_given(&self, target: &CitedTarget) -> FoundSource {
        let position = |fits: &dyn Fn(&str) -> bool| self.given.iter().position(|(name, _)| fits(name));
        let is_file = |name: &str, path: &str| {
            let name = name.rsplit_once(": ").map_or(name, |(_, path)| path);
            name == path || name.ends_with(&format!("/{path}"))
        };
        match target {
            CitedTarget::Address(url) => {
                let wanted = normalize_address(url);
                let found = position(&|name| wanted.is_some() && normalize_address(name) == wanted);
                found.map_or(FoundSource::Other, |number| FoundSource::Document(number, None))
            }
            CitedTarget::Lines { path, lines, .. } => position(&|name| is_file(name, path))
                .map_or(FoundSource::Other, |number| FoundSource::Document(number, Some(*lines))),
            CitedTarget::Link { target, lines, .. } => {
                let path = self.names.resolve(target, &self.from).path().unwrap_or(target).to_owned();
                let found = position(&|name| is_file(name, &path));
                found.map_or(FoundSource::Other, |number| FoundSource::Document(number, *lines))
            }
        }
    }

    /// The evidence of those of these runs that may be seen here; `None` if no run is stored.
    fn load_ledger(&self, runs: &[RunId]) -> Option<Ledger> {
        let (mut entries, mut shown, mut known) = (Vec::new(), Vec::new(), None);
        for run in runs {
            // One that is not here is reported by each sentence that cites it.
            let events = log::read_shown_run(&*self.ctx.research.runs.records, &self.ctx.vault, run);
            let Ok(events) = events else { continue };
            known = known.or_else(|| Some(run.clone()));
            let ledger = log::ledger(run, &events);
            shown.extend(ledger.shown_ids().cloned());
            entries.extend(ledger.entries().iter().cloned());
        }
        Some(Ledger::restore(known?, entries, shown))
    }
}

/// The lines, from 1, of the section under a heading, or of the block with an id.
fn find_anchored_lines(text: &str, anchor: &str) -> Option<(usize, usize)> {
    let note = Note::parse(text);
    let last = text.lines().count();
    if let Some(id) = anchor.strip_prefix('^') {
        let line = note.blocks.iter().find(|block| block.id == id)?.line;
        return Some((line, line));
    }
    // Of `a#b`, the last heading is meant. Obsidian ignores characters that mean something in a link.
    let key = |text: &str| {
        let plain = text.replace(|letter: char| "#|^:[]%\\-".contains(letter), " ");
        plain.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
    };
    let wanted = key(anchor.rsplit('#').next().unwrap_or(anchor));
    let number = note.headings.iter().position(|heading| key(&heading.text) == wanted)?;
    let heading = &note.headings[number];
    let next = note.headings[number + 1..].iter().find(|next| next.level <= heading.level);
    Some((heading.line, next.map_or(last, |next| next.line - 1)))
}
