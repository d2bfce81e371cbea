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
//! | know where a link points | [`FileNames`], [`Resolution`], [`link_key`], [`addresses()`] |
//! | let links follow a move | [`follow`] |
//! | prepare text for a note | [`link_names`], [`close_fences`] |
//! | cut a file into what is indexed and found | [`Chunk`], [`note_chunks`], [`code_chunks`] |
//! | know what source code defines | [`code()`], [`outline`]: [`Outline`], [`Definition`], [`Language`] |
//! | find a text by its words | [`Terms`], [`query_terms`] |
//! | put text that others wrote into a prompt | [`neutral()`], [`visible`] |
//! | read a page of the web | [`decoded`], [`readable`], [`readable_markdown`], [`readable_text`], [`pdf_text`]: [`ReadablePage`] |
//! | write or show markdown that others wrote | [`inert()`] |
//! | find texts again, as they were or as they were edited | [`ExactSearch`], [`FuzzySearch`] |
//! | know what an answer says and cites, and what of it a source holds | [`sentences()`], [`claims()`], [`SourceIndex`] |
//! | know how much of one text stands in another | [`Words`], [`Shingles`], [`Sketch`] |
//! | see where notes are spoken of without a link | [`NameFinder`], [`NodeNote::unlinkable_spans`] |
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

pub use answer::inert::{AllowedLinks, InertText, RemovedCounts, make_inert};
pub use answer::neutral::{NeutralText, neutralize, strip_hidden};
pub use answer::support::{NumberOccurrence, SourceIndex};
pub use code::chunk::{CHUNK_BYTES, Chunk, ChunkKind, chunk_note};
pub use code::{
    CodeAnalysis, Definition, ExprValue, Import, Inheritance, Language, Mention, MentionRole, NameAccess,
    Outline, SymbolKind, SyntaxState, Uses, analyze_code, chunk_code, outline_code,
};
pub use diff::unified_diff;
pub use edit::autolink::link_names;
pub use edit::ends::{append, prepend};
pub use edit::open_blocks::close_open_blocks;
pub use edit::retarget::{FileMoves, LinkUpdates, update_links};
pub use edit::sections::{Section, append_to_section, find_section, parse_heading, replace_section};
pub use error::{EditError, EditErrorKind};
pub use fold::{fold, to_comparable, to_nfc};
pub use note::frontmatter::{Frontmatter, FrontmatterChange, change_frontmatter, frontmatter_block};
pub use note::links::{Link, LinkForm};
pub use note::resolve::{FileNames, Resolution, join_path, link_key};
pub use note::tags::Tag;
pub use note::{BlockId, Heading, Note};
pub use page::addresses::{Address, find_addresses};
pub use page::charset::decode_page;
pub use page::html::{ReadablePage, markdown_line, read_html_page, read_markdown_page, read_text_page};
pub use page::pdf::{MOST_PAGES, PdfError, PdfText, extract_pdf_text, pdf_to_page};
pub use paging::{TextPage, take_page};
pub use prose::claims::{
    Claims, Date, Identifier, Number, SHORTEST_QUOTATION, WrittenDate, canonical_unit, content_words,
    extract_claims,
};
pub use prose::figures::{Amount, Figure, FigureWord, extract_figures};
pub use prose::mentions::{NameFinder, is_everyday_word};
pub use prose::phrases::{Phrase, extract_phrases, significant_words};
pub use prose::sentences::{
    Citation, CitationGroup, Sentence, SentenceBlock, SentenceKind, SentencePart, find_citations,
    split_sentences,
};
pub use span::{BOM, LineIndex, Span, line_ending};
pub use splice::{Splice, SpliceError, apply_splices};
pub use words::Words;
pub use words::exact_search::ExactSearch;
pub use words::fuzzy_search::{FuzzyMatch, FuzzySearch};
pub use words::hashing::{FNV_SEED, fnv_step};
pub use words::shingles::Shingles;
pub use words::sketch::Sketch;
pub use words::terms::{QueryTerm, TermForm, Terms, query_terms};
