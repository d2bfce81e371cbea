//! `wellread note`: researches a note and writes what was found into it.

use std::process::ExitCode;

use wellread_core::Result;
use wellread_core::faces::tools::{ResearchNote, ResearchNoteArgs};
use wellread_core::research::{Depth, NoteRecipe};

use super::Invocation;
use super::research::{call_tool, print_answer};

/// Research a note and write the results into its `## Research` section
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The note's topics are looked up in the vault, in the codebases and, if a search service is configured, on the \
web. Every sentence is checked against its source before it is written. Without a model, the best sentences are quoted \
verbatim. `wellread undo` removes the section, `wellread verify NOTE` checks it again.\n\n\
Example:\n  wellread note 'Bees/Varroa mite' --dry-run\n  wellread note 'Bees/Varroa mite' --deep --web\n  \
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
    /// Show the diff and what was sent off this machine; write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write exactly what this dry run showed, and research nothing again
    #[arg(long, value_name = "RUN", conflicts_with_all = ["dry_run", "deep", "focus", "web"])]
    preview_run: Option<String>,
    /// Search the web for this call; uses DuckDuckGo if no service is configured
    #[arg(long)]
    web: bool,
}

pub fn run(invocation: &Invocation, args: &NoteArgs) -> Result<ExitCode> {
    let request = ResearchNoteArgs {
        path: args.path.clone(),
        depth: if args.deep { Depth::Deep } else { Depth::Shallow },
        focus: args.focus.clone(),
        dry_run: args.dry_run,
        preview_run: args.preview_run.clone(),
    };
    let answer = call_tool(invocation, ResearchNote, request, args.web)?;
    print_answer(invocation, &NoteRecipe, &answer)
}
