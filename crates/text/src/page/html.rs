//! Extracts the main content of a web page as Markdown and plain text, and the page's metadata.
//!
//! The page is parsed as browsers parse it, never searched for patterns. What a reader does not see (scripts, styles,
//! comments, attributes, hidden elements) is removed first, so nothing later can bring it back. The cost stays
//! proportional to the size of the page, however broken it is. Nothing is fetched, and style sheets are not read.

mod address;
mod article;
mod blocks;
mod build;
mod clean;
mod code;
mod css;
mod headings;
mod hidden;
mod markdown;
mod meta;
mod names;
mod other_formats;
mod parse;
mod parts;
mod phrases;
mod plain;
mod select;
mod shadow;
mod signs;
#[cfg(test)]
mod tests;
mod tree;
mod units;
mod weights;

use self::address::BaseUrl;
pub use self::markdown::markdown_line;
pub(crate) use self::meta::to_single_line;
pub(crate) use self::other_formats::read_paragraphs;
pub use self::other_formats::{read_markdown_page, read_text_page};

/// The readable content of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadablePage {
    /// The title: one line of at most 300 characters, like the other metadata.
    pub title: Option<String>,
    /// The author.
    pub author: Option<String>,
    /// The date as the page gives it.
    pub date: Option<String>,
    /// The name of the site.
    pub site: Option<String>,
    /// The language code.
    pub language: Option<String>,
    /// The content as Markdown: headings, paragraphs, lists, links, code, tables and quotes. No images, no HTML.
    pub markdown: String,
    /// The content as plain text.
    pub text: String,
    /// Whether the page was too large and is incomplete.
    pub cut: bool,
}

/// Reads a page. Relative links are resolved against its address; without one they are left out.
pub fn read_html_page(html: &str, url: Option<&str>) -> ReadablePage {
    read_document(html, url, true)
}

/// Reads a page; `find` says whether its main content must be found or is the whole page.
fn read_document(html: &str, url: Option<&str>, find: bool) -> ReadablePage {
    let (mut tree, cut) = parse::parse(html);
    let raw = meta::RawMetadata::collect(&tree);
    hidden::remove_hidden(&mut tree);
    hidden::remove_unseen(&mut tree);
    let metadata = meta::metadata(raw, &tree);
    if find {
        article::keep_main_content(&mut tree, metadata.title.as_deref());
    }
    let base = BaseUrl::new(url, metadata.base.as_deref());
    let blocks = blocks::blocks(&tree, tree::ROOT, &base);
    ReadablePage {
        title: metadata.title,
        author: metadata.author,
        date: metadata.date,
        site: metadata.site,
        language: metadata.language,
        markdown: markdown::render_markdown(&blocks),
        text: plain::render_plain(&blocks),
        cut,
    }
}
