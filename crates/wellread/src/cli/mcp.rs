//! `wellread mcp`: the tools over the Model Context Protocol, on standard input and output.

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

use wellread_core::engine::run::StopSignal;
use wellread_core::faces::tools::Group;
use wellread_core::{Error, Result};

use super::{Invocation, build_runtime};
use crate::mcp;
use crate::wiring::IndexFollower;
use crate::worker::{StopWhen, Worker};

/// Serve the tools over the Model Context Protocol on standard input and output
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A client starts this command itself. In its settings:\n  {\"command\": \"wellread\", \"args\": [\"mcp\", \
\"--vault\", \"/path/to/vault\"]}\n\nExample:\n  wellread mcp --vault ~/notes\n  wellread mcp --tools vault"
)]
pub struct McpArgs {
    /// Tool groups to offer, comma-separated [default: all]
    #[arg(long, value_delimiter = ',')]
    tools: Vec<String>,
}

const LONGEST_GOODBYE: Duration = Duration::from_secs(10);

pub fn run(invocation: &Invocation, args: &McpArgs) -> Result<ExitCode> {
    let groups = parse_groups(&args.tools)?;
    let config = invocation.load_config()?;
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
    let working = groups.contains(&Group::Agenda).then(|| {
        let worker = worker.clone();
        runtime.spawn(async move { worker.work(StopWhen::Told, None).await })
    });
    let served = runtime.block_on(async {
        let served = mcp::serve(app, groups, config.mcp()).await;
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

fn parse_groups(names: &[String]) -> Result<Vec<Group>> {
    if names.is_empty() {
        return Ok(Group::ALL.to_vec());
    }
    let known = || Group::ALL.map(Group::name).join(", ");
    let group = |name: &String| {
        Group::ALL.into_iter().find(|group| group.name() == name.trim()).ok_or_else(|| {
            Error::invalid(format!("there is no tool group `{name}`"))
                .hint(format!("choose one of: {}", known()))
        })
    };
    names.iter().map(group).collect()
}
