//! The description of the whole API, made of what each route says of itself.

use serde_json::{Map, Value, json};
use wellread_core::WayOut;

use super::problem::MEDIA_TYPE;
use super::route::Route;

pub fn build_document(routes: &[Route], url: &str) -> Value {
    let mut paths = Map::new();
    for route in routes {
        // A name takes no slashes in OpenAPI; a client escapes them.
        let path = route.path.replace("{*", "{");
        let methods = paths.entry(path).or_insert_with(|| json!({}));
        methods[route.method.as_str().to_lowercase()] = describe_operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Wellread",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Search, read and edit a vault of notes, and research it. Every request needs the token; an error \
                            is application/problem+json with title, detail and hint.",
        },
        "servers": [{ "url": url }],
        "security": [{ "bearer": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
            "responses": {
                "Problem": {
                    "description": "The request failed, and why",
                    "content": { MEDIA_TYPE: { "schema": { "$ref": "#/components/schemas/Problem" } } },
                },
            },
            "schemas": { "Problem": problem_schema() },
        },
    })
}

fn describe_operation(route: &Route) -> Value {
    let mut operation = route.operation.clone();
    let words = route.path.split(['/', '{', '}', '*', '_', '.']).filter(|part| !part.is_empty());
    let mut id = route.method.as_str().to_lowercase();
    for word in words {
        id = format!("{id}_{word}");
    }
    operation.insert("operationId".to_owned(), json!(id));
    if let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) {
        let statuses: &[&str] = if route.open { &[] } else { &["401", "429"] };
        for status in statuses {
            responses.insert((*status).to_owned(), json!({ "$ref": "#/components/responses/Problem" }));
        }
    }
    if route.open {
        operation.insert("security".to_owned(), json!([]));
    } else {
        // What a user with an account needs in the vault.
        operation.insert("x-wellread-rights".to_owned(), json!(route.needs));
    }
    Value::Object(operation)
}

fn problem_schema() -> Value {
    let codes: Vec<&str> = WayOut::ALL.iter().map(|way| way.code()).collect();
    json!({
        "type": "object",
        "properties": {
            "type": { "type": "string" },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "detail": { "type": "string" },
            "hint": { "type": "string", "description": "What to do about it." },
            "code": { "type": "string", "enum": codes, "description": "Where the hint leads, for programs." },
        },
        "required": ["type", "title", "status", "detail", "hint"],
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::routes;
    use super::*;

    #[test]
    fn every_route_is_described_and_every_description_is_a_route() {
        let routes = routes::all_routes(&wellread_core::faces::tools::catalog());
        let described = build_document(&routes, "http://localhost:8000");
        let described: BTreeSet<(String, String)> = described["paths"]
            .as_object()
            .unwrap()
            .iter()
            .flat_map(|(path, methods)| {
                methods.as_object().unwrap().keys().map(|method| (method.to_uppercase(), path.clone()))
            })
            .collect();
        let served: Vec<(String, String)> =
            routes.iter().map(|route| (route.method.to_string(), route.path.replace("{*", "{"))).collect();
        assert_eq!(described, served.iter().cloned().collect());
        assert_eq!(described.len(), served.len(), "a route is there twice");
    }

    #[test]
    fn operation_ids_differ() {
        let routes = routes::all_routes(&wellread_core::faces::tools::catalog());
        let ids: BTreeSet<String> =
            routes.iter().map(|route| describe_operation(route)["operationId"].to_string()).collect();
        assert_eq!(ids.len(), routes.len());
    }
}
