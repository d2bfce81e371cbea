//! The language servers that are switched on; none runs before it is asked.

use std::sync::Arc;

use wellread_adapters::lsp::LanguageServerPool;
pub use wellread_adapters::lsp::{ServerSettings, ServerState, languages, server_states};
use wellread_adapters::repository::RepositoryFiles;
use wellread_core::ports::{LanguageServers, NoServers};

use crate::config::Config;

pub fn open_language_servers(
    config: &Config,
    repositories: Vec<(String, Arc<RepositoryFiles>)>,
) -> Arc<dyn LanguageServers> {
    match config.language_servers() {
        Some(settings) => Arc::new(LanguageServerPool::new(settings, repositories)),
        None => Arc::new(NoServers),
    }
}
