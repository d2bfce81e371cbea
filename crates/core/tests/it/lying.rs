//! A model that lies fluently, in every face: nothing false is shown as checked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::json;
use wellread_core::ports::{
    DeltaHandler, Message, Model, ModelFailure, ModelIdentity, ModelRequest, Reply, StopReason, TokenUsage,
};
use wellread_core::research::{
    AskRecipe, CodeRecipe, CodeRequest, Depth, NoteRecipe, NoteRequest, SummaryRecipe, SummaryRequest,
};
use wellread_core::trust::gate::NOT_SUPPORTED;
use wellread_testkit::chat_world::block_on;
use wellread_testkit::scripted_model::calls;
use wellread_testkit::{ChatWorld, World};

const VAULT: &str = "-- Bees.md\n# Bees\n\nThe Linden hive weighed 38.5 kg in July.\n\nMites prefer drone brood to worker brood.\n\n\
The varroa mite came to Europe in 1977.\n\nThe Linden hive is not a top-bar hive.\n\
-- Home.md\n# Home\n\nThe Linden hive weighed 38.5 kg in July, and mites prefer drone brood to worker brood.\n";
const CODE: &str = "-- src/store.py\nclass Store:\n    MAX_WEIGHT_KG = 12\n\n    def check(self, jar):\n        \
if jar.weight > Store.MAX_WEIGHT_KG:\n            raise ValueError(\"the jar is too heavy\")\n";

/// False, all of them; most have names and figures that are true of something. They are of the kinds that the rules can
/// see: what these can't see is measured, and written down beside the gate's table.
const LIES: [&str; 7] = [
    "The Linden hive weighed 41 kg in July",
    "The Linden hive never weighed 38.5 kg in July",
    "The Hawthorn hive weighed 38.5 kg in July",
    "The varroa mite came to Europe in 1987",
    "The Linden hive was painted blue by Karl von Frisch",
    "The evidence shows that honey protects strong colonies from every known disease",
    "In short, honey protects strong colonies from every known disease",
];
const LIES_ABOUT_CODE: [&str; 4] = [
    "`check` raises a `KeyError` for a jar that is too heavy",
    "`MAX_WEIGHT_KG` is 15",
    "`Store` sends every jar to the `Warehouse` service",
    "`check` raises an error with the text \"the jar is too light\"",
];

/// A model that first does what is scripted, and then lies, whatever it is told.
struct Liar {
    first: Mutex<VecDeque<Result<Reply, ModelFailure>>>,
    lie: Lie,
}

/// What is said, by the ids of evidence that were shown.
type Lie = Box<dyn Fn(&[String]) -> String + Send + Sync>;

impl Liar {
    fn new(
        first: impl IntoIterator<Item = Result<Reply, ModelFailure>>,
        lie: impl Fn(&[String]) -> String + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { first: Mutex::new(first.into_iter().collect()), lie: Box::new(lie) })
    }
}

impl Model for Liar {
    fn identity(&self) -> ModelIdentity {
        let endpoint = "http://127.0.0.1:1".to_owned();
        ModelIdentity { name: "liar".to_owned(), endpoint, is_local: true, price: None }
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        _: DeltaHandler<'a>,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>> {
        let next = self.first.lock().unwrap().pop_front();
        let reply = next.unwrap_or_else(|| Ok(reply((self.lie)(&shown_ids(request)))));
        Box::pin(std::future::ready(reply))
    }
}

fn reply(text: String) -> Reply {
    let usage = TokenUsage { read: 100, written: 10, estimated: false };
    Reply { text, calls: Vec::new(), stop: StopReason::End, usage, attempts: 1 }
}

