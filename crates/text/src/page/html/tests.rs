//! Pages of several kinds, written here, and what is read of them.

mod bad;
mod boilerplate;
mod hidden;
mod kept;
mod metadata;
mod other;

use super::*;

/// A page with so much text around the part that it is clear which one is the article.
pub(super) fn article(inner: &str) -> String {
    let talk = "The hive was quiet in the morning, and the keeper, who had seen many winters, waited for the sun to warm it. \
                Bees do not fly below ten degrees, so there was time to read, to write, and to drink another cup of tea.";
    format!(
        "<!doctype html><html lang=en><head><title>Bees in winter</title></head><body>\
         <nav><a href=/>Home</a> <a href=/news>News</a></nav><article><h1>Bees in winter</h1><p>{talk}</p>{inner}<p>{talk}</p>\
         <p>{talk}</p></article><footer>All rights reserved by nobody at all</footer></body></html>"
    )
}

/// What is read between the first and the last paragraphs of an article.
fn inner(html: &str, url: Option<&str>) -> String {
    let read = read_html_page(&article(html), url).markdown;
    let parts: Vec<&str> = read.split("another cup of tea.\n").collect();
    assert!(parts.len() >= 3, "{read}");
    parts[1].trim_start_matches('\n').split("The hive was quiet").next().unwrap().trim_end().to_owned()
}

#[test]
fn an_article_is_found_among_what_stands_around_it() {
    let read = read_html_page(
        &article("<p>A middle paragraph about swarms, honey and wax, with commas, and more.</p>"),
        None,
    );
    assert_eq!(read.title.as_deref(), Some("Bees in winter"));
    assert_eq!(read.language.as_deref(), Some("en"));
    assert!(read.text.contains("about swarms, honey and wax"), "{}", read.text);
    for other in ["Home", "News", "All rights reserved"] {
        assert!(!read.text.contains(other) && !read.markdown.contains(other), "{other} in {}", read.markdown);
    }
    assert!(!read.cut);
}

#[test]
fn headings_paragraphs_lists_quotes_and_code_are_markdown() {
    let cases = [
        ("<h2>The  second\n heading</h2><p>One.</p>", "## The second heading\n\nOne."),
        ("<p>One<br>two</p><p>three<br><br>four</p>", "One\ntwo\n\nthree\n\nfour"),
        ("<ul><li>one<li>two<ul><li>three</ul></ul>", "- one\n- two\n  - three"),
        ("<ol start=3><li>one</li><li><p>two</p><p>more</p></li></ol>", "3. one\n4. two\n\n   more"),
        ("<blockquote><p>Said.</p><p>Again.</p></blockquote>", "> Said.\n>\n> Again."),
        (
            "<pre><code class=language-rust>fn f() {\n    g(&lt;T&gt;);\n}\n</code></pre>",
            "```rust\nfn f() {\n    g(<T>);\n}\n```",
        ),
        ("<pre>a ``` b</pre>", "````\na ``` b\n````"),
        ("<p>Call <code>f(`x`)</code> now.</p>", "Call ``f(`x`)`` now."),
        ("<p>He <em>said</em> so <strong>loudly</strong>.</p>", "He said so loudly."),
        ("<div>No paragraph</div><div>but two</div>", "No paragraph\n\nbut two"),
        ("<dl><dt>Drone</dt><dd>A male bee.</dd></dl>", "Drone\n\nA male bee."),
        ("<ul><li><pre>code</pre></li></ul>", "- ```\n  code\n  ```"),
    ];
    for (html, markdown) in cases {
        assert_eq!(inner(html, None), markdown, "{html}");
    }
}

