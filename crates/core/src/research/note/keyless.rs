//! The section of a researched note without a model: everything is quoted, nothing is generated.

use std::collections::BTreeSet;
use std::future::ready;

use wellread_text::LineIndex;

use super::additions::QuotedList;
use super::{ForgottenNote, NoteJob, SectionDraft, TopicMaterial};
use crate::Result;
use crate::domain::corpus::VaultPath;
use crate::domain::evidence::{FilePlace, NewEvidence, Provenance, Source};
use crate::domain::id::EvidenceId;
use crate::domain::untrusted::Untrusted;
use crate::engine::repair::{CheckedText, UncitedPolicy, check_and_repair};
use crate::engine::run::Run;
use crate::insight::keyless::{self, KnownWords, Passage, QuestionKind, Quote, Topic};
use crate::library::search::{SearchMode, SearchRequest};
use crate::ports::{PassageFilter, PassageScope};
use crate::research::quote_sources::{PassageSource, QuoteSources};
use crate::research::{ResearchStage, Work};

/// How many sentences are quoted in all.
pub(super) const FINDINGS: usize = 12;
/// How many sentences are quoted for a topic, and how many of them from one source.
pub(super) const QUOTES: usize = 3;
pub(super) const OF_A_SOURCE: usize = 2;
/// The most entries of the other lists.
const LISTED: usize = 5;
/// A note is related if it is among so many that are most like the note as a whole.
const SIMILAR: usize = 8;

