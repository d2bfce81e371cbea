//! One question in, one paragraph out: over a vault in memory, a scripted model and a scripted web.

use std::sync::Arc;

use wellread_core::domain::untrusted::Untrusted;
use wellread_core::faces::skills::{Asker, Intent, Skills};
use wellread_core::ports::{Model, ModelFailure, RunLogs as _, WebAnswer, WebFailure};
use wellread_core::research::{AskAnswer, AskAnswerKind, AskRecipe, Recipe as _};
use wellread_testkit::chat_world::block_on;
use wellread_testkit::scripted_model::says;
use wellread_testkit::scripted_web::{busy_failure, web_answer, web_result};
use wellread_testkit::{ScriptedModel, ScriptedWeb, World};

const VAULT: &str = "-- Varroa.md\n# Varroa\n\n## Threshold\n\nThe treatment threshold for varroa in August is 3 mites a day.\n\n\
## Drones\n\nMites prefer drone brood.\n-- Secret.md\n---\nprivate: true\n---\nThe varroa treatment threshold is a secret of 9 mites.\n";
const PAGE: &str = "https://bees.example/threshold";
const QUESTION: &str = "What is the treatment threshold for varroa?";

struct Bench {
    world: World,
    web: Arc<ScriptedWeb>,
    model: Option<Arc<ScriptedModel>>,
}

fn bench(model: Option<ScriptedModel>, web: Option<ScriptedWeb>) -> Bench {
    let mut world = World::new(VAULT);
    world.index();
    let chosen = web.is_some();
    let web = Arc::new(web.unwrap_or_else(|| ScriptedWeb::new("none")));
    if chosen {
        world.reach = Arc::new(web.outside_services());
    }
    let model = model.map(Arc::new);
    world.model = model.clone().map(|model| model as Arc<dyn Model>);
    Bench { world, web, model }
}

impl Bench {
    fn ask(&self, question: &str) -> AskAnswer {
        let ctx = self.world.ctx();
        block_on(ctx.research.start(&AskRecipe, ctx.recipe_context(), question.to_owned())).unwrap()
    }
}

fn web(snippet: &str) -> ScriptedWeb {
    ScriptedWeb::new("search")
        .otherwise(web_answer([web_result("Thresholds", PAGE, snippet)]))
        .page_fails(PAGE, WebFailure::Unreachable { message: "no answer in time".to_owned() })
}

#[test]
fn a_broad_question_is_asked_back_and_nothing_is_searched() {
    let bench = bench(Some(ScriptedModel::new([])), Some(ScriptedWeb::new("search")));
    for broad in ["", "varroa", "Varroa mites?"] {
        let answer = bench.ask(broad);
        assert_eq!(answer.kind, AskAnswerKind::Clarify, "{broad}");
        assert!(
            answer.answer.ends_with('?') && answer.source.is_none() && answer.run_id.is_none(),
            "{answer:?}"
        );
    }
    // Directions that the vault knows.
    let asked = bench.ask("varroa").answer;
    assert!(asked.contains("Threshold") && asked.contains("Drones"), "{asked}");
    assert!(bench.web.queries().is_empty() && bench.world.records.runs("", 1).unwrap().is_empty());
}

#[test]
fn the_model_answers_from_what_was_found_and_names_one_source() {
    let snippet = "In August a colony is treated above 3 mites a day. In spring the limit is 1 mite a day.";
    let said = "A colony is treated above 3 mites a day in August. In spring the limit is 1 mite a day.";
    let bench = bench(Some(ScriptedModel::new([says(said)])), Some(web(snippet)));
    let answer = bench.ask(QUESTION);
    assert_eq!((answer.kind, answer.source.as_deref()), (AskAnswerKind::Answer, Some(PAGE)));
    assert_eq!(answer.answer, format!("{said}\n\nSource: {PAGE}"));
    assert!(bench.model.as_ref().unwrap().replies_left() == 0);
}

