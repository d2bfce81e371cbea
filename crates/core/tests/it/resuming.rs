//! A run that is cut off goes on; one that is run again gives the same.

use std::sync::Arc;

use serde_json::json;
use wellread_core::engine::run::{Run, RunSpec, RunStore};
use wellread_core::library::vault::EditPolicy;
use wellread_core::ports::event::{ModelAnswer, RunEvent};
use wellread_core::ports::{ModelFailure, Reply, RunLogs};
use wellread_core::{Error, ErrorKind};
use wellread_testkit::chat_world::{FailingRecords, block_on};
use wellread_testkit::scripted_model::{calls, says};
use wellread_testkit::{ChatWorld, FixedClock, MemoryRecords, ScriptedModel, World};

const VAULT: &str =
    "-- Bees.md\n# Bees\n\nThe hive weighs 41 kg in July.\n-- Wax.md\nWax melts at 62 °C.\n-- Log.md\nold\n";

/// A turn with reads side by side, a search, two edits and an answer.
fn script() -> Vec<Result<Reply, ModelFailure>> {
    vec![
        calls(&[("read_file", json!({"path": "Bees"})), ("read_file", json!({"path": "Wax"}))]),
        calls(&[("search_vault", json!({"query": "hive"}))]),
        calls(&[("append_to_file", json!({"path": "Log", "content": "first"}))]),
        calls(&[
            ("append_to_file", json!({"path": "Log", "content": "second"})),
            ("get_current_date", json!({})),
        ]),
        says("The hive weighs 41 kg, and the log has two lines more. See [[Bees]]."),
    ]
}

fn talking() -> ChatWorld {
    ChatWorld::new(World::new(VAULT))
}

#[test]
fn a_run_cut_off_after_any_of_its_events_ends_as_it_would_have() {
    let whole = talking();
    let expected = whole.say(&Arc::new(ScriptedModel::new(script())), "Go").unwrap();
    let events = whole.events();
    assert!(events.len() > 25, "{} events", events.len());
    for cut in 1..events.len() {
        let talking = talking();
        let model = Arc::new(ScriptedModel::new(script()));
        let records = Arc::new(FailingRecords::fail_after(cut, &talking.records));
        let chat = talking.chat_with_records(model, records);
        let session = chat.session(None, None).unwrap();
        block_on(chat.say(session, "Go", &|_| {})).unwrap_err();
        let run = talking.last_run();
        let answered = talking.events().iter().filter(|event| is_reply(&event.event)).count();

        let rest = Arc::new(ScriptedModel::new(script().split_off(answered)));
        let chat = talking.chat(rest.clone());
        let response =
            block_on(chat.resume(&run, &|_| {})).unwrap_or_else(|error| panic!("cut after {cut}: {error}"));

        assert_eq!(response.response, expected.response, "cut after {cut}");
        assert_eq!(
            rest.replies_left(),
            0,
            "cut after {cut}: what was answered is not asked again, the rest is"
        );
        assert_eq!(talking.world.read_text("Log.md"), whole.world.read_text("Log.md"), "cut after {cut}");
        assert_eq!(plain(&talking), plain(&whole), "cut after {cut}");
        let logged = |talking: &ChatWorld| {
            let kept = |event: &RunEvent| {
                !matches!(event, RunEvent::Sent(_) | RunEvent::Resumed | RunEvent::Calling { .. })
            };
            talking.events().iter().filter(|event| kept(&event.event)).count()
        };
        assert_eq!(logged(&talking), logged(&whole), "cut after {cut}: nothing is in the log twice");
        let again = block_on(chat.replay(&run)).unwrap();
        assert_eq!(again, response, "cut after {cut}");
    }
}

fn is_reply(event: &RunEvent) -> bool {
    matches!(event, RunEvent::Model { answer: ModelAnswer::Reply(_), .. })
}

