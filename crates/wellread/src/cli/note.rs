//! `wellread note`: researches a note and writes what was found into it.

use std::process::ExitCode;

use wellread_core::Result;
use wellread_core::faces::tools::{ResearchNote, ResearchNoteArgs};
use wellread_core::research::{Depth, NoteRecipe};

use super::Invocation;
use super::research::{call_tool, print_answer};

/// Research a note and write what was found into its `## Research` section
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Topics of the note are looked up in the vault, in the codebases and, where a search service is chosen, on the \
web. Every sentence is checked against its source before it is written. Without a model the best sentences are quoted as they \
stand. `wellread undo` takes the section back, `wellread verify NOTE` checks it again.\n\n\
Example:\n  wellread note 'Bees/Varroa mite' --dry-run\n  wellread note 'Bees/Varroa mite' --deep --web\n  \
wellread note Mead/Honey --focus 'fermentation temperature' --json"
)]
pub struct NoteArgs {
    /// The note, relative to the vault; the `.md` may be left out
    path: String,
    /// Read the first pages of each topic, not only what search services say of them
    #[arg(long)]
    deep: bool,
    /// What to keep to
    #[arg(long, value_name = "TEXT")]
    focus: Option<String>,
    /// Show the difference, and what left this machine for it, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Search the web for this call: DuckDuckGo, where no service is chosen
    #[arg(long)]
    web: bool,
}

pub fn run(invocation: &Invocation, args: &NoteArgs) -> Result<ExitCode> {
    let request = ResearchNoteArgs {
        path: args.path.clone(),
        depth: if args.deep { Depth::Deep } else { Depth::Shallow },
        focus: args.focus.clone(),
        dry_run: args.dry_run,
    };
    let answer = call_tool(invocation, ResearchNote, request, args.web)?;
    print_answer(invocation, &NoteRecipe, &answer)
}
