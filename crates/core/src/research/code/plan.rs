//! Reads by rules what a question about code asks for: the names, paths and messages in it.

mod relation;

use wellread_text::Language;

pub(super) use self::relation::{AskedRelation, RelationReading};
use crate::code::codebase::dotted_name;
use crate::insight::keyless::asks_for_value;

const MOST_NAMES: usize = 6;
const MOST_PATHS: usize = 3;

/// What to look for, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct QuestionPlan {
    /// Words that look like names in code, in the order of the question.
    pub names: Vec<String>,
    pub paths: Vec<String>,
    /// Text in quotation marks, such as an error message.
    pub messages: Vec<String>,
    /// The names that are in quotation marks: any of them may be a text instead.
    pub quoted_names: Vec<String>,
    /// What it may ask about how code is connected. Words in it may be names that look like any other word.
    pub readings: Vec<RelationReading>,
    /// Whether it speaks of a way from one thing to another.
    speaks_of_a_path: bool,
    /// Whether it asks for a value: a limit, a default, a setting.
    pub wants_value: bool,
    /// Where it asks for a default: the word that stands where the name of a setting stands, if there is one.
    default_of: Option<Vec<String>>,
}

impl QuestionPlan {
    pub fn parse(question: &str) -> Self {
        let mut plan = Self::default();
        let (mut rest, mut readable) = (String::with_capacity(question.len()), String::new());
        // Quoted text is meant literally.
        let mut letters = question.chars().peekable();
        let mut before = ' ';
        while let Some(letter) = letters.next() {
            let opens = matches!(letter, '`' | '"' | '“') || (letter == '\'' && !before.is_alphanumeric());
            before = letter;
            if !opens {
                rest.push(letter);
                readable.push(letter);
                continue;
            }
            let close = if letter == '“' { '”' } else { letter };
            let inner: String = letters.by_ref().take_while(|inner| *inner != close).collect();
            rest.push(' ');
            if is_name(inner.trim()) || is_plain_name(inner.trim()) || is_name_in_file(inner.trim()) {
                readable.push_str(inner.trim());
            }
            plan.add_quoted(inner.trim());
        }
        for word in
            rest.split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '?' | '!'))
        {
            plan.add_word(
                word.trim_matches(|letter: char| matches!(letter, '.' | ':' | '(' | '"' | '\'' | '*')),
            );
        }
        let lower = question.to_lowercase();
        let between = ["from", "reach", "get to", "lead to", "path between", "end up", "flow", "connected"];
        plan.speaks_of_a_path = between.iter().any(|word| lower.contains(word));
        plan.readings = relation::read_relations(&readable);
        plan.wants_value = asks_for_value(question);
        plan.default_of = relation::read_default(&readable);
        plan
    }

    /// The names of which the question asks for a default value; none if it asks for something else.
    pub fn default_names(&self) -> Vec<String> {
        let Some(words) = &self.default_of else { return Vec::new() };
        let others = words.iter().filter(|word| !self.names.contains(word));
        self.names.iter().chain(others).cloned().collect()
    }

    /// What is asked about how code is connected, and of which names; `None` if it is nothing of the kind. `names` are
    /// those that were looked up, in the order of the question.
    pub fn settle_relation(&self, names: &[String]) -> Option<(AskedRelation, Vec<String>)> {
        let is_known = |reading: &&RelationReading| {
            !reading.words.is_empty() && reading.words.iter().all(|word| names.contains(word))
        };
        if let Some(reading) = self.readings.iter().find(is_known) {
            return Some((reading.relation, reading.words.clone()));
        }
        let asks_callers = self.readings.iter().any(|reading| reading.relation == AskedRelation::Callers);
        match names {
            [from, to, ..] if self.speaks_of_a_path => {
                Some((AskedRelation::Path, vec![from.clone(), to.clone()]))
            }
            [_, ..] if asks_callers => Some((AskedRelation::Callers, names.to_vec())),
            _ => None,
        }
    }

    fn add_quoted(&mut self, inner: &str) {
        if inner.is_empty() {
            return;
        }
        if is_path(inner) {
            push(&mut self.paths, inner, MOST_PATHS);
        } else if is_name(inner) || is_plain_name(inner) || is_name_in_file(inner) {
            push(&mut self.names, bare_name(inner), MOST_NAMES);
            push(&mut self.quoted_names, bare_name(inner), MOST_NAMES);
        } else {
            push(&mut self.messages, inner, MOST_PATHS);
        }
    }

    fn add_word(&mut self, word: &str) {
        if is_path(word) {
            push(&mut self.paths, word, MOST_PATHS);
        } else if is_name(word) || is_name_in_file(word) {
            push(&mut self.names, bare_name(word), MOST_NAMES);
        }
    }
}

fn push(list: &mut Vec<String>, text: &str, most: usize) {
    if list.len() < most && !list.iter().any(|known| known == text) {
        list.push(text.to_owned());
    }
}

/// The name without the parentheses of a call or the `!` of a macro.
fn bare_name(word: &str) -> &str {
    let word = word.split('(').next().unwrap_or(word);
    word.trim_end_matches(['!', ')', '('])
}

/// Whether there are more words in a text than a name and its call: `open() failed`.
fn goes_on_after_call(text: &str) -> bool {
    let after = text.rsplit_once(')').map_or(text, |(_, after)| after);
    text.contains(char::is_whitespace) && !after.trim().is_empty()
}

