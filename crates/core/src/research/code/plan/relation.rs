//! What a question asks about how code is connected, and which of its words stand where the name of a symbol stands.
//!
//! Whether such a word is a symbol's name, only the index knows.

/// How the code that a question asks for is connected with a symbol that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::research::code) enum AskedRelation {
    /// What calls or uses it.
    Callers,
    /// What it calls.
    Callees,
    /// What implements it or inherits from it.
    Heirs,
    /// What it implements or inherits from.
    Bases,
    /// How one reaches another.
    Path,
}

impl AskedRelation {
    /// Whether a definition of this kind can have the relation.
    pub fn fits(self, kind: &str) -> bool {
        let is_type = matches!(kind, "class" | "struct" | "enum" | "interface" | "trait" | "type");
        let is_called = matches!(kind, "function" | "method" | "macro");
        is_type || is_called && !matches!(self, Self::Heirs | Self::Bases)
    }
}

/// A way to read a question, with the words that stand where it needs names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::research::code) struct RelationReading {
    /// What would be asked for.
    pub relation: AskedRelation,
    /// The words, without the parentheses of a call; two for a path, otherwise at most one.
    pub words: Vec<String>,
}

const CALLING: [&str; 6] = ["calls", "call", "uses", "use", "invokes", "invoke"];
const CALLED: [&str; 3] = ["called", "used", "invoked"];
const BUILDING_ON: [&str; 11] = [
    "implements",
    "implement",
    "extends",
    "extend",
    "inherits",
    "inherit",
    "subclasses",
    "subclass",
    "derives",
    "derive",
    "derived",
];
const HEIRS: [&str; 6] =
    ["implementations", "implementers", "implementors", "subclasses", "subtypes", "descendants"];
const BASES: [&str; 6] = ["base", "bases", "superclass", "superclasses", "supertypes", "parents"];
/// What may stand before a name.
const BEFORE_A_NAME: [&str; 11] =
    ["the", "a", "an", "from", "of", "function", "method", "class", "interface", "trait", "struct"];
/// How questions begin that ask for an explanation.
const EXPLAINING: [&str; 8] = ["how", "why", "when", "does", "is", "can", "should", "explain"];

/// Every way to read a question, the most specific first.
pub(super) fn read_relations(question: &str) -> Vec<RelationReading> {
    let words = QuestionWords::parse(question);
    let path = words.read_path().map(|words| (AskedRelation::Path, words));
    let mut found: Vec<(AskedRelation, Vec<String>)> = path.into_iter().collect();
    if !words.starts_with(&EXPLAINING) {
        let one = |relation, word: Option<String>| word.map(|word| (relation, vec![word]));
        found.extend(one(AskedRelation::Callees, words.read_callees()));
        found.extend(one(AskedRelation::Bases, words.read_bases()));
        found.extend(one(AskedRelation::Heirs, words.read_heirs()));
        found.extend(words.read_callers().map(|words| (AskedRelation::Callers, words)));
    }
    found.into_iter().map(|(relation, words)| RelationReading { relation, words }).collect()
}

/// Whether a question asks for a default, and the word that it asks the default of: `default of A`, `default value for A`,
/// `does A default to`.
pub(super) fn read_default(question: &str) -> Option<Vec<String>> {
    let words = QuestionWords::parse(question);
    let at = words.find(0, &["default", "defaults"])?;
    let of = words.find(at + 1, &["of", "for"]).filter(|of| *of <= at + 2);
    let name = match of {
        Some(of) => words.name_at(of + 1),
        None if words.is_at(at + 1, &["to"]) => words.name_at(at.checked_sub(1)?),
        None => None,
    };
    Some(name.into_iter().collect())
}

/// The words of a question, as written and in lower case.
struct QuestionWords<'a> {
    written: Vec<&'a str>,
    lower: Vec<String>,
}

