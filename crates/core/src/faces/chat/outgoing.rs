//! Guards what a conversation may send to other machines.
//!
//! Nothing, once it contains something private. Once it contains both notes and text from outside, the author of that
//! text might make the model send words of the notes in a query: then only words that the user or a web result said in
//! this conversation may be sent.

use std::collections::HashSet;

use serde_json::Value;
use wellread_text::{QueryTerm, TermForm, Terms, query_terms};

use super::{Session, SessionEntry, has_failed};
use crate::domain::untrusted::Origin;
use crate::engine::run::ToolReply;
use crate::faces::tools::{AnyTool, Declaration, find_tool};
use crate::{Error, Result};

/// The longest word in bytes; anything longer is refused.
const LONGEST_WORD: usize = 64;
/// The most words that are compared; calls with more are refused.
const MOST_WORDS: usize = 60;
/// The most punctuation characters, since these can carry data, too.
const MOST_SIGNS: usize = 16;
/// The most digits of a number that counts as harmless, such as a number of results; longer ones are compared like
/// words.
const LONGEST_COUNT: usize = 5;
/// The fewest letters of a web word that counts: any other word could be spelled from shorter pieces.
const SHORTEST_HEARD: usize = 3;
/// How many words a refusal names.
const NAMED: usize = 5;

#[derive(Debug, Default)]
pub struct OutgoingGuard {
    pub private: bool,
    pub notes: bool,
    /// The words that the user and the web said, normalized for comparison.
    said: HashSet<String>,
}

impl OutgoingGuard {
    pub fn from_session(session: &Session, message: &str, tools: &[Box<dyn AnyTool>]) -> Self {
        let mut outgoing = Self { private: session.private, notes: session.notes, said: HashSet::new() };
        outgoing.record_user_text(message);
        for entry in &session.entries {
            match entry {
                SessionEntry::User { text, .. } => outgoing.record_user_text(text),
                SessionEntry::Tool { name, stub, failed: false, .. } if is_web_tool(tools, name) => {
                    outgoing.add_words(&stub.terms(), is_comparable_word);
                }
                SessionEntry::Assistant { .. } | SessionEntry::Tool { .. } => {}
            }
        }
        outgoing
    }

    /// Whether queries have to be checked.
    pub fn is_restricted(&self, origin: Origin) -> bool {
        self.private || (self.notes && origin.is_outside())
    }

    /// `Err` if a call that reaches another machine must not be made with these arguments.
    pub fn check(&self, tool: &str, arguments: &Value) -> Result<()> {
        if self.private {
            return Err(Error::refused(format!(
                "this conversation contains private notes, and {tool} would send words to another machine"
            ))
            .hint("tell the user; a new conversation without private notes can do it"));
        }
        let foreign = find_unsaid_words(arguments, &self.said);
        if foreign.is_empty() {
            return Ok(());
        }
        Err(Error::refused(format!(
            "this conversation holds notes and text from outside, so {tool} may send only words that the user said here, or \
             that web results in it hold; these are neither: {}",
            foreign.join(", ")
        ))
        .hint("ask the user what to search for, in their own words"))
    }

    /// Records what a tool answered.
    pub fn record_answer(&mut self, tool: &Declaration, answered: &ToolReply) {
        self.private |= answered.private;
        if tool.of_the_web {
            if !has_failed(&answered.envelope) {
                self.add_words(
                    &Terms::from_text(&collect_strings(&answered.envelope).join("\n")),
                    is_comparable_word,
                );
            }
        } else {
            self.notes |= answered.origin != Origin::User;
        }
    }

    /// Records what the user said.
    fn record_user_text(&mut self, text: &str) {
        self.add_words(&Terms::from_text(text), |_| true);
    }

    fn add_words(&mut self, Terms { words, parts }: &Terms, counts: fn(&str) -> bool) {
        let all = words.split(' ').chain(parts.split(' '));
        self.said.extend(all.filter(|word| counts(word)).map(str::to_owned));
    }
}

fn is_web_tool(tools: &[Box<dyn AnyTool>], name: &str) -> bool {
    find_tool(tools, name).is_ok_and(|tool| tool.declaration().of_the_web)
}

/// Whether a word of the web counts. Scripts without spaces are compared by pairs of letters.
fn is_comparable_word(word: &str) -> bool {
    word.chars().count() >= if word.is_ascii() { SHORTEST_HEARD } else { 2 }
}

