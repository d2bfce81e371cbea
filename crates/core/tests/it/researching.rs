//! A note researched, over a vault in memory, a scripted model and a scripted web.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use wellread_core::ErrorKind;
use wellread_core::engine::outside::OutsideServices;
use wellread_core::engine::run::StopSignal;
use wellread_core::ports::event::{RunEvent, RunOutcome};
use wellread_core::ports::{Model, ModelFailure, RunLogs as _, WebFailure};
use wellread_core::research::{
    Context, Depth, NoteAnswer, NoteRecipe, NoteRequest, ResearchEvent, ResearchStage, SummaryRecipe,
    SummaryRequest,
};
use wellread_testkit::chat_world::block_on;
use wellread_testkit::scripted_model::says;
use wellread_testkit::scripted_web::{busy_failure, web_answer, web_result};
use wellread_testkit::{ScriptedModel, ScriptedWeb, World};

const VAULT: &str = "-- Bees.md\n# Bees\n\nA hive holds 40,000 bees in June.\n\n## Notes\n\nHoney keeps for years.\n\
-- Wintering.md\n# Wintering\n\nA hive holds 10,000 bees in winter and eats 15 kg of honey.\n\
-- Secret.md\n---\nprivate: true\n---\nThe hive code is 4711 and honey is hidden in the shed.\n";

const PAGE: &str = "https://bees.example/hive";

fn web() -> ScriptedWeb {
    ScriptedWeb::new("search").answers(
        "hive size",
        web_answer([web_result(
            "How large is a hive",
            PAGE,
            "A strong hive holds 60,000 bees at midsummer.",
        )]),
    )
}

fn topics(names: &[&str]) -> String {
    let all: Vec<Value> =
        names.iter().map(|name| json!({ "topic": name, "context": "x", "type": "claim" })).collect();
    json!(all).to_string()
}

struct Bench {
    world: World,
    model: Option<Arc<ScriptedModel>>,
    web: Arc<ScriptedWeb>,
    told: Mutex<Vec<ResearchEvent>>,
}

impl Bench {
    fn new(script: &[&str], web: ScriptedWeb) -> Self {
        Self::with(ScriptedModel::new(script.iter().map(|text| says(text)).collect::<Vec<_>>()), web)
    }

    fn with(model: ScriptedModel, web: ScriptedWeb) -> Self {
        let mut bench = Self::keyless(web);
        let model = Arc::new(model);
        bench.world.model = Some(model.clone() as Arc<dyn Model>);
        bench.model = Some(model);
        bench
    }

    fn keyless(web: ScriptedWeb) -> Self {
        let mut world = World::new(VAULT);
        world.index();
        let web = Arc::new(web);
        world.reach = Arc::new(web.outside_services());
        Self { world, model: None, web, told: Mutex::default() }
    }

    fn note(&self, path: &str) -> wellread_core::Result<NoteAnswer> {
        self.asked(NoteRequest { path: path.to_owned(), depth: Depth::Shallow, focus: None, dry_run: false })
    }

    fn asked(&self, asked: NoteRequest) -> wellread_core::Result<NoteAnswer> {
        let ctx = self.world.ctx();
        let watch = |progress| self.told.lock().unwrap().push(progress);
        let around = Context { progress: &watch, ..ctx.recipe_context() };
        block_on(ctx.research.start(&NoteRecipe, around, asked))
    }

    fn sent(&self) -> Vec<(String, String)> {
        let run = self.world.records.runs("", 1).unwrap().remove(0).id;
        let events = self.world.records.events(&run).unwrap();
        let sent = wellread_core::engine::log::sent_records(&events).into_iter();
        sent.map(|departure| (departure.sent.what, departure.sent.about)).collect()
    }
}

/// The id of the evidence that a prompt introduces under this name.
fn id_in(prompt: &str, name: &str) -> String {
    let line =
        prompt.lines().find(|line| line.starts_with("Name: ") && line.contains(name)).expect("it is shown");
    let at = line.find("ev-").expect("it can be cited");
    line[at..].trim_end_matches([')', ']']).to_owned()
}

/// A model that writes a section from the ids that it is shown.
struct Writer {
    inner: ScriptedModel,
    write: Box<dyn Fn(&str) -> String + Send + Sync>,
}

