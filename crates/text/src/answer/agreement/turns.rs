//! What turns a clause against the statement that it speaks of: negations, contrasts, claims of scope, the past.

use super::cues::{
    is_doubt, is_duty, is_each, is_ended, is_hedge, is_limit, is_negation, is_negative, is_past, is_universal,
};
use super::tokens::Token;
use super::units::Unit;
use super::{Mismatch, Statement};

/// With this share two statements differ in hardly more than the word that is compared.
const CERTAIN: f64 = 0.85;

impl Mismatch {
    pub(super) fn without_certainty(self) -> Self {
        match self {
            Self::Negation { .. } => Self::Negation { is_certain: false },
            Self::Direction { written, source, .. } => Self::Direction { written, source, is_certain: false },
            other => other,
        }
    }
}

/// What the first place has to object, provided that all of them object.
pub(super) fn first_if_all<'a>(
    places: &[AlignedClause<'a>],
    check: impl Fn(&AlignedClause<'a>) -> Option<Mismatch>,
) -> Option<Mismatch> {
    let mut objections: Vec<Mismatch> = places.iter().map_while(check).collect();
    (objections.len() == places.len() && !objections.is_empty()).then(|| objections.swap_remove(0))
}

/// A clause of a sentence beside the part of a source that it speaks of.
pub(super) struct AlignedClause<'a> {
    pub tokens: Vec<&'a Token>,
    pub source: Vec<&'a Token>,
    pub unit: &'a Unit,
    pub share: f64,
}

