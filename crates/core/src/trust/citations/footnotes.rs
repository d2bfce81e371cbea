//! Citations as footnotes that are keyed to sources, as the Open Knowledge Format has them: the label of a footnote is the
//! id of an entry of `sources`, and its definition still names the exact place.

use std::collections::{BTreeMap, BTreeSet};

use wellread_text::{FileNames, OkfFields, OkfSource, Splice, apply_splices, fold};

use super::{CitationContext, CitedTarget, WrittenCitation, find_written_citations, host};
use crate::domain::corpus::normalize_address;
use crate::domain::evidence::{Evidence, Source};

/// The longest marks at the beginning of a line, in bytes.
const LONGEST_MARKS: usize = 64;
/// The longest label, in characters.
const LONGEST_LABEL: usize = 40;

/// The footnotes of a text so far, so that each place has one label.
#[derive(Debug, Default)]
pub struct FootnoteLabels {
    /// Each label with the link to its place.
    known: Vec<(String, String)>,
    /// The number of each link in `known`.
    by_link: BTreeMap<String, usize>,
    /// The labels that are in use, in lower case.
    taken: BTreeSet<String>,
    /// The number behind which each name is free.
    next: BTreeMap<String, usize>,
}

impl FootnoteLabels {
    /// No footnotes yet; none gets a label that is in use elsewhere.
    pub fn avoiding(labels: impl IntoIterator<Item = String>) -> Self {
        Self { taken: labels.into_iter().map(|label| fold(&label)).collect(), ..Self::default() }
    }

    /// The label of the footnote with this link; a new one is made of the name.
    fn label(&mut self, link: &str, name: &str) -> &str {
        let number = self.by_link.get(link).copied().unwrap_or_else(|| {
            let label = self.take_label(name);
            self.by_link.insert(link.to_owned(), self.known.len());
            self.known.push((label, link.to_owned()));
            self.known.len() - 1
        });
        &self.known[number].0
    }

    fn take_label(&mut self, name: &str) -> String {
        let base = make_label(name);
        let next = self.next.entry(base.clone()).or_default();
        loop {
            *next += 1;
            let label = if *next == 1 { base.clone() } else { format!("{base}-{next}") };
            if self.taken.insert(fold(&label)) {
                return label;
            }
        }
    }

    /// Forgets the footnotes, but not their labels: the next text gets definitions of its own.
    pub fn begin_text(&mut self) {
        self.known.clear();
        self.by_link.clear();
    }

    /// The definitions of all footnotes, one a line, with a blank line before them. Empty if there are none.
    pub fn render_definitions(&self) -> String {
        let lines: String = self.known.iter().map(|(label, link)| format!("\n[^{label}]: {link}")).collect();
        if lines.is_empty() { lines } else { format!("\n{lines}") }
    }
}

impl CitationContext<'_> {
    /// Replaces each id with a footnote. Unknown ids are removed. The definitions are in `labels`, to be written behind the
    /// text.
    pub fn replace_ids_with_footnotes(&self, text: &str, labels: &mut FootnoteLabels) -> String {
        self.replace_ids(text, |links| {
            let footnote = |(link, entry): (String, &Evidence)| {
                format!("[^{}]", labels.label(&link, &source_name(&entry.source)))
            };
            links.into_iter().map(footnote).collect()
        })
    }
}

/// The text with footnotes for the citations that stand in parentheses of their own, in which nothing else is. Everything
/// else stays as it is. The definitions are in `labels`, to be written behind the text.
pub fn replace_citations_with_footnotes(text: &str, labels: &mut FootnoteLabels) -> String {
    let citations = find_written_citations(text);
    let (mut edits, mut at): (Vec<Splice>, usize) = (Vec::new(), 0);
    while at < citations.len() {
        let group = &citations[at..at + count_group(text, &citations[at..])];
        at += group.len().max(1);
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let opens = text[..first.span.start].trim_end().len().saturating_sub(1);
        let end = last.span.end + text[last.span.end..].find(')').map_or(0, |at| at + 1);
        let is_first = begins_line(&text[..opens]);
        if is_first && text[end..].starts_with(':') {
            // It would be read as a definition.
            continue;
        }
        let mut seen = BTreeSet::new();
        let footnotes = group.iter().filter_map(|citation| {
            let link = &text[citation.span.clone()];
            let (_, name) = describe(citation.targets.first()?, &FileNames::default(), "");
            let name = link_words(link).unwrap_or(name);
            seen.insert(link).then(|| format!("[^{}]", labels.label(link, &name)))
        });
        let footnotes = footnotes.collect();
        // The space between the words and the parentheses goes with them.
        let start = if is_first { opens } else { text[..opens].trim_end_matches([' ', '\t']).len() };
        edits.push(Splice { span: start..end, text: footnotes });
    }
    apply_splices(text, &edits).unwrap_or_else(|_| text.to_owned())
}

