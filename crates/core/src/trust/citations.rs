//! Citations as people read them: links to notes, pages and code instead of ids, and back.
//!
//! A text that is written into a note cites by `[[Note]]:12-14`, `[Title](address)` or `` `wax: src/lib.rs:10-12` ``.
//! With the ledger of its run, each of these maps back to its evidence, so that the gate can check the note years
//! later.

mod footnotes;
mod lines;
mod places;
mod rewritten;
mod tidy;
mod written;

use std::collections::{BTreeMap, BTreeSet};

use wellread_text::{
    CitationGroup, FileNames, Link, LinkForm, Note, Span, Splice, apply_splices, find_addresses,
    find_citations, find_footnotes,
};

use crate::domain::corpus::normalize_address;
use crate::domain::evidence::{Evidence, FilePlace, Ledger, PagePlace, Source};
use crate::domain::id::EvidenceId;

pub use footnotes::{
    FootnoteLabels, find_keyed_targets, list_cited_sources, list_footnote_sources,
    replace_citations_with_footnotes,
};
pub use lines::Citation;
pub use places::{CitedPlace, show_places};
pub use rewritten::RewrittenText;
use rewritten::cite_by_ids;
use tidy::merge_adjacent_citations;
pub use tidy::tidy_citations;
use written::MOST_TARGETS;
pub use written::{CitedTarget, WrittenCitation, find_keyed_citations, find_written_citations};

/// The evidence that a text can cite, and how links to it are written in the note that the text is part of.
#[derive(Clone, Copy)]
pub struct CitationContext<'a> {
    /// The evidence of the run that wrote the text.
    pub ledger: &'a Ledger,
    /// The names of all files, for the shortest link to each.
    pub names: &'a FileNames,
    /// The path of the note that the text is part of.
    pub from: &'a str,
}