#[test]
fn where_no_source_bears_all_of_it_each_sentence_names_its_own() {
    let threshold = "The treatment threshold for varroa in August is 3 mites a day.";
    let brood = "Mites prefer drone brood.";
    let bench = bench(Some(ScriptedModel::new([says(&format!("{threshold} {brood}"))])), None);
    let answer = bench.ask("What is the treatment threshold for varroa, and which brood do mites prefer?");
    assert!(answer.answer.contains(&format!("{threshold} (Varroa.md:3-5)")), "{}", answer.answer);
    assert!(answer.answer.contains(&format!("{brood} (Varroa.md:7-9)")), "{}", answer.answer);
}

#[test]
fn what_nothing_bears_is_not_shown_and_the_best_sentences_are_quoted() {
    let said = "The moon is made of green cheese and nobody has been there yet.";
    let bench = bench(Some(ScriptedModel::new([says(said)])), Some(web("A page about wax.")));
    let answer = bench.ask(QUESTION);
    assert!(!answer.answer.contains("moon"), "{}", answer.answer);
    assert!(answer.answer.contains("3 mites a day") && answer.source.is_some(), "{}", answer.answer);
    assert!(answer.notice.unwrap().contains("did not bear out what the model wrote"));
}

#[test]
fn an_answer_of_the_service_costs_no_call_of_the_model() {
    let ready = |answer: &str| {
        Ok(WebAnswer {
            answer: Some(Untrusted::from_outside(answer)),
            results: vec![web_result(
                "Thresholds",
                PAGE,
                "In August, colonies are treated above 3 mites a day.",
            )],
            total: None,
        })
    };
    let service = ScriptedWeb::new("tavily")
        .otherwise(ready("Colonies are treated above 3 mites a day. See ![x](https://evil.example/p.png)."));
    let bench1 = bench(Some(ScriptedModel::new([])), Some(service));
    let answer = bench1.ask(QUESTION);
    assert_eq!((answer.kind, answer.source.as_deref()), (AskAnswerKind::Answer, Some(PAGE)));
    assert!(answer.answer.starts_with("Colonies are treated above 3 mites a day."), "{}", answer.answer);
    assert!(!answer.answer.contains("evil.example"), "{}", answer.answer);
    // What the results do not bear out is not shown as their answer.
    let service = ScriptedWeb::new("tavily").otherwise(ready("Colonies are treated above 9 mites a day."));
    let wrong = bench(Some(ScriptedModel::new([])), Some(service)).ask(QUESTION);
    assert_eq!((wrong.kind, wrong.source), (AskAnswerKind::Unsure, None), "{}", wrong.answer);
    assert!(wrong.notice.unwrap().starts_with("not checked"));
    // Too short to be one.
    let said = "Nobody found anything that would say more than this.";
    let short = ScriptedWeb::new("tavily")
        .otherwise(ready("Three."))
        .page_fails(PAGE, WebFailure::Broken { message: "x".to_owned() });
    let bench2 = bench(Some(ScriptedModel::new([says(said)])), Some(short));
    assert!(!bench2.ask(QUESTION).answer.contains("Three"));
    assert_eq!(bench2.model.as_ref().unwrap().replies_left(), 0);
}

#[test]
fn where_the_search_fails_one_sentence_says_so_and_nothing_else() {
    for failure in [
        busy_failure(),
        WebFailure::Key { message: "status 401 sk-secret".to_owned(), hint: "set BRAVE_API_KEY".to_owned() },
        WebFailure::NotSetUp { message: "no key".to_owned(), hint: "set it".to_owned() },
        WebFailure::Blocked { message: "status 202".to_owned() },
    ] {
        let bench = bench(None, Some(ScriptedWeb::new("search").otherwise(Err(failure))));
        let answer = bench.ask(QUESTION);
        assert_eq!(answer.kind, AskAnswerKind::Unavailable);
        let told = serde_json::to_string(&answer).unwrap();
        assert!(answer.answer.ends_with('.') && answer.answer.lines().count() == 1, "{told}");
        for never in ["401", "202", "sk-secret", "BRAVE", "status"] {
            assert!(!told.contains(never), "{told}");
        }
    }
}