impl<'a> QuestionWords<'a> {
    fn parse(question: &'a str) -> Self {
        let apart = |letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '?' | '!');
        let marks = |letter: char| matches!(letter, '.' | ':' | '(' | '"' | '\'' | '*' | '`');
        let written = question.split(apart).map(|word| word.trim_matches(marks));
        let written: Vec<&str> = written.filter(|word| !word.is_empty()).collect();
        let lower = written.iter().map(|word| word.to_lowercase()).collect();
        Self { written, lower }
    }

    fn starts_with(&self, any: &[&str]) -> bool {
        self.is_at(0, any)
    }

    fn is_at(&self, at: usize, any: &[&str]) -> bool {
        self.lower.get(at).is_some_and(|word| any.contains(&word.as_str()))
    }

    fn find(&self, from: usize, any: &[&str]) -> Option<usize> {
        (from..self.lower.len()).find(|&at| self.is_at(at, any))
    }

    /// The name that begins at a word or behind the articles there.
    fn name_at(&self, at: usize) -> Option<String> {
        let at = (at..self.lower.len()).find(|&at| !self.is_at(at, &BEFORE_A_NAME))?;
        let name = super::bare_name(self.written[at]);
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// `from A to B`, `between A and B`, `A reaches B`, `A leads to B`, `A ends up in B`.
    fn read_path(&self) -> Option<Vec<String>> {
        for (first, second) in [("from", "to"), ("between", "and")] {
            if let Some(start) = self.find(0, &[first])
                && let Some(end) = self.find(start + 2, &[second])
            {
                return Some(vec![self.name_at(start + 1)?, self.name_at(end + 1)?]);
            }
        }
        let moves = ["get", "gets", "lead", "leads", "flow", "flows", "connected"];
        let (verb, length) = if let Some(at) = self.find(1, &["reach", "reaches"]) {
            (at, 1)
        } else if let Some(at) = self.find(1, &["end", "ends"]).filter(|&at| self.is_at(at + 1, &["up"])) {
            (at, 3)
        } else {
            let towards = |&at: &usize| self.is_at(at + 1, &["to", "into", "with"]);
            (self.find(1, &moves).filter(towards)?, 2)
        };
        Some(vec![self.name_at(verb - 1)?, self.name_at(verb + length)?])
    }

    /// The subject of `does A VERB`.
    fn subject_of(&self, verbs: &[&str]) -> Option<String> {
        let does = self.find(0, &["does", "do", "did"])?;
        self.find(does + 2, verbs)?;
        self.name_at(does + 1)
    }

    /// The name behind `NOUN of`.
    fn owner_of(&self, nouns: &[&str]) -> Option<String> {
        let noun = self.find(0, nouns)?;
        let of = self.find(noun + 1, &["of"]).filter(|&of| of <= noun + 2)?;
        self.name_at(of + 1)
    }

    fn read_callees(&self) -> Option<String> {
        let passive = || {
            let called = self.find(0, &CALLED)?;
            self.is_at(called + 1, &["by"]).then(|| self.name_at(called + 2))?
        };
        self.subject_of(&CALLING).or_else(|| self.owner_of(&["callees"])).or_else(passive)
    }

    fn read_bases(&self) -> Option<String> {
        self.subject_of(&BUILDING_ON).or_else(|| self.owner_of(&BASES))
    }

    fn read_heirs(&self) -> Option<String> {
        let active = || self.find(1, &BUILDING_ON).and_then(|verb| self.name_at(verb + 1));
        self.owner_of(&HEIRS).or_else(active)
    }

    /// The name of what is called; no word where the form of the question leaves it open.
    fn read_callers(&self) -> Option<Vec<String>> {
        let named = |word: Option<String>| Some(word.into_iter().collect());
        if let Some(name) = self.owner_of(&["callers", "usages", "uses"]) {
            return Some(vec![name]);
        }
        if self.starts_with(&["where"]) && self.find(1, &CALLED).is_some() {
            let is = self.find(1, &["is", "are", "was", "were", "gets", "get"]);
            return named(is.and_then(|is| self.name_at(is + 1)));
        }
        if self.starts_with(&["what", "who", "which"])
            && let Some(verb) = self.find(1, &CALLING).filter(|&verb| verb < 5)
        {
            return named(self.name_at(verb + 1));
        }
        self.find(0, &["callers"]).map(|_| Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_says_what_it_asks_for_and_of_what() {
        use AskedRelation::{Bases, Callees, Callers, Heirs, Path};
        for (question, relation, words) in [
            ("What calls put_jar?", Callers, &["put_jar"][..]),
            ("which functions use the class Store", Callers, &["Store"]),
            ("what calls b?", Callers, &["b"]),
            ("Where is _rinse used?", Callers, &["_rinse"]),
            ("Show me the callers of Store.put", Callers, &["Store.put"]),
            ("What does fillJar call?", Callees, &["fillJar"]),
            ("Which functions does put_jar call?", Callees, &["put_jar"]),
            ("What is called by rinse()?", Callees, &["rinse"]),
            ("What implements Vessel?", Heirs, &["Vessel"]),
            ("Which classes inherit from Jar?", Heirs, &["Jar"]),
            ("list the subclasses of Jar", Heirs, &["Jar"]),
            ("What does Jar inherit from?", Bases, &["Jar"]),
            ("What is the base class of Jar?", Bases, &["Jar"]),
            ("How does Start reach fillJar?", Path, &["Start", "fillJar"]),
            ("what is the path from Start to `fill`", Path, &["Start", "fill"]),
            ("How does honey end up in Jar?", Path, &["honey", "Jar"]),
        ] {
            let readings = read_relations(question);
            let first = readings.first().unwrap_or_else(|| panic!("{question}"));
            assert_eq!(first.relation, relation, "{question}");
            assert_eq!(first.words, words, "{question}");
        }
    }

    #[test]
    fn a_default_is_asked_of_a_name() {
        for (question, name) in [
            ("What is the default of port?", Some(&["port"][..])),
            ("what is the default value for the method port_range", Some(&["port_range"])),
            ("What does Server.port default to?", Some(&["Server.port"])),
            ("Which port is used by default?", Some(&[])),
            ("What is the port of a server?", None),
        ] {
            let words = name.map(|words| words.iter().map(|word| (*word).to_owned()).collect());
            assert_eq!(read_default(question), words, "{question}");
        }
    }

    #[test]
    fn what_asks_for_an_explanation_asks_for_no_relation() {
        for question in ["How does Jar implement rinsing?", "Why does it call twice?", "Where is it set?"] {
            assert_eq!(read_relations(question), [], "{question}");
        }
    }
}
