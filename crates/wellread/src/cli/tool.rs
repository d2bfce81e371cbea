//! `wellread tool`: any tool of the catalog, from a script.

use std::io::Read as _;
use std::process::ExitCode;

use serde_json::{Value, json};
use wellread_core::faces::tools::{Effect, catalog, envelope, find_tool};
use wellread_core::{Error, Result};

use super::{BY_COMMAND, Invocation, build_runtime};
use crate::answers::describe_tools;
use crate::output::{Output, success};
use crate::server::find_target;
use crate::tool_docs;

/// Call a tool by name, with its arguments as JSON
#[derive(Debug, clap::Args)]
#[command(after_help = "The answer is one JSON object on standard output, even if the call fails.\n\n\
Example:\n  wellread tool --list\n  wellread tool find_backlinks '{\"note_name\": \"Varroa mite\"}'\n  \
echo '{\"path\": \"Home\"}' | wellread tool read_file -")]
pub struct ToolArgs {
    /// The tool's name
    name: Option<String>,
    /// Its arguments as a JSON object; `-` reads them from standard input
    arguments: Option<String>,
    /// List all tools with their parameters
    #[arg(long, conflicts_with_all = ["name", "arguments"])]
    list: bool,
    /// With --list: print the full reference as Markdown
    #[arg(long, requires = "list", conflicts_with_all = ["name", "arguments"])]
    markdown: bool,
}

/// The arguments of a call are small; this is far more than any note.
const LARGEST_INPUT: u64 = 64 * 1024 * 1024;

pub fn run(invocation: &Invocation, args: &ToolArgs) -> Result<ExitCode> {
    let name = match &args.name {
        Some(name) => name,
        None if args.list => return list_tools(invocation, args.markdown).map(|()| ExitCode::SUCCESS),
        None => {
            return Err(Error::invalid("which tool?")
                .hint("`wellread tool --list` shows all of them; see `wellread tool --help`"));
        }
    };
    // A failure is an answer like a success: the same object on the same channel, whatever it is that failed.
    let output = Output { json: true, ..invocation.output };
    match call_tool(invocation, name, args.arguments.as_deref().unwrap_or("{}")) {
        Ok(answer) => output.object(&envelope(Ok(answer))).map(|()| ExitCode::SUCCESS),
        Err(error) => Ok(output.error(&error)),
    }
}

fn call_tool(invocation: &Invocation, name: &str, arguments: &str) -> Result<Value> {
    let tools = catalog();
    let decides = find_tool(&tools, name)?.declaration().effect == Effect::Decides;
    let arguments = parse_arguments(arguments)?;
    let app = invocation.open_app()?;
    let runtime = build_runtime()?;
    let target = find_target(&arguments);
    let answer = runtime.block_on(app.clone().call_tool(BY_COMMAND, name.to_owned(), arguments));
    // A call that ran out of time may still be at work: nobody waits for it.
    runtime.shutdown_background();
    if decides && answer.is_ok() {
        invocation.log_decision(&app, name, target.as_deref());
    }
    answer
}

fn parse_arguments(written: &str) -> Result<Value> {
    let text = if written == "-" {
        let mut text = String::new();
        let read = std::io::stdin().lock().take(LARGEST_INPUT).read_to_string(&mut text);
        read.map_err(|error| Error::invalid(format!("standard input could not be read: {error}")))?;
        text
    } else {
        written.to_owned()
    };
    serde_json::from_str(&text).map_err(|error| {
        Error::invalid(format!("the arguments are not JSON: {error}"))
            .hint("for example '{\"path\": \"Home.md\"}'")
    })
}

fn list_tools(invocation: &Invocation, markdown: bool) -> Result<()> {
    let tools = catalog();
    if markdown {
        invocation.output.text(&tool_docs::render_markdown(&tools))
    } else if invocation.output.json {
        invocation.output.object(&success(json!(describe_tools(&tools))))
    } else {
        let mut lines = String::new();
        for tool in tools.iter().map(|tool| tool.declaration()) {
            lines += &format!("{}({})\n    {}\n", tool.name, render_parameters(&tool.input), tool.about);
        }
        invocation.output.text(&lines)
    }
}

/// `path, offset = 0, length = 4000`
fn render_parameters(input: &Value) -> String {
    let required = |name: &str| {
        input["required"].as_array().is_some_and(|names| names.iter().any(|known| known == name))
    };
    let shown = |(name, field): (&String, &Value)| match field.get("default") {
        Some(default) => format!("{name} = {default}"),
        None if required(name) => name.clone(),
        None => format!("{name}?"),
    };
    let fields = input["properties"].as_object();
    fields.into_iter().flatten().map(shown).collect::<Vec<_>>().join(", ")
}
