//! What nobody sees is gone, in whatever way it is hidden: each case hides one word, which must be nowhere.

use proptest::prelude::*;

use super::article;
use crate::read_html_page;

const SECRET: &str = "xyzzyplugh";

fn is_gone(html: &str) {
    for page in
        [article(html), format!("<html><body><main>{html}<p>Seen.</p></main></body></html>"), html.to_owned()]
    {
        let read = read_html_page(&page, Some("https://example.org/"));
        let all = format!("{read:?}");
        assert!(!all.contains(SECRET), "{html}\n{all}");
    }
    // What stands around it stays.
    assert!(read_html_page(&article(html), None).text.contains("another cup of tea"), "{html}");
}

#[test]
fn elements_that_are_not_shown_are_gone() {
    let cases = [
        "<script>SECRET</script>",
        "<SCRIPT type=text/plain>SECRET</SCRIPT>",
        "<script><!-- SECRET </script>",
        "<style>SECRET</style>",
        "<p><style>p::after{content:'SECRET'}</style></p>",
        "<template><p>SECRET</p></template>",
        "<div><template shadowrootmode=open><p>SECRET</p></template></div>",
        "<div><template shadowrootmode=open><p>x</p></template>SECRET<p>SECRET</p></div>",
        "<div>SECRET<template shadowrootmode=closed></template></div>",
        "<div><template shadowrootmode=open><slot name=x></slot></template>SECRET<p slot=y>SECRET</div>",
        "<div><template shadowrootmode=open><p hidden><slot></slot></p></template>SECRET</div>",
        "<div><template shadowrootmode=x><slot></slot></template><template shadowrootmode=open></template>SECRET</div>",
        "<noscript><p>SECRET</p></noscript>",
        "<noscript><img alt=SECRET></noscript>",
        "<!-- SECRET -->",
        "<!-- <p>--> <!-- SECRET -->",
        "<![CDATA[ SECRET ]]>",
        "<?php SECRET ?>",
        "<!SECRET>",
        "</ SECRET>",
        "<iframe>SECRET</iframe>",
        "<iframe srcdoc='SECRET'></iframe>",
        "<noembed>SECRET</noembed>",
        "<noframes>SECRET</noframes>",
        "<object>SECRET</object>",
        "<canvas>SECRET</canvas>",
        "<video>SECRET</video>",
        "<audio>SECRET</audio>",
        "<svg><text>SECRET</text></svg>",
        "<svg><desc>SECRET</desc></svg>",
        "<svg><style>SECRET</style></svg>",
        "<svg><script>SECRET</script></svg>",
        "<math><annotation>SECRET</annotation></math>",
        "<math><semantics><mi>x</mi><annotation encoding=x>SECRET</annotation></semantics></math>",
        "<math><semantics><mi>x</mi><mtext>SECRET</mtext></semantics></math>",
        "<math><mphantom><mtext>SECRET</mtext></mphantom></math>",
        "<math><maction><mi>x</mi><mtext>SECRET</mtext></maction></math>",
        "<meter>SECRET</meter>",
        "<progress value=1>SECRET</progress>",
        "<textarea>SECRET</textarea>",
        "<select><option>SECRET</select>",
        "<datalist><option>SECRET</datalist>",
        "<input value=SECRET>",
        "<input type=hidden value=SECRET>",
        "<dialog>SECRET</dialog>",
        "<div popover>SECRET</div>",
        "<p title=SECRET data-x=SECRET onclick='SECRET()'>text</p>",
        "<img alt=SECRET src=SECRET.png>",
        "<a href='javascript:SECRET'>text</a>",
        "<map><area alt=SECRET></map>",
        "<head><noscript><p>SECRET</p></noscript></head>",
        "<frameset><noframes>SECRET</noframes></frameset>",
    ];
    for case in cases {
        is_gone(&case.replace("SECRET", SECRET));
    }
}

#[test]
fn elements_hidden_by_an_attribute_are_gone() {
    let cases = [
        "hidden",
        "HIDDEN",
        "hidden=''",
        "hidden=false",
        "hidden=until-found",
        "aria-hidden=true",
        "aria-hidden='TRUE'",
        "aria-hidden=' true '",
        "class='x sr-only'",
        "class=visually-hidden",
        "hidden style='display:block'",
    ];
    for case in cases {
        is_gone(&format!("<div {case}>{SECRET}</div>"));
        is_gone(&format!(
            "<div {case}><h1>{SECRET}</h1><p class=byline>{SECRET}</p><time>{SECRET}</time></div>"
        ));
        is_gone(&format!("<div {case}><p>one</p><section><p>{SECRET}</p></section></div>"));
        is_gone(&format!("<p>See <span {case}>{SECRET}</span> here.</p>"));
    }
    let shown = read_html_page(
        &article("<p aria-hidden=false>Not hidden.</p><details><summary>More</summary>Folded.</details>"),
        None,
    );
    assert!(shown.text.contains("Not hidden.") && shown.text.contains("Folded."), "{}", shown.text);
}

