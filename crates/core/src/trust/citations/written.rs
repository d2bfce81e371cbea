//! Citations as people write them, without a ledger: links to notes, addresses, footnotes, and paths with lines.
//!
//! They are found in the text alone; what each leads to is for the caller to look up. A link that is merely mentioned is no
//! citation: one to a note without a line or a heading counts only in parentheses of its own, in a footnote, or alone behind
//! the end of a sentence.

use std::collections::{BTreeMap, BTreeSet};

use wellread_text::{
    Frontmatter, LinkForm, Note, Span, Splice, find_addresses, find_citations, find_footnotes, find_places,
    parse_lines, split_sentences,
};

use super::rewritten::{RewrittenText, cite_by_ids};
use super::{CitationContext, parse_line_suffix};
use crate::domain::corpus::normalize_address;
use crate::domain::evidence::{FilePlace, Source};

/// What a citation names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CitedTarget {
    /// A file, by a link: `[[Note]]:12`, `[[Note#Heading]]`, `[text](file.md#L3)`.
    Link {
        /// The name or path as written in the link.
        target: String,
        /// The heading, or the block with its `^`.
        anchor: Option<String>,
        /// The first and the last line, from 1.
        lines: Option<(usize, usize)>,
    },
    /// Lines of a file, by its path: `src/lib.rs:10-12`.
    Lines {
        /// The repository, if it is named.
        repository: Option<String>,
        /// The path as written.
        path: String,
        /// The first and the last line, from 1.
        lines: (usize, usize),
    },
    /// A page.
    Address(String),
}

/// A citation in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenCitation {
    /// The bytes of the citation.
    pub span: Span,
    /// What it names: one target, or all those of a footnote.
    pub targets: Vec<CitedTarget>,
    /// Whether it is nothing but a citation, as opposed to words of the sentence that are a link.
    is_place: bool,
    /// The definition of the footnote, which is no sentence of the text.
    pub(super) definition: Option<Span>,
    /// The label of the footnote.
    pub(super) label: Option<String>,
}

/// How many places one footnote cites at the most: each is looked up wherever the footnote stands.
pub(super) const MOST_TARGETS: usize = 32;
/// Words of a link that say nothing but that it is a citation.
const CITING_WORDS: [&str; 9] = ["source", "sources", "link", "ref", "cite", "via", "here", "quelle", "*"];

/// Finds the citations of a text, in order and without overlaps.
pub fn find_written_citations(text: &str) -> Vec<WrittenCitation> {
    find_keyed_citations(text, &|_, written| written)
}

/// Finds the citations of a text whose footnotes may be keyed to sources that are listed elsewhere: `resolve` gets the
/// label of a footnote and what its definition names, and returns what it cites.
pub fn find_keyed_citations(
    text: &str,
    resolve: &dyn Fn(&str, Vec<CitedTarget>) -> Vec<CitedTarget>,
) -> Vec<WrittenCitation> {
    let direct = find_direct_citations(text);
    let footnotes = find_footnotes(text);
    let mut definitions: BTreeMap<&str, &Span> = BTreeMap::new();
    for (span, label) in &footnotes.definitions {
        definitions.entry(label).or_insert(span);
    }
    let mut found: Vec<WrittenCitation> = Vec::new();
    let find_targets = |label: &str, definition: &Span| {
        let first = direct.partition_point(|(citation, _)| citation.span.start < definition.start);
        let inside = direct[first..].iter().take_while(|(citation, _)| citation.span.start < definition.end);
        let written = inside.flat_map(|(citation, _)| citation.targets.iter().cloned()).collect();
        let mut targets = resolve(label, written);
        targets.truncate(MOST_TARGETS);
        targets
    };
    let mut known: BTreeMap<&str, Vec<CitedTarget>> = BTreeMap::new();
    for (span, label) in &footnotes.references {
        let Some(&definition) = definitions.get(label.as_str()) else { continue };
        let targets = known.entry(label).or_insert_with(|| find_targets(label, definition)).clone();
        if !targets.is_empty() {
            let (span, definition) = (span.clone(), Some(definition.clone()));
            let label = Some(label.clone());
            found.push(WrittenCitation { span, targets, is_place: true, definition, label });
        }
    }
    let in_definition = |span: &Span| {
        let next = footnotes.definitions.partition_point(|(definition, _)| definition.start <= span.start);
        footnotes.definitions[..next].last().is_some_and(|(definition, _)| definition.contains(&span.start))
    };
    let cites =
        direct.into_iter().filter(|(citation, is_mention)| !is_mention && !in_definition(&citation.span));
    found.extend(cites.map(|(citation, _)| citation));
    found.sort_by_key(|citation| (citation.span.start, citation.span.end));
    found.dedup_by(|next, before| next.span.start < before.span.end);
    found
}

