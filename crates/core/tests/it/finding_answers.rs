//! Without a model: the sentence, the list or the row of a table that answers a question, and silence where none does.

use wellread_core::insight::keyless::{
    self, AnswerModels, FoundAnswer, KnownWords, Passage, ReadableSection, find_quotes, rate_finding,
};

/// No model at all.
const BY_WORDS: AnswerModels<'_> = AnswerModels { nearness: &|_| None, reading: &|_| None };

const MITES: &str = "# Mite drop count\n\nA white sheet under the mesh floor.\n\n1. Slide the sheet in on a dry evening.\n\
2. Take it out after 72 hours.\n3. Count the mites.\n\n| Hive | Date | Daily drop |\n| --- | --- | ---: |\n\
| [[Linden hive\\|Linden]] | 2025-04-12 | 2 |\n| Bramble | 2025-04-13 | 1 |\n\n## Why is it done in spring?\n\n\
Brood is scarce then. A count in May proves little, because the mites sit in the brood.\n\n> [!danger] Protect the eyes\n\
> Goggles and gloves are needed for the acid.\n";
const FLOW: &str = "# Nectar flow\n\nAround here there are three. A nectar flow is a time in which bees bring in more than they use.\n\n\
See [[Honey]].\n\n!!! warning\n\n    Never feed during a flow.\n";

fn passage<'a>(source: &'a str, text: &'a str) -> Passage<'a> {
    Passage { source, text, start: 0, first_line: 1, headings: &[], is_prose: true }
}