/// Whether nothing but marks of a list, a quote or a heading stands before this place on its line.
fn begins_line(before: &str) -> bool {
    let far = before.len().saturating_sub(LONGEST_MARKS);
    let near = (far..=before.len()).find_map(|at| before.get(at..)).unwrap_or_default();
    let line = match near.rfind('\n') {
        Some(at) => &near[at + 1..],
        None if near.len() == before.len() => near,
        None => return false,
    };
    let is_mark = |word: &str| {
        !word.contains(char::is_alphanumeric)
            || word.trim_end_matches(['.', ')']).bytes().all(|byte| byte.is_ascii_digit())
            || word.starts_with('[') && word.ends_with(']')
    };
    line.split_whitespace().all(is_mark)
}

/// How many of these citations make up parentheses of their own that begin with the first. 0 if there are none.
fn count_group(text: &str, citations: &[WrittenCitation]) -> usize {
    let is_begun = |citation: &WrittenCitation| {
        citation.label.is_none() && text[..citation.span.start].trim_end().ends_with('(')
    };
    if !citations.first().is_some_and(is_begun) {
        return 0;
    }
    for (number, citation) in citations.iter().enumerate() {
        let behind = text[citation.span.end..].trim_start();
        if behind.starts_with(')') {
            return number + 1;
        }
        let Some(next) = behind.strip_prefix([',', ';']) else { return 0 };
        let start = text.len() - next.trim_start().len();
        if citations.get(number + 1).is_none_or(|next| next.label.is_some() || next.span.start != start) {
            return 0;
        }
    }
    0
}

/// The sources that the footnotes of a text cite, in order. The id of each is the label of its footnote.
pub fn list_footnote_sources(text: &str, names: &FileNames, from: &str) -> Vec<OkfSource> {
    let citations = find_written_citations(text);
    let mut seen = BTreeSet::new();
    let footnotes = citations.iter().filter_map(|citation| {
        let label = citation.label.as_ref().filter(|label| seen.insert(label.as_str()))?;
        let target = citation.targets.first()?;
        let (resource, name) = describe(target, names, from);
        Some(make_source(text, citation, label.clone(), (resource, name)))
    });
    footnotes.collect()
}

/// The sources that a text cites: those of its footnotes, and then what is cited without a footnote. That gets an id of its
/// own, which none of `others` has, and is left out if one of those is the same.
pub fn list_cited_sources(text: &str, names: &FileNames, from: &str, others: &[OkfSource]) -> Vec<OkfSource> {
    let mut sources = list_footnote_sources(text, names, from);
    let all = || sources.iter().chain(others);
    let mut known: BTreeSet<String> = all().filter_map(|source| source.resource.clone()).collect();
    let mut labels = FootnoteLabels::avoiding(all().filter_map(|source| source.id.clone()));
    for citation in find_written_citations(text).iter().filter(|citation| citation.label.is_none()) {
        let Some(target) = citation.targets.first() else { continue };
        let (resource, name) = describe(target, names, from);
        if known.insert(resource.clone()) {
            let id = labels.take_label(&name);
            sources.push(make_source(text, citation, id, (resource, name)));
        }
    }
    sources
}

/// The entry of a citation; a page has the words of its link for a title.
fn make_source(
    text: &str,
    citation: &WrittenCitation,
    id: String,
    (resource, name): (String, String),
) -> OkfSource {
    let written = citation.definition.clone().unwrap_or_else(|| citation.span.clone());
    let is_page = matches!(citation.targets.first(), Some(CitedTarget::Address(_)));
    let title = link_words(&text[written]).filter(|_| is_page).unwrap_or(name);
    OkfSource { id: Some(id), resource: Some(resource), title: Some(title) }
}

/// What a footnote cites whose label is the id of a source: the source, or the places of it that the definition names.
/// Any other footnote cites what its definition names.
pub fn find_keyed_targets(
    fields: &OkfFields,
    (names, from): (&FileNames, &str),
    label: &str,
    written: Vec<CitedTarget>,
) -> Vec<CitedTarget> {
    let Some(resource) = fields.find_source(label).and_then(|source| source.resource.as_deref()) else {
        return written;
    };
    let source = parse_resource(resource);
    let key = |target: &CitedTarget| {
        let (resource, _) = describe(target, names, from);
        normalize_address(&resource).unwrap_or(resource)
    };
    let wanted = key(&source);
    let same: Vec<CitedTarget> =
        written.into_iter().filter(|target| key(target) == wanted || key(target) == resource).collect();
    if same.is_empty() { vec![source] } else { same }
}

