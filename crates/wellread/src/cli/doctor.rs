//! `wellread doctor`: what is set up and what is missing, each with its remedy.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;
use wellread_core::Result;

use super::{Invocation, build_runtime};
use crate::answers::DoctorReport;
use crate::app::App;
use crate::output::{SpanStyle, StyledText, success};
use crate::wiring::NetworkOptions;

/// Check what is configured, reachable or missing, and how to fix it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "To test the vault's file system, it creates two files in the vault and removes them again.\n\n\
Example:\n  wellread doctor\n  wellread doctor --try\n  wellread doctor --json"
)]
pub struct DoctorArgs {
    /// Send the language model a short question and each search service a word; otherwise only a model on this machine
    /// is contacted
    #[arg(long)]
    r#try: bool,
}

pub fn run(invocation: &Invocation, args: &DoctorArgs) -> Result<ExitCode> {
    let offline = invocation.offline;
    let doctor = match invocation.load_config() {
        Err(error) => DoctorReport::without_settings(&error),
        Ok(config) => {
            let opened = || App::open(&config, NetworkOptions { offline, web: false }).ok().map(Arc::new);
            let examined = DoctorReport::examine(&config, offline, opened);
            build_runtime()?.block_on(examined.with_services(&config, offline, args.r#try))
        }
    };
    if invocation.output.json {
        invocation.output.object(&success(json!(doctor)))?;
    } else {
        let mut lines = StyledText::default();
        for check in &doctor.checks {
            let (mark, style) = if check.ok { ("ok", SpanStyle::Good) } else { ("!!", SpanStyle::Bad) };
            lines.push_styled(mark, style);
            lines.push(&format!("  {:<9} {}\n", check.name, check.detail));
            if let Some(remedy) = &check.remedy {
                lines.push(&format!("      remedy: {remedy}\n"));
            }
        }
        invocation.output.styled(&lines)?;
    }
    Ok(if doctor.healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
