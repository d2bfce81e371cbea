//! Normalizes results: an address that can be fetched, a title on one line, a snippet of plain text.

use reqwest::Url;
use wellread_core::domain::untrusted::Untrusted;
use wellread_core::ports::{WebAnswer, WebQuery, WebResult};

use super::markup::strip_tags;

const LONGEST_TITLE: usize = 300;
const LONGEST_SNIPPET: usize = 4_000;
/// The longest address in bytes; the guard accepts no longer ones.
const LONGEST_ADDRESS: usize = 8 * 1024;

/// A row as a service wrote it: HTML, or text with entities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultRow {
    pub title: String,
    pub url: String,
    pub snippet: String,
}

/// The answer made of these rows, cut to the requested range. Rows without a valid address are left out.
pub fn answer(rows: impl IntoIterator<Item = ResultRow>, query: &WebQuery) -> WebAnswer {
    let results = rows.into_iter().filter_map(|row| result(&row));
    WebAnswer { results: results.skip(query.offset).take(query.limit).collect(), ..WebAnswer::default() }
}

fn result(row: &ResultRow) -> Option<WebResult> {
    let url = normalize_url(&row.url)?;
    let title = match single_line(&strip_tags(&row.title), LONGEST_TITLE) {
        untitled if untitled.is_empty() => Url::parse(&url).ok()?.host_str()?.to_owned(),
        title => title,
    };
    let snippet = single_line(&strip_tags(&row.snippet), LONGEST_SNIPPET);
    Some(WebResult { title, url, snippet: Untrusted::from_outside(snippet), paper: None })
}

/// The normalized address without its fragment; `None` if it is not a web page.
pub fn normalize_url(written: &str) -> Option<String> {
    let mut url = Url::parse(written.trim()).ok()?;
    let plain = url.username().is_empty() && url.password().is_none();
    if !["http", "https"].contains(&url.scheme()) || url.host_str().is_none_or(str::is_empty) || !plain {
        return None;
    }
    url.set_fragment(None);
    let url = String::from(url);
    (url.len() <= LONGEST_ADDRESS).then_some(url)
}

/// The text on one line without hidden characters, cut to `longest` characters.
pub fn single_line(text: &str, longest: usize) -> String {
    let (text, _) = wellread_text::strip_hidden(text);
    let mut line = String::new();
    for (n, word) in
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).enumerate()
    {
        if n > 0 {
            line.push(' ');
        }
        line.push_str(word);
    }
    if let Some((cut, _)) = line.char_indices().nth(longest) {
        let (last, _) = line.char_indices().nth(longest - 1).unwrap_or((cut, ' '));
        line.truncate(last);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_the_web_have_an_address() {
        for (written, kept) in [
            ("https://Example.ORG:443/a b?q=ü#part", Some("https://example.org/a%20b?q=%C3%BC")),
            (" http://example.org ", Some("http://example.org/")),
            ("javascript:alert(1)", None),
            ("data:text/html,x", None),
            ("file:///etc/passwd", None),
            ("ftp://example.org/", None),
            ("//example.org/", None),
            ("/relative", None),
            ("https://user:pass@example.org/", None),
            ("https://", None),
            ("", None),
        ] {
            assert_eq!(normalize_url(written).as_deref(), kept, "{written}");
        }
        assert_eq!(normalize_url(&format!("https://example.org/{}", "a".repeat(9000))), None);
    }

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(single_line(" a\n\tb\u{0}c \u{a0} d ", 300), "a bc d");
        assert_eq!(single_line("in\u{200b}vis\u{202e}ible\u{2066}\u{e0041} \u{feff}", 300), "invisible");
        let long = single_line(&"é".repeat(400), 300);
        assert_eq!((long.chars().count(), long.ends_with('…')), (300, true));
        assert_eq!(single_line("exact", 5), "exact");
    }

    #[test]
    fn rows_without_a_title_take_the_hosts_name_and_those_without_an_address_go() {
        let row = |title: &str, url: &str| ResultRow {
            title: title.to_owned(),
            url: url.to_owned(),
            snippet: "<b>s</b> &amp; t".to_owned(),
        };
        let rows = [
            row("", "https://a.org/x"),
            row("<script>x</script>Hello\n<b>you</b>", "https://b.org"),
            row("No", "javascript:x"),
            row("Third", "https://c.org"),
        ];
        let query = WebQuery { text: "q".to_owned(), limit: 2, offset: 0, answer: false };
        let found = answer(rows.clone(), &query);
        let titles: Vec<&str> = found.results.iter().map(|result| result.title.as_str()).collect();
        assert_eq!(titles, ["a.org", "Hello you"]);
        assert_eq!(found.results[0].snippet.expose(), "s & t");
        let later = answer(rows, &WebQuery { offset: 2, ..query });
        assert_eq!(later.results[0].title, "Third");
    }
}