/// What a resource leads to: a page by its address, a file by its path.
fn parse_resource(resource: &str) -> CitedTarget {
    if normalize_address(resource).is_some() {
        return CitedTarget::Address(resource.to_owned());
    }
    let target = resource.strip_prefix('/').unwrap_or(resource).to_owned();
    CitedTarget::Link { target, anchor: None, lines: None }
}

/// What a citation names as a resource of the format, with a name for readers. The lines are left to the footnote: those of a
/// file change.
fn describe(target: &CitedTarget, names: &FileNames, from: &str) -> (String, String) {
    let stem = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.strip_suffix(".md").unwrap_or(name).to_owned()
    };
    match target {
        CitedTarget::Address(url) => (url.clone(), host(url)),
        CitedTarget::Link { target, .. } => match names.resolve(target, from).path() {
            Some(path) => (format!("/{path}"), stem(path)),
            None => (target.clone(), stem(target)),
        },
        CitedTarget::Lines { repository: Some(name), path, .. } => (format!("{name}: {path}"), stem(path)),
        CitedTarget::Lines { repository: None, path, .. } => {
            (format!("/{}", path.trim_start_matches('/')), stem(path))
        }
    }
}

/// The words of the first link in a text: `[words](address)`.
fn link_words(text: &str) -> Option<String> {
    let before = &text[..text.find("](")?];
    let words = before[before.rfind('[')? + 1..].trim();
    (!words.is_empty()).then(|| words.to_owned())
}

/// The name that a label is made of.
fn source_name(source: &Source) -> String {
    match source {
        Source::Note(place) => place.path.stem().to_owned(),
        Source::Code { place, .. } => place.path.name().to_owned(),
        Source::Page(place) | Source::Paper { place, .. } => {
            let title = place.title.clone().filter(|title| !title.trim().is_empty());
            title.unwrap_or_else(|| host(&place.url))
        }
    }
}