/// The words of the arguments that nobody said, or a description of what else is wrong; empty if they may be sent.
fn find_unsaid_words(arguments: &Value, said: &HashSet<String>) -> Vec<String> {
    let mut text = collect_strings(arguments).join("\n");
    for number in collect_long_numbers(arguments) {
        text.push('\n');
        text.push_str(&number);
    }
    let terms = query_terms(&text);
    let signs = text.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()).count();
    if terms.len() > MOST_WORDS || signs > MOST_SIGNS {
        return vec!["so many words and signs".to_owned()];
    }
    if text.split_whitespace().any(|word| word.len() > LONGEST_WORD) {
        return vec!["a word of such length".to_owned()];
    }
    let is_said = |term: &&QueryTerm| {
        term.whole_forms().iter().any(|form| match form {
            TermForm::Word(word) => said.contains(word),
            TermForm::Phrase(words) => words.iter().all(|word| said.contains(word)),
            TermForm::Prefix(start) => said.iter().any(|word| word.starts_with(start)),
        })
    };
    let unsaid = terms.iter().filter(|term| !is_said(term));
    unsaid.take(NAMED).map(|term| term.written.clone()).collect()
}

/// All strings in a value.
fn collect_strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(collect_strings).collect(),
        Value::Object(fields) => fields.values().flat_map(collect_strings).collect(),
        _ => Vec::new(),
    }
}

/// The numbers in a value with more digits than a count.
fn collect_long_numbers(value: &Value) -> Vec<String> {
    let digits = |written: &String| written.chars().filter(char::is_ascii_digit).count();
    match value {
        Value::Number(number) => {
            Some(number.to_string()).filter(|written| digits(written) > LONGEST_COUNT).into_iter().collect()
        }
        Value::Array(items) => items.iter().flat_map(collect_long_numbers).collect(),
        Value::Object(fields) => fields.values().flat_map(collect_long_numbers).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn after(said: &str) -> OutgoingGuard {
        let mut outgoing = OutgoingGuard { notes: true, ..OutgoingGuard::default() };
        outgoing.record_user_text(said);
        outgoing
    }

    #[test]
    fn only_words_that_were_said_may_leave() {
        let outgoing = after("How old are well-known hives in Oslo, 2024? 日本語の本");
        for said in ["hives Oslo", "the old hive", "well-known \"old hives\"", "OSLO 2024", "日本語", ""] {
            assert!(outgoing.check("web_search", &json!({"query": said})).is_ok(), "{said}");
        }
        let blob = "hives ".to_owned() + &"a".repeat(65);
        let many = (0..70).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
        for other in [
            "hives password",
            "hunter2",
            "\"old password\"",
            "2025",
            "hives .-.-..-.-..-.-..-.-",
            &blob,
            &many,
        ] {
            let error = outgoing.check("web_search", &json!({"query": other})).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Refused, "{other}");
        }
        assert!(outgoing.check("x", &json!({"deep": [{"in": "password"}], "n": 3})).is_err());
    }

    #[test]
    fn a_large_number_is_a_word_too() {
        let outgoing = after("Show the hives from 1234567 on");
        for number in [json!(0), json!(10), json!(99_999), json!(0.5), json!(1_234_567)] {
            assert!(outgoing.check("x", &json!({"query": "hives", "offset": number})).is_ok(), "{number}");
        }
        for number in [json!(4_111_111_111_111_111_u64), json!(-411_111), json!(0.411_111)] {
            assert!(outgoing.check("x", &json!({"query": "hives", "deep": [number]})).is_err(), "{number}");
        }
    }

    #[test]
    fn no_word_is_spelled_out_of_the_letters_of_a_page() {
        let mut outgoing = after("Is it on a hive?");
        outgoing.add_words(&Terms::from_text("h u n t e r 2 hu nt er mite 日本 本"), is_comparable_word);
        for said in ["mite", "on hive", "日本"] {
            assert!(outgoing.check("x", &json!({"query": said})).is_ok(), "{said}");
        }
        for spelled in ["h u n t e r 2", "hu nt er", "本"] {
            assert!(outgoing.check("x", &json!({"query": spelled})).is_err(), "{spelled}");
        }
    }

    #[test]
    fn what_is_private_keeps_everything_here() {
        let outgoing = OutgoingGuard { private: true, ..after("hives") };
        assert!(outgoing.check("web_search", &json!({"query": "hives"})).is_err());
    }

    #[test]
    fn it_is_watched_once_there_is_something_to_lose() {
        let watched = |private, notes, origin| {
            OutgoingGuard { private, notes, ..OutgoingGuard::default() }.is_restricted(origin)
        };
        assert!(!watched(false, false, Origin::Outside));
        assert!(!watched(false, true, Origin::Notes));
        assert!(watched(false, true, Origin::Outside));
        assert!(watched(true, false, Origin::User));
    }
}
