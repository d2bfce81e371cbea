//! What is private, and everything by which its words could reach a model on another machine.

use std::sync::Arc;

use serde_json::{Value, json};
use wellread_core::ports::{Message, ModelFailure, Reply};
use wellread_testkit::scripted_model::{calls, says};
use wellread_testkit::{ScriptedModel, Talking, World};

fn elsewhere(script: impl IntoIterator<Item = Result<Reply, ModelFailure>>) -> Arc<ScriptedModel> {
    let mut model = ScriptedModel::new(script);
    model.identity.is_local = false;
    Arc::new(model)
}

/// All that a model was told in answer to one call.
fn told(vault: &str, tool: &str, arguments: Value) -> String {
    let talking = Talking::unindexed(World::new(vault));
    let model = elsewhere([calls(&[(tool, arguments)]), says("Done.")]);
    talking.say(&model, "Go").unwrap();
    let Some(Message::Tool { text, .. }) = model.asked()[1].messages.last().cloned() else {
        panic!("no answer")
    };
    text
}

#[test]
fn an_error_does_not_name_a_private_note() {
    let vault = "-- Divorce lawyer.md\n---\nprivate: true\n---\nx\n-- Other.md\nx\n";
    for (tool, arguments) in [
        ("read_file", json!({"path": "Divorce"})),
        ("batch_update_frontmatter", json!({"paths": ["Divorce"], "field": "a", "value": "b"})),
        ("batch_update_frontmatter", json!({"paths": ["Other", "Divorce"], "field": "a", "value": "b"})),
    ] {
        let shown = told(vault, tool, arguments);
        assert!(!shown.contains("lawyer"), "{tool}: {shown}");
    }
    // What is not private is still suggested.
    assert!(told("-- Divorce lawyer.md\nx\n", "read_file", json!({"path": "Divorce"})).contains("lawyer"));
}

#[test]
fn the_links_of_a_private_note_are_withheld_though_one_leads_to_itself() {
    let vault = "-- Diary.markdown\n---\nprivate: true\n---\n[[Diary.markdown]] [[My secret friend]]\n";
    let shown = told(vault, "find_outlinks", json!({"path": "Diary.markdown"}));
    assert!(!shown.contains("friend"), "{shown}");
}

#[test]
fn private_preferences_are_not_listed() {
    let private = "-- Preferences.md\n---\nprivate: true\n---\n- Call me Zaphod.\n";
    let shown = told(private, "list_preferences", json!({}));
    assert!(!shown.contains("Zaphod") && shown.contains("private"), "{shown}");
    let own = told("-- Preferences.md\n- Call me Zaphod.\n", "list_preferences", json!({}));
    assert!(own.contains("Zaphod"), "{own}");
}
