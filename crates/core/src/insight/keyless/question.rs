//! What a question asks for, and by which words its answer is recognized.

use wellread_text::{Terms, significant_words};

/// What kind of answer a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskedFor {
    /// What something is: its definition.
    Definition,
    /// What something does, or how it works.
    Effect,
    /// How to do something.
    Steps,
    /// How many or how much.
    Amount,
    /// When.
    Time,
    /// Where.
    Place,
    /// Who.
    Person,
    /// Why.
    Reason,
    /// Yes or no.
    Confirmation,
    /// Which, or anything else.
    Other,
}

/// A word of a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QuestionTerm {
    pub stem: String,
    /// Less than 1 for words that say little, such as "open" or "new".
    pub weight: f32,
    /// Whether it names a quantity, which an answer states as a figure: "temperature" as "14 °C".
    pub measure: Option<Quantity>,
}

/// A quantity that is named by a word and stated as a figure with a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    Temperature,
    Weight,
    Duration,
    Share,
    Money,
}

/// A question, read for what it asks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AskedQuestion {
    pub asked_for: AskedFor,
    pub terms: Vec<QuestionTerm>,
    /// The stems of all its words, in order.
    pub stems: Vec<String>,
    /// The properties that it asks for by another word than their names.
    pub properties: AskedProperties,
    /// The stem of the word that says what kind of thing the answer is: "room" in "in which room is his office".
    pub kind: Option<String>,
    /// The stems of what is to be counted: "steel" and "collar" in "how many steel collars are there".
    pub counted: Vec<String>,
}

/// Properties that are asked for by another word: "draught" and "depth" by "how deep".
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct AskedProperties {
    /// The stem of the word by which they are asked for: "deep".
    pub by: Option<String>,
    /// The stems of their names.
    pub names: Vec<String>,
}

/// The weight of a word that occurs in most texts.
const WEAK: f32 = 0.35;

/// Words that only form a question: in English, German and French.
const FRAMES: [&str; 3] = [
    " a an the of in on at to for from by with and or is are was were be been being am do does did doing done have has had \
     having can could should would will shall may might must i me my we us our you your it its this that these those there here what \
     which who whom whose when where why how many much long often old far if as than then so not no any some one ones get got there's \
     what's ",
    " der die das den dem des ein eine einen einem einer ist sind war waren wird werden ich mein du wir man es und oder mit von zu im \
     in am auf für was wer wie wo wann warum welche welcher welches kann soll muss bleibt nicht ",
    " le la les un une des du de est sont je mon ma tu il elle on et ou avec pour dans que qui quoi quel quelle quand où comment \
     pourquoi combien ce cette peut faut ne pas ",
];

/// The list for the language of most of the words.
fn choose_frame(question: &str) -> &'static str {
    let lower = question.to_lowercase();
    let words: Vec<String> = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| format!(" {word} "))
        .collect();
    let count = |frame: &&str| words.iter().filter(|word| frame.contains(word.as_str())).count();
    let [english, others @ ..] = FRAMES;
    let best = others.into_iter().max_by_key(count).unwrap_or(english);
    if count(&best) > count(&english) { best } else { english }
}

/// Whether most of the words that form the question are German.
pub(super) fn is_german(question: &str) -> bool {
    choose_frame(question) == FRAMES[1]
}

impl AskedQuestion {
    /// Reads a question.
    pub fn parse(question: &str) -> Self {
        let lower = question.to_lowercase().replace('’', "'");
        let words: Vec<&str> =
            lower.split(|letter: char| !(letter.is_alphanumeric() || letter == '\'')).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let stems = Terms::from_text(question).words.split(' ').map(str::to_owned).collect();
        let properties = AskedProperties::parse(&words);
        let (kind, counted) = (find_kind(&words), find_counted(&words));
        let (asked_for, terms) = (classify(&words), question_terms(question));
        Self { asked_for, terms, stems, properties, kind, counted }
    }

