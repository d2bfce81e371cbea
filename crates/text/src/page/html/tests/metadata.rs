//! What pages say about themselves, in the many ways in which they do.

use crate::{ReadablePage, read_html_page};

fn of(head: &str, body: &str) -> ReadablePage {
    read_html_page(
        &format!("<html><head>{head}</head><body>{body}<p>Some text of the page.</p></body></html>"),
        None,
    )
}

#[test]
fn the_title_is_what_the_page_calls_itself() {
    let cases = [
        (
            "<meta property=og:title content='From og'><title>From title</title>",
            "<h1>From h1</h1>",
            "From og",
        ),
        ("<meta name=twitter:title content='From card'><title>From title</title>", "", "From card"),
        ("<title>From\n  title</title>", "<h1>From h1</h1>", "From title"),
        ("<title>Why bees swarm in May | The Hive</title>", "", "Why bees swarm in May"),
        ("<meta property=og:site_name content='The Hive'><title>Bees - The Hive</title>", "", "Bees"),
        ("<title>Bees | Wasps</title>", "", "Bees | Wasps"),
        ("<title></title>", "<h1>From <em>h1</em></h1>", "From h1"),
        (
            "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"headline\":\"From data\"}</script><title>x</title>",
            "",
            "From data",
        ),
        ("<title>Se\u{200b}en\u{202e}</title>", "", "Seen"),
    ];
    for (head, body, title) in cases {
        assert_eq!(of(head, body).title.as_deref(), Some(title), "{head}");
    }
    let long = of(&format!("<title>{}</title>", "a ".repeat(4000)), "");
    assert_eq!(long.title.unwrap().chars().count(), 300);
    assert_eq!(of("", "").title, None);
}

#[test]
fn the_author_is_found_in_meta_data_and_bylines() {
    let cases = [
        ("<meta name=author content='Ann Other'>", "", "Ann Other"),
        ("<meta name=AUTHOR content='By Ann Other'>", "", "Ann Other"),
        (
            "<meta property=article:author content='https://example.org/ann'>",
            "<a rel=author href=/ann>Ann Other</a>",
            "Ann Other",
        ),
        (
            "<meta name=citation_author content='Other, A.'><meta name=citation_author content='Body, S.'>",
            "",
            "Other, A., Body, S.",
        ),
        (
            "<script type='application/ld+json'>{\"@type\":\"Article\",\"author\":{\"name\":\"Ann Other\"}}</script>",
            "",
            "Ann Other",
        ),
        (
            "<script type='application/ld+json'>{\"@graph\":[{\"@type\":\"WebPage\"},{\"@type\":[\"BlogPosting\"],\"author\":[{\"name\":\"Ann\"},\"Bob\"]}]}</script>",
            "",
            "Ann, Bob",
        ),
        ("", "<p class='byline'>By <b>Ann Other</b></p>", "Ann Other"),
        ("", "<span itemprop=author>Ann Other</span>", "Ann Other"),
    ];
    for (head, body, author) in cases {
        assert_eq!(of(head, body).author.as_deref(), Some(author), "{head} {body}");
    }
    assert_eq!(of("<meta name=author content=' '>", "").author, None);
}

#[test]
fn the_date_is_kept_as_the_page_says_it() {
    let cases = [
        (
            "<meta property=article:published_time content=2024-05-01T10:00:00Z>",
            "<time datetime=2020-01-01>x</time>",
            "2024-05-01T10:00:00Z",
        ),
        ("<meta itemprop=datePublished content=2024-05-01>", "", "2024-05-01"),
        (
            "<script type=application/ld+json>{\"@type\":\"Article\",\"datePublished\":\"2024-05-01\"}</script>",
            "",
            "2024-05-01",
        ),
        ("<meta name=citation_publication_date content=2024/05/01>", "", "2024/05/01"),
        ("", "<article><time datetime=2024-05-01>May</time><p>text</p></article>", "2024-05-01"),
        ("", "<article><time>1 May 2024</time><p>text</p></article>", "1 May 2024"),
        ("", "<span itemprop=datePublished content=2024-05-01>May</span>", "2024-05-01"),
    ];
    for (head, body, date) in cases {
        assert_eq!(of(head, body).date.as_deref(), Some(date), "{head} {body}");
    }
    assert_eq!(of("", "<p>2024-05-01</p>").date, None);
}

#[test]
fn site_and_language_are_found() {
    assert_eq!(of("<meta property=og:site_name content='The Hive'>", "").site.as_deref(), Some("The Hive"));
    let data = "<script type=application/ld+json>{\"@type\":\"Article\",\"publisher\":{\"name\":\"The Hive\"}}</script>";
    assert_eq!(of(data, "").site.as_deref(), Some("The Hive"));
    let language = |html: &str| read_html_page(html, None).language;
    assert_eq!(language("<html lang=de-CH><p>x").as_deref(), Some("de-CH"));
    assert_eq!(language("<html xml:lang=fr><p>x").as_deref(), Some("fr"));
    assert_eq!(language("<meta http-equiv=content-language content=it><p>x").as_deref(), Some("it"));
    assert_eq!(language("<meta property=og:locale content=en_US><p>x").as_deref(), Some("en-US"));
    assert_eq!(language("<html lang='ignore all rules'><p>x"), None);
    assert_eq!(language("<p>x"), None);
}

#[test]
fn broken_data_is_passed_over() {
    for data in [
        "{",
        "[]",
        "null",
        "{\"@type\":3}",
        "{\"@graph\":{}}",
        &"[".repeat(10_000),
        "{\"@type\":\"Article\",\"author\":7,\"headline\":[]}",
    ] {
        let read = of(&format!("<script type=application/ld+json>{data}</script><title>Bees</title>"), "");
        assert_eq!(
            (read.title.as_deref(), read.author),
            (Some("Bees"), None),
            "{}",
            &data[..data.len().min(40)]
        );
    }
}
