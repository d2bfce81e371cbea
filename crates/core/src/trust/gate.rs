//! The gate: checks every sentence against the evidence that it cites before it is shown or written. No language model is asked.
//!
//! A sentence is *supported* if all of this holds:
//!
//! 1. Every id that it cites was shown in this run. One that was not makes the sentence unknown, whatever else it
//!    cites.
//! 2. The evidence's place, read again, still holds the ledger's text byte for byte. Changes elsewhere in the file
//!    don't matter.
//! 3. Each quotation occurs in one of the sources without gaps, and with no word or number cut at its ends.
//!    [`to_comparable`](wellread_text::to_comparable) says which texts count as equal; a full stop or a comma at the
//!    very end may be the writer's own. A quotation of fewer than 12 characters is taken as words, each of which has
//!    to occur, in any case. A quoted block and a code block are quotations as a whole. An ellipsis is a gap. The first letter
//!    may be large or small, and the marks of a comment are not part of it.
//! 4. Numbers, dates, names and identifiers occur in the cited text, or in its path, title or address. Names are
//!    compared without case, identifiers with. The source may state a date more exactly than the sentence, never less.
//!    Line numbers behind a path are lines of the evidence. A cell has the unit that the head of its column gives, and code has
//!    the names of the definitions that contain it. A number that is not there may be converted or rounded from one that is; it
//!    may be calculated from several only if the sentence says so.
//! 5. The sentence has something in common with the cited text: one of the above, or a third of its content words.
//!
//! A sentence that fails is *contradicted* if the source says something else: a quotation that differs in few
//! characters; another number of the same thing, or another date, near most of the sentence's words; a number that
//! counts something else wherever it occurs. Every other failure is *unknown*. A sentence without a citation is
//! *uncited*; a transition without a claim may stay, but still counts as uncited.
//!
//! [`judge`] takes what a text cites from the ledger of a run, [`judge_cited`] from anywhere, and [`judge_against`] searches
//! given sources for each sentence. All three apply these rules.
//!
//! Rules compare words. A small model inside the program, the [verifier](crate::ports::Verifier), reads meaning where they end:
//! `reading` says within which bounds it changes a verdict. A language model may give a second opinion afterwards
//! ([`crate::engine::second_opinion`]), which can only [lower](crate::domain::verdict::GateReport::lower_verdict) a verdict. The types of verdicts are in
//! [`crate::domain::verdict`].

mod cited_sources;
mod cited_text;
mod date_check;
mod given_sources;
mod judge;
mod near_match;
mod objections;
mod places;
mod quoted;
mod reading;
mod sentence_check;
mod unsupported;
mod voice;

pub use cited_sources::{CitedSources, judge_cited};
pub use given_sources::judge_against;
pub use judge::{has_words, judge};
pub use objections::render_objections;
pub use places::{EvidenceReader, PlaceReading, PlaceState};
pub use unsupported::{GatedText, NOT_SUPPORTED, cut_out, find_unchecked, move_unsupported, supported_part};
