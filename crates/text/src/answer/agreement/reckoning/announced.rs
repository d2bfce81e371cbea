//! How a sentence says that an amount was calculated.

use crate::answer::agreement::quantity::{Quantity, QuantityKind};
use crate::answer::agreement::tokens::Token;
use crate::canonical_unit;

/// What a sentence says of how it came to an amount.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Announced {
    pub adds: bool,
    pub compares: bool,
    pub averages: bool,
    pub multiplies: bool,
    /// Whether the amount says how many times as much something is.
    pub counts_times: bool,
}

/// Words for a sum, anywhere in the sentence.
const SUMS: [&str; 25] = [
    "total",
    "totals",
    "totalled",
    "totaled",
    "totalling",
    "totaling",
    "altogether",
    "together",
    "sum",
    "sums",
    "summed",
    "combined",
    "overall",
    "both",
    "zusammen",
    "insgesamt",
    "gesamt",
    "ensemble",
    "plus",
    "juntos",
    "samen",
    "insieme",
    "including",
    "inclusive",
    "inklusive",
];
/// Words that say so with the next one: `adds up`, `came to`, `in all`.
const SUM_PAIRS: [(&[&str], &[&str]); 5] = [
    (&["add", "adds", "added", "adding"], &["up"]),
    (&["come", "comes", "came", "amount", "amounts", "amounted"], &["to"]),
    (&["in"], &["all", "sum"]),
    (&["works", "worked", "work"], &["out"]),
    (&["between"], &["them", "us"]),
];
const AVERAGES: [&str; 8] =
    ["average", "averages", "averaged", "mean", "durchschnitt", "durchschnittlich", "moyenne", "promedio"];
/// Words for a comparison, behind the amount: `5 kg heavier`, `12 left`.
const COMPARATIVES: [&str; 62] = [
    "more",
    "less",
    "fewer",
    "longer",
    "shorter",
    "older",
    "younger",
    "higher",
    "lower",
    "heavier",
    "lighter",
    "dearer",
    "cheaper",
    "larger",
    "smaller",
    "bigger",
    "earlier",
    "later",
    "sooner",
    "faster",
    "slower",
    "further",
    "farther",
    "deeper",
    "taller",
    "wider",
    "warmer",
    "colder",
    "cooler",
    "hotter",
    "thicker",
    "thinner",
    "apart",
    "left",
    "remaining",
    "remain",
    "remained",
    "ahead",
    "behind",
    "above",
    "below",
    "over",
    "under",
    "short",
    "extra",
    "additional",
    "difference",
    "better",
    "worse",
    "pricier",
    "costlier",
    "mehr",
    "weniger",
    "langer",
    "kurzer",
    "teurer",
    "billiger",
    "spater",
    "fruher",
    "plus",
    "moins",
    "mas",
];
/// Words for a change or a difference, before the amount: `lost 3 kg`, `a difference of 16`.
const CHANGES: [&str; 55] = [
    "by",
    "gained",
    "gains",
    "gain",
    "lost",
    "loses",
    "lose",
    "loss",
    "rose",
    "rises",
    "rise",
    "grew",
    "grows",
    "fell",
    "falls",
    "dropped",
    "drops",
    "drop",
    "shrank",
    "climbs",
    "climbed",
    "climb",
    "saved",
    "saves",
    "save",
    "saving",
    "increased",
    "increase",
    "increases",
    "decreased",
    "decrease",
    "decreases",
    "difference",
    "differ",
    "differs",
    "differed",
    "gap",
    "remaining",
    "remained",
    "remains",
    "another",
    "additional",
    "extra",
    "margin",
    "majority",
    "lead",
    "apart",
    "leaves",
    "left",
    "um",
    "unterschied",
    "differenz",
    "lie",
    "lies",
    "lay",
];
const TIMES: [&str; 4] = ["times", "mal", "fois", "veces"];
/// Words that multiply by themselves.
const FACTORS: [(&str, f64); 8] = [
    ("twice", 2.0),
    ("double", 2.0),
    ("doubled", 2.0),
    ("doubles", 2.0),
    ("triple", 3.0),
    ("tripled", 3.0),
    ("doppelt", 2.0),
    ("half", 2.0),
];
/// How often a period goes into a longer one.
pub(super) const PERIODS: [f64; 5] = [7.0, 12.0, 24.0, 52.0, 60.0];
/// How far before and behind an amount a word that compares it may stand.
const REACH_BEFORE: usize = 4;
const REACH_BEHIND: usize = 2;