impl AlignedClause<'_> {
    fn is_certain(&self, statement: &Statement) -> bool {
        // Two denials may undo each other.
        if statement.tokens.iter().filter(|token| is_negation(token)).count() > 1 {
            return false;
        }
        let content: Vec<_> = self.source.iter().filter(|token| token.is_content).collect();
        let back = content.iter().filter(|other| self.tokens.iter().any(|token| token.means(other))).count();
        self.share >= CERTAIN && back as f64 >= 0.7 * content.len() as f64
    }

    pub fn find_turn(&self, statement: &Statement) -> Option<Mismatch> {
        let contrast = self.find_contrast(statement);
        if self.is_turned(statement) == contrast.is_some() {
            return None;
        }
        Some(contrast.unwrap_or(Mismatch::Negation { is_certain: self.is_certain(statement) }))
    }

    /// Whether a word is negated on one side only, where the other side says no in no other way either.
    fn is_turned(&self, statement: &Statement) -> bool {
        let says_no = |tokens: &[Token], others: &[Token], counts: &dyn Fn(&Token) -> bool| {
            tokens.iter().enumerate().filter(|(_, token)| counts(token)).any(|(at, token)| {
                let denies = is_negation(token)
                    || is_negative(token) && !others.iter().any(|other| other.is_same_word(token))
                    || is_prefixed_no(token, others);
                denies && !is_no_answer(&tokens[at..], others)
            })
        };
        let source = &self.unit.tokens;
        let differs = |one: &[&Token], all: &[&Token]| {
            one.iter().any(|token| {
                let mut same = all.iter().filter(|other| other.is_same_word(token)).peekable();
                token.is_negated && same.peek().is_some() && same.all(|other| !other.is_negated)
            })
        };
        // What a label names is said behind its colon, in a clause that may share none of its words. A word such as `against` in
        // a later clause says no to something else.
        let whole: Vec<&Token> = source.iter().collect();
        let own: Vec<&Token> = statement.tokens.iter().collect();
        let label = self.is_label_in_source();
        let in_sentence = differs(&self.tokens, if label { &whole } else { &self.source });
        let in_source = differs(if label { &whole } else { &self.source }, &own)
            && !statement.quotes(&self.source, is_denial)
            && !self.is_limit(statement);
        let is_near = |other: &Token| {
            !label
                || is_negation(other)
                || other.clause == 0
                || source.iter().any(|same| {
                    same.clause == other.clause
                        && self.tokens.iter().any(|token| token.is_negated && token.is_same_word(same))
                })
        };
        self.is_denied_for_another(statement)
            || in_sentence && !says_no(source, &statement.tokens, &is_near) && !self.unit.text.contains('!')
            || in_source && !says_no(&statement.tokens, source, &|_| true)
    }

    /// Whether the words of the source that the clause shares are the label of a line: "Tide clock: approved."
    fn is_label_in_source(&self) -> bool {
        let (Some(first), Some(last)) = (self.source.first(), self.source.last()) else { return false };
        let behind = last.start
            + self.unit.text[last.start..].find(|letter: char| !letter.is_alphanumeric()).unwrap_or(0);
        first.clause == 0 && self.unit.text[behind..].trim_start().starts_with(':')
    }

    /// Whether both deny something, but of different subjects: the sentence's stands where the source denies nothing.
    fn is_denied_for_another(&self, statement: &Statement) -> bool {
        let source = &self.unit.tokens;
        let denies = |tokens: &[Token], clause: usize| {
            tokens.iter().any(|token| token.clause == clause && is_negation(token))
        };
        let Some(no) = self.tokens.iter().position(|token| is_negation(token)) else { return false };
        let subject = self.tokens[..no].iter().rev().find(|token| token.is_content);
        let after: Vec<&&Token> = self.tokens[no..].iter().filter(|token| token.is_content).collect();
        let Some(subject) = subject.filter(|subject| denies(&statement.tokens, subject.clause)) else {
            return false;
        };
        let mut places = source.iter().filter(|other| other.is_same_word(subject)).peekable();
        !self.is_label_in_source()
            && places.peek().is_some()
            && places.all(|other| !denies(source, other.clause))
            && source.iter().any(|other| {
                denies(source, other.clause) && after.iter().any(|token| token.is_same_word(other))
            })
    }

    /// Whether the source denies that something is exceeded, and the sentence says how much it is at the most.
    fn is_limit(&self, statement: &Statement) -> bool {
        let one_of = |tokens: &[Token], words: &[&str]| {
            tokens.iter().any(|token| words.contains(&token.plain.as_str()))
        };
        one_of(&self.unit.tokens, &EXCEEDS) && one_of(&statement.tokens, &AT_MOST)
    }

    /// Whether a clause of the source is the one that the sentence's clause shares its words with, or a name.
    fn speaks_of_same(&self, clause: usize) -> bool {
        let is_shared = |other: &Token| {
            other.is_capital
                && other.is_content
                && self.tokens.iter().any(|token| token.is_capital && token.is_same_word(other))
        };
        self.source.iter().any(|other| other.clause == clause)
            || self.unit.tokens.iter().any(|other| other.clause == clause && is_shared(other))
    }

    fn find_contrast(&self, statement: &Statement) -> Option<Mismatch> {
        for token in self.tokens.iter().filter(|token| !token.contrasts.is_empty() && !token.is_quoted) {
            if self.unit.tokens.iter().any(|other| token.is_same_word(other) || shares_side(token, other)) {
                continue;
            }
            let other = self.unit.tokens.iter().find(|other| {
                self.speaks_of_same(other.clause)
                    && token.excludes(other)
                    && !self.tokens.iter().any(|own| own.is_same_word(other) || shares_side(own, other))
            });
            if let Some(other) = other {
                return Some(Mismatch::Direction {
                    written: token.plain.clone(),
                    source: other.plain.clone(),
                    is_certain: self.is_certain(statement),
                });
            }
        }
        None
    }

    pub fn find_overstatement(&self, statement: &Statement) -> Option<Mismatch> {
        let in_source = |test: fn(&Token) -> bool| self.unit.tokens.iter().any(test);
        let mut strong = self.tokens.iter().enumerate().filter(|(at, token)| {
            let next = self.tokens.get(at + 1).map_or("", |next| next.plain.as_str());
            let is_phrase = ["else", "way", "year", "day", "time"].contains(&next)
                || token.plain == "all" && ["the", "in"].contains(&next);
            is_universal(token) && !token.is_negated && !is_phrase
        });
        if let Some((_, token)) = strong.next().filter(|_| !statement.tokens.iter().any(is_negation)) {
            let borne = match token.plain.as_str() {
                "must" => in_source(is_duty) || !in_source(is_hedge),
                "only" => self.unit.is_entry && !in_source(is_hedge) || in_source(is_limit),
                "every" | "all" => {
                    in_source(is_universal)
                        || in_source(is_limit)
                        || in_source(is_each) && !in_source(is_hedge)
                }
                _ => in_source(is_universal),
            };
            if !borne {
                return Some(Mismatch::Overstated(token.plain.clone()));
            }
        }
        let own_hedge = statement.tokens.iter().any(|token| is_hedge(token) || is_negation(token));
        // `May 18` is a date.
        let is_month = |at: usize| self.source.get(at + 1).is_some_and(|next| next.is_number);
        let doubts = self.source.iter().enumerate().filter(|(at, token)| {
            is_doubt(token)
                && !statement.quotes(&[token], |_| true)
                && !(token.plain == "may" && (token.is_name || is_month(*at)))
        });
        let hedge = doubts.map(|(_, token)| token).next();
        hedge.filter(|_| !own_hedge).map(|hedge| Mismatch::Overstated(hedge.plain.clone()))
    }

    pub fn is_outdated(&self, statement: &Statement) -> bool {
        let is_present = statement.tokens.iter().any(|token| {
            ["is", "are", "has", "have", "can", "must", "may", "does", "do", "will"]
                .contains(&token.plain.as_str())
        });
        let own = statement.tokens.iter().any(|token| {
            is_past(token)
                || is_ended(token)
                || is_negation(token)
                || !is_present && token.plain.ends_with("ed") && token.plain.len() > 4
        });
        if own || statement.quotes(&self.unit.tokens.iter().collect::<Vec<_>>(), is_past_form) {
            return false;
        }
        // A word that stands only where the source speaks of the past.
        let source = &self.unit.tokens;
        let says_today = source.iter().any(|token| ["now", "today", "since"].contains(&token.plain.as_str()));
        let past: Vec<&Token> = source
            .iter()
            .filter(|token| is_ended(token) || is_past_form(token) || token.plain == "until" && says_today)
            .collect();
        let is_in_past = |other: &Token| past.iter().any(|token| reaches(token, other));
        let is_now = |token: &Token| {
            ["now", "today", "currently", "since", "is", "are", "has"].contains(&token.plain.as_str())
        };
        !past.is_empty()
            && self.unit.tokens.iter().any(|token| is_now(token) || is_ended(token) || token.plain == "until")
            && self.tokens.iter().filter(|token| token.is_content).any(|token| {
                let mut same = self.unit.tokens.iter().filter(|other| other.is_same_word(token)).peekable();
                same.peek().is_some() && same.all(is_in_past)
            })
    }
}