impl Model for Writer {
    fn identity(&self) -> wellread_core::ports::ModelIdentity {
        self.inner.identity()
    }

    fn ask<'a>(
        &'a self,
        request: &'a wellread_core::ports::ModelRequest,
        heard: wellread_core::ports::DeltaHandler<'a>,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<wellread_core::ports::Reply, ModelFailure>> + Send + 'a>>
    {
        let wellread_core::ports::Message::User { text } = &request.messages[0] else { panic!("a prompt") };
        if text.contains("You write the research section") && request.messages.len() == 1 {
            let reply = says(&(self.write)(text));
            return Box::pin(async move { reply });
        }
        self.inner.ask(request, heard)
    }
}

fn written_by(
    script: &[&str],
    web: ScriptedWeb,
    write: impl Fn(&str) -> String + Send + Sync + 'static,
) -> Bench {
    let mut bench = Bench::keyless(web);
    let inner = ScriptedModel::new(script.iter().map(|text| says(text)).collect::<Vec<_>>());
    bench.world.model = Some(Arc::new(Writer { inner, write: Box::new(write) }));
    bench
}

#[test]
fn a_note_is_researched_and_every_sentence_is_cited_and_checked() {
    let bench = written_by(&[&topics(&["hive size"])], web(), |prompt| {
        let (page, note) = (id_in(prompt, "bees.example"), id_in(prompt, "Wintering.md"));
        format!(
            "### Hive size\n\nA strong hive holds 60,000 bees at midsummer [{page}]. In winter it holds 10,000 bees [{note}].\n"
        )
    });
    let answer = bench.note("Bees").unwrap();
    assert_eq!(
        bench.world.read_text("Bees.md"),
        format!(
            "# Bees\n\nA hive holds 40,000 bees in June.\n\n## Notes\n\nHoney keeps for years.\n\n## Research\n\n### Hive size\n\n\
             A strong hive holds 60,000 bees at midsummer ([How large is a hive]({PAGE})). In winter it holds 10,000 bees \
             ([[Wintering]]:1-3).\n\n<!-- wellread: run {} -->\n",
            answer.run_id
        )
    );
    assert_eq!((answer.topics_researched, answer.removed_links, answer.truncated), (1, 0, false));
    assert_eq!((answer.coverage.sentences, answer.coverage.borne_out()), (2, 2));
    let sources: Vec<_> =
        answer.sources.iter().map(|source| (source.url.as_deref(), source.path.as_deref())).collect();
    assert_eq!(sources, [(Some(PAGE), None), (None, Some("Wintering.md"))]);
    assert_eq!(bench.web.queries().len(), 1);
    assert!(bench.web.fetched_urls().is_empty(), "shallow reads no page");
    let stages: Vec<ResearchStage> = bench
        .told
        .lock()
        .unwrap()
        .iter()
        .filter_map(|told| match told {
            ResearchEvent::Stage { stage, .. } => Some(*stage),
            _ => None,
        })
        .collect();
    assert_eq!(
        stages,
        [
            ResearchStage::Topics,
            ResearchStage::Gather,
            ResearchStage::Gather,
            ResearchStage::WriteUp,
            ResearchStage::Check,
            ResearchStage::Write
        ]
    );
}

#[test]
fn what_left_the_machine_is_told_before_and_after() {
    let bench = written_by(&[&topics(&["hive size"])], web(), |prompt| {
        format!(
            "### Hive size\n\nA strong hive holds 60,000 bees at midsummer [{}].\n",
            id_in(prompt, "bees.example")
        )
    });
    let answer = bench.note("Bees").unwrap();
    let leaves =
        matches!(&bench.told.lock().unwrap()[1], ResearchEvent::Leaves { what, .. } if what == "search");
    assert!(leaves, "told before the first stage");
    let left: Vec<_> = answer.left.iter().map(|left| (left.what.as_str(), left.stays)).collect();
    assert_eq!(left, [("model", true), ("search", false), ("model", true)]);
    assert!(bench.sent().contains(&("search".to_owned(), "hive size".to_owned())));
}

