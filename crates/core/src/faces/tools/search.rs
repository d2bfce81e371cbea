//! Searches passages and notes.

use std::collections::BTreeMap;

use jiff::ToSpan;
use schemars::JsonSchema;
use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use wellread_text::{ChunkKind, Span, fold};

use super::{AnswerOrigins, Ctx, Effect, Tool};
use crate::domain::corpus::CorpusName;
use crate::domain::evidence::{self, Source};
use crate::domain::untrusted::Untrusted;
use crate::library::search::{
    Hit, NOTHING_FOUND, Provenance, Relevance, SearchAnswer, SearchMode, SearchRequest, SharedAnswer,
    SharedHit, SimilarNote, SimilarNotes, UserQuery, snippet,
};
use crate::library::vault::parse_day;
use crate::ports::PassageFilter;
use crate::{Error, Result};

/// The most results of a search.
const MAX_RESULTS: usize = 1000;
/// The most passages of one note in a result.
const MAX_PASSAGES_PER_NOTE: usize = 3;

fn five() -> usize {
    5
}

#[derive(Debug)]
pub struct SearchVault;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchVaultArgs {
    /// The query, in your own words. `"in quotes"`: a phrase; `#tag`, `path:Folder`: only there; `-word`, `-"a phrase"`,
    /// `-#tag`, `-path:Folder`: leave such notes out.
    query: String,
    /// Maximum number of passages to return.
    #[serde(default = "five", alias = "n_results")]
    limit: usize,
    /// `hybrid`: by words and by meaning; `semantic`: by meaning only; `keyword`: by words only.
    #[serde(default)]
    mode: SearchMode,
    /// Up to seven other queries, searched at once: each result is returned once and says which queries found it.
    #[serde(default)]
    also: Vec<String>,
}

/// What a search answers with.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchToolAnswer<T> {
    results: Vec<T>,
    /// The search mode that was used.
    mode: SearchMode,
    /// A message for the user if nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Something the caller should know about the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
}