impl Statement {
    /// Whether one of these words of a source stands in a quotation of the sentence.
    fn quotes(&self, source: &[&Token], which: impl Fn(&Token) -> bool) -> bool {
        let quoted = |word: &Token| self.tokens.iter().any(|own| own.is_quoted && own.plain == word.plain);
        source.iter().any(|token| which(token) && quoted(token))
    }
}

/// Whether a word that says no, with those behind it, leaves what the other side negates as it is: `without` denies only what comes
/// next, and `only` denies what it does not name.
fn is_no_answer(from: &[Token], others: &[Token]) -> bool {
    let negated = || others.iter().filter(|other| other.is_negated && other.is_content);
    let mut behind = from[1..].iter().filter(|token| token.is_content);
    match from[0].plain.as_str() {
        "without" => !behind.next().is_some_and(|next| negated().any(|other| other.is_same_word(next))),
        "only" => {
            let named: Vec<&Token> = behind.collect();
            negated().next().is_some()
                && negated().all(|other| named.iter().any(|token| token.is_same_word(other)))
        }
        _ => false,
    }
}

/// What is exceeded, and what says that it is not.
const EXCEEDS: [&str; 6] = ["exceed", "exceeds", "exceeded", "above", "over", "more"];
const AT_MOST: [&str; 7] = ["less", "fewer", "most", "below", "under", "maximum", "limit"];

fn is_past_form(token: &Token) -> bool {
    ["was", "were", "could", "had"].contains(&token.plain.as_str())
}

/// Whether a word of the past goes for another one of its clause: an adjective only for what stands behind it.
fn reaches(past: &Token, other: &Token) -> bool {
    let is_adjective = FORMER.contains(&past.plain.as_str());
    past.clause == other.clause && !(is_adjective && other.start < past.start)
}

/// Adjectives that say that a thing is no longer what it is called.
const FORMER: [&str; 3] = ["former", "retired", "abandoned"];

fn is_denial(token: &Token) -> bool {
    is_negation(token) || is_negative(token)
}

fn shares_side(one: &Token, other: &Token) -> bool {
    one.contrasts.iter().any(|side| other.contrasts.contains(side))
}

/// `unopened` beside `opened`.
fn is_prefixed_no(token: &Token, others: &[Token]) -> bool {
    ["un", "in", "im", "non", "dis", "ir"].iter().any(|prefix| {
        token.plain.strip_prefix(prefix).is_some_and(|rest| {
            rest.len() > 3
                && others.iter().any(|other| other.plain.starts_with(&rest[..rest.floor_char_boundary(4)]))
        })
    })
}
