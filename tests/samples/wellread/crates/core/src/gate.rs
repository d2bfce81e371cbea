//! The gate: what every sentence has to pass before it is shown or written. No model is asked.
//!
//! 1. A cited id is one that was shown in this run. One that is not makes the sentence unknown, whatever else it cites.
//! 2. The place is read again and holds the ledger's text, byte for byte. A change elsewhere in the file does not matter.
//! 3. A quotation stands in one of the sources as one run, without a word or a number cut at its ends: see
//!    [`comparable`](wellread_text::comparable) for what counts as the same text; a full stop or a comma at the very end
//!    may be the writer's own. Shorter ones than 12 characters are words, and each has to occur, whatever its case. A
//!    quoted block and a code block are quotations as a whole. Three dots for what was left out are not one run.
//! 4. Numbers, dates, names and identifiers occur in what the sentence cites, or in what names it: its path, title and
//!    address. Names are compared without regard to case, identifiers with. A date may be told more exactly by the source
//!    than by the sentence, never less. Lines behind a path are lines of the evidence.
//! 5. Something of the sentence is in what it cites: one of the above, or a third of the words that carry it.
//!
//! What fails is *contradicted* where the source says otherwise: a quotation that differs in few characters; another
//! number of the same thing, or another date, where most of the sentence's words stand; a number whose every occurrence
//! counts something else. All other failures are *unknown*. A sentence without a citation is *uncited*; where it claims
//! nothing and only leads on, it stays, and is counted as uncited all the same.
//!
//! Not here: whether the sentence follows from its evidence. Whoever checks that may [lower](Report::lower) a verdict.

mod against;
mod judge;
mod near;
mod objections;
mod places;
mod settle;
mod weigh;

use serde::{Deserialize, Serialize};
use wellread_text::Span;

use crate::id::EvidenceId;

pub use against::judge_against;
pub use judge::judge;
pub use objections::objections;
pub use places::{Places, Reading, Standing};
pub use settle::{NOT_SUPPORTED, Settled, settle};

/// What the gate says of a text: of each sentence, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub sentences: Vec<Judged>,
    pub coverage: Coverage,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// As written, without the marks of lists and quotes around it.
    pub text: String,
    pub span: Span,
    pub verdict: Verdict,
    /// Whether it only leads on and claims nothing that could be looked up: it may stay without a citation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub connective: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<Why>,
    pub evidence: Vec<Cited>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Supported,
    Contradicted,
    Unknown,
    Uncited,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Contradicted => "contradicted",
            Self::Unknown => "unknown",
            Self::Uncited => "uncited",
        }
    }

    /// How much a sentence may be relied on.
    fn rank(self) -> u8 {
        match self {
            Self::Supported => 3,
            Self::Unknown => 2,
            Self::Uncited => 1,
            Self::Contradicted => 0,
        }
    }
}

/// What a sentence rests on, where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cited {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<EvidenceId>,
    /// A path, or the address of a page.
    pub path: String,
    pub start_line: usize,
    pub end_line: usize,
    pub quote: String,
}

/// Why a sentence is not supported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Why {
    /// No evidence has this id.
    UnknownId {
        id: String,
    },
    OtherRun {
        id: String,
    },
    /// It is in the ledger, and was never put before the model.
    NotShown {
        id: String,
    },
    PlaceChanged {
        id: String,
    },
    PlaceGone {
        id: String,
    },
    PlaceUnreachable {
        id: String,
        because: String,
    },
    QuotationNotFound {
        quotation: String,
    },
    QuotationDiffers {
        quotation: String,
        source: String,
    },
    NumberMissing {
        number: String,
    },
    NumberDiffers {
        number: String,
        source: String,
    },
    DateMissing {
        date: String,
    },
    DateDiffers {
        date: String,
        source: String,
    },
    NameMissing {
        name: String,
    },
    IdentifierMissing {
        identifier: String,
    },
    /// Too few of its words are in any one place.
    NothingInCommon,
    /// By a check that came after the gate.
    Lowered {
        because: String,
    },
}

impl Why {
    /// Whether the source says otherwise.
    pub fn contradicts(&self) -> bool {
        matches!(self, Self::QuotationDiffers { .. } | Self::NumberDiffers { .. } | Self::DateDiffers { .. })
    }
}

/// How many sentences there are of each verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Coverage {
    pub sentences: usize,
    pub supported: usize,
    pub contradicted: usize,
    pub unknown: usize,
    pub uncited: usize,
}

impl Report {
    pub fn of(sentences: Vec<Judged>) -> Self {
        let coverage = Coverage::of(&sentences);
        Self { sentences, coverage }
    }

    /// Lowers the verdict on the sentence with this number, from 0. Whether it was lowered: nothing raises one.
    pub fn lower(&mut self, sentence: usize, verdict: Verdict, why: Why) -> bool {
        let Some(judged) =
            self.sentences.get_mut(sentence).filter(|judged| verdict.rank() < judged.verdict.rank())
        else {
            return false;
        };
        judged.verdict = verdict;
        judged.why.push(why);
        self.coverage = Coverage::of(&self.sentences);
        true
    }

    /// Whether every sentence is supported, or only leads on.
    pub fn passes(&self) -> bool {
        self.sentences.iter().all(Judged::stays)
    }
}

impl Judged {
    /// Whether it may stay in the body of what is handed out.
    pub fn stays(&self) -> bool {
        self.verdict == Verdict::Supported || self.verdict == Verdict::Uncited && self.connective
    }
}

impl Coverage {
    fn of(sentences: &[Judged]) -> Self {
        let mut coverage = Self { sentences: sentences.len(), ..Self::default() };
        for judged in sentences {
            *match judged.verdict {
                Verdict::Supported => &mut coverage.supported,
                Verdict::Contradicted => &mut coverage.contradicted,
                Verdict::Unknown => &mut coverage.unknown,
                Verdict::Uncited => &mut coverage.uncited,
            } += 1;
        }
        coverage
    }
}

/// The verdict that follows from what is wrong.
fn verdict(why: &[Why]) -> Verdict {
    match why {
        [] => Verdict::Supported,
        why if why.iter().any(Why::contradicts) => Verdict::Contradicted,
        _ => Verdict::Unknown,
    }
}
