//! The web: search services, one file each, and web pages, fetched and parsed.
//!
//! A service consists of its request and a pure function from the response to results: every request goes through the
//! guarded client, every result through `results::answer`. Which service is asked, and what happens if it fails, is
//! decided elsewhere. The rest of the program knows a service by its row in [`ENGINES`].

mod arxiv;
mod brave;
mod duckduckgo;
mod engine;
mod markup;
mod page_reader;
mod pages;
mod pdf;
mod request_parts;
mod results;
mod searxng;
mod tavily;

pub use engine::{Engine, EngineAddress, EngineSettings, UnavailableSearch};
pub use page_reader::{PageHints, UnreadablePage, read_page};
pub use pages::WebPages;
pub use pdf::{COMMAND as PDF_COMMAND, LARGEST_PDF, PdfFailure, PdfReader, run_child as pdf_child};
pub(crate) use request_parts::secret_header;
use request_parts::{accept_header, encode_query};
pub use wellread_text::{ReadablePage, markdown_line};

/// All search engines, in the order in which they are listed and in which keys in the environment select them.
pub const ENGINES: &[Engine] =
    &[duckduckgo::ENGINE, brave::ENGINE, tavily::ENGINE, searxng::ENGINE, arxiv::ENGINE];

/// The engine to ask if the web is wanted and none is chosen: it needs no key.
pub const DEFAULT_ENGINE: &Engine = &duckduckgo::ENGINE;

/// The engine for papers.
pub const PAPER_ENGINE: &Engine = &arxiv::ENGINE;

/// The engines' names.
pub const ENGINE_NAMES: [&str; ENGINES.len()] = {
    let mut names = [""; ENGINES.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = ENGINES[at].name;
        at += 1;
    }
    names
};
