//! Runs, agendas and findings that have text of a private note: where private notes are hidden, they do not exist, whatever
//! became of the note since, and of its name.

use std::sync::Arc;

use serde_json::{Value, json};
use wellread_core::ErrorKind;
use wellread_core::agendas::inbox::Inbox;
use wellread_core::agendas::jobs::Jobs;
use wellread_core::domain::id::RunId;
use wellread_core::engine::log;
use wellread_core::engine::run::envelope;
use wellread_core::faces::chat::Session;
use wellread_core::faces::tools::{Ctx, catalog, find_tool};
use wellread_core::library::public_view::{SharedRepositories, Visibility};
use wellread_core::library::vault::Vault;
use wellread_core::ports::agenda::Agenda;
use wellread_core::ports::event::{LoggedEvent, RunEvent, RunKind};
use wellread_core::ports::{AgendaActor, AgendaChange, Agendas as _, NewFinding, RunHeader, RunLogs as _};
use wellread_testkit::agenda_fixtures::{agenda, new_finding};
use wellread_testkit::chat_world::block_on;
use wellread_testkit::run_fixtures::{
    began_event, code_evidence, event_time, note_evidence, record_run, tool_event,
};
use wellread_testkit::scripted_model::{calls, says};
use wellread_testkit::{ChatWorld, ScriptedModel, World};

const DIARY: &str = "---\nprivate: true\n---\nThe safe opens with 5522. The hive stands in Oslo.\n";
const OPEN: &str = "The safe opens with 5522. The hive stands in Oslo.\n";

type Change<'a> = &'a dyn Fn(&World);

fn world(diary: &str) -> World {
    World::new(&format!("-- Diary.md\n{diary}-- Own.md\nMine.\n")).with_private_folders(&["P"])
}

fn call_in(ctx: &Ctx, tool: &str, arguments: Value) -> Value {
    let tools = catalog();
    let tool = find_tool(&tools, tool).unwrap();
    envelope(block_on(tool.call(ctx, arguments)).map(|answer| answer.fields))
}

fn rename(world: &World, from: &str, to: &str) {
    let moved = world.call_tool("move_file", json!({"source": from, "destination": to}));
    assert_eq!(moved["success"], true, "{moved}");
}

/// What a client does that sees no private notes.
fn take_the_name(world: &World) {
    let made =
        call_in(&world.ctx().without_private(), "create_file", json!({"path": "Diary", "content": "x"}));
    assert_eq!(made["success"], true, "{made}");
}

fn is_shown(world: &World, events: &[LoggedEvent]) -> bool {
    assert!(log::is_shown_by(&world.vault, events), "the user sees all");
    log::is_shown_by(&world.vault.without_private(), events)
}

fn record(world: &World, kind: RunKind, events: Vec<RunEvent>) -> RunId {
    let id = RunId::fresh();
    let all: Vec<RunEvent> = [began_event(kind, "x")].into_iter().chain(events).collect();
    record_run(&*world.records, &id, kind, "x", &all);
    id
}

#[test]
fn a_run_about_a_private_note_stays_hidden_whatever_becomes_of_the_note_and_its_name() {
    let changes: [fn(&World); 4] = [
        |_| (),
        |world| {
            rename(world, "Diary", "Kept/Anna");
            take_the_name(world);
        },
        |world| world.save("Diary.md", "The hive stands in Oslo.\n"),
        |world| {
            world.files.remove(&world.path("Diary.md"));
            take_the_name(world);
        },
    ];
    for (number, change) in changes.iter().enumerate() {
        let world = world(DIARY);
        let summary = world.call_tool("summarize_file", json!({"path": "Diary", "dry_run": true}));
        let note = world.call_tool("research_note", json!({"path": "Diary", "dry_run": true}));
        change(&world);
        for answer in [summary, note] {
            let run = RunId::parse(answer["run_id"].as_str().unwrap()).unwrap();
            let events = world.records.events(&run).unwrap();
            assert!(!is_shown(&world, &events), "{number}: {answer}");
            let mut old = events.clone();
            let RunEvent::Began { private, .. } = &mut old[0].event else { panic!("{old:?}") };
            assert!(std::mem::take(private), "{answer}");
            assert!(!is_shown(&world, &old), "a log of an earlier version, {number}: {answer}");
        }
    }
}

