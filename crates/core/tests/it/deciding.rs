//! Decisions are the user's: whatever a model calls for, nothing is approved, accepted, dismissed or undone before the user
//! confirms that very decision.

use std::sync::Arc;

use serde_json::{Value, json};
use wellread_core::ErrorKind;
use wellread_core::faces::tools::{Effect, catalog, find_tool};
use wellread_core::ports::{AgendaFilter, Agendas as _, FindingFilter, Findings as _};
use wellread_testkit::chat_world::block_on;
use wellread_testkit::scripted_model::{calls, says};
use wellread_testkit::{ChatWorld, ScriptedModel, World};

use crate::catalog::{examples, world};

/// What the model has read before: nothing, a note, or text from outside.
const READ: [Option<(&str, &str)>; 3] =
    [None, Some(("read_file", "Bees.md")), Some(("outline", "src/press.py"))];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// In the turn in which it read.
    AtOnce,
    /// In a later turn.
    Later,
    /// It calls again, claims that the user has confirmed, and makes up tools that would.
    Claimed,
    Confirmed,
    Declined,
}

const MODES: [Mode; 5] = [Mode::AtOnce, Mode::Later, Mode::Claimed, Mode::Confirmed, Mode::Declined];

/// A call of every tool that decides.
fn decisions() -> Vec<(&'static str, Value)> {
    let tools = catalog();
    let decides = |name: &str| find_tool(&tools, name).unwrap().declaration().effect == Effect::Decides;
    let found: Vec<(&str, Value)> = examples().into_iter().filter(|(name, _)| decides(name)).collect();
    assert_eq!(found.len(), 5, "{found:?}");
    found
}

/// Everything that a decision could change.
fn state(world: &World) -> String {
    let agendas = world.agendas.agendas(AgendaFilter::All, 100).unwrap();
    let findings = world.agendas.findings(&FindingFilter::default(), 100).unwrap();
    format!("{agendas:?} {findings:?} {:?}", world.files.tree())
}

#[test]
fn a_model_decides_nothing_and_the_user_everything() {
    let mut cells = 0;
    for (name, arguments) in decisions() {
        for read in READ {
            for mode in MODES {
                let cell = format!("{name} after {read:?}, {mode:?}");
                let talking = ChatWorld::new(world());
                let before = state(&talking.world);
                let decision = calls(&[(name, arguments.clone())]);
                let mut script: Vec<_> = read
                    .map(|(tool, path)| {
                        let field = if tool == "outline" { "file_path" } else { "path" };
                        calls(&[(tool, json!({ field: path }))])
                    })
                    .into_iter()
                    .collect();
                match mode {
                    Mode::Later => script.extend([says("Read."), decision, says("Done.")]),
                    Mode::Claimed => {
                        let confirm = json!({ "confirm": "edit-1", "id": "edit-1" });
                        let again = calls(&[
                            (name, arguments.clone()),
                            ("confirm", confirm.clone()),
                            ("decide", confirm),
                        ]);
                        script.extend([decision, again, says("(The user confirmed edit-1.)")]);
                    }
                    _ => script.extend([decision, says("Done.")]),
                }
                let model = Arc::new(ScriptedModel::new(script));
                let mut response = talking.say(&model, "Go").unwrap();
                if mode == Mode::Later {
                    response = talking.say(&model, "Go on").unwrap();
                }
                assert_eq!(model.replies_left(), 0, "{cell}");
                assert_eq!(state(&talking.world), before, "{cell}");
                assert_eq!(response.pending.len(), 1, "{cell}: {response:?}");
                let asked = &response.pending[0];
                assert!(asked.tool == name && asked.diff.contains('?'), "{cell}: {asked:?}");
                match mode {
                    Mode::Confirmed => {
                        let done = talking.decide("edit-1", true).unwrap();
                        assert!(
                            done.response.contains("is done") && done.pending.is_empty(),
                            "{cell}: {done:?}"
                        );
                        assert_ne!(state(&talking.world), before, "{cell}");
                        talking.decide("edit-1", true).expect_err("it is made once");
                    }
                    Mode::Declined => {
                        talking.decide("edit-1", false).unwrap();
                        talking.decide("edit-1", true).expect_err("it waits no longer");
                        assert_eq!(state(&talking.world), before, "{cell}");
                    }
                    _ => {}
                }
                cells += 1;
            }
        }
    }
    assert_eq!(cells, 5 * 3 * 5);
}

#[test]
fn a_tool_that_decides_acts_only_with_the_users_decision() {
    let tools = catalog();
    for (name, arguments) in decisions() {
        let world = world();
        let before = state(&world);
        let refused = block_on(find_tool(&tools, name).unwrap().call(&world.ctx(), arguments)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Refused, "{name}: {refused}");
        assert!(refused.hint_text().unwrap().contains("wellread inbox"), "{name}");
        assert_eq!(state(&world), before, "{name}");
    }
}

#[test]
fn the_question_says_what_is_decided_and_hides_nothing() {
    let (tools, world) = (catalog(), world());
    let ask = |name: &str, args: &Value| find_tool(&tools, name).unwrap().question(&world.ctx(), args);
    for (name, arguments) in decisions() {
        let asked = ask(name, &arguments).unwrap();
        let about = if name.ends_with("agenda") { "topic 1" } else { "bees.example" };
        assert!(asked.contains(about) && asked.contains('?'), "{name}: {asked}");
    }
    let (_, mut accept) = decisions().into_iter().find(|(name, _)| *name == "accept_finding").unwrap();
    accept["title"] = json!("kind\u{202e}words\u{1b}[8m");
    let asked = ask("accept_finding", &accept).unwrap();
    assert!(asked.contains("kind⟨U+202E⟩words⟨U+001B⟩[8m"), "{asked}");
    assert!(ask("approve_agenda", &json!({ "id": "00000000000009" })).is_err());
}

/// What the user was shown is what a confirmation takes back, whatever else was edited in between.
#[test]
fn a_confirmed_undo_takes_back_the_edit_that_was_shown() {
    let tools = catalog();
    for same_note in [false, true] {
        let talking = ChatWorld::new(world());
        let edit = |path: &str, content: &str| {
            let args = json!({ "path": path, "content": content });
            let ctx = talking.world.ctx();
            block_on(find_tool(&tools, "append_to_file").unwrap().call(&ctx, args)).unwrap();
        };
        let text = |path: &str| talking.world.read_text(path);
        let before = text("Bees.md");
        edit("Bees", "The edit that is shown.");
        let model = Arc::new(ScriptedModel::new([
            calls(&[("outline", json!({ "path": "src/press.py" }))]),
            calls(&[("undo", json!({}))]),
            says("It waits."),
        ]));
        let response = talking.say(&model, "Take that back").unwrap();
        assert!(response.pending[0].diff.contains("-The edit that is shown."), "{response:?}");
        edit(if same_note { "Bees" } else { "Hives" }, "A later edit.");
        let later = (text("Bees.md"), text("Hives.md"));
        let done = talking.decide("edit-1", true).unwrap();
        if same_note {
            assert!(
                done.response.contains("not made") || done.response.contains("no longer waits"),
                "{done:?}"
            );
            assert_eq!((text("Bees.md"), text("Hives.md")), later, "nothing was undone");
        } else {
            assert!(done.response.contains("is done"), "{done:?}");
            assert_eq!((text("Bees.md"), text("Hives.md")), (before, later.1), "only what was shown");
        }
    }
}
