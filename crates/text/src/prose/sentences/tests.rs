//! Sentences of markdown, and the property that none of its words is lost.

use proptest::prelude::*;

use super::*;

fn texts(text: &str) -> Vec<String> {
    split_sentences(text).into_iter().map(|sentence| sentence.text).collect()
}

fn cited(text: &str) -> Vec<Vec<String>> {
    split_sentences(text)
        .into_iter()
        .map(|sentence| sentence.citations.into_iter().map(|citation| citation.id).collect())
        .collect()
}

#[test]
fn full_stops_that_end_no_sentence_do_not_cut() {
    for whole in [
        "Dr. Frisch kept bees, e.g. Apis mellifera, in version 1.0.21 of the hive.",
        "See https://example.org/a.b?c=d. for it and J. R. Smith et al. on p. 12.",
        "He wrote \"It stood. It fell.\" in his book.",
        "Am 5. März 2024 fiel er.",
        "**It stood. It fell.**",
        "It costs 3.5 % (approx. 12 kg).",
        "The call `a. B` and [a link. With stop](x.md) stay.",
        "What? no.",
        "Knitted c. 1926 for her brother Alec, by Jas. Gow.",
        "The grant is est. £46,000, carry over max. 5 days, b. 4 May 1941.",
    ] {
        assert_eq!(texts(whole), [whole]);
    }
    assert_eq!(texts("Soak 30 min. 5 parts of water."), ["Soak 30 min.", "5 parts of water."]);
    assert_eq!(texts("We chose plan B. 3 came."), ["We chose plan B.", "3 came."]);
    assert_eq!(
        texts("It stood. \"It fell.\" Then it rained! Did it? 那是蜂巢。它很旧。"),
        ["It stood.", "\"It fell.\"", "Then it rained!", "Did it?", "那是蜂巢。", "它很旧。"]
    );
    assert_eq!(
        texts("**Hives.** They are old.  \nA line of its own"),
        ["**Hives.**", "They are old.", "A line of its own"]
    );
}

#[test]
fn a_line_that_ends_early_ends_a_sentence() {
    assert_eq!(
        texts("Bertha is fine\nWrote to Helene (auf Deutsch!) wg. Loan\nCar: MOT in May"),
        ["Bertha is fine", "Wrote to Helene (auf Deutsch!) wg. Loan", "Car: MOT in May"]
    );
    for filled in [
        "The weights of the tide clock, which were cast in lead, are kept by\nTam Petrie.",
        "They were cast by\nTam Petrie.",
        "They were cast in lead, iron,\nZinc and brass.",
        "They were cast\nin lead.",
    ] {
        assert_eq!(texts(filled).len(), 1, "{filled}");
    }
}