#[test]
fn with_no_service_it_answers_from_notes_and_says_how_to_add_the_web() {
    let bench = bench(None, None);
    let answer = bench.ask("What is the treatment threshold for varroa in August?");
    assert_eq!(answer.kind, AskAnswerKind::Answer, "{answer:?}");
    assert!(
        answer.answer.contains("The treatment threshold for varroa in August is 3 mites a day."),
        "{answer:?}"
    );
    assert_eq!(answer.source.as_deref(), Some("Varroa.md:5"));
    assert!(answer.notice.unwrap().contains("search.services"));
    let nothing = bench.ask("Who composed the opera about submarines?");
    assert_eq!(nothing.kind, AskAnswerKind::Unsure);
    assert!(nothing.answer.starts_with("I'm not fully certain, but"), "{}", nothing.answer);
    // No sentence answers, but there is a place to look at.
    let near = bench.ask("Who invented the treatment threshold for varroa?");
    assert_eq!((near.kind, &near.source), (AskAnswerKind::Unsure, &None), "{}", near.answer);
    assert!(near.answer.contains("These lines come closest:\n- \""), "{}", near.answer);
    assert!(near.answer.contains("(Varroa.md:"), "{}", near.answer);
}

#[test]
fn a_property_is_an_answer_however_short_its_line_is() {
    let world = World::new("-- Boats/Merle.md\n# Merle\n\n- Draught: 1.22 m\n- Sail number: 312\n");
    world.index();
    let ctx = world.ctx();
    let ask = |question: &str| {
        block_on(ctx.research.start(&AskRecipe, ctx.recipe_context(), question.to_owned())).unwrap()
    };
    for question in
        ["What is the draught of Merle?", "How deep is Merle?", "What do my notes say about Merle?"]
    {
        let answer = ask(question);
        assert_eq!(answer.kind, AskAnswerKind::Answer, "{question}: {answer:?}");
        assert!(answer.answer.contains("Draught: 1.22 m"), "{question}: {}", answer.answer);
    }
}

#[test]
fn a_model_elsewhere_sees_no_private_note_and_one_that_fails_is_done_without() {
    let mut remote =
        ScriptedModel::new([Err(ModelFailure::Unreachable { message: "status 500".to_owned() })]);
    remote.identity.is_local = false;
    let bench = bench(Some(remote), None);
    let answer = bench.ask(QUESTION);
    let prompt = format!("{:?}", bench.model.as_ref().unwrap().requests());
    assert!(prompt.contains("3 mites a day") && !prompt.contains("secret of 9"), "{prompt}");
    assert!(answer.answer.contains("3 mites a day") && !answer.answer.contains("500"), "{answer:?}");
}

#[test]
fn an_answer_is_run_again_from_its_log_alone() {
    let said = "In August a colony is treated above 3 mites a day, says the page.";
    let bench = bench(
        Some(ScriptedModel::new([says(said)])),
        Some(web("In August a colony is treated above 3 mites a day.")),
    );
    let answer = bench.ask(QUESTION);
    let run = bench.world.records.runs("", 1).unwrap().remove(0).id;
    let mut world = World { model: None, ..bench.world };
    world.reach = Arc::new(wellread_core::engine::outside::OutsideServices::none());
    world.save("Varroa.md", "Something else.\n");
    let ctx = world.ctx();
    let again = block_on(ctx.research.replay(ctx.recipe_context(), &run)).unwrap();
    assert_eq!(again.kind, wellread_core::ports::event::RunKind::Ask);
    assert_eq!(again.fields, serde_json::to_value(&answer).unwrap());
    assert_eq!(again.shown, AskRecipe.render(&answer).unwrap());
}

#[test]
fn the_skill_for_bots_answers_and_an_unknown_one_names_those_that_there_are() {
    let bench = bench(None, None);
    let (skills, ctx, asker) = (Skills::default(), bench.world.ctx(), Asker::default());
    let intent = Intent {
        name: "research".to_owned(),
        query: None,
        raw_text: "What is the treatment threshold for varroa in August?".to_owned(),
    };
    let said = block_on(skills.find_skill("research").unwrap().handle(&ctx, &asker, &intent)).unwrap();
    assert!(said.contains("3 mites a day") && said.contains("\n\nSource: "), "{said}");
    assert_eq!(skills.list_skills()[0].0, "research");
    let error = skills.find_skill("weather").map(|_| ()).unwrap_err();
    assert_eq!(error.hint_text(), Some("choose one of: research"));
}
