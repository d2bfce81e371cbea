//! The main content of a web page, as markdown and as plain text, and what the page says about itself.
//!
//! The page is parsed as browsers parse it, and never searched for patterns. What a reader does not see (scripts, styles,
//! comments, attributes, hidden elements) is gone before anything else happens, so nothing later can bring it back. No page,
//! however broken, costs more than in proportion to its size. Nothing is fetched here, and style sheets are not read.

mod address;
mod article;
mod blocks;
mod build;
mod clean;
mod code;
mod css;
mod hidden;
mod markdown;
mod meta;
mod other_formats;
mod parse;
mod plain;
mod shadow;
#[cfg(test)]
mod tests;
mod tree;

use self::address::BaseUrl;
pub use self::markdown::markdown_line;
pub(crate) use self::meta::to_single_line;
pub(crate) use self::other_formats::read_paragraphs;
pub use self::other_formats::{read_markdown_page, read_text_page};

/// What is readable of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadablePage {
    /// On one line, of at most 300 characters; so are the others.
    pub title: Option<String>,
    pub author: Option<String>,
    /// As the page says it.
    pub date: Option<String>,
    pub site: Option<String>,
    pub language: Option<String>,
    /// Headings, paragraphs, lists, links, code, tables and quotes. No image, no HTML.
    pub markdown: String,
    /// The words alone.
    pub text: String,
    /// Whether there was more than can be read.
    pub cut: bool,
}

/// Reads a page. Its address is what relative links start from; without one they are left out.
pub fn read_html_page(html: &str, url: Option<&str>) -> ReadablePage {
    read_document(html, url, true)
}

/// Reads a page whose main content has to be found, or one that is nothing else.
fn read_document(html: &str, url: Option<&str>, find: bool) -> ReadablePage {
    let (mut tree, cut) = parse::parse(html);
    let said = meta::RawMetadata::collect(&tree);
    hidden::remove_hidden(&mut tree);
    hidden::remove_unseen(&mut tree);
    let about = meta::metadata(said, &tree);
    let (tree, content) = if find { article::main_content(tree) } else { (tree, tree::ROOT) };
    let base = BaseUrl::new(url, about.base.as_deref());
    let blocks = blocks::blocks(&tree, content, &base);
    ReadablePage {
        title: about.title,
        author: about.author,
        date: about.date,
        site: about.site,
        language: about.language,
        markdown: markdown::render_markdown(&blocks),
        text: plain::render_plain(&blocks),
        cut,
    }
}
