//! A route, declared once: its address, its handler, and what a client is told of it.

use std::sync::Arc;

use axum::body::Body;
use axum::handler::Handler;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Method};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use wellread_core::domain::rights::{Right, Rights};
use wellread_core::faces::tools::{input_schema, output_schema};

use super::ServerContext;
use super::idempotency::{KEY, LONGEST_KEY};
use super::problem::Problem;
use crate::output::success;

/// One method of one address. What stands in the address in braces is a name, or with a star the rest of it.
pub struct Route {
    pub method: Method,
    pub path: String,
    pub handler: MethodRouter<Arc<ServerContext>>,
    /// The operation as OpenAPI has it, but for what all have.
    pub operation: Map<String, Value>,
    /// Served without the token.
    pub open: bool,
    /// What a user needs in the vault: `read` to get something, and unless it says otherwise `admin` to change something.
    pub needs: Rights,
}

impl Route {
    pub fn get<H, T>(path: impl Into<String>, about: &str, handler: H) -> Self
    where
        H: Handler<T, Arc<ServerContext>>,
        T: 'static,
    {
        Self::new((Method::GET, MethodFilter::GET), path.into(), about, handler)
    }

    pub fn post<H, T>(path: impl Into<String>, about: &str, handler: H) -> Self
    where
        H: Handler<T, Arc<ServerContext>>,
        T: 'static,
    {
        // What has a body may have a wrong one.
        Self::new((Method::POST, MethodFilter::POST), path.into(), about, handler)
            .fails(&[400, 408, 413, 415])
    }

    pub fn delete<H, T>(path: impl Into<String>, about: &str, handler: H) -> Self
    where
        H: Handler<T, Arc<ServerContext>>,
        T: 'static,
    {
        Self::new((Method::DELETE, MethodFilter::DELETE), path.into(), about, handler)
    }

    fn new<H, T>((method, filter): (Method, MethodFilter), path: String, about: &str, handler: H) -> Self
    where
        H: Handler<T, Arc<ServerContext>>,
        T: 'static,
    {
        let operation = json!({ "summary": about, "parameters": [], "responses": {} });
        let operation = operation.as_object().cloned().unwrap_or_default();
        let needs = if method == Method::GET { Right::Read } else { Right::Admin };
        let needs = Rights::from_iter([Right::Read, needs]);
        Self { method, path, handler: on(filter, handler), operation, open: false, needs }
            .with_path_parameters()
            .fails(&[403, 500, 503])
    }

    /// Needs these rights, and `read`.
    #[must_use]
    pub fn needs(self, rights: &[Right]) -> Self {
        Self { needs: rights.iter().copied().chain([Right::Read]).collect(), ..self }
    }

    /// Whether it decides something or changes the settings: who did that is recorded. Changes of notes are recorded where they are
    /// made.
    pub fn is_recorded(&self) -> bool {
        let decides = self.needs.iter().any(|right| matches!(right, Right::Decide | Right::Admin));
        decides && !self.open && self.method != Method::GET
    }

    /// Needs no token.
    #[must_use]
    pub fn without_token(mut self) -> Self {
        self.open = true;
        self
    }

    /// The query's fields, from the type that they are read into.
    #[must_use]
    pub fn with_query<T: JsonSchema>(mut self) -> Self {
        let mut schema = input_schema::<T>();
        let required = schema["required"].take();
        for (name, mut field) in schema["properties"].as_object().cloned().unwrap_or_default() {
            let needed = required.as_array().is_some_and(|names| names.iter().any(|known| *known == name));
            let about = field["description"].take();
            field.as_object_mut().map(|field| field.remove("description"));
            self.push_parameter(json!({
                "name": name, "in": "query", "required": needed, "description": about, "schema": field,
            }));
        }
        self.fails(&[400])
    }

    /// The body, from the type that it is read into.
    #[must_use]
    pub fn with_body<T: JsonSchema>(self) -> Self {
        self.with_body_schema(&input_schema::<T>())
    }

