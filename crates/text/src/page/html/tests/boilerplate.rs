//! What surrounds an article is left out, and what belongs to it stays, however it is called.

use crate::read_html_page;

pub(super) const PARAGRAPHS: [&str; 4] = [
    "The orchard on the northern slope was planted in the spring, when the frost had left the ground, and it took the \
     family three weeks to set two hundred young trees in rows that follow the hill.",
    "Nobody in the village believed that pears would ripen so far up, because the summers are short, the nights stay \
     cold until June, and the wind comes straight from the glacier.",
    "In the fourth year the first blossoms opened, a week later than in the valley, and the bees of a neighbor, who \
     had been talked into moving six hives, did the rest of the work.",
    "Since then the harvest has grown every autumn, and most of it is dried in the old bakery, which had been empty \
     for twenty years and now smells of fruit until Christmas.",
];

/// A page with an article: what is before its first paragraph, in its middle and after its last, and what is after it.
pub(super) fn page(before: &str, middle: &str, after: &str, outside: &str) -> String {
    let [one, two, three, four] = PARAGRAPHS;
    format!(
        "<!doctype html><html lang=en><head><title>Pears on the mountain</title></head><body>\
         <header><a href=/>Home</a> <a href=/garden>Garden</a></header>\
         <div class=content><h1>Pears on the mountain</h1>{before}<p>{one}</p><p>{two}</p>{middle}<p>{three}</p>\
         <p>{four}</p>{after}</div>{outside}</body></html>"
    )
}

pub(super) fn has_all_paragraphs(text: &str) -> bool {
    PARAGRAPHS.iter().all(|paragraph| text.contains(paragraph))
}

#[test]
fn what_surrounds_an_article_is_left_out() {
    let cases = [
        (
            "byline",
            page("<div class=byline>By Ann Other <time>3 May 2021</time></div>", "", "", ""),
            "Ann Other",
        ),
        (
            "dates",
            page("<div class=post-meta>Published 3 May 2021, updated 9 May 2021</div>", "", "", ""),
            "updated 9 May",
        ),
        (
            "sharing",
            page("<ul class=social-share><li>Share on Facebook<li>Copy link</ul>", "", "", ""),
            "Copy link",
        ),
        (
            "caption",
            page(
                "",
                "<figure><img src=a.jpg><figcaption>A tree in bloom. Photo: B. Author</figcaption></figure>",
                "",
                "",
            ),
            "A tree in bloom",
        ),
        (
            "links to other articles",
            page("", "<p class=related><a href=/apples>Read more: Apples by the lake</a></p>", "", ""),
            "Apples by the lake",
        ),
        (
            "a list of other articles",
            page(
                "",
                "",
                "<div class=related-posts><h3>You may also like</h3><ul><li><a href=/1>Ten plums for small gardens</a>\
                 <li><a href=/2>Quinces are back</a></ul></div>",
                "",
            ),
            "Quinces are back",
        ),
        (
            "newsletter",
            page(
                "",
                "",
                "<div class=newsletter-box><p>Sign up for our newsletter and get the garden in your inbox every \
                 week.</p></div>",
                "",
            ),
            "every week",
        ),
        ("keywords", page("", "", "<div class=tags>Tags: <a href=/t/pears>pears</a></div>", ""), "Tags:"),
        (
            "the author's profile",
            page("", "", "<div class=author-bio>Ann Other is a freelance writer with a garden.</div>", ""),
            "freelance",
        ),
        (
            "comments",
            page(
                "",
                "",
                "",
                "<div id=comments><h2>2 comments</h2><div class=comment><p>I tried this last year, and it did not \
                 work at all for me.</p></div></div>",
            ),
            "I tried this",
        ),
        (
            "consent",
            page(
                "",
                "",
                "",
                "<div class=cookie-banner><p>This website uses cookies to improve your experience. Accept all or \
                 read our privacy policy.</p></div>",
            ),
            "improve your experience",
        ),
        (
            "footer",
            page("", "", "", "<footer><p>© 2021 Mountain Press. All rights reserved.</p></footer>"),
            "Mountain Press",
        ),
    ];
    for (what, html, left_out) in cases {
        let read = read_html_page(&html, None);
        assert!(has_all_paragraphs(&read.text), "{what}: {}", read.text);
        assert!(!read.text.contains(left_out), "{what}: {}", read.text);
        assert!(!read.markdown.contains(left_out), "{what}: {}", read.markdown);
    }
}

#[test]
fn what_belongs_to_an_article_stays() {
    let cases = [
        ("a heading", "<h2>The first blossoms</h2>", "## The first blossoms"),
        (
            "a list",
            "<ul><li>Williams pears ripen first.<li>Conference pears keep until spring.</ul>",
            "- Conference",
        ),
        (
            "a quotation",
            "<blockquote><p>It was the bees, said the old man.</p></blockquote>",
            "> It was the bees",
        ),
        ("code", "<pre><code class=language-sh>make harvest</code></pre>", "```sh\nmake harvest\n```"),
        (
            "a table",
            "<table><tr><th>Year</th><th>Pears</th></tr><tr><td>2020</td><td>14</td></tr></table>",
            "| 2020 | 14 |",
        ),
    ];
    for (what, middle, expected) in cases {
        let read = read_html_page(&page("", middle, "", ""), None);
        assert!(has_all_paragraphs(&read.text), "{what}: {}", read.text);
        assert!(read.markdown.contains(expected), "{what}: {}", read.markdown);
    }
}

/// A name that most of the text bears says nothing about a part of it.
#[test]
fn posts_of_a_discussion_stay_although_they_are_called_comments() {
    let posts = PARAGRAPHS
        .map(|post| format!("<div class=comment><div class=comment-text><p>{post}</p></div></div>"));
    let html = format!(
        "<html><head><title>Pears at 1500 m?</title></head><body><div class=thread>{}</div></body></html>",
        posts.concat()
    );
    let read = read_html_page(&html, None);
    assert!(has_all_paragraphs(&read.text), "{}", read.text);
}

#[test]
fn a_page_called_by_misleading_names_is_still_read() {
    let html = page("", "", "", "").replace("class=content", "class='sidebar promo related'");
    let read = read_html_page(&html, None);
    assert!(has_all_paragraphs(&read.text), "{}", read.text);
}
