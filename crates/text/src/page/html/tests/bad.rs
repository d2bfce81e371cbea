//! Pages that are broken, endless or made to cost time: each is read within bounds, or cut, and nothing panics.

use proptest::prelude::*;

use super::article;
use crate::read_html_page;

#[test]
fn endless_nesting_is_read_to_a_depth() {
    for tag in [
        "div",
        "b",
        "p",
        "span",
        "ul",
        "li",
        "blockquote",
        "table",
        "font",
        "a",
        "svg",
        "form",
        "td",
        "template",
        "h1",
    ] {
        let page = article(&format!("<p>Before it.</p>{}", format!("<{tag}>").repeat(20_000)));
        let read = read_html_page(&page, None);
        assert!(read.text.contains("Before it."), "{tag}");
    }
    let deep = format!("<p>Before.</p>{}deepest{}", "<div>".repeat(1_000_000), "</div>".repeat(1_000_000));
    let read = read_html_page(&article(&deep), None);
    assert!(read.cut && !read.text.contains("deepest") && read.text.contains("another cup of tea"));
}

#[test]
fn mixed_nesting_is_bounded() {
    for part in [
        "<ul><li>",
        "<table><tr><td>",
        "<blockquote><p>",
        "<b><i><u><s>",
        "<a><b><p>",
        "<svg><g>",
        "<math><mi>",
        "<div><b>",
        "<p><b a=1></p>",
        "<b id=x><p>",
        "<table><b>",
        "<i></b><b></i>",
        "<form><p>x",
        "<button><p>",
        "<nobr><p>",
        "<h1><h2>",
    ] {
        let read = read_html_page(&part.repeat(20_000), None);
        assert!(read.markdown.len() < 20_000_000, "{part}");
    }
    let distinct: String = (0..20_000).map(|at| format!("<b id=b{at}><p>x")).collect();
    read_html_page(&distinct, None);
}

#[test]
fn endless_attributes_texts_and_entities_are_bounded() {
    let attributes: String = (0..300_000).map(|at| format!(" a{at}=x")).collect();
    let same = " class=x".repeat(500_000);
    for many in [attributes, same] {
        // Among them may be what hides it, so nothing is read from there on.
        for tag in [
            format!("<p{many}>Unread."),
            format!("</p{many}>Unread."),
            format!("<textarea>&am</textarea{many}>Unread."),
            format!("<!--<a x='--><p{many}>Unread."),
            format!("<p a==\"><p{many}>Unread."),
            format!("</><p{many}>Unread."),
        ] {
            let read = read_html_page(&article(&tag), None);
            assert!(read.cut && read.text.contains("another cup of tea") && !read.text.contains("Unread."));
        }
    }
    let long = "y".repeat(5_000_000);
    assert!(read_html_page(&article(&format!("<p title={long}>Seen.</p>")), None).text.contains("Seen."));
    assert!(read_html_page(&format!("<p>{long}</p>"), None).text.len() >= 5_000_000);
    let entities = "&amp;&lt;&CounterClockwiseContourIntegral;&#x41;&#99999999;&".repeat(10_000);
    assert!(read_html_page(&format!("<p>{entities}</p>"), None).text.contains('∳'));
    assert!(read_html_page(&"<".repeat(200_000), None).text.len() <= 200_001);
    read_html_page(&"<!--".repeat(500_000), None);
    read_html_page(&"<a href='".repeat(500_000), None);
    read_html_page(&format!("<p style=\"{}\">x", "a:(;".repeat(500_000)), None);
    read_html_page(&format!("<div>{}</div>", "<br>".repeat(1_000_000)), None);
}

#[test]
fn many_siblings_are_cut_and_say_so() {
    let read = read_html_page(&format!("<p>First.</p>{}", "<p>x</p>".repeat(400_000)), None);
    assert!(read.cut && read.text.contains("First."));
}

#[test]
fn odd_bytes_and_unclosed_things_do_no_harm() {
    for page in [
        "\0",
        "<",
        "<a",
        "<a href",
        "<a href=",
        "<a href='",
        "</",
        "<!",
        "<!doctype",
        "&",
        "&#",
        "&#x",
        "<script>",
        "<style>",
        "<title>",
        "<textarea>",
        "<pre>\n",
        "<table><td>x",
        "<svg><title>x",
        "<math><mtext>x",
        "<p>\u{fffd}\u{feff}\u{202e}x</p>",
        "<html><frameset>",
        "<select><option>x",
        "<plaintext>x",
        "<xmp>x",
    ] {
        read_html_page(page, None);
        read_html_page(page, Some("not an address"));
        read_html_page(page, Some("https://example.org/"));
    }
    assert!(read_html_page("<p>A<plaintext><b>x", None).text.contains("<b>x"));
}

