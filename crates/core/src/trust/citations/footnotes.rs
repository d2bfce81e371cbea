//! Citations as footnotes that are keyed to sources, as the Open Knowledge Format has them: the label of a footnote is the
//! id of an entry of `sources`, and its definition still names the exact place.

use wellread_text::{FileNames, OkfFields, OkfSource, fold};

use super::{CitationContext, CitedTarget, find_written_citations, host};
use crate::domain::corpus::normalize_address;
use crate::domain::evidence::{Evidence, Source};

/// The longest label, in characters.
const LONGEST_LABEL: usize = 40;

/// The footnotes of a text so far, so that each place has one label.
#[derive(Debug, Default)]
pub struct FootnoteLabels {
    /// Each label with the link to its place.
    known: Vec<(String, String)>,
}

impl FootnoteLabels {
    fn label(&mut self, link: String, entry: &Evidence) -> &str {
        let number = self.known.iter().position(|(_, known)| *known == link).unwrap_or_else(|| {
            let label = self.free_label(&source_name(&entry.source));
            self.known.push((label, link));
            self.known.len() - 1
        });
        &self.known[number].0
    }

    fn free_label(&self, name: &str) -> String {
        let base = make_label(name);
        let is_free = |label: &String| self.known.iter().all(|(known, _)| fold(known) != fold(label));
        let numbered = (2..).map(|number| format!("{base}-{number}"));
        std::iter::once(base.clone()).chain(numbered).find(is_free).unwrap_or_default()
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
            links.into_iter().map(|(link, entry)| format!("[^{}]", labels.label(link, entry))).collect()
        })
    }
}

/// The sources that a text cites, in order. The id of each is the label of its footnote; what is cited without a footnote
/// gets an id of its own, which none of `others` has, and is left out if one of those is the same.
pub fn list_cited_sources(text: &str, names: &FileNames, from: &str, others: &[OkfSource]) -> Vec<OkfSource> {
    let mut sources: Vec<OkfSource> = Vec::new();
    let citations = find_written_citations(text);
    let (keyed, direct): (Vec<_>, Vec<_>) = citations.iter().partition(|citation| citation.label.is_some());
    for citation in keyed.into_iter().chain(direct) {
        let Some(target) = citation.targets.first() else { continue };
        let (resource, name) = describe(target, names, from);
        let is_known = match &citation.label {
            Some(label) => sources.iter().any(|known| known.id.as_ref() == Some(label)),
            None => sources.iter().chain(others).any(|known| known.resource.as_ref() == Some(&resource)),
        };
        if is_known {
            continue;
        }
        let id = citation.label.clone().unwrap_or_else(|| {
            let taken = sources.iter().chain(others).filter_map(|known| known.id.clone());
            let known = taken.map(|id| (id, String::new())).collect();
            FootnoteLabels { known }.free_label(&name)
        });
        let written = citation.definition.clone().unwrap_or_else(|| citation.span.clone());
        let title = link_words(&text[written]).filter(|_| matches!(target, CitedTarget::Address(_)));
        let title = title.unwrap_or(name);
        sources.push(OkfSource { id: Some(id), resource: Some(resource), title: Some(title) });
    }
    sources
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