#[test]
fn links_that_the_model_made_up_are_taken_out_and_counted() {
    let text = format!(
        "### Hive size\n\nA strong hive holds 60,000 bees at midsummer ([here]({PAGE})). See [more](https://made.up/x), \
         [[No such note]] and ![x](https://made.up/y.png).\n"
    );
    let bench = Bench::new(&[&topics(&["hive size"]), &text, &text], web());
    let answer = bench.note("Bees").unwrap();
    let note = bench.world.read_text("Bees.md");
    assert!(answer.removed_links >= 2, "{}", answer.removed_links);
    assert!(!note.contains("made.up") && !note.contains("[[No such note]]"), "{note}");
    assert!(
        note.contains(&format!("A strong hive holds 60,000 bees at midsummer ([here]({PAGE})).")),
        "{note}"
    );
}

#[test]
fn a_part_of_a_page_that_the_model_made_up_is_not_linked() {
    let text =
        format!("### Hive size\n\nA strong hive holds 60,000 bees at midsummer ([here]({PAGE}#made-up)).\n");
    let bench = Bench::new(&[&topics(&["hive size"]), &text, &text], web());
    bench.note("Bees").unwrap();
    let note = bench.world.read_text("Bees.md");
    assert!(note.contains(&format!("([here]({PAGE}))")) && !note.contains("made-up"), "{note}");
}

#[test]
fn a_section_that_does_not_end_is_cut_which_is_told() {
    let paragraph = format!("A strong hive holds 60,000 bees at midsummer ([here]({PAGE})).\n\n");
    let bench =
        Bench::new(&[&topics(&["hive size"]), &format!("### Hive size\n\n{}", paragraph.repeat(900))], web());
    let answer = bench.note("Bees").unwrap();
    let notice = answer.notice.unwrap_or_default();
    assert!(notice.contains("wrote more than 40000 characters"), "{notice}");
    let note = bench.world.read_text("Bees.md");
    assert!((20_000..60_000).contains(&note.len()), "{}", note.len());
}

#[test]
fn what_the_evidence_does_not_bear_is_mended_once_and_then_set_apart() {
    let bench = Bench::keyless(web());
    let text = format!(
        "### Hive size\n\nA strong hive holds 60,000 bees at midsummer ([here]({PAGE})). \
         A strong hive holds 90,000 bees at midsummer ([here]({PAGE})).\n"
    );
    let model = Arc::new(ScriptedModel::new([says(&topics(&["hive size"])), says(&text), says(&text)]));
    let bench = Bench { world: World { model: Some(model.clone()), ..bench.world }, ..bench };
    let answer = bench.note("Bees").unwrap();
    let note = bench.world.read_text("Bees.md");
    assert_eq!(model.replies_left(), 0, "one round to mend it");
    assert!(
        note.contains("### Not supported by the evidence\n\n- A strong hive holds 90,000 bees"),
        "{note}"
    );
    let coverage = answer.coverage;
    assert_eq!((coverage.sentences, coverage.borne_out(), coverage.contradicted), (2, 1, 1), "{coverage:?}");
}

#[test]
fn where_the_evidence_supports_nothing_nothing_is_written() {
    let text = format!("### Hive size\n\nA strong hive holds 90,000 bees at midsummer ([here]({PAGE})).\n");
    let bench = Bench::new(&[&topics(&["hive size"]), &text, &text], web());
    let before = bench.world.files.tree();
    let error = bench.note("Bees").unwrap_err();
    assert!(error.message().contains("the evidence supports none of the 1 sentence written"), "{error}");
    assert_eq!(bench.world.files.tree(), before);
}

#[test]
fn a_repair_that_is_an_apology_loses_nothing_and_is_not_written() {
    let good = format!("A strong hive holds 60,000 bees at midsummer ([here]({PAGE})).");
    let text = format!(
        "Sure! Here is the supplement:\n\n### Hive size\n\n{good} It holds 90,000 bees in May ([here]({PAGE})).\n\n\
         Let me know if you need more.\n"
    );
    let apology = "I apologize for the error. The sentences could not be corrected.";
    let bench = Bench::new(&[&topics(&["hive size"]), &text, apology], web());
    bench.note("Bees").unwrap();
    let note = bench.world.read_text("Bees.md");
    assert!(note.contains(&format!("## Research\n\n### Hive size\n\n{good}")), "{note}");
    assert!(note.contains("Not supported by the evidence\n\n- It holds 90,000 bees in May"), "{note}");
    for filler in ["Sure", "Here is", "Let me know", "apologize"] {
        assert!(!note.contains(filler), "{filler}: {note}");
    }
}

