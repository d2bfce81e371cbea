//! Pages of the web: fetched through the guard, and read.

use std::time::Instant;

use wellread_core::domain::untrusted::Untrusted;
use wellread_core::ports::{Fetchable, FetchedPage, PageLimits, Pages, Waiting, WebFailure};
use wellread_text::Readable;

use super::page_reader::{Known, Unreadable, read};
use super::pdf::{PdfFailure, PdfReader};
use crate::http::{Got, Web};

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

    /// The whole page, for who asked for nothing else.
    pub async fn whole(
        &self,
        page: &Fetchable,
        limits: PageLimits,
    ) -> Result<(String, Readable), WebFailure> {
        let until = Instant::now() + limits.time;
        let got = self.web.page(page.url(), limits.time, limits.bytes).await?;
        let Got { url, content_type, bytes, .. } = got;
        let (pdf, address) = (self.pdf.clone(), url.clone());
        // Reading takes the processor for a while, and waits for a child where it is a PDF.
        let reading = tokio::task::spawn_blocking(move || {
            let known = Known { content_type: content_type.as_deref(), url: Some(&address), name: None };
            read(&bytes, known, &pdf, until.saturating_duration_since(Instant::now()))
        });
        let read = tokio::time::timeout(until.saturating_duration_since(Instant::now()), reading).await;
        let read = read.map_err(|_| broken("the page takes too long to read"))?;
        let read = read.map_err(|_| broken("the page can't be read"))?;
        Ok((url, read.map_err(failure)?))
    }
}

impl Pages for WebPages {
    fn fetch<'a>(
        &'a self,
        page: &'a Fetchable,
        limits: PageLimits,
    ) -> Waiting<'a, Result<FetchedPage, WebFailure>> {
        Box::pin(async move {
            let (url, read) = self.whole(page, limits).await?;
            Ok(fetched(url, read, limits.chars))
        })
    }
}

/// The page as it is kept, cut to so many characters.
fn fetched(url: String, read: Readable, chars: usize) -> FetchedPage {
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
        text: Untrusted::outside(text),
        cut: read.cut || end.is_some(),
    }
}

fn failure(why: Unreadable) -> WebFailure {
    let message = why.message().to_owned();
    match why {
        Unreadable::Pdf(PdfFailure::TooLarge) => WebFailure::TooLarge { message },
        _ => WebFailure::Broken { message },
    }
}

fn broken(message: &str) -> WebFailure {
    WebFailure::Broken { message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_cut_between_characters_and_says_so() {
        let page = |markdown: &str| Readable { markdown: markdown.to_owned(), ..Readable::default() };
        let cut = fetched("https://example.org/".to_owned(), page("Zürich ☃"), 2);
        assert_eq!((cut.text.look(), cut.cut), ("Zü", true));
        let whole = fetched("https://example.org/".to_owned(), page("Zürich ☃"), 8);
        assert_eq!((whole.text.look(), whole.cut), ("Zürich ☃", false));
        let none = fetched("https://example.org/".to_owned(), page("Zürich"), 0);
        assert_eq!((none.text.look(), none.cut), ("", true));
    }

    #[test]
    fn a_page_that_was_not_read_to_its_end_is_cut() {
        let read = Readable { markdown: "x".to_owned(), cut: true, ..Readable::default() };
        assert!(fetched(String::new(), read, 10).cut);
    }
}