impl<T> SearchToolAnswer<T> {
    fn from_answer(answer: SearchAnswer, row: impl Fn(Hit) -> T) -> Self {
        let message = answer.hits.is_empty().then(|| NOTHING_FOUND.to_owned());
        let results = answer.hits.into_iter().map(row).collect();
        Self { results, mode: answer.mode, message, notice: answer.notice }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundPassage {
    /// The note.
    source: String,
    content: String,
    /// The heading that it stands under; `top-level` before the first one.
    heading: String,
    /// The lines in the file, from 1, both included.
    start_line: usize,
    end_line: usize,
    /// Higher is better; only results of one query can be compared.
    score: f32,
    /// True if it has only some of the query's words, or is only just near in meaning.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    weak: bool,
    provenance: Provenance,
    /// Of several queries, those that found it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    queries: Vec<String>,
    #[serde(skip)]
    hit: Option<Box<Hit>>,
}

impl Tool for SearchVault {
    const NAME: &'static str = "search_vault";
    const ABOUT: &'static str = "Searches the vault by words, by meaning, or both, and returns the best passages, each \
                                 with its note, heading and lines.";
    const EFFECT: Effect = Effect::Reads;
    const SEARCHES: bool = true;
    type Args = SearchVaultArgs;
    type Output = SearchToolAnswer<FoundPassage>;
    const STUB: &'static [&'static str] =
        &["results.source", "results.heading", "results.start_line", "message", "notice"];

    fn answer_origins(output: &SearchToolAnswer<FoundPassage>) -> AnswerOrigins {
        let passage = |row: &FoundPassage| {
            let span = row.hit.as_ref().map_or(0..usize::MAX, |hit| hit.place.span.clone());
            (row.source.clone(), span)
        };
        AnswerOrigins::Passages(output.results.iter().map(passage).collect())
    }

    fn evidence(output: &SearchToolAnswer<FoundPassage>) -> Vec<(String, evidence::NewEvidence)> {
        let row = |(n, row): (usize, &FoundPassage)| {
            let hit = row.hit.as_ref()?;
            let found = evidence::NewEvidence {
                source: Source::from_place(&hit.place, None),
                text: Untrusted::from_note(hit.text.clone()),
                reason: "it matches the query".to_owned(),
                provenance: hit.provenance,
                score: Some(hit.score),
                symbol: None,
            };
            Some((format!("/results/{n}"), found))
        };
        output.results.iter().enumerate().filter_map(row).collect()
    }

    async fn call(&self, ctx: &Ctx, args: SearchVaultArgs) -> Result<SearchToolAnswer<FoundPassage>> {
        let limit = check_count(args.limit)?;
        let request = |written: &String| {
            let query = UserQuery::parse(written);
            SearchRequest {
                mode: args.mode,
                filter: query.narrow(limit_to_vault(PassageFilter::default())),
                query: query.text,
                limit,
                per_file: MAX_PASSAGES_PER_NOTE,
            }
        };
        if args.also.is_empty() {
            let answer = ctx.search.find_as_written(&request(&args.query))?;
            return Ok(SearchToolAnswer::from_answer(answer, passage));
        }
        let queries: Vec<&String> = [&args.query].into_iter().chain(&args.also).collect();
        let requests: Vec<SearchRequest> = queries.iter().map(|query| request(query)).collect();
        let SharedAnswer { hits, mode, notice } = ctx.search.find_several(&requests)?;
        let message = hits.is_empty().then(|| NOTHING_FOUND.to_owned());
        let row = |found: SharedHit| FoundPassage {
            queries: found.queries.iter().map(|at| queries[*at].clone()).collect(),
            ..passage(found.hit)
        };
        Ok(SearchToolAnswer { results: hits.into_iter().map(row).collect(), mode, message, notice })
    }
}

fn passage(hit: Hit) -> FoundPassage {
    let row = hit.clone();
    FoundPassage {
        hit: Some(Box::new(row)),
        source: hit.place.path.to_string(),
        heading: hit.heading().unwrap_or("top-level").to_owned(),
        start_line: hit.place.lines.0,
        end_line: hit.place.lines.1,
        score: hit.score,
        weak: hit.relevance == Relevance::Weak,
        provenance: hit.provenance,
        queries: Vec::new(),
        content: match hit.kind {
            ChunkKind::Frontmatter => hit.text.replace("[[", "").replace("]]", ""),
            _ => hit.text,
        },
    }
}

#[derive(Debug)]
pub struct FindNotes;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindNotesArgs {
    /// The query, written as for `search_vault`. Without words, all notes that the filters accept, newest first.
    #[serde(default)]
    query: String,
    /// `hybrid`: by words and by meaning; `semantic`: by meaning only; `keyword`: by words only.
    #[serde(default)]
    mode: SearchMode,
    /// Maximum number of notes to return.
    #[serde(default = "five", alias = "n_results")]
    limit: usize,
    /// A note: instead of a query, notes that are similar to it by words and by meaning.
    #[serde(default)]
    like: Option<String>,
    /// Only notes in this folder and its subfolders.
    #[serde(default)]
    folder: Option<String>,
    /// Only notes with this tag or a nested tag.
    #[serde(default)]
    tag: Option<String>,
    /// Only notes whose fields have these values; a list matches each of its items.
    #[serde(default, deserialize_with = "deserialize_fields")]
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    frontmatter: Option<BTreeMap<String, Value>>,
    /// Only notes modified on or after this date, YYYY-MM-DD.
    #[serde(default)]
    modified_after: Option<String>,
    /// Only notes modified on or before this date, YYYY-MM-DD.
    #[serde(default)]
    modified_before: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundNote {
    path: String,
    /// The lines of its best passage that fit.
    snippet: String,
    /// Higher is better; only results of one query can be compared.
    score: f32,
    /// True if it has only some of the query's words, or is only just near in meaning.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    weak: bool,
    /// The heading that the passage stands under; `top-level` before the first one.
    heading: String,
    /// The passage's lines in the file, from 1, both included.
    start_line: usize,
    end_line: usize,
    /// With `like`: true if one of the two notes links to the other already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    linked: bool,
    #[serde(skip)]
    span: Span,
}

impl Tool for FindNotes {
    const NAME: &'static str = "find_notes";
    const ABOUT: &'static str = "Finds the notes that best match a query, one row each; can be limited to a folder, a \
                                 tag, frontmatter values or a range of dates.";
    const EFFECT: Effect = Effect::Reads;
    const SEARCHES: bool = true;
    type Args = FindNotesArgs;
    type Output = SearchToolAnswer<FoundNote>;
    const STUB: &'static [&'static str] = &["results.path", "results.heading", "message", "notice"];