#[test]
fn three_summaries_leave_one_block_of_unsupported_sentences() {
    let text = "A hive holds 40,000 bees in June ([[Bees]]). It holds 90,000 bees in May ([[Bees]]).\n";
    let bench = Bench::new(&[text; 6], web());
    for _ in 0..3 {
        let ctx = bench.world.ctx();
        let asked = SummaryRequest { path: "Bees".to_owned(), focus: None, dry_run: false };
        block_on(ctx.research.start(&SummaryRecipe, ctx.recipe_context(), asked)).unwrap();
    }
    let note = bench.world.read_text("Bees.md");
    assert_eq!(note.matches("Not supported by the evidence").count(), 1, "{note}");
    assert_eq!((note.matches("## Summary").count(), note.matches("90,000").count()), (1, 1), "{note}");
}

#[test]
fn a_second_run_takes_the_place_of_the_first() {
    let section = |prompt: &str| {
        format!(
            "### Hive size\n\nA strong hive holds 60,000 bees at midsummer [{}].\n",
            id_in(prompt, "bees.example")
        )
    };
    let bench = written_by(&[&topics(&["hive size"]), &topics(&["hive size"])], web(), section);
    let first = bench.note("Bees").unwrap();
    let second = bench.note("Bees").unwrap();
    let note = bench.world.read_text("Bees.md");
    assert_eq!(note.matches("## Research").count(), 1);
    assert!(!note.contains(&first.run_id) && note.contains(&second.run_id));
}

#[test]
fn a_dry_run_shows_the_difference_and_writes_nothing() {
    let bench = written_by(&[&topics(&["hive size"])], web(), |prompt| {
        format!(
            "### Hive size\n\nA strong hive holds 60,000 bees at midsummer [{}].\n",
            id_in(prompt, "bees.example")
        )
    });
    let before = bench.world.files.tree();
    let asked = NoteRequest { path: "Bees".to_owned(), depth: Depth::Shallow, focus: None, dry_run: true };
    let answer = bench.asked(asked).unwrap();
    assert!(answer.dry_run && answer.operation.is_none());
    assert!(answer.diff.as_ref().unwrap().contains("+## Research"));
    assert_eq!(bench.world.files.tree(), before);

    // The user agrees: what was shown is written, and the model is not asked again (its script has ended).
    let run = answer.run_id.clone();
    let shown: Vec<String> = answer
        .diff
        .iter()
        .flat_map(|diff| diff.lines())
        .filter_map(|line| line.strip_prefix('+'))
        .map(str::to_owned)
        .collect();
    let written = answer.write(&bench.world.vault).unwrap();
    assert!(!written.dry_run && written.operation.is_some() && !written.can_be_written());
    let text = bench.world.read_text("Bees.md");
    assert!(shown.iter().filter(|line| !line.starts_with("++")).all(|line| text.contains(line)), "{text}");
    bench.world.vault.undo(Some(&run)).unwrap();
    assert_eq!(bench.world.files.tree(), before);
}

