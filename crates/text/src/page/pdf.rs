//! The text of a PDF, page by page: what is drawn as letters, put into lines and paragraphs again.
//!
//! Reads no pictures, and no text in them. The parser may want a lot of memory and time for a file that was made to, and may
//! panic: whoever reads a file of somebody else does it in a process that is of use for nothing else.

mod cmap;
mod encoding;
mod font;
mod layout;
mod operators;
#[cfg(test)]
pub(crate) mod tests;

use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use serde::{Deserialize, Serialize};

use crate::page::html::{read_paragraphs, to_single_line};
use crate::{ReadablePage, strip_hidden};

/// What a PDF says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PdfText {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The day on which it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// How many pages there are, read or not.
    pub count: usize,
    /// The text of each page that was read: paragraphs, with an empty line between them.
    pub pages: Vec<String>,
    /// Whether there was more than was read.
    pub cut: bool,
}

/// Why a PDF can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PdfError {
    /// Only who has the password can read it.
    Locked,
    /// It is damaged, or no PDF.
    Broken,
}

/// Reads at most so many characters, of at most [`MOST_PAGES`].
pub fn extract_pdf_text(bytes: Vec<u8>, most_chars: usize) -> Result<PdfText, PdfError> {
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => PdfError::Locked,
        LoadPdfError::Decryption(_) | LoadPdfError::Invalid => PdfError::Broken,
    })?;
    let about = pdf.metadata();
    let said = |bytes: &Option<Box<[u8]>>| {
        bytes.as_deref().and_then(|bytes| to_single_line(&encoding::text_string(bytes), 300))
    };
    let mut read = PdfText {
        title: said(&about.title),
        author: said(&about.author),
        date: about
            .creation_date
            .as_ref()
            .map(|date| format!("{:04}-{:02}-{:02}", date.year, date.month, date.day)),
        count: pdf.pages().len(),
        ..PdfText::default()
    };
    let mut left = most_chars;
    for page in pdf.pages().iter() {
        if read.pages.len() == MOST_PAGES || left == 0 {
            read.cut = true;
            break;
        }
        let mut text = layout::paragraphs(&operators::pieces(page));
        let length = text.chars().count();
        if length > left {
            text = text.chars().take(left).collect();
            read.cut = true;
        }
        left = left.saturating_sub(length);
        read.pages.push(text);
    }
    Ok(read)
}

/// How many pages are read.
pub const MOST_PAGES: usize = 2000;

/// A PDF in the shape of a page of the web. Between two of its pages stands a line across in the markdown, and a page break in
/// the text.
pub fn pdf_to_page(pdf: &PdfText) -> ReadablePage {
    let pages: Vec<ReadablePage> =
        pdf.pages.iter().map(|page| read_paragraphs(&strip_hidden(page).0)).collect();
    let said = || pages.iter().filter(|page| !page.text.trim().is_empty());
    ReadablePage {
        title: pdf.title.clone(),
        author: pdf.author.clone(),
        date: pdf.date.clone(),
        markdown: said().map(|page| page.markdown.as_str()).collect::<Vec<_>>().join("\n---\n\n"),
        text: said().map(|page| page.text.as_str()).collect::<Vec<_>>().join("\n\u{c}"),
        cut: pdf.cut,
        ..ReadablePage::default()
    }
}
