//! How well a unit answers a question: which of its words it has, and whether it is the kind of answer that is asked for.

use super::field::NoteFields;
use super::names::Names;
use super::unit::{AnswerUnit, UnitForm, stems};
use super::words::{
    CONFIRMS, DATES, EQUATES, GENERAL_HEADINGS, IMPERATIVES, LOCATES, NUMBER_WORDS, PLACES, REASONS, TIMES,
    has_stem,
};
use crate::insight::keyless::question::{AskedFor, AskedQuestion, Quantity, QuestionTerm};

/// The weights of a question's word that occurs in the nearest heading or lead, in the title or a heading further up, in
/// the sentence before, only in a link, and only in an item of a list.
const NEAR: f32 = 0.9;
const ABOVE: f32 = 0.8;
const IN_LINK: f32 = 0.7;
const BEFORE: f32 = 0.6;
const IN_ITEM: f32 = 0.5;
/// The share of a question's words that a sentence has itself, where nothing else shows that it is an answer.
const MOSTLY: f32 = 0.7;
const PARTLY: f32 = 0.3;
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/// The longest row of a table whose words are about one thing, in bytes.
const SHORT_ROW: usize = 160;

/// How a unit scores for a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UnitScore {
    /// For ranking.
    pub score: f32,
    /// The share of the question that the unit covers together with its headings.
    pub coverage: f32,
    /// Whether it is the kind of answer that the question asks for.
    pub fits: bool,
    /// Whether its heading asks the question.
    pub asked_above: bool,
    /// Whether none of the words that say what is asked is missing.
    pub has_all: bool,
    /// Whether it states the property that is asked for.
    pub is_property: bool,
    /// Whether the question names a thing by a number that is not there: "E13".
    pub lacks_number: bool,
    /// Whether another thing is named so instead: "E12".
    pub names_another: bool,
    /// Whether its note is about another than the question names.
    pub is_of_another: bool,
}

/// A question with the weight of each of its words.
#[derive(Clone, Copy)]
pub(super) struct WeightedQuestion<'a> {
    pub asked: &'a AskedQuestion,
    /// Whom it names.
    pub named: &'a Names<'a>,
    pub weights: &'a [f32],
    /// The stems of the names of the fields that each note has.
    pub fields: &'a NoteFields<'a>,
}

impl WeightedQuestion<'_> {
    /// The share of the question's words that are among these stems.
    fn share_in<'a>(&self, among: &(impl Iterator<Item = &'a String> + Clone)) -> f32 {
        self.asked.share(self.weights, |term| f32::from(u8::from(has_stem(among.clone(), &term.stem))))
    }

    pub fn has(&self, stem: &str) -> bool {
        has_stem(self.asked.terms.iter().map(|term| &term.stem), stem)
    }
}

