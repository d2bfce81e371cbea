//! The fleeting note that a finding becomes: what was found, why, its evidence, and related notes.

use std::cell::RefCell;

use jiff::civil::Date;
use serde_json::{Map, Value, json};
use wellread_text::{
    AllowedLinks, Note, Span, Splice, apply_splices, frontmatter_block, make_inert, neutralize, strip_hidden,
};

use super::FindingEdits;
use super::name_lookup::NameLookup;
use crate::domain::corpus::{VaultPath, normalize_address};
use crate::domain::evidence::{Ledger, Source};
use crate::library::judge::MARK;
use crate::library::vault::Vault;
use crate::ports::agenda::{Finding, FindingEvidence, FindingPart};
use crate::research::OkfMark;
use crate::trust::citations::{CitationContext, FootnoteLabels};
use crate::{Error, Result};

/// The longest file name in bytes: with extension and number it has to fit the limits of file systems.
const LONGEST_NAME: usize = 160;
/// The longest title and summary that the user may write, in characters.
pub(super) const LONGEST_TITLE: usize = 200;
pub(super) const LONGEST_SUMMARY: usize = 20_000;
const TAG: &str = "research-agent";

/// Renders a finding as a note.
pub(super) struct FleetingNote<'a> {
    pub finding: &'a Finding,
    pub edited: &'a FindingEdits,
    pub ledger: &'a Ledger,
    pub vault: &'a Vault,
    /// The Open Knowledge Format fields, if it gets any: then it cites by footnotes.
    pub okf: Option<&'a OkfMark>,
    /// The footnotes so far.
    pub labels: RefCell<FootnoteLabels>,
}

/// A part of the note.
enum NotePiece {
    /// The user's own words, kept verbatim.
    Typed(String),
    /// Text that was found, and our own text about it; it is made inert.
    Found(String),
}

