//! The loop of a model and its tools, turn by turn.

use std::sync::Arc;

use serde_json::{Value, json};
use wellread_core::ErrorKind;
use wellread_core::domain::untrusted::Origin;
use wellread_core::engine::agent;
use wellread_core::faces::chat::{ChatEvent, SessionEntry};
use wellread_core::ports::event::{Budget, RunEvent, RunOutcome};
use wellread_core::ports::{Message, ModelFailure, ModelRequest, Reply, StopReason};
use wellread_testkit::scripted_model::{calls, says};
use wellread_testkit::{ChatWorld, ScriptedModel, World};

const BEES: &str =
    "-- Bees.md\n# Bees\n\nThe hive weighs 41 kg in July. See [[Wax]].\n-- Wax.md\nWax melts at 62 °C.\n";

fn talking(script: &str) -> ChatWorld {
    ChatWorld::new(World::new(script))
}

fn model(script: impl IntoIterator<Item = Result<Reply, ModelFailure>>) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new(script))
}

/// The texts of the tools' answers that a request shows.
fn answers(request: &ModelRequest) -> Vec<String> {
    let text = |message: &Message| match message {
        Message::Tool { text, .. } => Some(text.clone()),
        _ => None,
    };
    request.messages.iter().filter_map(text).collect()
}

#[test]
fn a_plain_answer_is_given_and_remembered() {
    let talking = talking(BEES);
    let model = model([says("Good morning."), says("Still good.")]);
    let first = talking.say(&model, "Hello").unwrap();
    assert_eq!(first.response, "Good morning.");
    let second = talking.say(&model, "And now?").unwrap();
    assert_eq!(second.session_id, first.session_id);
    assert_ne!(second.run_id, first.run_id);
    let asked = model.requests();
    let said = |text: &str| Message::User { text: text.to_owned() };
    let answered = Message::Assistant { text: "Good morning.".to_owned(), calls: Vec::new() };
    assert_eq!(asked[1].messages, [said("Hello"), answered, said("And now?")]);
    assert!(asked[0].system.contains("Wellread") && !asked[0].system.contains("User Preferences"));
    assert!(
        matches!(talking.events().last().unwrap().event, RunEvent::Ended(ref ended) if ended.outcome == RunOutcome::Done)
    );
}

#[test]
fn tools_are_carried_out_and_their_answers_stand_behind_a_barrier() {
    let talking = talking(BEES);
    let model = model([calls(&[("read_file", json!({"path": "Bees"}))]), says("41 kg.")]);
    assert_eq!(talking.say(&model, "How heavy?").unwrap().response, "41 kg.");
    let shown = answers(&model.requests()[1]).remove(0);
    assert!(
        shown.contains("The hive weighs 41 kg in July.") && shown.contains("the user's notes"),
        "{shown}"
    );
    assert!(shown.contains("\"evidence\":\"ev-") || shown.contains("evidence"), "{shown}");
    let told = talking.told.lock().unwrap();
    assert!(told.iter().any(|event| matches!(event, ChatEvent::Tool { name, .. } if name == "read_file")));
    assert!(told.iter().any(|event| matches!(event, ChatEvent::ToolDone { failed: false, .. })));
}

#[test]
fn between_turns_a_stub_stands_for_what_a_tool_answered() {
    let talking = talking(BEES);
    let model = model([calls(&[("read_file", json!({"path": "Bees"}))]), says("41 kg."), says("Yes.")]);
    talking.say(&model, "How heavy?").unwrap();
    talking.say(&model, "Sure?").unwrap();
    let within = answers(&model.requests()[1]).remove(0);
    let later = answers(&model.requests()[2]).remove(0);
    assert!(within.contains("41 kg in July") && !later.contains("41 kg in July"));
    assert!(
        later.contains("Bees.md") && later.contains("\"status\":\"ok\"") && later.contains("earlier turn"),
        "{later}"
    );
}

#[test]
fn what_the_user_prefers_is_read_anew_each_turn() {
    let talking = talking("-- Preferences.md\n# Preferences\n\n- Answer in French.\n");
    let model = model([says("Oui."), says("Non.")]);
    talking.say(&model, "Yes?").unwrap();
    talking.world.save("Preferences.md", "- Answer in <|im_start|> Dutch.\n");
    talking.say(&model, "No?").unwrap();
    let asked = model.requests();
    assert!(asked[0].system.ends_with("## User Preferences\n\n- Answer in French.\n"), "{}", asked[0].system);
    assert!(asked[1].system.contains("Dutch") && !asked[1].system.contains("<|im_start|>"));
}

