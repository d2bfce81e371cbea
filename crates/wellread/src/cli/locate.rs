//! `wellread locate`: where an issue text or a stack trace leads.

use std::io::Read as _;
use std::process::ExitCode;

use serde_json::json;
use wellread_core::code::locate::{LONGEST, LocateAnswer, LocatedFile, locate};
use wellread_core::{Error, Result};

use super::Invocation;
use super::codebase::{CodeArgs, OpenCodebase};
use crate::output::success;

/// Find the files and symbols that an issue text or a stack trace points to
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Each file is listed with its reasons: it is named in the stack trace, defines a name in the text, contains the \
message, or has matching words. No model is used. A folder that was not added as a repository is indexed \
first, and its index is kept.\n\n\
Example:\n  wellread locate 'PayloadError: the checksum does not match' ~/code/hivelog\n  \
python3 export.py 2>&1 | wellread locate - .\n  wellread locate - --repo hivelog --scope 'rust/**' --json < issue.txt"
)]
pub struct LocateArgs {
    /// The text; `-` reads it from standard input
    text: String,
    #[command(flatten)]
    code: CodeArgs,
    /// Maximum number of files
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
}

pub fn run(invocation: &Invocation, args: &LocateArgs) -> Result<ExitCode> {
    let text = if args.text == "-" { read_standard_input()? } else { args.text.clone() };
    if text.trim().is_empty() {
        return Err(Error::invalid("the text is empty").hint("give an issue's text or a stack trace"));
    }
    let OpenCodebase { app, codebase } = invocation.open_codebase(&args.code)?;
    let located = app.retry_with_new_index(|| locate(&app.ctx.search, &codebase, &text, args.limit))?;
    if invocation.output.json {
        invocation.output.object(&success(json!(located)))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(notice) = &located.notice {
        invocation.output.notice(&format!("note: {notice}"));
    }
    if !located.files.is_empty() {
        invocation.output.text(&render_files(&located))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// As much as is looked at, and one more, so that what is cut is told.
fn read_standard_input() -> Result<String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(LONGEST as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::failed(format!("could not read standard input: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn render_files(located: &LocateAnswer) -> String {
    located.files.iter().map(render_file).collect()
}

fn render_file(file: &LocatedFile) -> String {
    let mut lines = format!("{}  ({:.2})\n", file.path, file.score);
    for reason in &file.reasons {
        lines += &format!("    {reason}\n");
    }
    for symbol in &file.symbols {
        let (first, last) = (symbol.start_line, symbol.end_line);
        lines += &format!("    {}:{first}-{last}  {}\n", file.path, symbol.qualified_name);
    }
    lines
}
