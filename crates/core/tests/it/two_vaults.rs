//! Two vaults that differ only in their private notes: a model on another machine is told the same, byte for byte, by
//! every tool and every recipe.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use wellread_core::faces::tools::catalog;
use wellread_core::library::indexing::embed_pending;
use wellread_core::library::search::{SearchMode, SearchRequest, Searcher};
use wellread_core::ports::{
    DeltaHandler, Embedder, EmbeddingModel, EmbeddingPurpose, Model, ModelFailure, ModelIdentity,
    ModelRequest, PassageFilter, PassageScope, Reply,
};
use wellread_testkit::scripted_model::{calls, says};
use wellread_testkit::scripted_web::web_answer;
use wellread_testkit::two_vaults::{CODE, PRIVATE, PUBLIC, questions, seed_agendas, without_ids};
use wellread_testkit::{ChatWorld, ScriptedModel, ScriptedWeb, WordCountEmbedder, World};

/// Records its requests, and always gives the same reply.
struct Elsewhere {
    reply: String,
    asked: Mutex<Vec<ModelRequest>>,
}

impl Model for Elsewhere {
    fn identity(&self) -> ModelIdentity {
        ModelIdentity {
            name: "elsewhere".to_owned(),
            endpoint: "https://models.example".to_owned(),
            is_local: false,
            price: None,
        }
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        _heard: DeltaHandler<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>> {
        self.asked.lock().unwrap().push(request.clone());
        let wants_json = request.shape.is_some();
        let reply = if wants_json { "[]" } else { self.reply.as_str() };
        Box::pin(async move { says(reply) })
    }
}

fn world(script: &str) -> (World, Arc<ScriptedWeb>) {
    let mut world = World::new(script).with_private_folders(&["Private"]);
    let web = Arc::new(ScriptedWeb::new("search").otherwise(web_answer([])));
    world.reach = Arc::new(web.outside_services());
    (world, web)
}

/// All that models and services on other machines are told in a conversation in which a tool is called.
fn told(script: &str, tool: &str, arguments: &Value) -> String {
    let (world, web) = world(script);
    let mut world = world.with_repository("hive", CODE);
    seed_agendas(&*world.agendas, script);
    let recipes = Arc::new(Elsewhere {
        reply: "A hive holds 40,000 bees. See [[Diary]], [[Divorce lawyer]] and [[Bees]].".to_owned(),
        asked: Mutex::default(),
    });
    world.model = Some(recipes.clone());
    let talking = ChatWorld::new(world);
    let ends = "Done. See [[Diary]], [[Private/Diary]], [[Divorce lawyer]], [[Hidden roses]] and [[Roses]].";
    let mut model = ScriptedModel::new([
        calls(&[(tool, arguments.clone())]),
        says(ends),
        calls(&[("get_current_date", json!({}))]),
        says("Done."),
    ]);
    model.identity.is_local = false;
    let model = Arc::new(model);
    talking.say(&model, "What do my notes say about the hive, honey and roses?").unwrap();
    talking.say(&model, "And now?").unwrap();
    let mut asked = model.requests();
    asked.extend(recipes.asked.lock().unwrap().iter().cloned());
    // How long we wait for the reply is not sent.
    asked.iter_mut().for_each(|request| request.limit = Duration::ZERO);
    let all = format!("{asked:?}\n{:?}", web.queries());
    without_ids(&all)
}

#[test]
fn every_tool_is_asked() {
    let asked: Vec<&str> = questions().into_iter().map(|(tool, _)| tool).collect();
    for tool in catalog() {
        let name = tool.declaration().name;
        assert!(asked.contains(&name), "{name} needs a row");
    }
}

#[test]
fn a_model_elsewhere_is_told_the_same_whatever_the_private_notes_are() {
    let other = PRIVATE.replace("4711", "815").replace("honey", "wax").replace("Diary", "Dairy");
    let vaults = [format!("{PUBLIC}{PRIVATE}"), format!("{PUBLIC}{other}"), PUBLIC.to_owned()];
    for (tool, arguments) in questions() {
        let [first, second, without] = vaults.each_ref().map(|vault| told(vault, tool, &arguments));
        assert_eq!(first, told(&vaults[0], tool, &arguments), "{tool} {arguments}: the same vault twice");
        assert_eq!(first, second, "{tool} {arguments}: other private notes");
        assert_eq!(first, without, "{tool} {arguments}: no private notes");
    }
}

/// An embedding model on another machine that records what it is sent.
#[derive(Default)]
struct RemoteEmbedder(Mutex<Vec<String>>);

impl Embedder for RemoteEmbedder {
    fn model(&self) -> wellread_core::Result<EmbeddingModel> {
        WordCountEmbedder.model()
    }

    fn is_local(&self) -> bool {
        false
    }

    fn embed(&self, texts: &[&str], purpose: EmbeddingPurpose) -> wellread_core::Result<Vec<Vec<f32>>> {
        self.0.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
        WordCountEmbedder.embed(texts, purpose)
    }
}

#[test]
fn a_note_that_was_made_private_since_it_was_indexed_is_not_sent() {
    let (world, _) = world("-- Plan.md\n# Plan\n\nThe vault opens at noon.\n");
    let (embedder, library) = (RemoteEmbedder::default(), &world.search.library);
    library.update(false, &|_| {}).unwrap();
    // Its first passage is as it was.
    let text = world.read_text("Plan.md");
    world.save("Plan.md", &format!("{text}\n## Later\n\n#private\n"));
    embed_pending(library, &embedder, &|| {}, &|_| true).unwrap();
    assert_eq!(embedder.0.into_inner().unwrap(), Vec::<String>::new());
}

#[test]
fn an_embedding_model_elsewhere_gets_no_private_passage() {
    let sent = |script: &str| {
        let (world, _) = world(script);
        let embedder = RemoteEmbedder::default();
        let library = &world.search.library;
        library.update(false, &|_| {}).unwrap();
        embed_pending(library, &embedder, &|| {}, &|_| true).unwrap();
        let mut sent = embedder.0.into_inner().unwrap();
        sent.sort();
        let model = WordCountEmbedder.model().unwrap();
        let (made, all) = library.vectors.progress(&model, PassageScope::Public).unwrap();
        assert_eq!(made, all, "every public passage has its vector");
        sent
    };
    let all = sent(&format!("{PUBLIC}{PRIVATE}"));
    assert!(all.iter().any(|text| text.contains("40,000")), "{all:?}");
    assert!(all.iter().all(|text| !text.contains("4711") && !text.contains("secret")), "{all:?}");
    assert_eq!(all, sent(PUBLIC));
}

#[test]
fn no_private_note_is_compared_by_an_embedding_model_elsewhere() {
    let request = SearchRequest {
        query: String::new(),
        mode: SearchMode::Hybrid,
        filter: PassageFilter::default(),
        limit: 9,
        per_file: 1,
    };
    for (path, is_sent) in [("Bees.md", true), ("Private/Diary.md", false)] {
        let (world, _) = world(&format!("{PUBLIC}{PRIVATE}"));
        world.index();
        let embedder = Arc::new(RemoteEmbedder::default());
        let search = Searcher { embedder: embedder.clone(), ..(*world.search).clone() };
        search.find_similar(&world.vault, &world.path(path), &request).unwrap();
        let sent = embedder.0.lock().unwrap();
        assert_eq!(!sent.is_empty(), is_sent, "{path}: {sent:?}");
    }
}