const HIDING: [&str; 136] = [
    "display:none",
    "DISPLAY:NONE",
    "display : none",
    "display:none!important",
    "display:none ! important",
    "display:none;",
    ";;display:none",
    "color:red;display:none",
    "display:none;color:red",
    "display:none;display:bogus",
    "display:none;display:block",
    "dis/**/play:none;display:none",
    "display:/* x */none",
    "/* a */display/* b */:/* c */none/* d */",
    "/* unclosed */display:none",
    "d\\69splay:none",
    "\\64 isplay:none",
    "\\000064isplay:none",
    "display:n\\6f ne",
    "display:\\6E\\6F\\6E\\65",
    "display:\nnone",
    "display:\tnone",
    "background:url(a;b);display:none",
    "content:'a;b';display:none",
    "display:none\\9",
    "visibility:hidden",
    "visibility: COLLAPSE",
    "Visibility:Hidden!IMPORTANT",
    "opacity:0",
    "opacity:0.0",
    "opacity:.0",
    "opacity:0%",
    "opacity:-1",
    "opacity:0e3",
    "opacity:0.01",
    "opacity:+0",
    "filter:opacity(0)",
    "filter: opacity(0%)",
    "font-size:0",
    "font-size:0px",
    "font-size:0em",
    "font-size:0%",
    "font-size:0.0rem",
    "font-size:1px",
    "font-size:.1px",
    "font-size:-0px",
    "font-size:calc(0px)",
    "font:0/0 a",
    "font: 0 serif",
    "font:italic 0px/1 serif",
    "text-indent:-9999px",
    "text-indent:-999em",
    "text-indent:-100%",
    "text-indent: -9999PX",
    "text-indent:-1e4px",
    "position:absolute;left:-10000px",
    "left:-10000px;position:fixed",
    "position:absolute;top:-9999px",
    "position:absolute;right:-9999em",
    "position:absolute;left:-100vw",
    "position:absolute;left:99999px",
    "margin-left:-9999px",
    "margin:0 0 0 -9999px",
    "inset:-9999px",
    "transform:translateX(-9999px)",
    "transform:translate(0,-9999px)",
    "transform:scale(0)",
    "transform:scaleY(0)",
    "-webkit-transform:scale(0)",
    "transform: rotate(1deg) translate( -9999px , 0 )",
    "scale:0",
    "translate:-9999px",
    "clip:rect(0,0,0,0)",
    "clip:rect(0 0 0 0)",
    "clip:rect(1px,1px,1px,1px)",
    "clip:rect(0px, 0px, 0px, 0px)",
    "clip-path:inset(50%)",
    "clip-path:inset(100%)",
    "clip-path:circle(0)",
    "clip-path:polygon(0 0,0 0,0 0)",
    "-webkit-clip-path:inset(100%)",
    "height:0;overflow:hidden",
    "width:0;overflow:hidden",
    "max-height:0;overflow:hidden",
    "height:1px;width:1px;overflow:hidden",
    "overflow:clip;height:0px",
    "text-indent:100%;white-space:nowrap;overflow:hidden",
    "content-visibility:hidden",
    "color:transparent",
    "color:rgba(0,0,0,0)",
    "color:#fff;background:#ffffff",
    "color:white;background-color:#FFF",
    "font-family:'/*';display:none",
    "background:url(/*);display:none",
    "background:URL( /*);display:none",
    "font-family:'/*';x:y;/**/display:none",
    "content:'\\'/*';/**/display:none",
    "display:var(--x,none)",
    "--x:none;display:var(--x)",
    "display:var(--x)",
    "--x:hidden;visibility:var(--x)",
    "opacity:calc(1 - 1)",
    "opacity:min(0,1)",
    "opacity:var(--z,0)",
    "--z:0;opacity:var(--z)",
    "--y:0;--z:var(--y);opacity:var(--z)",
    "opacity:calc(1 / 1000)",
    "opacity:cos(90deg)",
    "font-size:min(0px,1em)",
    "font-size:clamp(0px,0px,1px)",
    "font-size:calc(1em * 0)",
    "font-size:calc(1em - 1em)",
    "font-size:calc(1em / 1000)",
    "font-size:max(0px,0em)",
    "--s:0;font-size:calc(1em * var(--s))",
    "font-size:calc(1em*sin(0deg))",
    "font:min(0px,1em)/1 serif",
    "font-size:0dvh",
    "font-size:0lh",
    "font-size:0cqw",
    "font-size:0svw",
    "font-size:0xyz",
    "left:-9999cqw",
    "position:absolute;left:-9999lh",
    "position:fixed;top:100vh",
    "position:fixed;left:100%",
    "position:absolute;left:100dvw",
    "position:absolute;left:-890px",
    "left:-100px;position:absolute",
    "position:absolute;inset:-200px auto auto 0",
    "position:absolute;inset-inline:-890px",
    "position:absolute;left:calc(-100 * 10px)",
    "--l:-9999px;left:var(--l);position:absolute",
    "text-indent:-100px",
    "text-indent:-10em",
    "text-indent:-9999cqw",
];

