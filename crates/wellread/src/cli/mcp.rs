//! `wellread mcp`: the tools over the Model Context Protocol, on standard input and output.

mod install;

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

use wellread_core::Result;
use wellread_core::engine::run::StopSignal;
use wellread_core::faces::tools::Group;

pub use self::install::build_server_command;
use super::{Invocation, build_runtime};
use crate::config::ToolSet;
use crate::mcp;
use crate::wiring::IndexFollower;
use crate::worker::{StopWhen, Worker};

/// Serve the tools over the Model Context Protocol on standard input and output
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A client starts this command itself. In its settings:\n  {\"command\": \"wellread\", \"args\": [\"mcp\", \
\"--vault\", \"/path/to/vault\"]}\n\nExample:\n  wellread mcp --vault ~/notes\n  wellread mcp --read-only\n  \
wellread mcp --tools vault,code"
)]
pub struct McpArgs {
    #[command(subcommand)]
    command: Option<McpCommand>,
    /// The tools to offer: `default` for a few broad ones, `all`, or groups of them (`vault`, `research`, `code`, `agenda`),
    /// comma-separated
    #[arg(long, value_delimiter = ',', value_name = "TOOLS", global = true)]
    tools: Vec<String>,
    /// Offer only tools that change nothing
    #[arg(long, global = true)]
    read_only: bool,
}

#[derive(Debug, clap::Subcommand)]
enum McpCommand {
    Install(install::InstallArgs),
}

const LONGEST_GOODBYE: Duration = Duration::from_secs(10);

pub fn run(invocation: &Invocation, args: &McpArgs) -> Result<ExitCode> {
    let tools = (!args.tools.is_empty()).then(|| ToolSet::parse(&args.tools)).transpose()?;
    if let Some(McpCommand::Install(install)) = &args.command {
        let mut more = Vec::new();
        if !args.tools.is_empty() {
            more.extend(["--tools".to_owned(), args.tools.join(",")]);
        }
        if args.read_only {
            more.push("--read-only".to_owned());
        }
        return install::run(invocation, install, &more);
    }
    let config = invocation.load_config()?;
    let mut settings = config.mcp()?;
    settings.tools = tools.unwrap_or(settings.tools);
    settings.read_only |= args.read_only;
    let app = invocation.open_app()?;
    if std::io::stdin().is_terminal() {
        invocation.output.notice(
            "note: waiting for an MCP client on standard input; a client starts this itself. Ctrl-C stops.",
        );
    }
    // Ready at once: the index is made and followed behind.
    let follower = IndexFollower::start(&app, config.rescan_interval(), |_| {});
    let runtime = build_runtime()?;
    // What is approved here is worked off here, too, unless a server is quicker.
    let worker = Worker::new(app.clone(), StopSignal::default());
    let can_approve = settings.tools.includes(Group::Agenda) && !settings.read_only;
    let working = can_approve.then(|| {
        let worker = worker.clone();
        runtime.spawn(async move { worker.work(StopWhen::Told, None).await })
    });
    let served = runtime.block_on(async {
        let served = mcp::serve(app, &settings).await;
        worker.request_stop();
        if let Some(working) = working {
            let _ = tokio::time::timeout(LONGEST_GOODBYE, working).await;
        }
        served
    });
    drop(follower);
    // A client that hangs up does not take back what it asked for: running edits are finished.
    runtime.shutdown_timeout(LONGEST_GOODBYE);
    served.map(|()| ExitCode::SUCCESS)
}