impl WrittenCitation {
    /// The text with ids for its citations: `ids` has those of each, and a citation without any stays as it is.
    pub fn rewrite<'a>(text: &'a str, found: &[Self], ids: &[Vec<String>]) -> RewrittenText<'a> {
        let mut edits: Vec<Splice> = Vec::new();
        let mut removed = BTreeSet::new();
        for (citation, ids) in found.iter().zip(ids) {
            let Some(edit) = cite_by_ids(text, &citation.span, citation.is_place, ids) else { continue };
            edits.push(edit);
            let definition = citation.definition.clone().filter(|span| removed.insert(span.start));
            edits.extend(definition.map(|span| Splice { span, text: String::new() }));
        }
        RewrittenText::new(text, edits)
    }
}

impl CitationContext<'_> {
    /// The text with ids where it cites evidence of the ledger in another form. Everything else stays as it is, and so does
    /// a citation that is followed by an id already.
    pub fn restore_written(&self, text: &str) -> String {
        let groups = find_citations(text);
        let is_followed = |citation: &WrittenCitation| {
            let next = text.len() - text[citation.span.end..].trim_start().len();
            groups.iter().any(|group| group.span.start == next)
        };
        let citations = find_written_citations(text);
        let ids_for = |citation: &WrittenCitation| {
            if is_followed(citation) {
                return Vec::new();
            }
            citation.targets.iter().flat_map(|target| self.ids_for_target(target)).collect()
        };
        let ids: Vec<Vec<String>> = citations.iter().map(ids_for).collect();
        WrittenCitation::rewrite(text, &citations, &ids).text
    }

    /// The evidence that may be cited and is where a citation leads.
    fn ids_for_target(&self, target: &CitedTarget) -> Vec<String> {
        let overlaps = |place: &FilePlace, (first, last): (usize, usize)| {
            place.start_line <= last && first <= place.end_line
        };
        let fits = |source: &Source| match target {
            CitedTarget::Address(url) => source.page().is_some_and(|page| {
                let wanted = normalize_address(url);
                wanted.is_some() && normalize_address(&page.url) == wanted
            }),
            CitedTarget::Lines { repository, path, lines } => source.file().is_some_and(|(corpus, place)| {
                let own = place.path.as_str();
                repository.as_deref().is_none_or(|name| corpus.repository() == Some(name))
                    && (own == path || own.ends_with(&format!("/{path}")))
                    && overlaps(place, *lines)
            }),
            CitedTarget::Link { target, lines, .. } => source.file().is_some_and(|(corpus, place)| {
                corpus.repository().is_none()
                    && self.names.resolve(target, self.from).path() == Some(place.path.as_str())
                    && lines.is_none_or(|lines| overlaps(place, lines))
            }),
        };
        let entries = self.ledger.entries().iter().filter(|entry| fits(&entry.source));
        let citable = entries.filter(|entry| self.ledger.citable_entry(&entry.id).is_some());
        citable.map(|entry| entry.id.to_string()).collect()
    }
}

/// The links, addresses and places of a text, each with whether it may be a mere mention.
fn find_direct_citations(text: &str) -> Vec<(WrittenCitation, bool)> {
    let mut found = Vec::new();
    // Fields are no sentences: what they name is not cited there.
    let start = Frontmatter::parse(text).map_or(0, |front| front.span.end);
    let mut add = |span: Span, target: CitedTarget, is_place: bool, is_mention: bool| {
        if span.start < start {
            return;
        }
        let is_place = is_place || is_parenthesized(text, &span) || follows_sentence(text, &span);
        let targets = vec![target];
        found.push((WrittenCitation { span, targets, is_place, definition: None, label: None }, is_mention));
    };
    for link in Note::parse(text).links {
        if link.embed || link.in_frontmatter || link.form == LinkForm::Reference {
            continue;
        }
        let (length, suffix) = parse_line_suffix(&text[link.span.end..]);
        let anchor_lines =
            link.subpath.as_deref().filter(|anchor| anchor.starts_with('L')).and_then(parse_lines);
        let lines = suffix.or(anchor_lines);
        let span = link.span.start..link.span.end + length;
        let cites = is_parenthesized(text, &span) || follows_sentence(text, &span);
        let is_mention = lines.is_none() && link.subpath.is_none() && !cites;
        let is_place = suffix.is_some() && link.alias.is_none() || is_citing(link.alias.as_deref());
        let anchor = link.subpath.filter(|_| anchor_lines.is_none());
        add(span, CitedTarget::Link { target: link.target, anchor, lines }, is_place, is_mention);
    }
    for address in find_addresses(text) {
        let words = text[address.span.clone()].strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let is_bare = words.is_none();
        let is_place = is_bare || is_citing(words.map(|(words, _)| words));
        add(address.span, CitedTarget::Address(address.url), is_place, false);
    }
    for place in find_places(text) {
        let target =
            CitedTarget::Lines { repository: place.repository, path: place.path, lines: place.lines };
        add(place.span, target, true, false);
    }
    found.sort_by_key(|(citation, _)| (citation.span.start, citation.span.end));
    found.dedup_by(|(next, _), (before, _)| next.span.start < before.span.end);
    found
}

