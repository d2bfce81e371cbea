//! What is private, and everything by which its words could reach a model on another machine.

use std::sync::Arc;

use serde_json::{Value, json};
use wellread_core::ErrorKind;
use wellread_core::agendas::inbox::Inbox;
use wellread_core::agendas::jobs::Jobs;
use wellread_core::domain::corpus::{PathRules, VaultPath};
use wellread_core::domain::id::{AgendaId, RunId, TaskId};
use wellread_core::engine::log;
use wellread_core::faces::tools::{catalog, find_tool};
use wellread_core::library::judge::{JudgeRules, VaultLayout};
use wellread_core::library::public_view::VaultGuard;
use wellread_core::library::vault::Vault;
use wellread_core::ports::agenda::{Agenda, Finding};
use wellread_core::ports::event::{RunEvent, RunKind};
use wellread_core::ports::{
    AgendaActor, AgendaChange, Agendas as _, FindingFilter, Message, ModelFailure, NewFinding, NoOutsideText,
    Reply, RunLogs as _,
};
use wellread_testkit::agenda_fixtures::{agenda, new_finding};
use wellread_testkit::chat_world::{FailingRecords, block_on};
use wellread_testkit::run_fixtures::{began_event, event_time, note_evidence, record_run, tool_event};
use wellread_testkit::scripted_model::{calls, says};
use wellread_testkit::{ChatWorld, FixedClock, MemoryFiles, ScriptedModel, World, path_rules};

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
fn a_private_note_in_the_trash_is_not_told_of_by_a_deletion() {
    let talking = ChatWorld::without_index(World::new("-- Hive.md\n---\nprivate: true\n---\n1\n"));
    let delete = || calls(&[("delete_file", json!({"path": "Hive"}))]);
    talking.say(&Arc::new(ScriptedModel::new([delete(), says("Done.")])), "Go").unwrap();
    talking.world.save("Hive.md", "2\n");
    let model = elsewhere([delete(), says("Done.")]);
    talking.say(&model, "Go").unwrap();
    let Some(Message::Tool { failed, text, .. }) = model.requests()[1].messages.last().cloned() else {
        panic!("no answer")
    };
    assert!(!failed, "{text}");
    assert_eq!(talking.world.read_bytes("Hive.md"), None);
    let tree = talking.world.files.tree();
    assert_eq!(tree.get(&VaultPath::in_trash("Hive.md")).unwrap(), b"---\nprivate: true\n---\n1\n");
    assert_eq!(tree.get(&VaultPath::in_trash("Hive 1.md")).unwrap(), b"2\n");
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
fn a_run_about_a_private_note_changes_nothing_in_a_report_on_the_vault() {
    let report = |drawn_on: &[&str]| {
        let world = World::new("-- Diary.md\n---\nprivate: true\n---\nx\n-- Open.md\nx\n");
        let run = RunId::fresh();
        let evidence = drawn_on
            .iter()
            .zip(1..)
            .map(|(path, number)| RunEvent::Evidence(Box::new(note_evidence(&run, number, path, "x"))));
        let events: Vec<RunEvent> = [began_event(RunKind::Ask, "x")].into_iter().chain(evidence).collect();
        record_run(&*world.records, &run, RunKind::Ask, "x", &events);
        let tools = catalog();
        let tool = find_tool(&tools, "kb_health").unwrap();
        let answer = block_on(tool.call(&world.ctx().without_private(), json!({}))).unwrap();
        answer.fields["neverDrawnOn"].clone()
    };
    assert_eq!(report(&["Diary.md", "Open.md"]), report(&[]));
    assert_ne!(report(&["Open.md"]), report(&[]));
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

const HIVE: &str = "-- Hive.md\nThe lock opens with 4711.\n";
const HIVE_MARKED: &str = "---\nprivate: true\n---\nThe lock opens with 4711.\n";

fn reads_the_hive() -> Result<Reply, ModelFailure> {
    calls(&[("read_file", json!({"path": "Hive"}))])
}

#[test]
fn a_turn_that_read_a_note_which_is_private_now_is_not_resumed_elsewhere() {
    for private in [true, false] {
        let talking = ChatWorld::without_index(World::new(HIVE));
        let busy = || Err(ModelFailure::Busy { message: "busy".to_owned() });
        talking.say(&elsewhere([reads_the_hive(), busy()]), "How?").unwrap_err();
        if private {
            talking.world.save("Hive.md", HIVE_MARKED);
        }
        let resumed = talking.chat(elsewhere([says("With a number.")]));
        let resumed = block_on(resumed.resume(&talking.last_run(), &|_| {}));
        assert_eq!(resumed.is_err(), private);
        if let Err(error) = resumed {
            assert_eq!(error.kind(), ErrorKind::Refused, "{error:?}");
            let here = talking.chat(Arc::new(ScriptedModel::new([says("With a number.")])));
            block_on(here.resume(&talking.last_run(), &|_| {})).unwrap();
        }
    }
}

type Change<'a> = (&'a dyn Fn(&World), bool);

#[test]
fn a_conversation_that_drew_on_a_note_which_is_private_now_goes_on_only_here() {
    let mark = |world: &World| world.save("Hive.md", HIVE_MARKED);
    let move_by_hand = |world: &World| {
        world.files.remove(&world.path("Hive.md"));
        world.save("P/Hive.md", "The lock opens with 4711.\n");
    };
    let rename = |world: &World, to| {
        world.call_tool("move_file", json!({"source": "Hive", "destination": to}));
    };
    let take = |world: &World| {
        world.call_tool("create_file", json!({"path": "Hive", "content": "x"}));
    };
    let changes: [Change<'_>; 10] = [
        (&mark, true),
        (&|world| (mark(world), rename(world, "Box"), take(world)).2, true),
        (&|world| (rename(world, "P/Hive"), take(world)).1, true),
        (&|world| (move_by_hand(world), take(world)).1, true),
        (&|world| (rename(world, "Box"), take(world)).1, false),
        (&move_by_hand, true),
        (&|world| rename(world, "P/Hive"), true),
        (&|world| rename(world, "Box"), false),
        (&|world| drop(world.call_tool("delete_file", json!({"path": "Hive"}))), false),
        (&|_| (), false),
    ];
    for (number, (change, private)) in changes.into_iter().enumerate() {
        let mut world = World::new(HIVE).with_private_folders(&["P"]);
        // What becomes of the note does so later.
        let earlier = Arc::new(FixedClock::parse("2026-03-01T08:30[+00:00]"));
        world.vault = Arc::new(Vault { clock: earlier, ..(*world.vault).clone() });
        let talking = ChatWorld::without_index(world);
        let here = Arc::new(ScriptedModel::new([reads_the_hive(), says("With 4711.")]));
        let first = talking.say(&here, "How?").unwrap();
        assert!(!talking.session().private);
        change(&talking.world);
        let model = elsewhere([says("I don't know.")]);
        let chat = talking.chat(model.clone());
        let named = chat.session(Some(&first.session_id), None).unwrap();
        let next = talking.say(&model, "And now?").unwrap();
        assert_eq!(next.session_id != first.session_id, private, "{number}");
        assert_eq!(next.notice.is_some(), private, "{number}");
        let sent = format!("{:?}", model.requests());
        assert_eq!(sent.contains("4711") || sent.contains("Hive"), !private, "{number}: {sent}");
        if private {
            let error = block_on(chat.say(named, "And now?", &|_| {})).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused, "{number}: {error:?}");
        }
    }
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
fn a_mark_counts_however_its_key_is_written() {
    let files = [
        ("Tags.md", "Tags:\n  - Private", true),
        ("Tag.md", "TAG: private", true),
        ("Spaced.md", "'tags ': [a, private]", true),
        ("Key.md", "Private: yes", true),
        ("Open.md", "Tags: [garden]\nPRIVATE: no", false),
    ];
    let texts = files.map(|(name, yaml, _)| (name, format!("---\n{yaml}\n---\nx\n")));
    let world = World::with_files(texts.each_ref().map(|(name, text)| (*name, text.as_bytes())));
    for (name, _, private) in files {
        assert_eq!(world.vault.is_private(&world.path(name)), private, "{name}");
    }
}

#[test]
fn what_is_a_mark_to_another_program_counts() {
    let files = [
        ("Dots.qmd", "---\nprivate: true\n...\nx\n", true),
        ("Dots.md", "---\ntags: private\n...\n\nx\n\n---\n\ny\n", true),
        ("Unclosed.md", "---\nprivate: true\n\nx\n", true),
        ("Toml.md", "+++\ntitle = \"x\"\nprivate = true\n+++\nx\n", true),
        ("Zola.md", "+++\n[taxonomies]\ntags = [\"private\"]\n+++\nx\n", true),
        ("Marks.md", "\u{feff}\u{feff}---\nprivate: true\n---\nx\n", true),
        ("Blank.md", "\n \n---\nprivate: true\n---\nx\n", true),
        ("Mapping.md", "---\ntags: {private: true}\n---\nx\n", true),
        ("Nested.md", "---\ntags: [a, [b, '#private/x']]\n---\nx\n", true),
        ("Group.canvas", r##"{"nodes":[{"type":"group","label":"Plans #private"}]}"##, true),
        ("Arrow.canvas", r##"{"edges":[{"label":"#private"}]}"##, true),
        ("Open dots.md", "---\nprivate: no\n...\nx\n", false),
        ("Open toml.md", "+++\nprivate = false\ntags = [\"garden\"]\n+++\nx\n", false),
        ("Open mapping.md", "---\ntags: {garden: true}\n---\nx\n", false),
        ("Rule.md", "---\n\n# Bees\n\nThey are private: really.\n", false),
        ("Rules.md", "\n---\nA rule above and below.\n---\n", false),
        ("Open.canvas", r##"{"nodes":[{"type":"group","label":"private"}]}"##, false),
    ];
    let world = World::with_files(files.map(|(name, text, _)| (name, text.as_bytes())));
    for (name, _, private) in files {
        assert_eq!(world.vault.is_private(&world.path(name)), private, "{name}");
    }
}

#[test]
fn a_note_that_is_not_text_is_private() {
    let note = "---\nprivate: true\n---\nx\n";
    let little: Vec<u8> = note.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = note.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let with_mark = |mark: &[u8], text: &[u8]| [mark, text].concat();
    let files = [
        ("Little.md", little.clone(), true),
        ("Big.txt", big.clone(), true),
        ("Little mark.markdown", with_mark(b"\xff\xfe", &little), true),
        ("Big mark.md", with_mark(b"\xfe\xff", &big), true),
        ("Wide.base", little, true),
        ("Latin.md", b"caf\xe9\n".to_vec(), false),
    ];
    let world = World::with_files(files.each_ref().map(|(name, bytes, _)| (*name, bytes.as_slice())));
    let view = world.vault.without_private();
    for (name, _, private) in files {
        assert_eq!(world.vault.is_private(&world.path(name)), private, "{name}");
        assert_eq!(view.read(&world.path(name)).is_err(), private, "{name}");
    }
}

#[test]
fn markdown_by_another_ending_is_private_by_its_marks() {
    for name in ["A.mdx", "A.qmd", "A.Rmd", "A.mdown", "A.mkd", "A.mkdn", "A.mdwn", "A.mdtext"] {
        for (text, private) in [
            ("---\nprivate: true\n---\nx\n", true),
            ("---\ntags: private\n---\nx\n", true),
            ("x #private\n", true),
            ("---\nprivate: [\n---\nx\n", true),
            ("---\nprivate: no\n---\nx\n", false),
        ] {
            let world = World::with_files([(name, text.as_bytes())]);
            assert_eq!(world.vault.is_private(&world.path(name)), private, "{name}: {text}");
        }
    }
}

#[test]
fn what_a_merge_key_brings_into_the_frontmatter_counts() {
    for (yaml, private) in [
        ("base: &b {private: true}\n<<: *b", true),
        ("<<: {Tags: [private]}", true),
        ("<<: [{a: 1}, {<<: {private: yes}}]", true),
        ("<<: {private: no, tags: garden}", false),
        ("base: {private: true}", false),
    ] {
        let world = World::with_files([("A.md", format!("---\n{yaml}\n---\nx\n").as_bytes())]);
        assert_eq!(world.vault.is_private(&world.path("A.md")), private, "{yaml}");
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

#[test]
fn a_note_that_changes_is_judged_again() {
    let (public, private) = ("---\nprivate: no\n---\n", "---\nprivate: yes\n---\n");
    let world = World::with_files([("Old.md", public.as_bytes()), ("New.md", public.as_bytes())]);
    let old = world.path("Old.md");
    // So long ago that what is known of it is believed.
    world.files.set_dates(&old, "2020-01-01T00:00:00Z".parse().unwrap(), None);
    let view = world.vault.without_private();
    let seen = || {
        let listed = view.files.list().unwrap().files.into_iter().map(|entry| entry.path.to_string());
        let listed: Vec<String> = listed.collect();
        let found: Vec<bool> = ["New.md", "Old.md"].map(|path| view.is_visible(&world.path(path))).into();
        (listed, found)
    };
    assert_eq!(seen(), (vec!["New.md".to_owned(), "Old.md".to_owned()], vec![true, true]));
    world.save("Old.md", private);
    assert_eq!(seen(), (vec!["New.md".to_owned()], vec![true, false]));
    // What was written just now looks the same, and can't be read any more.
    world.files.make_unreadable(&world.path("New.md"));
    assert_eq!(seen(), (Vec::new(), vec![false, false]));
}

#[test]
fn an_error_that_names_a_private_note_keeps_the_conversation_here() {
    for (path, private) in [("Diary", true), ("Open", false)] {
        let talking = ChatWorld::without_index(World::new(DIARY));
        let edit = json!({"path": path, "heading": "# None", "content": "x"});
        let here = ScriptedModel::new([calls(&[("replace_section", edit)]), says("There is none.")]);
        talking.say(&Arc::new(here), "Go").unwrap();
        assert_eq!(talking.session().private, private, "{path}");
    }
}

#[test]
fn a_run_is_hidden_by_what_it_read_and_by_every_note_that_it_names() {
    let world = World::new(DIARY);
    let run = RunId::fresh();
    let mut read = tool_event("get_current_date", json!({}));
    if let RunEvent::Tool { private, .. } = &mut read {
        *private = true;
    }
    let names = |path: &str| tool_event("read_file", json!({ "path": path }));
    let cites = |path: &str| RunEvent::Evidence(Box::new(note_evidence(&run, 1, path, "x")));
    for (event, is_shown) in [
        (tool_event("get_current_date", json!({})), true),
        (names("Open.md"), true),
        (cites("Open.md"), true),
        (read, false),
        (names("Diary.md"), false),
        (cites("Diary.md"), false),
        // It may be a private one that was moved.
        (names("Gone.md"), false),
    ] {
        let id = RunId::fresh();
        record_run(&*world.records, &id, RunKind::Chat, "x", &[began_event(RunKind::Chat, "x"), event]);
        let events = world.records.events(&id).unwrap();
        assert_eq!(log::is_shown_by(&world.vault.without_private(), &events), is_shown, "{events:?}");
        assert!(log::is_shown_by(&world.vault, &events));
    }
}

#[test]
fn a_finding_is_hidden_by_every_note_that_it_names() {
    let world = World::new(DIARY);
    let asked = Agenda { max_findings: 9, ..agenda(1) };
    world.agendas.propose(&asked, None).unwrap();
    let naming: [fn(&mut Finding); 6] = [
        // The oldest is about a public note.
        |finding| {
            (finding.created, finding.nearest) = (event_time(1), Some("https://wax.example".to_owned()));
        },
        |finding| finding.related_notes.push("Diary.md".to_owned()),
        |finding| finding.note_path = Some("Diary.md".to_owned()),
        |finding| finding.nearest = Some("Diary.md".to_owned()),
        |finding| finding.evidence[0].url = "Diary.md:1-2".to_owned(),
        // Nobody can tell what this was.
        |finding| finding.related_notes.push("../Diary.md".to_owned()),
    ];
    let found = naming.iter().enumerate().map(|(number, name)| {
        let url = format!("https://wax.example/{number}");
        let mut new = new_finding(&asked.id, &asked.tasks[0].id, &url);
        new.finding.related_notes = vec!["Open.md".to_owned()];
        name(&mut new.finding);
        new
    });
    let found: Vec<NewFinding> = found.collect();
    let add = |change: &mut AgendaChange| {
        change.findings.clone_from(&found);
        Ok(())
    };
    world.agendas.change_agenda(&asked.id, AgendaActor::User, &mut { add }).unwrap();

    let (ctx, public) = (world.ctx(), world.vault.without_private());
    let whole = Inbox { research: &ctx.research, vault: &world.vault };
    let view = Inbox { vault: &public, ..whole };
    let listed = |inbox: &Inbox<'_>, at_most| {
        let list = inbox.findings(&FindingFilter::default(), at_most).unwrap();
        (list.findings.iter().map(|finding| finding.url.clone()).collect::<Vec<_>>(), list.counts.new)
    };
    assert_eq!((listed(&whole, 9).0.len(), listed(&whole, 9).1), (6, 6));
    assert_eq!(listed(&view, 1), (vec!["https://wax.example/0".to_owned()], 1));
    let is_there = |new: &NewFinding| view.finding(&new.finding.id).is_ok();
    assert_eq!(found.iter().map(is_there).collect::<Vec<_>>(), [true, false, false, false, false, false]);
}

#[test]
fn an_agenda_is_hidden_by_every_note_that_it_names() {
    let world = World::new(DIARY);
    let naming: [fn(&mut Agenda); 4] = [
        // The oldest is about a public note.
        |_| (),
        |agenda| agenda.private = true,
        |agenda| agenda.source_note_id = Some("Diary.md".to_owned()),
        |agenda| agenda.tasks[0].related_notes.push("Diary.md".to_owned()),
    ];
    let ids = ["00000000000001", "00000000000002", "00000000000003", "00000000000004"];
    let ids = ids.map(|id| AgendaId::parse(id).unwrap());
    for (id, name) in ids.iter().zip(naming) {
        let mut agenda = Agenda { id: id.clone(), ..agenda(1) };
        (agenda.tasks[0].id, agenda.tasks[0].related_notes) =
            (TaskId::new(id, 1), vec!["Open.md".to_owned()]);
        name(&mut agenda);
        world.agendas.propose(&agenda, None).unwrap();
    }
    let (whole, view) = (world.ctx(), world.ctx().without_private());
    let listed = |ctx: &wellread_core::faces::tools::Ctx, at_most| {
        let jobs = Jobs { research: &ctx.research, context: ctx.recipe_context() };
        let list = jobs.agendas(None, at_most).unwrap().agendas;
        let found = ids.clone().map(|id| jobs.agenda(&id).is_ok());
        (list.into_iter().map(|agenda| agenda.id).collect::<Vec<_>>(), found)
    };
    assert_eq!((listed(&whole, 9).0.len(), listed(&whole, 9).1), (4, [true; 4]));
    assert_eq!(listed(&view, 1), (vec![ids[0].clone()], [true, false, false, false]));
}