/// The conversation without what differs between two worlds: its id, those of runs and operations.
fn plain(talking: &ChatWorld) -> String {
    let mut session = talking.session();
    session.id.clear();
    let text = serde_json::to_string(&session).unwrap();
    // A change whose answer was lost is known by the journal alone.
    let text = text.replace("done before the run was cut off", "added at the end of `Log.md`");
    let masked = text.split('"').map(|word| if word.matches('-').count() == 4 { "*" } else { word });
    masked.collect::<Vec<_>>().join("\"")
}

#[test]
fn an_edit_that_was_made_and_not_written_down_is_not_made_twice() {
    // Every place where the process may end between the edit and its event.
    let whole = talking();
    whole.say(&Arc::new(ScriptedModel::new(script())), "Go").unwrap();
    let announced: Vec<usize> = whole
        .events()
        .iter()
        .enumerate()
        .filter_map(|(n, event)| matches!(event.event, RunEvent::Calling { .. }).then_some(n + 1))
        .collect();
    assert_eq!(announced.len(), 2);
    for cut in announced {
        let talking = talking();
        let records = Arc::new(FailingRecords::fail_after(cut, &talking.records));
        let chat = talking.chat_with_records(Arc::new(ScriptedModel::new(script())), records);
        let session = chat.session(None, None).unwrap();
        block_on(chat.say(session, "Go", &|_| {})).unwrap_err();
        let answered = talking.events().iter().filter(|event| is_reply(&event.event)).count();
        let chat = talking.chat(Arc::new(ScriptedModel::new(script().split_off(answered))));
        block_on(chat.resume(&talking.last_run(), &|_| {})).unwrap();
        assert_eq!(talking.world.read_text("Log.md"), "old\nfirst\nsecond\n", "cut after {cut}");
    }
}

#[test]
fn a_replay_needs_neither_model_nor_vault() {
    let talking = talking();
    let response = talking.say(&Arc::new(ScriptedModel::new(script())), "Go").unwrap();
    let before = talking.events();
    for path in ["Bees.md", "Wax.md", "Log.md"] {
        talking.world.save(path, "something else\n");
    }
    let chat = talking.chat(Arc::new(ScriptedModel::new([])));
    assert_eq!(block_on(chat.replay(&talking.last_run())).unwrap(), response);
    assert_eq!(talking.events(), before, "a replay writes nothing");
    assert_eq!(talking.world.read_text("Log.md"), "something else\n");
}

#[test]
fn a_log_that_does_not_hold_what_a_replay_needs_is_an_error() {
    let whole = talking();
    whole.say(&Arc::new(ScriptedModel::new(script())), "Go").unwrap();
    let events = whole.events();
    for left_out in 1..events.len() {
        if matches!(events[left_out].event, RunEvent::Sent(_) | RunEvent::Calling { .. }) {
            continue;
        }
        let talking = talking();
        let run = whole.last_run();
        let header = whole.records.runs("", 1).unwrap().remove(0);
        talking.records.begin(&header, &events[0].event).unwrap();
        let kept = events.iter().enumerate().skip(1).filter(|(n, _)| *n != left_out);
        for (number, (_, event)) in (1..).zip(kept) {
            talking.records.append(&run, number, event.at, &event.event).unwrap();
        }
        let chat = talking.chat(Arc::new(ScriptedModel::new([])));
        let replayed = block_on(chat.replay(&run));
        // A piece of evidence that is missing changes nothing that was said; it is found missing when it is cited.
        let passes = matches!(events[left_out].event, RunEvent::Evidence(_));
        assert_eq!(replayed.is_ok(), passes, "without event {left_out}: {:?}", events[left_out].event);
    }
}

#[test]
fn a_run_that_is_done_is_not_resumed() {
    let talking = talking();
    talking.say(&Arc::new(ScriptedModel::new([says("Done.")])), "Go").unwrap();
    let chat = talking.chat(Arc::new(ScriptedModel::new([])));
    let error = block_on(chat.resume(&talking.last_run(), &|_| {})).unwrap_err();
    assert_eq!((error.kind(), error.hint_text().is_some()), (ErrorKind::Conflict, true));
}