/// Whether the words of a link are a number or a word that only announces a source.
fn is_citing(words: Option<&str>) -> bool {
    let Some(words) = words.map(|words| words.trim().trim_matches(['[', ']', '^', '\\']).to_lowercase())
    else {
        return false;
    };
    !words.is_empty()
        && (words.bytes().all(|byte| byte.is_ascii_digit()) || CITING_WORDS.contains(&words.as_str()))
}

/// Whether the span begins a pair of parentheses or follows another citation in one, and nothing but the next citation or
/// the end of them follows.
fn is_parenthesized(text: &str, span: &Span) -> bool {
    let (before, after) = (text[..span.start].trim_end(), text[span.end..].trim_start());
    let follows =
        before.ends_with([',', ';']) && before.rfind('(').is_some_and(|opens| !before[opens..].contains(')'));
    (before.ends_with('(') || follows) && after.starts_with([')', ',', ';'])
}

/// Whether the span stands alone between the end of a sentence and the end of its paragraph: `It breeds. [[Varroa]]`.
fn follows_sentence(text: &str, span: &Span) -> bool {
    let line = text[..span.start].rfind('\n').map_or(0, |end| end + 1);
    let before = text[line..span.start].trim_end_matches([' ', '\t']);
    let (rest, next) = text[span.end..].split_once('\n').unwrap_or((&text[span.end..], ""));
    // A line that goes on in small letters goes on with the sentence that the link begins.
    let goes_on = next.trim_start().starts_with(char::is_lowercase);
    let is_apart = before.len() < span.start - line && rest.trim().is_empty() && !goes_on;
    let count = |text: &str| if is_apart { split_sentences(text).len() } else { 0 };
    // Neither "1." nor "e.g." ends a sentence: another one would not begin behind it.
    let own = count(before);
    own > 0 && count(&format!("{before} Next.")) > own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let shown = |citation: &WrittenCitation| {
            let target = match &citation.targets[0] {
                CitedTarget::Link { target, anchor, lines } => format!("{target} {anchor:?} {lines:?}"),
                CitedTarget::Lines { repository, path, lines } => format!("{repository:?} {path} {lines:?}"),
                CitedTarget::Address(url) => url.clone(),
            };
            format!("{} = {target}", &text[citation.span.clone()])
        };
        find_written_citations(text).iter().map(shown).collect()
    }

    #[test]
    fn every_form_is_found_and_a_mention_is_none() {
        for (text, expected) in [
            ("It breeds ([[Varroa]]:12-14).", "[[Varroa]]:12-14 = Varroa None Some((12, 14))"),
            ("It breeds [[Varroa#Life cycle]].", "[[Varroa#Life cycle]] = Varroa Some(\"Life cycle\") None"),
            ("It breeds ([[Varroa]]).", "[[Varroa]] = Varroa None None"),
            ("See [[Varroa]] for more.", ""),
            ("It breeds in spring. [[Varroa]]\n\nIt is small.", "[[Varroa]] = Varroa None None"),
            ("It breeds in spring. [[Varroa]] is small.", ""),
            ("It breeds in spring. [[Varroa]]\nis small.", ""),
            ("1. [[Varroa]]\n- Mites, e.g. [[Tropilaelaps]]\n- Mites: [[Varroa]]", ""),
            ("It is [small](src/lib.rs#L3-L5).", "[small](src/lib.rs#L3-L5) = src/lib.rs None Some((3, 5))"),
            ("It breeds [1](https://a.org/x).", "[1](https://a.org/x) = https://a.org/x"),
            ("It breeds, https://a.org/x says.", "https://a.org/x = https://a.org/x"),
            ("It is in `wax: src/a.py:3`.", "`wax: src/a.py:3` = Some(\"wax\") src/a.py (3, 3)"),
            ("It breeds.[^a]\n\n[^a]: [[Varroa]], p. 3\n", "[^a] = Varroa None None"),
            ("It breeds.[^a]\n\n[^a]: As everybody knows.\n", ""),
        ] {
            assert_eq!(found(text).join("; "), expected, "{text}");
        }
    }

    #[test]
    fn a_footnote_cites_so_many_places_and_no_more() {
        let definition: String = (1..100).map(|line| format!("[[Varroa]]:{line}, ")).collect();
        let text = format!("{}\n\n[^a]: {definition}\n", "It breeds.[^a] ".repeat(3));
        let counts: Vec<usize> =
            find_written_citations(&text).iter().map(|citation| citation.targets.len()).collect();
        assert_eq!(counts, [MOST_TARGETS; 3]);
    }

    #[test]
    fn citations_become_ids_and_a_footnote_goes_with_its_definition() {
        let text = "It breeds.[^a] Wax is [soft](https://a.org) (`b.rs:1`, [[C]]).\n\n[^a]: [[Varroa]]:3\n";
        let citations = find_written_citations(text);
        let ids: Vec<Vec<String>> =
            (1..=citations.len()).map(|number| vec![format!("ev-t-00{number}")]).collect();
        assert_eq!(
            WrittenCitation::rewrite(text, &citations, &ids).text.trim_end(),
            "It breeds.[ev-t-001] Wax is [soft](https://a.org) [ev-t-002] ([ev-t-003], [ev-t-004])."
        );
    }
}
