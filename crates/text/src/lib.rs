//! Parsing and editing of notes, and reading of source code, web pages and prose.
//!
//! Pure functions: no file is read, no clock and no environment is used. Every function takes the whole text of a file,
//! with its byte-order mark and either line ending; every offset is a byte offset into that text, and lines count from 1.
//!
//! | to | see |
//! | --- | --- |
//! | refer to parts of a text, change byte ranges of it | [`Span`], [`LineIndex`], [`Splice`], [`apply_splices`] |
//! | parse a note | [`Note`]: [`Frontmatter`], [`Heading`], [`Link`], [`Tag`], [`BlockId`] |
//! | change one frontmatter field | [`change_frontmatter`], [`frontmatter_block`] |
//! | read, check and write the fields of the Open Knowledge Format | [`OkfFields`], [`check_okf`], [`OkfStamp`], [`stamp_verified`] |
//! | find, replace and extend a section | [`find_section`], [`replace_section`], [`append_to_section`] |
//! | add text to either end of a note | [`append`], [`prepend`] |
//! | resolve a link | [`FileNames`], [`Resolution`], [`link_key`] |
//! | read a canvas | [`Canvas`]: [`CanvasText`], [`chunk_canvas`] |
//! | read the fields and tags of reStructuredText, AsciiDoc and Org | [`ProseFields`] |
//! | update links after files moved | [`update_links`], [`update_canvas_links`]: [`FileMoves`], [`LinkUpdates`] |
//! | prepare text for a note | [`link_names`], [`close_open_blocks`], [`rename_footnotes`] |
//! | cut a file into chunks for the index | [`Chunk`], [`chunk_note`], [`chunk_prose`], [`chunk_org`], [`chunk_code`] |
//! | find the definitions and uses of source code | [`analyze_code`], [`outline_code`]: [`Outline`], [`Definition`], [`Uses`], [`Language`] |
//! | tell tests and documents from sources by their paths | [`FileRole`] |
//! | make the terms of the full-text index and of a query | [`Terms`], [`query_terms`] |
//! | find passages again, unchanged or edited | [`ExactSearch`], [`FuzzySearch`], [`LineMap`] |
//! | measure how much of one text occurs in another | [`Words`], [`Shingles`], [`Sketch`] |
//! | put foreign text into a prompt | [`neutralize`], [`strip_hidden`] |
//! | show foreign text on a terminal | [`reveal_controls`], [`reveal_hidden`] |
//! | display or store foreign Markdown | [`make_inert`], [`strip_filler`] |
//! | split an answer into sentences, and check what a source supports | [`split_sentences`], [`extract_claims`], [`SourceIndex`], [`Statement`], [`Passage`] |
//! | find names of notes that are not links | [`NameFinder`], [`Note::unlinkable_spans`] |
//! | find the key phrases and the figures of a note | [`extract_phrases`], [`significant_words`], [`extract_figures`] |
//! | read a web page or a PDF | [`decode_page`], [`read_html_page`], [`read_markdown_page`], [`read_text_page`], [`extract_pdf_text`], [`find_addresses`]: [`ReadablePage`] |
//! | show text | [`take_page`], [`unified_diff`] |
//!
//! An edit returns a [`Splice`] and not a new text: only the bytes that change. An edit that would have to guess returns
//! an [`EditError`].
//!
//! The modules are in groups, and a group uses only groups before it: `words` and `note`, then `edit` and `code`, then
//! `prose`, `answer`, `page` and `okf`. All of them use `span`, `splice`, `fold` and `error`.

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod answer;
mod code;
mod diff;
mod edit;
mod error;
mod fold;
mod note;
mod okf;
mod page;
mod paging;
mod prose;
mod span;
mod splice;
mod words;

pub use answer::agreement::{Comparison, Mismatch, Passage, Statement};
pub use answer::filler::strip_filler;
pub use answer::inert::{AllowedLinks, InertText, RemovedCounts, make_inert};
pub use answer::neutral::{
    NeutralText, acts_on_terminal, neutralize, reveal_controls, reveal_hidden, strip_hidden,
};
pub use answer::support::{NumberOccurrence, SourceIndex, without_struck_out};
pub use code::chunk::{
    CHUNK_BYTES, CanvasChunk, Chunk, ChunkKind, chunk_canvas, chunk_note, chunk_org, chunk_prose,
};
pub use code::{
    ArgumentRule, CargoManifest, CodeAnalysis, ConstructorRule, Definition, ExprValue, FileRole, Import,
    Inheritance, Language, LanguageSpec, Mention, MentionRole, ModuleSystem, NameAccess, NameRules, Outline,
    SymbolKind, SyntaxState, Uses, WordSet, analyze_code, chunk_code, outline_code,
};
pub use diff::{FollowedLines, LineMap, unified_diff};
pub use edit::autolink::link_names;
pub use edit::ends::{append, prepend};
pub use edit::footnotes::{footnote_labels, rename_footnotes};
pub use edit::open_blocks::close_open_blocks;
pub use edit::retarget::{FileMoves, LinkUpdates, update_canvas_links, update_links};
pub use edit::sections::{Section, append_to_section, find_section, parse_heading, replace_section};
pub use error::{EditError, EditErrorKind};
pub use fold::{fold, to_comparable, to_nfc};
pub use note::canvas::{Canvas, CanvasText};
pub use note::frontmatter::{Frontmatter, FrontmatterChange, change_frontmatter, frontmatter_block};
pub use note::links::{Link, LinkForm};
pub use note::prose_fields::ProseFields;
pub use note::resolve::{FileNames, Resolution, join_path, link_key};
pub use note::tags::Tag;
pub use note::{BlockId, Heading, Note};
pub use okf::check::{OkfProblem, check_okf};
pub use okf::fields::{OkfEvent, OkfFields, OkfSource};
pub use okf::stamp::{OkfStamp, StampedFields, find_other_sources, stamp_type, stamp_verified};
pub use page::addresses::{Address, find_addresses};
pub use page::charset::decode_page;
pub use page::html::{ReadablePage, markdown_line, read_html_page, read_markdown_page, read_text_page};
pub use page::pdf::{MOST_PAGES, PdfError, PdfText, extract_pdf_text, pdf_to_page};
pub use page::places::{Footnotes, WrittenPlace, find_footnotes, find_places, parse_lines};
pub use paging::{TextPage, take_page};
pub use prose::admonitions::unwrap_admonitions;
pub use prose::claims::{
    Claims, Date, Identifier, Number, SHORTEST_QUOTATION, WrittenDate, begins_with_day, canonical_unit,
    content_words, extract_claims, find_table_head,
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
pub use words::misspelling::is_misspelling;
pub use words::shingles::Shingles;
pub use words::sketch::Sketch;
pub use words::terms::{QueryTerm, TermForm, Terms, name_key, query_phrases, query_terms};
