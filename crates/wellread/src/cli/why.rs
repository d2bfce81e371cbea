//! `wellread why`: why a file is found where it is, or not at all.

use std::process::ExitCode;

use serde_json::json;
use wellread_core::domain::corpus::CorpusName;
use wellread_core::library::search::SearchExplanation;
use wellread_core::{Error, Result};

use super::Invocation;
use super::search::ModeArg;
use crate::app::App;
use crate::output::success;

/// Explain why a note ranks where it does for a query, or is not found
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Write a file of a repository as NAME:PATH.\n\nExample:\n  wellread why 'colony reproduction' \
Bees/Swarming\n  wellread why 'drop threshold' hivelog:rust/src/swarm.rs --json"
)]
pub struct WhyArgs {
    /// The query
    query: String,
    /// The file you expected
    path: String,
    /// The search mode
    #[arg(long, value_enum, default_value_t)]
    mode: ModeArg,
}

pub fn run(invocation: &Invocation, args: &WhyArgs) -> Result<ExitCode> {
    let app = invocation.open_app()?;
    app.make_searchable(&|_| {})?;
    let (corpus, path) = resolve_file(&app, &args.path)?;
    let why =
        app.retry_with_new_index(|| app.ctx.search.explain(&args.query, &corpus, &path, args.mode.into()))?;
    if invocation.output.json {
        invocation.output.object(&success(json!(why)))?;
    } else {
        invocation.output.text(&render_explanation(&why))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn resolve_file(app: &App, written: &str) -> Result<(CorpusName, wellread_core::domain::corpus::VaultPath)> {
    if let Some((name, path)) = written.split_once(':')
        && app.library.repositories().any(|known| known == name)
    {
        let name = CorpusName::Repository(name.to_owned());
        let path = app.rules(&name).parse_file(path)?;
        return match app.library.corpus(&name)?.find(&path)? {
            Some(_) => Ok((name, path)),
            None => Err(Error::not_found(format!("File not found: {written}")).with_path(written)),
        };
    }
    app.ctx.vault.locate(written).map(|path| (CorpusName::Vault, path))
}

fn render_explanation(why: &SearchExplanation) -> String {
    let mut lines = format!("{}: {}\n", why.path, why.verdict);
    for term in &why.terms {
        let said = match (term.in_this_file, term.in_any_file) {
            (true, _) => "is in it",
            (false, true) => "is not in it, but in others",
            (false, false) => "is in no file",
        };
        lines += &format!("  `{}` {said}\n", term.term);
    }
    for passage in &why.passages {
        let cosine = passage.cosine.map(|cosine| format!(", similarity {cosine:.2}")).unwrap_or_default();
        lines += &format!(
            "  lines {}-{}: score {:.2}{cosine}\n",
            passage.start_line, passage.end_line, passage.score
        );
    }
    if let Some(notice) = &why.notice {
        lines += &format!("note: {notice}\n");
    }
    lines
}
