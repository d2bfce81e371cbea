//! Lines of a file of a codebase, as the tools read them: to be looked at beside what was found or cited.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::Result;
use wellread_core::code::codebase::Codebase;

use crate::app::App;
use crate::server::ServerContext;
use crate::server::body::QueryParams;
use crate::server::route::{ApiAnswer, ApiResult, Route};

/// How many lines are given before and after the one that is wanted.
const AROUND: usize = 1000;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/code/file", "Lines of a file of a codebase", file)
            .with_query::<FileQuery>()
            .answers::<CodeLines>()
            .fails(&[404]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileQuery {
    /// The codebase, by its name.
    repository: String,
    /// The file, relative to the codebase.
    path: String,
    /// A line that is wanted, from 1: a thousand lines before and after it are given.
    #[serde(default = "first_line")]
    line: usize,
}

fn first_line() -> usize {
    1
}

#[derive(Debug, Serialize, JsonSchema)]
struct CodeLines {
    repository: String,
    path: String,
    /// The first line of the text, from 1.
    start_line: usize,
    end_line: usize,
    /// How many lines the file has.
    lines_of_file: usize,
    text: String,
}

async fn file(
    State(site): State<Arc<ServerContext>>,
    QueryParams(query): QueryParams<FileQuery>,
) -> ApiResult<CodeLines> {
    Ok(ApiAnswer(site.run_blocking(move |site| read_lines(&site.app, &query)).await?))
}

fn read_lines(app: &App, query: &FileQuery) -> Result<CodeLines> {
    let codebase = Codebase::select(&app.library, Some(&query.repository), None)?;
    let path = codebase.parse_path(&query.path)?;
    let source = codebase.read(&path)?;
    let lines_of_file = source.line_count();
    // A file may have become shorter since it was cited.
    let line = query.line.clamp(1, lines_of_file.max(1));
    let first = line.saturating_sub(AROUND).max(1);
    let (place, text) = source.lines(&codebase.corpus, first, line.saturating_add(AROUND))?;
    Ok(CodeLines {
        repository: query.repository.trim().to_owned(),
        path: path.to_string(),
        start_line: place.lines.0,
        end_line: place.lines.1,
        lines_of_file,
        text,
    })
}