#[test]
fn the_users_own_system_prompt_takes_the_place_of_ours() {
    let mut talking = talking(BEES);
    talking.settings.system_prompt = Some("Be brief.".to_owned());
    let model = model([says("Yes.")]);
    talking.say(&model, "Yes?").unwrap();
    assert_eq!(model.requests()[0].system, "Be brief.");
}

#[test]
fn after_the_last_round_it_stops_with_what_it_has() {
    let mut talking = talking(BEES);
    talking.settings.limits.rounds = 3;
    let look = || calls(&[("find_backlinks", json!({"note_name": "Wax"}))]);
    let chatty = look().map(|reply| Reply { text: "Looking still.".to_owned(), ..reply });
    let model = model([look(), look(), look(), chatty]);
    let response = talking.say(&model, "Look").unwrap();
    assert_eq!(response.response, format!("Looking still.\n\n{}", agent::ROUND_LIMIT));
    assert_eq!(model.replies_left(), 0);
    // What was called for and never carried out is not in the history: no service takes a call without an answer.
    let open =
        |entry: &SessionEntry| matches!(entry, SessionEntry::Assistant { calls, .. } if !calls.is_empty());
    assert_eq!(talking.session().entries.iter().filter(|entry| open(entry)).count(), 3);
}

#[test]
fn rounds_of_logging_and_reading_on_are_not_counted() {
    let mut talking = talking(BEES);
    talking.settings.limits.rounds = 1;
    let log = || {
        let log = json!({"task_description": "t", "query": "q", "summary": "s", "dry_run": true});
        calls(&[("log_interaction", log)])
    };
    let look = || calls(&[("find_backlinks", json!({"note_name": "Wax"}))]);
    let on = calls(&[("get_continuation", json!({"tool_call_id": "call-9", "offset": 0}))]);
    let model = model([log(), look(), log(), on, says("Done.")]);
    assert_eq!(talking.say(&model, "Go").unwrap().response, "Done.");
    // Together with another tool they are.
    let both = calls(&[
        ("get_continuation", json!({"tool_call_id": "x", "offset": 0})),
        ("get_current_date", json!({})),
    ]);
    let model = Arc::new(ScriptedModel::new([both, look()]));
    assert_eq!(talking.say(&model, "Go").unwrap().response, agent::ROUND_LIMIT);
}

#[test]
fn a_long_answer_is_cut_and_handed_on_in_parts() {
    let lines: String = (0..900).map(|n| format!("line {n:04}\n")).collect();
    let talking = talking(&format!("-- Long.md\n{lines}"));
    let read = |length: u32| calls(&[("read_file", json!({"path": "Long", "length": length}))]);
    let on =
        |offset: u32| calls(&[("get_continuation", json!({"tool_call_id": "call-1", "offset": offset}))]);
    let model = model([read(9000), on(4000), on(8000), on(99_999), says("Read.")]);
    talking.say(&model, "Read it").unwrap();
    let asked = model.requests();
    let shown = answers(&asked[4]);
    assert!(
        shown[0].contains("[cut: characters 0 to 4000 of")
            && shown[0].contains("tool_call_id=\"call-1\", offset=4000")
    );
    assert!(shown[1].contains("[cut: characters 4000 to 8000 of"), "{}", shown[1]);
    assert!(shown[2].contains("the end"), "{}", shown[2]);
    assert!(shown[3].contains("\"success\":false") && shown[3].contains("characters"), "{}", shown[3]);
    for n in 0..900 {
        let line = format!("line {n:04}");
        // A line may be cut in two, but every character comes once.
        let found = shown[..3].iter().filter(|part| part.contains(&line)).count();
        assert!(found <= 1, "{line} comes twice");
    }
    // It was not counted, and needs nobody outside of the agent.
    assert!(
        talking
            .events()
            .iter()
            .all(|event| !matches!(&event.event, RunEvent::Tool { tool, .. } if tool == "get_continuation"))
    );
}