#[test]
fn elements_hidden_by_their_style_are_gone() {
    for style in HIDING {
        is_gone(&format!("<div style=\"{style}\">{SECRET}</div>"));
        is_gone(&format!("<p>See <span style=\"{style}\">{SECRET}</span> here.</p>"));
        is_gone(&format!("<div style=\"{style}\"><ul><li><b>{SECRET}</b></ul></div>"));
    }
}

#[test]
fn what_hides_counts_however_long_or_late_it_is() {
    let (spaces, dummies) =
        (" ".repeat(9_000), (0..300).fold(String::new(), |all, at| format!("{all} a{at}")));
    let cases = [
        format!("<div{spaces}style='display:none'>SECRET</div>"),
        format!("<div{} hidden>SECRET</div>", "/".repeat(300)),
        format!("<div{dummies} style='display:none'>SECRET</div>"),
        format!("<div{dummies} hidden>SECRET</div>"),
        format!("<div hidden{dummies}>SECRET</div>"),
        // What looks like a tag to a hasty reader, and ends elsewhere.
        format!("<!--<a{dummies} x=\"-->seen\" <div hidden y=\">\">SECRET</div>"),
        format!("<script>a<b{dummies} x=\"</script>seen\" <div hidden y=\">\">SECRET</div>"),
        format!("<p a==\"{dummies} ><span hidden>SECRET</span></p>"),
        format!("<div style='color:red;{spaces};display:none'>SECRET</div>"),
        format!("<div style='{}display:none'>SECRET</div>", "x:y;".repeat(3_000)),
        format!("<div class='{}sr-only'>SECRET</div>", "x ".repeat(9_000)),
        format!("{}<div hidden/>SECRET</div>", "<div>".repeat(300)),
        format!("{}<div hidden></b>SECRET</div>", "<div>".repeat(300)),
    ];
    for case in cases {
        is_gone(&case.replace("SECRET", SECRET));
    }
}

#[test]
fn a_tag_of_many_spaces_and_a_script_of_many_words_end_nothing() {
    let (spaces, words) = (" ".repeat(9_000), "word ".repeat(600));
    for part in [
        format!("<p{spaces}class=x>Before.</p>"),
        format!("<p title='{words}'>Before.</p>"),
        format!("<script>for (i = 0; i <n; i++) {{ {words} }}</script>"),
        format!("<script><!-- <script> </script {words}\n --></script>"),
        format!("<!-- a <b {words} -->"),
        "<p a==\">Before.</p>".to_owned(),
        "</><p>Before.</p>".to_owned(),
        "<svg><![CDATA[ <a x=' ]]></svg>".to_owned(),
        "<math><mtext><![CDATA[ <a x=' ]]></mtext></math>".to_owned(),
        "<textarea>&am</textarea>".to_owned(),
    ] {
        let read = read_html_page(&article(&format!("{part}<p>A seen sentence.</p>")), None);
        assert!(read.text.contains("A seen sentence."), "{part}");
    }
}

#[test]
fn what_a_template_has_a_place_for_is_shown() {
    let part = "<my-card><template shadowrootmode=open><b><slot name=head></slot></b><slot></slot></template>\
                <p slot=head>A seen heading.</p><p>A seen sentence.</p></my-card>";
    let read = read_html_page(&article(part), None);
    assert!(read.text.contains("A seen heading.") && read.text.contains("A seen sentence."), "{}", read.text);
}

