//! Verdicts: the gate's result for each sentence of a text, with the reasons.
//!
//! Only the types by which a verdict is expressed and stored. How one is reached is in [`crate::trust::gate`].

mod describe;

use serde::{Deserialize, Serialize};
use wellread_text::Span;

use crate::domain::id::EvidenceId;

/// The gate's report on a text: a verdict for each sentence, in order, and the counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateReport {
    /// Every sentence of the text, in order.
    pub sentences: Vec<JudgedSentence>,
    /// How many sentences have which verdict.
    pub coverage: VerdictCounts,
}

/// A sentence with its verdict, the reasons for it, and the quotes that it rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedSentence {
    /// The sentence as written, without list or quote markers around it.
    pub text: String,
    /// The bytes of the text that the sentence takes up.
    pub span: Span,
    /// Whether the cited evidence supports the sentence.
    pub verdict: Verdict,
    /// Whether the sentence is a mere transition without a checkable claim: it may stay without a citation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub connective: bool,
    /// Why the sentence is not supported. Empty if it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<VerdictReason>,
    /// The lines of the evidence that support the sentence best.
    pub evidence: Vec<CitedQuote>,
}

/// Whether the cited evidence supports a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum Verdict {
    /// The sentence stands word for word in the evidence that it cites.
    Quoted,
    /// The figures, names, direction and words of the sentence agree with the evidence that it cites.
    Supported,
    /// The cited evidence says something else.
    Contradicted,
    /// The cited evidence does not support the sentence, or can't be read.
    Unknown,
    /// The sentence cites no evidence.
    Uncited,
}

impl Verdict {
    /// The verdict's name in JSON, in messages and in notes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quoted => "quoted",
            Self::Supported => "supported",
            Self::Contradicted => "contradicted",
            Self::Unknown => "unknown",
            Self::Uncited => "uncited",
        }
    }

    /// Whether the evidence bears the sentence: it is quoted or supported.
    pub fn is_borne_out(self) -> bool {
        matches!(self, Self::Quoted | Self::Supported)
    }

    /// The verdict that follows from the reasons: supported if there are none.
    pub fn from_reasons(why: &[VerdictReason]) -> Self {
        match why {
            [] => Self::Supported,
            why if why.iter().any(VerdictReason::contradicts) => Self::Contradicted,
            _ => Self::Unknown,
        }
    }

    /// How much a sentence with this verdict may be relied on; higher is better.
    fn rank(self) -> u8 {
        match self {
            Self::Quoted => 4,
            Self::Supported => 3,
            Self::Unknown => 2,
            Self::Uncited => 1,
            Self::Contradicted => 0,
        }
    }
}

/// Lines of a source that a sentence rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CitedQuote {
    /// The evidence in the ledger. None if the text was checked against sources given with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub id: Option<EvidenceId>,
    /// A path, or the address of a page.
    pub path: String,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line, from 1, included.
    pub end_line: usize,
    /// The text of the lines, shortened if it is long.
    pub quote: String,
}