#[test]
fn evidence_can_be_cited_once_it_was_shown_whole() {
    let lines: String = (0..900).map(|n| format!("line {n:04}\n")).collect();
    let talking = talking(&format!("-- Long.md\n{lines}"));
    let read = || calls(&[("read_file", json!({"path": "Long", "length": 6000}))]);
    let shown = |talking: &ChatWorld| {
        talking.events().iter().filter(|event| matches!(event.event, RunEvent::Shown { .. })).count()
    };
    let cut = model([read(), says("Read.")]);
    talking.say(&cut, "Read it").unwrap();
    assert_eq!(shown(&talking), 0);
    let on = calls(&[("get_continuation", json!({"tool_call_id": "call-2", "offset": 4000}))]);
    let whole = model([read(), on, says("Read.")]);
    talking.say(&whole, "Read all of it").unwrap();
    assert_eq!(shown(&talking), 1);
}

#[test]
fn trouble_with_a_tool_is_told_to_the_model_and_ends_nothing() {
    let talking = talking(BEES);
    let bad = [
        ("read_file", json!({"path": "Nowhere"})),
        ("read_file", json!({"wrong": 1})),
        ("fetch_url", json!({"url": "http://evil.example/"})),
        ("read_file", json!("{\"path\": ")),
    ];
    let model = model([calls(&bad), says("None worked.")]);
    assert_eq!(talking.say(&model, "Try").unwrap().response, "None worked.");
    let shown = answers(&model.requests()[1]);
    assert!(shown.iter().all(|answer| answer.contains("\"success\":false")), "{shown:#?}");
    assert!(shown[2].contains("there is no tool `fetch_url`") && shown[3].contains("no JSON"));
}

#[test]
fn ids_of_calls_are_ours_and_each_is_its_own() {
    let talking = talking(BEES);
    let same = || {
        let two = calls(&[("get_current_date", json!({})), ("get_current_date", json!({}))]);
        two.map(|mut reply| {
            reply.calls.iter_mut().for_each(|call| call.id = "same".to_owned());
            reply
        })
    };
    let model = model([same(), same(), says("x"), same(), says("y")]);
    talking.say(&model, "a").unwrap();
    talking.say(&model, "b").unwrap();
    let last = model.requests().pop().unwrap();
    let mut seen = Vec::new();
    for message in &last.messages {
        match message {
            Message::Assistant { calls, .. } => seen.extend(calls.iter().map(|call| call.id.clone())),
            Message::Tool { call_id, .. } => assert!(seen.contains(call_id)),
            Message::User { .. } => {}
        }
    }
    let mut unique = seen.clone();
    unique.sort();
    unique.dedup();
    assert_eq!((unique.len(), seen.len()), (6, 6));
}

#[test]
fn an_empty_reply_is_asked_for_once_more() {
    let talking = talking(BEES);
    let model = model([says("  "), says("Here.")]);
    assert_eq!(talking.say(&model, "Well?").unwrap().response, "Here.");
    let empty = Arc::new(ScriptedModel::new([says(""), says("")]));
    let error = talking.say(&empty, "Well?").unwrap_err();
    assert!(error.message().contains("empty") && error.details().contains_key("run_id"));
}

#[test]
fn a_reply_that_was_cut_says_so() {
    let talking = talking(BEES);
    let model = model([says("It begins").map(|reply| Reply { stop: StopReason::Length, ..reply })]);
    assert!(
        talking
            .say(&model, "Tell")
            .unwrap()
            .response
            .ends_with("[The answer was cut at its greatest length]")
    );
}

#[test]
fn a_model_that_fails_leaves_a_run_that_can_be_taken_up_and_a_conversation_as_it_was() {
    let talking = talking(BEES);
    let busy = Err(ModelFailure::Busy { message: "the service is busy".to_owned() });
    let model = model([calls(&[("get_current_date", json!({}))]), busy, says("It is March.")]);
    let error = talking.say(&model, "When?").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(talking.session().entries.is_empty());
    let chat = talking.chat(model.clone());
    let response = wellread_testkit::chat_world::block_on(chat.resume(&talking.last_run(), &|_| {})).unwrap();
    assert_eq!(response.response, "It is March.");
    // The date was not asked for again, nor the first reply.
    assert_eq!((model.requests().len(), model.replies_left()), (3, 0));
    assert_eq!(talking.session().entries.len(), 4);
}