fn find_answers(question: &str, passages: &[Passage<'_>], models: AnswerModels<'_>) -> Vec<FoundAnswer> {
    keyless::find_answers(question, passages, models).answers
}

fn ask(question: &str) -> Vec<FoundAnswer> {
    let passages = [passage("Bees/Mite drop count.md", MITES), passage("Bees/Nectar flow.md", FLOW)];
    find_answers(question, &passages, BY_WORDS)
}

/// The first answer, whose bytes are those at its place.
fn best(question: &str) -> FoundAnswer {
    let answers = ask(question);
    for quote in answers.iter().flat_map(|answer| answer.quotes.iter().chain(&answer.items)) {
        let text = [MITES, FLOW][quote.passage];
        assert_eq!(text[quote.span.clone()], quote.text, "{question}");
    }
    answers.into_iter().next().unwrap_or_else(|| panic!("no answer: {question}"))
}

#[test]
fn a_definition_is_the_sentence_that_says_what_it_is() {
    let answer = best("What is a nectar flow?");
    assert!(answer.is_certain && answer.quotes[0].text.contains("A nectar flow is a time"), "{answer:?}");
    assert_eq!(answer.quotes[0].lines, (3, 3));
}

#[test]
fn an_open_question_is_answered_by_the_note_of_that_name_and_by_what_others_say() {
    let flow = [
        passage("Index.md", "# Index\n\n- [[Nectar flow]]\n\nSee [[Nectar flow]].\n"),
        passage("Bees/Nectar flow.md", FLOW),
        passage("Journal.md", "The nectar flow began on 3 May this year.\n\nWhat is a nectar flow?\n"),
    ];
    for question in ["What do my notes say about nectar flow?", "Tell me about the nectar flow."] {
        let answers = find_answers(question, &flow, BY_WORDS);
        let said: Vec<Vec<&str>> = answers
            .iter()
            .map(|answer| answer.quotes.iter().map(|quote| quote.text.as_str()).collect())
            .collect();
        let opening = [
            "Around here there are three.",
            "A nectar flow is a time in which bees bring in more than they use.",
            "Never feed during a flow.",
        ];
        assert_eq!(said, [&opening[..], &["The nectar flow began on 3 May this year."]], "{question}");
        assert!(answers.iter().all(|answer| answer.is_certain), "{answers:?}");
    }
    // A section of that name is as good as a note, and a mention is better than nothing.
    let answer = best("What do I know about protecting the eyes?");
    assert!(answer.quotes[0].text.starts_with("Goggles and gloves"), "{answer:?}");
    let answer = best("What do my notes say about the mesh floor?");
    assert_eq!(answer.quotes[0].text, "A white sheet under the mesh floor.");
    assert!(ask("What do my notes say about wax moths?").is_empty());
}

#[test]
fn who_asks_what_something_is_gets_the_beginning_of_the_note_of_that_name() {
    let notes = [
        passage("Diary.md", "# Diary\n\nColm came on Friday. Lunch with Colm and Anna.\n"),
        passage(
            "People/Colm.md",
            "# Colm Brannigan\n\nMobile mechanic, comes by van. £38 an hour.\n\nTea with two sugars.\n",
        ),
    ];
    let best = |question: &str| {
        let answers = find_answers(question, &notes, BY_WORDS);
        answers.first().map(|answer| (answer.quotes[0].text.clone(), answer.is_certain))
    };
    let opening = "Mobile mechanic, comes by van.".to_owned();
    assert_eq!(best("Who is Colm?"), Some((opening.clone(), true)));
    // It need not say what a thing is.
    assert_eq!(best("What is a Colm?"), Some((opening.clone(), false)));
    // Of whom there is no note, no note is given; nor of what is more than its name.
    for question in ["Who is Anna?", "Who is Colm's apprentice?"] {
        assert!(best(question).is_none_or(|(text, _)| text != opening), "{question}");
    }
}

#[test]
fn a_bare_link_is_no_answer() {
    let notes = [
        passage("Cameras.md", "# Cameras\n\n- [[Nikon FM2]]\n\nSee [[Rolleiflex]].\n"),
        passage(
            "Nikon FM2.md",
            "# Nikon FM2\n\nSee also [[Cameras]].\n\nThe meter takes two cells.\n\n- Owner: [[Anna]]\n",
        ),
    ];
    let owner = find_answers("Who is the owner of the Nikon FM2?", &notes, BY_WORDS);
    assert_eq!(owner[0].quotes[0].quoted, "Owner: Anna");
    for question in ["What is the Nikon FM2?", "Which Rolleiflex is it?"] {
        let answers = find_answers(question, &notes, BY_WORDS);
        let quotes = answers.iter().flat_map(|answer| &answer.quotes);
        assert!(quotes.clone().all(|quote| !quote.text.starts_with("See")), "{question}: {answers:?}");
        assert!(quotes.clone().all(|quote| quote.passage == 1), "{question}: {answers:?}");
    }
}

#[test]
fn steps_are_given_as_the_list_that_they_are() {
    let answer = best("How do I do a mite drop count?");
    let steps: Vec<&str> = answer.items.iter().map(|item| item.quoted.as_str()).collect();
    assert!(answer.ordered && answer.is_certain, "{answer:?}");
    assert_eq!(
        steps,
        ["Slide the sheet in on a dry evening.", "Take it out after 72 hours.", "Count the mites."]
    );
}

#[test]
fn a_row_is_given_with_the_names_of_its_columns() {
    let answer = best("What was the daily drop of the Bramble hive?");
    assert_eq!(answer.quotes[0].quoted, "Hive: Bramble · Date: 2025-04-13 · Daily drop: 1");
    assert_eq!(answer.quotes[0].lines, (12, 12));
    assert!(answer.head.is_some_and(|head| head.lines == (9, 9)));
}

#[test]
fn a_heading_that_asks_the_question_is_answered_by_what_is_below_it() {
    let answer = best("Why is the mite drop count done in spring?");
    assert!(answer.is_certain && answer.quotes[0].text.starts_with("Brood is scarce then."), "{answer:?}");
    let answer = best("How do I protect the eyes?");
    assert!(answer.quotes[0].text.starts_with("Goggles and gloves"), "{answer:?}");
}

#[test]
fn what_nothing_answers_is_not_answered() {
    for question in [
        "Who composed the opera about submarines?",
        "How much does a jar of honey cost in Lisbon?",
        "Which beekeeper invented the movable frame?",
    ] {
        assert!(ask(question).iter().all(|answer| !answer.is_certain), "{question}");
    }
}

#[test]
fn a_finding_adds_something_and_is_neither_a_step_nor_boilerplate() {
    let note = "# Varroa mite\n\nThe varroa mite breeds in capped brood.\n";
    let known = KnownWords::from_note("Varroa mite", note);
    let same = "The varroa mite breeds in capped brood, but never outside of it according to Ruth.\n";
    let footer = "This page about the varroa mite was only written with help from 12 volunteers.\n";
    let texts = [
        ("A.md", "The varroa mite moved to European bees around 1950, which had no defence against it.\n"),
        ("B.md", "Select the varroa mite in the menu, but not before version 3.\n"),
        ("C.md", "Where does the varroa mite come from, if not from Asia or Japan in 1950?\n"),
        ("D.md", footer),
        ("E.md", footer),
        ("F.md", "The varroa mite breeds in capped brood.\n"),
        ("G.md", same),
        ("H.md", "It is a varroa mite of 1.5 mm, but not every one.\n"),
        ("I.md", "varroa mite of 1.5 mm, which is not much\n"),
        ("J.md", "Put the varroa mite under a lens of at least 10 times, but not in the sun.\n"),
        (
            "K.md",
            "Varroa mite, wax moth, hive beetle, ants, mice, birds and hornets are not the 7 worst enemies.\n",
        ),
    ];
    let passages: Vec<Passage<'_>> = texts.iter().map(|(path, text)| passage(path, text)).collect();
    let kept: Vec<&str> = find_quotes("Varroa mite", &passages, 20, 3)
        .iter()
        .filter(|quote| {
            rate_finding(quote, &passages[quote.passage], "Varroa mite", &known, &passages).is_some()
        })
        .map(|quote| texts[quote.passage].0)
        .collect();
    assert_eq!(kept, ["A.md"]);
}

#[test]
fn a_finding_is_about_its_topic_and_tied_to_the_note() {
    let note = "# Sleep\n\nCoffee after noon keeps me awake. See [[Caffeine]] and the page settings.\n\nA dark bedroom, cool air and \
                heavy blankets help; loud neighbours, late dinners, bright screens and worries about tomorrow do not. Reading \
                dull novels under weak lamps works better than counting sheep.\n";
    let known = KnownWords::from_note("Sleep", note);
    let texts = [
        (
            "Caffeine.md",
            "Caffeine blocks the receptors of adenosine, so that coffee keeps us awake for 6 hours.\n",
        ),
        ("Tea.md", "Green tea has 30 mg of caffeine in a cup, but coffee has more.\n"),
        ("Settings.md", "The page settings of the printer are not in the menu since version 3.\n"),
    ];
    let passages: Vec<Passage<'_>> = texts.iter().map(|(path, text)| passage(path, text)).collect();
    let kept = |topic: &str| -> Vec<&str> {
        let quotes = find_quotes(topic, &passages, 20, 3);
        let kept = quotes.iter().filter(|quote| {
            rate_finding(quote, &passages[quote.passage], topic, &known, &passages).is_some()
        });
        kept.map(|quote| texts[quote.passage].0).collect()
    };
    // A word by itself is a topic only in the note that is named for it.
    assert_eq!(kept("Caffeine"), ["Caffeine.md"]);
    // Nothing but the topic's own words is in the note.
    assert_eq!(kept("Page settings"), [""; 0]);
}

#[test]
fn a_sentence_of_another_kind_is_not_certain() {
    let texts = [
        (
            "Docs/Scope.md",
            "# Names\n\nScoped packages are installed into a folder of their own.\n\n## `scope`\n\n- Default: none\n- Type: String\n",
        ),
        (
            "Docs/Modes.md",
            "# Modes\n\nThere are two.\n\nThis can only be used when the preview flag is on.\n",
        ),
        ("Docs/Yeast.md", "# Mead\n\nAdd nutrient as in yeast nutrients.\n"),
        ("Docs/Cache.md", "# Cache\n\nCaching values is useful for creating a computed value.\n"),
    ];
    let passages: Vec<Passage<'_>> = texts.iter().map(|(path, text)| passage(path, text)).collect();
    for question in [
        "What is a scope?",
        "What does the preview flag do?",
        "Why does mead need yeast nutrients?",
        "How do I create a computed value?",
    ] {
        let answers = find_answers(question, &passages, BY_WORDS);
        assert!(answers.iter().all(|answer| !answer.is_certain), "{question}: {answers:?}");
    }
}

/// Asks with a model that finds each text that has `near` close to the question, and all others far from it.
fn ask_by_meaning(question: &str, near: &str) -> Vec<FoundAnswer> {
    let texts = [
        (
            "Work/Server.md",
            "# Included server\n\nIt comes with Granian for HTTP. It has been so for two years.\n",
        ),
        ("Work/Print.md", "# Minio\n\nThis will print out the links to all running derivations.\n"),
        ("Work/Length.md", "# Line length\n\nYou noticed the peculiar default line length. It is 88.\n"),
    ];
    let passages: Vec<Passage<'_>> = texts.iter().map(|(path, text)| passage(path, text)).collect();
    let nearness = |texts: &[String]| {
        Some(texts.iter().map(|text| if text.contains(near) { 0.85 } else { 0.05 }).collect::<Vec<f32>>())
    };
    find_answers(question, &passages, AnswerModels { nearness: &nearness, ..BY_WORDS })
}

fn shown(answers: &[FoundAnswer]) -> String {
    answers.iter().flat_map(|answer| &answer.quotes).map(|quote| quote.text.as_str()).collect()
}

#[test]
fn a_sentence_in_other_words_is_the_closest_that_was_found() {
    let answers = ask_by_meaning("Which web daemon is bundled?", "granian");
    assert!(shown(&answers).contains("Granian") && !answers[0].is_certain, "{answers:?}");
    assert_eq!(ask_by_meaning("Which web daemon is bundled?", "nothing of it"), []);
}

#[test]
fn words_of_the_question_in_another_matter_are_no_answer() {
    let question = "Do the links to derivations run out?";
    let answers = ask_by_meaning(question, "nothing of it");
    assert!(answers.iter().all(|answer| !answer.is_certain), "{answers:?}");
    let texts = [("Work/Print.md", "# Minio\n\nThis will print out the links to all running derivations.\n")];
    let passages: Vec<Passage<'_>> = texts.iter().map(|(path, text)| passage(path, text)).collect();
    let by_words = find_answers(question, &passages, BY_WORDS);
    assert!(by_words.first().is_some_and(|answer| answer.is_certain), "words alone can't tell: {by_words:?}");
}

#[test]
fn an_amount_is_never_answered_for_certain_without_a_figure() {
    let answers = ask_by_meaning("How long is the default line length?", "peculiar");
    let certain: Vec<&FoundAnswer> = answers.iter().filter(|answer| answer.is_certain).collect();
    assert!(!shown(&answers[..1]).contains("peculiar") || certain.is_empty(), "{answers:?}");
}

/// All texts are equally far from the question.
const SAME: &dyn Fn(&[String]) -> Option<Vec<f32>> = &|texts| Some(vec![0.4; texts.len()]);

/// Asks with a reader that finds the answer in each piece that has `answer`.
fn ask_with_reader(question: &str, answer: &str) -> Vec<FoundAnswer> {
    let passages = [passage("Bees/Mite drop count.md", MITES), passage("Bees/Nectar flow.md", FLOW)];
    let read = |section: &ReadableSection| -> Vec<f32> {
        section.pieces.iter().map(|piece| if piece.contains(answer) { 6.0 } else { -6.0 }).collect()
    };
    let reading = |sections: &[ReadableSection]| Some(sections.iter().map(read).collect());
    find_answers(question, &passages, AnswerModels { nearness: SAME, reading: &reading })
}

#[test]
fn a_reader_finds_the_answer_in_other_words() {
    let question = "What keeps the beekeeper safe from oxalic burns?";
    let answers = ask_with_reader(question, "Goggles");
    assert!(shown(&answers[..1]).contains("Goggles and gloves"), "{answers:?}");
    assert_eq!(ask_with_reader(question, "nothing of it"), []);
    let rows = ask_with_reader("Which figure was seen at Bramble in April?", "Bramble");
    assert!(rows[0].quotes[0].quoted.contains("Daily drop: 1"), "{rows:?}");
}

#[test]
fn a_sentence_that_is_alone_is_no_answer_for_that() {
    let passages = [passage("Bees/Drones.md", "# Drones\n\nDrones leave the hive at noon.\n")];
    let ask = |value: f32| {
        let reading = move |sections: &[ReadableSection]| {
            Some(sections.iter().map(|section| vec![value; section.pieces.len()]).collect())
        };
        let models = AnswerModels { nearness: &|texts| Some(vec![0.0; texts.len()]), reading: &reading };
        find_answers("Why did the committee choose granite?", &passages, models)
    };
    assert_eq!(ask(-6.0), []);
    assert_eq!(ask(-15.0), []);
    assert!(ask(6.0).first().is_some_and(|answer| answer.quotes[0].text.contains("noon")));
}

#[test]
fn beside_what_was_corrected_the_correction_answers() {
    let plan = passage("Boat/Plan.md", "# Plan\n\nThe dry dock is booked for 3 March, with two nights.\n");
    let log = passage("Boat/Log.md", "# Log\n\nRang the yard: the dry dock has moved to 17 March.\n");
    let read = |section: &ReadableSection| -> Vec<f32> {
        let beside_each_other = section.pieces.len() > 1 && section.context == "compare";
        let value = |piece: &String| match (piece.contains("17 March"), beside_each_other) {
            (true, true) => 6.0,
            (false, true) => -12.0,
            (true, false) => 4.9,
            (false, false) => 5.0,
        };
        section.pieces.iter().map(value).collect()
    };
    let reading = |sections: &[ReadableSection]| Some(sections.iter().map(read).collect());
    let models = AnswerModels { nearness: SAME, reading: &reading };
    let answers = find_answers("When is the dry dock booked for?", &[plan, log], models);
    assert!(shown(&answers[..1]).contains("moved to 17 March"), "{answers:?}");
    assert!(answers[0].is_certain, "{answers:?}");

    // A run that was recorded before pieces were compared has no such reading, and is judged as it was then.
    let before = |sections: &[ReadableSection]| {
        sections.iter().map(|section| (section.context != "compare").then(|| read(section))).collect()
    };
    let plan = passage("Boat/Plan.md", "# Plan\n\nThe dry dock is booked for 3 March, with two nights.\n");
    let models = AnswerModels { nearness: SAME, reading: &before };
    let answers = find_answers("When is the dry dock booked for?", &[plan], models);
    assert!(answers[0].is_certain, "{answers:?}");
}

#[test]
fn a_reader_sees_a_section_with_the_names_above_it() {
    let seen = std::cell::RefCell::new(Vec::new());
    let reading = |sections: &[ReadableSection]| {
        seen.borrow_mut().extend(sections.to_vec());
        Some(sections.iter().map(|section| vec![-6.0; section.pieces.len()]).collect())
    };
    let passages = [passage("Bees/Mite drop count.md", MITES)];
    find_answers("Why in spring?", &passages, AnswerModels { nearness: SAME, reading: &reading });
    let seen = seen.into_inner();
    let find = |context: &str| seen.iter().find(|section| section.context == context);
    let section = find("Mite drop count > Why is it done in spring?").unwrap();
    assert_eq!(section.pieces[0], "Brood is scarce then.");
    let table = find("Mite drop count > Mite drop count").unwrap();
    assert!(
        table.pieces.contains(&"Hive: Linden · Date: 2025-04-12 · Daily drop: 2".to_owned()),
        "{table:?}"
    );
    assert!(find("Mite drop count > Protect the eyes").is_some(), "{seen:?}");
}

#[test]
fn a_reader_that_gives_too_little_does_no_harm() {
    let passages = [passage("Bees/Mite drop count.md", MITES)];
    let reading = |_: &[ReadableSection]| Some(Vec::new());
    assert_eq!(
        find_answers("Why in spring?", &passages, AnswerModels { nearness: SAME, reading: &reading }),
        []
    );
}

#[test]
fn tags_are_no_answer() {
    let text = "# Mites\n\nThey came from Asia. #bees/health #mites\n\n#bees\n";
    let passages = [passage("Mites.md", text)];
    let reading = |sections: &[ReadableSection]| {
        Some(sections.iter().map(|section| vec![6.0; section.pieces.len()]).collect())
    };
    let answers =
        find_answers("bees health mites", &passages, AnswerModels { nearness: SAME, reading: &reading });
    assert!(answers.iter().all(|answer| !answer.quotes[0].text.starts_with('#')), "{answers:?}");
}

#[test]
fn a_page_without_headings_is_read_in_parts_and_no_more_than_is_of_use() {
    let sentence = "Drones leave the hive at noon and come back when the sun is low. ";
    let text = format!("{}\n", format!("{}\n\n", sentence.repeat(8)).repeat(400));
    let passages = [passage("https://example.org/drones", &text)];
    let read = std::cell::Cell::new(0);
    let reading = |sections: &[ReadableSection]| {
        let size = |section: &ReadableSection| section.pieces.iter().map(String::len).sum::<usize>();
        read.set(read.get() + sections.iter().map(size).sum::<usize>());
        Some(sections.iter().map(|section| vec![-6.0; section.pieces.len()]).collect())
    };
    find_answers("When do drones leave?", &passages, AnswerModels { nearness: SAME, reading: &reading });
    assert!((2_000..60_000).contains(&read.get()), "{} of {}", read.get(), text.len());
}

const BOAT: &str = "# Merle\n\nMerle is a Contessa 26, built in 1974 in Lymington.\n\n- Length: 7.77 m\n- Draught: 1.22 m\n\
- Sail number: 312\n- Colour: see the photos\n\n## Dinghy\n\n- Length: 2.3 m\n";

#[test]
fn a_property_is_the_line_that_names_it() {
    let passages =
        [passage("Boat/Merle.md", BOAT), passage("Boat/Heron.md", "# Heron\n\n- Draught: 0.9 m\n")];
    // Also where a reader thinks little of such short lines.
    let reading = |sections: &[ReadableSection]| {
        Some(sections.iter().map(|section| vec![-2.0; section.pieces.len()]).collect())
    };
    for models in [BY_WORDS, AnswerModels { nearness: SAME, reading: &reading }] {
        for (question, line) in [
            ("What is the draught of Merle?", "Draught: 1.22 m"),
            ("How long is Merle?", "Length: 7.77 m"),
            ("merle sail number", "Sail number: 312"),
            ("What is the draught of Heron?", "Draught: 0.9 m"),
            ("How deep is Heron?", "Draught: 0.9 m"),
            ("How long is the dinghy of Merle?", "Length: 2.3 m"),
        ] {
            let answers = find_answers(question, &passages, models);
            let first = answers.first().unwrap_or_else(|| panic!("no answer: {question}"));
            assert!(first.is_certain && first.quotes[0].text == line, "{question}: {answers:?}");
        }
        for other in ["What is the draught of Vega?", "What is the beam of Merle?"] {
            let answers = find_answers(other, &passages, models);
            assert!(!answers.iter().any(|answer| answer.is_certain), "{other}: {answers:?}");
        }
    }
}
