//! Passages of notes and code that fit a query.

use std::time::Instant;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use wellread_core::domain::corpus::CorpusName;
use wellread_core::library::indexing::IndexProgress;
use wellread_core::library::search::{
    Hit, NOTHING_FOUND, Provenance, Relevance, SearchAnswer, SearchMode, SearchRequest, SharedAnswer,
    SharedHit, SimilarNote, SimilarNotes, UserQuery,
};
use wellread_core::ports::{KnownFileFilter, PassageFilter};
use wellread_core::{Error, Result};

use crate::app::App;
use crate::config::find_language;

/// How many passages of one file stand beside each other.
const OF_A_FILE: usize = 3;
const MOST: usize = 1000;

/// What is looked for, and where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchParams {
    /// The query. `"in quotes"`: a phrase; `#tag`, `path:Folder`: only there; `-word`, `-"a phrase"`, `-#tag`, `-path:Folder`:
    /// leave such files out. Without words, all files that the filters accept, newest first.
    #[serde(default, rename = "q")]
    pub query: String,
    /// Other queries, one a line, up to seven: searched at once, and each result says which queries found it.
    #[serde(default, deserialize_with = "deserialize_lines")]
    #[schemars(with = "String")]
    pub also: Vec<String>,
    /// A note: instead of words, notes that are similar to it by words and by meaning.
    pub like: Option<String>,
    /// Maximum number of results.
    #[serde(default = "ten")]
    pub k: usize,
    /// By words and meaning, by meaning only, or by words only.
    #[serde(default)]
    pub mode: SearchMode,
    /// Where to look.
    #[serde(default, rename = "in")]
    pub scope: SearchScope,
    /// Only in this repository.
    pub repo: Option<String>,
    /// Only in this folder and its subfolders.
    pub folder: Option<String>,
    /// Only notes with this tag or a nested tag.
    pub tag: Option<String>,
    /// Only code in this language.
    pub language: Option<String>,
}

