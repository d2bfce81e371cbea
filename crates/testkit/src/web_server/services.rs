//! Replies of search services, each in its own format. A row is a title, an address and a snippet.

use serde_json::{Value, json};

use super::WebServerReply;

type ResultRows<'a> = &'a [(&'a str, &'a str, &'a str)];

/// The reply of `/html/`. Without rows, the page says that there are no results.
pub fn duckduckgo(rows: ResultRows<'_>) -> WebServerReply {
    let row = |(title, url, snippet): &(&str, &str, &str)| {
        let link = format!("//duckduckgo.com/l/?uddg={}&amp;rut=0a1b", percent_encode(url));
        format!(
            "<div class=\"result results_links results_links_deep web-result \"><div class=\"links_main links_deep result__body\">\
             <h2 class=\"result__title\"><a rel=\"nofollow\" class=\"result__a\" href=\"{link}\">{}</a></h2>\
             <a class=\"result__snippet\" href=\"{link}\">{}</a></div></div>\n",
            escape_xml(title),
            escape_xml(snippet)
        )
    };
    let none = "<div class=\"no-results\">No results.</div>".to_owned();
    let rows: String = if rows.is_empty() { none } else { rows.iter().map(row).collect() };
    WebServerReply::html(format!(
        "<!DOCTYPE html>\n<html><head><title>DuckDuckGo</title></head><body><form id=\"search_form\" action=\"/html/\"></form>\
         <div class=\"serp__results\"><div id=\"links\" class=\"results\">{rows}</div></div></body></html>"
    ))
}

/// The page that DuckDuckGo shows to suspected robots.
pub fn duckduckgo_puzzle() -> WebServerReply {
    let form = "<!DOCTYPE html>\n<html><body><form id=\"challenge-form\" action=\"//duckduckgo.com/anomaly.js\" method=\"POST\">\
                <div class=\"anomaly-modal__mask\"></div></form></body></html>";
    WebServerReply::html(form).with_status(202)
}

/// The reply of `/res/v1/web/search`.
pub fn brave(rows: ResultRows<'_>) -> WebServerReply {
    let row = |(title, url, snippet): &(&str, &str, &str)| json!({"title": title, "url": url, "description": snippet});
    let mut body = json!({"type": "search", "query": {"original": ""}});
    if !rows.is_empty() {
        body["web"] = json!({"type": "search", "results": rows.iter().map(row).collect::<Vec<Value>>()});
    }
    WebServerReply::json(&body)
}

/// The reply of `/search` to a POST.
pub fn tavily(answer: Option<&str>, rows: ResultRows<'_>) -> WebServerReply {
    let row = |(title, url, snippet): &(&str, &str, &str)| json!({"title": title, "url": url, "content": snippet, "score": 0.5, "raw_content": null});
    let results: Vec<Value> = rows.iter().map(row).collect();
    WebServerReply::json(
        &json!({"query": "", "answer": answer, "images": [], "results": results, "response_time": 0.1}),
    )
}

/// The reply of `/search` to a GET.
pub fn searxng(rows: ResultRows<'_>) -> WebServerReply {
    let row = |(title, url, snippet): &(&str, &str, &str)| json!({"title": title, "url": url, "content": snippet, "engine": "x", "score": 1.0});
    let results: Vec<Value> = rows.iter().map(row).collect();
    WebServerReply::json(
        &json!({"query": "", "number_of_results": 0, "results": results, "answers": [], "unresponsive_engines": []}),
    )
}

/// The reply of `/api/query`. A row is the number of a paper with its version, its title and its abstract.
pub fn arxiv(total: usize, rows: ResultRows<'_>) -> WebServerReply {
    let row = |(id, title, summary): &(&str, &str, &str)| {
        format!(
            "<entry><id>http://arxiv.org/abs/{id}</id><title>{}</title><updated>2023-01-02T00:00:00Z</updated>\
             <link href=\"https://arxiv.org/abs/{id}\" rel=\"alternate\" type=\"text/html\"/>\
             <link href=\"https://arxiv.org/pdf/{id}\" rel=\"related\" type=\"application/pdf\" title=\"pdf\"/>\
             <summary>{}</summary><category term=\"cs.IR\"/><published>2023-01-01T00:00:00Z</published>\
             <author><name>Ann Hive</name></author><author><name>Bo Wax</name></author></entry>\n",
            escape_xml(title),
            escape_xml(summary)
        )
    };
    feed(200, total, &rows.iter().map(row).collect::<String>())
}

/// The reply of arXiv to a request that it does not understand.
pub fn arxiv_error(why: &str) -> WebServerReply {
    let entry = format!(
        "<entry><id>https://arxiv.org/api/errors#{}</id><title>Error</title><updated>2023-01-01T00:00:00Z</updated>\
         <summary>{}</summary><author><name>arXiv api core</name></author></entry>",
        percent_encode(why),
        escape_xml(why)
    );
    feed(400, 1, &entry)
}

fn feed(status: u16, total: usize, entries: &str) -> WebServerReply {
    let body = format!(
        "<?xml version='1.0' encoding='UTF-8'?>\n<feed xmlns:opensearch=\"http://a9.com/-/spec/opensearch/1.1/\" \
         xmlns:arxiv=\"http://arxiv.org/schemas/atom\" xmlns=\"http://www.w3.org/2005/Atom\">\n<id>https://arxiv.org/api/x</id>\
         <title>arXiv Query</title><opensearch:totalResults>{total}</opensearch:totalResults>{entries}</feed>\n"
    );
    WebServerReply::new(status, "application/atom+xml; charset=utf-8", body)
}

fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn percent_encode(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(byte).collect()
}
