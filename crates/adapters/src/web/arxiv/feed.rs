//! Parses arXiv's Atom feed event by event. Unknown elements are skipped.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use wellread_core::domain::untrusted::Untrusted;
use wellread_core::ports::{Paper, WebAnswer, WebQuery, WebResult};

use crate::web::results::{normalize_url, single_line};

const LONGEST_TITLE: usize = 300;
const LONGEST_ABSTRACT: usize = 10_000;
const LONGEST_NAME: usize = 200;
const LONGEST_ID: usize = 64;
const MOST_AUTHORS: usize = 100;
/// The deepest nesting of elements. A feed has four.
const DEEPEST: usize = 32;

#[derive(Debug, Default, PartialEq)]
pub struct Feed {
    /// The number of papers that match the query.
    pub total: Option<u64>,
    /// arXiv's error message about the request.
    pub error: Option<String>,
    entries: Vec<FeedEntry>,
}

#[derive(Debug, Default, Clone, PartialEq)]
struct FeedEntry {
    id: String,
    title: String,
    summary: String,
    published: String,
    authors: Vec<String>,
    page: Option<String>,
    pdf: Option<String>,
}

impl Feed {
    /// Parses a feed; `Err` says why it is not one.
    pub fn read(body: &[u8]) -> Result<Self, &'static str> {
        const NO_FEED: &str = "something that is not a feed";
        let text = std::str::from_utf8(body).map_err(|_| NO_FEED)?;
        let mut reader = Reader::from_str(text);
        let (mut feed, mut within, mut content) = (Self::default(), Vec::<String>::new(), String::new());
        let mut is_feed = false;
        loop {
            match reader.read_event().map_err(|_| NO_FEED)? {
                Event::Start(tag) => {
                    if within.len() >= DEEPEST {
                        return Err(NO_FEED);
                    }
                    let name = tag.local_name().as_ref().to_owned();
                    if within.is_empty() {
                        is_feed = name == "feed";
                    }
                    feed.open_element(&name, &tag);
                    within.push(name);
                    content.clear();
                }
                Event::Empty(tag) => feed.open_element(tag.local_name().as_ref(), &tag),
                Event::End(_) => {
                    feed.close_element(&within, &content);
                    within.pop();
                    content.clear();
                }
                Event::Text(text) => content.push_str(&text.xml10_content()),
                Event::CData(text) => content.push_str(&text.xml10_content()),
                Event::GeneralRef(name) => content.push_str(&resolve_reference(&name)),
                Event::Eof => break,
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::DocType(_) => {}
            }
        }
        // A truncated feed is an error.
        if !is_feed || !within.is_empty() { Err(NO_FEED) } else { Ok(feed) }
    }

    fn open_element(&mut self, name: &str, tag: &BytesStart<'_>) {
        if name == "entry" {
            self.entries.push(FeedEntry::default());
        }
        let Some(entry) = self.entries.last_mut().filter(|_| name == "link") else { return };
        let attribute = |wanted: &str| {
            let found = tag.attributes().flatten().find(|one| one.key.local_name().as_ref() == wanted)?;
            Some(quick_xml::escape::unescape(&found.value).ok()?.into_owned())
        };
        let link = attribute("href").and_then(|link| normalize_url(&link));
        match (attribute("rel").as_deref(), attribute("title").as_deref()) {
            (_, Some("pdf")) => entry.pdf = link,
            (Some("alternate"), _) => entry.page = link,
            _ => {}
        }
    }

    fn close_element(&mut self, within: &[String], content: &str) {
        let within: Vec<&str> = within.iter().map(String::as_str).collect();
        match (&within[..], self.entries.last_mut()) {
            (["feed", "totalResults"], _) => self.total = content.trim().parse().ok(),
            (["feed", "entry", field], Some(entry)) => match *field {
                "id" => entry.id = single_line(content, LONGEST_ID),
                "title" => entry.title = single_line(content, LONGEST_TITLE),
                "summary" => entry.summary = single_line(content, LONGEST_ABSTRACT),
                "published" => entry.published = single_line(content, LONGEST_NAME),
                _ => {}
            },
            (["feed", "entry", "author", "name"], Some(entry)) if entry.authors.len() < MOST_AUTHORS => {
                entry.authors.push(single_line(content, LONGEST_NAME));
            }
            (["feed", "entry"], Some(entry)) if entry.id.contains("/api/errors") => {
                self.error = Some(single_line(&entry.summary, LONGEST_TITLE));
                self.entries.pop();
            }
            _ => {}
        }
    }

    /// Whether it is empty although more papers match.
    pub fn is_wrongly_empty(&self, query: &WebQuery) -> bool {
        self.entries.is_empty()
            && query.limit > 0
            && self.total.is_some_and(|total| total > query.offset as u64)
    }

    pub fn into_answer(self, limit: usize) -> WebAnswer {
        let results = self.entries.into_iter().filter_map(FeedEntry::into_result).take(limit).collect();
        WebAnswer { results, ..WebAnswer::default() }
    }
}

impl FeedEntry {
    fn into_result(self) -> Option<WebResult> {
        let (_, id) = self.id.split_once("/abs/")?;
        let id = id.to_owned();
        let url = self.page.or_else(|| normalize_url(&format!("https://arxiv.org/abs/{id}")))?;
        Some(WebResult {
            title: self.title,
            url,
            snippet: Untrusted::from_outside(self.summary),
            paper: Some(Paper { id, authors: self.authors, published: self.published, pdf_url: self.pdf }),
        })
    }
}