/// A label of letters, digits and hyphens.
fn make_label(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|letter| if letter.is_alphanumeric() { letter } else { ' ' })
        .collect::<String>()
        .to_lowercase();
    let mut label = String::new();
    for word in plain.split_whitespace() {
        let length = label.chars().count() + word.chars().count() + usize::from(!label.is_empty());
        if length > LONGEST_LABEL && !label.is_empty() {
            break;
        }
        if !label.is_empty() {
            label.push('-');
        }
        label.extend(word.chars().take(LONGEST_LABEL));
    }
    if label.is_empty() { "source".to_owned() } else { label }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> FileNames {
        FileNames::from_paths(["Bees/Wax.md", "Home.md"])
    }

    #[test]
    fn sources_are_those_of_the_footnotes_and_of_other_citations() {
        let text = "Wax melts.[^wax] Soft.[^wax-2] Mites ([[Wax]]:9) breed, [so they say](https://a.org/x).\n\n\
                    [^wax]: [[Wax]]:3-4\n[^wax-2]: [Of wax](https://b.org)\n";
        let shown = |source: &OkfSource| {
            let part = |part: &Option<String>| part.clone().unwrap_or_default();
            format!("{} = {} ({})", part(&source.id), part(&source.resource), part(&source.title))
        };
        let list = |others: &[OkfSource]| -> Vec<String> {
            list_cited_sources(text, &names(), "Home.md", others).iter().map(shown).collect()
        };
        let expected = ["wax = /Bees/Wax.md (Wax)", "wax-2 = https://b.org (Of wax)"];
        assert_eq!(list(&[])[..2], expected);
        assert_eq!(list(&[])[2..], ["a-org = https://a.org/x (so they say)"]);
        let other = |resource: &str| OkfSource {
            id: Some("a-org".to_owned()),
            resource: Some(resource.to_owned()),
            title: None,
        };
        assert_eq!(list(&[other("mine")])[2], "a-org-2 = https://a.org/x (so they say)");
        assert_eq!(list(&[other("https://a.org/x")]).len(), 2);
    }

    #[test]
    fn citations_in_parentheses_become_footnotes_and_all_other_words_stay() {
        for (text, expected) in [
            (
                "Soft. ([[Wax#Heat]]:3, [Of wax](https://b.org/x); `wax: src/a.py:3`) Hard ([[Wax#Heat]]:3).",
                "Soft.[^wax][^of-wax][^a-py] Hard[^wax].\n\n[^wax]: [[Wax#Heat]]:3\n[^of-wax]: [Of wax](https://b.org/x)\n\
                 [^a-py]: `wax: src/a.py:3`",
            ),
            ("(([[Wax]]:3), as I saw)", "([^wax], as I saw)\n\n[^wax]: [[Wax]]:3"),
            ("- ([[Wax]]:3) Soft.", "- [^wax] Soft.\n\n[^wax]: [[Wax]]:3"),
            ("> 1. [x] ( [[Wax]]:3 ) Soft.", "> 1. [x] [^wax] Soft.\n\n[^wax]: [[Wax]]:3"),
            ("One.\n\n([[Wax]]:3) Two.", "One.\n\n[^wax] Two.\n\n[^wax]: [[Wax]]:3"),
            ("One\n  ([[Wax]]:3).", "One\n  [^wax].\n\n[^wax]: [[Wax]]:3"),
            ("é {LONG} \t([[Wax]]:3)", "é {LONG}[^wax]\n\n[^wax]: [[Wax]]:3"),
            ("One.\n\n([[Wax]]:3): two.", ""),
            ("As [[Wax|the wax]]:3 says.", ""),
            ("See [[Wax]], or [so they say](https://a.org).", ""),
            ("Soft ([[Wax]]:3, as I saw). Hard (see [[Wax]]:4).", ""),
            ("Soft ([[Wax]]:3, [^mine]).\n\n[^mine]: [[Wax]]:4, in my words", ""),
            ("Soft[^mine].\n\n[^mine]: ([[Wax]]:4) in my words", ""),
            ("`([[Wax]]:3)`", ""),
            ("Soft ([[Wax]]:3", ""),
        ] {
            let [text, expected] = [text, expected].map(|text| text.replace("{LONG}", &"ß".repeat(99)));
            let mut labels = FootnoteLabels::default();
            let cited = replace_citations_with_footnotes(&text, &mut labels) + &labels.render_definitions();
            assert_eq!(cited, if expected.is_empty() { &*text } else { &*expected }, "{text}");
        }
        let mut labels = FootnoteLabels::avoiding(["Wax".to_owned()]);
        assert_eq!(replace_citations_with_footnotes("Soft ([[Wax]]:3).", &mut labels), "Soft[^wax-2].");
    }

    #[test]
    fn a_label_is_free_also_behind_many_and_in_the_next_text() {
        let mut labels = FootnoteLabels::avoiding(["wax-3".to_owned()]);
        let many: Vec<String> = (0..20_000).map(|_| labels.take_label("Wax")).collect();
        assert_eq!(many[..3], ["wax", "wax-2", "wax-4"]);
        assert_eq!((many[19_999].as_str(), labels.take_label("Wax 2").as_str()), ("wax-20001", "wax-2-2"));
        let cite = |labels: &mut FootnoteLabels| {
            replace_citations_with_footnotes("Soft ([[Bee]]:3).", labels) + &labels.render_definitions()
        };
        assert_eq!(cite(&mut labels), "Soft[^bee].\n\n[^bee]: [[Bee]]:3");
        labels.begin_text();
        assert_eq!(cite(&mut labels), "Soft[^bee-2].\n\n[^bee-2]: [[Bee]]:3");
    }

    #[test]
    fn a_keyed_footnote_cites_its_source_and_never_anything_else() {
        let text = "---\nsources:\n  - id: wax\n    resource: /Bees/Wax.md\n  - id: page\n    resource: https://a.org/x\n---\n";
        let (fields, names) = (OkfFields::read(text), names());
        let link = |target: &str, lines| CitedTarget::Link { target: target.to_owned(), anchor: None, lines };
        let page = |url: &str| CitedTarget::Address(url.to_owned());
        let cites = |label, written| find_keyed_targets(&fields, (&names, "Home.md"), label, written);
        assert_eq!(cites("wax", vec![]), [link("Bees/Wax.md", None)]);
        assert_eq!(cites("wax", vec![link("Wax", Some((3, 3)))]), [link("Wax", Some((3, 3)))]);
        assert_eq!(cites("wax", vec![page("https://b.org")]), [link("Bees/Wax.md", None)]);
        assert_eq!(cites("page", vec![page("https://a.org/x#part")]).len(), 1);
        assert_eq!(cites("other", vec![page("https://b.org")]), [page("https://b.org")]);
    }

    #[test]
    fn a_label_is_short_and_made_of_words() {
        for (name, label) in [
            ("Hive weight", "hive-weight"),
            ("Müller & Söhne: 2024", "müller-söhne-2024"),
            ("[^x]: ](https://a.org)", "x-https-a-org"),
            ("…", "source"),
            ("one two three four five six seven eight nine ten", "one-two-three-four-five-six-seven-eight"),
        ] {
            assert_eq!(make_label(name), label);
        }
    }
}
