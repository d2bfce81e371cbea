//! What belongs to the main content stays whole: code and tables, headings with their text, lists, posts of a
//! discussion, and texts in scripts without spaces.

use super::boilerplate::{PARAGRAPHS, has_all_paragraphs, page};
use crate::page::html::select::KnownWords;
use crate::page::html::signs::PageSigns;
use crate::page::html::weights::WEIGHTS;
use crate::page::html::{names, parse, tree, units};
use crate::read_html_page;

fn read(middle: &str) -> String {
    let read = read_html_page(&page("", middle, "", ""), None);
    assert!(has_all_paragraphs(&read.text), "{}", read.text);
    read.markdown
}

#[test]
fn code_and_tables_of_an_article_stay_whatever_they_say() {
    let cases = [
        ("<pre>share --follow\nsubscribe newsletter</pre>", "share --follow"),
        ("<figure class=media><pre>curl -O https://example.org/photo.jpg</pre></figure>", "curl -O"),
        ("<div class=gallery><pre>Photo: Getty Images 2020</pre></div>", "Getty"),
        (
            "<table><tr><th>Command<th>Newsletter<tr><td>subscribe<td>Sign up for our newsletter</table>",
            "| subscribe | Sign up for our newsletter |",
        ),
        (
            "<figure class=image><table><tr><th>Year<th>Photos<tr><td>2019<td>12<tr><td>2020<td>14</table></figure>",
            "| 2020 | 14 |",
        ),
        (
            "<table><tr><th>Tool<th>Page<tr><td><a href=/a>grep</a><td><a href=/b>grep manual</a>\
             <tr><td><a href=/c>sed</a><td><a href=/d>sed manual</a></table>",
            "sed manual",
        ),
    ];
    for (middle, expected) in cases {
        let markdown = read(middle);
        assert!(markdown.contains(expected), "{middle}: {markdown}");
    }
}

#[test]
fn code_at_the_end_of_an_article_stays() {
    let html = page("", "", "<p>Print it:</p><pre>print follow twitter</pre>", "");
    let read = read_html_page(&html, None);
    assert!(read.markdown.contains("```\nprint follow twitter\n```"), "{}", read.markdown);
}

#[test]
fn a_heading_stays_with_its_text() {
    let text = PARAGRAPHS[2].replace("fourth", "sixth");
    for heading in
        ["Related work", "Share", "Comments", "Photos 2019", "Download", "SEE ALSO", "FAQ", "Updated"]
    {
        for level in 1..=6 {
            let markdown = read(&format!("<h{level}>{heading}</h{level}><p>{text}</p>"));
            let expected = format!("{} {heading}\n\nIn the sixth", "#".repeat(level));
            assert!(markdown.contains(&expected), "{heading}: {markdown}");
        }
        let markdown = read(&format!("<dl><dt>{heading}<dt>Other<dd>{text}</dl>"));
        assert!(markdown.contains(&format!("{heading}\n\nOther\n\nIn the sixth")), "{heading}: {markdown}");
        let markdown =
            read(&format!("<header><h2>{heading}</h2></header><h3>More</h3><div><p>{text}</p></div>"));
        assert!(markdown.contains("### More\n\nIn the sixth"), "{heading}: {markdown}");
    }
}

#[test]
fn a_heading_without_its_text_is_left_out() {
    let box_ = "<div class=related-posts><h3>Pears elsewhere</h3><ul><li><a href=/1>Ten plums for small gardens</a>\
                <li><a href=/2>Quinces are back</a></ul></div>";
    let markdown = read(box_);
    assert!(!markdown.contains("elsewhere") && !markdown.contains("Quinces"), "{markdown}");
}

/// An id made from the words of a heading says what its text is about, not which part of the page it is.
#[test]
fn the_id_of_a_section_is_no_name_of_a_part_of_the_page() {
    for tag in ["section", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "a", "span"] {
        let (tree, _) = parse::parse(&format!("<body><{tag} id=related-work>x"));
        let id = tree.find(tree::ROOT, tag).unwrap();
        assert_eq!(names::NameWords::default().read(&tree, id), names::Names::default(), "{tag}");
    }
    let (tree, _) = parse::parse("<body><div id=related-work>x");
    let id = tree.find(tree::ROOT, "div").unwrap();
    assert_ne!(names::NameWords::default().read(&tree, id), names::Names::default());
    let text = PARAGRAPHS[2].replace("fourth", "sixth");
    for id in ["related-work", "share", "comments", "advertisement", "newsletter", "cookies", "footer"] {
        for html in [
            format!("<section id={id}><h2 id={id}-1>On {id}</h2><p>{text}</p><p>Short.</p></section>"),
            format!(
                "<div class=section id={id}><h2>On {id}<a id={id}>¶</a></h2><p>{text}</p><p>Short.</p></div>"
            ),
        ] {
            let markdown = read(&html);
            assert!(markdown.contains("In the sixth") && markdown.contains("\n\nShort."), "{id}: {markdown}");
        }
    }
}

