//! `check_claims`: any text against what it cites, in every form, or against given sources.

use std::sync::Arc;

use serde_json::{Value, json};
use wellread_core::engine::run::envelope;
use wellread_core::faces::tools::{Ctx, catalog, find_tool};
use wellread_testkit::chat_world::block_on;
use wellread_testkit::{ScriptedWeb, World};

use crate::ask::{fails, ok};

const NOTES: &str = "-- Bees/Varroa.md\n# Varroa\n\n## Threshold\n\nThe treatment threshold in August is 3 mites a day.\n\n\
## Drones\n\nMites prefer drone brood to worker brood.\n\nThe mite came from Asia in 1904. ^asia\n\
-- Bees/Hive.md\n# Hive\n\nThe Linden hive weighed 38.5 kg in July.\n\
-- Private.md\n---\nprivate: true\n---\nThe secret hive weighed 77 kg in July.\n";
const CODE: &str = "-- src/press.py\ndef press(comb):\n    \"\"\"Presses the comb with 40 bar.\"\"\"\n    return comb * 40\n\n\n\
class Mill:\n    def grind(self, comb):\n        ready = sort(comb)\n        return press(ready)\n";
const PAGE: &str = "https://bees.example/wax";

fn world() -> World {
    let mut world = World::new(NOTES);
    let web =
        ScriptedWeb::new("search").page(PAGE, "Wax", "# Wax\n\nBees make wax from the age of 12 days on.\n");
    world.reach = Arc::new(Arc::new(web).outside_services());
    let world = world.with_repository("wax", CODE);
    world.index();
    world
}

/// The answer to a call that the user did not decide to make.
fn call_by_model(ctx: &Ctx, args: Value) -> Value {
    let tools = catalog();
    let tool = find_tool(&tools, "check_claims").unwrap();
    envelope(block_on(tool.call(ctx, args)).map(|answer| answer.fields))
}

fn verdicts(answer: &Value) -> Vec<&str> {
    answer["sentences"].as_array().unwrap().iter().map(|one| one["verdict"].as_str().unwrap()).collect()
}

#[test]
fn a_citation_is_judged_by_the_same_rules_in_every_form() {
    let world = world();
    for (right, wrong, place) in [
        (
            "The treatment threshold in August is 3 mites a day ([[Varroa]]:5).",
            "The treatment threshold in August is 9 mites a day ([[Varroa]]:5).",
            "Bees/Varroa.md:5",
        ),
        (
            "Mites prefer drone brood to worker brood. ([[Varroa#Drones]])",
            "Mites never prefer drone brood to worker brood. ([[Varroa#Drones]])",
            "Bees/Varroa.md:9",
        ),
        (
            "The mite came from Asia in 1904 [[Varroa#^asia]].",
            "The mite came from Asia in 1940 [[Varroa#^asia]].",
            "Bees/Varroa.md:11",
        ),
        (
            "The Linden hive weighed 38.5 kg in July.[^1]\n\n[^1]: [[Hive]], line 3\n",
            "The Linden hive weighed 41 kg in July.[^1]\n\n[^1]: [[Hive]], line 3\n",
            "Bees/Hive.md:3",
        ),
        (
            "The Linden hive weighed 38.5 kg in July ([the note](Bees/Hive.md)).",
            "The Linden hive weighed 38.5 kg in May ([the note](Bees/Hive.md)).",
            "Bees/Hive.md:3",
        ),
        (
            "The Linden hive weighed 38.5 kg in July (`Bees/Hive.md:3`).",
            "The Linden hive never weighed 38.5 kg in July (`Bees/Hive.md:3`).",
            "Bees/Hive.md:3",
        ),
        (
            "It presses the comb with 40 bar (`wax: src/press.py:1-3`).",
            "It presses the comb with 60 bar (`wax: src/press.py:1-3`).",
            "wax: src/press.py:2",
        ),
        (
            "It presses the comb with 40 bar, see src/press.py:2.",
            "It presses the comb with 60 bar, see src/press.py:2.",
            "wax: src/press.py:2",
        ),
        (
            "It presses the comb with 40 bar (wax:src/press.py:2).",
            "It presses the comb with 60 bar (wax:src/press.py:2).",
            "wax: src/press.py:2",
        ),
        (
            "`Mill.grind` calls `press` (`src/press.py:9`).",
            "`press` calls `Mill.grind` (`src/press.py:9`).",
            "wax: src/press.py:9",
        ),
        (
            "`Mill.grind` calls `sort` (`src/press.py:8`).",
            "`Mill.brush` calls `sort` (`src/press.py:8`).",
            "wax: src/press.py:8",
        ),
    ] {
        let check = |text: &str| ok(&world, "check_claims", json!({ "text": text }));
        let good = check(right);
        assert!(matches!(verdicts(&good)[..], ["quoted" | "supported"]), "{right}\n{good:#}");
        let evidence = &good["sentences"][0]["evidence"][0];
        assert_eq!(
            format!("{}:{}", evidence["path"].as_str().unwrap(), evidence["start_line"]),
            place,
            "{right}"
        );
        assert_eq!(good["sentences"][0]["text"].as_str().unwrap(), right.split("\n\n").next().unwrap());
        let bad = check(wrong);
        assert!(matches!(verdicts(&bad)[..], ["contradicted" | "unknown"]), "{wrong}\n{bad:#}");
        assert!(!bad["sentences"][0]["reason"].as_str().unwrap().is_empty(), "{bad:#}");
    }
}

