//! Citations as people read them: links to notes, pages and code instead of ids, and back.
//!
//! A text that is written into a note cites by `[[Name]]:12-14`, `[Title](address)` or `` `wax: src/lib.rs:10-12` ``. With
//! the ledger of its run, each of these is the evidence that it stands for, so that the gate can read the note years later.

mod lines;

use std::collections::BTreeSet;

use wellread_text::{CitationGroup, Link, LinkForm, Names, Note, Span, Splice, addresses, citations, splice};

use crate::corpus::normal_address;
use crate::evidence::{Evidence, FilePlace, Ledger, PagePlace, Source};
use crate::id::EvidenceId;

pub use lines::Citation;

/// What a text can cite, and how it is called in the note that the text stands in.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub ledger: &'a Ledger,
    pub names: &'a Names,
    /// The note's path.
    pub from: &'a str,
}

impl Sources<'_> {
    /// The text with a link for each id. An id that nobody knows goes.
    pub fn with_links(&self, text: &str) -> String {
        let links = self.links(text);
        let edit = |group: &CitationGroup| {
            let before = text[..group.span.start].trim_end();
            let named = links.iter().find(|link| link.span.end == before.len());
            let mut told: Vec<String> = Vec::new();
            let mut attached = String::new();
            for id in group.ids.iter().filter_map(|citation| EvidenceId::parse(&citation.id).ok()) {
                let Some(entry) = self.ledger.entry(&id) else { continue };
                match named.filter(|link| link.means(&entry.source)) {
                    Some(_) if attached.is_empty() && told.is_empty() => attached = lines_of(&entry.source),
                    _ => told.push(self.link_to(entry)),
                }
            }
            let mut seen = BTreeSet::new();
            told.retain(|link| seen.insert(link.clone()));
            let told = if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) };
            // What stood between the words and the citation was there for the citation.
            Splice { span: before.len()..group.span.end, text: format!("{attached}{told}") }
        };
        let edits: Vec<Splice> = together(text).iter().map(edit).collect();
        splice(text, &edits).unwrap_or_default()
    }

    /// The text with the ids of what each of its links stands for. Links to anything else stay as they are.
    pub fn with_ids(&self, text: &str) -> String {
        let groups = citations(text);
        let mut edits: Vec<Splice> = Vec::new();
        for link in self.links(text) {
            let after = text[link.span.end..].trim_start();
            let at = text.len() - after.len();
            if groups.iter().any(|group| group.span.start == at) {
                continue;
            }
            let ids = self.ids_of(&link);
            let ids: Vec<String> = ids.iter().map(|id| format!("[{id}]")).collect();
            edits.push(match ids.as_slice() {
                [] => continue,
                // One in brackets of its own is there for the citation alone, as one is written behind a full stop.
                ids if is_bracketed(text, &link.span) => {
                    let closes = text[link.span.end..].starts_with(')');
                    // Its brackets go with it where there is nothing else in them.
                    let span =
                        if closes { link.span.start - 1..link.span.end + 1 } else { link.span.clone() };
                    Splice { span, text: ids.concat() }
                }
                ids if link.is_place => Splice { span: link.span.clone(), text: ids.concat() },
                ids => Splice { span: link.span.end..link.span.end, text: format!(" {}", ids.concat()) },
            });
        }
        edits.sort_by_key(|edit| edit.span.start);
        splice(text, &edits).unwrap_or_else(|_| text.to_owned())
    }

    /// What is cited in a text, each source once, in order.
    pub fn cited(&self, text: &str) -> Vec<Evidence> {
        let mut seen = BTreeSet::new();
        let groups = citations(&self.with_ids(text));
        let ids = groups.iter().flat_map(|group| &group.ids);
        let entries = ids.filter_map(|citation| EvidenceId::parse(&citation.id).ok());
        let entries = entries.filter_map(|id| self.ledger.entry(&id));
        entries.filter(|entry| seen.insert(source_key(&entry.source))).cloned().collect()
    }

    fn ids_of(&self, link: &Known) -> Vec<EvidenceId> {
        let shown = self.ledger.entries().iter().filter(|entry| self.ledger.citable(&entry.id).is_some());
        shown.filter(|entry| link.cites(&entry.source)).map(|entry| entry.id.clone()).collect()
    }

    fn link_to(&self, entry: &Evidence) -> String {
        match &entry.source {
            Source::Note(place) => {
                let name = self.names.shortest(place.path.as_str(), self.from);
                format!("[[{name}]]{}", lines_of(&entry.source))
            }
            Source::Code { .. } => format!("`{}`", entry.source.shown().replace('`', "'")),
            Source::Page(place) => format!("[{}]({})", title(place), destination(&place.url)),
            Source::Paper { place, .. } => format!("[{}]({})", title(place), destination(&place.url)),
        }
    }

    /// The links of a text that lead to something in the ledger.
    fn links(&self, text: &str) -> Vec<Known> {
        let mut found: Vec<Known> = Vec::new();
        let notes: BTreeSet<&str> = self
            .ledger
            .entries()
            .iter()
            .filter_map(|entry| match &entry.source {
                Source::Note(place) => Some(place.path.as_str()),
                _ => None,
            })
            .collect();
        for link in Note::parse(text).links {
            let Some(path) = self.note_of(&link).filter(|path| notes.contains(path.as_str())) else {
                continue;
            };
            let (length, lines) = lines_after(&text[link.span.end..]);
            let span = link.span.start..link.span.end + length;
            found.push(Known { span, to: To::Note(path), lines, is_place: lines.is_some() });
        }
        let pages: BTreeSet<String> = self.ledger.entries().iter().filter_map(page_of).collect();
        for address in addresses(text) {
            let Some(url) = normal_address(&address.url).filter(|url| pages.contains(url)) else { continue };
            found.push(Known { span: address.span, to: To::Page(url), lines: None, is_place: false });
        }
        let code = self.ledger.entries().iter().filter(|entry| matches!(entry.source, Source::Code { .. }));
        for entry in code {
            let written = self.link_to(entry);
            for (start, _) in text.match_indices(&written) {
                let to = To::Code(entry.source.shown());
                found.push(Known { span: start..start + written.len(), to, lines: None, is_place: true });
            }
        }
        found.sort_by_key(|link| (link.span.start, link.span.end));
        found.dedup_by(|next, before| next.span.start < before.span.end);
        found
    }

    fn note_of(&self, link: &Link) -> Option<String> {
        let is_link = !link.embed && !link.in_frontmatter && link.form != LinkForm::Reference;
        is_link.then(|| self.names.resolve(&link.target, self.from).path().map(str::to_owned)).flatten()
    }
}