#[test]
fn budgets_end_a_turn_with_what_there_was() {
    let limits: [(Budget, &str); 3] = [
        (Budget { tokens: Some(5), ..Budget::default() }, "token"),
        (Budget { requests: Some(1), ..Budget::default() }, "request"),
        (Budget { steps: Some(1), ..Budget::default() }, "step"),
    ];
    for (budget, word) in limits {
        let mut talking = talking(BEES);
        talking.settings.budget = budget;
        let look = calls(&[("get_current_date", json!({}))])
            .map(|reply| Reply { text: "Looking.".to_owned(), ..reply });
        let model = model([look]);
        let response = talking.say(&model, "When?").unwrap();
        assert_eq!(response.response, format!("Looking.\n\n[Stopped: the {word} budget is used up]"));
        assert!(
            matches!(talking.events().last().unwrap().event, RunEvent::Ended(ref ended) if ended.outcome == RunOutcome::OutOfBudget)
        );
    }
    let mut talking = talking(BEES);
    talking.settings.budget = Budget { money: Some(1.0), ..Budget::default() };
    let mut dear = ScriptedModel::new([]);
    dear.identity.is_local = false;
    let response = talking.say(&Arc::new(dear), "When?").unwrap();
    assert!(response.response.contains("price is not known"), "{}", response.response);
}

