//! The wiring: settings in, a vault and its tools out, and the one way in which a face runs a tool.

use std::sync::Arc;

use serde_json::Value;
use wellread_adapters::clock::SystemClock;
use wellread_adapters::files::{Recovered, VaultFiles};
use wellread_core::tools::{AnyTool, Ctx, catalogue};
use wellread_core::vault::{Layout, ScannedLinks, Vault};
use wellread_core::{Error, Kind, Result};

use crate::config::Config;

/// All that a command may need.
pub struct App {
    pub files: Arc<VaultFiles>,
    pub ctx: Ctx,
    pub tools: Vec<Box<dyn AnyTool>>,
    pub recovered: Recovered,
}

impl App {
    /// Opens the vault, after completing or taking back what an earlier process left half done.
    pub fn open(config: &Config) -> Result<Self> {
        let files = Arc::new(VaultFiles::open(&config.vault()?, &config.data()?, &config.excluded())?);
        let recovered = files.recover()?;
        let layout = Layout { daily_notes: config.daily_notes().to_owned(), ..Layout::default() };
        let vault = Vault {
            rules: files.rules().clone(),
            links: Arc::new(ScannedLinks::new(files.clone())),
            files: files.clone(),
            clock: Arc::new(SystemClock),
            layout,
        };
        Ok(Self { files, ctx: Ctx { vault: Arc::new(vault) }, tools: catalogue(), recovered })
    }

    pub fn tool(&self, name: &str) -> Result<&dyn AnyTool> {
        wellread_core::tools::named(&self.tools, name)
    }

    /// Runs a tool on a thread that may wait for the disk, for as long as its declaration allows.
    pub async fn run(self: Arc<Self>, name: String, args: Value) -> Result<Value> {
        let limit = self.tool(&name)?.declaration().limit;
        let runtime = tokio::runtime::Handle::current();
        let call = tokio::task::spawn_blocking({
            let (app, name) = (self.clone(), name.clone());
            move || runtime.block_on(async { app.tool(&name)?.call(&app.ctx, args).await })
        });
        match tokio::time::timeout(limit, call).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(Error::failed(format!("{name} broke down; this is a defect of Wellread"))),
            Err(_) => {
                Err(Error::new(Kind::Unavailable, format!("{name} took longer than {} s", limit.as_secs())))
            }
        }
    }
}