#[test]
fn a_reply_of_one_line_belongs_to_its_thread() {
    let short = ["Thanks, that worked!", "Same here.", "+1", "Photo: see above", "Follow the manual."];
    let long = PARAGRAPHS.map(str::to_owned);
    let posts = |said: &[String], post: fn(&str) -> String| -> String {
        let posts: String = said.iter().map(|said| post(said)).collect();
        format!(
            "<html><head><title>Pears at 1500 m?</title></head><body><div class=thread>{posts}</div>\
             <footer><p>© 2021 Mountain Press. All rights reserved.</p></footer></body></html>"
        )
    };
    let forms: [fn(&str) -> String; 4] = [
        |said| format!("<div class=post><div class=who>Ann</div><div class=body><p>{said}</p></div></div>"),
        |said| format!("<div class='comment c1'><div class=comment-text><p>{said}</p></div></div>"),
        |said| format!("<article class=message><div class=message-body>{said}</div></article>"),
        |said| format!("<li class=reply><p>{said}</p></li>"),
    ];
    let all: Vec<String> = long.into_iter().chain(short.map(str::to_owned)).collect();
    for form in forms {
        let read = read_html_page(&posts(&all, form), None);
        for said in &all {
            assert!(read.text.contains(said.as_str()), "{said}: {}", read.text);
        }
        assert!(!read.text.contains("All rights"), "{}", read.text);
    }
}

#[test]
fn a_table_is_one_thing() {
    let cells = "<tr><td>2019<td>Photo: Ann<tr><td>2020<td>Share<tr><td>2021<td>Read more";
    let captioned =
        format!("<table><caption>Harvests <a>by</a> year</caption><tr><th>Year<th>Note{cells}</table>");
    let markdown = read(&captioned);
    let expected = "Harvests by year\n\n| Year | Note |\n| --- | --- |\n| 2019 | Photo: Ann |\n| 2020 | Share |\n\
                    | 2021 | Read more |";
    assert!(markdown.contains(expected), "{markdown}");
    // One whose cells are not lines is not rendered as a table, but is kept or left out as a whole.
    let with_lists = format!(
        "<table><caption>Harvests</caption><tr><th>Year<th>Note{cells}<tr><td>2022<td><ul><li>Share<li>Follow us</ul></table>"
    );
    let (tree, _) = parse::parse(&with_lists);
    assert_eq!(units::units(&tree, tree::ROOT).len(), 1);
}

#[test]
fn the_steps_of_a_list_stay_together() {
    for item in ["<li>", "<li><p>", "<li><div class=step>"] {
        let steps = [
            "Dig a hole that is twice as wide as the roots.",
            "Water it well, and wait.",
            "Share.",
            "Set the tree upright, and fill the hole with earth.",
            "Photo: 2020",
            "Water it again every week in summer.",
        ];
        let list: String = steps.iter().map(|step| format!("{item}{step}")).collect();
        let markdown = read(&format!("<ol>{list}</ol>"));
        for (at, step) in steps.iter().enumerate() {
            assert!(markdown.contains(&format!("{}. {step}", at + 1)), "{step}: {markdown}");
        }
    }
}

#[test]
fn words_are_counted_in_scripts_without_spaces() {
    let count = |html: &str| {
        let (tree, _) = parse::parse(html);
        units::units(&tree, tree::ROOT).iter().map(|unit| unit.words).collect::<Vec<_>>()
    };
    assert_eq!(count("<p>The pears - all of them - ripen."), [6]);
    assert_eq!(count("<p>蜜蜂在冬天不飞行，因为天气太冷。"), [7]);
    assert_eq!(count("<p>API は 便利です"), [4]);
    assert_eq!(count("<p>ผึ้งไม่บินในฤดูหนาว"), [10]);
    assert_eq!(count("<p>* * *"), [0]);
}

#[test]
fn a_script_without_capitals_is_not_all_capitals() {
    let sign = WEIGHTS.iter().position(|(sign, _)| sign.contains("all capitals")).unwrap();
    for (text, level) in
        [("NEWS FROM HOME", 1), ("News from home", 0), ("梨树的种类", 0), ("蜜蜂", 0), ("ผึ้ง", 0), ("عسل", 0)]
    {
        let (tree, _) = parse::parse(&format!("<p>{text}"));
        let units = units::units(&tree, tree::ROOT);
        assert_eq!(PageSigns::new(&units, &[true], None).levels(0)[sign], level, "{text}");
    }
}

