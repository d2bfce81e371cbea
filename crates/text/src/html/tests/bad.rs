//! Pages that are broken, endless or made to cost time: each is read within bounds, or cut, and nothing panics.

use proptest::prelude::*;

use super::article;
use crate::readable;

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
        let read = readable(&page, None);
        assert!(read.text.contains("Before it."), "{tag}");
    }
    let deep = format!("<p>Before.</p>{}deepest{}", "<div>".repeat(1_000_000), "</div>".repeat(1_000_000));
    let read = readable(&article(&deep), None);
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
        let read = readable(&part.repeat(20_000), None);
        assert!(read.markdown.len() < 20_000_000, "{part}");
    }
    let distinct: String = (0..20_000).map(|at| format!("<b id=b{at}><p>x")).collect();
    readable(&distinct, None);
}

#[test]
fn endless_attributes_texts_and_entities_are_bounded() {
    let attributes: String = (0..300_000).map(|at| format!(" a{at}=x")).collect();
    assert!(readable(&article(&format!("<p{attributes}>Seen.</p>")), None).text.contains("Seen."));
    let same = " class=x".repeat(500_000);
    assert!(readable(&article(&format!("<p{same}>Seen.</p>")), None).text.contains("Seen."));
    let long = "y".repeat(5_000_000);
    assert!(readable(&article(&format!("<p title={long}>Seen.</p>")), None).text.contains("Seen."));
    assert!(readable(&format!("<p>{long}</p>"), None).text.len() >= 5_000_000);
    let entities = "&amp;&lt;&CounterClockwiseContourIntegral;&#x41;&#99999999;&".repeat(10_000);
    assert!(readable(&format!("<p>{entities}</p>"), None).text.contains('∳'));
    assert!(readable(&"<".repeat(200_000), None).text.len() <= 200_001);
    readable(&"<!--".repeat(500_000), None);
    readable(&"<a href='".repeat(500_000), None);
    readable(&format!("<p style=\"{}\">x", "a:(;".repeat(500_000)), None);
    readable(&format!("<div>{}</div>", "<br>".repeat(1_000_000)), None);
}

#[test]
fn many_siblings_are_cut_and_say_so() {
    let read = readable(&format!("<p>First.</p>{}", "<p>x</p>".repeat(400_000)), None);
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
        readable(page, None);
        readable(page, Some("not an address"));
        readable(page, Some("https://example.org/"));
    }
    assert!(readable("<p>A<plaintext><b>x", None).text.contains("<b>x"));
}

#[test]
fn characters_that_nobody_sees_are_gone() {
    let read = readable(&article("<p>se\u{200b}en\u{202e} \u{e0041}word</p>"), None);
    assert!(read.text.contains("seen word"), "{:?}", read.text);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_can_be_read(page in "[<>/a-z=\"'&;!# -]{0,300}") {
        readable(&page, Some("https://example.org/a"));
    }

    #[test]
    fn any_letters_can_be_read(page in any::<String>()) {
        let read = readable(&page, None);
        prop_assert!(!read.markdown.contains("<script"), "{}", read.markdown);
    }

    #[test]
    fn markdown_holds_no_html_and_no_image(parts in prop::collection::vec(part(), 0..40)) {
        let read = readable(&parts.concat(), Some("https://example.org/"));
        for event in pulldown_cmark::Parser::new_ext(&read.markdown, pulldown_cmark::Options::ENABLE_TABLES) {
            let wrong = matches!(
                event,
                pulldown_cmark::Event::Html(_) | pulldown_cmark::Event::InlineHtml(_) | pulldown_cmark::Event::Start(pulldown_cmark::Tag::Image { .. })
            );
            prop_assert!(!wrong, "{event:?} in {}", read.markdown);
        }
    }
}

fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("<p>".to_owned()),
        Just("</p>".to_owned()),
        Just("<ul><li>".to_owned()),
        Just("</ul>".to_owned()),
        Just("<pre>".to_owned()),
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