    /// The sum of the weights of the terms that `has` holds for, as a share of all.
    pub fn share(&self, weights: &[f32], has: impl Fn(&QuestionTerm) -> f32) -> f32 {
        let all: f32 = weights.iter().sum();
        let held: f32 = self.terms.iter().zip(weights).map(|(term, weight)| weight * has(term)).sum();
        held / all.max(f32::MIN_POSITIVE)
    }
}

/// How a property is asked for by another word than its name: "how", this word, and the names.
const ASKED_BY: [(&str, &[&str]); 12] = [
    ("long", &["length", "duration"]),
    ("high", &["height"]),
    ("tall", &["height"]),
    ("wide", &["width", "beam"]),
    ("deep", &["depth", "draught", "draft"]),
    ("heavy", &["weight"]),
    ("old", &["age", "born", "birthday"]),
    ("big", &["size"]),
    ("large", &["size"]),
    ("fast", &["speed"]),
    ("much", &["price", "cost", "costs", "fee", "rent"]),
    ("expensive", &["price", "cost", "costs"]),
];

impl AskedProperties {
    fn parse(words: &[&str]) -> Self {
        let ["how", by, ..] = words else { return Self::default() };
        let Some((by, names)) = ASKED_BY.iter().find(|(word, _)| word == by) else { return Self::default() };
        let stem = |word: &str| Terms::from_text(word).words;
        Self { by: Some(stem(by)), names: names.iter().map(|name| stem(name)).collect() }
    }
}

/// Words before the "which" of a question.
const BEFORE_WHICH: [&str; 8] = ["in", "at", "on", "to", "from", "for", "of", "by"];
/// Words that end the name of what is asked for or counted.
const VERBS: [&str; 30] = [
    "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "may", "might",
    "must", "should", "will", "would", "there", "in", "at", "on", "for", "of", "sind", "hat", "haben",
    "gibt", "y", "il",
];

/// The stem of the noun between "which" and the verb.
fn find_kind(words: &[&str]) -> Option<String> {
    let words =
        words.split_first().filter(|(first, _)| BEFORE_WHICH.contains(first)).map_or(words, |(_, rest)| rest);
    let ["which" | "what", kind, "is" | "are" | "was" | "were" | "does" | "do" | "did" | "has" | "have", ..] =
        words
    else {
        return None;
    };
    Some(Terms::from_text(kind).words).filter(|stem| !stem.is_empty() && !stem.contains(' '))
}

/// The stems of the words between "how many" and the verb.
fn find_counted(words: &[&str]) -> Vec<String> {
    let (["how", "many", rest @ ..] | ["wie", "viele", rest @ ..] | ["combien", "de", rest @ ..]) = words
    else {
        return Vec::new();
    };
    let named = rest.iter().take_while(|word| !VERBS.contains(word));
    named.map(|word| Terms::from_text(word).words).filter(|stem| !stem.is_empty()).collect()
}

fn question_terms(question: &str) -> Vec<QuestionTerm> {
    let (telling, frame) = (significant_words(question), choose_frame(question));
    let mut terms: Vec<QuestionTerm> = Vec::new();
    let split = |letter: char| !letter.is_alphanumeric() && !"'’-._+#".contains(letter);
    for written in question.split(split) {
        let written =
            written.trim_matches(|letter: char| !letter.is_alphanumeric() && !"+#".contains(letter));
        // "Margrit's" is the name Margrit.
        let written = ["'s", "’s"].iter().find_map(|ending| written.strip_suffix(ending)).unwrap_or(written);
        let lower = written.to_lowercase();
        if written.is_empty() || frame.contains(&format!(" {lower} ")) {
            continue;
        }
        let whole = Terms::from_text(written);
        for stem in whole.words.split(' ').filter(|stem| !stem.is_empty()) {
            let strong =
                telling.iter().any(|word| word == stem) || stem.bytes().all(|byte| byte.is_ascii_digit());
            if !terms.iter().any(|known| known.stem == stem) {
                let weight = if strong { 1.0 } else { WEAK };
                terms.push(QuestionTerm { stem: stem.to_owned(), weight, measure: Quantity::parse(&lower) });
            }
        }
    }
    terms
}

