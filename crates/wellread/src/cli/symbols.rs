//! `wellread outline`, `symbol` and `graph`: the tools over code by hand.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use serde::Serialize;
use serde_json::json;
use wellread_core::code::graph::{Certainty, Direction, EdgeKind, UnresolvedUse};
use wellread_core::code::inspect::{
    EdgeWithLine, ExpandArgs, FindSymbolArgs, Inspection, Inspector, OutlineArgs, OutlineNode, PackArgs,
    PackResultSpan, TraceArgs, outline_text,
};
use wellread_core::domain::corpus::VaultPath;
use wellread_core::{Error, ErrorKind, Result};

use super::Invocation;
use super::codebase::{CodeArgs, OpenCodebase};
use crate::folder::CodeTarget;
use crate::output::success;
use crate::platform;
use crate::wiring::system::to_corpus_path;

/// Larger than any source file that a person wrote.
const LARGEST_FILE: u64 = 1 << 20;
/// The most unresolved uses that are printed, and the most candidates of each.
const SHOWN_UNKNOWN: usize = 20;
const SHOWN_CANDIDATES: usize = 4;

/// Show what a source file defines
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads the file directly; no index is needed.\n\nExample:\n  wellread outline src/main.rs\n  \
wellread outline rust/src/swarm.rs --repo hivelog --json"
)]
pub struct OutlineFileArgs {
    /// The file: a path, or a path relative to the repository
    file: String,
    /// The name of an added repository
    #[arg(long, value_name = "NAME")]
    repo: Option<String>,
}

/// Find where a symbol is defined
#[derive(Debug, clap::Args)]
#[command(after_help = "Lists all matching definitions.\n\nExample:\n  wellread symbol detect_swarms\n  \
wellread symbol Store.open --kind method --repo hivelog")]
pub struct SymbolNameArgs {
    /// A name, `Class.method` or `path::Class.method`
    name: String,
    #[command(flatten)]
    code: CodeArgs,
    /// Only definitions of this kind: function, method, class, struct, enum, interface, trait, module, constant, variable,
    /// type, macro, field
    #[arg(long)]
    kind: Option<String>,
}

/// Explore the code graph: what calls what, related code, and how one symbol reaches another
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  wellread graph expand detect_swarms --direction in\n  wellread graph trace main detect_swarms"
)]
pub struct GraphArgs {
    #[command(subcommand)]
    command: GraphCommand,
}

#[derive(Debug, Subcommand)]
enum GraphCommand {
    /// Show what calls, imports, contains or implements a symbol, and what it calls, imports, contains or implements
    #[command(
        after_help = "A symbol is a name, `Class.method`, `path::Class.method`, or `path::<module>` for code outside any \
definition.\n\nExample:\n  wellread graph expand detect_swarms --direction in --depth 2\n  \
wellread graph expand rust/src/lib.rs::analyse --kinds calls --json"
    )]
    Expand {
        /// The symbol to start from
        symbol: String,
        #[command(flatten)]
        code: CodeArgs,
        /// How many steps to follow, 1 to 6
        #[arg(long, default_value_t = 1)]
        depth: usize,
        /// Follow incoming edges, outgoing edges, or both
        #[arg(long, value_enum, default_value_t)]
        direction: DirectionArg,
        /// Only these kinds of edges
        #[arg(long, value_enum, value_delimiter = ',')]
        kinds: Vec<KindArg>,
    },
    /// Show the most relevant code around some symbols, within a token budget
    #[command(
        after_help = "Example:\n  wellread graph pack detect_swarms stays_down --tokens 1500 --question 'when is it a swarm?'"
    )]
    Pack {
        /// The symbol to start from
        #[arg(required = true)]
        symbols: Vec<String>,
        /// Maximum number of tokens
        #[arg(long, default_value_t = 2_000, value_name = "N")]
        tokens: usize,
        /// The question it is for: spans that match it come first
        #[arg(long)]
        question: Option<String>,
        /// The name of an added repository
        #[arg(long, value_name = "NAME")]
        repo: Option<String>,
        /// The code folder
        #[arg(long, value_name = "DIR", conflicts_with = "repo")]
        dir: Option<PathBuf>,
        /// Only files that match this pattern
        #[arg(long, value_name = "GLOB")]
        scope: Option<String>,
    },
    /// Show a path from one symbol to another, each hop with its file and line
    #[command(after_help = "Example:\n  wellread graph trace main detect_swarms --repo hivelog")]
    Trace {
        /// The symbol to start from
        from: String,
        /// The symbol to reach
        to: String,
        #[command(flatten)]
        code: CodeArgs,
    },
}