/// A link to something in the ledger.
struct Known {
    span: Span,
    to: To,
    lines: Option<(usize, usize)>,
    /// Whether it says the very lines, and so nothing but where.
    is_place: bool,
}

enum To {
    Note(String),
    Page(String),
    Code(String),
}

impl Known {
    /// Whether it leads to the same note, page or piece of code.
    fn means(&self, source: &Source) -> bool {
        match (&self.to, source) {
            (To::Note(path), Source::Note(place)) => place.path.as_str() == path,
            (To::Page(url), Source::Page(place) | Source::Paper { place, .. }) => {
                normal_address(&place.url).as_deref() == Some(url)
            }
            (To::Code(shown), Source::Code { .. }) => source.shown() == *shown,
            _ => false,
        }
    }

    fn cites(&self, source: &Source) -> bool {
        let lines = |place: &FilePlace| (place.start_line, place.end_line);
        self.means(source)
            && match (source, self.lines) {
                (Source::Note(place), Some(wanted)) => lines(place) == wanted,
                _ => true,
            }
    }
}

/// Whether it stands in round brackets behind the end of a sentence, where a citation stands and nothing else.
fn is_bracketed(text: &str, span: &Span) -> bool {
    let (before, after) = (&text[..span.start], &text[span.end..]);
    let Some(opens) = before.rfind('(').filter(|opens| before.len() == opens + 1) else { return false };
    let ends = before[..opens].trim_end().trim_end_matches(['"', '”', '’', '\'', '*', '_', '`']);
    ends.ends_with(['.', '!', '?', '…']) && after.starts_with([')', ','])
}

/// The citations of a text, those with nothing between them as one.
fn together(text: &str) -> Vec<CitationGroup> {
    let mut all: Vec<CitationGroup> = Vec::new();
    for group in citations(text) {
        let between =
            |last: &CitationGroup| text[last.span.end..group.span.start].trim_matches([',', ';', ' ']);
        match all.last_mut().filter(|last| between(last).is_empty()) {
            Some(last) => {
                last.span.end = group.span.end;
                last.ids.extend(group.ids);
            }
            None => all.push(group),
        }
    }
    for group in &mut all {
        // A bracket around all of them.
        let opened = text[group.span.clone()].starts_with('(') && !text[group.span.clone()].ends_with(')');
        group.span.end += usize::from(opened && text[group.span.end..].starts_with(')'));
    }
    all
}

/// `:12`, or `:12-14`, where it is a note.
fn lines_of(source: &Source) -> String {
    match source {
        Source::Note(place) if place.start_line == place.end_line => format!(":{}", place.start_line),
        Source::Note(place) => format!(":{}-{}", place.start_line, place.end_line),
        _ => String::new(),
    }
}

/// The lines that stand right behind a link, and how long they are.
fn lines_after(rest: &str) -> (usize, Option<(usize, usize)>) {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let Some(rest) = rest.strip_prefix(':') else { return (0, None) };
    let first = digits(rest);
    let Ok(start) = rest[..first].parse() else { return (0, None) };
    let last = rest[first..].strip_prefix('-').map_or(0, digits);
    match rest[first..].get(1..=last).and_then(|end| end.parse().ok()).filter(|_| last > 0) {
        Some(end) => (1 + first + 1 + last, Some((start, end))),
        None => (1 + first, Some((start, start))),
    }
}

fn page_of(entry: &Evidence) -> Option<String> {
    normal_address(&entry.source.page()?.url)
}

/// What makes two entries one source.
fn source_key(source: &Source) -> String {
    match source {
        Source::Note(place) => place.path.to_string(),
        Source::Code { repository, place, .. } => format!("{repository}: {}", place.path),
        Source::Page(place) | Source::Paper { place, .. } => place.url.clone(),
    }
}

/// A page's name as the text of a link: without what would end it.
fn title(place: &PagePlace) -> String {
    let title = place.title.as_deref().unwrap_or_default();
    let plain = |letter: char| match letter {
        '[' | '{' => '(',
        ']' | '}' => ')',
        '`' | '<' | '>' | '\\' | '|' | '$' | '%' | '*' | '_' | '#' | '=' | '~' | '^' => ' ',
        other if other.is_control() => ' ',
        other => other,
    };
    let title: String = title.chars().map(plain).collect();
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() { host(&place.url) } else { title }
}

fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default().to_owned()
}

/// An address inside of `(…)`.
fn destination(url: &str) -> String {
    url.replace('(', "%28").replace(')', "%29").replace(' ', "%20")
}

#[cfg(test)]
mod tests;
