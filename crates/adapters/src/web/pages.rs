//! Fetches pages through the guarded client, and reads them.

use std::time::Instant;

use wellread_core::domain::untrusted::Untrusted;
use wellread_core::ports::{BoxFuture, FetchableUrl, FetchedPage, PageFetcher, PageLimits, WebFailure};
use wellread_text::ReadablePage;

use super::page_reader::{PageHints, UnreadablePage, read_page};
use super::pdf::{PdfFailure, PdfReader};
use crate::http::{Web, WebResponse};

/// Fetches pages with the guarded client.
#[derive(Clone)]
pub struct WebPages {
    web: Web,
    pdf: PdfReader,
}

impl WebPages {
    pub fn new(web: Web, pdf: PdfReader) -> Self {
        Self { web, pdf }
    }

    /// Fetches a page and reads all of it.
    pub async fn fetch_whole(
        &self,
        page: &FetchableUrl,
        limits: PageLimits,
    ) -> Result<(String, ReadablePage), WebFailure> {
        let until = Instant::now() + limits.time;
        let response = self.web.fetch_page(page.url(), limits.time, limits.bytes).await?;
        let WebResponse { url, content_type, bytes, .. } = response;
        let (pdf, address) = (self.pdf.clone(), url.clone());
        // Reading uses the processor for a while, and waits for a child process if it is a PDF.
        let reading = tokio::task::spawn_blocking(move || {
            let known = PageHints { content_type: content_type.as_deref(), url: Some(&address), name: None };
            read_page(&bytes, known, &pdf, until.saturating_duration_since(Instant::now()))
        });
        let read = tokio::time::timeout(until.saturating_duration_since(Instant::now()), reading).await;
        let read = read.map_err(|_| broken_failure("the page takes too long to read"))?;
        let read = read.map_err(|_| broken_failure("the page can't be read"))?;
        Ok((url, read.map_err(to_web_failure)?))
    }
}

impl PageFetcher for WebPages {
    fn fetch<'a>(
        &'a self,
        page: &'a FetchableUrl,
        limits: PageLimits,
    ) -> BoxFuture<'a, Result<FetchedPage, WebFailure>> {
        Box::pin(async move {
            let (url, read) = self.fetch_whole(page, limits).await?;
            Ok(to_fetched_page(url, read, limits.chars))
        })
    }
}

/// The page as it is stored, cut to so many characters.
fn to_fetched_page(url: String, read: ReadablePage, chars: usize) -> FetchedPage {
    let mut text = read.markdown;
    let end = text.char_indices().nth(chars).map(|(at, _)| at);
    if let Some(end) = end {
        text.truncate(end);
    }
    FetchedPage {
        url,
        title: read.title,
        author: read.author,
        date: read.date,
        site: read.site,
        language: read.language,
        text: Untrusted::from_outside(text),
        cut: read.cut || end.is_some(),
    }
}

fn to_web_failure(why: UnreadablePage) -> WebFailure {
    let message = why.message().to_owned();
    match why {
        UnreadablePage::Pdf(PdfFailure::TooLarge) => WebFailure::TooLarge { message },
        _ => WebFailure::Broken { message },
    }
}

fn broken_failure(message: &str) -> WebFailure {
    WebFailure::Broken { message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_cut_between_characters_and_says_so() {
        let page = |markdown: &str| ReadablePage { markdown: markdown.to_owned(), ..ReadablePage::default() };
        let cut = to_fetched_page("https://example.org/".to_owned(), page("Zürich ☃"), 2);
        assert_eq!((cut.text.expose(), cut.cut), ("Zü", true));
        let whole = to_fetched_page("https://example.org/".to_owned(), page("Zürich ☃"), 8);
        assert_eq!((whole.text.expose(), whole.cut), ("Zürich ☃", false));
        let none = to_fetched_page("https://example.org/".to_owned(), page("Zürich"), 0);
        assert_eq!((none.text.expose(), none.cut), ("", true));
    }

    #[test]
    fn a_page_that_was_not_read_to_its_end_is_cut() {
        let read = ReadablePage { markdown: "x".to_owned(), cut: true, ..ReadablePage::default() };
        assert!(to_fetched_page(String::new(), read, 10).cut);
    }
}