    /// A field that may be left out may be null as well: that is how it is read.
    #[must_use]
    pub fn with_body_schema(mut self, schema: &Value) -> Self {
        let mut schema = schema.clone();
        let required = schema["required"].clone();
        for (name, field) in schema["properties"].as_object_mut().into_iter().flatten() {
            if !required.as_array().is_some_and(|names| names.iter().any(|known| known == name)) {
                *field = json!({ "anyOf": [field.take(), { "type": "null" }] });
            }
        }
        let body = json!({ "required": true, "content": { "application/json": { "schema": schema } } });
        self.operation.insert("requestBody".to_owned(), body);
        self
    }

    /// A form's fields, from the type that they are read into.
    #[must_use]
    pub fn with_form<T: JsonSchema>(mut self) -> Self {
        let content = json!({ "application/x-www-form-urlencoded": { "schema": input_schema::<T>() } });
        self.operation.insert("requestBody".to_owned(), json!({ "required": true, "content": content }));
        self
    }

    /// May come with a key: whoever did not hear the answer asks again, and gets the same.
    #[must_use]
    pub fn with_idempotency_key(mut self) -> Self {
        self.push_parameter(json!({
            "name": KEY, "in": "header", "required": false,
            "description": "Made up by the client, new for each request. The same key with the same request has the same answer, and \
                            nothing is done twice, whatever happened since; with another body or another address it is refused (409).",
            "schema": { "type": "string", "minLength": 1, "maxLength": LONGEST_KEY },
        }));
        self.fails(&[409])
    }

    /// The answer of a success, from its type.
    #[must_use]
    pub fn answers<T: JsonSchema>(self) -> Self {
        self.answers_schema(&output_schema::<T>())
    }

    /// The answer of a success with another status than the usual.
    #[must_use]
    pub fn answers_with<T: JsonSchema>(mut self, status: &str, about: &str) -> Self {
        let schema = output_schema::<T>();
        self.insert_response(
            status,
            json!({ "description": about, "content": { "application/json": { "schema": schema } } }),
        );
        self
    }

    #[must_use]
    pub fn answers_schema(self, schema: &Value) -> Self {
        self.answers_as("application/json", schema)
    }

    #[must_use]
    pub fn answers_as(mut self, media_type: &str, schema: &Value) -> Self {
        self.insert_response(
            "200",
            json!({ "description": "Done", "content": { media_type: { "schema": schema } } }),
        );
        self
    }

    /// Statuses of failures, besides those that every route may have.
    #[must_use]
    pub fn fails(mut self, statuses: &[u16]) -> Self {
        for status in statuses {
            self.insert_response(&status.to_string(), json!({ "$ref": "#/components/responses/Problem" }));
        }
        self
    }

    /// A status that is no failure and has no JSON.
    #[must_use]
    pub fn answers_status(mut self, status: &str, about: &str) -> Self {
        self.insert_response(status, json!({ "description": about }));
        self
    }

    fn insert_response(&mut self, status: &str, response: Value) {
        if let Some(responses) = self.operation.get_mut("responses").and_then(Value::as_object_mut) {
            responses.insert(status.to_owned(), response);
        }
    }

    fn push_parameter(&mut self, parameter: Value) {
        if let Some(parameters) = self.operation.get_mut("parameters").and_then(Value::as_array_mut) {
            parameters.push(parameter);
        }
    }

    fn with_path_parameters(mut self) -> Self {
        let open_parts = self.path.clone();
        for name in open_parts.split('{').skip(1).filter_map(|part| part.split('}').next()) {
            let name = name.trim_start_matches('*');
            let schema = json!({ "type": "string", "minLength": 1 });
            self.push_parameter(json!({ "name": name, "in": "path", "required": true, "schema": schema }));
        }
        self
    }
}

/// An answer of JSON, with `success` in front as everywhere.
pub struct ApiAnswer<T>(pub T);

impl<T: Serialize> IntoResponse for ApiAnswer<T> {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(success(json!(self.0)).to_string()));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}

pub type ApiResult<T> = Result<ApiAnswer<T>, Problem>;
