//! `wellread search`: passages of notes and code.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::json;
use wellread_core::library::search::{SearchMode, UserQuery, snippet};
use wellread_core::{Error, Result};

use super::Invocation;
use super::place_links::PlaceLinks;
use crate::answers::{self, FoundPassage, SearchParams, SearchScope};
use crate::output::{SpanStyle, StyledText, nothing_found, success};
use crate::progress::ProgressBar;

/// Search notes and code by words, by meaning, or both
#[derive(Debug, clap::Args)]
#[command(
    after_help = "In a query:\n  \"a phrase\"            these words in this order\n  #bees  tag:bees       only files with the tag, or \
one nested below it\n  path:Mead             only files in a folder Mead, at any level; path:/Mead only at the top\n  -word  -\"a phrase\"    \
no file that contains it\n  -#old  -path:Archive  no file with the tag, or in the folder\nEverything else is text: well-read, c#, -1, and whatever is in quotes: '\"-word\"'.\nAn \
option's name is text behind two dashes: wellread search -- --flag\nWrite '#bees' and '\"a phrase\"' in single quotes, or the shell takes their signs away.\nWith a tag or a folder and no words, all such files are \
listed, the newest first.\n\nEvery result gives a file and line numbers; the text is exactly what those lines contain.\nIf nothing relevant is found, the exit status is 3.\n\n\
Example:\n  wellread search when do bees swarm\n  wellread search honey -wax tag:bees\n  wellread search 'SWARM_DROP_KG' --in code -k 3\n  \
wellread search fermentation --folder Mead --json"
)]
pub struct SearchArgs {
    /// What to look for; it needs no quotes
    #[arg(required_unless_present_any = ["tag", "folder", "like"])]
    query: Vec<String>,
    /// Search for this at the same time; can be repeated. Each result is shown once and says which queries found it
    #[arg(long, value_name = "QUERY", conflicts_with = "like")]
    also: Vec<String>,
    /// Notes that are similar to this one by words and by meaning, instead of a query
    #[arg(long, value_name = "NOTE")]
    like: Option<String>,
    /// Maximum number of results
    #[arg(short, value_name = "N", default_value_t = 10)]
    k: usize,
    /// Search by words and meaning, by meaning only, or by words only
    #[arg(long, value_enum, default_value_t)]
    mode: ModeArg,
    /// Where to look
    #[arg(long = "in", value_enum, default_value_t, value_name = "WHERE")]
    scope: SearchScope,
    /// Only in this repository
    #[arg(long, value_name = "NAME")]
    repo: Option<String>,
    /// Only in this folder and its subfolders
    #[arg(long, value_name = "FOLDER")]
    folder: Option<String>,
    /// Only notes with this tag or a nested tag
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

impl From<ModeArg> for SearchMode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Hybrid => Self::Hybrid,
            ModeArg::Semantic => Self::Semantic,
            ModeArg::Keyword => Self::Keyword,
        }
    }
}

/// The arguments of the program, with a space before each of a search that leaves something out: it would be taken for
/// an option. `-bees` is not one, and `-\"wax moth\"` comes here without its quotation marks.
pub fn guard_exclusions(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let Some(at) = args.iter().position(|arg| arg == "search") else { return args };
    for arg in args[at + 1..].iter_mut().take_while(|arg| *arg != "--") {
        if let Some(guarded) = arg.to_str().and_then(guard_exclusion) {
            *arg = guarded.into();
        }
    }
    args
}

/// The argument with a space before it, if it is no option; `None` if it can stay as it is.
fn guard_exclusion(arg: &str) -> Option<String> {
    let sign = arg.strip_prefix('-')?;
    let only = |letters: &str| sign.chars().all(|letter| letters.contains(letter));
    let is_option = only("qvhV")
        || sign.strip_prefix('k').is_some_and(|n| n.trim_start_matches('=').parse::<u32>().is_ok());
    if sign.starts_with(|letter: char| letter.is_ascii_digit()) {
        return Some(format!(" {arg}"));
    }
    let query = UserQuery::parse(arg);
    if is_option || query.excluded.is_empty() {
        return None;
    }
    let is_phrase = sign.contains(' ') && !query.text.is_empty() && !sign.contains(['"', '#', ':', '-']);
    Some(if is_phrase { format!(" -\"{sign}\"") } else { format!(" {arg}") })
}

pub fn run(invocation: &Invocation, args: &SearchArgs) -> Result<ExitCode> {
    let query = args.query.join(" ");
    if query.trim().is_empty() && args.tag.is_none() && args.folder.is_none() && args.like.is_none() {
        return Err(Error::invalid("the query is empty").hint("see `wellread search --help`"));
    }
    let app = invocation.open_app_to_search()?;
    let asked = SearchParams {
        query: query.clone(),
        also: args.also.clone(),
        like: args.like.clone(),
        k: args.k,
        mode: args.mode.into(),
        scope: args.scope,
        repo: args.repo.clone(),
        folder: args.folder.clone(),
        tag: args.tag.clone(),
        language: args.language.clone(),
    };
    let bar = ProgressBar::new(invocation.output, "files");
    let found = answers::search(&app, &asked, &|progress| bar.update(progress.done, progress.total));
    bar.clear();
    invocation.report_index_rebuild(&app);
    let found = found?;
    if invocation.output.json {
        invocation.output.object(&success(json!(found)))?;
    } else {
        if let Some(notice) = &found.notice {
            invocation.output.notice(&format!("note: {notice}"));
        }
        if !found.results.is_empty() && found.results.iter().all(|result| result.weak) {
            invocation.output.notice(
                "note: no strong match; these passages have some of the words, or are loosely related",
            );
        }
        match &found.message {
            Some(message) => invocation.output.notice(message),
            None => {
                let words = found.words.as_deref().unwrap_or(&query);
                let links = PlaceLinks::from_config(&invocation.load_config()?);
                invocation.output.styled(&render_results(&found.results, words, &links))?;
            }
        }
    }
    Ok(if found.results.is_empty() { nothing_found() } else { ExitCode::SUCCESS })
}

/// The results as text; those of one file follow each other.
fn render_results(results: &[FoundPassage], query: &str, links: &PlaceLinks) -> StyledText {
    let file = |found: &FoundPassage| (found.repo.clone(), found.path.clone());
    let mut files = Vec::new();
    for found in results {
        if !files.contains(&file(found)) {
            files.push(file(found));
        }
    }
    let mut lines = StyledText::default();
    for found in files.iter().flat_map(|own| results.iter().filter(move |found| file(found) == *own)) {
        let path = match &found.repo {
            Some(name) => format!("{name}:{}", found.path),
            None => found.path.clone(),
        };
        links.push_place(&mut lines, &format!("{path}:{}-{}", found.start_line, found.end_line));
        if let Some(under) = found.symbol.as_ref().or(found.heading.as_ref()) {
            lines.push("  ");
            lines.push_styled(under, SpanStyle::Strong);
        }
        let weak = if found.weak { ", weak" } else { "" };
        let linked = if found.linked { ", linked already" } else { "" };
        lines.push_styled(&format!("  ({:.2}{weak}{linked})", found.score), SpanStyle::Faint);
        if !found.queries.is_empty() {
            lines.push_styled(&format!("  found by: {}", found.queries.join(" · ")), SpanStyle::Faint);
        }
        lines.push("\n");
        for line in snippet(&found.text, query).lines() {
            lines.push(&format!("    {line}\n"));
        }
    }
    lines
}
