//! Extracts the text of a PDF page by page, joined into lines and paragraphs.
//!
//! Images are not read, nor text in them. For a malicious file the parser may need much memory and time, and may
//! panic: read files of others in a separate process.

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

/// The text of a PDF and its metadata.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PdfText {
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The day of its creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The number of pages, read or not.
    pub count: usize,
    /// The text of each page that was read: paragraphs separated by blank lines.
    pub pages: Vec<String>,
    /// Whether only a part was read.
    pub cut: bool,
}

/// Why a PDF cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PdfError {
    /// It is encrypted with a password.
    Locked,
    /// It is damaged, or not a PDF.
    Broken,
}

/// Extracts at most `most_chars` characters from at most [`MOST_PAGES`] pages.
pub fn extract_pdf_text(bytes: Vec<u8>, most_chars: usize) -> Result<PdfText, PdfError> {
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => PdfError::Locked,
        LoadPdfError::Decryption(_) | LoadPdfError::Invalid => PdfError::Broken,
    })?;
    let metadata = pdf.metadata();
    let decode = |bytes: &Option<Box<[u8]>>| {
        bytes.as_deref().and_then(|bytes| to_single_line(&encoding::text_string(bytes), 300))
    };
    let mut read = PdfText {
        title: decode(&metadata.title),
        author: decode(&metadata.author),
        date: metadata
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

/// The maximum number of pages that are read.
pub const MOST_PAGES: usize = 2000;

/// Converts a PDF to the form of a web page. Its pages are separated by a horizontal rule in the Markdown, and by a
/// form feed in the text.
pub fn pdf_to_page(pdf: &PdfText) -> ReadablePage {
    let pages: Vec<ReadablePage> =
        pdf.pages.iter().map(|page| read_paragraphs(&strip_hidden(page).0)).collect();
    let non_empty = || pages.iter().filter(|page| !page.text.trim().is_empty());
    ReadablePage {
        title: pdf.title.clone(),
        author: pdf.author.clone(),
        date: pdf.date.clone(),
        markdown: non_empty().map(|page| page.markdown.as_str()).collect::<Vec<_>>().join("\n---\n\n"),
        text: non_empty().map(|page| page.text.as_str()).collect::<Vec<_>>().join("\n\u{c}"),
        cut: pdf.cut,
        ..ReadablePage::default()
    }
}
