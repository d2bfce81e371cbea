//! The text of a vault's notes, and what can be done to it; and source code, which is only read.
//!
//! Pure functions: no file is read here, no clock is asked, no environment is looked at. Every function takes
//! the whole text of a file, a byte-order mark and either line ending included; every offset it gives back is
//! a byte offset into that text, and every line counts from 1.
//!
//! | to | see |
//! | --- | --- |
//! | point into a text, change byte ranges of it | [`Span`], [`Lines`], [`Splice`], [`splice()`] |
//! | know what a note holds | [`Note`]: [`Frontmatter`], [`Heading`], [`Link`], [`Tag`], [`BlockId`] |
//! | change one frontmatter field | [`change_frontmatter`], [`frontmatter_block`] |
//! | find, replace and extend a section | [`find_section`], [`replace_section`], [`append_to_section`] |
//! | add to a note's ends | [`append`], [`prepend`] |
//! | know where a link points | [`Names`], [`Resolution`], [`link_key`], [`addresses()`] |
//! | let links follow a move | [`follow`] |
//! | prepare text for a note | [`link_names`], [`close_fences`] |
//! | cut a file into what is indexed and found | [`Chunk`], [`note_chunks`], [`code_chunks`] |
//! | know what source code defines | [`code()`], [`outline`]: [`Outline`], [`Definition`], [`Language`] |
//! | find a text by its words | [`Terms`], [`query_terms`] |
//! | put text that others wrote into a prompt | [`neutral()`], [`visible`] |
//! | read a page of the web | [`decoded`], [`readable`], [`readable_markdown`], [`readable_text`], [`pdf_text`]: [`Readable`] |
//! | write or show markdown that others wrote | [`inert()`] |
//! | find texts again, as they were or as they were edited | [`Sought`], [`Wording`] |
//! | know what an answer says and cites, and what of it a source holds | [`sentences()`], [`claims()`], [`Held`] |
//! | know how much of one text stands in another | [`Words`], [`Shingles`], [`Sketch`] |
//! | see where notes are spoken of without a link | [`Spotter`], [`Note::closed`] |
//! | know what a note is about, and what its numbers are of | [`phrases()`], [`telling_words`], [`figures()`] |
//! | show text | [`page()`], [`unified`] |
//!
//! An edit is never a new text but a [`Splice`]: the bytes that change, and nothing else. An edit that would have
//! to guess is an [`EditError`].

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod answer;
mod code;
mod diff;
mod edit;
mod error;
mod fold;
mod note;
mod page;
mod paging;
mod prose;
mod span;
mod splice;
mod words;

pub use answer::inert::{Allowed, Inert, Removed, inert};
pub use answer::neutral::{Neutral, neutral, visible};
pub use answer::support::{Held, NumberAt};
pub use code::chunk::{CHUNK_BYTES, Chunk, ChunkKind, note_chunks};
pub use code::{
    Base, Code, Definition, Import, Language, Mention, Outline, Reached, Role, SymbolKind, Syntax, Uses,
    Value, code, code_chunks, outline,
};
pub use diff::unified;
pub use edit::autolink::link_names;
pub use edit::ends::{append, prepend};
pub use edit::open_blocks::close_fences;
pub use edit::retarget::{Followed, Moved, follow};
pub use edit::sections::{Section, append_to_section, find_section, parse_heading, replace_section};
pub use error::{EditError, EditErrorKind};
pub use fold::{comparable, composed, fold};
pub use note::frontmatter::{Frontmatter, FrontmatterChange, change_frontmatter, frontmatter_block};
pub use note::links::{Link, LinkForm};
pub use note::resolve::{Names, Resolution, joined_path, link_key};
pub use note::tags::Tag;
pub use note::{BlockId, Heading, Note};
pub use page::addresses::{Address, addresses};
pub use page::charset::decoded;
pub use page::html::{Readable, markdown_line, readable, readable_markdown, readable_text};
pub use page::pdf::{MOST_PAGES, PdfText, PdfTrouble, pdf_text, readable_pdf};
pub use paging::{Page, page};
pub use prose::claims::{
    Claims, Date, Dated, Identifier, Number, SHORTEST_QUOTATION, claims, content_words, unit,
};
pub use prose::figures::{Amount, Figure, Told, figures};
pub use prose::mentions::{Spotter, is_everyday};
pub use prose::phrases::{Phrase, phrases, telling_words};
pub use prose::sentences::{
    Block, Citation, Group as CitationGroup, Said, Sentence, SentenceKind, citations, sentences,
};
pub use span::{BOM, Lines, Span, line_ending};
pub use splice::{Splice, SpliceError, splice};
pub use words::Words;
pub use words::exact_search::Sought;
pub use words::fuzzy_search::{Nearest, Wording};
pub use words::shingles::Shingles;
pub use words::sketch::Sketch;
pub use words::terms::{Form, QueryTerm, Terms, query_terms};