#[test]
fn a_conversation_that_went_on_is_not_set_back_by_a_resumed_turn() {
    let talking = talking();
    let fails = Err(ModelFailure::Busy { message: "busy".to_owned() });
    let model = Arc::new(ScriptedModel::new([says("Hello."), fails, says("Second."), says("First, late.")]));
    talking.say(&model, "Hello").unwrap();
    talking.say(&model, "First?").unwrap_err();
    let run = talking.last_run();
    talking.say(&model, "Second?").unwrap();
    let before = talking.session();
    let response = block_on(talking.chat(model).resume(&run, &|_| {})).unwrap();
    assert_eq!(response.response, "First, late.");
    assert!(response.notice.unwrap().contains("continued elsewhere"));
    assert_eq!(talking.session(), before);
}

#[test]
fn two_who_take_up_one_run_do_not_both_go_on() {
    let records = Arc::new(MemoryRecords::default());
    let desk =
        RunStore { records: records.clone(), clock: Arc::new(FixedClock::parse("2026-03-01T09:30[+00:00]")) };
    let beginning = RunSpec {
        kind: wellread_core::ports::event::RunKind::Chat,
        title: "x".to_owned(),
        request: json!({}),
        budget: wellread_core::ports::event::Budget::default(),
        private: false,
    };
    let run = Run::begin(&desk, beginning).unwrap();
    let id = run.id().clone();
    let taken = |run: Result<Run, Error>| run.err().map(|error| error.kind());
    assert_eq!(taken(Run::resume(&desk, &id)), Some(ErrorKind::Conflict), "it is under way");
    drop(run);
    let one = Run::resume(&desk, &id).unwrap();
    assert_eq!(taken(Run::resume(&desk, &id)), Some(ErrorKind::Conflict));
    assert_eq!(one.draw("x", || 1), Ok::<i32, Error>(1));
}

#[test]
fn a_run_that_came_to_the_end_of_its_budget_is_replayed_like_any_other() {
    let mut talking = talking();
    talking.settings.budget.requests = Some(2);
    let response = talking.say(&Arc::new(ScriptedModel::new(script())), "Go").unwrap();
    assert!(response.response.contains("request budget"), "{}", response.response);
    let chat = talking.chat(Arc::new(ScriptedModel::new([])));
    assert_eq!(block_on(chat.replay(&talking.last_run())), Ok(response));
}

#[test]
fn a_turn_about_an_open_note_is_replayed_whatever_became_of_the_note() {
    let talking = talking();
    let mut model = ScriptedModel::new([says("A hive.")]);
    model.identity.is_local = false;
    let chat = talking.chat(Arc::new(model));
    let session = chat.session(None, Some("Bees.md")).unwrap();
    let response = block_on(chat.say(session, "What is this?", &|_| {})).unwrap();
    talking.world.save("Bees.md", "---\nprivate: true\n---\n");
    assert_eq!(block_on(chat.replay(&talking.last_run())), Ok(response));
}

#[test]
fn an_edit_after_one_of_a_private_note_is_not_taken_for_made() {
    let talking = || {
        ChatWorld::without_index(World::new("-- Diary.md\n---\nprivate: true\n---\nold\n-- Log.md\nold\n"))
    };
    let edit = |path: &str| calls(&[("append_to_file", json!({"path": path, "content": "new"}))]);
    let script = || vec![edit("Diary"), edit("Log"), says("Done.")];
    let elsewhere = |script: Vec<Result<Reply, ModelFailure>>| {
        let mut model = ScriptedModel::new(script);
        model.identity.is_local = false;
        Arc::new(model)
    };
    let whole = talking();
    whole.say(&elsewhere(script()), "Go").unwrap();
    let events = whole.events();
    let announced = events.iter().rposition(|event| matches!(event.event, RunEvent::Calling { .. })).unwrap();

    let talking = talking();
    let records = Arc::new(FailingRecords::fail_after(announced, &talking.records));
    let chat = talking.chat_with_records(elsewhere(script()), records);
    let session = chat.session(None, None).unwrap();
    block_on(chat.say(session, "Go", &|_| {})).unwrap_err();
    assert_eq!(talking.world.read_text("Log.md"), "old\n");
    // The announcement was written, and then the process ended.
    let (run, number) = (talking.last_run(), talking.events().len() as u64);
    talking.records.append(&run, number, events[announced].at, &events[announced].event).unwrap();

    block_on(talking.chat(elsewhere(vec![says("Done.")])).resume(&run, &|_| {})).unwrap();
    assert_eq!(talking.world.read_text("Log.md"), "old\nnew\n");
}