impl CitationContext<'_> {
    /// Replaces each id with a link. Unknown ids are removed.
    pub fn replace_ids_with_links(&self, text: &str) -> String {
        self.replace_ids(text, |links| match links.is_empty() {
            true => String::new(),
            false => {
                let links: Vec<String> = links.into_iter().map(|(link, _)| link).collect();
                format!(" ({})", links.join(", "))
            }
        })
    }

    /// Replaces the ids that stand together with what `render` makes of their links, each of which it gets once.
    fn replace_ids(&self, text: &str, mut render: impl FnMut(Vec<(String, &Evidence)>) -> String) -> String {
        let links = self.find_ledger_links(text);
        let edit = |group: &CitationGroup| {
            let before = text[..group.span.start].trim_end();
            let named = links.iter().find(|link| link.span.end == before.len());
            let mut new_links: Vec<(String, &Evidence)> = Vec::new();
            let mut attached = String::new();
            for id in group.ids.iter().filter_map(|citation| EvidenceId::parse(&citation.id).ok()) {
                let Some(entry) = self.ledger.entry(&id) else { continue };
                match named.filter(|link| link.points_to(&entry.source)) {
                    // The text names the page itself: its address once is enough.
                    Some(_) if entry.source.page().is_some() => {}
                    Some(_) if attached.is_empty() && new_links.is_empty() => {
                        attached = line_suffix(&entry.source);
                    }
                    _ => new_links.push((self.link_to(entry), entry)),
                }
            }
            let mut seen = BTreeSet::new();
            new_links.retain(|(link, _)| seen.insert(link.clone()));
            // The space before the citation goes with it.
            let span = before.len()..group.span.end;
            Splice { span, text: format!("{attached}{}", render(new_links)) }
        };
        let edits: Vec<Splice> = merge_adjacent_citations(text).iter().map(edit).collect();
        apply_splices(text, &edits).unwrap_or_default()
    }

    /// Extends each link to lines of a note by the heading or block that they are under, so that a click leads there.
    /// `anchor` finds it for a path and a line.
    pub fn add_anchors(&self, text: &str, anchor: &dyn Fn(&str, usize) -> Option<String>) -> String {
        let links =
            self.find_ledger_links(text).into_iter().filter_map(|link| match (&link.to, link.lines) {
                (LedgerLinkTarget::Note(path), Some((line, _))) => {
                    Some((link.span.clone(), anchor(path, line)?))
                }
                _ => None,
            });
        let edit = |(span, anchor): (Span, String)| {
            let end = span.start + text[span.clone()].find("]]")?;
            // A link with an anchor or another text of its own stays as it is.
            let is_bare =
                text[span.start..end].starts_with("[[") && !text[span.start..end].contains(['#', '|']);
            is_bare.then(|| Splice { span: end..end, text: format!("#{anchor}") })
        };
        let edits: Vec<Splice> = links.filter_map(edit).collect();
        apply_splices(text, &edits).unwrap_or_else(|_| text.to_owned())
    }

    /// Replaces each link with the ids of the evidence that it stands for. Other links stay as they are.
    pub fn restore_ids(&self, text: &str) -> String {
        self.restored_ids(text).text
    }

    /// The text with ids instead of links, from which the links can be put back. What the definition of a footnote links
    /// to is cited where the footnote stands.
    pub fn restored_ids<'t>(&self, text: &'t str) -> RewrittenText<'t> {
        let groups = find_citations(text);
        let footnotes = find_footnotes(text);
        let definition_of = |at: usize| {
            let next = footnotes.definitions.partition_point(|(definition, _)| definition.start <= at);
            next.checked_sub(1).filter(|&number| footnotes.definitions[number].0.contains(&at))
        };
        let mut references: BTreeMap<&str, Vec<&Span>> = BTreeMap::new();
        for (span, label) in &footnotes.references {
            references.entry(label).or_default().push(span);
        }
        let mut edits: Vec<Splice> = Vec::new();
        let mut defined: Vec<Vec<String>> = vec![Vec::new(); footnotes.definitions.len()];
        for link in self.find_ledger_links(text) {
            let after = text[link.span.end..].trim_start();
            let at = text.len() - after.len();
            if groups.binary_search_by_key(&at, |group| group.span.start).is_ok() {
                continue;
            }
            let ids: Vec<String> = self.ids_for_link(&link).iter().map(ToString::to_string).collect();
            match definition_of(link.span.start) {
                Some(number) => defined[number].extend(ids),
                None => edits.extend(cite_by_ids(text, &link.span, link.is_place, &ids)),
            }
        }
        for ((definition, label), mut ids) in footnotes.definitions.iter().zip(defined) {
            ids.truncate(MOST_TARGETS);
            let Some(spans) = references.get_mut(label.as_str()).filter(|_| !ids.is_empty()) else {
                continue;
            };
            // The first definition counts; another one of the same label only goes.
            edits.extend(spans.drain(..).filter_map(|span| cite_by_ids(text, span, true, &ids)));
            edits.push(Splice { span: definition.clone(), text: String::new() });
        }
        RewrittenText::new(text, edits)
    }

    /// The evidence that a text cites, each source once, in order.
    pub fn cited_evidence(&self, text: &str) -> Vec<Evidence> {
        let mut seen = BTreeSet::new();
        let groups = find_citations(&self.restore_ids(text));
        let ids = groups.iter().flat_map(|group| &group.ids);
        let entries = ids.filter_map(|citation| EvidenceId::parse(&citation.id).ok());
        let entries = entries.filter_map(|id| self.ledger.entry(&id));
        entries.filter(|entry| seen.insert(source_key(&entry.source))).cloned().collect()
    }

    fn ids_for_link(&self, link: &LedgerLink) -> Vec<EvidenceId> {
        let shown =
            self.ledger.entries().iter().filter(|entry| self.ledger.citable_entry(&entry.id).is_some());
        shown.filter(|entry| link.cites(&entry.source)).map(|entry| entry.id.clone()).collect()
    }

    fn link_to(&self, entry: &Evidence) -> String {
        match &entry.source {
            Source::Note(place) => {
                let name = self.names.shortest_link(place.path.as_str(), self.from);
                format!("[[{name}]]{}", line_suffix(&entry.source))
            }
            Source::Code { .. } => format!("`{}`", entry.source.location().replace('`', "'")),
            Source::Page(place) => format!("[{}]({})", link_title(place), escape_destination(&place.url)),
            Source::Paper { place, .. } => {
                format!("[{}]({})", link_title(place), escape_destination(&place.url))
            }
        }
    }

    /// The links of a text that lead to a source in the ledger.
    fn find_ledger_links(&self, text: &str) -> Vec<LedgerLink> {
        let mut found: Vec<LedgerLink> = Vec::new();
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
            let Some(path) = self.resolve_note(&link).filter(|path| notes.contains(path.as_str())) else {
                continue;
            };
            let (length, lines) = parse_line_suffix(&text[link.span.end..]);
            let span = link.span.start..link.span.end + length;
            found.push(LedgerLink {
                span,
                to: LedgerLinkTarget::Note(path),
                lines,
                is_place: lines.is_some(),
            });
        }
        let pages: BTreeSet<String> = self.ledger.entries().iter().filter_map(page_address).collect();
        for address in find_addresses(text) {
            let Some(url) = normalize_address(&address.url).filter(|url| pages.contains(url)) else {
                continue;
            };
            found.push(LedgerLink {
                span: address.span,
                to: LedgerLinkTarget::Page(url),
                lines: None,
                is_place: false,
            });
        }
        let code = self.ledger.entries().iter().filter(|entry| matches!(entry.source, Source::Code { .. }));
        for entry in code {
            let written = self.link_to(entry);
            for (start, _) in text.match_indices(&written) {
                let to = LedgerLinkTarget::Code(entry.source.location());
                found.push(LedgerLink {
                    span: start..start + written.len(),
                    to,
                    lines: None,
                    is_place: true,
                });
            }
        }
        found.sort_by_key(|link| (link.span.start, link.span.end));
        found.dedup_by(|next, before| next.span.start < before.span.end);
        found
    }

    fn resolve_note(&self, link: &Link) -> Option<String> {
        let is_link = !link.embed && !link.in_frontmatter && link.form != LinkForm::Reference;
        is_link.then(|| self.names.resolve(&link.target, self.from).path().map(str::to_owned)).flatten()
    }
}

