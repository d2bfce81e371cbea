//! `wellread search`: passages of notes and code.

use std::process::ExitCode;
use std::time::Instant;

use clap::ValueEnum;
use serde_json::{Value, json};
use wellread_core::corpus::CorpusName;
use wellread_core::ports::{Filter, Which};
use wellread_core::search::{Answer, Hit, Mode, Request, snippet};
use wellread_core::{Error, Result};

use super::Invocation;
use crate::app::App;
use crate::output::success;
use crate::progress::Bar;

/// Search notes and code, by words, by meaning, or both
#[derive(Debug, clap::Args)]
#[command(
    after_help = "\"Words in quotes\" are a phrase. Every result is text at a place: those lines of that file hold exactly \
it.\n\nExample:\n  wellread search 'when do bees swarm'\n  wellread search 'SWARM_DROP_KG' --in code -k 3\n  \
wellread search fermentation --folder Mead --json"
)]
pub struct SearchArgs {
    /// What to look for
    query: String,
    /// How many results at the most
    #[arg(short, value_name = "N", default_value_t = 10)]
    k: usize,
    /// By words and meaning, by meaning alone, or by words alone
    #[arg(long, value_enum, default_value_t)]
    mode: ModeArg,
    /// Where to look
    #[arg(long = "in", value_enum, default_value_t, value_name = "WHERE")]
    scope: Scope,
    /// Only in this repository
    #[arg(long, value_name = "NAME")]
    repo: Option<String>,
    /// Only below this folder
    #[arg(long, value_name = "FOLDER")]
    folder: Option<String>,
    /// Only notes with this tag, or one below it
    #[arg(long)]
    tag: Option<String>,
    /// Only code in this language
    #[arg(long)]
    language: Option<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    #[default]
    Hybrid,
    Semantic,
    Keyword,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Hybrid => Self::Hybrid,
            ModeArg::Semantic => Self::Semantic,
            ModeArg::Keyword => Self::Keyword,
        }
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scope {
    Notes,
    Code,
    #[default]
    All,
}

/// How many passages of one file stand beside each other.
const OF_A_FILE: usize = 3;
const MOST: usize = 1000;

pub fn run(invocation: &Invocation, args: &SearchArgs) -> Result<ExitCode> {
    let app = invocation.app()?;
    let begun = Instant::now();
    let request = Request {
        query: args.query.clone(),
        mode: args.mode.into(),
        filter: filter(&app, args)?,
        limit: args.k.min(MOST),
        per_file: OF_A_FILE,
    };
    let bar = Bar::new(invocation.output, "files");
    app.make_searchable(&|progress| bar.at(progress.done, progress.total))?;
    bar.done();
    let answer = app.mended(|| app.ctx.search.find(&request))?;
    invocation.told_of_index(&app);
    if answer.hits.is_empty() {
        is_there(&app, &request.filter)?;
    }
    if invocation.output.json {
        invocation.output.object(&object(&answer, begun.elapsed().as_millis() as u64))?;
    } else {
        if let Some(notice) = &answer.notice {
            invocation.output.notice(&format!("note: {notice}"));
        }
        if answer.hits.is_empty() {
            invocation.output.notice("No matching documents found");
        } else {
            invocation.output.text(&shown(&answer.hits, &args.query))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn filter(app: &App, args: &SearchArgs) -> Result<Filter> {
    let library = &app.library;
    let repositories = || library.repositories().map(|name| CorpusName::Repository(name.to_owned()));
    let corpora = match (&args.repo, args.scope) {
        (Some(_), Scope::Notes) => {
            return Err(Error::invalid("a repository's code is not among the notes")
                .hint("leave out `--in notes` or `--repo`"));
        }
        (Some(name), _) => {
            let name = CorpusName::Repository(name.clone());
            library.corpus(&name)?;
            Some(vec![name])
        }
        (None, Scope::Notes) => Some(vec![CorpusName::Vault]),
        (None, Scope::Code) if repositories().next().is_none() => {
            return Err(
                Error::not_found("there is no repository to search").hint("`wellread repo add DIR` adds one")
            );
        }
        (None, Scope::Code) => Some(repositories().collect()),
        (None, Scope::All) => None,
    };
    let rules = app.rules(corpora.iter().flatten().next().unwrap_or(&CorpusName::Vault));
    let folder = args.folder.as_deref().map(|folder| rules.folder(folder)).transpose()?;
    Ok(Filter {
        corpora,
        folder: folder.map(|folder| folder.as_str().to_owned()),
        tag: args.tag.as_deref().and_then(Filter::tag_of),
        language: args.language.clone(),
        ..Filter::default()
    })
}

/// A folder in which nothing is found may be one that is misspelt.
fn is_there(app: &App, filter: &Filter) -> Result<()> {
    let Some(folder) = filter.folder.as_deref().filter(|folder| !folder.is_empty()) else { return Ok(()) };
    let below = |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    for (name, _) in &app.library.corpora {
        let searched = filter.corpora.as_ref().is_none_or(|searched| searched.contains(name));
        let known = if searched { app.library.index.known(name, Which::All)? } else { Vec::new() };
        if known.iter().any(|file| below(file.path.as_str())) {
            return Ok(());
        }
    }
    Err(Error::not_found(format!("Folder not found: {folder}")).at(folder))
}

fn object(answer: &Answer, took: u64) -> Value {
    let results: Vec<Value> = answer.hits.iter().map(result).collect();
    let mut object = success(json!({ "results": results, "mode": answer.mode, "took_ms": took }));
    if answer.hits.is_empty() {
        object["message"] = json!("No matching documents found");
    }
    if let Some(notice) = &answer.notice {
        object["notice"] = json!(notice);
    }
    object
}

fn result(hit: &Hit) -> Value {
    let mut row = json!({
        "path": hit.place.path,
        "start_line": hit.place.lines.0,
        "end_line": hit.place.lines.1,
        "start_byte": hit.place.span.start,
        "end_byte": hit.place.span.end,
        "hash": hit.place.hash,
        "score": hit.score,
        "provenance": hit.provenance,
        "chunk_type": hit.kind.name(),
        "text": hit.text,
    });
    if let Some(repository) = hit.place.corpus.repository() {
        row["repo"] = json!(repository);
    }
    if let Some(heading) = hit.heading() {
        row["heading"] = json!(heading);
    }
    if let Some(symbol) = hit.symbol() {
        row["symbol"] = json!(symbol);
    }
    row
}

fn shown(hits: &[Hit], query: &str) -> String {
    let mut lines = String::new();
    for hit in hits {
        let (first, last) = hit.place.lines;
        let place = match hit.place.corpus.repository() {
            Some(name) => format!("{name}:{}", hit.place.path),
            None => hit.place.path.to_string(),
        };
        let under = hit.symbol().or(hit.heading().map(str::to_owned));
        let under = under.map(|under| format!("  {under}")).unwrap_or_default();
        lines += &format!("{place}:{first}-{last}{under}  ({:.2})\n", hit.score);
        for line in snippet(&hit.text, query).lines() {
            lines += &format!("    {line}\n");
        }
    }
    lines
}