#[test]
fn a_table_of_data_is_a_table_and_one_that_lays_out_is_not() {
    let data = "<table><tr><th>Bee</th><th>Days</th></tr><tr><td>queen</td><td>16</td></tr>\
                <tr><td>a | b</td><td><a href=http://example.org/x>21</a></td></tr></table>";
    assert_eq!(
        inner(data, None),
        "| Bee | Days |\n| --- | --- |\n| queen | 16 |\n| a \\| b | [21](http://example.org/x) |"
    );
    let layout = "<table><tr><td><p>One paragraph of a page, with commas, and words.</p><p>Two paragraphs of it.</p></td></tr></table>";
    assert_eq!(
        inner(layout, None),
        "One paragraph of a page, with commas, and words.\n\nTwo paragraphs of it."
    );
}

#[test]
fn links_are_absolute_and_lead_to_the_web_alone() {
    let page = Some("https://example.org/bees/winter.html");
    let cases = [
        ("<a href='/wax'>wax</a>", "[wax](https://example.org/wax)"),
        ("<a href='wax.html?a=1&amp;b=2'>wax</a>", "[wax](https://example.org/bees/wax.html?a=1&b=2)"),
        ("<a href='//other.org/'>wax</a>", "[wax](https://other.org/)"),
        ("<a href='https://a.org/x_(y)'>wax</a>", "[wax](https://a.org/x_%28y%29)"),
        ("<a href='https://me:secret@a.org/'>wax</a>", "[wax](https://a.org/)"),
        ("<a href='#part'>wax</a>", "wax"),
        ("<a href='winter.html#part'>wax</a>", "wax"),
        ("<a href='javascript:alert(1)'>wax</a>", "wax"),
        ("<a href=' java\nscript:alert(1)'>wax</a>", "wax"),
        ("<a href='data:text/html,x'>wax</a>", "wax"),
        ("<a href='mailto:a@b.org'>wax</a>", "wax"),
        ("<a href='file:///etc/passwd'>wax</a>", "wax"),
        ("<a href='http://'>wax</a>", "wax"),
        ("<a>wax</a>", "wax"),
        ("<a href='/x'><img src=/y.png alt=picture></a>wax", "wax"),
    ];
    for (link, expected) in cases {
        assert_eq!(
            inner(&format!("<p>About {link} and more.</p>"), page),
            format!("About {expected} and more."),
            "{link}"
        );
    }
    assert_eq!(inner("<p>About <a href='/wax'>wax</a>.</p>", None), "About wax.");
    // A sentence before a link does not make it an image, nor two texts a link.
    assert_eq!(
        inner("<p>Look!<a href='/wax'>[wax]</a></p>", page),
        "Look\\![\\[wax\\]](https://example.org/wax)"
    );
    assert_eq!(inner("<p>A [b]<a>(http://c.org)</a> d</p>", page), "A [b\\](http://c.org) d");
    let based = article("<p>About <a href='wax'>wax</a>.</p>")
        .replace("<head>", "<head><base href='https://b.org/c/'>");
    assert!(read_html_page(&based, page).markdown.contains("[wax](https://b.org/c/wax)"));
}

#[test]
fn what_a_page_says_is_text_in_markdown_and_never_a_mark() {
    let cases = [
        "*stars* and _lines_",
        "# no heading",
        "1. no item",
        "- no item",
        "&lt;b&gt;no tag&lt;/b&gt;",
        "&lt;script&gt;x()",
        "[no](http://link.org)",
        "[[no link]]",
        "![no](http://image.org/x.png)",
        "`no code`",
        "&amp;lt;no entity",
        "[ref]: http://x.org",
        "> no quote",
        "| no | table |",
        "~~~",
        "---",
        "===",
        "a\\*b",
        "%%no comment%%",
        "$$no math$$",
    ];
    for said in cases {
        let read = read_html_page(&article(&format!("<p>{said}</p>")), None);
        let plain = said.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        assert!(read.text.contains(&plain), "{said}: {}", read.text);
        let shown = inner(&format!("<p>{said}</p>"), None);
        use pulldown_cmark::Options;
        let all = Options::all().difference(Options::ENABLE_SMART_PUNCTUATION);
        let events: Vec<_> = pulldown_cmark::Parser::new_ext(&shown, all).collect();
        let mut back = String::new();
        for event in events {
            match event {
                pulldown_cmark::Event::Text(text) => back.push_str(&text),
                pulldown_cmark::Event::Start(pulldown_cmark::Tag::Paragraph)
                | pulldown_cmark::Event::End(_) => {}
                other => panic!("{said:?} became {other:?} by {shown:?}"),
            }
        }
        assert_eq!(back, plain, "{shown}");
    }
}

