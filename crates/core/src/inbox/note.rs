//! The fleeting note that a finding becomes: what it says, why, what it rests on, and what it has to do with.

use jiff::civil::Date;
use serde_json::{Map, Value, json};
use wellread_text::{Allowed, Note, frontmatter_block, inert, neutral};

use super::Edited;
use super::known::Known;
use crate::agenda::{Finding, FindingEvidence, Part};
use crate::citing::Sources;
use crate::corpus::{VaultPath, normal_address};
use crate::evidence::{Ledger, Source};
use crate::keyless::MARK;
use crate::vault::Vault;
use crate::{Error, Result};

/// Of a file name, in bytes: with its ending and a number it has to fit into what a file system takes.
const LONGEST_NAME: usize = 160;
const LONGEST_TITLE: usize = 200;
const LONGEST_SUMMARY: usize = 20_000;
const TAG: &str = "research-agent";

/// A finding that is about to be a note.
pub(super) struct Fleeting<'a> {
    pub finding: &'a Finding,
    pub edited: &'a Edited,
    pub ledger: &'a Ledger,
    pub vault: &'a Vault,
}

impl Fleeting<'_> {
    fn title(&self) -> String {
        let title = self.edited.title.as_deref().unwrap_or(&self.finding.title);
        let title: String = neutral(title).text.split_whitespace().collect::<Vec<_>>().join(" ");
        title.chars().take(LONGEST_TITLE).collect()
    }

    /// Where it goes; with a number where others have the name.
    pub fn path(&self, folder: &str, number: usize) -> String {
        let kept = |letter: char| {
            if letter.is_control() || "\\/:*?\"<>|#^[]{}`%".contains(letter) { ' ' } else { letter }
        };
        let name: String = self.title().chars().map(kept).collect();
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = within(&name, LONGEST_NAME);
        let name = name.trim_matches(|letter: char| letter == '.' || letter.is_whitespace());
        let name = if name.is_empty() { "Finding" } else { name };
        let folder = folder.trim_matches('/');
        let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        match number {
            1 => format!("{folder}{name}.md"),
            _ => format!("{folder}{name} {number}.md"),
        }
    }

    pub fn text(&self, path: &VaultPath, today: Date) -> Result<String> {
        let finding = self.finding;
        let known = Known::new(&*self.vault.links);
        // What was made private since stays where it is.
        let closed: Vec<&str> = finding
            .evidence
            .iter()
            .filter(|entry| normal_address(&entry.url).is_none() && !self.is_open(note_of(&entry.url)))
            .map(|entry| entry.id.as_str())
            .collect();
        let related: Vec<&str> = finding
            .related_notes
            .iter()
            .map(String::as_str)
            .filter(|note| self.is_there(note) && self.is_open(note))
            .collect();
        known.look_up(related.iter().copied())?;
        related.iter().for_each(|note| known.is_there(note));
        let said = match &self.edited.summary {
            // The user's own words claim no evidence.
            Some(summary) => format!(
                "## Finding\n\n{}\n",
                summary.chars().take(LONGEST_SUMMARY).collect::<String>().trim()
            ),
            None => {
                let open = finding
                    .sentences
                    .iter()
                    .filter(|known| !known.evidence.iter().any(|id| closed.contains(&id.as_str())));
                let open = Finding { sentences: open.cloned().collect(), ..finding.clone() };
                let parts = [Part::Summary, Part::Bearing].map(|part| open.cited(part));
                let body = self.linked(&parts.join("\n\n"), path, &known)?;
                format!("## Finding\n\n{}\n\n{}{}{}\n", body.trim(), MARK.0, finding.run_id, MARK.1)
            }
        };
        let mut text = format!("# {}\n\n{said}\n## Why\n\n{}\n", self.title(), one_line(&finding.motivation));
        text += &format!("\nFound for “{}”.\n", one_line(&finding.query));
        if !finding.concepts.is_empty() {
            let concepts: Vec<String> = finding.concepts.iter().map(|concept| one_line(concept)).collect();
            text += &format!("\nKey concepts: {}.\n", concepts.join(", "));
        }
        text += "\n## Evidence\n";
        for entry in finding.evidence.iter().filter(|entry| !closed.contains(&entry.id.as_str())) {
            text += &format!("\n{}", told(entry));
        }
        if !related.is_empty() {
            let names = known.names();
            let link = |note: &&str| format!("- [[{}]]\n", names.shortest(note, path.as_str()));
            text += &format!("\n## Related notes\n\n{}", related.iter().map(link).collect::<String>());
        }
        Ok(self.front(today)? + &self.inert(&text, path, &known)?)
    }

    /// Sentences with links instead of the ids of what they cite.
    fn linked(&self, cited: &str, path: &VaultPath, known: &Known<'_>) -> Result<String> {
        let notes = self.ledger.entries().iter().filter_map(|entry| match &entry.source {
            Source::Note(place) => Some(place.path.as_str()),
            _ => None,
        });
        let links = Note::parse(cited).links;
        known.look_up(notes.chain(links.iter().map(|link| link.target.as_str())))?;
        let sources = Sources { ledger: self.ledger, names: &known.names(), from: path.as_str() };
        Ok(sources.with_links(cited))
    }

    /// Whether there is a note of exactly this path now.
    fn is_there(&self, note: &str) -> bool {
        let path = self.vault.rules.file(note).ok().filter(|path| path.as_str() == note);
        path.is_some_and(|path| self.vault.files.find(&path).is_ok_and(|found| found.is_some()))
    }

    fn is_open(&self, note: &str) -> bool {
        self.vault.rules.file(note).is_ok_and(|path| !self.vault.is_private(&path))
    }

    fn front(&self, today: Date) -> Result<String> {
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

    /// Links lead to the finding's own pages and to notes that there are, and nothing in it does anything.
    fn inert(&self, text: &str, path: &VaultPath, known: &Known<'_>) -> Result<String> {
        let pages: Vec<String> = self
            .finding
            .evidence
            .iter()
            .map(|entry| entry.url.as_str())
            .chain([self.finding.url.as_str()])
            .filter_map(normal_address)
            .collect();
        let links = Note::parse(text).links;
        known.look_up(links.iter().map(|link| link.target.as_str()))?;
        let urls = |url: &str| normal_address(url).is_some_and(|url| pages.contains(&url));
        let notes = |target: &str| known.leads(target, path.as_str());
        // The mark of the run is ours, and nobody else's.
        let mark = format!("{}{}{}", MARK.0, self.finding.run_id, MARK.1);
        let parts =
            text.split(mark.as_str()).map(|part| inert(part, &Allowed { urls: &urls, notes: &notes }).text);
        Ok(parts.collect::<Vec<_>>().join(&mark))
    }
}

/// The path of a note, from a place in it.
fn note_of(place: &str) -> &str {
    place.rsplit_once(':').map_or(place, |(path, _)| path)
}

/// A quotation, and where it stands.
fn told(entry: &FindingEvidence) -> String {
    let quoted: String = entry.quote.lines().map(|line| format!("> {}\n", line.trim_end())).collect();
    let title = entry.title.as_deref().map(one_line).filter(|title| !title.is_empty());
    let place = match (normal_address(&entry.url), title) {
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

/// As much of it as fits, whole characters.
fn within(text: &str, bytes: usize) -> String {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

fn one_line(text: &str) -> String {
    neutral(text).text.split_whitespace().collect::<Vec<_>>().join(" ")
}
