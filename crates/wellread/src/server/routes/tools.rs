//! Every tool of the catalogue.

use std::sync::Arc;

use axum::extract::State;
use serde_json::{Map, Value, json};
use wellread_core::faces::tools::{AnyTool, Declaration};

use crate::answers::{DeclaredTools, declared};
use crate::server::Site;
use crate::server::body::{Json, Named};
use crate::server::route::{Answer, Answered, Route};

pub fn routes(catalogue: &[Box<dyn AnyTool>]) -> Vec<Route> {
    let mut routes = vec![
        Route::get("/api/tools", "Every tool with its schemas", list).answers::<DeclaredTools>(),
        Route::post("/api/tools/{name}", "Calls a tool by its name", call_named)
            .takes_schema(&json!({ "type": "object" }))
            .answers_schema(&json!({ "type": "object" }))
            .fails(&[404, 409, 424]),
    ];
    routes.extend(catalogue.iter().map(|tool| one(tool.declaration())));
    routes
}

/// A tool at an address of its own, so that a client sees what it takes and answers.
fn one(tool: &Declaration) -> Route {
    let name = tool.name;
    let call = async move |State(site): State<Arc<Site>>, Json(args): Json<Map<String, Value>>| {
        call(site, name.to_owned(), args).await
    };
    Route::post(format!("/api/tools/{name}"), tool.about, call)
        .takes_schema(&tool.input)
        .answers_schema(&tool.output)
        .fails(&[404, 409, 424])
}

async fn list(State(site): State<Arc<Site>>) -> Answer<DeclaredTools> {
    Answer(declared(&site.app.tools))
}

async fn call_named(
    State(site): State<Arc<Site>>,
    Named(name): Named,
    Json(args): Json<Map<String, Value>>,
) -> Answered<Value> {
    call(site, name, args).await
}

async fn call(site: Arc<Site>, name: String, args: Map<String, Value>) -> Answered<Value> {
    Ok(Answer(site.run(name, Value::Object(args)).await?))
}