#[test]
fn a_style_that_hides_nothing_hides_nothing() {
    let cases = [
        "display:block",
        "display:inline",
        "visibility:visible",
        "opacity:1",
        "opacity:0.5",
        "opacity:100%",
        "font-size:12px",
        "font-size:0.8em",
        "font-size:80%",
        "font:12px/1.5 serif",
        "font:italic 700 1em serif",
        "text-indent:2em",
        "text-indent:-1em",
        "left:-10px",
        "top:0",
        "margin:0 auto",
        "margin-left:-20px",
        "transform:none",
        "transform:scale(1.05)",
        "transform:translateX(-50%)",
        "clip:auto",
        "clip:rect(0,200px,300px,0)",
        "clip-path:none",
        "clip-path:inset(0)",
        "height:0",
        "overflow:hidden",
        "height:400px;overflow:hidden",
        "color:red",
        "color:#000",
        "color:#fff;background:#000",
        "color:rgba(0,0,0,1)",
        "background:none",
        "border:none;outline:none",
        "text-decoration:none",
        "list-style:none",
        "float:none",
        "animation:none",
        "/* display:none */color:red",
        "--display:none",
        "",
        "width:100%;max-width:0.5em",
        "letter-spacing:-1px",
        "z-index:-9999",
        "line-height:0.9",
        "font-size:clamp(14px, 0.875rem + ((1vw - 3.2px) * 0.313), 20px)",
        "font-size:var(--large)",
        "--gap:0;font-size:var(--large)",
        "--large:2em;font-size:var(--large)",
        "font-size:calc(14 / 16 * 1rem)",
        "font-size:calc(1rem + 1vw)",
        "font-size:2lh",
        "position:absolute;top:10px;left:50%",
        "position:relative;left:-20px",
        "left:100%",
        "text-indent:-20px",
        "background:url(a.png)",
        "content:'/*'",
    ];
    for style in cases {
        let read = read_html_page(&article(&format!("<div style=\"{style}\">A seen sentence.</div>")), None);
        assert!(read.text.contains("A seen sentence."), "{style}");
    }
}

#[test]
fn hidden_text_does_not_come_back_by_broken_nesting() {
    let cases = [
        "<table style=display:none><tr><td>SECRET</table>",
        "<p hidden>SECRET",
        "<b hidden><p>SECRET</b></p>",
        "<b hidden><div>SECRET</b> text</div>",
        "<div hidden><table><tr><p>SECRET</p></tr></table></div>",
        "<div hidden><div hidden>SECRET</div></div>",
        "<a hidden><a>x</a></a><i hidden>SECRET</i>",
        "<div hidden><svg><p>SECRET</p></svg></div>",
        "<p><span hidden>SECRET</p><p>x</span></p>",
        "<div hidden><template>x</template>SECRET</div>",
        "<noscript><div hidden></noscript><div hidden>SECRET</div>",
        "<style><p></style><p hidden>SECRET</p>",
        "<ul hidden><li>SECRET<li>SECRET</ul>",
        "<details hidden open>SECRET</details>",
        "<select><p hidden>SECRET</select>",
    ];
    for case in cases {
        is_gone(&case.replace("SECRET", SECRET));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn tag_soup_never_shows_what_is_hidden(
        before in soup(), after in soup(), style in prop::sample::select(&HIDING[..]), tag in prop::sample::select(&["div", "span", "p", "section", "li"][..])
    ) {
        let page = format!("{before}<{tag} style=\"{style}\">{SECRET}</{tag}>{after}");
        let read = read_html_page(&page, None);
        prop_assert!(!read.markdown.contains(SECRET) && !read.text.contains(SECRET), "{page}\n{}", read.markdown);
    }
}

/// Tags and texts in any order, none of which keeps what comes after from being read as a tag.
fn soup() -> impl Strategy<Value = String> {
    let parts = [
        "<div>",
        "</div>",
        "<p>",
        "</p>",
        "<b>",
        "</b>",
        "<i class=x>",
        "</i>",
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
        "<ul>",
        "<li>",
        "</ul>",
        "<a href=/x>",
        "</a>",
        "<h2>",
        "</h2>",
        "<pre>",
        "</pre>",
        "<br>",
        "<article>",
        "</article>",
        "<form>",
        "</form>",
        "words, and more words",
        "&amp;",
        "<svg>",
        "</svg>",
        "<blockquote>",
        "</blockquote>",
        "<main>",
        "</main>",
        "</body>",
        "</html>",
        "<math>",
        "</math>",
        "<button>",
        "</button>",
        "<font>",
    ];
    prop::collection::vec(prop::sample::select(parts.to_vec()), 0..30).prop_map(|parts| parts.concat())
}