impl Work<'_, NoteJob> {
    /// Quotes the best sentences for each topic, figures that differ from the note's, forgotten notes and open questions,
    /// each cited.
    pub(super) async fn quote_section(
        &self,
        path: &VaultPath,
        topics: &[Topic],
        material: &[TopicMaterial],
    ) -> Result<SectionDraft> {
        self.begin_stage(ResearchStage::WriteUp, "");
        let own = OwnNote { path, job: self.job };
        let mut text = String::new();
        let mut used = BTreeSet::new();
        let mut lists = match self.quote_additions(path, topics, material, &mut used).await? {
            Some(lists) => lists,
            None => self.quote_findings(topics, material, &mut used)?,
        };
        self.add_mentions(path, &mut lists, &mut used).await?;
        for (heading, lines) in lists {
            push_list(&mut text, &heading, &lines);
        }
        push_list(&mut text, "Figures that differ", &self.collect_differences(&own, material)?);
        let forgotten = self.find_forgotten_notes(topics, material)?;
        let quoted = quote_forgotten_notes(self.run, topics, material, &forgotten, &used)?;
        push_list(&mut text, "Notes you may have forgotten", &quoted);
        // What the note itself leaves open is no reason to write into it.
        if text.is_empty() {
            return Err(super::nothing_found_error());
        }
        push_list(&mut text, "Open questions", &own.cite_questions(self.run)?);
        self.begin_stage(ResearchStage::Check, "");
        let reader = self.evidence_reader();
        let checked =
            check_and_repair(self.run, (&reader, None), text, UncitedPolicy::Goes, |_| ready(None)).await?;
        let CheckedText { text, report, supported, moved } = checked;
        let coverage = report.map(|report| report.coverage).unwrap_or_default();
        Ok(SectionDraft { text, coverage, supported, moved, removed: 0, cut: false, forgotten })
    }

    /// The sentences that add something to the note by their words alone, in lists by topic: the best of all, and few of one topic.
    fn quote_findings(
        &self,
        topics: &[Topic],
        material: &[TopicMaterial],
        used: &mut BTreeSet<EvidenceId>,
    ) -> Result<Vec<QuotedList>> {
        let name = self.job.path.rsplit('/').next().unwrap_or(&self.job.path);
        let known = KnownWords::from_note(name.trim_end_matches(".md"), &self.job.text);
        let mut sources: Vec<QuoteSources<'_>> = Vec::new();
        for material in material {
            let mut found = QuoteSources::default();
            found.add_topic(&self.gatherer, material)?;
            sources.push(found);
        }
        let all: Vec<Passage<'_>> = sources.iter().flat_map(|found| found.passages.iter().copied()).collect();
        let mut rated: Vec<(f32, usize, Quote)> = Vec::new();
        for (number, (topic, found)) in topics.iter().zip(&sources).enumerate() {
            let quotes = keyless::find_quotes(&topic.topic, &found.passages, QUOTES * 4, OF_A_SOURCE);
            let rate = |quote: Quote| {
                let of = found.passages.get(quote.passage)?;
                Some((keyless::rate_finding(&quote, of, &topic.topic, &known, &all)?, number, quote))
            };
            rated.extend(quotes.into_iter().filter_map(rate));
        }
        rated.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut lines: Vec<Vec<String>> = vec![Vec::new(); topics.len()];
        for (_, number, quote) in rated {
            let is_full = lines.iter().map(Vec::len).sum::<usize>() >= FINDINGS;
            if is_full || lines[number].len() >= QUOTES {
                continue;
            }
            let reason = format!("found for `{}`", topics[number].topic);
            let id = sources[number].cite(self.run, &quote, &reason)?;
            if used.insert(id.clone()) {
                lines[number].push(format!("{} [{id}]", quote.quoted));
            }
        }
        Ok(topics.iter().map(|topic| topic_heading(&topic.topic)).zip(lines).collect())
    }

    /// Numbers and dates of the note that other sources give differently.
    fn collect_differences(&self, own: &OwnNote<'_>, material: &[TopicMaterial]) -> Result<Vec<String>> {
        let mut sources = QuoteSources::default();
        sources.add(own.passage(), own.passage_source());
        for material in material {
            sources.add_topic(&self.gatherer, material)?;
        }
        let mut lines = Vec::new();
        let all = keyless::find_differences(&sources.passages, Some(&own.job.text), LISTED * 2);
        // The note itself is the first passage. Where only others differ, its reader can't mend it here.
        let of_note = all.into_iter().filter(|one| one.one.passage == 0 || one.other.passage == 0);
        for difference in of_note.take(LISTED) {
            let reason = format!("figures of {} differ", difference.what);
            let one = sources.cite(self.run, &difference.one, &reason)?;
            let other = sources.cite(self.run, &difference.other, &reason)?;
            lines.push(format!(
                "{} [{one}], but {} [{other}]",
                difference.one.quoted, difference.other.quoted
            ));
        }
        Ok(lines)
    }

    /// The notes that are most like it as a whole, best first. Empty if it can't be compared: it has no words, say.
    fn find_similar_notes(&self, path: &VaultPath) -> Vec<VaultPath> {
        let scope = if self.job.private { PassageScope::All } else { PassageScope::Public };
        let request = SearchRequest {
            query: String::new(),
            mode: SearchMode::Hybrid,
            filter: PassageFilter { scope, ..PassageFilter::default() },
            limit: SIMILAR,
            per_file: 1,
        };
        let notes = self.search.find_similar(self.vault, path, &request).map(|found| found.notes);
        notes.unwrap_or_default().into_iter().map(|note| note.hit.place.path).collect()
    }

    /// Related notes that the note does not link to. Logged, since the result depends on the whole vault.
    pub(super) fn find_forgotten_notes(
        &self,
        topics: &[Topic],
        material: &[TopicMaterial],
    ) -> Result<Vec<ForgottenNote>> {
        let hits = topics.iter().zip(material).map(|(topic, material)| {
            (topic.topic.clone(), material.passages.iter().map(|passage| passage.hit.clone()).collect())
        });
        let hits: Vec<_> = hits.collect();
        let (vault, job) = (self.vault, self.job);
        self.run.draw("forgotten", || {
            let path = vault.rules.parse_file(&job.path);
            let note = path.and_then(|path| Ok((self.find_similar_notes(&path), vault.read(&path)?)));
            let all = note.and_then(|(similar, note)| {
                keyless::find_forgotten_notes(vault, &note, &hits, &similar, LISTED * 2)
            });
            let all = all.unwrap_or_default().into_iter();
            let all = all.filter(|forgotten| job.private || !vault.is_private(&forgotten.path)).take(LISTED);
            all.map(|forgotten| ForgottenNote { path: forgotten.path.to_string(), why: forgotten.why })
                .collect()
        })
    }
}