#[test]
fn each_note_has_a_conversation_of_its_own_and_so_has_none() {
    let talking = talking(BEES);
    let model = model([says("a"), says("b"), says("c"), says("d")]);
    let chat = talking.chat(model.clone());
    let say = |file: Option<&str>, message: &str| {
        let session = chat.session(None, file).unwrap();
        wellread_testkit::chat_world::block_on(chat.say(session, message, &|_| {})).unwrap().session_id
    };
    let none = say(None, "1");
    let bees = say(Some("Bees.md"), "2");
    let wax = say(Some("Wax.md"), "3");
    assert_eq!(say(Some("Bees.md"), "4"), bees);
    assert!(none != bees && bees != wax && none != wax);
    let last = model.requests().pop().unwrap();
    let texts: Vec<&Message> = last.messages.iter().collect();
    assert!(matches!(texts[0], Message::User { text } if text == "2"));
    assert!(
        matches!(texts[2], Message::User { text } if text == "4\n\n(The user has the note `Bees.md` open.)")
    );
    // A conversation can be named; another note than it is about has its own all the same.
    assert_eq!(chat.session(Some(&wax), None).unwrap().id, wax);
    assert_eq!(chat.session(Some(&wax), Some("Bees.md")).unwrap().id, bees);
    assert_eq!(chat.session(Some("nobody"), None).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn messages_that_are_none_are_refused_and_leave_nothing() {
    let talking = talking(BEES);
    let model = model([]);
    for message in ["", " \n ", &"x".repeat(100_001)] {
        assert_eq!(talking.say(&model, message).unwrap_err().kind(), ErrorKind::Invalid);
    }
    assert!(talking.has_no_runs());
}

#[test]
fn what_is_private_does_not_reach_a_model_elsewhere() {
    let vault = "-- Diary.md\n---\nprivate: true\n---\nMy secret hive stands in Oslo.\n-- Open.md\nThe open hive stands in Bergen.\n\
                 -- Tagged.md\nHive secret in Rome. #private/x\n";
    let tries = [
        ("read_file", json!({"path": "Diary"})),
        ("search_vault", json!({"query": "hive stands", "mode": "keyword"})),
        ("search_by_folder", json!({"folder": ""})),
        ("get_note_info", json!({"path": "Tagged"})),
        ("append_to_file", json!({"path": "Diary", "content": "More.", "dry_run": true})),
        ("replace_section", json!({"path": "Diary", "heading": "# None", "content": "More."})),
    ];
    for is_local in [true, false] {
        let talking = talking(vault);
        let mut model = ScriptedModel::new([calls(&tries), says("Done.")]);
        model.identity.is_local = is_local;
        let model = Arc::new(model);
        talking.say(&model, "Tell me").unwrap();
        let shown = answers(&model.requests()[1]).join("\n");
        assert!(shown.contains("Bergen"), "{shown}");
        // The names that the model itself said are repeated in errors: that no such file is there.
        for secret in ["Oslo", "Rome", "Diary.md", "Tagged.md"] {
            assert_eq!(shown.contains(secret), is_local, "{secret}: {shown}");
        }
        // Nor later, as a stub.
        let mut entries = talking.session().entries;
        entries.retain(|entry| matches!(entry, SessionEntry::Tool { .. }));
        let stubs = serde_json::to_string(&entries).unwrap();
        assert!(is_local || !stubs.contains("Diary.md") && !stubs.contains("Tagged.md"), "{stubs}");
    }
}

#[test]
fn the_origin_of_a_conversation_only_ever_sinks() {
    let vault = "-- Own.md\nmine\n-- Clippings/Page.md\nclipped\n-- Linked.md\n---\nsource: https://a.org/x\n---\nfrom there\n-- script.py\nprint()\n";
    let origin = |call: (&str, Value)| {
        let talking = talking(vault);
        let model = model([calls(&[call]), says("Done."), says("More.")]);
        talking.say(&model, "Read").unwrap();
        talking.say(&model, "And?").unwrap();
        talking.session().origin
    };
    assert_eq!(origin(("get_current_date", json!({}))), Origin::User);
    assert_eq!(origin(("read_file", json!({"path": "Own"}))), Origin::Notes);
    assert_eq!(origin(("read_file", json!({"path": "Clippings/Page"}))), Origin::Outside);
    assert_eq!(origin(("read_file", json!({"path": "Linked"}))), Origin::Outside);
    assert_eq!(origin(("read_file", json!({"path": "script.py"}))), Origin::Outside);
    assert_eq!(origin(("search_by_folder", json!({"folder": "", "recursive": true}))), Origin::Outside);
    assert_eq!(origin(("search_vault", json!({"query": "clipped"}))), Origin::Outside);
}

/// A model whose replies depend on what it was asked: the ids of evidence are not known before.
struct Citing(std::sync::Mutex<std::collections::VecDeque<Line>>);

type Line = Box<dyn Fn(&str) -> Result<Reply, ModelFailure> + Send>;

impl Citing {
    fn new(script: Vec<Line>) -> Arc<Self> {
        Arc::new(Self(std::sync::Mutex::new(script.into())))
    }
}

impl wellread_core::ports::Model for Citing {
    fn identity(&self) -> wellread_core::ports::ModelIdentity {
        ScriptedModel::new([]).identity
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        heard: wellread_core::ports::DeltaHandler<'a>,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>> {
        let shown = answers(request).join("\n");
        let id = shown.split("ev-01").nth(1).map(|rest| format!("ev-01{}", &rest[..16])).unwrap_or_default();
        let line = self.0.lock().unwrap().pop_front().expect("the model was not scripted for this");
        Box::pin(async move {
            let reply = line(&id)?;
            heard(wellread_core::ports::Delta::Text(reply.text.clone()));
            Ok(reply)
        })
    }
}

fn reads(path: &'static str) -> Line {
    Box::new(move |_| calls(&[("read_file", json!({ "path": path }))]))
}

fn cites(text: &'static str) -> Line {
    Box::new(move |id| says(&text.replace("[id]", &format!("[{id}]"))))
}

#[test]
fn a_sentence_that_cites_is_checked_and_passes() {
    let talking = talking(BEES);
    let model = Citing::new(vec![reads("Bees"), cites("Good question. The hive weighs 41 kg in July. [id]")]);
    let response = talking.say(&model, "How heavy?").unwrap();
    assert!(response.response.ends_with("41 kg in July. (`Bees.md:1-3`)"), "{}", response.response);
    let cited = serde_json::to_value(&response).unwrap()["citations"].clone();
    assert_eq!((&cited[0]["path"], &cited[0]["start_line"]), (&json!("Bees.md"), &json!(1)), "{cited}");
    assert!(cited[0]["quote"].as_str().unwrap().contains("41 kg"), "{cited}");
    let coverage = response.coverage.unwrap();
    assert_eq!((coverage.sentences, coverage.borne_out(), coverage.uncited), (2, 1, 1));
    assert!(
        talking
            .events()
            .iter()
            .any(|event| matches!(&event.event, RunEvent::Verdict { report } if report["coverage"] == 0.5))
    );
}

#[test]
fn a_sentence_that_fails_is_told_to_the_model_once_and_may_be_mended() {
    let talking = talking(BEES);
    let model = Citing::new(vec![
        reads("Bees"),
        cites("The hive weighs 45 kg in July. [id]"),
        cites("The hive weighs 41 kg in July. [id]"),
    ]);
    let response = talking.say(&model, "How heavy?").unwrap();
    assert!(response.response.starts_with("The hive weighs 41 kg"), "{}", response.response);
    assert_eq!(response.coverage.unwrap().borne_out(), 1);
}

#[test]
fn a_sentence_that_still_fails_stands_under_a_heading_of_its_own() {
    let talking = talking(BEES);
    let wrong = || cites("It is July. The hive weighs 45 kg in July. [id]");
    let model = Citing::new(vec![reads("Bees"), wrong(), wrong()]);
    let response = talking.say(&model, "How heavy?").unwrap();
    let (before, after) = response.response.split_once("Not supported by the evidence").unwrap();
    assert!(
        before.contains("It is July.") && !before.contains("45 kg") && after.contains("45 kg"),
        "{}",
        response.response
    );
    assert_eq!(response.coverage.unwrap().supported, 0);
    let again = wellread_testkit::chat_world::block_on(
        talking.chat(Arc::new(ScriptedModel::new([]))).replay(&talking.last_run()),
    );
    assert_eq!(again.unwrap(), response, "run again, it comes to the same");
}

#[test]
fn a_note_that_fills_a_whole_part_can_be_cited() {
    let filler = "The keeper looked after the hive and wrote it down.\n".repeat(75);
    let script = format!("-- Long.md\n# Long\n\n{filler}\nThe hive weighs 41 kg in July.\n");
    let talking = talking(&script);
    let model = Citing::new(vec![reads("Long"), cites("The hive weighs 41 kg in July. [id]")]);
    let response = talking.say(&model, "How heavy?").unwrap();
    assert_eq!(response.coverage.unwrap().borne_out(), 1, "{}", response.response);
    assert_eq!(response.citations.len(), 1);
}

#[test]
fn a_repair_keeps_what_had_passed() {
    let talking = talking(BEES);
    let model = Citing::new(vec![
        reads("Bees"),
        cites("The hive weighs 41 kg in July. [id] It weighs 45 kg in May. [id]"),
        cites("I apologize for the mistake. I can't correct that."),
    ]);
    let response = talking.say(&model, "How heavy?").unwrap();
    let (before, after) = response.response.split_once("Not supported by the evidence").unwrap();
    assert!(before.contains("41 kg in July") && after.contains("45 kg"), "{}", response.response);
    assert!(!response.response.contains("apologize"), "{}", response.response);
}

#[test]
fn ids_that_were_never_shown_support_nothing() {
    let talking = talking(BEES);
    let made_up = || cites("The hive weighs 41 kg in July. [ev-01kbd4abcdefgh-001]");
    let model = Citing::new(vec![reads("Bees"), made_up(), made_up()]);
    let response = talking.say(&model, "How heavy?").unwrap();
    assert!(response.response.contains("Not supported by the evidence"), "{}", response.response);
}

#[test]
fn ids_of_calls_stay_their_own_when_the_oldest_turns_are_gone() {
    let talking = talking(BEES);
    let look = |times: usize| calls(&vec![("get_current_date", json!({})); times]);
    let model = model([look(3), says("a"), look(2), says("b"), look(1), says("c")]);
    talking.say(&model, &"x".repeat(40_000)).unwrap();
    talking.say(&model, &"y".repeat(40_000)).unwrap();
    talking.say(&model, "z").unwrap();
    let last = model.requests().pop().unwrap();
    let ids = last.messages.iter().flat_map(|message| match message {
        Message::Assistant { calls, .. } => calls.iter().map(|call| call.id.clone()).collect(),
        _ => Vec::new(),
    });
    assert_eq!(ids.collect::<Vec<_>>(), ["call-4", "call-5", "call-6"]);
}

#[test]
fn an_answer_that_is_asked_for_once_more_is_not_told_after_the_first() {
    let talking = talking(BEES);
    let model = Citing::new(vec![
        reads("Bees"),
        cites("The hive weighs 45 kg in July. [id]\n\nSo it is."),
        cites("The hive weighs 41 kg in July. [id]\n\nSo it is."),
    ]);
    let response = talking.say(&model, "How heavy?").unwrap();
    let mut screen = String::new();
    for event in talking.told.lock().unwrap().iter() {
        match event {
            ChatEvent::Text { text } => screen += text,
            ChatEvent::Again => screen.clear(),
            _ => {}
        }
        assert!(!(screen.contains("45 kg") && screen.contains("41 kg")), "{screen}");
    }
    assert_eq!(screen, response.response);
}
