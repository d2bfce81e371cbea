//! `wellread acp`: the chat in an editor, by the Agent Client Protocol on standard input and output.

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

use wellread_core::{Error, Result};

use super::{Invocation, build_runtime};
use crate::acp::{self, AcpSettings};
use crate::wiring::{self, IndexFollower};

/// Chat in an editor over the Agent Client Protocol on standard input and output
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An editor starts this command itself. In Zed's settings:\n  {\"agent_servers\": {\"Wellread\": {\"type\": \"custom\", \
\"command\": \"wellread\", \"args\": [\"acp\", \"--vault\", \"/path/to/vault\"]}}}\n\n\
Vault and repositories come from the settings: the folder that is open in the editor adds nothing to what is read or written. \
Without a model, answers are quoted from your notes.\n\nExample:\n  wellread acp --vault ~/notes"
)]
pub struct AcpArgs {}

const LONGEST_GOODBYE: Duration = Duration::from_secs(10);

pub fn run(invocation: &Invocation, _args: &AcpArgs) -> Result<ExitCode> {
    let config = invocation.load_config()?;
    let app = invocation.open_app()?;
    if std::io::stdin().is_terminal() {
        invocation.output.notice(
            "note: waiting for an editor on standard input; an editor starts this itself. Ctrl-C stops.",
        );
    }
    let no_model = wiring::model::try_open_model(&config, invocation.offline).err().map(Error::from);
    let data = config.shared_data_folder()?;
    let settings = AcpSettings {
        chat: wiring::open_chat(&app, &config)?,
        app: app.clone(),
        no_model,
        tool_limit: config.tool_limit(),
        answer_limit: config.mcp()?.answer_limit,
        vaults: wiring::open_vault_guards(&config, &app)?,
        data: &data,
        output: invocation.output,
    };
    // Ready at once: the index is made and followed behind, unless others keep it.
    let follower = IndexFollower::start_own(&app, config.rescan_interval());
    let runtime = build_runtime()?;
    runtime.block_on(acp::serve(settings, LONGEST_GOODBYE));
    drop(follower);
    // An editor that hangs up does not take back what was begun: running edits are finished.
    runtime.shutdown_timeout(LONGEST_GOODBYE);
    Ok(ExitCode::SUCCESS)
}
