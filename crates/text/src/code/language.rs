//! A programming language: how its files are recognized, how they are read, and how its names work.
//!
//! What a language is stands in its own file in `languages`; everything else asks the fields of its [`LanguageSpec`].

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::OnceLock;

use tree_sitter::Language as Grammar;

use super::capture::Captures;
use super::languages::{COUNT, LANGUAGES};
use super::name_rules::NameRules;
use super::patterns::PatternSet;
use super::uses::{ImportNames, UseMarks};

/// A language whose definitions are known: a place in the list of all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Language(usize);

/// All that is known of a language. Each stands in a file of its own in `languages`.
#[derive(Debug, Clone, Copy)]
pub struct LanguageSpec {
    /// Unique among the languages, in lower case, as indexes and settings spell it.
    pub(super) name: &'static str,
    /// The endings of its files, in lower case and without a dot.
    pub(super) endings: &'static [&'static str],
    /// Files that are told by their whole name.
    pub(super) files: &'static [&'static str],
    /// Programs that run its scripts, as the first line of a script names them, without a version.
    pub(super) programs: &'static [&'static str],
    pub(super) grammar: fn() -> Grammar,
    /// The queries for its definitions, in the order in which they are joined.
    pub(super) definitions: &'static [&'static str],
    /// The queries for what its files use, in the order in which they are joined.
    pub(super) uses: &'static [&'static str],
    pub(super) reading: ReadingRules,
    /// How its names find their definitions.
    pub names: NameRules,
}

impl LanguageSpec {
    /// A language without any peculiarity; the file of a language sets the fields in which it differs.
    pub(super) const fn new(name: &'static str, grammar: fn() -> Grammar) -> Self {
        Self {
            name,
            endings: &[],
            files: &[],
            programs: &[],
            grammar,
            definitions: &[],
            uses: &[],
            reading: ReadingRules::new(),
            names: NameRules::new(),
        }
    }
}

/// How the text of a file is read, beyond what the queries say.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadingRules {
    /// The text as the parser may have it, byte for byte in the same place; `None` if it may not be parsed.
    ///
    /// A grammar's own scanner, written in C, keeps its state in a buffer of fixed size; some can be made to write past its
    /// end, which ends the process. All scanners were read for such mistakes; the languages with a guard have one.
    pub guard: fn(&str) -> Option<Cow<'_, str>>,
    /// The name of another language that the file at this path with this text is written in.
    pub refine: fn(&str, &str) -> Option<&'static str>,
    /// What an import brings in and by which name, from what the query captured of it.
    pub name_import: fn(ImportNames) -> ImportNames,
    /// A scope that is named by a path adds only the last part to the names inside.
    pub scope_named_by_last_part: bool,
    /// In a pattern, a name in upper case is a constant and binds nothing.
    pub uppercase_binds_nothing: bool,
    /// A variable may hold values of several types, one after the other.
    pub variables_change_type: bool,
    /// A value is made by calling its type, and only types are written in upper case.
    pub types_are_called: bool,
}

impl ReadingRules {
    pub(super) const fn new() -> Self {
        Self {
            guard: |text| Some(Cow::Borrowed(text)),
            refine: |_, _| None,
            name_import: |names| names,
            scope_named_by_last_part: false,
            uppercase_binds_nothing: false,
            variables_change_type: false,
            types_are_called: false,
        }
    }
}

impl Deref for Language {
    type Target = LanguageSpec;

    fn deref(&self) -> &LanguageSpec {
        LANGUAGES[self.0]
    }
}

impl Language {
    /// Every language, in the order of their names.
    pub const ALL: [Self; COUNT] = {
        let mut all = [Self(0); COUNT];
        let mut index = 0;
        while index < COUNT {
            all[index] = Self(index);
            index += 1;
        }
        all
    };

    fn find(is_it: impl Fn(&LanguageSpec) -> bool) -> Option<Self> {
        LANGUAGES.iter().position(|spec| is_it(spec)).map(Self)
    }

    /// The language of the file at this path, by the path alone.
    pub fn from_path(path: &str) -> Option<Self> {
        let file = file_name(path);
        if let Some(known) = Self::find(|spec| spec.files.contains(&file)) {
            return Some(known);
        }
        let (stem, ending) = file.rsplit_once('.')?;
        let ending = ending.to_ascii_lowercase();
        let known = Self::find(|spec| spec.endings.contains(&ending.as_str()))?;
        (!stem.is_empty()).then_some(known)
    }

    /// The language of the file at this path with this text: a header may be one of C or of C++, and a script
    /// without an ending says on its first line what runs it.
    pub fn detect(path: &str, text: &str) -> Option<Self> {
        match Self::from_path(path) {
            Some(known) => (known.reading.refine)(path, text).and_then(Self::from_name).or(Some(known)),
            None if !file_name(path).contains('.') => language_from_shebang(text),
            None => None,
        }
    }

    /// The language that [`name`](Self::name) gives this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::find(|spec| spec.name == name)
    }

    /// The name of the language, in lower case: `rust`, `csharp`.
    pub fn name(self) -> &'static str {
        LANGUAGES[self.0].name
    }

    /// Whether files of the two languages use each other's definitions.
    pub fn is_related_to(self, other: Self) -> bool {
        self == other || self.names.family.is_some() && self.names.family == other.names.family
    }

    pub(super) fn grammar(self) -> Grammar {
        (LANGUAGES[self.0].grammar)()
    }

    /// The patterns for its definitions.
    pub(super) fn definition_patterns(self) -> Option<&'static (PatternSet, Captures)> {
        static PATTERNS: [OnceLock<Option<(PatternSet, Captures)>>; COUNT] =
            [const { OnceLock::new() }; COUNT];
        PATTERNS[self.0].get_or_init(|| self.parse_definition_patterns()).as_ref()
    }

    /// `None` would be a mistake in a query, which a test looks for.
    pub(super) fn parse_definition_patterns(self) -> Option<(PatternSet, Captures)> {
        let patterns = PatternSet::parse(&self.grammar(), &self.definitions.join("\n"))?;
        let captures = Captures::from_names(patterns.capture_names())?;
        Some((patterns, captures))
    }

    /// The marks for what its files use.
    pub(super) fn marks(self) -> Option<&'static UseMarks> {
        static MARKS: [OnceLock<Option<UseMarks>>; COUNT] = [const { OnceLock::new() }; COUNT];
        let marks = MARKS[self.0].get_or_init(|| UseMarks::parse(&self.grammar(), &self.uses.join("\n")));
        marks.as_ref()
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The language of the program that a script's first line names.
fn language_from_shebang(text: &str) -> Option<Language> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().map(file_name);
    let program = words.find(|word| *word != "env" && !word.starts_with('-'))?;
    let program = program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    Language::find(|spec| spec.programs.contains(&program))
}
