//! The web: the services that search it, one file each, and its pages, fetched and read.
//!
//! A service is what it asks and a pure function from what came back to results: every request goes through the guarded
//! client, and every result through [`found`]. Which service is asked, and what is done when one fails, is not decided here.

mod arxiv;
mod brave;
mod duckduckgo;
mod markup;
mod page_reader;
mod pages;
mod pdf;
mod request_parts;
mod results;
mod searxng;
mod service_info;
mod tavily;
mod unavailable;

pub use arxiv::Arxiv;
pub use brave::Brave;
pub use duckduckgo::DuckDuckGo;
pub use page_reader::{PageHints, UnreadablePage, read_page};
pub use pages::WebPages;
pub use pdf::{COMMAND as PDF_COMMAND, LARGEST_PDF, PdfFailure, PdfReader, run_child as pdf_child};
pub(crate) use request_parts::secret_header;
use request_parts::{accept_header, encode_query};
pub use searxng::Searxng;
pub use tavily::Tavily;
pub use unavailable::UnavailableSearch;
pub use wellread_text::{ReadablePage, markdown_line};