impl FleetingNote<'_> {
    /// The title on one line, without hidden characters.
    fn title(&self) -> String {
        match &self.edited.title {
            Some(title) => strip_hidden(title).0.split_whitespace().collect::<Vec<_>>().join(" "),
            None => one_line(&self.finding.title).chars().take(LONGEST_TITLE).collect(),
        }
    }

    /// The note's path; `number` counts up from 1 while the name is taken.
    pub fn path(&self, folder: &str, number: usize) -> String {
        let kept = |letter: char| {
            if letter.is_control() || "\\/:*?\"<>|#^[]{}`%".contains(letter) { ' ' } else { letter }
        };
        let name: String = self.title().chars().map(kept).collect();
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = truncate_bytes(&name, LONGEST_NAME);
        let name = name.trim_matches(|letter: char| letter == '.' || letter.is_whitespace());
        let name = if name.is_empty() { "Finding" } else { name };
        let folder = folder.trim_matches('/');
        let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        match number {
            1 => format!("{folder}{name}.md"),
            _ => format!("{folder}{name} {number}.md"),
        }
    }

    pub fn render(&self, path: &VaultPath, today: Date) -> Result<String> {
        let finding = self.finding;
        self.labels.take();
        let known = NameLookup::new(&*self.vault.links);
        // Evidence from notes that became private is left out.
        let closed: Vec<&str> = finding
            .evidence
            .iter()
            .filter(|entry| normalize_address(&entry.url).is_none() && !self.is_public(note_path(&entry.url)))
            .map(|entry| entry.id.as_str())
            .collect();
        let related: Vec<&str> = finding
            .related_notes
            .iter()
            .map(String::as_str)
            .filter(|note| self.note_exists(note) && self.is_public(note))
            .collect();
        known.look_up(related.iter().copied())?;
        related.iter().for_each(|note| known.insert(note));
        let open = finding
            .sentences
            .iter()
            .filter(|known| !known.evidence.iter().any(|id| closed.contains(&id.as_str())));
        let open = Finding { sentences: open.cloned().collect(), ..finding.clone() };
        let heading = format!("# {}\n\n", self.title());
        let mut pieces = vec![
            if self.edited.title.is_some() { NotePiece::Typed(heading) } else { NotePiece::Found(heading) },
            NotePiece::Found("## Finding\n\n".to_owned()),
        ];
        pieces.extend(self.summary_pieces(&open, path, &known)?);
        let mut text = format!("\n## Why\n\n{}\n", one_line(&finding.motivation));
        text += &format!("\nFound for “{}”.\n", one_line(&finding.query));
        if !finding.concepts.is_empty() {
            let concepts: Vec<String> = finding.concepts.iter().map(|concept| one_line(concept)).collect();
            text += &format!("\nKey concepts: {}.\n", concepts.join(", "));
        }
        text += "\n## Evidence\n";
        for entry in finding.evidence.iter().filter(|entry| !closed.contains(&entry.id.as_str())) {
            text += &format!("\n{}", render_quote(entry));
        }
        if !related.is_empty() {
            let names = known.names();
            let link = |note: &&str| format!("- [[{}]]\n", names.shortest_link(note, path.as_str()));
            text += &format!("\n## Related notes\n\n{}", related.iter().map(link).collect::<String>());
        }
        pieces.push(NotePiece::Found(text));
        let mut note = self.render_frontmatter(today)?;
        for piece in &pieces {
            match piece {
                NotePiece::Typed(words) => note += words,
                NotePiece::Found(words) => note += &self.make_inert(words, path, &known)?,
            }
        }
        let Some(okf) = self.okf else { return Ok(note) };
        okf.stamp_new(&note, &known.names(), path.as_str(), (&finding.url, &self.title()))
    }

    /// The summary and its bearing on the notes, with the run's mark if anything in it cites evidence.
    fn summary_pieces(
        &self,
        open: &Finding,
        path: &VaultPath,
        known: &NameLookup<'_>,
    ) -> Result<Vec<NotePiece>> {
        let bearing = self.link_citations(&open.supported_text(FindingPart::Bearing), path, known)?;
        let (summary, is_cited) = match &self.edited.summary {
            Some(summary) => {
                let (summary, is_cited) = self.keep_citations(summary.trim(), open, path, known)?;
                (NotePiece::Typed(summary), is_cited)
            }
            None => (
                NotePiece::Found(self.link_citations(
                    &open.supported_text(FindingPart::Summary),
                    path,
                    known,
                )?),
                true,
            ),
        };
        let bearing = bearing.trim();
        let mut end = if bearing.is_empty() { String::new() } else { format!("\n\n{bearing}") };
        end += &self.labels.borrow().render_definitions();
        if is_cited || !bearing.is_empty() {
            end += &format!("\n\n{}{}{}", MARK.0, self.finding.run_id, MARK.1);
        }
        Ok(vec![summary, NotePiece::Found(end + "\n")])
    }

    /// The user's summary: sentences that are still as they were found keep their citations, the user's own get none.
    /// The flag tells whether any citation was kept.
    fn keep_citations(
        &self,
        words: &str,
        open: &Finding,
        path: &VaultPath,
        known: &NameLookup<'_>,
    ) -> Result<(String, bool)> {
        let mut edits: Vec<Splice> = Vec::new();
        for sentence in open.sentences.iter().filter(|sentence| sentence.verdict.is_borne_out()) {
            let apart = |span: &Span| {
                edits.iter().all(|edit| edit.span.end <= span.start || span.end <= edit.span.start)
            };
            let mut places = words.match_indices(&sentence.text).map(|(at, text)| at..at + text.len());
            let Some(span) = places.find(|span| stands_alone(words, span) && apart(span)) else { continue };
            edits.push(Splice { span, text: self.link_citations(&sentence.text_with_ids(), path, known)? });
        }
        edits.sort_by_key(|edit| edit.span.start);
        let is_cited = !edits.is_empty();
        Ok((apply_splices(words, &edits).unwrap_or_else(|_| words.to_owned()), is_cited))
    }

    /// Replaces evidence ids with links.
    fn link_citations(&self, cited: &str, path: &VaultPath, known: &NameLookup<'_>) -> Result<String> {
        let notes = self.ledger.entries().iter().filter_map(|entry| match &entry.source {
            Source::Note(place) => Some(place.path.as_str()),
            _ => None,
        });
        let links = Note::parse(cited).links;
        known.look_up(notes.chain(links.iter().map(|link| link.target.as_str())))?;
        let sources = CitationContext { ledger: self.ledger, names: &known.names(), from: path.as_str() };
        Ok(match self.okf {
            Some(_) => sources.replace_ids_with_footnotes(cited, &mut self.labels.borrow_mut()),
            None => sources.replace_ids_with_links(cited),
        })
    }

    /// Whether a note with exactly this path exists.
    fn note_exists(&self, note: &str) -> bool {
        let path = self.vault.rules.parse_file(note).ok().filter(|path| path.as_str() == note);
        path.is_some_and(|path| self.vault.files.find(&path).is_ok_and(|found| found.is_some()))
    }

    fn is_public(&self, note: &str) -> bool {
        self.vault.rules.parse_file(note).is_ok_and(|path| !self.vault.is_private(&path))
    }

    fn render_frontmatter(&self, today: Date) -> Result<String> {
        let finding = self.finding;
        let fields = json!({
            "tags": [TAG],
            "source": finding.url,
            "date": today.to_string(),
            "finding": finding.id,
            "run": finding.run_id,
        });
        let fields: Map<String, Value> = fields.as_object().cloned().unwrap_or_default();
        frontmatter_block(&fields, "\n").map_err(Error::from)
    }

    /// Makes text inert; only links to the finding's own pages and to existing notes stay.
    fn make_inert(&self, text: &str, path: &VaultPath, known: &NameLookup<'_>) -> Result<String> {
        let pages: Vec<String> = self
            .finding
            .evidence
            .iter()
            .map(|entry| entry.url.as_str())
            .chain([self.finding.url.as_str()])
            .filter_map(normalize_address)
            .collect();
        let links = Note::parse(text).links;
        known.look_up(links.iter().map(|link| link.target.as_str()))?;
        let urls = |url: &str| normalize_address(url).is_some_and(|url| pages.contains(&url));
        let notes = |target: &str| known.resolves(target, path.as_str());
        // The run's mark is ours, so it stays.
        let mark = format!("{}{}{}", MARK.0, self.finding.run_id, MARK.1);
        let parts = text
            .split(mark.as_str())
            .map(|part| make_inert(part, &AllowedLinks { urls: &urls, notes: &notes }).text);
        Ok(parts.collect::<Vec<_>>().join(&mark))
    }
}

