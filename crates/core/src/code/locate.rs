//! Finds the files that an issue or a stack trace points to, most likely first, each with its reasons.
//!
//! No model is asked: names are looked up, quoted messages are searched for, and words are matched. The same text over
//! the same files gives the same answer. Nothing is concluded about what is wrong.

mod code_names;
mod frames;
mod installed;
mod issue_template;
mod messages;
mod names;
mod pasted_text;
mod paths;
mod places;
mod signals;
mod weights;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use wellread_text::SymbolKind;

use crate::code::codebase::{Codebase, SymbolId};
use crate::library::search::Searcher;
use crate::{Error, Result};
use signals::SignalsByFile;

/// How many bytes of a text are read; the rest is ignored.
pub const LONGEST: usize = 200_000;
/// The most files that are returned.
pub const MOST_FILES: usize = 100;

/// The files that a text leads to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LocateAnswer {
    /// Most likely first.
    pub files: Vec<LocatedFile>,
    /// Something the caller should know about the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A file that a text leads to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LocatedFile {
    /// The file's path.
    pub path: String,
    /// Between 0 and 1. Scores of different answers can't be compared.
    #[serde(serialize_with = "to_three_places")]
    pub score: f32,
    /// Why it is listed, the strongest reason first.
    pub reasons: Vec<String>,
    /// The definitions that are most likely meant.
    pub symbols: Vec<LocatedSymbol>,
}

/// A definition that a text leads to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LocatedSymbol {
    /// The symbol's id.
    #[schemars(with = "String")]
    pub id: SymbolId,
    /// The symbol's name.
    pub name: String,
    /// The name, qualified with the names of the definitions around it.
    pub qualified_name: String,
    /// The kind of definition.
    #[schemars(with = "String")]
    pub kind: SymbolKind,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line, from 1, included.
    pub end_line: usize,
    /// Why it is relevant.
    pub reason: String,
}

fn to_three_places<S: Serializer>(score: &f32, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.serialize_f64((f64::from(*score) * 1000.0).round() / 1000.0)
}

/// The files that the text leads to, at most `limit`. Files outside the codebase's scope are left out.
pub fn locate(search: &Searcher, codebase: &Codebase, text: &str, limit: usize) -> Result<LocateAnswer> {
    if limit == 0 {
        return Err(Error::invalid("ask for at least one file"));
    }
    let (text, cut) = pasted_text::clean_text(text, LONGEST)?;
    let text = issue_template::blank_template(&text);
    let sources = paths::SourcePaths::from_codebase(codebase)?;
    let mut signals = SignalsByFile::default();
    let traces = frames::parse_traces(&text);
    places::add_trace_signals(codebase, &sources, &traces, &mut signals)?;
    places::add_path_signals(codebase, &sources, &traces, &text, &mut signals)?;
    names::add_name_signals(codebase, &traces, &text, &mut signals)?;
    messages::add_message_signals(search, codebase, &traces, &text, &mut signals)?;
    messages::add_option_signals(search, codebase, &traces, &text, &mut signals)?;
    let words_notice = words::add_word_signals(search, codebase, &traces, &text, &mut signals)?;
    let files = signals.into_ranked_files(codebase, &text, limit.min(MOST_FILES))?;
    let nothing = files.is_empty().then(|| {
        format!(
            "nothing in the text leads to a file of `{}`; it may be about another repository",
            codebase.name()
        )
    });
    let notices: Vec<String> = [cut, nothing, words_notice].into_iter().flatten().collect();
    Ok(LocateAnswer { files, notice: (!notices.is_empty()).then(|| notices.join("; ")) })
}