impl Quantity {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "temperature" | "warm" | "hot" | "cold" | "temperatur" | "température" => Self::Temperature,
            "weight" | "weigh" | "weighs" | "heavy" | "stores" => Self::Weight,
            "duration" | "age" => Self::Duration,
            "percentage" | "percent" | "share" | "proportion" => Self::Share,
            "price" | "cost" | "costs" | "expensive" => Self::Money,
            _ => return None,
        })
    }

    /// Whether a text in lower case states such a quantity.
    pub fn is_stated(self, text: &str) -> bool {
        let units: &[&str] = match self {
            Self::Temperature => &["°", " degree"],
            Self::Weight => &[" kg", " g ", " gram", " kilogram", " tonne"],
            Self::Duration => &[" year", " month", " week", " day", " hour", " minute"],
            Self::Share => &["%", " percent"],
            Self::Money => &["€", "$", "£", " euro", " dollar"],
        };
        text.contains(|letter: char| letter.is_ascii_digit()) && units.iter().any(|unit| text.contains(unit))
    }
}

/// Nouns whose value is a number.
const QUANTITIES: [&str; 16] = [
    "temperature",
    "percentage",
    "percent",
    "size",
    "weight",
    "length",
    "price",
    "number",
    "amount",
    "rate",
    "diameter",
    "volume",
    "width",
    "height",
    "limit",
    "coefficient",
];
const EXTENTS: [&str; 19] = [
    "many", "much", "long", "often", "old", "far", "big", "large", "high", "warm", "heavy", "tall", "fast",
    "deep", "wide", "strong", "cold", "hot", "soon",
];

/// What a question asks for, by its first words.
fn classify(words: &[&str]) -> AskedFor {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    match (word(0), word(1)) {
        ("how", "long") | ("how", "soon") => AskedFor::Amount,
        ("how", extent) if EXTENTS.contains(&extent) => AskedFor::Amount,
        ("wie", "viel" | "viele" | "lange" | "oft" | "hoch" | "alt") | ("combien", _) => AskedFor::Amount,
        ("how", "to") | ("comment", "faire") => AskedFor::Steps,
        ("how", "do" | "can" | "should" | "could" | "would" | "must") => AskedFor::Steps,
        ("how" | "comment", _) => AskedFor::Effect,
        ("wie", "kann" | "mache" | "macht") => AskedFor::Steps,
        ("wie", _) => AskedFor::Effect,
        ("when" | "wann" | "quand", _) | ("since" | "until", "when") => AskedFor::Time,
        ("what" | "which" | "at", "year" | "date" | "time" | "day" | "month") => AskedFor::Time,
        ("where" | "wo" | "où", _) => AskedFor::Place,
        ("who" | "whom" | "wer" | "qui", _) => AskedFor::Person,
        ("why" | "warum" | "wieso" | "weshalb" | "pourquoi", _) => AskedFor::Reason,
        ("what" | "which" | "at" | "welche" | "quelle", _) if has(&QUANTITIES) => AskedFor::Amount,
        ("what", "does" | "do" | "did" | "happens" | "happened") if !has(&["mean", "means"]) => {
            AskedFor::Effect
        }
        ("what", "is" | "are" | "was" | "were" | "does") | ("what's", _) | ("was", "ist" | "sind") => {
            AskedFor::Definition
        }
        ("qu'est", _) => AskedFor::Definition,
        (first, _) if CONFIRMING.contains(&first) => AskedFor::Confirmation,
        _ => AskedFor::Other,
    }
}

const CONFIRMING: [&str; 22] = [
    "can", "could", "does", "do", "did", "is", "are", "was", "were", "should", "may", "must", "has", "have",
    "had", "will", "would", "kann", "ist", "sind", "est", "peut",
];