#[test]
fn a_documentation_page_is_read_whole() {
    let options: String = (0..30)
        .map(|at| format!("<dt><code>--option-{at}</code><a class=headerlink href='#o{at}'>¶</a></dt><dd>Sets the value {at}.</dd>"))
        .collect();
    let page = format!(
        "<html><head><title>Options - Tool manual</title></head><body><nav><ul><li><a href=/a>Install</a></ul></nav>\
         <main><h1>Options</h1><p>All options.</p><dl>{options}</dl><nav><a href=/next>Next page</a></nav></main></body></html>"
    );
    let read = read_html_page(&page, None);
    for at in [0, 14, 29] {
        assert!(
            read.markdown.contains(&format!("`--option-{at}`\n\nSets the value {at}.")),
            "{}",
            read.markdown
        );
    }
    assert!(
        !read.text.contains("Install") && !read.text.contains('¶') && !read.text.contains("Next page"),
        "{}",
        read.text
    );
}

#[test]
fn a_thread_of_posts_keeps_every_post() {
    let post = |name: &str, said: &str| {
        format!(
            "<div class=post><div class=who>{name}</div><div class=body><p>{said}, and that is what I saw, more or less, in all these years of keeping bees.</p></div></div>"
        )
    };
    let posts =
        ["They swarm in May", "They swarm in June here", "It depends on the weather", "Ours never swarm"];
    let page = format!(
        "<html><body><div id=thread>{}</div></body></html>",
        posts.map(|said| post("Ann", said)).concat()
    );
    let read = read_html_page(&page, None);
    for said in posts {
        assert!(read.text.contains(said), "{said} in {}", read.text);
    }
}

#[test]
fn the_passages_of_a_page_are_those_of_a_note() {
    let read = read_html_page(&article("<h2>Swarms</h2><p>They leave in May.</p>"), None);
    let chunks = crate::chunk_note(&read.markdown, &crate::Note::parse(&read.markdown));
    let found =
        chunks.iter().find(|chunk| chunk.context.last().is_some_and(|name| name == "Swarms")).unwrap();
    assert!(read.markdown[found.span.clone()].contains("They leave in May."));
}

#[test]
fn a_page_without_text_gives_nothing() {
    for page in ["", "   ", "<html></html>", "<body><img src=x><script>x()</script></body>", "<!-- only -->"]
    {
        let read = read_html_page(page, None);
        assert_eq!((read.markdown.as_str(), read.text.as_str()), ("", ""), "{page}");
    }
}

/// Every level of every sign has a weight.
#[test]
fn each_level_of_a_sign_has_a_weight() {
    let (tree, _) = parse::parse(&article(
        "<h2>Swarms</h2><table><tr><td>a<td>b<tr><td>c<td>2021</table><aside><ul><li><a href=/>MORE: Read this</a></ul></aside>",
    ));
    let units = units::units(&tree, tree::ROOT);
    let is_known: Vec<bool> = (0..units.len()).map(|at| at % 2 == 0).collect();
    let signs = signs::PageSigns::new(&units, &is_known, Some("Bees in winter"));
    for at in 0..units.len() {
        let levels = signs.levels(at);
        assert_eq!(levels.len(), weights::WEIGHTS.len());
        for (level, (sign, weights)) in levels.iter().zip(&weights::WEIGHTS) {
            assert!(*level < weights.len(), "{sign}: {level}");
        }
    }
}