#[test]
fn a_run_is_hidden_if_any_note_that_had_the_name_since_is_private_by_now() {
    let mark = |world: &World| world.save("Diary.md", DIARY);
    let remove = |world: &World| world.files.remove(&world.path("Diary.md"));
    let changes: [(&str, Change<'_>, bool); 11] = [
        ("nothing", &|_| (), true),
        ("marked", &mark, false),
        ("renamed", &|world| rename(world, "Diary", "Box"), true),
        ("renamed, and taken", &|world| (rename(world, "Diary", "Box"), take_the_name(world)).1, true),
        (
            "renamed, marked, and taken",
            &|world| {
                rename(world, "Diary", "Box");
                world.save("Box.md", DIARY);
                take_the_name(world);
            },
            false,
        ),
        (
            "moved to a private folder, and taken",
            &|world| {
                rename(world, "Diary", "P/Diary");
                take_the_name(world);
            },
            false,
        ),
        (
            "moved to a private folder and away from it, and taken",
            &|world| {
                rename(world, "Diary", "P/Diary");
                rename(world, "P/Diary", "Box");
                take_the_name(world);
            },
            false,
        ),
        (
            "marked and deleted, and taken",
            &|world| {
                mark(world);
                world.call_tool("delete_file", json!({"path": "Diary"}));
                take_the_name(world);
            },
            false,
        ),
        ("removed by hand", &remove, false),
        (
            "removed by hand, and taken",
            &|world| {
                remove(world);
                take_the_name(world);
            },
            false,
        ),
        (
            "renamed, and removed by hand",
            &|world| {
                rename(world, "Diary", "Box");
                world.files.remove(&world.path("Box.md"));
                take_the_name(world);
            },
            false,
        ),
    ];
    for (what, change, shown) in changes {
        let world = world(OPEN);
        let id = RunId::fresh();
        let cites = RunEvent::Evidence(Box::new(note_evidence(&id, 1, "Diary.md", "x")));
        let names = tool_event("read_file", json!({"path": "Diary.md"}));
        let runs = [record(&world, RunKind::Ask, vec![cites]), record(&world, RunKind::Chat, vec![names])];
        change(&world);
        for run in runs {
            assert_eq!(is_shown(&world, &world.records.events(&run).unwrap()), shown, "{what}");
        }
    }
}

#[test]
fn a_run_that_made_the_note_itself_is_shown() {
    let world = world(OPEN);
    let made = call_in(&world.ctx(), "create_file", json!({"path": "New", "content": "x"}));
    let id = record(&world, RunKind::Chat, vec![tool_event("create_file", json!({"path": "New.md"}))]);
    let mut events = world.records.events(&id).unwrap();
    assert!(!is_shown(&world, &events), "it was taken after the run: {made}");
    events.last_mut().unwrap().at = world.vault.clock.now().timestamp();
    assert!(is_shown(&world, &events));
}

#[test]
fn a_conversation_that_was_told_of_a_private_note_is_hidden_from_then_on() {
    let reads = || calls(&[("read_file", json!({"path": "Diary"}))]);
    let deletes = || calls(&[("delete_file", json!({"path": "Diary"}))]);
    let talking = ChatWorld::without_index(world(DIARY));
    let model = ScriptedModel::new([reads(), deletes(), says("It opens with 5522."), says("Yes, 5522.")]);
    let model = Arc::new(model);
    for message in ["Read my diary, and delete it", "Thanks"] {
        talking.say(&model, message).unwrap();
        assert!(!log::is_shown_by(&talking.world.vault.without_private(), &talking.events()), "{message}");
    }
    take_the_name(&talking.world);
    assert!(!log::is_shown_by(&talking.world.vault.without_private(), &talking.events()));
}

#[test]
fn a_turn_that_begins_with_something_private_is_hidden_whatever_becomes_of_it() {
    let preferences = "-- Preferences.md\n---\nprivate: true\n---\n- Call me Zaphod.\n-- Own.md\nx\n";
    let diary = format!("-- Diary.md\n{DIARY}");
    for (vault, note, open, shown) in [
        (preferences, "Preferences.md", None, false),
        ("-- Preferences.md\n- Call me Zaphod.\n", "Preferences.md", None, true),
        (&diary, "Diary.md", Some("Diary.md"), false),
    ] {
        let talking = ChatWorld::without_index(World::new(vault));
        let chat = talking.chat(Arc::new(ScriptedModel::new([says("Yes.")])));
        block_on(chat.say(chat.session(None, open).unwrap(), "Hello", &|_| {})).unwrap();
        talking.world.save(note, "Open by now.\n");
        let events = talking.events();
        assert_eq!(log::is_shown_by(&talking.world.vault.without_private(), &events), shown, "{note}");
    }
}

#[test]
fn an_agenda_and_its_findings_are_hidden_by_what_became_of_the_notes_that_they_name() {
    let changes: [(Change<'_>, bool); 3] = [
        (&|_| (), true),
        (&|world| (rename(world, "Diary", "Box"), take_the_name(world)).1, true),
        (
            &|world| {
                world.save("Diary.md", DIARY);
                rename(world, "Diary", "Box");
                take_the_name(world);
            },
            false,
        ),
    ];
    for (change, shown) in changes {
        let world = world(OPEN);
        let mut asked = Agenda { created: event_time(1), ..agenda(1) };
        asked.source_note_id = Some("Diary.md".to_owned());
        asked.tasks[0].related_notes = vec!["Diary.md".to_owned()];
        world.agendas.propose(&asked, None).unwrap();
        let mut new = new_finding(&asked.id, &asked.tasks[0].id, "https://wax.example");
        (new.finding.related_notes, new.finding.created) = (vec!["Diary.md".to_owned()], event_time(1));
        (new.finding.nearest, new.finding.evidence) = (None, Vec::new());
        let add = |change: &mut AgendaChange| {
            change.findings = vec![new.clone()];
            Ok(())
        };
        world.agendas.change_agenda(&asked.id, AgendaActor::User, &mut { add }).unwrap();
        change(&world);
        let view = world.ctx().without_private();
        let jobs = Jobs { research: &view.research, context: view.recipe_context() };
        let inbox = Inbox { research: &view.research, vault: &view.vault };
        assert_eq!(jobs.agenda(&asked.id).is_ok(), shown);
        assert_eq!(inbox.finding(&new.finding.id).is_ok(), shown);
    }
}

#[test]
fn a_finding_is_hidden_by_private_prose_of_every_kind_and_by_its_agenda() {
    let files = ["A.md", "A.txt", "A.markdown", "A.org", "A.qmd"];
    for (cited, private) in
        files.map(|file| (file, false)).into_iter().chain([("Own.md", false), ("Own.md", true)])
    {
        let mut world = World::with_files([("Own.md", "x".as_bytes())]);
        if cited != "Own.md" {
            world = World::with_files([(cited, DIARY.as_bytes())]);
            if cited == "A.org" {
                world.save(cited, "#+FILETAGS: :private:\n");
            }
        }
        let asked = Agenda { private, ..agenda(1) };
        world.agendas.propose(&asked, None).unwrap();
        let mut new: NewFinding = new_finding(&asked.id, &asked.tasks[0].id, "https://wax.example");
        (new.finding.related_notes, new.finding.nearest) = (Vec::new(), None);
        new.finding.evidence[0].url = format!("{cited}:1-2");
        let add = |change: &mut AgendaChange| {
            change.findings = vec![new.clone()];
            Ok(())
        };
        world.agendas.change_agenda(&asked.id, AgendaActor::User, &mut { add }).unwrap();
        let view = world.ctx().without_private();
        let inbox = Inbox { research: &view.research, vault: &view.vault };
        let shown = cited == "Own.md" && !private;
        assert_eq!(inbox.finding(&new.finding.id).is_ok(), shown, "{cited} {private}");
    }
}

#[test]
fn a_run_about_code_is_hidden_by_notes_that_the_repository_shares_with_the_vault() {
    // The vault is known as `/vault`.
    for (repository, shared) in [("hivelog", true), ("hivelog", false), ("/", true)] {
        let world = world(OPEN);
        let known = SharedRepositories::from([("hivelog".to_owned(), vec!["/".to_owned()])]);
        let visibility = if shared { Visibility::of_whole(known) } else { Visibility::default() };
        let vault = Vault { visibility, ..(*world.vault).clone() };
        let id = RunId::fresh();
        let mut cited = code_evidence(&id, 1, "vault/Diary.md", "x");
        if let wellread_core::domain::evidence::Source::Code { repository: named, .. } = &mut cited.source {
            repository.clone_into(named);
        }
        let run = record(&world, RunKind::Code, vec![RunEvent::Evidence(Box::new(cited.clone()))]);
        let events = world.records.events(&run).unwrap();
        let view = vault.without_private();
        assert!(log::is_shown_by(&view, &events));
        world.save("Diary.md", DIARY);
        assert_eq!(log::is_shown_by(&view, &events), !shared, "{repository}");
        assert_eq!(log::drew_on_private_notes(&vault, &[cited.clone()], &events), shared);
        world.save("Diary.md", OPEN);
        rename(&world, "Diary", "P/Diary");
        take_the_name(&world);
        assert_eq!(log::is_shown_by(&view, &events), !shared, "{repository}");
    }
}

#[test]
fn a_tool_that_opens_a_hidden_run_is_told_that_there_is_none() {
    let world = world(DIARY);
    let hidden = world.call_tool("research_note", json!({"path": "Diary", "dry_run": true}));
    let hidden = hidden["run_id"].as_str().unwrap().to_owned();
    let unfinished =
        record(&world, RunKind::Note, vec![tool_event("read_file", json!({"path": "Diary.md"}))]);
    let view = world.ctx().without_private();
    for run in [hidden, unfinished.to_string(), RunId::fresh().to_string()] {
        let none = RunHeader::not_found_error(&RunId::parse(&run).unwrap());
        let answer = call_in(&view, "research_note", json!({"path": "Own", "preview_run": run}));
        assert_eq!(answer["error"], none.message(), "{answer}");
        assert_eq!(answer["hint"], none.hint_text().unwrap(), "{answer}");
        let error = log::read_shown_run(&*world.records, &view.vault, &RunId::parse(&run).unwrap());
        assert_eq!(error.unwrap_err().kind(), ErrorKind::NotFound);
    }
}

#[test]
fn the_evidence_and_the_pages_of_a_hidden_run_support_no_claim() {
    for private in [false, true] {
        let world = world(if private { DIARY } else { OPEN });
        let id = RunId::fresh();
        let own = note_evidence(&id, 1, "Own.md", "Mine.");
        let events = [
            began_event(RunKind::Ask, "x"),
            tool_event("read_file", json!({"path": "Diary.md"})),
            RunEvent::Evidence(Box::new(own.clone())),
            RunEvent::Shown { ids: vec![own.id.clone()] },
        ];
        record_run(&*world.records, &id, RunKind::Ask, "x", &events);
        let text = format!("\"Mine.\" is all that it says [{}].", own.id);
        let answer = call_in(&world.ctx().without_private(), "check_claims", json!({ "text": text }));
        let reason = answer["sentences"][0]["reason"].as_str().unwrap();
        assert_eq!(reason.contains("place changed"), !private, "{answer:#}");
    }
}

#[test]
fn an_edit_that_fails_for_a_private_note_names_it_to_nobody_elsewhere() {
    for private in [true, false] {
        let diary = if private { DIARY } else { OPEN };
        let world = World::new(&format!("-- Diary.md\n{diary}See [[Own]].\n-- Own.md\nMine.\n"));
        let (path, mut times) = (world.path("Diary.md"), 0);
        world.files.before_each_change(move |tree| {
            times += 1;
            drop(tree.insert(path.clone(), format!("{diary}See [[Own]] {times}.\n").into_bytes()));
        });
        let ctx = world.ctx().without_private();
        let answer = call_in(&ctx, "move_file", json!({"source": "Own", "destination": "Other"}));
        assert_eq!(answer["success"], false, "{answer}");
        assert_eq!(answer.to_string().contains("Diary"), !private, "{answer}");
    }
}

#[test]
fn a_conversation_of_an_earlier_version_follows_its_notes_as_far_back_as_the_journal_goes() {
    let talking = ChatWorld::without_index(world(OPEN));
    let mut state = serde_json::to_value(talking.session()).unwrap();
    state["files"] = json!(["Diary.md"]);
    let session: Session = serde_json::from_value(state).unwrap();
    let again = serde_json::from_value(serde_json::to_value(&session).unwrap());
    assert_eq!(again.ok().as_ref(), Some(&session));
    let is_refused = || {
        let mut model = ScriptedModel::new([says("Yes.")]);
        model.identity.is_local = false;
        let chat = talking.chat(Arc::new(model));
        block_on(chat.say(session.clone(), "Hello", &|_| {})).is_err()
    };
    assert!(!is_refused());
    rename(&talking.world, "Diary", "P/Diary");
    take_the_name(&talking.world);
    assert!(is_refused());
}