#[test]
fn two_who_speak_in_one_conversation_at_once_do_not_set_each_other_back() {
    let vault = "-- Own.md\nMine.\n-- Clippings/Page.md\nx\n";
    let talking = ChatWorld::without_index(World::new(vault));
    let script = |content: &str| {
        Arc::new(ScriptedModel::new([
            calls(&[("read_file", json!({"path": "Clippings/Page"}))]),
            calls(&[("append_to_file", json!({"path": "Own", "content": content}))]),
            says("It waits."),
        ]))
    };
    talking.say(&Arc::new(ScriptedModel::new([says("Hello.")])), "Hello").unwrap();
    // Two processes that took the conversation up at the same moment.
    let (one, other) = (talking.chat(script("one")), talking.chat(script("other")));
    let (here, there) = (one.session(None, None).unwrap(), other.session(None, None).unwrap());
    let first = block_on(one.say(here, "One", &|_| {})).unwrap();
    assert_eq!((first.pending.len(), first.notice), (1, None));
    let second = block_on(other.say(there, "Other", &|_| {})).unwrap();
    assert!(second.pending.is_empty() && second.notice.unwrap().contains("continued elsewhere"));
    // What the id stands for is what was shown under it.
    let session = talking.session();
    assert_eq!((session.pending.len(), &session.pending[0].diff), (1, &first.pending[0].diff));
    talking.decide("edit-1", true).unwrap();
    assert_eq!(talking.world.read_text("Own.md"), "Mine.\none\n");
}

#[test]
fn a_batch_that_was_cut_off_halfway_is_not_said_to_be_done() {
    let talking = || ChatWorld::without_index(World::new("-- A.md\nx\n-- B.md\nx\n"));
    let tag = |paths: &[&str]| json!({"paths": paths, "field": "kind", "value": "bee"});
    let script = || [calls(&[("batch_update_frontmatter", tag(&["A.md", "B.md"]))]), says("Done.")];
    let whole = talking();
    whole.say(&Arc::new(ScriptedModel::new(script())), "Go").unwrap();
    let events = whole.events();
    let announced = events.iter().position(|event| matches!(event.event, RunEvent::Calling { .. })).unwrap();

    let talking = talking();
    let records = Arc::new(FailingRecords::fail_after(announced, &talking.records));
    let chat = talking.chat_with_records(Arc::new(ScriptedModel::new(script())), records);
    let session = chat.session(None, None).unwrap();
    block_on(chat.say(session, "Go", &|_| {})).unwrap_err();
    // The announcement was written, one of the two was changed, and then the process ended.
    let (run, number) = (talking.last_run(), talking.events().len() as u64);
    talking.records.append(&run, number, events[announced].at, &events[announced].event).unwrap();
    let edits =
        EditPolicy { group: Some(run.to_string()), origin: wellread_core::domain::untrusted::Origin::User };
    block_on(chat.tool_runner.run_tool(
        chat.tool_runner.ctx().for_run(edits),
        "batch_update_frontmatter",
        tag(&["A.md"]),
    ))
    .unwrap();

    let model = Arc::new(ScriptedModel::new([says("One is left.")]));
    block_on(talking.chat(model.clone()).resume(&run, &|_| {})).unwrap();
    let told = format!("{:?}", model.requests()[0].messages.last());
    assert!(told.contains("cut off before all") && told.contains("A.md") && !told.contains("B.md"), "{told}");
}