#[test]
fn what_was_shown_is_not_written_over_a_section_that_was_edited_since() {
    let bench = written_by(&[&topics(&["hive size"])], web(), |prompt| {
        format!(
            "### Hive size\n\nA strong hive holds 60,000 bees at midsummer [{}].\n",
            id_in(prompt, "bees.example")
        )
    });
    let asked = NoteRequest { path: "Bees".to_owned(), depth: Depth::Shallow, focus: None, dry_run: true };
    bench.world.save("Bees.md", "# Bees\n\nA hive holds 40,000 bees in June.\n\n## Research\n\nOld.\n");
    let answer = bench.asked(asked).unwrap();
    let edited = "# Bees\n\nA hive holds 40,000 bees in June.\n\n## Research\n\nMine.\n";
    bench.world.save("Bees.md", edited);
    assert_eq!(answer.write(&bench.world.vault).unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(bench.world.read_text("Bees.md"), edited);
}

#[test]
fn what_a_dry_run_showed_is_what_is_written_and_nothing_is_asked_again() {
    let mut bench = written_by(&[&topics(&["hive size"])], web(), |prompt| {
        format!(
            "### Hive size\n\nA strong hive holds 60,000 bees at midsummer [{}].\n",
            id_in(prompt, "bees.example")
        )
    });
    let shown = bench
        .asked(NoteRequest { path: "Bees".to_owned(), depth: Depth::Shallow, focus: None, dry_run: true })
        .unwrap();
    let before = bench.world.read_text("Bees.md");
    // Neither model nor web are there any more.
    (bench.world.model, bench.world.reach) = (None, Arc::new(OutsideServices::none()));
    let ctx = bench.world.ctx();
    let write = |path: &str, run: &str| ctx.research.write_previewed_note(ctx.recipe_context(), path, run);
    for (path, run, why) in
        [("Wintering", shown.run_id.as_str(), "is about `Bees.md`"), ("Bees", "nonsense", "nonsense")]
    {
        let error = write(path, run).unwrap_err();
        assert!(error.message().contains(why), "{error}");
    }
    // The section that it would replace was edited meanwhile.
    bench.world.save("Bees.md", &format!("{before}\n## Research\n\nMy own.\n"));
    write("Bees", &shown.run_id).unwrap_err();
    assert!(bench.world.read_text("Bees.md").ends_with("My own.\n"));
    bench.world.save("Bees.md", &before);
    let written = write("Bees", &shown.run_id).unwrap();
    assert!(!written.dry_run && written.diff.is_none() && written.operation.is_some(), "{written:?}");
    let after = bench.world.read_text("Bees.md");
    let added =
        shown.diff.as_ref().unwrap().lines().filter(|line| line.starts_with('+') && !line.starts_with("+++"));
    let added: String = added.map(|line| format!("{}\n", &line[1..])).collect();
    assert_eq!(after, format!("{before}{added}"), "what was shown, byte for byte");
    assert_eq!(write("Bees", &shown.run_id).unwrap().operation, None, "once");
    assert_eq!(bench.world.read_text("Bees.md"), after);
}

#[test]
fn what_the_user_saves_meanwhile_stays() {
    let bench = Arc::new(Mutex::new(None::<Bench>));
    let inside = bench.clone();
    let made = written_by(&[&topics(&["hive size"])], web(), move |prompt| {
        let guard = inside.lock().unwrap();
        guard.as_ref().unwrap().world.save("Bees.md", "# Bees\n\nTyped meanwhile.\n");
        format!(
            "### Hive size\n\nA strong hive holds 60,000 bees at midsummer [{}].\n",
            id_in(prompt, "bees.example")
        )
    });
    let ctx = made.world.ctx();
    *bench.lock().unwrap() = Some(made);
    let asked = NoteRequest { path: "Bees".to_owned(), depth: Depth::Shallow, focus: None, dry_run: false };
    block_on(ctx.research.start(&NoteRecipe, ctx.recipe_context(), asked)).unwrap();
    let guard = bench.lock().unwrap();
    let note = guard.as_ref().unwrap().world.read_text("Bees.md");
    assert!(note.starts_with("# Bees\n\nTyped meanwhile.\n\n## Research\n\n### Hive size"), "{note}");
}

#[test]
fn in_depth_pages_are_read_and_what_fails_is_left_out_and_counted() {
    let second = "https://bees.example/dead";
    let both = web_answer([
        web_result("How large is a hive", PAGE, "About hives."),
        web_result("Dead", second, "Gone."),
    ]);
    let web = ScriptedWeb::new("search")
        .answers("hive size", both)
        .answers("wax", Err(busy_failure()))
        .page(
            PAGE,
            "How large is a hive",
            "# Hives\n\nA hive in a good year holds 80,000 bees. It weighs 60 kg.\n",
        )
        .page_fails(second, WebFailure::Unreachable { message: "no answer in time".to_owned() });
    let bench = written_by(
        &[
            &topics(&["hive size", "wax"]),
            "A hive in a good year holds 80,000 bees.\nThis is not on the page at all.",
        ],
        web,
        |prompt| {
            format!(
                "### Hive size\n\nIn a good year it holds 80,000 bees [{}].\n",
                id_in(prompt, "bees.example/hive")
            )
        },
    );
    let asked = NoteRequest { path: "Bees".to_owned(), depth: Depth::Deep, focus: None, dry_run: false };
    let answer = bench.asked(asked).unwrap();
    assert_eq!(bench.web.fetched_urls(), [PAGE, second]);
    let skipped: Vec<_> =
        answer.skipped.iter().map(|skip| (skip.what.as_str(), skip.reason.as_str())).collect();
    assert_eq!(skipped, [(second, "no answer in time"), ("wax", "search: asked too often")]);
    assert_eq!(answer.topics_researched, 2);
    assert!(
        bench.world.read_text("Bees.md").contains("In a good year it holds 80,000 bees"),
        "{}",
        bench.world.read_text("Bees.md")
    );
}

#[test]
fn each_refusal_has_its_own_message_and_changes_nothing() {
    let refusals = |model: Option<ScriptedModel>, path: &str, files: &[(&str, &str)]| {
        let mut bench = Bench::keyless(web().otherwise(web_answer([])));
        bench.world.model = model.map(|model| Arc::new(model) as Arc<dyn Model>);
        for (path, text) in files {
            bench.world.save(path, text);
        }
        let before = bench.world.files.tree();
        let error = bench.note(path).unwrap_err();
        assert_eq!(bench.world.files.tree(), before, "{error}");
        (error.kind(), error.message().to_owned())
    };
    let script = |replies: &[&str]| {
        Some(ScriptedModel::new(replies.iter().map(|text| says(text)).collect::<Vec<_>>()))
    };
    let (kind, message) = refusals(None, "Nowhere", &[]);
    assert!(kind == ErrorKind::NotFound && message.contains("File not found"), "{message}");
    let (kind, message) = refusals(None, "a.csv", &[("a.csv", "x")]);
    assert!(kind == ErrorKind::Invalid && message.contains("only .md, .markdown and .txt"), "{message}");
    let (kind, message) = refusals(None, "Empty", &[("Empty.md", " \n\n")]);
    assert!(kind == ErrorKind::Invalid && message.contains("is empty"), "{message}");
    let (_, message) = refusals(script(&["no json", "still none"]), "Bees", &[]);
    assert!(message.starts_with("no topics"), "{message}");
    let (_, message) = refusals(script(&["[]"]), "Bees", &[]);
    assert!(message.starts_with("no topics"), "{message}");
    let (_, message) = refusals(script(&[&topics(&["hive"]), "  \n"]), "Bees", &[]);
    assert!(message.contains("so nothing was written"), "{message}");
    let twice = "# B\n\n## Research\n\na\n\n## research\n\nb\n";
    let (_, message) = refusals(None, "Twice", &[("Twice.md", twice)]);
    assert!(message.contains("more than once"), "{message}");
    let key =
        ModelFailure::Key { message: "a key is needed".to_owned(), hint: "set FIREWORKS_API_KEY".to_owned() };
    let (kind, message) = refusals(Some(ScriptedModel::new([Err(key)])), "Bees", &[]);
    assert!(kind == ErrorKind::Unavailable && message.contains("a key is needed"), "{message}");
}

#[test]
fn an_answer_of_the_model_that_is_wrapped_is_read_all_the_same() {
    let wrapped = format!("Sure:\n```json\n{}\n```\n", topics(&["hive size"]));
    let bench = written_by(&[&wrapped], web(), |prompt| {
        format!(
            "```markdown\n## Research\n\n### Hive size\n\nA strong hive holds 60,000 bees [{}].\n```",
            id_in(prompt, "bees.example")
        )
    });
    bench.note("Bees").unwrap();
    let note = bench.world.read_text("Bees.md");
    assert!(note.contains("## Research\n\n### Hive size\n\nA strong hive"), "{note}");
}

#[test]
fn without_a_model_the_best_sentences_are_quoted_and_every_one_is_supported() {
    let bench = Bench::keyless(ScriptedWeb::new("search").otherwise(web_answer([web_result(
        "How large is a hive",
        PAGE,
        "A strong hive holds 60,000 bees at midsummer.",
    )])));
    let answer = bench.note("Bees").unwrap();
    let coverage = answer.coverage;
    assert!(coverage.sentences > 0 && coverage.borne_out() == coverage.sentences, "{coverage:?}");
    let note = bench.world.read_text("Bees.md");
    assert!(
        note.contains("\"A hive holds 10,000 bees in winter and eats 15 kg of honey.\" ([[Wintering]]:3)"),
        "{note}"
    );
    assert!(!note.contains("4711") && !note.contains("Secret"), "{note}");
}

#[test]
fn the_same_vault_gives_the_same_bytes() {
    let section = || {
        let bench = Bench::keyless(ScriptedWeb::new("search").otherwise(web_answer([])));
        let answer = bench.note("Bees").unwrap();
        bench.world.read_text("Bees.md").replace(&answer.run_id, "")
    };
    assert_eq!(section(), section());
}

#[test]
fn nothing_of_a_private_note_leaves_this_machine() {
    let remote = |script: Vec<Result<_, ModelFailure>>| {
        let mut model = ScriptedModel::new(script);
        model.identity.is_local = false;
        model
    };
    let bench = Bench::with(remote(Vec::new()), ScriptedWeb::new("search"));
    let answer = bench.note("Secret").unwrap_or_else(|error| panic!("{error}"));
    assert!(bench.model.as_ref().unwrap().requests().is_empty() && bench.web.queries().is_empty());
    assert!(answer.left.is_empty() && answer.notice.unwrap().contains("private"));
    let open = Bench::with(
        remote(vec![says(&topics(&["honey"])), says("### Honey\n\nNothing."), says("### Honey\n\nNothing.")]),
        ScriptedWeb::new("search").otherwise(web_answer([])),
    );
    // It says nothing that could be written.
    assert_eq!(open.note("Bees").unwrap_err().kind(), ErrorKind::NotFound);
    let prompts = format!("{:?}", open.model.as_ref().unwrap().requests());
    assert!(
        prompts.contains("Wintering") && !prompts.contains("4711") && !prompts.contains("Secret"),
        "{prompts}"
    );
}

#[test]
fn what_is_called_off_while_nothing_is_waited_for_is_not_written() {
    let bench = Bench::keyless(ScriptedWeb::new("search").otherwise(web_answer([])));
    let before = bench.world.files.tree();
    let (ctx, stop) = (bench.world.ctx(), StopSignal::default());
    // Without a model nothing is waited for from the beginning to the end.
    let progress = |event: ResearchEvent| {
        if matches!(event, ResearchEvent::Stage { stage: ResearchStage::Gather, .. }) {
            stop.request();
        }
    };
    let around = Context { stop: &stop, progress: &progress, ..ctx.recipe_context() };
    let asked = NoteRequest { path: "Bees".to_owned(), depth: Depth::Shallow, focus: None, dry_run: false };
    let error = block_on(ctx.research.start(&NoteRecipe, around, asked)).unwrap_err();
    assert!(error.message().starts_with("cancelled") && stop.is_requested(), "{error}");
    assert_eq!(bench.world.files.tree(), before);
}

#[test]
fn what_is_called_off_writes_nothing_and_its_run_says_so() {
    let bench = Bench::new(&[], web());
    let before = bench.world.files.tree();
    let (ctx, stop) = (bench.world.ctx(), StopSignal::default());
    stop.request();
    let around = Context { stop: &stop, ..ctx.recipe_context() };
    let asked = NoteRequest { path: "Bees".to_owned(), depth: Depth::Shallow, focus: None, dry_run: false };
    let error = block_on(ctx.research.start(&NoteRecipe, around, asked)).unwrap_err();
    assert!(error.message().starts_with("cancelled"), "{error}");
    let run = bench.world.records.runs("", 1).unwrap().remove(0);
    let events = bench.world.records.events(&run.id).unwrap();
    assert!(
        matches!(&events.last().unwrap().event, RunEvent::Ended(ended) if ended.outcome == RunOutcome::Cancelled)
    );
    assert_eq!(bench.world.files.tree(), before);
}
