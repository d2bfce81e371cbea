//! `wellread note`: researches a note and writes what was found into it.

use std::process::ExitCode;

use serde_json::json;
use wellread_core::Result;
use wellread_core::faces::tools::{ResearchNote, ResearchNoteArgs};
use wellread_core::research::{Depth, NoteAnswer};

use super::Invocation;
use super::research::call_tool;
use crate::output::{Output, success};

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
    if invocation.output.json {
        invocation.output.object(&success(json!(answer)))?;
    } else {
        print_answer(invocation.output, &answer)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What a person reads: the difference of a dry run, or the section's beginning; the rest beside it.
pub fn print_answer(output: Output, answer: &NoteAnswer) -> Result<()> {
    match &answer.diff {
        Some(diff) => output.text(diff)?,
        None => output.text(&answer.preview)?,
    }
    let coverage = answer.coverage;
    let done = if answer.dry_run { "nothing was written" } else { "written" };
    output.notice(&format!(
        "\n{done}: {} topics of {}, {} of {} sentences supported, {} sources",
        answer.topics_researched,
        answer.path,
        coverage.supported,
        coverage.sentences,
        answer.sources.len()
    ));
    if answer.removed_links > 0 {
        output.notice(&format!("{} links that the model made up were taken out", answer.removed_links));
    }
    if answer.truncated {
        output.notice("the note is too long to be read whole; only its beginning was researched");
    }
    for skipped in &answer.skipped {
        output.notice(&format!("left out: {} ({})", skipped.what, skipped.reason));
    }
    for forgotten in &answer.forgotten {
        output.notice(&format!("you may have forgotten: {} ({})", forgotten.path, forgotten.why));
    }
    let away: Vec<_> = answer.left.iter().filter(|left| !left.stays).collect();
    if away.is_empty() {
        output.notice("nothing left this machine");
    }
    for left in away {
        output.notice(&format!(
            "left this machine: {} to {}: {} ({} bytes)",
            left.what, left.to, left.about, left.bytes
        ));
    }
    if let Some(notice) = &answer.notice {
        output.notice(&format!("note: {notice}"));
    }
    output.notice(&format!("run {}: `wellread verify {}` checks it again", answer.run_id, answer.run_id));
    Ok(())
}