impl AnswerUnit<'_> {
    /// The weight with which the unit has a word of the question.
    pub fn holds(&self, term: &QuestionTerm) -> f32 {
        let is_list = matches!(self.form, UnitForm::List { .. });
        let linked = has_stem(self.stems.iter(), &term.stem);
        let own = has_stem(self.unlinked.iter(), &term.stem)
            || self.has_day(&term.stem)
            || term.measure.is_some_and(|measure| measure.is_stated(&self.plain));
        if own && !is_list {
            1.0
        } else if has_stem(self.near.iter(), &term.stem) {
            NEAR
        } else if has_stem(self.above.iter(), &term.stem) {
            ABOVE
        } else if linked && !is_list {
            IN_LINK
        } else if has_stem(self.before.iter(), &term.stem) {
            BEFORE
        } else if own {
            IN_ITEM
        } else {
            0.0
        }
    }

    /// Whether a row of a table names the day of the week by its first letters.
    fn has_day(&self, day: &str) -> bool {
        let is_row = matches!(self.form, UnitForm::Row(_)) && DAYS.contains(&day);
        let mut words = self.plain.split(|letter: char| !letter.is_alphanumeric());
        is_row && words.any(|word| word.len() == 3 && day.starts_with(word))
    }

    /// The score for a question.
    pub fn score(&self, question: WeightedQuestion<'_>) -> UnitScore {
        let coverage = question.asked.share(question.weights, |term| self.holds(term));
        let asked_above = self.is_asked_above(question);
        let (fit, mut fits) = self.fit(question, asked_above);
        let stated = |term: &QuestionTerm| {
            term.measure.is_none_or(|measure| measure != Quantity::Money || measure.is_stated(&self.plain))
        };
        // A number in the question says which of several things is meant.
        let mut missing = question.asked.terms.iter().filter(|term| {
            term.stem.contains(|letter: char| letter.is_ascii_digit()) && self.holds(term) == 0.0
        });
        let names_another = missing.clone().any(|term| self.names_sibling(&term.stem));
        let lacks_number = missing.next().is_some();
        fits &= question.asked.terms.iter().all(stated) && !lacks_number;
        let own = question.share_in(&self.stems.iter());
        let terms: Vec<&String> = question.asked.terms.iter().map(|term| &term.stem).collect();
        let follows =
            |pair: &&[&String]| self.stems.windows(2).any(|here| here[0] == *pair[0] && here[1] == *pair[1]);
        let pairs = terms.windows(2).filter(follows).count();
        let together = 0.15 * pairs as f32 / terms.len().saturating_sub(1).max(1) as f32;
        let found = 0.06 / (1.0 + self.passage as f32 * 0.4);
        let is_list = matches!(self.form, UnitForm::List { .. });
        let mut heading = 0.0;
        if asked_above && (self.opens || is_list && question.asked.asked_for != AskedFor::Effect) {
            let off_topic = question.asked.asked_for == AskedFor::Steps && !is_list && !self.is_instruction();
            heading = match self.repeats_question(question.asked) {
                true => 0.8,
                false if off_topic => 0.2,
                false => 0.45,
            };
        }
        let own_weight = if is_list { 0.0 } else { 0.15 };
        let score = (coverage + own_weight * own + together + found + fit + heading)
            * self.form_factor(question.asked.asked_for);
        let steps = matches!(self.form, UnitForm::List { ordered: true, .. })
            && question.asked.asked_for == AskedFor::Steps
            && self.is_about(question);
        let (asked_above, has_all) = (asked_above && heading > 0.0 || steps, self.has_all(question));
        let is_property = self.is_asked_property(question) || self.is_asked_count(question);
        let fits = fits || is_property;
        let is_of_another = question.named.are_others(self, question.asked);
        UnitScore {
            score,
            coverage,
            fits,
            asked_above,
            has_all,
            is_property,
            lacks_number,
            names_another,
            is_of_another,
        }
    }

    /// Whether it names a thing like this one, with the same letters and another number.
    fn names_sibling(&self, name: &str) -> bool {
        let split = |name: &str| {
            let letters = name.find(|letter: char| letter.is_ascii_digit()).unwrap_or(name.len());
            let (letters, number) = name.split_at(letters);
            let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
            (!letters.is_empty() && is_number).then(|| (letters.to_owned(), number.to_owned()))
        };
        let Some((letters, number)) = split(name) else { return false };
        let is_sibling =
            |stem: &String| split(stem).is_some_and(|(other, others)| other == letters && others != number);
        self.stems.iter().any(is_sibling)
    }

    /// Whether the nearest heading asks the question: together with the title it has most of its words, and hardly any
    /// others.
    fn is_asked_above(&self, question: WeightedQuestion<'_>) -> bool {
        if GENERAL_HEADINGS.contains(&self.heading_text.as_str()) {
            let named = self.title.iter().all(|stem| question.has(stem));
            return named && question.share_in(&self.title.iter()) >= 0.6;
        }
        let alone = question.share_in(&self.heading.iter());
        let with_title = question.share_in(&self.heading.iter().chain(&self.title));
        let telling = self.heading.iter().filter(|stem| !wellread_text::significant_words(stem).is_empty());
        let telling: Vec<&String> = telling.collect();
        let asked = telling.iter().filter(|stem| question.has(stem)).count();
        let all_named = asked == telling.len() && !telling.is_empty();
        // A heading that is an option or a command names what is described below it.
        let names_code = all_named && self.names_code();
        let enough = alone >= 0.7
            || names_code && alone >= 0.3
            || alone >= 0.4 && with_title >= 0.8
            || all_named && alone >= 0.3 && with_title >= 0.5;
        enough && asked * 3 >= telling.len() * 2
    }

    /// Whether the nearest heading is an option, a command or another name in code.
    fn names_code(&self) -> bool {
        self.heading_text.starts_with(['`', '-'])
    }

    /// Whether the heading is the question as it was asked.
    fn repeats_question(&self, asked: &AskedQuestion) -> bool {
        let heading: Vec<String> = stems(&self.heading_text);
        asked.stems.len() > 2
            && heading.iter().filter(|stem| asked.stems.contains(stem)).count() * 5 >= asked.stems.len() * 4
    }

    /// The bonus for the kind of answer, and whether it is that kind.
    fn fit(&self, question: WeightedQuestion<'_>, asked_above: bool) -> (f32, bool) {
        let any = |words: &[&str]| words.iter().any(|word| self.plain.contains(word));
        let is_list = matches!(self.form, UnitForm::List { .. });
        match question.asked.asked_for {
            AskedFor::Amount | AskedFor::Time => self.fit_figure(question),
            AskedFor::Definition => self.fit_definition(question, asked_above),
            AskedFor::Effect if self.opens && self.is_about(question) => (0.3, true),
            AskedFor::Effect if self.is_subject(question) => (0.15, true),
            AskedFor::Effect => (0.0, asked_above),
            AskedFor::Steps => self.fit_steps(question, asked_above),
            AskedFor::Reason if is_list => (if asked_above { 0.2 } else { -0.2 }, asked_above),
            AskedFor::Reason if any(&REASONS) || asked_above => (0.2, true),
            AskedFor::Reason => (-0.1, false),
            AskedFor::Confirmation
                if CONFIRMS.iter().any(|word| self.plain.starts_with(word)) && asked_above =>
            {
                (0.3, true)
            }
            AskedFor::Confirmation if matches!(self.form, UnitForm::Row(_)) => {
                (0.0, self.plain.len() <= SHORT_ROW)
            }
            AskedFor::Confirmation if any(&[" not ", "n't ", "never ", " only ", "always "]) => (0.08, true),
            AskedFor::Place if any(&LOCATES) => (0.2, true),
            AskedFor::Place => (if any(&PLACES) { 0.1 } else { 0.0 }, asked_above),
            AskedFor::Person if self.has_other_name(question) => (0.1, true),
            AskedFor::Person => (-0.25, false),
            AskedFor::Other => self.fit_other(question, asked_above),
            AskedFor::Confirmation if is_list => (if asked_above { 0.2 } else { -0.1 }, true),
            AskedFor::Confirmation => (0.0, true),
        }
    }

    /// What has all the words of the question says it, or what is below a heading about it.
    fn fit_other(&self, question: WeightedQuestion<'_>, asked_above: bool) -> (f32, bool) {
        let has_all = self.has_all(question);
        let fits = match &self.form {
            UnitForm::List { .. } => return (if asked_above { 0.2 } else { -0.1 }, has_all),
            UnitForm::Row(_) => has_all && self.plain.len() <= SHORT_ROW,
            UnitForm::Sentence { .. } => {
                has_all && (question.share_in(&self.stems.iter()) >= MOSTLY || self.is_about(question))
            }
        };
        (0.0, asked_above || fits)
    }

    /// A row fits if the question names its column as well as the row itself.
    fn fit_figure(&self, question: WeightedQuestion<'_>) -> (f32, bool) {
        let any = |words: &[&str]| words.iter().any(|word| self.plain.contains(word));
        let number = self.plain.contains(|letter: char| letter.is_ascii_digit());
        let has_date = any(&DATES) || has_year(&self.plain);
        let stated = match question.asked.asked_for {
            AskedFor::Amount => number || any(&NUMBER_WORDS),
            _ => any(&TIMES) || has_date,
        };
        match &self.form {
            _ if !stated => (-0.3, false),
            UnitForm::Row(row) => {
                let first = row.cells.first().map(|cell| stems(cell)).unwrap_or_default();
                let columns: Vec<String> = row.columns.iter().flat_map(|column| stems(column)).collect();
                let named =
                    question.share_in(&first.iter()) > 0.0 && question.share_in(&columns.iter()) > 0.0;
                (if named { 0.35 } else { 0.05 }, self.has_all(question))
            }
            UnitForm::List { .. } => (-0.1, true),
            UnitForm::Sentence { .. } if has_date || question.asked.asked_for == AskedFor::Amount => {
                (0.15, true)
            }
            UnitForm::Sentence { .. } => (0.0, true),
        }
    }

    fn fit_steps(&self, question: WeightedQuestion<'_>, asked_above: bool) -> (f32, bool) {
        match &self.form {
            UnitForm::List { ordered: true, .. } if self.is_about(question) => (0.6, true),
            UnitForm::List { .. } if asked_above => (0.25, true),
            UnitForm::List { ordered, .. } => (if *ordered { 0.1 } else { -0.1 }, *ordered),
            UnitForm::Row(_) => (-0.2, false),
            UnitForm::Sentence { .. } if self.is_instruction() => {
                (0.2, asked_above || question.share_in(&self.stems.iter()) >= PARTLY)
            }
            UnitForm::Sentence { .. } => (0.0, asked_above),
        }
    }

    /// A word by itself is asked for by its definition; of several words, one is asked for by the others.
    fn fit_definition(&self, question: WeightedQuestion<'_>, asked_above: bool) -> (f32, bool) {
        let strong = question.asked.terms.iter().filter(|term| term.weight >= 1.0).count();
        match &self.form {
            // The list below an option gives its type and its default.
            UnitForm::List { .. } if self.names_code() => (-0.1, false),
            UnitForm::List { .. } => (if asked_above { 0.2 } else { -0.1 }, asked_above && strong > 1),
            UnitForm::Row(_) => (0.0, strong > 2),
            UnitForm::Sentence { .. } if self.is_whole_subject(question) => (0.4, true),
            UnitForm::Sentence { .. } if self.opens && asked_above => (0.3, true),
            UnitForm::Sentence { .. } => (0.0, strong > 2),
        }
    }

    /// Whether the note or section is named for what is asked.
    fn is_about(&self, question: WeightedQuestion<'_>) -> bool {
        question.share_in(&self.heading.iter().chain(&self.title)) >= 0.7
    }

    /// Whether the sentence says of what is asked that it is something: "A nectar flow is …", "**Super**: …".
    fn is_subject(&self, question: WeightedQuestion<'_>) -> bool {
        self.subject().is_some_and(|subject| {
            let words = subject.split_whitespace().count();
            words <= question.asked.terms.len() + 3 && question.share_in(&stems(&subject).iter()) >= 0.75
        })
    }

    /// Whether the subject is what is asked and nothing narrower: "scoped packages" are no answer to "what is a scope".
    fn is_whole_subject(&self, question: WeightedQuestion<'_>) -> bool {
        let other = |subject: String| {
            wellread_text::significant_words(&subject).iter().any(|stem| !question.has(stem))
        };
        self.is_subject(question) && !self.subject().is_some_and(other)
    }

    /// The words before the verb that says what something is, or before the colon after its name.
    fn subject(&self) -> Option<String> {
        let mut subject = String::new();
        for word in self.plain.split(' ').take(10) {
            let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
            if EQUATES.contains(&bare) {
                return Some(subject);
            }
            subject.push_str(word);
            subject.push(' ');
            if word.ends_with(':') {
                return Some(subject);
            }
        }
        None
    }

    /// Whether it has all the words of the question that say what is asked, itself or above it.
    fn has_all(&self, question: WeightedQuestion<'_>) -> bool {
        question.asked.terms.iter().all(|term| term.weight < 1.0 || self.holds(term) > 0.0)
    }

    /// Whether the sentence tells what to do.
    fn is_instruction(&self) -> bool {
        let first = self.plain.split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty());
        let imperative = first.is_some_and(|word| IMPERATIVES.contains(&word));
        let code = matches!(&self.form, UnitForm::Sentence { code, .. } if !code.is_empty());
        let phrases = ["you can ", "you may ", "you will need to ", "to do this", "simply ", " use "];
        imperative || code || phrases.iter().any(|words| self.plain.contains(words))
    }

    /// Whether it has a name that is not in the question.
    fn has_other_name(&self, question: WeightedQuestion<'_>) -> bool {
        let UnitForm::Sentence { sentence, .. } = &self.form else { return true };
        let names = sentence.text.split_whitespace().skip(1).filter(|word| {
            word.trim_start_matches(|letter: char| !letter.is_alphanumeric()).starts_with(char::is_uppercase)
        });
        names.into_iter().any(|name| stems(name).iter().any(|stem| !question.has(stem)))
    }

    /// How well the unit can be understood by itself.
    fn form_factor(&self, asked_for: AskedFor) -> f32 {
        let UnitForm::Sentence { sentence, code, .. } = &self.form else { return 1.0 };
        let mut factor: f32 = match self.plain.chars().count() {
            ..12 => 0.85,
            12..=320 => 1.0,
            _ => 0.85,
        };
        if self.plain.ends_with('?') {
            factor *= 0.4;
        }
        if self.plain.ends_with(':') && code.is_empty() {
            let says_all = matches!(asked_for, AskedFor::Amount | AskedFor::Time);
            factor *= if says_all { 0.95 } else { 0.7 };
        }
        let written = sentence.text.to_lowercase();
        let points =
            ["see [", "see also", "is in [", "are in [", "described in [", "listed in [", "refer to"];
        if points.iter().any(|lead| written.contains(lead)) {
            factor *= if self.stems.len() < 12 { 0.5 } else { 0.9 };
        }
        factor
    }
}

fn has_year(text: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_digit()).any(|digits| digits.len() == 4)
}
