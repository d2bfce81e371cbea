//! How addresses in settings are read, by the same rules by which they are asked later.

pub use wellread_adapters::http::{WebSettings, parse_host_and_port};
pub use wellread_adapters::llm::origin;
