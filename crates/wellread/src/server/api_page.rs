//! The page of the book that lists every route: made from what each route says about itself.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use wellread_core::faces::tools::catalog;
use wellread_testkit::check_generated;

use super::route::Route;
use super::routes::all_routes;
use crate::tool_docs::push_section;

const PAGE: &str = "docs/book/src/reference/api.md";

const INTRODUCTION: &str = "# The HTTP API\n\n\
<!-- Generated from the routes; a test compares the two. -->\n\n\
`wellread serve` serves these routes ([how to run it](../server.md)). `GET /api/openapi.json` describes them for programs, with \
every field of every answer; here are the parameters, and the names of what comes back.\n\n\
- Every request needs the token, as `Authorization: Bearer TOKEN`, except where a route says otherwise. It is in the file that \
`wellread serve --json` names.\n\
- Bodies and answers are JSON. An answer has `\"success\": true`. A failure is `application/problem+json` with `title`, `detail` \
and `hint`, and a status that says what kind of failure it is.\n\
- Where an answer may take long, `Accept: text/event-stream` streams it, and `Prefer: respond-async` returns at once with the id of \
the run.\n\
- Each tool also has a route of its own, `POST /api/tools/NAME`, with the parameters that [the page of the \
tools](../../../tools.md) lists.\n";

fn render_page() -> String {
    let mut page = String::from(INTRODUCTION);
    for route in all_routes(&catalog()).iter().filter(|route| !route.path.starts_with("/api/tools/")) {
        push_route(&mut page, route);
    }
    page
}

fn push_route(page: &mut String, route: &Route) {
    let path = route.path.replace("{*", "{");
    let about = route.operation["summary"].as_str().unwrap_or_default();
    let open = if route.open { " No token is needed." } else { "" };
    let _ = write!(page, "\n## `{} {path}`\n\n{about}.{open}\n", route.method);
    push_section(page, "Parameter", &parameters(route), true);
    push_section(page, "Field of the body", &body(route), true);
    let answer = &route.operation["responses"]["200"]["content"]["application/json"]["schema"];
    if let Some(fields) = answer["properties"].as_object() {
        let names = fields.keys().filter(|name| *name != "success").map(|name| format!("`{name}`"));
        let names = names.collect::<Vec<_>>().join(", ");
        if !names.is_empty() {
            let _ = write!(page, "\nAnswer: {names}.\n");
        }
    }
}

/// The parameters of path, query and headers, as fields of a schema.
fn parameters(route: &Route) -> Value {
    let (mut fields, mut required) = (Map::new(), Vec::new());
    for parameter in route.operation["parameters"].as_array().into_iter().flatten() {
        let mut field = parameter["schema"].clone();
        let place = parameter["in"].as_str().unwrap_or_default();
        let about = parameter["description"].as_str().unwrap_or_default();
        field["description"] = json!(format!("In the {place}. {about}").trim_end());
        if parameter["required"] == true {
            required.push(parameter["name"].clone());
        }
        fields.insert(parameter["name"].as_str().unwrap_or_default().to_owned(), field);
    }
    json!({ "properties": fields, "required": required })
}

/// The body's schema. That a field may be null as well is not worth a word.
fn body(route: &Route) -> Value {
    let content = route.operation.get("requestBody").map_or(Value::Null, |body| body["content"].clone());
    let mut schema = content
        .as_object()
        .and_then(|kinds| kinds.values().next())
        .map_or(Value::Null, |kind| kind["schema"].clone());
    for (_, field) in schema["properties"].as_object_mut().into_iter().flatten() {
        if field["anyOf"][1] == json!({ "type": "null" }) {
            *field = field["anyOf"][0].take();
        }
    }
    schema
}

#[test]
fn the_api_in_the_book_is_that_of_the_server() {
    check_generated(PAGE, &render_page());
}