fn is_path(word: &str) -> bool {
    let file = word.split(':').next().unwrap_or(word);
    !file.contains(' ') && (Language::from_path(file).is_some() && file.contains('.')) && !word.contains("::")
}

fn is_plain_name(word: &str) -> bool {
    let is_whole = !goes_on_after_call(word);
    let word = bare_name(word);
    let word = word.strip_prefix('#').unwrap_or(word);
    is_whole
        && !word.is_empty()
        && word.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
        && word.chars().any(char::is_alphabetic)
}

/// Whether a word is a name with the file that it is in: `src/store.rs::Store.open`.
fn is_name_in_file(word: &str) -> bool {
    bare_name(word).split_once("::").is_some_and(|(file, name)| {
        let name = name.rsplit_once('@').map_or(name, |(name, _)| name);
        is_path(file) && name.split("::").flat_map(|part| part.split('.')).all(is_plain_name)
    })
}

/// Whether a word is spelled unlike prose: `snake_case`, `CamelCase`, `Store::open`, `Store.open`, `#open`, `run()`.
fn is_name(word: &str) -> bool {
    let name = bare_name(word);
    let dotted = dotted_name(name);
    let parts: Vec<&str> = dotted.split('.').collect();
    let sound = !name.is_empty()
        && !goes_on_after_call(word)
        && parts.iter().all(|part| is_plain_name(part))
        && !name.contains(' ');
    let calls = word.len() > name.len() && word[name.len()..].starts_with(['(', '!']);
    let humps = |part: &str| {
        let mut letters = part.chars();
        let first = letters.next().is_some_and(char::is_alphabetic);
        first && part.chars().any(char::is_lowercase) && part.chars().skip(1).any(char::is_uppercase)
    };
    let shouts = name.len() > 2 && name.contains('_') && name.chars().any(char::is_uppercase);
    let qualified = parts.len() > 1 && parts.iter().all(|part| part.len() > 1);
    sound
        && (calls
            || name.starts_with('#')
            || name.trim_matches('_').contains('_')
            || name.starts_with('_') && (!name.ends_with('_') || name.starts_with("__"))
            || shouts
            || qualified
            || parts.iter().any(|part| humps(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_paths_and_messages_are_told_from_words() {
        for (question, names, paths, messages) in [
            ("What calls detect_swarms?", &["detect_swarms"][..], &[][..], &[][..]),
            (
                "Where is `open` in src/store.rs, and Store::open()?",
                &["open", "Store::open"],
                &["src/store.rs"],
                &[],
            ),
            (
                "Why \"could not open the store\" in SwarmEvent.at?",
                &["SwarmEvent.at"],
                &[],
                &["could not open the store"],
            ),
            ("How far must the weight drop? I don't know, e.g. it's 1.5.", &[], &[], &[]),
            ("What is MAX_SIZE and parseHeader", &["MAX_SIZE", "parseHeader"], &[], &[]),
            ("What calls _rinse and __init__ _really_?", &["_rinse", "__init__"], &[], &[]),
            (
                "Does src/store.rs::Store.open call Jar.#open, Jar#lid or #close?",
                &["src/store.rs::Store.open", "Jar.#open", "Jar#lid", "#close"],
                &[],
                &[],
            ),
            ("What is issue #12, and C#?", &[], &[], &[]),
            ("Who says 'open() was called twice'?", &[], &[], &["open() was called twice"]),
            ("Where are `open(path, mode)` and 'close'?", &["open", "close"], &[], &[]),
        ] {
            let plan = QuestionPlan::parse(question);
            assert_eq!(plan.names, names, "{question}");
            assert_eq!(plan.paths, paths, "{question}");
            assert_eq!(plan.messages, messages, "{question}");
        }
    }

    #[test]
    fn the_form_of_a_question_says_what_is_asked_for() {
        for (question, callers, value) in [
            ("What calls detect_swarms?", true, false),
            ("Where is `open` used?", true, false),
            ("Which functions use `open`?", true, false),
            ("Where is `open` defined?", false, false),
            ("Who calls whom?", false, false),
            ("How many times does `retry` run by default?", false, true),
            ("Which environment variable sets it?", false, true),
        ] {
            let plan = QuestionPlan::parse(question);
            let relation = plan.settle_relation(&plan.names).map(|(relation, _)| relation);
            assert_eq!(relation == Some(AskedRelation::Callers), callers, "{question}");
            assert_eq!(plan.wants_value, value, "{question}");
        }
    }

    #[test]
    fn a_path_is_asked_for_where_two_names_are_to_be_joined() {
        let asked = |question: &str, more: &[&str]| {
            let plan = QuestionPlan::parse(question);
            let names = more.iter().map(|name| (*name).to_owned()).chain(plan.names.clone());
            plan.settle_relation(&names.collect::<Vec<_>>()).map(|(relation, _)| relation)
        };
        let path = Some(AskedRelation::Path);
        assert_eq!(asked("How does main() reach detect_swarms?", &[]), path);
        assert_eq!(asked("How does the program reach detect_swarms?", &[]), None);
        assert_eq!(asked("How does Start reach detect_swarms?", &["Start"]), path);
        assert_eq!(asked("How does data flow between read_all and write_all?", &[]), path);
        assert_eq!(asked("Compare read_all and write_all", &[]), None);
    }
}
