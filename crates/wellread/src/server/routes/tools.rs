//! Every tool of the catalog.

use std::sync::Arc;

use axum::extract::State;
use serde_json::{Map, Value, json};
use wellread_core::domain::rights::Right;
use wellread_core::faces::tools::{AnyTool, Declaration};

use crate::answers::{ToolList, describe_tools};
use crate::mcp::AccessScopes;
use crate::server::ServerContext;
use crate::server::body::{Json, PathParam};
use crate::server::route::{ApiAnswer, ApiResult, Route};

pub fn routes(catalog: &[Box<dyn AnyTool>]) -> Vec<Route> {
    let mut routes = vec![
        Route::get("/api/tools", "Every tool with its schemas", list).answers::<ToolList>(),
        Route::post("/api/tools/{name}", "Calls a tool by its name", call_by_name)
            .needs(&[Right::Read])
            .with_body_schema(&json!({ "type": "object" }))
            .answers_schema(&json!({ "type": "object" }))
            .fails(&[404, 409, 424]),
    ];
    routes.extend(catalog.iter().map(|tool| tool_route(tool.declaration())));
    routes
}

/// A tool at an address of its own, so that a client sees what it takes and answers.
fn tool_route(tool: &Declaration) -> Route {
    let (name, needed) = (tool.name, AccessScopes::for_tool(tool).rights());
    let call = async move |State(site): State<Arc<ServerContext>>, Json(args): Json<Map<String, Value>>| {
        call(site, name.to_owned(), args).await
    };
    Route::post(format!("/api/tools/{name}"), tool.about, call)
        .needs(&needed.iter().collect::<Vec<_>>())
        .with_body_schema(&tool.input)
        .answers_schema(&tool.output)
        .fails(&[404, 409, 424])
}

async fn list(State(site): State<Arc<ServerContext>>) -> ApiAnswer<ToolList> {
    ApiAnswer(describe_tools(&site.app.tools))
}

async fn call_by_name(
    State(site): State<Arc<ServerContext>>,
    PathParam(name): PathParam,
    Json(args): Json<Map<String, Value>>,
) -> ApiResult<Value> {
    call(site, name, args).await
}

async fn call(site: Arc<ServerContext>, name: String, args: Map<String, Value>) -> ApiResult<Value> {
    Ok(ApiAnswer(site.call_tool(name, Value::Object(args)).await?))
}