/// Whether a span is delimited by white space or the ends of the text.
fn stands_alone(text: &str, span: &Span) -> bool {
    text[..span.start].chars().next_back().is_none_or(char::is_whitespace)
        && text[span.end..].chars().next().is_none_or(char::is_whitespace)
}

/// The path in `path:lines`.
fn note_path(place: &str) -> &str {
    place.rsplit_once(':').map_or(place, |(path, _)| path)
}

/// Renders a quotation with its place.
fn render_quote(entry: &FindingEvidence) -> String {
    let quoted: String = entry.quote.lines().map(|line| format!("> {}\n", line.trim_end())).collect();
    let title = entry.title.as_deref().map(one_line).filter(|title| !title.is_empty());
    let place = match (normalize_address(&entry.url), title) {
        (None, _) => format!("`{}`", entry.url.replace('`', "'")),
        (Some(_), title) => format!(
            "[{}](<{}>)",
            title.unwrap_or_else(|| entry.url.clone()).replace(['[', ']'], " "),
            entry.url
        ),
    };
    let snapshot: String = entry.snapshot.to_string().chars().take(12).collect();
    format!("{quoted}>\n> — {place}, kept as `{snapshot}`, {}–{}\n", entry.start, entry.end)
}

/// The longest prefix of whole characters that fits into so many bytes.
fn truncate_bytes(text: &str, bytes: usize) -> String {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

fn one_line(text: &str) -> String {
    neutralize(text).text.split_whitespace().collect::<Vec<_>>().join(" ")
}