    fn answer_origins(output: &SearchToolAnswer<FoundNote>) -> AnswerOrigins {
        let passage = |row: &FoundNote| (row.path.clone(), row.span.clone());
        AnswerOrigins::Passages(output.results.iter().map(passage).collect())
    }

    async fn call(&self, ctx: &Ctx, args: FindNotesArgs) -> Result<SearchToolAnswer<FoundNote>> {
        let query = UserQuery::parse(&args.query);
        let filter = query.narrow(build_filter(ctx, &args)?);
        let request = SearchRequest {
            query: query.text,
            mode: args.mode,
            filter: limit_to_vault(filter),
            limit: check_count(args.limit)?,
            per_file: 1,
        };
        if let Some(note) = &args.like {
            let note = ctx.vault.locate(note)?;
            let SimilarNotes { notes, mode, notice } =
                ctx.search.find_similar(&ctx.vault, &note, &request)?;
            let message = notes.is_empty().then(|| NOTHING_FOUND.to_owned());
            let row =
                |similar: SimilarNote| FoundNote { linked: similar.linked, ..found_note(&similar.hit, "") };
            return Ok(SearchToolAnswer {
                results: notes.into_iter().map(row).collect(),
                mode,
                message,
                notice,
            });
        }
        let answer = ctx.search.find_as_written(&request)?;
        Ok(SearchToolAnswer::from_answer(answer, |hit| found_note(&hit, &request.query)))
    }
}

fn found_note(hit: &Hit, words: &str) -> FoundNote {
    FoundNote {
        path: hit.place.path.to_string(),
        snippet: snippet(&hit.text, words),
        score: hit.score,
        weak: hit.relevance == Relevance::Weak,
        heading: hit.heading().unwrap_or("top-level").to_owned(),
        start_line: hit.place.lines.0,
        end_line: hit.place.lines.1,
        linked: false,
        span: hit.place.span.clone(),
    }
}

fn build_filter(ctx: &Ctx, args: &FindNotesArgs) -> Result<PassageFilter> {
    let listed = |folder: &str| ctx.vault.find_folder(folder, &ctx.vault.files.list()?);
    let folder = args.folder.as_deref().map(listed).transpose()?;
    let zone = ctx.vault.clock.now().time_zone().clone();
    let start_of = |day: jiff::civil::Date| {
        day.to_zoned(zone.clone())
            .map(|start| start.timestamp())
            .map_err(|_| Error::invalid(format!("there is no day {day} in this time zone")))
    };
    let day = |written: &Option<String>| written.as_deref().map(parse_day).transpose();
    let next = |day: jiff::civil::Date| {
        day.checked_add(1.day()).map_err(|_| Error::invalid(format!("there is no day after {day}")))
    };
    let fields = args.frontmatter.iter().flatten();
    let fields = fields.flat_map(|(name, value)| value_texts(value).into_iter().map(|one| (fold(name), one)));
    Ok(PassageFilter {
        folder: folder.map(|folder| folder.as_str().to_owned()),
        tags: args.tag.as_deref().and_then(PassageFilter::normalize_tag).into_iter().collect(),
        fields: fields.collect(),
        modified_from: day(&args.modified_after)?.map(start_of).transpose()?,
        modified_before: day(&args.modified_before)?.map(next).transpose()?.map(start_of).transpose()?,
        ..PassageFilter::default()
    })
}

/// The values that a note's field must have; of a list, all members.
fn value_texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(value_texts).collect(),
        Value::String(text) => vec![fold(text)],
        Value::Null => vec![String::new()],
        other => vec![other.to_string()],
    }
}

/// Accepts an object, or one written as a JSON string, which some models send.
fn deserialize_fields<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<BTreeMap<String, Value>>, D::Error> {
    let value = match Value::deserialize(from)? {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        other => other,
    };
    match value {
        Value::Object(fields) => Ok(Some(fields.into_iter().collect())),
        _ => Err(D::Error::invalid_type(Unexpected::Other("something else"), &"an object")),
    }
}

fn limit_to_vault(filter: PassageFilter) -> PassageFilter {
    PassageFilter { corpora: Some(vec![CorpusName::Vault]), ..filter }
}

fn check_count(results: usize) -> Result<usize> {
    match results {
        0 => Err(Error::invalid("`limit` must be at least 1")),
        more => Ok(more.min(MAX_RESULTS)),
    }
}
