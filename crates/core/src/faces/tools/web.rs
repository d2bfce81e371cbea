//! Searches the web and arXiv.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AnswerOrigins, Ctx, Effect, Group, Tool};
use crate::ports::{ServiceIdentity, WebFailure, WebQuery, WebResult};
use crate::{Error, Result};

/// The longest query in characters: a search is a few words, and longer text was pasted by mistake.
const MAX_QUERY_CHARS: usize = 500;
/// The number of results on a page.
const RESULTS: usize = 10;
/// The most papers per request to arXiv.
const MAX_PAPERS: usize = 100;
const NOTHING: &str = "No web results found";
/// Long enough to try several services one after the other.
const LIMIT: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct WebSearchTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebSearchArgs {
    /// The query, in a few words. It is sent to the search service that the user configured.
    query: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WebSearchAnswer {
    results: Vec<FoundPage>,
    /// The service that answered.
    service: String,
    /// A message for the user if nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Services that were tried first and failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundPage {
    title: String,
    url: String,
    snippet: String,
}

impl Tool for WebSearchTool {
    const NAME: &'static str = "web_search";
    const ABOUT: &'static str = "Searches the web with the services that the user configured, and returns titles, URLs and snippets of pages.";
    const GROUP: Group = Group::Research;
    const EFFECT: Effect = Effect::Reads;
    const REACHES: bool = true;
    const OF_THE_WEB: bool = true;
    const LIMIT: Duration = LIMIT;
    type Args = WebSearchArgs;
    type Output = WebSearchAnswer;
    const STUB: &'static [&'static str] = &["service", "results.title", "results.url", "message", "notice"];

    fn answer_origins(_: &WebSearchAnswer) -> AnswerOrigins {
        AnswerOrigins::Outside
    }

    fn leaves_machine(ctx: &Ctx) -> bool {
        ctx.reach.services.iter().any(|service| !service.identity().is_local)
    }

    async fn call(&self, ctx: &Ctx, args: WebSearchArgs) -> Result<WebSearchAnswer> {
        let query = WebQuery { text: parse_query(&args.query)?, limit: RESULTS, offset: 0, answer: false };
        let searched = ctx.reach.search(&query).await;
        let (service, answer) = searched.outcome?;
        let row = |found: WebResult| FoundPage {
            title: found.title,
            url: found.url,
            snippet: found.snippet.expose().to_owned(),
        };
        let results: Vec<FoundPage> = answer.results.into_iter().map(row).collect();
        Ok(WebSearchAnswer {
            message: results.is_empty().then(|| NOTHING.to_owned()),
            notice: render_notice(&searched.failed),
            service: service.name,
            results,
        })
    }
}

fn render_notice(failed: &[(ServiceIdentity, WebFailure)]) -> Option<String> {
    let each: Vec<String> =
        failed.iter().map(|(service, failure)| format!("{}: {}", service.name, failure.message())).collect();
    (!each.is_empty()).then(|| format!("asked before, without success: {}", each.join("; ")))
}

#[derive(Debug)]
pub struct ArxivSearch;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArxivSearchArgs {
    /// The query: a few words, a `"phrase"`, a paper's number, or arXiv's query syntax (`au:… AND ti:…`).
    query: String,
    /// Maximum number of papers to return.
    #[serde(default = "five", alias = "n_results")]
    limit: usize,
    /// Number of papers to skip.
    #[serde(default)]
    offset: usize,
}

fn five() -> usize {
    5
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundPapers {
    results: Vec<FoundPaper>,
    /// The total number.
    total: u64,
    /// A message for the user if nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundPaper {
    /// With its version.
    id: String,
    title: String,
    authors: Vec<String>,
    #[serde(rename = "abstract")]
    summary: String,
    published: String,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pdf_url: Option<String>,
}

impl Tool for ArxivSearch {
    const NAME: &'static str = "arxiv_search";
    const ABOUT: &'static str =
        "Searches arXiv for papers, and returns numbers, titles, authors and abstracts.";
    const GROUP: Group = Group::Research;
    const EFFECT: Effect = Effect::Reads;
    const REACHES: bool = true;
    const OF_THE_WEB: bool = true;
    const LIMIT: Duration = LIMIT;
    type Args = ArxivSearchArgs;
    type Output = FoundPapers;
    const STUB: &'static [&'static str] = &["total", "results.id", "results.title", "results.url", "message"];

    fn answer_origins(_: &FoundPapers) -> AnswerOrigins {
        AnswerOrigins::Outside
    }

    fn leaves_machine(ctx: &Ctx) -> bool {
        !ctx.reach.arxiv.identity().is_local
    }

    async fn call(&self, ctx: &Ctx, args: ArxivSearchArgs) -> Result<FoundPapers> {
        if args.limit == 0 {
            return Err(Error::invalid("`limit` must be at least 1"));
        }
        let text = parse_query(&args.query)?;
        let limit = args.limit.min(MAX_PAPERS);
        let query = WebQuery { text, limit, offset: args.offset, answer: false };
        let (_, answer) = ctx.reach.search_papers(&query).await.outcome?;
        let results: Vec<FoundPaper> = answer.results.into_iter().filter_map(paper).collect();
        let known = args.offset as u64 + results.len() as u64;
        Ok(FoundPapers {
            total: answer.total.unwrap_or(known),
            message: results.is_empty().then(|| "No papers found".to_owned()),
            results,
        })
    }
}

fn paper(found: WebResult) -> Option<FoundPaper> {
    let paper = found.paper?;
    Some(FoundPaper {
        id: paper.id,
        title: found.title,
        authors: paper.authors,
        summary: found.snippet.expose().to_owned(),
        published: paper.published,
        url: found.url,
        pdf_url: paper.pdf_url,
    })
}

/// Checks the query and puts it on one line.
fn parse_query(query: &str) -> Result<String> {
    let line = query.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return Err(Error::invalid("the query is empty").hint("say in a few words what to look for"));
    }
    if line.chars().nth(MAX_QUERY_CHARS).is_some() {
        return Err(Error::invalid(format!("the query is longer than {MAX_QUERY_CHARS} characters"))
            .hint("say in a few words what to look for"));
    }
    Ok(line)
}