#[test]
fn each_line_of_a_jotted_paragraph_ends_a_sentence_however_long_it_is() {
    let lines = [
        "Prune apples in February, plums only after the harvest because of silver leaf",
        "2024 harvest: mirabelle 46 kg, quetsche 12, apple 90, of which 52 L of juice were pressed on 11 October at the mill",
        "moth rings: in October",
    ];
    let found = texts(&lines.join("\n"));
    assert_eq!(found, lines);
    // The lines of a callout are no different.
    let found = texts(&format!("> [!danger]\n> {}", lines.join("\n> ")));
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn a_filled_paragraph_is_one_sentence_whatever_its_width() {
    let words = "When the keeper of the tide clock, Tam Petrie of Lower Quay, went to Hove in May 1931, he took the weights of Lead \
                 and Zinc with him, so that nobody but Ross could have set it right before the Autumn of the year 1932";
    for width in 20..110 {
        let mut text = String::new();
        let mut at = 0;
        for word in words.split_whitespace() {
            if at > 0 && at + 1 + word.len() > width {
                text.push('\n');
                at = 0;
            } else if at > 0 {
                text.push(' ');
                at += 1;
            }
            text.push_str(word);
            at += word.len();
        }
        // A narrower text than people fill may be taken for lines of their own.
        if width >= 62 {
            assert_eq!(texts(&text).len(), 1, "{width}: {text}");
            let address = format!("{text}\n<https://example.org/{}>", "a".repeat(200));
            assert_eq!(texts(&address).len(), 1, "{width}: {address}");
        }
    }
}

#[test]
fn degrees_and_short_emphasis_end_a_sentence() {
    assert_eq!(texts("It was 18 °C. Both stood there."), ["It was 18 °C.", "Both stood there."]);
    for (first, then) in [
        ("The mean is 71.6 mg/L.", "Lamps are cheap."),
        ("We took vitamin C.", "Lamps are cheap."),
        ("The fuse bears 16 A.", "Lamps are cheap."),
        ("It was built in hall B.", "The lamps are cheap."),
        ("He went to X.", "They stayed."),
    ] {
        assert_eq!(texts(&format!("{first} {then}")), [first, then]);
    }
    for whole in ["Write to J. Smith.", "It came from Fa. Huber.", "J.-P. Sartre wrote it, with A. B. Clark."]
    {
        assert_eq!(texts(whole), [whole]);
    }
    assert_eq!(texts("*No.* Bees fly."), ["*No.*", "Bees fly."]);
}

#[test]
fn citations_belong_to_the_sentence_that_they_follow() {
    let text = "It stood. [ev-a-001] It fell [ev-a-002, ev-a-003]. It rained.\n[ev-a-004]\nLater ev-b-005 it snowed.";
    assert_eq!(
        cited(text),
        [vec!["ev-a-001"], vec!["ev-a-002", "ev-a-003"], vec!["ev-a-004"], vec!["ev-b-005"]]
    );
    assert_eq!(texts(text)[1], "It fell [ev-a-002, ev-a-003].");
    assert_eq!(cited("It fell [ev-nonsense]. An ev-charger too."), [vec!["ev-nonsense".to_owned()], vec![]]);
    assert!(split_sentences("It fell. [ev-a-001]")[0].parts == [SentencePart::Prose("It fell. ".into())]);
}

#[test]
fn blocks_are_one_sentence_each_and_may_be_cited_below_or_above() {
    let text = "It reads [ev-a-001]:\n\n```rust\nlet a = 1. B;\n```\n\n> Old words. More words.\n> — Frisch\n\n[ev-a-002]\n\n| hive | age |\n| --- | --- |\n| one | 3 |\n| two | 4 [ev-a-009] |\n\n[ev-a-003]\n";
    let found = split_sentences(text);
    let kinds: Vec<_> = found.iter().map(|sentence| sentence.kind).collect();
    use SentenceKind::*;
    assert_eq!(kinds, [Prose, Code, Quote, Prose, Row, Row]);
    assert_eq!(found[1].text, "let a = 1. B;");
    assert_eq!(found[2].text, "Old words. More words.");
    let ids = cited(text);
    assert_eq!(ids[1], ["ev-a-001"]);
    assert_eq!((ids[4][0].as_str(), ids[5][0].as_str()), ("ev-a-003", "ev-a-009"));
    let code = split_sentences("```\nlet a = 1; // [ev-a-001]\n# ev-a-002\n```");
    assert_eq!(code[0].citations.len(), 2);
    assert_eq!(code[0].parts, [SentencePart::Code("let a = 1;\n\n".into())]);
}

#[test]
fn headings_rules_and_lists_of_sources_are_no_sentences() {
    let none = "---\ntitle: No sentence.\n---\n# A heading. Of two.\n\nTitle\n===\n\n---\n\nSource: https://example.org/a\n\n## Citations\n\n- [ev-a-001] Bees.md:3-7\n- [A page](https://example.org)\n\n**Sources:**\n\n1. <https://example.org>\n\n[x]: https://example.org\n\n[ev-a-001]\n";
    assert_eq!(texts(none), Vec::<String>::new());
    assert_eq!(texts(""), Vec::<String>::new());
    assert_eq!(texts("<details open>\n<br/>\n\n</details>\n\n<div>Words.</div>\n"), ["<div>Words.</div>"]);
    // What has words is a sentence, whatever it is called, also as a link to a file with another name.
    for claim in
        ["- [All hives weigh 99 kg](<Bees/Hive weight.md>)", "- [[Hive weight|No hive ever needed stores]]"]
    {
        assert_eq!(texts(&format!("Sources:\n\n{claim}\n")).len(), 1, "{claim}");
    }
    assert_eq!(
        texts("Sources:\n\n- [Hive weight](Bees/Hive%20weight.md)\n- [[Hive weight]]\n"),
        Vec::<String>::new()
    );
    assert_eq!(texts("Source: the hive fell in 2024."), ["Source: the hive fell in 2024."]);
    assert_eq!(texts("[The hive fell](https://example.org)").len(), 1);
    assert_eq!(
        texts("Old. Source: https://a.org\nSource: https://example.org"),
        ["Old.", "Source: https://a.org"]
    );
}

#[test]
fn lists_quotes_and_callouts_are_read_without_their_marks() {
    let text =
        "- one is\n  old. Two\n  - three\n\n> [!note] A title\n> It stood. It\n> fell.\n\n- [ ] a task\r\n";
    assert_eq!(texts(text), ["one is old.", "Two", "three", "A title It stood.", "It fell.", "a task"]);
}

fn part() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "The hive stood. ",
        "It fell! ",
        "[ev-a-001] ",
        "\"quoted. Words\" ",
        "“open ",
        "*em. Ph* ",
        "**b** ",
        "`co. De` ",
        "\n",
        "\n\n",
        "- ",
        "> ",
        "# ",
        "1. ",
        "| a | b |\n| --- | --- |\n| c | d. E |\n",
        "```\ncode. Code\n```\n",
        "http://x.org/a. ",
        "Dr. ",
        "3.5 ",
        "\\",
        "é. ",
        "蜂。巢 ",
        "<b>",
        "<!-- c. -->",
        "[l. L](u) ",
        "[[W|w. W]] ",
        "&amp; ",
        "  \n",
        "Source: ",
        "Citations:\n",
        "---\n",
        "' ",
        "\" ",
        "\t",
        "    ",
        "~~x. Y~~ ",
        "[^1] ",
        "\r\n",
        "…",
        "Ｘ. ",
        "[!note] ",
    ])
    .prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn every_word_of_prose_is_in_exactly_one_sentence(parts in prop::collection::vec(part(), 0..40)) {
        let text = parts.concat();
        let found = split_sentences(&text);
        for pair in found.windows(2) {
            prop_assert!(pair[0].span.end <= pair[1].span.start, "{:?} overlap in {text:?}", pair);
        }
        let mut covered = vec![false; text.len()];
        for sentence in &found {
            prop_assert!(text.get(sentence.span.clone()).is_some());
            covered[sentence.span.clone()].fill(true);
        }
        for leaf in leaves(&text).iter().filter(|leaf| !matches!(leaf.kind, LeafKind::Heading | LeafKind::Head)) {
            let groups = find_citation_groups(&text, leaf.span.clone());
            // Either the line is a list of sources, or all its words are in sentences.
            let is_listed = |at: usize| {
                let start = text[..at].rfind('\n').map_or(0, |before| before + 1).max(leaf.span.start);
                let line = start..start + text[start..leaf.span.end].lines().next().unwrap_or_default().trim_end().len();
                [false, true].iter().any(|below| classify_line(&text, &line, &groups, *below) != ListingKind::No)
            };
            for (span, part) in leaf.pieces.iter().filter(|(span, _)| span.start >= leaf.span.start) {
                let SentencePart::Prose(words) = part else { continue };
                if text.get(span.clone()) != Some(words.as_str()) {
                    continue;
                }
                for at in span.clone().filter(|&at| text.get(at..).is_some_and(|rest| rest.starts_with(char::is_alphabetic))) {
                    let cited = groups.iter().any(|group| group.span.contains(&at));
                    prop_assert!(covered[at] || cited || is_listed(at), "{at} of {words:?} is lost in {text:?}");
                }
            }
        }
    }
}

#[test]
fn hostile_texts_are_read_to_their_end() {
    for unit in [
        "\"",
        "“",
        "„\" ",
        "*a ",
        "[",
        "[ev-",
        "[ev-a-001]",
        ". ",
        "> ",
        "- ",
        "`",
        "a. B",
        "(ev-a-1",
        "' ",
        "1,2",
        "<",
        "|a\n",
        "…",
    ] {
        let text = unit.repeat(20_000);
        assert!(split_sentences(&text).len() <= text.len());
    }
}
