//! The wiring: settings in, a vault and its tools out, and the one way in which a face runs a tool.

use std::sync::Arc;

use serde_json::Value;
use wellread_adapters::clock::SystemClock;
use wellread_adapters::files::{Recovered, VaultFiles};
use wellread_core::tools::{AnyTool, Ctx, Declaration, Effect, catalogue};
use wellread_core::vault::{Layout, ScannedLinks, Vault};
use wellread_core::{Error, Result};

use crate::config::Config;

/// All that a command may need.
pub struct App {
    pub files: Arc<VaultFiles>,
    pub ctx: Ctx,
    pub tools: Vec<Box<dyn AnyTool>>,
    pub recovered: Recovered,
    /// Why an interrupted change could not be put right.
    pub unrecovered: Option<Error>,
}

impl App {
    /// Opens the vault, after completing or taking back what an earlier process left half done.
    pub fn open(config: &Config) -> Result<Self> {
        let files = Arc::new(VaultFiles::open(&config.vault()?, &config.data()?, &config.excluded())?);
        // What can't be put right stops the edits to come, each with the reason. It is none to stop reading.
        let (recovered, unrecovered) = match files.recover() {
            Ok(recovered) => (recovered, None),
            Err(error) => (Recovered::default(), Some(error)),
        };
        let layout = Layout { daily_notes: config.daily_notes().to_owned(), ..Layout::default() };
        let vault = Vault {
            rules: files.rules().clone(),
            links: Arc::new(ScannedLinks::new(files.clone())),
            files: files.clone(),
            clock: Arc::new(SystemClock),
            layout,
        };
        Ok(Self { files, ctx: Ctx { vault: Arc::new(vault) }, tools: catalogue(), recovered, unrecovered })
    }

    pub fn tool(&self, name: &str) -> Result<&dyn AnyTool> {
        wellread_core::tools::named(&self.tools, name)
    }

    /// Runs a tool on a thread that may wait for the disk; one that only reads, for as long as its declaration allows.
    pub async fn run(self: Arc<Self>, name: String, args: Value) -> Result<Value> {
        let Declaration { limit, effect, .. } = *self.tool(&name)?.declaration();
        let runtime = tokio::runtime::Handle::current();
        let call = tokio::task::spawn_blocking({
            let (app, name) = (self.clone(), name.clone());
            move || runtime.block_on(async { app.tool(&name)?.call(&app.ctx, args).await })
        });
        // A change that has begun is waited for: to say that it failed, and make it all the same, would be a lie.
        if effect != Effect::Reads {
            return call.await.unwrap_or_else(|_| Err(broke_down(&name)));
        }
        match tokio::time::timeout(limit, call).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(broke_down(&name)),
            Err(_) => {
                Err(Error::failed(format!("{name} took longer than {} s and was given up", limit.as_secs()))
                    .hint("nothing was changed; it may be a slow disk: try again"))
            }
        }
    }
}

fn broke_down(tool: &str) -> Error {
    Error::failed(format!("{tool} broke down; this is a defect of Wellread"))
}