fn deserialize_lines<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let lines = String::deserialize(from)?;
    Ok(lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

fn ten() -> usize {
    10
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchScope {
    Notes,
    Code,
    #[default]
    All,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchResponse {
    /// Best first.
    pub results: Vec<FoundPassage>,
    /// What was searched for, if the query also has tags, paths or what to leave out: the query without these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The search mode that was used.
    pub mode: SearchMode,
    pub took_ms: u64,
    /// A message for the user if nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Something the caller should know about the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A passage: its text is exactly what those lines of that file contain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundPassage {
    pub path: String,
    /// The lines in the file, from 1, inclusive.
    pub start_line: usize,
    pub end_line: usize,
    pub start_byte: usize,
    pub end_byte: usize,
    /// The hash of the whole file when it was read.
    pub hash: String,
    /// Higher is better; only results of one query can be compared.
    pub score: f32,
    /// True if it has only some of the query's words, or is only just near in meaning.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub weak: bool,
    pub provenance: Provenance,
    /// With `like`: true if one of the two notes links to the other already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub linked: bool,
    /// Of several queries, those that found it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
    pub chunk_type: String,
    pub text: String,
    /// The repository that the file is in; absent for a note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

/// Looks, after making the index fit for it.
pub fn search(
    app: &App,
    asked: &SearchParams,
    progress: &(dyn Fn(IndexProgress) + Sync),
) -> Result<SearchResponse> {
    let begun = Instant::now();
    let query = UserQuery::parse(&asked.query);
    let request = SearchRequest {
        query: query.text.clone(),
        mode: asked.mode,
        filter: query.narrow(build_filter(app, asked)?),
        limit: asked.k.min(MOST),
        per_file: OF_A_FILE,
    };
    match asked.mode {
        SearchMode::Keyword => app.make_searchable_by_words(progress)?,
        SearchMode::Hybrid | SearchMode::Semantic => app.make_searchable(progress)?,
    }
    let FoundPassages { results, mode, notice } =
        app.retry_with_new_index(|| find_passages(app, asked, &request))?;
    if results.is_empty() {
        check_folder_exists(app, &request.filter)?;
    }
    let message = results.is_empty().then(|| NOTHING_FOUND.to_owned());
    // What was meant as text may have been read as a tag or a folder.
    let read_as = || {
        "words with `#`, `path:` or `-` before them are filters; in quotes they are searched for".to_owned()
    };
    let notice = notice.or_else(|| (results.is_empty() && query.has_signs()).then(read_as));
    let words = query.has_signs().then_some(query.text);
    let took_ms = begun.elapsed().as_millis() as u64;
    Ok(SearchResponse { results, words, mode, took_ms, message, notice })
}

struct FoundPassages {
    results: Vec<FoundPassage>,
    mode: SearchMode,
    notice: Option<String>,
}

/// What the request finds, with what else was asked for at once.
fn find_passages(app: &App, asked: &SearchParams, request: &SearchRequest) -> Result<FoundPassages> {
    let search = &app.ctx.search;
    if let Some(note) = &asked.like {
        if !asked.also.is_empty() {
            return Err(Error::invalid("similar notes are found by a note, not by other queries")
                .hint("leave out `also` or `like`"));
        }
        let vault = &app.ctx.vault;
        let SimilarNotes { notes, mode, notice } =
            search.find_similar(vault, &vault.locate(note)?, request)?;
        let row = |SimilarNote { hit, linked }| FoundPassage { linked, ..FoundPassage::from_hit(hit) };
        return Ok(FoundPassages { results: notes.into_iter().map(row).collect(), mode, notice });
    }
    if asked.also.is_empty() {
        let SearchAnswer { hits, mode, notice } = search.find_as_written(request)?;
        return Ok(FoundPassages {
            results: hits.into_iter().map(FoundPassage::from_hit).collect(),
            mode,
            notice,
        });
    }
    let mut requests = vec![request.clone()];
    for written in &asked.also {
        let query = UserQuery::parse(written);
        let filter = query.narrow(build_filter(app, asked)?);
        requests.push(SearchRequest { query: query.text, filter, ..request.clone() });
    }
    let written: Vec<&String> = [&asked.query].into_iter().chain(&asked.also).collect();
    let SharedAnswer { hits, mode, notice } = search.find_several(&requests)?;
    let row = |SharedHit { hit, queries }| FoundPassage {
        queries: queries
            .into_iter()
            .map(|at| written[at].clone())
            .filter(|query| !query.is_empty())
            .collect(),
        ..FoundPassage::from_hit(hit)
    };
    Ok(FoundPassages { results: hits.into_iter().map(row).collect(), mode, notice })
}

impl FoundPassage {
    fn from_hit(hit: Hit) -> Self {
        Self {
            start_line: hit.place.lines.0,
            end_line: hit.place.lines.1,
            start_byte: hit.place.span.start,
            end_byte: hit.place.span.end,
            hash: hit.place.hash.to_string(),
            score: hit.score,
            weak: hit.relevance == Relevance::Weak,
            provenance: hit.provenance,
            linked: false,
            queries: Vec::new(),
            chunk_type: hit.kind.name().to_owned(),
            repo: hit.place.corpus.repository().map(str::to_owned),
            heading: hit.heading().map(str::to_owned),
            symbol: hit.symbol(),
            path: hit.place.path.to_string(),
            text: hit.text,
        }
    }
}

fn build_filter(app: &App, asked: &SearchParams) -> Result<PassageFilter> {
    let library = &app.library;
    let repositories = || library.repositories().map(|name| CorpusName::Repository(name.to_owned()));
    let corpora = match (&asked.repo, asked.scope) {
        (Some(_), SearchScope::Notes) => {
            return Err(Error::invalid("a repository's code is not among the notes")
                .hint("leave out `--in notes` or `--repo`"));
        }
        (Some(name), _) => {
            let name = CorpusName::Repository(name.clone());
            library.corpus(&name)?;
            Some(vec![name])
        }
        (None, SearchScope::Notes) => Some(vec![CorpusName::Vault]),
        (None, SearchScope::Code) if repositories().next().is_none() => {
            return Err(
                Error::not_found("there is no repository to search").hint("`wellread repo add DIR` adds one")
            );
        }
        (None, SearchScope::Code) => Some(repositories().collect()),
        (None, SearchScope::All) => None,
    };
    let rules = app.rules(corpora.iter().flatten().next().unwrap_or(&CorpusName::Vault));
    let folder = asked.folder.as_deref().map(|folder| rules.parse_folder(folder)).transpose()?;
    Ok(PassageFilter {
        corpora,
        folder: folder.map(|folder| folder.as_str().to_owned()),
        tags: asked.tag.as_deref().and_then(PassageFilter::normalize_tag).into_iter().collect(),
        language: asked.language.as_deref().map(find_language).transpose()?.map(str::to_owned),
        ..PassageFilter::default()
    })
}

/// A folder in which nothing is found may be one that is misspelled.
fn check_folder_exists(app: &App, filter: &PassageFilter) -> Result<()> {
    let Some(folder) = filter.folder.as_deref().filter(|folder| !folder.is_empty()) else { return Ok(()) };
    let below = |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    for (name, _) in &app.library.corpora {
        let searched = filter.corpora.as_ref().is_none_or(|searched| searched.contains(name));
        let known =
            if searched { app.library.index.known_files(name, KnownFileFilter::All)? } else { Vec::new() };
        if known.iter().any(|file| below(file.path.as_str())) {
            return Ok(());
        }
    }
    Err(Error::not_found(format!("Folder not found: {folder}")).with_path(folder))
}