#[derive(Debug, Default, Clone, Copy, ValueEnum)]
enum DirectionArg {
    In,
    Out,
    #[default]
    Both,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KindArg {
    Calls,
    Imports,
    Contains,
    Implements,
}

pub fn outline(invocation: &Invocation, args: &OutlineFileArgs) -> Result<ExitCode> {
    let found = match (&args.repo, read_source_file(&args.file)) {
        (None, Ok(text)) => outline_text(&VaultPath::from_index(args.file.clone()), &text)?,
        (None, Err(error))
            if error.kind() != ErrorKind::NotFound
                || Path::new(&args.file).is_absolute()
                || CodeTarget::resolve(&invocation.load_config()?, None, None).is_err() =>
        {
            return Err(error);
        }
        _ => {
            let code = CodeArgs { repo: args.repo.clone(), ..CodeArgs::default() };
            let request = OutlineArgs { file_path: repository_relative_path(invocation, args)? };
            inspect_code(invocation, &code, |inspect| inspect.outline(&request))?
        }
    };
    print_found(invocation, &found, &render_definitions(&found.definitions, 0), found.notice.as_deref())
}

pub fn symbol(invocation: &Invocation, args: &SymbolNameArgs) -> Result<ExitCode> {
    let request = FindSymbolArgs { name: args.name.clone(), kind: args.kind.clone() };
    let found = inspect_code(invocation, &args.code, |inspect| inspect.find_symbol(&request))?;
    if found.definitions.is_empty() {
        let error = Error::not_found(format!("there is no symbol `{}`", args.name));
        return Err(match found.near.is_empty() {
            true => error.hint("`wellread search --in code` finds parts of names"),
            false => error.hint(format!("similar names: {}", found.near.join(", "))),
        });
    }
    let line = |row: &OutlineNode| {
        let OutlineNode { path, start_line, end_line, kind, qualified_name, signature, .. } = row;
        format!("{path}:{start_line}-{end_line}  {kind} {qualified_name}\n    {signature}\n")
    };
    let lines: String = found.definitions.iter().map(line).collect();
    print_found(invocation, &found, &lines, found.notice.as_deref())
}

pub fn graph(invocation: &Invocation, args: &GraphArgs) -> Result<ExitCode> {
    match &args.command {
        GraphCommand::Expand { symbol, code, depth, direction, kinds } => {
            let direction = match direction {
                DirectionArg::In => Direction::In,
                DirectionArg::Out => Direction::Out,
                DirectionArg::Both => Direction::Both,
            };
            let kinds: Vec<EdgeKind> = kinds.iter().map(|kind| edge_kind(*kind)).collect();
            let kinds = (!kinds.is_empty()).then_some(kinds);
            let (limit, offset) = (usize::MAX, 0);
            let request =
                ExpandArgs { symbol: symbol.clone(), depth: *depth, direction, kinds, limit, offset };
            let found = inspect_code(invocation, code, |inspect| inspect.graph_expand(&request))?;
            let lines = format!("{}\n{}", found.tree, render_unknown(&found.unknown));
            print_found(invocation, &found, &lines, found.notice.as_deref())
        }
        GraphCommand::Pack { symbols, tokens, question, repo, dir, scope } => {
            let code = CodeArgs { dir: dir.clone(), repo: repo.clone(), scope: scope.clone() };
            let request =
                PackArgs { symbols: symbols.clone(), token_budget: *tokens, question: question.clone() };
            let found = inspect_code(invocation, &code, |inspect| inspect.graph_pack(&request))?;
            print_found(invocation, &found, &render_spans(&found.spans), None)
        }
        GraphCommand::Trace { from, to, code } => {
            let request = TraceArgs { from: from.clone(), to: to.clone() };
            let found = inspect_code(invocation, code, |inspect| inspect.graph_trace(&request))?;
            print_found(invocation, &found, &render_hops(&found.edges), found.notice.as_deref())
        }
    }
}

/// The file relative to its repository; it may be written with the repository's own path before it.
fn repository_relative_path(invocation: &Invocation, args: &OutlineFileArgs) -> Result<String> {
    let repos = invocation.load_config()?.repos()?;
    let named = repos.iter().filter(|repo| args.repo.as_deref().is_none_or(|name| repo.is_called(name)));
    let mut below = named.filter_map(|repo| {
        let root = platform::canonicalize_existing(&repo.path);
        Path::new(&args.file).strip_prefix(&root).ok().and_then(to_corpus_path)
    });
    Ok(below.next().unwrap_or_else(|| args.file.clone()))
}

/// Looks into the code that is meant.
fn inspect_code<T>(
    invocation: &Invocation,
    code: &CodeArgs,
    look: impl Fn(&Inspector<'_>) -> Result<Inspection<T>>,
) -> Result<T> {
    let OpenCodebase { app, codebase } = invocation.open_codebase(code)?;
    let research = &app.ctx.research;
    let seen = app.retry_with_new_index(|| {
        look(&Inspector {
            codebase: &codebase,
            search: &app.ctx.search,
            servers: &research.servers,
            limit: research.code.action_time,
        })
    })?;
    Ok(seen.found)
}

fn print_found(
    invocation: &Invocation,
    found: &impl Serialize,
    lines: &str,
    notice: Option<&str>,
) -> Result<ExitCode> {
    if invocation.output.json {
        invocation.output.object(&success(json!(found)))?;
        return Ok(ExitCode::SUCCESS);
    }
    if !lines.trim().is_empty() {
        invocation.output.text(lines.trim_end())?;
    }
    if let Some(notice) = notice {
        invocation.output.notice(&format!("note: {notice}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn read_source_file(file: &str) -> Result<String> {
    let unread = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::not_found(format!("there is no file `{file}`")),
        _ => Error::failed(format!("could not read `{file}`: {error}")),
    };
    let data = std::fs::metadata(file).map_err(unread)?;
    if !data.is_file() {
        return Err(Error::invalid(format!("`{file}` is not a file")));
    }
    if data.len() > LARGEST_FILE {
        return Err(Error::invalid(format!("`{file}` is larger than {} MiB", LARGEST_FILE >> 20)));
    }
    let bytes = std::fs::read(file).map_err(unread)?;
    String::from_utf8(bytes).map_err(|_| Error::invalid(format!("`{file}` is not readable text")))
}

fn edge_kind(kind: KindArg) -> EdgeKind {
    match kind {
        KindArg::Calls => EdgeKind::Calls,
        KindArg::Imports => EdgeKind::Imports,
        KindArg::Contains => EdgeKind::Contains,
        KindArg::Implements => EdgeKind::Implements,
    }
}

fn render_definitions(definitions: &[OutlineNode], depth: usize) -> String {
    let line = |row: &OutlineNode| {
        let (indent, start_line) = ("  ".repeat(depth), row.start_line);
        let own = format!("{indent}{start_line}  {}\n", describe_definition(row));
        own + &render_definitions(&row.children, depth + 1)
    };
    definitions.iter().map(line).collect()
}

/// A definition in a line: what its signature does not say itself, its kind and its name, stands before it.
fn describe_definition(row: &OutlineNode) -> String {
    let OutlineNode { name, kind, signature, .. } = row;
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let head = signature.split('(').next().unwrap_or_default();
    let has = |text: &str, wanted: &str| text.split(|letter| !is_word(letter)).any(|word| word == wanted);
    let mut described = String::new();
    if !has(head, kind) {
        described += &format!("{kind} ");
    }
    if !signature.contains(name.as_str()) {
        described += &format!("{name}: ");
    }
    described + signature
}

fn render_unknown(unknown: &[UnresolvedUse]) -> String {
    let line = |row: &UnresolvedUse| {
        let UnresolvedUse { path, line, name, candidates, .. } = row;
        let more = candidates.len().saturating_sub(SHOWN_CANDIDATES);
        let more = if more > 0 { format!(" or {more} others") } else { String::new() };
        let named: Vec<&str> = candidates.iter().take(SHOWN_CANDIDATES).map(String::as_str).collect();
        format!("  {path}:{line}  {name} may be {}{more}\n", named.join(", "))
    };
    let mut lines: String = unknown.iter().take(SHOWN_UNKNOWN).map(line).collect();
    if unknown.len() > SHOWN_UNKNOWN {
        lines.push_str(&format!("  … and {} more; `--json` lists all\n", unknown.len() - SHOWN_UNKNOWN));
    }
    if lines.is_empty() { lines } else { format!("unknown:\n{lines}") }
}

fn render_spans(spans: &[PackResultSpan]) -> String {
    let span = |row: &PackResultSpan| {
        let PackResultSpan { path, start_line, end_line, why, text, .. } = row;
        format!("{path}:{start_line}-{end_line}  {why}\n{text}\n\n")
    };
    spans.iter().map(span).collect()
}

fn render_hops(hops: &[EdgeWithLine]) -> String {
    let hop = |EdgeWithLine { edge, text }: &EdgeWithLine| {
        let doubt = match edge.certainty {
            Certainty::Certain => String::new(),
            other => format!(" ({})", other.name()),
        };
        let text = text.as_deref().unwrap_or_default().trim();
        let kind = edge.kind.name();
        format!("{} {kind} {}{doubt}\n    {}:{}  {text}\n", edge.from, edge.to, edge.path, edge.line)
    };
    hops.iter().map(hop).collect()
}
