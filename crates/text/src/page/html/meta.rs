//! The metadata of a page: title, author, date, site and language.
//!
//! All of it is foreign text. Hidden parts of the page's body are ignored.

use serde_json::Value;

use super::tree::{NodeData, NodeId, ROOT, Tree, WalkStep};

/// The metadata of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PageMetadata {
    pub title: Option<String>,
    pub author: Option<String>,
    pub date: Option<String>,
    pub site: Option<String>,
    pub language: Option<String>,
    /// The base of relative links, if the page gives one.
    pub base: Option<String>,
}

/// Longer values are cut, in characters.
const LONGEST: usize = 300;
/// Longer names are not authors.
const LONGEST_NAME: usize = 120;

/// Names of `meta` elements with the title, the best first.
const TITLE_NAMES: [&str; 6] =
    ["og:title", "twitter:title", "citation_title", "dc.title", "dcterms.title", "parsely-title"];
/// Names of `meta` elements with the author, the best first.
const AUTHOR_NAMES: [&str; 6] =
    ["author", "article:author", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author"];
/// Names of `meta` elements with the date of publication, the best first.
const DATE_NAMES: [&str; 13] = [
    "article:published_time",
    "datepublished",
    "citation_publication_date",
    "citation_date",
    "parsely-pub-date",
    "dc.date.issued",
    "dcterms.created",
    "dc.date",
    "pubdate",
    "publishdate",
    "publish_date",
    "sailthru.date",
    "date",
];

/// The metadata as collected from the elements, before the best of each kind is chosen.
#[derive(Debug, Default)]
pub(super) struct RawMetadata {
    /// Names and contents of `meta` elements, the names in lower case.
    meta: Vec<(String, String)>,
    data: Vec<Value>,
    title: Option<NodeId>,
    heading: Option<NodeId>,
    byline: Option<NodeId>,
    time: Option<String>,
    language: Option<String>,
    base: Option<String>,
}

/// Chooses the metadata. `raw` was collected before hidden parts were removed from `tree`.
pub(super) fn metadata(mut raw: RawMetadata, tree: &Tree) -> PageMetadata {
    raw.add_visible(tree);
    let meta = |names: &[&str]| {
        names.iter().find_map(|name| {
            raw.meta
                .iter()
                .find(|(found, _)| found == name)
                .and_then(|(_, content)| to_single_line(content, LONGEST))
        })
    };
    let data = |field: &[&str]| raw.data.iter().find_map(|value| record_field(value, field));
    let element =
        |id: Option<NodeId>, longest| id.and_then(|id| to_single_line(&tree_text(tree, id), longest));
    let site =
        meta(&["og:site_name"]).or_else(|| data(&["publisher"])).or_else(|| meta(&["application-name"]));
    let title = meta(&TITLE_NAMES)
        .or_else(|| data(&["headline"]))
        .or_else(|| element(raw.title, LONGEST).map(|title| without_site(&title, site.as_deref())))
        .or_else(|| element(raw.heading, LONGEST));
    let author = meta(&AUTHOR_NAMES)
        .filter(|author| !author.contains("://"))
        .or_else(|| raw.citation_authors())
        .or_else(|| data(&["author", "creator"]))
        .or_else(|| element(raw.byline, LONGEST_NAME));
    let date = meta(&DATE_NAMES)
        .or_else(|| data(&["datePublished", "dateCreated"]))
        .or_else(|| raw.time.as_deref().and_then(|time| to_single_line(time, 60)))
        .or_else(|| meta(&["article:modified_time", "og:updated_time", "last-modified"]));
    let language = raw
        .language
        .clone()
        .or_else(|| meta(&["content-language", "language", "dc.language"]))
        .or_else(|| meta(&["og:locale"]).map(|locale| locale.replace('_', "-")));
    PageMetadata {
        title,
        author: author
            .map(|author| without_by(&author))
            .filter(|author| author.chars().count() <= LONGEST_NAME),
        date,
        site,
        language: language.filter(|language| is_language(language)),
        base: raw.base,
    }
}

impl RawMetadata {
    /// Collects the invisible metadata: in the head and in scripts.
    pub(super) fn collect(tree: &Tree) -> Self {
        let mut raw = Self::default();
        for step in tree.walk(ROOT) {
            let WalkStep::Into(id) = step else { continue };
            let Some(element) = tree.element(id) else { continue };
            let attribute = |name: &str| element.attribute(name).filter(|value| !value.trim().is_empty());
            match element.tag() {
                "html" => {
                    let language = attribute("lang").or(attribute("xml:lang"));
                    raw.language = language.map(|language| language.trim().to_owned());
                }
                "base" if raw.base.is_none() => raw.base = attribute("href").map(str::to_owned),
                "meta" if raw.meta.len() < 500 => {
                    if let Some(content) = attribute("content") {
                        let names = ["property", "name", "itemprop", "http-equiv"];
                        let names = names.iter().filter_map(|kind| attribute(kind));
                        let names = names.flat_map(str::split_whitespace);
                        raw.meta.extend(names.map(|name| (name.to_lowercase(), content.to_owned())));
                    }
                }
                "title" if raw.title.is_none() => raw.title = Some(id),
                "script" if raw.data.len() < 20 => {
                    if let Ok(value) = serde_json::from_str(&tree_text(tree, id)) {
                        raw.data.extend(records(value));
                    }
                }
                _ => {}
            }
        }
        raw
    }

    /// Adds the visible metadata: a heading, a byline, a date.
    fn add_visible(&mut self, tree: &Tree) {
        let mut in_article = false;
        for step in tree.walk(ROOT) {
            let WalkStep::Into(id) = step else { continue };
            let Some(element) = tree.element(id) else { continue };
            let attribute = |name: &str| element.attribute(name).filter(|value| !value.trim().is_empty());
            let is = |name: &str, value: &str| {
                attribute(name).is_some_and(|found| found.eq_ignore_ascii_case(value))
            };
            match element.tag() {
                "h1" if self.heading.is_none() => self.heading = Some(id),
                "article" | "main" => in_article = true,
                "time" if self.time.is_none() && (in_article || attribute("pubdate").is_some()) => {
                    self.time =
                        attribute("datetime").map(str::to_owned).or_else(|| Some(tree_text(tree, id)));
                }
                _ => {}
            }
            if self.time.is_none() && is("itemprop", "datePublished") {
                self.time = attribute("datetime").or(attribute("content")).map(str::to_owned);
            }
            if self.byline.is_none() && is_byline(element) && !tree_text(tree, id).trim().is_empty() {
                self.byline = Some(id);
            }
        }
    }

    fn citation_authors(&self) -> Option<String> {
        let authors = self.meta.iter().filter(|(name, _)| name == "citation_author");
        let authors: Vec<String> =
            authors.filter_map(|(_, content)| to_single_line(content, LONGEST_NAME)).take(10).collect();
        (!authors.is_empty()).then(|| authors.join(", "))
    }
}

fn is_byline(element: &super::tree::Element) -> bool {
    let has = |name: &str, word: &str| {
        element
            .attribute(name)
            .is_some_and(|value| value.split_whitespace().any(|found| found.eq_ignore_ascii_case(word)))
    };
    !matches!(element.tag(), "meta" | "link" | "html" | "body" | "head")
        && (has("rel", "author")
            || has("itemprop", "author")
            || [
                "byline",
                "author",
                "p-author",
                "post-author",
                "entry-author",
                "article-author",
                "byline-name",
                "author-name",
            ]
            .iter()
            .any(|class| has("class", class)))
}

/// The text below a node, up to a length at which it cannot be a metadata field.
fn tree_text(tree: &Tree, id: NodeId) -> String {
    const MOST: usize = 256 * 1024;
    let mut text = String::new();
    for step in tree.walk(id) {
        if let WalkStep::Into(id) = step
            && let NodeData::Text(part) = &tree.node(id).data
        {
            text.push_str(part);
            if text.len() > MOST {
                break;
            }
        }
    }
    text
}

/// Returns the text on one line without hidden characters; `None` if nothing is left, cut if it is too long.
pub(crate) fn to_single_line(text: &str, longest: usize) -> Option<String> {
    let (seen, _) = crate::strip_hidden(text);
    let words: Vec<&str> =
        seen.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    (!line.is_empty()).then(|| line.chars().take(longest).collect())
}

/// The records of JSON-LD about the content of the page, articles first.
fn records(value: Value) -> Vec<Value> {
    let list = match value {
        Value::Array(list) => list,
        Value::Object(mut fields) => match fields.remove("@graph") {
            Some(Value::Array(list)) => list,
            _ => vec![Value::Object(fields)],
        },
        _ => Vec::new(),
    };
    let of = |value: &Value, wanted: fn(&str) -> bool| match &value["@type"] {
        Value::String(kind) => wanted(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).any(wanted),
        _ => false,
    };
    let is_article = |kind: &str| {
        kind.ends_with("Article") || kind.ends_with("Posting") || matches!(kind, "Report" | "Review")
    };
    let is_page = |kind: &str| {
        kind.ends_with("Page")
            || matches!(kind, "Recipe" | "HowTo" | "Question" | "Dataset" | "SoftwareSourceCode")
    };
    let (articles, others): (Vec<_>, Vec<_>) =
        list.into_iter().take(200).partition(|value| of(value, is_article));
    articles.into_iter().chain(others.into_iter().filter(|value| of(value, is_page))).collect()
}

/// A field of a record: a text, or the name of a nested record.
fn record_field(value: &Value, fields: &[&str]) -> Option<String> {
    let name = |value: &Value| {
        let text = value.as_str().or(value["name"].as_str());
        text.filter(|text| !text.contains("://")).and_then(|text| to_single_line(text, LONGEST))
    };
    fields.iter().find_map(|field| match &value[*field] {
        Value::Array(list) => {
            let names: Vec<String> = list.iter().take(10).filter_map(name).collect();
            (!names.is_empty()).then(|| names.join(", "))
        }
        value => name(value),
    })
}

/// Removes the name of the site from the end of the title.
fn without_site(title: &str, site: Option<&str>) -> String {
    let parts = [" | ", " - ", " – ", " — ", " · ", " » ", " :: "];
    let cut = parts.iter().filter_map(|mark| title.rfind(mark).map(|at| (at, at + mark.len()))).max();
    match cut {
        Some((end, after)) => {
            let (before, name) = (title[..end].trim(), title[after..].trim());
            let is_site = site.is_some_and(|site| site.eq_ignore_ascii_case(name));
            let is_short = name.split(' ').count() <= 3 && before.split(' ').count() >= 4;
            if !before.is_empty() && (is_site || is_short) { before.to_owned() } else { title.to_owned() }
        }
        None => title.to_owned(),
    }
}

fn without_by(author: &str) -> String {
    let lower = author.to_lowercase();
    let by = ["by ", "by: ", "von ", "par ", "por ", "written by ", "posted by "];
    let found = by.iter().filter(|by| lower.starts_with(*by)).map(|by| by.len()).max();
    author.get(found.unwrap_or(0)..).unwrap_or(author).trim().to_owned()
}

fn is_language(language: &str) -> bool {
    (2..=35).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && language.bytes().take(2).all(|byte| byte.is_ascii_alphabetic())
}
