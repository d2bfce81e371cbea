//! What is shown around the sentence that answers: the one before it, the code below it, and where nothing answers, the lines
//! that come closest.

use wellread_core::insight::keyless::{
    AnswerModels, AnswerSearch, FoundAnswer, Passage, ReadableSection, find_answers,
};

fn passage<'a>(source: &'a str, text: &'a str) -> Passage<'a> {
    Passage { source, text, start: 0, first_line: 1, headings: &[], is_prose: true }
}

/// Asks with a reader that finds the answer in each piece that has `answer`.
fn ask(question: &str, passages: &[Passage<'_>], answer: &str) -> AnswerSearch {
    let read = |section: &ReadableSection| -> Vec<f32> {
        section.pieces.iter().map(|piece| if piece.contains(answer) { 6.0 } else { -6.0 }).collect()
    };
    let reading = |sections: &[ReadableSection]| Some(sections.iter().map(read).collect());
    let nearness = |texts: &[String]| Some(vec![0.4; texts.len()]);
    find_answers(question, passages, AnswerModels { nearness: &nearness, reading: &reading })
}

fn texts(answer: &FoundAnswer) -> Vec<&str> {
    answer.quotes.iter().chain(&answer.items).map(|quote| quote.text.as_str()).collect()
}

#[test]
fn a_sentence_that_refers_to_the_one_before_comes_after_it() {
    let idle = "# Idle\n\nInstall the keeper extension in the image. This avoids a server that is stopped overnight.\n";
    let found = ask("How do I keep a server from being stopped?", &[passage("Idle.md", idle)], "avoids");
    let first = texts(&found.answers[0]);
    assert_eq!(
        first,
        ["Install the keeper extension in the image. This avoids a server that is stopped overnight."]
    );
}

#[test]
fn code_answers_through_the_sentence_that_leads_to_it() {
    let upgrade = "# Upgrade\n\nThe new scheme is the default.\n\nTo delay any changes, opt in to the old behavior with:\n\n\
```python\nc.Hub.subdomain_hook = \"legacy\"\n```\n";
    let found = ask("Which value keeps the old names?", &[passage("Upgrade.md", upgrade)], "legacy");
    let first = texts(&found.answers[0]);
    assert_eq!(
        first,
        ["To delay any changes, opt in to the old behavior with:", "c.Hub.subdomain_hook = \"legacy\""]
    );
}

#[test]
fn of_long_code_the_lines_that_were_asked_for_are_shown() {
    let filler: String = (0..12).map(|at| format!("  level_{at}: 'info',\n")).collect();
    let logging = format!(
        "# Logging\n\nLog all fields but one for security:\n\n```js\n{filler}  redact: ['authorization'],\n{filler}```\n"
    );
    let found =
        ask("How do I redact authorization?", &[passage("Logging.md", &logging)], "Log all fields but one");
    let first = texts(&found.answers[0]);
    assert!(first.len() == 9 && first.contains(&"redact: ['authorization'],"), "{first:?}");
}

#[test]
fn where_nothing_answers_the_nearest_line_of_each_section_is_shown() {
    let rooms = "# Rooms\n\nCurfew at eleven: front door code 5590 after that. The house has four floors.\n\n\
## Breakfast\n\nServed from seven.\n";
    let found = ask("What is the door code at night?", &[passage("Rooms.md", rooms)], "nothing of it");
    assert_eq!(found.answers, []);
    let nearest: Vec<Vec<&str>> = found.nearest.iter().map(texts).collect();
    assert_eq!(nearest.len(), 2, "{nearest:?}");
    assert!(nearest[0][0].contains("5590"), "{nearest:?}");
    assert!(found.nearest.iter().all(|answer| !answer.is_certain));
}

#[test]
fn a_field_of_the_frontmatter_answers_for_its_note() {
    let fields = "---\ntags: [choir]\naliases: [The Larks]\nmembers: 214\nvat: XY318402277\n---";
    let body = "# Hilltop Choir\n\nFounded in 1987 by three teachers of the old school.\n";
    let passages = [
        passage("Clubs/Hilltop Choir.md", body),
        Passage { is_prose: false, ..passage("Clubs/Hilltop Choir.md", fields) },
    ];
    for (question, expected) in [
        ("How many members does the Hilltop Choir have?", "members: 214"),
        ("What is the VAT number of the Hilltop Choir?", "vat: XY318402277"),
    ] {
        let found = ask(question, &passages, "nothing of it");
        assert_eq!(texts(&found.answers[0]), [expected], "{question}");
        assert!(found.answers[0].is_certain, "{question}");
    }
    // By its other name, the note itself is found.
    let found = ask("What do my notes say about the Larks?", &passages, "nothing of it");
    assert_eq!(texts(&found.answers[0]), ["Founded in 1987 by three teachers of the old school."]);
}

#[test]
fn tasks_answer_and_a_list_of_them_is_what_is_left_to_be_done() {
    let orders = "# Open orders\n\n- [ ] Menus for the harbor cafe, due 4 December\n- [ ] Posters for the reading night\n\
- [x] Cards for Dr. Lund\n- [-] Labels for the winery\n";
    let passages = [passage("Press/Open orders.md", orders)];
    let found = ask("Which orders are open?", &passages, "the");
    assert_eq!(
        texts(&found.answers[0]),
        ["Menus for the harbor cafe, due 4 December", "Posters for the reading night"]
    );
    let found = ask("When are the menus for the harbor cafe due?", &passages, "4 December");
    assert_eq!(texts(&found.answers[0]), ["Menus for the harbor cafe, due 4 December"]);
}

#[test]
fn what_is_struck_out_is_not_said() {
    let jam = "# Marmalade\n\nThe marmalade boils for ~~40~~ 25 minutes at 104 °C.\n";
    let found = ask("How long does the marmalade boil?", &[passage("Jam.md", jam)], "boils");
    assert_eq!(found.answers[0].quotes[0].quoted, "The marmalade boils for 25 minutes at 104 °C.");
}

#[test]
fn a_remark_on_what_is_struck_out_is_no_answer() {
    let pills = "# Pills\n\n- ~~Simvastatin 20 mg~~ stopped in 2025\n- Bisoprolol 2.5 mg\n- ~~Iron~~ Folic acid 5 mg\n";
    let found = ask("Which pills does mum take?", &[passage("Mum.md", pills)], "mg");
    let shown: String = found.answers.iter().flat_map(texts).collect();
    assert!(shown.contains("Bisoprolol") && shown.contains("Folic acid"), "{shown}");
    assert!(!shown.contains("stopped"), "{shown}");
}

#[test]
fn what_a_note_about_another_says_is_no_answer() {
    let morag = "# Morag Sinclair\n\nRetires at the end of June 2027; she told me on 3 November.\n";
    let tam = "# Tam Petrie\n\nMakes cases of acrylic.\n";
    let passages = [passage("People/Morag Sinclair.md", morag), passage("People/Tam Petrie.md", tam)];
    for question in ["When does Tam retire?", "when does tam retire", "When does Bruno retire?"] {
        let found = ask(question, &passages, "Retires");
        assert!(found.answers.is_empty() && !found.nearest.is_empty(), "{question} {found:?}");
    }
    let found = ask("When does Morag retire?", &passages, "Retires");
    assert!(found.answers[0].is_certain && texts(&found.answers[0])[0].starts_with("Retires"), "{found:?}");
}

#[test]
fn a_line_that_leads_to_a_list_answers_with_the_list() {
    for (lead, is_lead) in [
        ("To start in spring (after frost)\n", true),
        ("To start in spring (after frost):\n\n", true),
        ("It starts in spring (after frost).\n\n", false),
    ] {
        let pump = format!(
            "# Pump\n\nWell 11.5 m deep.\n\n{lead}1. close the drain cock\n2. blue valve half open\n3. fill it at the top\n"
        );
        let found =
            ask("How do I start the pump after the frost?", &[passage("Pump.md", &pump)], "after frost");
        let shown: Vec<&str> = found.answers.iter().flat_map(texts).collect();
        let steps = ["close the drain cock", "blue valve half open", "fill it at the top"];
        assert_eq!(steps.iter().all(|step| shown.contains(step)), is_lead, "{lead} {shown:?}");
        assert_eq!(shown.len(), if is_lead { 4 } else { 1 }, "{lead} {shown:?}");
    }
}

#[test]
fn a_later_entry_of_a_log_stands_before_an_earlier_one() {
    let log = "# Pepper\n\n17 Oct – curve, nadir 15, 2 IU bid\n2 July – 3 IU bid, Carol now does the mornings\n\
31 Oct – 1.5 IU bid, nadir 6.9\n12 Dec – fructosamine 371, weight 5.3, all well at home\n";
    let found = ask("How many units of insulin does Pepper get?", &[passage("Pepper.md", log)], "3 IU");
    let shown: Vec<&str> = found.answers.iter().flat_map(texts).collect();
    let later = "31 Oct – 1.5 IU bid, nadir 6.9";
    let earlier = "2 July – 3 IU bid, Carol now does the mornings";
    assert_eq!((shown.first(), shown.last()), (Some(&later), Some(&earlier)));
    assert!(found.answers.iter().all(|answer| !answer.is_certain));
    // The last one, one of a time that is asked for, one over all, and one whose words no later one has.
    for (question, answer) in [
        ("How many units of insulin does Pepper get?", "1.5 IU"),
        ("How many units did Pepper get on 2 July?", "3 IU"),
        ("What is the highest dose of insulin that Pepper got?", "3 IU"),
        ("How much insulin since Carol does the mornings?", "3 IU"),
    ] {
        let found = ask(question, &[passage("Pepper.md", log)], answer);
        assert!(found.answers.len() == 1 && texts(&found.answers[0])[0].contains(answer), "{found:?}");
    }
}

#[test]
fn what_later_minutes_say_of_the_same_stands_before_it() {
    let minutes = |words: &str| format!("# Trustees\n\n- Tide clock: {words}\n- Roof: next time.\n");
    let (august, october) = (minutes("not approved, 3:2."), minutes("approved 5:1, Ross against."));
    let passages = [
        passage("Meetings/2026-08-20 Trustees.md", &august),
        passage("Meetings/2026-10-15 Trustees.md", &october),
    ];
    let found = ask("Was the repair of the tide clock approved?", &passages, "not approved");
    let shown: Vec<&str> = found.answers.iter().flat_map(texts).collect();
    assert!(shown[0].contains("approved 5:1") && shown[1].contains("not approved"), "{shown:?}");
    assert!(!found.answers[0].is_certain);
    let found = ask("Was the tide clock approved on 2026-08-20?", &passages, "not approved");
    assert!(texts(&found.answers[0])[0].contains("not approved"), "{found:?}");
}

#[test]
fn another_thing_of_the_kind_that_was_asked_for_is_no_answer() {
    let errors =
        "# Errors\n\n| Code | Meaning |\n| --- | --- |\n| E12 | flow too low |\n| E40 | lamp is dark |\n";
    let passages = [passage("Analyzer.md", errors)];
    assert_eq!(ask("What does error E13 mean?", &passages, "E12").answers, []);
    assert_eq!(
        texts(&ask("What does error E12 mean?", &passages, "E12").answers[0]),
        ["| E12 | flow too low |"]
    );
}

#[test]
fn what_takes_an_answer_back_stands_before_it() {
    let site = "# Barrier\n\nThe key to the barrier hangs in the shed, hook 7.\n";
    let daily = "Somebody tidied up: the barrier key is now on hook 9.\n";
    let passages = [passage("Site.md", site), passage("2026-10-09.md", daily)];
    let found = ask("Where is the key to the barrier?", &passages, "hook 7");
    let shown: Vec<&str> = found.answers.iter().flat_map(texts).collect();
    assert_eq!(
        shown,
        [
            "Somebody tidied up: the barrier key is now on hook 9.",
            "The key to the barrier hangs in the shed, hook 7."
        ]
    );
    assert!(!found.answers[0].is_certain);
}

#[test]
fn the_sentence_that_puts_another_right_comes_with_it() {
    let samples = "# Samples\n\nThe mean of the pond was calculated with a wrong factor in the first table. \
It is 59.2, and not what we published. The pond is as deep as it was in the year before, when nobody had a boat that could \
take the two of us and the long rod to the middle of it.\n";
    let found =
        ask("How was the mean of the pond calculated?", &[passage("Samples.md", samples)], "wrong factor");
    let first = texts(&found.answers[0]);
    assert_eq!(first[1..], ["It is 59.2, and not what we published."]);
}

#[test]
fn a_short_line_is_shown_whole() {
    let safety = "# Safety\n\n- Snake bite: keep still, call 144. Don't suck, don't cut\n- Methanol: gloves.\n\n\
> [!warning] Bubbles\n> A jump of more than 0.5 ppm is a bubble. Discard & repeat once. Second bubble: keep.\n\n\
The analyser stopped at 11:40, \"low flow\". Pump membrane torn. Spare is in the cellar :(\nBack home with 4 collars measured.\n";
    for (question, answer, line) in [
        (
            "What must I not do after a snake bite?",
            "Snake bite",
            "Snake bite: keep still, call 144. Don't suck, don't cut",
        ),
        (
            "How do I handle a bubble?",
            "A jump of more",
            "A jump of more than 0.5 ppm is a bubble. Discard & repeat once. Second bubble: keep.",
        ),
        (
            "Why did the analyser stop?",
            "Pump membrane",
            "The analyser stopped at 11:40, \"low flow\". Pump membrane torn.",
        ),
    ] {
        let found = ask(question, &[passage("Safety.md", safety)], answer);
        let first = &found.answers[0];
        assert_eq!(texts(first), [line], "{question}");
        assert_eq!(safety[first.quotes[0].span.clone()], *line);
        assert!(
            found.answers.iter().skip(1).all(|other| !texts(other).contains(&line)),
            "{question}: {found:?}"
        );
    }
}

#[test]
fn of_a_long_line_the_sentence_is_shown() {
    let filler = "The old seal was made of a rubber that nobody sells any more in this country. ".repeat(4);
    let pump = format!("# Pump\n\nThe pump leaks at the seal. {filler}\n");
    let found = ask("Where does the pump leak?", &[passage("Pump.md", &pump)], "leaks at the seal");
    assert_eq!(texts(&found.answers[0])[0], "The pump leaks at the seal.");
    // Of a paragraph that is wrapped, a line is no unit.
    let wrapped = "# Pump\n\nThe big pump of the garden house leaks\nat the seal. It is old, and was made in\nthe town of Olten.\n";
    let found = ask("Where does the pump leak?", &[passage("Pump.md", wrapped)], "leaks");
    assert_eq!(texts(&found.answers[0])[0], "The big pump of the garden house leaks\nat the seal.");
}