/// Why a sentence is not supported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum VerdictReason {
    /// No evidence has the cited id.
    UnknownId {
        /// The id as cited.
        id: String,
    },
    /// The cited id belongs to another run.
    OtherRun {
        /// The id as cited.
        id: String,
    },
    /// The evidence is in the ledger, but was never shown to the model.
    NotShown {
        /// The id as cited.
        id: String,
    },
    /// The text at the evidence's place is no longer the one in the ledger.
    PlaceChanged {
        /// The id of the evidence.
        id: String,
    },
    /// The file or the stored page of the evidence is gone.
    PlaceGone {
        /// The id of the evidence.
        id: String,
    },
    /// The evidence's place could not be read again.
    PlaceUnreachable {
        /// The id of the evidence.
        id: String,
        /// The error.
        because: String,
    },
    /// A quotation does not occur in the cited evidence.
    QuotationNotFound {
        /// The quotation as written.
        quotation: String,
    },
    /// A quotation differs from the cited evidence by a few characters.
    QuotationDiffers {
        /// The quotation as written.
        quotation: String,
        /// What the evidence says there.
        source: String,
    },
    /// A number does not occur in the cited evidence.
    NumberMissing {
        /// The number's value.
        number: String,
    },
    /// The cited evidence has another number for the same thing.
    NumberDiffers {
        /// The number's value in the sentence.
        number: String,
        /// The number in the evidence; empty if the number occurs there but counts something else.
        source: String,
    },
    /// A date does not occur in the cited evidence.
    DateMissing {
        /// The date as written.
        date: String,
    },
    /// The cited evidence has another date for the same thing.
    DateDiffers {
        /// The date as written.
        date: String,
        /// The date in the evidence.
        source: String,
    },
    /// A name does not occur in the cited evidence.
    NameMissing {
        /// The name.
        name: String,
    },
    /// An identifier, a path or an address does not occur in the cited evidence.
    IdentifierMissing {
        /// The identifier as written.
        identifier: String,
    },
    /// Too few of the sentence's words occur in any one place of the evidence.
    NothingInCommon,
    /// A number or a date occurs in the evidence, but for something else; the subject has another one there.
    OtherSubject {
        /// The number or date in the sentence.
        written: String,
        /// What the evidence has for the subject.
        source: String,
    },
    /// The sentence is negated and the evidence is not, or the other way round.
    NegationDiffers {
        /// Whether they agree in nearly everything else, so that the evidence denies the sentence.
        is_certain: bool,
    },
    /// A word of the evidence excludes one of the sentence: `after` and `before`.
    DirectionDiffers {
        /// The word in the sentence.
        written: String,
        /// The word in the evidence.
        source: String,
        /// Whether they agree in nearly everything else, so that the evidence denies the sentence.
        is_certain: bool,
    },
    /// The sentence claims more than the evidence: all instead of some, must instead of may.
    Overstated {
        /// The word that makes the difference.
        word: String,
    },
    /// The evidence says that it was so, the sentence that it is.
    Outdated,
    /// Who did what to whom is the other way round in the evidence.
    RolesSwapped {
        /// One of the two.
        one: String,
        /// The other.
        other: String,
    },
    /// The evidence is in another language, and too little of the sentence can be compared.
    OtherLanguage,
    /// No rule objects, but the verifier on this machine reads the evidence differently.
    NotBorneOut,
    /// A check after the gate lowered the verdict.
    Lowered {
        /// Who found what, in our own words.
        because: String,
        /// The words of the evidence that contradict the sentence; empty if none do.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        source: String,
    },
}

impl VerdictReason {
    /// Whether the source says something else, as opposed to nothing.
    pub fn contradicts(&self) -> bool {
        match self {
            Self::QuotationDiffers { .. } | Self::DateDiffers { .. } => true,
            // A number that merely counts something else is not denied.
            Self::NumberDiffers { source, .. } | Self::Lowered { source, .. } => !source.is_empty(),
            Self::NegationDiffers { is_certain } | Self::DirectionDiffers { is_certain, .. } => *is_certain,
            _ => false,
        }
    }
}

/// How many sentences of a text have which verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct VerdictCounts {
    /// All sentences.
    pub sentences: usize,
    /// Sentences that stand word for word in their evidence.
    #[serde(default)]
    pub quoted: usize,
    /// Sentences that their evidence supports.
    pub supported: usize,
    /// Sentences that their evidence contradicts.
    pub contradicted: usize,
    /// Sentences that their evidence neither supports nor contradicts.
    pub unknown: usize,
    /// Sentences without a citation.
    pub uncited: usize,
}

impl GateReport {
    /// A report on these sentences, with its counts.
    pub fn new(sentences: Vec<JudgedSentence>) -> Self {
        let coverage = VerdictCounts::from_sentences(&sentences);
        Self { sentences, coverage }
    }

    /// Lowers the verdict on the sentence with this number, from 0; never raises one. Returns whether it changed.
    pub fn lower_verdict(&mut self, sentence: usize, verdict: Verdict, why: VerdictReason) -> bool {
        let Some(judged) =
            self.sentences.get_mut(sentence).filter(|judged| verdict.rank() < judged.verdict.rank())
        else {
            return false;
        };
        judged.verdict = verdict;
        judged.why.push(why);
        self.coverage = VerdictCounts::from_sentences(&self.sentences);
        true
    }

    /// Whether every sentence [passes](JudgedSentence::passes).
    pub fn passes(&self) -> bool {
        self.sentences.iter().all(JudgedSentence::passes)
    }
}

impl JudgedSentence {
    /// Whether the sentence may stay in the body of an answer: it is supported, or a transition without a claim.
    pub fn passes(&self) -> bool {
        self.verdict.is_borne_out() || self.verdict == Verdict::Uncited && self.connective
    }
}

impl VerdictCounts {
    /// How many sentences the evidence bears: quoted or supported.
    pub fn borne_out(&self) -> usize {
        self.quoted + self.supported
    }

    fn from_sentences(sentences: &[JudgedSentence]) -> Self {
        let mut coverage = Self { sentences: sentences.len(), ..Self::default() };
        for judged in sentences {
            *match judged.verdict {
                Verdict::Quoted => &mut coverage.quoted,
                Verdict::Supported => &mut coverage.supported,
                Verdict::Contradicted => &mut coverage.contradicted,
                Verdict::Unknown => &mut coverage.unknown,
                Verdict::Uncited => &mut coverage.uncited,
            } += 1;
        }
        coverage
    }
}