/// The text of a reference: one of XML's five entities, or a character by its number.
fn resolve_reference(name: &quick_xml::events::BytesRef<'_>) -> String {
    if let Ok(Some(letter)) = name.resolve_char_ref() {
        return letter.to_string();
    }
    let written = format!("&{};", &**name);
    quick_xml::escape::unescape(&written).map_or(written.clone(), std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u32) -> String {
        format!(
            "<entry><id>http://arxiv.org/abs/2301.0000{number}v{number}</id><title>On  hives,\n  part {number} &amp; &#233;tudes</title>\
             <updated>2024-01-01T00:00:00Z</updated><summary>  We weigh\n hives where $a &lt; b$. </summary>\
             <published>2023-01-0{number}T00:00:00Z</published><arxiv:comment>3 pages</arxiv:comment>\
             <author><name>Ann Hive</name><arxiv:affiliation>Bees</arxiv:affiliation></author><author><name>Bo  Wax</name></author>\
             <link href=\"https://arxiv.org/abs/2301.0000{number}v{number}\" rel=\"alternate\" type=\"text/html\"/>\
             <link href=\"https://arxiv.org/pdf/2301.0000{number}v{number}?a=1&amp;b=2\" rel=\"related\" title=\"pdf\"></link>\
             <category term=\"cs.X\"/></entry>"
        )
    }

    fn feed(total: u64, entries: &str) -> String {
        format!(
            "<?xml version='1.0' encoding='UTF-8'?>\n<feed xmlns:opensearch=\"o\" xmlns:arxiv=\"a\" xmlns=\"http://www.w3.org/2005/Atom\">\
             <id>https://arxiv.org/api/x</id><title>arXiv Query</title><link href=\"https://arxiv.org/api/query?x\"/>\
             <opensearch:totalResults>{total}</opensearch:totalResults>{entries}</feed>\n"
        )
    }

    #[test]
    fn papers_are_read_with_all_that_is_known_of_them() {
        let body = feed(40, &(entry(1) + &entry(2)));
        let read = Feed::read(body.as_bytes()).unwrap();
        assert_eq!(read.total, Some(40));
        let found = read.into_answer(10).results;
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].title, "On hives, part 1 & études");
        assert_eq!(found[0].snippet.expose(), "We weigh hives where $a < b$.");
        assert_eq!(found[1].url, "https://arxiv.org/abs/2301.00002v2");
        assert_eq!(
            found[1].paper,
            Some(Paper {
                id: "2301.00002v2".to_owned(),
                authors: vec!["Ann Hive".to_owned(), "Bo Wax".to_owned()],
                published: "2023-01-02T00:00:00Z".to_owned(),
                pdf_url: Some("https://arxiv.org/pdf/2301.00002v2?a=1&b=2".to_owned()),
            })
        );
        assert_eq!(Feed::read(body.as_bytes()).unwrap().into_answer(1).results.len(), 1);
    }

    #[test]
    fn none_found_is_an_empty_feed() {
        let read = Feed::read(feed(0, "").as_bytes()).unwrap();
        assert_eq!((read.total, read.into_answer(5).results.len()), (Some(0), 0));
    }

    #[test]
    fn what_is_no_whole_feed_is_none() {
        let whole = feed(1, &entry(1));
        assert!(Feed::read(whole.as_bytes()).is_ok());
        for cut in (1..whole.trim_end().len()).filter(|cut| whole.is_char_boundary(*cut)) {
            assert!(Feed::read(&whole.as_bytes()[..cut]).is_err(), "{}", &whole[..cut]);
        }
        for other in
            ["", "Rate exceeded.", "{}", "<html><body></body></html>", "<feed></entry></feed>", "\u{0}"]
        {
            assert!(Feed::read(other.as_bytes()).is_err(), "{other}");
        }
        assert!(Feed::read(b"<feed>\xff</feed>").is_err());
    }

    #[test]
    fn entities_that_the_feed_declares_itself_are_not_followed() {
        let bomb = "<!DOCTYPE feed [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b SYSTEM \"file:///etc/passwd\">]>\
                    <feed><entry><id>http://arxiv.org/abs/1</id><title>&a;&b;x</title></entry></feed>";
        assert_eq!(Feed::read(bomb.as_bytes()).unwrap().into_answer(1).results[0].title, "&a;&b;x");
    }

    #[test]
    fn what_is_nested_without_end_is_no_feed() {
        let nested = |depth: usize| feed(0, &("<x>".repeat(depth) + &"</x>".repeat(depth)));
        assert!(Feed::read(nested(DEEPEST - 1).as_bytes()).is_ok());
        assert!(Feed::read(nested(DEEPEST).as_bytes()).is_err());
        assert!(Feed::read(nested(200_000).as_bytes()).is_err());
    }

    #[test]
    fn an_id_is_a_short_line_and_authors_end_somewhere() {
        let id = format!("2301.00001v1\nmore {}", "9".repeat(100));
        let body = feed(1, &entry(1).replace("2301.00001v1</id>", &format!("{id}</id>")));
        let body =
            body.replace("<author>", &("<author><name>Cy Comb</name></author>".repeat(80) + "<author>"));
        let paper = Feed::read(body.as_bytes()).unwrap().into_answer(1).results.remove(0).paper.unwrap();
        assert!(
            paper.id.starts_with("2301.00001v1 more 999") && paper.id.chars().count() < 64,
            "{}",
            paper.id
        );
        assert_eq!(paper.authors.len(), 100);
    }

    #[test]
    fn a_link_to_something_else_is_left_out() {
        let body = feed(1, &entry(1).replace("https://arxiv.org/pdf/", "javascript:"));
        let found = Feed::read(body.as_bytes()).unwrap().into_answer(1).results.remove(0);
        assert_eq!(found.paper.unwrap().pdf_url, None);
    }
}