/// The ids of evidence that a request shows.
fn shown_ids(request: &ModelRequest) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for message in &request.messages {
        let (Message::User { text } | Message::Assistant { text, .. } | Message::Tool { text, .. }) = message;
        for part in text.split("ev-01").skip(1) {
            let id: String = part.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
            let id = format!("ev-01{id}");
            if id.len() > 15 && !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    ids
}

/// Every lie with one citation, or none.
fn told(lies: &[&str], citation: &str) -> String {
    lies.iter().map(|lie| format!("{lie} {citation}.\n\n").replace(" .", ".")).collect()
}

/// Every way to cite, also with what looks like the place of something checked.
fn citations(ids: &[String]) -> Vec<String> {
    let mut all: Vec<String> = ids.iter().map(|id| format!("[{id}]")).collect();
    all.extend(
        [
            "",
            "([[Bees]]:3)",
            "(`Bees.md:3`)",
            "([Bees](Bees.md))",
            "([Bees](https://bees.example/mites))",
            "[^1]",
        ]
        .map(str::to_owned),
    );
    all
}

fn everything(lies: &'static [&'static str]) -> impl Fn(&[String]) -> String + Send + Sync + 'static {
    move |ids| {
        let all: String = citations(ids).iter().map(|citation| told(lies, citation)).collect();
        format!("{all}\n[^1]: [[Bees]]:3\n")
    }
}

/// The part of a text that is not marked as unsupported.
fn checked_part(text: &str) -> &str {
    text.split(NOT_SUPPORTED).next().unwrap_or_default()
}

#[track_caller]
fn has_no_lie(text: &str, lies: &[&str]) {
    for lie in lies {
        assert!(!text.contains(lie), "{lie}\n\n{text}");
    }
}

fn world() -> World {
    let world = World::new(VAULT).with_repository("shop", CODE);
    world.index();
    world
}

#[test]
fn ask_shows_no_lie_and_names_a_source_only_for_what_it_quotes() {
    let mut world = world();
    world.model = Some(Liar::new([], everything(&LIES)));
    let ctx = world.ctx();
    for question in ["How heavy was the Linden hive in July?", "When did the varroa mite come to Europe?"] {
        let asked = ctx.research.start(&AskRecipe, ctx.recipe_context(), question.to_owned());
        let answer = block_on(asked).unwrap();
        has_no_lie(&answer.answer, &LIES);
        assert!(answer.notice.as_ref().unwrap().contains("did not bear out"), "{answer:?}");
    }
}

#[test]
fn chat_marks_every_lie() {
    for citation in 0..7 {
        let talking = ChatWorld::new(world());
        let lie = move |ids: &[String]| {
            format!("{}\n[^1]: [[Bees]]:3\n", told(&LIES, &citations(&ids[..ids.len().min(1)])[citation]))
        };
        let model = Liar::new([calls(&[("read_file", json!({ "path": "Bees" }))])], lie);
        let response = talking.say(&model, "Tell me about the hive").unwrap();
        let checked = checked_part(&response.response);
        for lie in LIES.iter().filter(|lie| checked.contains(**lie)) {
            let is_marked = response.unchecked.iter().any(|sentence| sentence.contains(lie));
            assert!(is_marked, "{lie}\n{response:#?}");
        }
        assert_eq!(response.citations, [], "{response:#?}");
        assert!(response.coverage.is_none_or(|coverage| coverage.borne_out() == 0), "{response:#?}");
    }
}

#[test]
fn a_true_sentence_beside_the_lies_keeps_its_source() {
    let talking = ChatWorld::new(world());
    let lie = |ids: &[String]| {
        let id = &ids[0];
        format!("The Linden hive weighed 38.5 kg in July [{id}]. {}", told(&LIES, &format!("[{id}]")))
    };
    let model = Liar::new([calls(&[("read_file", json!({ "path": "Bees" }))])], lie);
    let response = talking.say(&model, "Tell me about the hive").unwrap();
    has_no_lie(checked_part(&response.response), &LIES);
    assert!(
        response.response.starts_with("The Linden hive weighed 38.5 kg in July (`Bees.md:"),
        "{response:#?}"
    );
    assert_eq!((response.citations.len(), response.unchecked.len()), (1, 0), "{response:#?}");
}