/// A sentence of each forgotten note that shows why it is related, and is not quoted already.
fn quote_forgotten_notes(
    run: &Run,
    topics: &[Topic],
    material: &[TopicMaterial],
    forgotten: &[ForgottenNote],
    used: &BTreeSet<EvidenceId>,
) -> Result<Vec<String>> {
    let about: Vec<&str> = topics.iter().map(|topic| topic.topic.as_str()).collect();
    let mut lines = Vec::new();
    for note in forgotten {
        let mut sources = QuoteSources::default();
        for passage in material.iter().flat_map(|material| &material.passages) {
            if passage.hit.place.path.as_str() == note.path {
                let source = Box::new(Source::from_place(&passage.hit.place, None));
                sources.add(Passage::from_hit(&passage.hit), PassageSource::File(source, passage.origin));
            }
        }
        for quote in keyless::find_quotes(&about.join(" "), &sources.passages, QUOTES, QUOTES) {
            let id = sources.cite(run, &quote, "its note may be forgotten")?;
            if !used.contains(&id) {
                lines.push(format!("{} [{id}]", quote.quoted));
                break;
            }
        }
    }
    Ok(lines)
}

/// The researched note as a source.
struct OwnNote<'a> {
    path: &'a VaultPath,
    job: &'a NoteJob,
}

impl<'a> OwnNote<'a> {
    fn passage(&self) -> Passage<'a> {
        let NoteJob { path, text, .. } = self.job;
        Passage { source: path, text, start: 0, first_line: 1, headings: &[], is_prose: true }
    }

    fn place(&self, span: wellread_text::Span) -> FilePlace {
        let lines = LineIndex::new(&self.job.text);
        let last = span.end.saturating_sub(1).max(span.start);
        FilePlace {
            path: self.path.clone(),
            start_line: lines.line_of(span.start),
            end_line: lines.line_of(last),
            span,
            hash: self.job.hash,
        }
    }

    fn passage_source(&self) -> PassageSource {
        let source = Source::Note(self.place(0..self.job.text.len()));
        PassageSource::File(Box::new(source), self.job.origin)
    }

    /// Adds a span of the note to the ledger.
    fn cite(&self, run: &Run, span: wellread_text::Span, reason: &str) -> Result<EvidenceId> {
        let text = self.job.text.get(span.clone()).unwrap_or_default();
        let id = run.add_evidence(NewEvidence {
            source: Source::Note(self.place(span)),
            text: Untrusted::new(self.job.origin, text),
            reason: reason.to_owned(),
            provenance: Provenance::Manual,
            score: None,
            symbol: None,
        })?;
        run.mark_shown(vec![id.clone()])?;
        Ok(id)
    }

    /// Cites the open questions of the note.
    fn cite_questions(&self, run: &Run) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        let asked = keyless::find_open_questions(&self.job.text).into_iter();
        for question in asked.filter(|question| question.kind != QuestionKind::Task).take(LISTED) {
            let Some(quoted) = keyless::to_quotation(&self.job.text[question.span.clone()]) else { continue };
            let id = self.cite(run, question.span, "the note leaves it open")?;
            lines.push(format!("{quoted} [{id}]"));
        }
        Ok(lines)
    }
}

/// Appends a list under its heading, unless it is empty.
fn push_list(text: &mut String, heading: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&format!("### {heading}\n\n"));
    for line in lines {
        text.push_str(&format!("- {line}\n"));
    }
}

/// A topic as a heading: its words without characters that Markdown interprets.
pub(super) fn topic_heading(topic: &str) -> String {
    let plain: String = topic
        .chars()
        .map(|letter| if "[]#`<>*_|{}\\$%^~=".contains(letter) { ' ' } else { letter })
        .collect();
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => words,
    }
}
