//! Citations of evidence in a text, and lines that contain nothing else.

use crate::{Span, fold};

/// An id of evidence as written. Whether such evidence exists is not checked here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The id as written.
    pub id: String,
    /// The bytes of the id.
    pub span: Span,
}

/// Finds all citations of a text; adjacent ones form one group.
pub fn find_citations(text: &str) -> Vec<CitationGroup> {
    find_citation_groups(text, 0..text.len())
}

/// Adjacent citations with the brackets around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationGroup {
    /// The bytes of the group, its brackets included.
    pub span: Span,
    /// The citations in order.
    pub ids: Vec<Citation>,
}

/// The citations in a part of a text: `[ev-…-001]`, several in one bracket, or bare. In brackets, anything that
/// begins like an id counts, so that it is looked up and rejected.
pub(super) fn find_citation_groups(text: &str, within: Span) -> Vec<CitationGroup> {
    let mut found: Vec<CitationGroup> = Vec::new();
    let mut at = within.start;
    while let Some(start) = text[at..within.end].find("ev-").map(|offset| at + offset) {
        at = start + 3;
        let joined = text[within.start..start].chars().next_back();
        if joined.is_some_and(|letter| letter.is_alphanumeric() || letter == '-' || letter == '_') {
            continue;
        }
        let open = text[within.start..start].trim_end_matches(['[', '(', '【']).len() + within.start;
        let mut ids = vec![id_at(text, start, within.end)];
        let mut end = start + ids[0].id.len();
        loop {
            let rest = &text[end..within.end];
            let next = rest.trim_start_matches([',', ';', ' ', '&']);
            let next = next.strip_prefix("and ").unwrap_or(next);
            if next.len() == rest.len() || !next.starts_with("ev-") {
                break;
            }
            let id = id_at(text, within.end - next.len(), within.end);
            end = id.span.end;
            ids.push(id);
        }
        let rest = &text[end..within.end];
        let closed = rest.len() - rest.trim_start_matches([']', ')', '】']).len();
        let bracketed = open < start && closed > 0;
        let square = text[open..start].contains(['[', '【']);
        if !(bracketed && square) {
            ids.retain(|citation| is_id(&citation.id));
        }
        if ids.is_empty() {
            continue;
        }
        // Match as many brackets as were opened.
        let opened = text[open..start].chars().count();
        let closing: usize = rest
            .chars()
            .take(opened.min(closed))
            .take_while(|letter| "])】".contains(*letter))
            .map(char::len_utf8)
            .sum();
        let span = if bracketed { open..end + closing } else { start..end };
        at = span.end;
        found.push(CitationGroup { span, ids });
    }
    found
}

fn id_at(text: &str, start: usize, end: usize) -> Citation {
    let length =
        text[start..end].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count();
    let id = text[start..start + length].trim_end_matches('-');
    Citation { id: id.to_owned(), span: start..start + id.len() }
}

/// `ev-<run>-<number>`
fn is_id(written: &str) -> bool {
    let rest = written.strip_prefix("ev-").unwrap_or_default();
    rest.split_once('-').is_some_and(|(run, number)| {
        !run.is_empty() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// What a line of prose consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListingKind {
    /// Words: part of a sentence.
    No,
    /// Only citations.
    Citations,
    /// `Citations:`
    Label,
    /// Only paths, addresses or links.
    Places,
}

const LABELS: [&str; 12] = [
    "citation",
    "citations",
    "source",
    "sources",
    "reference",
    "references",
    "evidence",
    "links",
    "see also",
    "further reading",
    "quelle",
    "quellen",
];

/// Whether a heading or line only announces a list of sources.
pub(super) fn is_label(line: &str) -> bool {
    let bare = line.trim_matches(|letter: char| letter.is_whitespace() || "#*_:>-+=".contains(letter));
    LABELS.contains(&fold(bare).as_str())
}

/// Classifies a line of prose. Below a label, the words of links are ignored.
pub(super) fn classify_line(
    text: &str,
    line: &Span,
    groups: &[CitationGroup],
    below_label: bool,
) -> ListingKind {
    let written = &text[line.clone()];
    // Long lines are prose.
    if written.len() > 600 {
        return ListingKind::No;
    }
    if is_label(written) {
        return ListingKind::Label;
    }
    let first = groups.partition_point(|group| group.span.end <= line.start);
    let (mut left, mut from) = (String::new(), line.start);
    for group in groups[first..].iter().take_while(|group| group.span.start < line.end) {
        left.push_str(&text[from.min(group.span.start)..group.span.start]);
        from = group.span.end;
    }
    left.push_str(text.get(from..line.end).unwrap_or_default());
    if !left.contains(char::is_alphanumeric) {
        return if from > line.start { ListingKind::Citations } else { ListingKind::No };
    }
    let labeled = left.split_once(':').filter(|(label, _)| is_label(label));
    let links = below_label || labeled.is_some();
    let rest = labeled.map_or(left.as_str(), |(_, rest)| rest);
    // Below a label a path with line numbers may contain spaces.
    let is_path = links
        && rest.trim().ends_with(|letter: char| letter.is_ascii_digit())
        && rest.contains(':')
        && is_place(rest.trim());
    if is_path {
        return ListingKind::Places;
    }
    if without_places(rest, links).contains(char::is_alphanumeric) {
        ListingKind::No
    } else {
        ListingKind::Places
    }
}

/// The line without addresses and places such as `path.md:3-7`, and without links if `links` is set. What a link to a file says beyond
/// the file's name stays.
fn without_places(line: &str, links: bool) -> String {
    let mut left = String::new();
    let mut rest = line;
    while links && let Some(open) = rest.find('[') {
        let Some((text, after)) = rest[open..].split_once(']') else { break };
        left.push_str(&rest[..open]);
        rest = match after.strip_prefix('(').and_then(|after| after.split_once(')')) {
            Some((target, after)) => {
                if !target.contains("://") && !names_target(text, target) {
                    left.push_str(text);
                }
                after
            }
            None if text.starts_with("[[") => {
                if let Some((target, shown)) =
                    text.split_once('|').filter(|(target, shown)| !names_target(shown, target))
                {
                    left.push_str(&format!("{target} {shown}"));
                }
                after.trim_start_matches(']')
            }
            None => {
                left.push_str(text);
                after
            }
        };
    }
    left.push_str(rest);
    left.split_whitespace().filter(|word| !is_place(word)).collect::<Vec<_>>().join(" ")
}

/// Whether the words of a link are those of its target.
fn names_target(shown: &str, target: &str) -> bool {
    let target = target.to_lowercase().replace("%20", " ");
    let mut words = shown.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| target.contains(&word.to_lowercase()))
}

fn is_place(word: &str) -> bool {
    let word = word.trim_matches(|letter: char| "<>()[]{},;.`*\"'".contains(letter));
    if word.starts_with("http://") || word.starts_with("https://") {
        return true;
    }
    let (path, lines) = word.rsplit_once(':').unwrap_or((word, ""));
    let numbers = lines
        .trim_start_matches('L')
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-' || byte == b'L');
    let file = path.rsplit('/').next().unwrap_or(path);
    numbers
        && file.rsplit_once('.').is_some_and(|(name, ending)| {
            !name.is_empty()
                && (1..=5).contains(&ending.len())
                && ending.starts_with(|letter: char| letter.is_ascii_lowercase())
        })
}