#[test]
fn characters_that_nobody_sees_are_gone() {
    let read = read_html_page(&article("<p>se\u{200b}en\u{202e} \u{e0041}word</p>"), None);
    assert!(read.text.contains("seen word"), "{:?}", read.text);
}

#[test]
fn taking_out_what_nobody_sees_makes_no_mark() {
    let cases = [
        "<p>!&#x200b;[x]&#x200b;(http://a.org/p.png)</p>",
        "<p>![x]&#x202e;(http://a.org/p.png)</p>",
        "<p>!&#x200b;<a href=/x>x</a></p>",
        "<p>&lt;&#x200b;img src=http://a.org/p.png></p>",
        "<p>&lt;&#xfe0f;b>x</p>",
        "<p>#&#x200b; x</p>",
        "<p><code>a `&#x200b;` ![x](http://a.org/p.png)</code></p>",
        "<pre>\n`&#x200b;`&#x200b;`\n![x](http://a.org/p.png)\n&lt;img src=x>\n</pre>",
        "<table><tr><td>a<td>!&#x200b;[x](http://a.org/p)<tr><td>`&#x200b;`<td>&lt;&#x200b;b></table>",
    ];
    for case in cases {
        let read = read_html_page(&article(case), Some("https://example.org/"));
        assert_eq!(crate::strip_hidden(&read.markdown).1, 0, "{case}");
        for event in pulldown_cmark::Parser::new_ext(&read.markdown, pulldown_cmark::Options::ENABLE_TABLES) {
            let wrong = matches!(
                event,
                pulldown_cmark::Event::Html(_)
                    | pulldown_cmark::Event::InlineHtml(_)
                    | pulldown_cmark::Event::Start(pulldown_cmark::Tag::Image { .. })
            );
            assert!(!wrong, "{event:?} in {}", read.markdown);
        }
    }
    assert_eq!(
        crate::markdown_line("a ![x](y)\n<b> `c` \u{200b}&amp;"),
        "a \\![x\\](y) \\<b> \\`c\\` \\&amp;"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_can_be_read(page in "[<>/a-z=\"'&;!# -]{0,300}") {
        read_html_page(&page, Some("https://example.org/a"));
    }

    #[test]
    fn any_letters_can_be_read(page in any::<String>()) {
        let read = read_html_page(&page, None);
        prop_assert!(!read.markdown.contains("<script"), "{}", read.markdown);
    }

    #[test]
    fn markdown_holds_no_html_and_no_image(parts in prop::collection::vec(part(), 0..40)) {
        let read = read_html_page(&parts.concat(), Some("https://example.org/"));
        for event in pulldown_cmark::Parser::new_ext(&read.markdown, pulldown_cmark::Options::ENABLE_TABLES) {
            let wrong = matches!(
                event,
                pulldown_cmark::Event::Html(_) | pulldown_cmark::Event::InlineHtml(_) | pulldown_cmark::Event::Start(pulldown_cmark::Tag::Image { .. })
            );
            prop_assert!(!wrong, "{event:?} in {}", read.markdown);
        }
        prop_assert_eq!(crate::strip_hidden(&read.markdown).1, 0);
    }
}

fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("<p>".to_owned()),
        Just("</p>".to_owned()),
        Just("<ul><li>".to_owned()),
        Just("</ul>".to_owned()),
        Just("<pre>".to_owned()),
        Just("&#x200b;".to_owned()),
        Just("!&#x200b;[x]&#x200d;(http://a.org/p.png)".to_owned()),
        Just("&lt;&#xfeff;img src=x>".to_owned()),
        Just("</pre>".to_owned()),
        Just("<code>".to_owned()),
        Just("</code>".to_owned()),
        Just("<a href='/x'>".to_owned()),
        Just("</a>".to_owned()),
        Just("<table><tr><td>".to_owned()),
        Just("<td>".to_owned()),
        Just("<tr>".to_owned()),
        Just("</table>".to_owned()),
        Just("<br>".to_owned()),
        Just("<blockquote>".to_owned()),
        Just("<h2>".to_owned()),
        Just("</h2>".to_owned()),
        "[a-z `*_\\[\\]()!|~#>\\\\-]{0,12}".prop_map(|text| text),
        "(&lt;|&gt;|&amp;|[a-z!/?`\\[(]){0,8}".prop_map(|text| text),
    ]
}
