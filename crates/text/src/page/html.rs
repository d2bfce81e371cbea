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

use self::address::Base;
pub use self::markdown::markdown_line;
pub(crate) use self::meta::line;
pub(crate) use self::other_formats::readable_paragraphs;
pub use self::other_formats::{readable_markdown, readable_text};

/// What is readable of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Readable {
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
pub fn readable(html: &str, url: Option<&str>) -> Readable {
    read(html, url, true)
}

/// Reads a page whose main content has to be found, or one that is nothing else.
fn read(html: &str, url: Option<&str>, find: bool) -> Readable {
    let (mut tree, cut) = parse::parse(html);
    let said = meta::Said::of(&tree);
    hidden::remove_hidden(&mut tree);
    hidden::remove_unseen(&mut tree);
    let about = meta::metadata(said, &tree);
    let (tree, content) = if find { article::main_content(tree) } else { (tree, tree::ROOT) };
    let base = Base::of(url, about.base.as_deref());
    let blocks = blocks::blocks(&tree, content, &base);
    Readable {
        title: about.title,
        author: about.author,
        date: about.date,
        site: about.site,
        language: about.language,
        markdown: markdown::markdown(&blocks),
        text: plain::plain(&blocks),
        cut,
    }
}