/// A link to a source in the ledger.
struct LedgerLink {
    span: Span,
    to: LedgerLinkTarget,
    lines: Option<(usize, usize)>,
    /// Whether it names exact lines, and so is nothing but a citation.
    is_place: bool,
}

enum LedgerLinkTarget {
    Note(String),
    Page(String),
    Code(String),
}

impl LedgerLink {
    /// Whether it leads to this note, page or piece of code.
    fn points_to(&self, source: &Source) -> bool {
        match (&self.to, source) {
            (LedgerLinkTarget::Note(path), Source::Note(place)) => place.path.as_str() == path,
            (LedgerLinkTarget::Page(url), Source::Page(place) | Source::Paper { place, .. }) => {
                normalize_address(&place.url).as_deref() == Some(url)
            }
            (LedgerLinkTarget::Code(shown), Source::Code { .. }) => source.location() == *shown,
            _ => false,
        }
    }

    fn cites(&self, source: &Source) -> bool {
        let lines = |place: &FilePlace| (place.start_line, place.end_line);
        self.points_to(source)
            && match (source, self.lines) {
                (Source::Note(place), Some(wanted)) => lines(place) == wanted,
                _ => true,
            }
    }
}

/// What a link to a line of a note adds to its name: the block's id, or else the heading that the line is under. `None` at
/// the beginning of the note, where a link to the note leads anyway.
pub fn find_anchor(note: &str, line: usize) -> Option<String> {
    let note = Note::parse(note);
    if let Some(block) = note.blocks.iter().find(|block| block.line == line) {
        return Some(format!("^{}", block.id));
    }
    let number = note.headings.iter().rposition(|heading| heading.line <= line)?;
    let heading = &note.headings[number];
    if number == 0 && heading.level == 1 {
        return None;
    }
    // Obsidian finds a heading without the characters that mean something in a link.
    let plain: String = heading
        .text
        .chars()
        .map(|letter| if "#|^:[]%\\".contains(letter) || letter.is_control() { ' ' } else { letter })
        .collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    (!plain.is_empty()).then_some(plain)
}

/// The line suffix of a link to a note: `:12` or `:12-14`.
fn line_suffix(source: &Source) -> String {
    match source {
        Source::Note(place) if place.start_line == place.end_line => format!(":{}", place.start_line),
        Source::Note(place) => format!(":{}-{}", place.start_line, place.end_line),
        _ => String::new(),
    }
}

/// Parses a line suffix right behind a link; returns its length and the lines.
fn parse_line_suffix(rest: &str) -> (usize, Option<(usize, usize)>) {
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

fn page_address(entry: &Evidence) -> Option<String> {
    normalize_address(&entry.source.page()?.url)
}

/// The key by which two entries of one source are recognized.
fn source_key(source: &Source) -> String {
    match source {
        Source::Note(place) => place.path.to_string(),
        Source::Code { repository, place, .. } => format!("{repository}: {}", place.path),
        Source::Page(place) | Source::Paper { place, .. } => place.url.clone(),
    }
}

/// A page's title as a link's text, without characters that would end it.
fn link_title(place: &PagePlace) -> String {
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

/// Escapes an address for the inside of `(…)`.
fn escape_destination(url: &str) -> String {
    url.replace('(', "%28").replace(')', "%29").replace(' ', "%20")
}

#[cfg(test)]
mod tests;
