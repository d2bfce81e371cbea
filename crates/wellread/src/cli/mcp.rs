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
use crate::app::OpenVault;
use crate::config::ToolSet;
use crate::mcp::{self, McpServer};
use crate::signals;
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
    let vaults = invocation.open_vaults(&config)?;
    signals::finish_changes_first(vaults.all().map(|vault| &vault.app.files), invocation.output);
    if std::io::stdin().is_terminal() {
        invocation.output.notice(
            "note: waiting for an MCP client on standard input; a client starts this itself. Ctrl-C stops.",
        );
    }
    // Ready at once: the index is made and followed behind, unless others keep it.
    let follow = |vault: &OpenVault| IndexFollower::start_own(&vault.app, config.rescan_interval());
    let followers: Vec<IndexFollower> = vaults.all().filter_map(follow).collect();
    let runtime = build_runtime()?;
    // What is approved here is worked off here, too, unless a server is quicker.
    let can_approve = settings.tools.includes(Group::Agenda) && !settings.read_only;
    let approving = vaults.all().filter(|_| can_approve);
    let workers: Vec<Worker> =
        approving.map(|vault| Worker::new(&vault.app, StopSignal::default())).collect();
    let work = |worker: &Worker| {
        let worker = worker.clone();
        runtime.spawn(async move { worker.work(StopWhen::Told, None).await })
    };
    let working: Vec<_> = workers.iter().map(work).collect();
    let server = McpServer::new(&vaults.first, &vaults.others, &settings);
    let served = runtime.block_on(async {
        let served = mcp::serve(server).await;
        workers.iter().for_each(Worker::request_stop);
        let ended = async {
            for working in working {
                let _ = working.await;
            }
        };
        let _ = tokio::time::timeout(LONGEST_GOODBYE, ended).await;
        served
    });
    drop(followers);
    // A client that hangs up does not take back what it asked for: running edits are finished.
    runtime.shutdown_timeout(LONGEST_GOODBYE);
    served.map(|()| ExitCode::SUCCESS)
}
