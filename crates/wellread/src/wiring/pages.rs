//! The main content of a page on the web or of a saved one, for `wellread extract`.

use std::time::Duration;

use wellread_adapters::http::Web;
use wellread_adapters::web::{self, PdfReader, WebPages};
pub use wellread_adapters::web::{
    LARGEST_PDF, PageHints, ReadablePage, UnreadablePage, markdown_line, pdf_child,
};
use wellread_core::ports::{FetchableUrl, PageLimits, WebFailure};
use wellread_core::{Error, Result};

use crate::config::Config;

/// Reads PDFs by a child of this program.
fn pdf_reader() -> Result<PdfReader> {
    let program = std::env::current_exe()
        .map_err(|error| Error::failed(format!("the path of this program is unknown: {error}")))?;
    Ok(PdfReader::new(program))
}

/// Pages as the settings let them be fetched.
pub fn open_whole_pages(config: &Config, offline: bool) -> Result<WholePages> {
    Ok(WholePages(WebPages::new(Web::new(config.web(offline)?)?, pdf_reader()?)))
}

/// Fetches pages with all that is known of them.
pub struct WholePages(WebPages);

impl WholePages {
    pub async fn fetch(&self, url: &FetchableUrl, limits: PageLimits) -> Result<ReadablePage, WebFailure> {
        self.0.fetch_whole(url, limits).await.map(|(_, page)| page)
    }
}

/// Reads what was saved of a page. The outer error means that this program can't run itself.
pub fn read_saved_page(
    bytes: &[u8],
    hints: PageHints<'_>,
    limit: Duration,
) -> Result<Result<ReadablePage, UnreadablePage>> {
    Ok(web::read_page(bytes, hints, &pdf_reader()?, limit))
}
