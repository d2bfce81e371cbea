//! `wellread okf`: notes in the Open Knowledge Format, checked and exported.

mod check;
mod export;

use std::process::ExitCode;

use wellread_core::Result;

use super::Invocation;

/// Check notes in the Open Knowledge Format, or export researched notes to it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The format, OKF v0.2, is markdown with fields: type, sources, generated, verified, stale_after. `wellread config set \
okf.fields on` writes them into accepted findings and researched notes; `wellread recheck --update` renews `verified`.\n\n\
Example:\n  wellread okf check\n  wellread okf export --to ~/bees-okf\n  wellread okf check ~/bees-okf"
)]
pub struct OkfArgs {
    #[command(subcommand)]
    what: OkfCommand,
}

#[derive(Debug, clap::Subcommand)]
enum OkfCommand {
    Check(check::OkfCheckArgs),
    Export(export::OkfExportArgs),
}

pub fn run(invocation: &Invocation, args: &OkfArgs) -> Result<ExitCode> {
    match &args.what {
        OkfCommand::Check(args) => check::run(invocation, args),
        OkfCommand::Export(args) => export::run(invocation, args),
    }
}