impl Announced {
    /// What the sentence says of this amount of its own.
    pub fn read(wanted: &Quantity, sentence: &[Token]) -> Self {
        let is_one =
            |token: &Token, words: &[&str]| !token.is_quoted && words.contains(&token.plain.as_str());
        let in_clause = |token: &&Token| token.clause == wanted.clause;
        let mut behind: Vec<&Token> =
            sentence.iter().filter(|token| token.start >= wanted.span.end).take_while(in_clause).collect();
        // The parts of `kB` are one word.
        behind.dedup_by_key(|token| token.start);
        // `1.50 a metre more`, `4 g of salt more`
        let at = |at: usize, words: &[&str]| behind.get(at).is_some_and(|token| is_one(token, words));
        let from = if at(0, &["a", "an", "per", "each"]) || at(1, &["of"]) { 2 } else { 0 };
        let behind = &behind[behind.len().min(from)..behind.len().min(from + REACH_BEHIND)];
        let before = sentence.iter().rev().filter(|token| token.start < wanted.span.start);
        // `rose to 96 €`: what follows is where it ended.
        let before: Vec<&Token> = before
            .take_while(|token| !["to", "from", "at", "auf", "von"].contains(&token.plain.as_str()))
            .take_while(in_clause)
            .take(REACH_BEFORE)
            .collect();
        let pairs = |(first, then): &(&[&str], &[&str])| {
            sentence.windows(2).any(|two| is_one(&two[0], first) && is_one(&two[1], then))
        };
        let adds = sentence.iter().any(|token| is_one(token, &SUMS)) || SUM_PAIRS.iter().any(pairs);
        let counts_times = behind.first().is_some_and(|token| is_one(token, &TIMES));
        Self {
            adds,
            averages: sentence.iter().any(|token| is_one(token, &AVERAGES)),
            compares: behind.iter().any(|token| is_one(token, &COMPARATIVES))
                || before.iter().any(|token| is_one(token, &CHANGES)),
            multiplies: adds
                || sentence.iter().any(is_rate)
                || !factors(sentence).is_empty()
                || sentence.iter().any(|token| is_one(token, &["cost", "costs", "takes", "took", "times"]))
                    && !matches!(wanted.kind, QuantityKind::Bare),
            counts_times,
        }
    }

    pub fn is_any(self) -> bool {
        self != Self::default()
    }
}

/// Whether the word says that an amount goes for each of several.
pub(super) fn is_rate(token: &Token) -> bool {
    !token.is_quoted && ["per", "each", "every", "je", "pro", "jede", "jeden"].contains(&token.plain.as_str())
}

/// The factors that words of the sentence stand for: that of `twice`.
pub(super) fn factors(sentence: &[Token]) -> Vec<f64> {
    let words = sentence.iter().filter(|token| !token.is_quoted);
    let stated = words.filter_map(|token| FACTORS.iter().find(|(word, _)| *word == token.plain));
    stated.map(|(_, factor)| *factor).collect()
}

/// The periods that a text gives rates for: `a day`, `per month`.
pub(super) fn periods(tokens: &[Token]) -> Vec<&'static str> {
    let pairs =
        tokens.windows(2).filter(|two| is_rate(&two[0]) || ["a", "an"].contains(&two[0].plain.as_str()));
    let units = pairs.filter_map(|two| canonical_unit(&two[1].plain));
    units.filter(|unit| ["min", "h", "day", "week", "month", "year"].contains(unit)).collect()
}

/// Whether the word says that time passed from one day or hour to another.
pub(in crate::answer::agreement) fn is_passing(token: &Token) -> bool {
    const PASSING: [&str; 22] = [
        "after", "before", "later", "earlier", "between", "since", "until", "lasted", "lasts", "went", "ran",
        "runs", "took", "takes", "old", "older", "younger", "passed", "apart", "nach", "vor", "dauerte",
    ];
    !token.is_quoted && PASSING.contains(&token.plain.as_str())
}
