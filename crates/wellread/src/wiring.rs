//! The wiring: settings in, ports out. Only this folder names adapters; the rest of the binary knows ports.
//!
//! A structure test keeps it so. A store, a service or a server of another kind is put in here, and nowhere else.
//!
//! | file | what |
//! | --- | --- |
//! | `assembly` | an app from the settings: stores, corpora, library, vault, research |
//! | `stores` | where files, index, records and the history of repositories are kept |
//! | `model` `embedding` | the language model and the embedder that the settings ask for |
//! | `outside` `pages` | search services, pages and recordings; the main content of a page |
//! | `servers` | the language servers that are switched on |
//! | `chat` | the chat over an app |
//! | `index_follower` | keeps the index level with the files while a server runs |
//! | `telemetry` | the collector that the settings name |
//! | `system` | what the operating system does in its own way |

mod assembly;
mod chat;
mod embedding;
mod index_follower;
pub mod model;
mod opinions;
pub mod outside;
pub mod pages;
pub mod servers;
mod stores;
pub mod system;
pub mod telemetry;

pub use wellread_adapters::background::lower_priority;
pub use wellread_adapters::memory::limit_malloc_arenas;

pub use self::assembly::{open_clock, open_vault_guards};
pub use self::chat::{cancellable_chat, open_chat};
pub use self::embedding::{
    BUILT_IN_MODEL, ConfiguredEmbedder, DEFAULT_MODEL, InstallProgress, InstalledModel, ModelSource,
    model_store,
};
pub use self::index_follower::IndexFollower;
pub use self::outside::NetworkOptions;
pub use self::stores::{
    ChangeSource, ChangeWatch, DatabaseReport, RecordArchive, RecordBells, RecordCheck, RecordSummary,
    TableVersions, open_accounts, open_repository, open_vault_files,
};

/// How addresses in settings are read: by the same rules by which they are asked later.
pub mod addresses {
    pub use wellread_adapters::http::{ClientIdentity, WebSettings, is_local_endpoint, parse_host_and_port};
    pub use wellread_adapters::llm::origin;
}
