//! The web: the services that search it, one file each, and its pages, fetched and read.
//!
//! A service is what it asks and a pure function from what came back to results: every request goes through the guarded
//! client, and every result through [`found`]. Which service is asked, and what is done when one fails, is not decided here.

mod arxiv;
mod asking;
mod brave;
mod duckduckgo;
mod failing;
mod found;
mod markup;
mod missing;
mod pages;
mod pdf;
mod reading;
mod searxng;
mod tavily;

pub use arxiv::Arxiv;
pub(crate) use asking::secret;
use asking::{accepts, encoded};
pub use brave::Brave;
pub use duckduckgo::DuckDuckGo;
pub use missing::Missing;
pub use pages::WebPages;
pub use pdf::{COMMAND as PDF_COMMAND, LARGEST_PDF, PdfFailure, PdfReader, child as pdf_child};
pub use reading::{Known, Unreadable, read};
pub use searxng::Searxng;
pub use tavily::Tavily;
pub use wellread_text::{Readable, markdown_line};