#[test]
fn a_text_without_spaces_is_recognized_by_most_of_its_letters() {
    let units = |html: &str| {
        let (tree, _) = parse::parse(html);
        units::units(&tree, tree::ROOT)
    };
    let known = KnownWords::new(&units("<p>蜜蜂在冬天不飞行，因为天气太冷。"));
    assert!(known.has(&units("<p>蜜蜂在冬天不飞行，因为天气太冷。（图）")[0]));
    assert!(!known.has(&units("<p>那里的夏天很短，夜晚到六月还很冷。")[0]));
}

/// A page in Chinese is judged like any other: short sentences and headings stay.
#[test]
fn texts_in_scripts_without_spaces_are_judged_by_their_words() {
    let paragraphs = [
        "去年春天，山坡上的果园里种下了两百棵小树，全家人花了三个星期才把它们一行一行地种好，村里没有人相信梨能在那么高的地方成熟。",
        "那里的夏天很短，夜晚到六月还很冷，风从冰川上直接吹下来，可是第四年第一批花还是开了，比山谷里晚了一个星期。",
        "邻居搬来了六箱蜜蜂，剩下的工作都是它们做的，从那以后每年秋天的收成都在增加，大部分在老面包房里晒干。",
        "面包房空了二十年，现在直到圣诞节都有水果的香味，来看的人越来越多，有的人从很远的城市开车过来，只为了买一袋梨干。",
    ];
    let body: String = paragraphs.iter().map(|text| format!("<p>{text}</p>")).collect();
    let html = format!(
        "<html lang=zh><head><title>山上的梨</title></head><body><div class=content>{body}<h2>梨树的种类</h2><p>{}</p>\
         <p>短句。</p><p>{}</p></div><footer><p>版权所有</p></footer></body></html>",
        paragraphs[0], paragraphs[2]
    );
    let read = read_html_page(&html, None);
    for text in paragraphs.iter().chain(&["梨树的种类", "短句。"]) {
        assert!(read.text.contains(text), "{text}: {}", read.text);
    }
    assert!(!read.text.contains("版权所有"), "{}", read.text);
}

#[test]
fn buttons_are_no_code() {
    for button in
        ["<button>Copy</button>", "<span role=button>Copy</span>", "<clipboard-copy>Copy</clipboard-copy>"]
    {
        let markdown = read(&format!("<pre>{button}<code>make harvest</code>{button}</pre>"));
        assert!(markdown.contains("```\nmake harvest\n```"), "{markdown}");
    }
}

#[test]
fn quotation_marks_are_around_what_is_quoted() {
    let cases = [
        ("<p>He said <q>pears</q>.</p>", "He said “pears”."),
        ("<p>He <q><a href=http://a.org/>said</a> so</q>.</p>", "He “[said](http://a.org/) so”."),
        ("<p>He <q><code>said</code></q>.</p>", "He “`said`”."),
        ("<p>He said<q> </q> nothing, <q><b></b></q>.</p>", "He said nothing, ."),
        ("<q><p>One pear.</p><p>Two pears.</p></q>", "“One pear.”\n\n“Two pears.”"),
    ];
    for (html, expected) in cases {
        let markdown = super::inner(html, None);
        assert_eq!(markdown, expected, "{html}");
    }
    // A quotation that is left out leaves no marks.
    let markdown = read("<div class=share-bar><q>Share on Facebook</q></div>");
    assert!(!markdown.contains(['“', '”']), "{markdown}");
}

/// The parser repeats open formatting elements in each paragraph; the cost must not grow with their attributes.
#[test]
fn repeated_formatting_elements_are_bounded() {
    let long = "a-b ".repeat(2_000);
    let open: String = (0..120).map(|at| format!("<b class='{at} {long}'>")).collect();
    let html = format!("<p>Before.{open}{}", "<p>x".repeat(20_000));
    let (tree, cut) = parse::parse(&html);
    assert!(cut);
    let bytes: usize = tree
        .walk(tree::ROOT)
        .filter_map(|step| match step {
            tree::WalkStep::Into(id) => tree.element(id),
            tree::WalkStep::OutOf(_) => None,
        })
        .flat_map(|element| &element.attributes)
        .map(|attribute| attribute.value.len())
        .sum();
    assert!(bytes < 5 * html.len() + 2 * 1024 * 1024, "{bytes} of {}", html.len());
    assert!(read_html_page(&html, None).text.contains("Before."));
}