#[test]
fn a_note_is_not_written_from_lies() {
    let topics = json!([{ "topic": "Linden hive weight", "context": "x", "type": "claim" }]).to_string();
    let mut world = world();
    world.model = Some(Liar::new([Ok(reply(topics.clone()))], everything(&LIES)));
    let before = world.files.tree();
    let note = |world: &World| {
        let ctx = world.ctx();
        let (path, focus) = ("Home".to_owned(), None);
        let asked = NoteRequest { path, depth: Depth::Shallow, focus, dry_run: false };
        block_on(ctx.research.start(&NoteRecipe, ctx.recipe_context(), asked))
    };
    note(&world).unwrap_err();
    assert_eq!(world.files.tree(), before);
    // Beside a true sentence they stand under their heading.
    let with_truth = |ids: &[String]| {
        let truth: String =
            ids.iter().map(|id| format!("The Linden hive weighed 38.5 kg in July [{id}].\n\n")).collect();
        format!("### Weight\n\n{truth}{}", everything(&LIES)(ids))
    };
    world.model = Some(Liar::new([Ok(reply(topics))], with_truth));
    let answer = note(&world).unwrap();
    let text = world.read_text("Home.md");
    assert!(text.contains("## Research") && text.contains(NOT_SUPPORTED), "{text}");
    has_no_lie(checked_part(&text), &LIES);
    assert!(answer.coverage.borne_out() > 0, "{:?}", answer.coverage);
}

#[test]
fn a_summary_is_not_written_from_lies() {
    let mut world = world();
    world.model = Some(Liar::new([], everything(&LIES)));
    let ctx = world.ctx();
    let asked = SummaryRequest { path: "Bees".to_owned(), focus: None, dry_run: false };
    let summary = block_on(ctx.research.start(&SummaryRecipe, ctx.recipe_context(), asked));
    let text = world.read_text("Bees.md");
    has_no_lie(checked_part(text.split_once("## Summary").map_or("", |(_, below)| below)), &LIES);
    assert!(summary.is_err() || text.contains("38.5"), "{summary:?}");
}

#[test]
fn an_answer_about_code_has_no_lie_outside_its_heading() {
    let action = |action: &str, input: serde_json::Value| {
        json!({ "action": action, "reasoning": "to see", "input": input }).to_string()
    };
    let opens = action("open_span", json!({ "path": "src/store.py", "start_line": 1, "end_line": 7 }));
    let lie = move |ids: &[String]| {
        let answer = everything(&LIES_ABOUT_CODE)(ids);
        json!({ "action": "finalize", "reasoning": "enough", "input": { "answer": answer, "confidence": 0.9 } })
            .to_string()
    };
    let mut world = world();
    world.model = Some(Liar::new([Ok(reply(opens))], lie));
    let ctx = world.ctx();
    let asked = CodeRequest { question: "What does `check` raise?".to_owned(), ..CodeRequest::default() };
    let answer = block_on(ctx.research.start(&CodeRecipe, ctx.recipe_context(), asked)).unwrap();
    has_no_lie(checked_part(&answer.answer), &LIES_ABOUT_CODE);
    assert!(answer.citations.is_empty() && !answer.answer.contains("Citations:"), "{answer:#?}");
    assert!(answer.coverage.is_none_or(|coverage| coverage.borne_out() == 0), "{answer:#?}");
}

#[test]
fn the_referee_bears_out_no_lie_in_any_form() {
    let world = world();
    for citation in ["([[Bees]]:3)", "([[Bees]])", "([Bees](Bees.md))", "[^1]", "[[Bees#Bees]]"] {
        let text = format!("{}\n[^1]: Bees.md:1-9 and [[Bees]]\n", told(&LIES, citation));
        let answer = world.call_tool("check_claims", json!({ "text": text }));
        let coverage = &answer["coverage"];
        assert_eq!(
            (&coverage["quoted"], &coverage["supported"]),
            (&json!(0), &json!(0)),
            "{citation}\n{answer:#}"
        );
    }
    let text = told(&LIES, "");
    let answer = world.call_tool("check_claims", json!({ "text": text, "sources": ["Bees", "Home"] }));
    let coverage = &answer["coverage"];
    assert_eq!((&coverage["quoted"], &coverage["supported"]), (&json!(0), &json!(0)), "{answer:#}");
}
