//! `wellread note`: researches a note, shows what was found, and writes it into the note once the user agrees.

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use wellread_core::faces::tools::{ResearchNote, ResearchNoteArgs};
use wellread_core::research::{Depth, NoteAnswer, NoteRecipe};
use wellread_core::{Error, Result};

use super::Invocation;
use super::research::{call_tool, print_answer};

/// Research a note and write the results into its `## Research` section
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The note's topics are looked up in the vault, in the codebases and, if a search service is configured, on the \
web. Every sentence is checked against its source before it is written. Without a model, the best sentences are quoted \
verbatim. On a terminal the diff is shown first, and a yes writes it; elsewhere only `--apply` writes. `wellread undo` \
removes the section, `wellread verify NOTE` checks it again.\n\n\
Example:\n  wellread note 'Bees/Varroa mite'\n  wellread note 'Bees/Varroa mite' --deep --web --apply\n  \
wellread note Mead/Honey --focus 'fermentation temperature' --json"
)]
pub struct NoteArgs {
    /// The note, relative to the vault; the `.md` is optional
    path: String,
    /// Also read the top pages for each topic, not just the search results
    #[arg(long)]
    deep: bool,
    /// Limit the research to this
    #[arg(long, value_name = "TEXT")]
    focus: Option<String>,
    /// Write the section without asking
    #[arg(long)]
    apply: bool,
    /// Show the diff and what was sent off this machine; write nothing
    #[arg(long, conflicts_with = "apply")]
    dry_run: bool,
    /// Write exactly what this dry run showed, and research nothing again
    #[arg(long, value_name = "RUN", conflicts_with_all = ["apply", "dry_run", "deep", "focus", "web"])]
    preview_run: Option<String>,
    /// Search the web for this call; uses DuckDuckGo if no service is configured
    #[arg(long)]
    web: bool,
}

const HOW_TO_WRITE: &str = "nothing was written: `--apply` writes it";

pub fn run(invocation: &Invocation, args: &NoteArgs) -> Result<ExitCode> {
    let request = ResearchNoteArgs {
        path: args.path.clone(),
        depth: if args.deep { Depth::Deep } else { Depth::Shallow },
        focus: args.focus.clone(),
        dry_run: !args.apply && args.preview_run.is_none(),
        preview_run: args.preview_run.clone(),
    };
    let mut answer = call_tool(invocation, ResearchNote, request, args.web)?;
    if args.apply || args.dry_run || args.preview_run.is_some() || !answer.can_be_written() {
        return print_answer(invocation, &NoteRecipe, &answer);
    }
    if invocation.output.is_interactive() && io::stdin().is_terminal() {
        return write_if_agreed(invocation, answer);
    }
    let notices = answer.notice.iter().map(String::as_str).chain([HOW_TO_WRITE]);
    answer.notice = Some(notices.collect::<Vec<_>>().join("; "));
    print_answer(invocation, &NoteRecipe, &answer)
}

/// Shows the diff, and writes it on a yes.
fn write_if_agreed(invocation: &Invocation, answer: NoteAnswer) -> Result<ExitCode> {
    let output = invocation.output;
    print_answer(invocation, &NoteRecipe, &answer)?;
    output.write_chunk(&format!("\nWrite this into {}? [y/N] ", answer.path))?;
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line);
    read.map_err(|error| Error::failed(format!("could not read your answer: {error}")))?;
    if !["y", "yes"].contains(&line.trim().to_lowercase().as_str()) {
        output.notice("nothing was written");
        return Ok(ExitCode::SUCCESS);
    }
    let written = answer.write(&invocation.open_app()?.ctx.vault)?;
    output.notice(&format!("written into {}; `wellread undo` removes it", written.path));
    Ok(ExitCode::SUCCESS)
}
