//! What is private, and everything by which its words could reach a model on another machine.

use std::sync::Arc;

use serde_json::{Value, json};
use wellread_core::ErrorKind;
use wellread_core::domain::corpus::PathRules;
use wellread_core::library::judge::{JudgeRules, VaultLayout};
use wellread_core::library::public_view::VaultGuard;
use wellread_core::ports::event::RunEvent;
use wellread_core::ports::{Message, ModelFailure, NoOutsideText, Reply};
use wellread_testkit::chat_world::{FailingRecords, block_on};
use wellread_testkit::scripted_model::{calls, says};
use wellread_testkit::{ChatWorld, MemoryFiles, ScriptedModel, World, path_rules};

fn elsewhere(script: impl IntoIterator<Item = Result<Reply, ModelFailure>>) -> Arc<ScriptedModel> {
    let mut model = ScriptedModel::new(script);
    model.identity.is_local = false;
    Arc::new(model)
}

/// All that a model was told in answer to one call.
fn told(vault: &str, tool: &str, arguments: Value) -> String {
    let talking = ChatWorld::without_index(World::new(vault));
    let model = elsewhere([calls(&[(tool, arguments)]), says("Done.")]);
    talking.say(&model, "Go").unwrap();
    let Some(Message::Tool { text, .. }) = model.requests()[1].messages.last().cloned() else {
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
fn a_report_on_the_vault_names_no_private_note() {
    let vault = "-- Divorce lawyer.md\n---\nprivate: true\n---\nSee [[Open]]. [[Lost]].\n-- Open.md\nMy divorce lawyer.\n-- Other.md\nx\n";
    let whole = told(vault, "kb_health", json!({}));
    let without = told(vault, "kb_health", json!({"without_private": true}));
    for report in [whole, without] {
        assert!(!report.contains("lawyer.md") && !report.contains("Lost"), "{report}");
        assert!(report.contains("Other.md") && report.contains("\"notes\":2"), "{report}");
    }
}

#[test]
fn private_preferences_are_not_listed() {
    let private = "-- Preferences.md\n---\nprivate: true\n---\n- Call me Zaphod.\n";
    let shown = told(private, "list_preferences", json!({}));
    assert!(!shown.contains("Zaphod"), "{shown}");
    let own = told("-- Preferences.md\n- Call me Zaphod.\n", "list_preferences", json!({}));
    assert!(own.contains("Zaphod"), "{own}");
}

const DIARY: &str = "-- Diary.md\n---\nprivate: true\n---\nThe hive stands in Oslo.\n-- Open.md\nx\n";

fn reads_the_diary() -> Result<Reply, ModelFailure> {
    calls(&[("read_file", json!({"path": "Diary"}))])
}

#[test]
fn a_conversation_that_holds_something_private_goes_on_only_here() {
    let talking = ChatWorld::without_index(World::new(DIARY));
    let here = Arc::new(ScriptedModel::new([reads_the_diary(), says("In Oslo."), says("Yes, Oslo.")]));
    let first = talking.say(&here, "Where?").unwrap();
    assert_eq!(talking.say(&here, "Sure?").unwrap().session_id, first.session_id);

    let model = elsewhere([says("I don't know.")]);
    let chat = talking.chat(model.clone());
    let named = chat.session(Some(&first.session_id), None).unwrap();
    assert_eq!(block_on(chat.say(named, "Where?", &|_| {})).unwrap_err().kind(), ErrorKind::Refused);
    let anew = talking.say(&model, "Where?").unwrap();
    assert_ne!(anew.session_id, first.session_id);
    assert_eq!(model.requests()[0].messages, [Message::User { text: "Where?".to_owned() }]);
}

#[test]
fn a_turn_that_was_begun_here_is_not_taken_up_elsewhere() {
    let talking = ChatWorld::without_index(World::new(DIARY));
    let busy = || Err(ModelFailure::Busy { message: "busy".to_owned() });
    talking.say(&Arc::new(ScriptedModel::new([reads_the_diary(), busy()])), "Where?").unwrap_err();
    let run = talking.last_run();
    let error = block_on(talking.chat(elsewhere([])).resume(&run, &|_| {})).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    let here = talking.chat(Arc::new(ScriptedModel::new([says("In Oslo.")])));
    assert_eq!(block_on(here.resume(&run, &|_| {})).unwrap().response, "In Oslo.");
}

#[test]
fn a_conversation_about_a_private_note_goes_on_only_here() {
    let talking = ChatWorld::without_index(World::new(DIARY));
    let chat = talking.chat(Arc::new(ScriptedModel::new([says("Yes.")])));
    let session = chat.session(None, Some("Diary.md")).unwrap();
    let first = block_on(chat.say(session, "Is this mine?", &|_| {})).unwrap();
    let model = elsewhere([says("Yes.")]);
    let chat = talking.chat(model.clone());
    let session = chat.session(None, Some("Diary.md")).unwrap();
    assert_ne!(session.id, first.session_id);
    block_on(chat.say(session, "Is this mine?", &|_| {})).unwrap();
    assert_eq!(model.requests()[0].messages, [Message::User { text: "Is this mine?".to_owned() }]);
}

#[test]
fn a_run_that_was_cut_off_before_an_edit_of_a_private_note_does_not_find_it_either() {
    let edit = || calls(&[("append_to_file", json!({"path": "Diary", "content": "x"}))]);
    let whole = ChatWorld::without_index(World::new(DIARY));
    whole.say(&elsewhere([edit(), says("Done.")]), "Go").unwrap();
    let announced = whole.events().iter().position(|event| matches!(event.event, RunEvent::Calling { .. }));
    let talking = ChatWorld::without_index(World::new(DIARY));
    let records = Arc::new(FailingRecords::fail_after(announced.unwrap() + 1, &talking.records));
    let chat = talking.chat_with_records(elsewhere([edit()]), records);
    let session = chat.session(None, None).unwrap();
    block_on(chat.say(session, "Go", &|_| {})).unwrap_err();
    let model = elsewhere([says("Done.")]);
    block_on(talking.chat(model.clone()).resume(&talking.last_run(), &|_| {})).unwrap();
    let Some(Message::Tool { text, .. }) = model.requests()[0].messages.last().cloned() else {
        panic!("no answer")
    };
    assert!(text.contains("File not found") && !text.contains("before the run was cut off"), "{text}");
    assert!(!talking.world.read_text("Diary.md").ends_with("x\n"), "it was never edited");
}

#[test]
fn prose_in_other_formats_is_private_by_its_own_marks() {
    let files = [
        ("Front.rst", "---\nprivate: true\n---\nx\n", true),
        ("Tag.base", "views: [] #private\n", true),
        ("File.org", "#+FILETAGS: :private:\n\nx\n", true),
        ("Heading.org", "* Open\n* Secret :private:\n", true),
        ("Property.org", "* Open\n:PROPERTIES:\n:PRIVATE: t\n:END:\n", true),
        ("Field.rst", "Title\n=====\n\n:private: true\n", true),
        ("Tags.adoc", "= Title\n:tags: a, private\n", true),
        ("Set.adoc", "= Title\n:private:\n\nx\n", true),
        ("Wide.org", "#\0+\0F\0", true),
        ("Open.org", "#+FILETAGS: :garden:\n\nprivate words\n", false),
        ("Open.rst", "Title\n=====\n\n:private: no\n", false),
        ("Open.adoc", "= Title\n:private!:\n", false),
        ("Open.base", "views: []\n", false),
        ("Open.md", ":private: true\n", false),
        // What it says of itself can't be known.
        ("Broken.md", "---\nprivate: [\n---\nx\n", true),
    ];
    let world = World::with_files(files.map(|(name, text, _)| (name, text.as_bytes())));
    for (name, _, private) in files {
        assert_eq!(world.vault.is_private(&world.path(name)), private, "{name}");
    }
}

#[test]
fn a_link_that_leads_to_a_private_note_now_is_private_though_the_note_looks_the_same() {
    let world = World::new("-- A/Two.md\nx\n-- P/Two.md\nx\n").with_private_folders(&["P"]);
    for path in ["A/Two.md", "P/Two.md"] {
        // So long ago that what is known of it is believed.
        world.files.set_dates(&world.path(path), "2020-01-01T00:00:00Z".parse().unwrap(), None);
    }
    let (public, alias) = (world.vault.without_private(), world.path("Alias.md"));
    world.files.link("Alias.md", "A/Two.md");
    assert!(public.is_visible(&alias));
    world.files.link("Alias.md", "P/Two.md");
    assert!(!public.is_visible(&alias));
}

#[test]
fn a_repository_around_the_vault_neither_names_nor_shows_private_notes() {
    let now = "2026-03-01T09:30:00Z".parse().unwrap();
    let file = |path: &str| path_rules().parse_file(path).unwrap();
    let with_text = |path| (file(path), b"words\n".to_vec());
    let vault = MemoryFiles::new(now, ["Private/Diary.md", "Own.md"].map(with_text));
    let repository = MemoryFiles::new(now, ["docs/Private/Diary.md", "docs/Own.md"].map(with_text));
    let layout = VaultLayout { private_folders: vec!["Private".to_owned()], ..VaultLayout::default() };
    let guard = VaultGuard {
        files: Arc::new(vault),
        paths: PathRules::new(["/repository/docs".to_owned()], &[]),
        rules: JudgeRules { layout, outside: Arc::new(NoOutsideText) },
        overlaps: true,
    };
    let guarded = guard.guard_repository(Arc::new(repository), vec!["/repository".to_owned()]);
    let listed: Vec<String> =
        guarded.list().unwrap().files.into_iter().map(|entry| entry.path.to_string()).collect();
    assert_eq!(listed, ["docs/Own.md"]);
    let private = file("docs/Private/Diary.md");
    assert!(
        guarded.find(&private).unwrap().is_none() && guarded.find(&file("docs/Own.md")).unwrap().is_some()
    );
    assert_eq!(guarded.read(&private).unwrap_err().kind(), ErrorKind::NotFound);
}
