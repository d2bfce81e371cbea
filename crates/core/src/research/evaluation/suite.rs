//! A suite: questions about one repository, and what a good answer cites.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The most questions of a suite.
const MOST: usize = 1_000;
const LARGEST_BUDGET: u32 = 20;

/// A suite of questions about code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The suite's name.
    pub name: String,
    /// The folder of code, relative to the suite's file, or the name of an added repository.
    pub repository: String,
    /// The questions.
    #[serde(default, rename = "question")]
    pub questions: Vec<SuiteQuestion>,
}

/// A question with its expected citations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteQuestion {
    /// The question's id.
    pub id: String,
    /// The question.
    pub ask: String,
    /// A path pattern: nothing outside it is searched.
    #[serde(default)]
    pub scope: Option<String>,
    /// What the answer should cite.
    pub expect: Expectations,
    /// The most steps.
    #[serde(default)]
    pub budget: Option<u32>,
}

/// What a good answer cites or says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectations {
    /// Files that should be cited.
    #[serde(default)]
    pub files: Vec<String>,
    /// Lines that should be cited: `path:10-20` or `path:10`.
    #[serde(default)]
    pub lines: Vec<LineRange>,
    /// Symbols that should be cited: `path::Class.method`, or a name.
    #[serde(default)]
    pub symbols: Vec<String>,
    /// Text that occurs in the answer, or in what it cites.
    #[serde(default)]
    pub facts: Vec<String>,
}

/// Lines of a file, from 1, both included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LineRange {
    /// The file's path.
    pub path: String,
    /// The first and the last line, from 1.
    pub lines: (usize, usize),
}

impl TryFrom<String> for LineRange {
    type Error = String;

    fn try_from(written: String) -> std::result::Result<Self, String> {
        let wrong = || format!("`{written}` names no lines; write `path:10-20`");
        let (path, lines) = written.rsplit_once(':').ok_or_else(wrong)?;
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        let (first, last) = (number(first)?, number(last)?);
        if path.trim().is_empty() {
            return Err(wrong());
        }
        if first == 0 || last < first {
            return Err(format!(
                "the lines of `{written}` are not a range: they count from 1, and the last is not before the first"
            ));
        }
        Ok(Self { path: path.trim().to_owned(), lines: (first, last) })
    }
}

impl From<LineRange> for String {
    fn from(range: LineRange) -> Self {
        format!("{}:{}-{}", range.path, range.lines.0, range.lines.1)
    }
}

impl Expectations {
    /// Whether nothing is expected.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.lines.is_empty() && self.symbols.is_empty() && self.facts.is_empty()
    }

    /// Whether places are expected, and not only facts.
    pub fn has_places(&self) -> bool {
        !(self.files.is_empty() && self.lines.is_empty() && self.symbols.is_empty())
    }
}

impl Suite {
    /// Checks the suite; `Err` says why it can't be used.
    pub fn check(&self) -> Result<()> {
        if self.name.trim().is_empty() {
            return Err(Error::invalid("the suite has no name"));
        }
        if self.repository.trim().is_empty() {
            return Err(Error::invalid("the suite names no repository")
                .hint("`repository` is a folder, relative to the suite, or the name of an added one"));
        }
        if self.questions.is_empty() {
            return Err(Error::invalid("the suite has no questions").hint("each begins with `[[question]]`"));
        }
        if self.questions.len() > MOST {
            return Err(Error::invalid(format!("the suite has more than {MOST} questions")));
        }
        let mut ids = BTreeSet::new();
        for question in &self.questions {
            question.check()?;
            if !ids.insert(question.id.as_str()) {
                return Err(Error::invalid(format!("two questions have the id `{}`", question.id)));
            }
        }
        Ok(())
    }
}

impl SuiteQuestion {
    fn check(&self) -> Result<()> {
        let id = &self.id;
        if id.trim().is_empty() {
            return Err(Error::invalid("a question has no id"));
        }
        if self.ask.trim().is_empty() {
            return Err(Error::invalid(format!("the question `{id}` asks nothing")));
        }
        if self.expect.is_empty() {
            return Err(Error::invalid(format!("the question `{id}` expects nothing"))
                .hint("name `files`, `lines`, `symbols` or `facts` in its `expect`"));
        }
        if self.expect.facts.iter().any(|fact| fact.trim().is_empty()) {
            return Err(Error::invalid(format!("the question `{id}` expects an empty fact")));
        }
        match self.budget {
            Some(0) => Err(Error::invalid(format!("the question `{id}` has a budget of zero steps"))),
            Some(more) if more > LARGEST_BUDGET => Err(Error::invalid(format!(
                "the question `{id}` has a budget of {more} steps; the maximum is {LARGEST_BUDGET}"
            ))),
            _ => Ok(()),
        }
    }
}