#[test]
fn what_can_not_be_read_is_never_borne_out_and_says_why() {
    let world = world();
    for (text, why) in [
        ("The hive weighed 38.5 kg ([[Nowhere]]:3).", "place gone"),
        ("The hive weighed 38.5 kg ([[Hive]]:99).", "the file has 3 lines"),
        ("The hive weighed 38.5 kg ([[Hive#No such part]]).", "no such heading"),
        ("The hive weighed 38.5 kg (`src/gone.rs:3`).", "place gone"),
        ("Bees make wax [here](https://bees.example/wax).", "was not read"),
        ("The hive weighed 38.5 kg [ev-01m7fb68wd4ajr-001].", "ev-01m7fb68wd4ajr-001"),
    ] {
        let answer = ok(&world, "check_claims", json!({ "text": text }));
        assert_eq!(verdicts(&answer), ["unknown"], "{text}\n{answer:#}");
        let reason = answer["sentences"][0]["reason"].as_str().unwrap();
        assert!(reason.contains(why), "{text}: {reason}");
    }
    // Nothing is cited: that is no success.
    for args in [json!({ "text": "The hive is heavy." }), json!({}), json!({ "path": "Nowhere" })] {
        fails(&world, "check_claims", args);
    }
}

#[test]
fn a_text_without_citations_is_searched_for_in_its_sources() {
    let world = world();
    let text = "Here is a summary:\n\nThe Linden hive weighed 38.5 kg in July.\n\nThe Linden hive weighed 44 kg in July. Bees \
                were first kept in Egypt.\n";
    for sources in [
        json!(["Bees/Hive"]),
        json!(["Bees"]),
        json!([{ "name": "given.txt", "text": "The Linden hive weighed 38.5 kg in July.\n" }]),
    ] {
        let answer = ok(&world, "check_claims", json!({ "text": text, "sources": sources }));
        assert_eq!(verdicts(&answer), ["uncited", "quoted", "contradicted", "unknown"], "{answer:#}");
        let lines: Vec<u64> =
            answer["sentences"].as_array().unwrap().iter().map(|one| one["line"].as_u64().unwrap()).collect();
        assert_eq!(lines, [1, 3, 5, 5]);
        assert!(
            answer["sentences"][2]["evidence"][0]["quote"].as_str().unwrap().contains("38.5 kg"),
            "{answer:#}"
        );
    }
    // Only the given sources count; a citation of one of them narrows the place.
    let cited = "The treatment threshold in August is 3 mites a day ([[Varroa]]:5).";
    let elsewhere = ok(&world, "check_claims", json!({ "text": cited, "sources": ["Bees/Hive"] }));
    assert_eq!(verdicts(&elsewhere), ["unknown"]);
    let narrowed = cited.replace(":5", ":9");
    let narrowed = ok(&world, "check_claims", json!({ "text": narrowed, "sources": ["Bees"] }));
    assert_eq!(verdicts(&narrowed), ["unknown"], "{narrowed:#}");
    fails(&world, "check_claims", json!({ "text": text, "sources": ["No such note"] }));
    // Two words may make a claim, and no words make none.
    let short = ok(&world, "check_claims", json!({ "text": "Linden is a beekeeper.", "sources": ["Bees"] }));
    assert_eq!(verdicts(&short), ["unknown"], "{short:#}");
    for empty in ["", "# Hives\n"] {
        fails(&world, "check_claims", json!({ "text": empty, "sources": ["Bees"] }));
    }
}

#[test]
fn a_page_is_fetched_only_if_the_user_asks_for_it() {
    let world = world();
    let text = "Bees make wax from the age of 12 days on ([Wax](https://bees.example/wax)).";
    let fetched = ok(&world, "check_claims", json!({ "text": text, "fetch": true }));
    assert!(matches!(verdicts(&fetched)[..], ["quoted" | "supported"]), "{fetched:#}");
    assert_eq!(fetched["sentences"][0]["evidence"][0]["path"], PAGE);
    let wrong = text.replace("12 days", "21 days");
    let named = ok(&world, "check_claims", json!({ "text": wrong, "sources": [PAGE] }));
    assert_eq!(verdicts(&named), ["unknown"], "{named:#}");
    // A model calls without the user's decision.
    let ctx = world.ctx();
    let by_model = |args: Value| call_by_model(&ctx, args);
    for refused in [json!({ "text": text, "fetch": true }), json!({ "text": text, "sources": [PAGE] })] {
        let answer = by_model(refused);
        assert_eq!(answer["success"], false, "{answer}");
        assert!(answer["error"].as_str().unwrap().contains("only the user"), "{answer}");
    }
    assert_eq!(verdicts(&by_model(json!({ "text": text }))), ["unknown"]);
}

#[test]
fn a_model_elsewhere_can_not_check_against_a_private_note() {
    let world = world();
    let ctx = world.ctx().without_private();
    let text = "The secret hive weighed 77 kg in July ([[Private]]:4).";
    for args in [
        json!({ "text": text }),
        json!({ "text": text, "sources": ["Private"] }),
        json!({ "path": "Private" }),
    ] {
        let told = call_by_model(&ctx, args).to_string();
        for verdict in ["quoted", "supported"] {
            assert!(!told.contains(&format!("\"verdict\":\"{verdict}\"")), "{told}");
        }
        assert!(!told.replace(text, "").contains("private: true"), "{told}");
    }
    assert_eq!(verdicts(&ok(&world, "check_claims", json!({ "text": text }))), ["quoted"]);
}
