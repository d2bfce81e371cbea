//! Reads the query language, as far as the patterns of this project use it.

use std::sync::OnceLock;

use tree_sitter::Language as Grammar;

use super::patterns::{ChildPattern, KindIds, NodeKind, NodePattern, Pattern, TextRule, TextTest};

/// A reader of patterns, at some place of the text.
pub(super) struct PatternParser<'a> {
    grammar: &'a Grammar,
    kinds: KindIds<'a>,
    rest: &'a str,
    captures: Vec<String>,
    /// Of the pattern that is being read.
    tests: Vec<TextTest>,
}

/// One of several nodes, and whether there need be none.
struct Element {
    choices: Vec<NodePattern>,
    optional: bool,
}

impl<'a> PatternParser<'a> {
    pub(super) fn new(grammar: &'a Grammar, text: &'a str) -> Self {
        let kinds = KindIds::new(grammar);
        Self { grammar, kinds, rest: text, captures: Vec::new(), tests: Vec::new() }
    }

    /// All patterns and the names of their captures; `None` when something is not understood.
    pub(super) fn parse_all(mut self) -> Option<(Vec<Pattern>, Vec<String>)> {
        let mut patterns = Vec::new();
        while self.peek().is_some() {
            let Element { choices, optional } = self.element()?;
            if optional || choices.iter().any(|choice| choice.field.is_some()) {
                return None;
            }
            let overlaps = choices.iter().any(NodePattern::overlaps);
            patterns.push(Pattern { choices, tests: std::mem::take(&mut self.tests), overlaps });
        }
        Some((patterns, self.captures))
    }

    /// A node, some nodes in square brackets, or one in round ones with tests; with what is written behind it.
    fn element(&mut self) -> Option<Element> {
        let mut choices = match self.peek()? {
            '(' => self.node_or_group()?,
            '[' => self.alternatives()?,
            '"' => vec![node(NodeKind::Is({
                let word = self.string()?;
                self.kinds.find(word, false)?
            }))],
            _ if self.word()? == "_" => vec![node(NodeKind::Any)],
            _ => return None,
        };
        let mut optional = false;
        loop {
            if self.take('?') {
                optional = true;
            } else if self.take('@') {
                let capture = self.capture()?;
                choices.iter_mut().for_each(|choice| choice.captures.push(capture));
            } else if matches!(self.peek(), Some('*' | '+')) {
                return None;
            } else {
                return Some(Element { choices, optional });
            }
        }
    }

    fn alternatives(&mut self) -> Option<Vec<NodePattern>> {
        self.take('[');
        let mut all = Vec::new();
        while !self.take(']') {
            let field = self.field();
            let Element { choices, optional } = self.element()?;
            if optional {
                return None;
            }
            all.extend(in_field(choices, field?)?);
        }
        Some(all)
    }

    fn node_or_group(&mut self) -> Option<Vec<NodePattern>> {
        self.take('(');
        if matches!(self.peek()?, '(' | '[' | '"') {
            let Element { choices, optional } = self.element()?;
            while self.peek()? == '(' {
                self.take('(');
                self.test()?;
            }
            return (self.take(')') && !optional).then_some(choices);
        }
        let kind = match self.word()? {
            "_" => NodeKind::Named,
            kind => NodeKind::Is(self.kinds.find(kind, true)?),
        };
        let mut new = node(kind);
        let mut adjacent = false;
        while !self.take(')') {
            if self.take('.') {
                adjacent = true;
            } else if self.take('!') {
                let field = self.word()?;
                new.absent.push(self.grammar.field_id_for_name(field)?.get());
            } else if self.rest.starts_with("(#") {
                self.take('(');
                self.test()?;
            } else {
                let field = self.field()?;
                let Element { choices, optional } = self.element()?;
                let choices = in_field(choices, field)?;
                // What this means is not obvious, and nobody needs it.
                if adjacent && new.children.last().is_some_and(|last| last.optional) {
                    return None;
                }
                new.children.push(ChildPattern { choices, optional, adjacent });
                adjacent = false;
            }
        }
        new.closed = adjacent;
        let begins_loosely = new.children.first().is_some_and(|first| first.optional && first.adjacent);
        (!begins_loosely).then_some(vec![new])
    }

    /// The field before a node, if there is one; `None` if the grammar has no such field.
    fn field(&mut self) -> Option<Option<u16>> {
        self.peek();
        let end = self.rest.find(|letter: char| !is_word_letter(letter)).unwrap_or(self.rest.len());
        if end == 0 || !self.rest[end..].starts_with(':') {
            return Some(None);
        }
        let field = self.grammar.field_id_for_name(&self.rest[..end])?.get();
        self.rest = &self.rest[end + 1..];
        Some(Some(field))
    }

    /// `#eq? @capture "text"`, with the bracket behind it.
    fn test(&mut self) -> Option<()> {
        if !self.take('#') {
            return None;
        }
        let name = self.word()?;
        if !self.take('?') || !self.take('@') {
            return None;
        }
        let capture = self.capture()?;
        let mut words = Vec::new();
        while self.peek()? == '"' {
            words.push(unescape(self.string()?));
        }
        let rule = match (name, words.len()) {
            ("eq", 1) | ("any-of", 1..) => TextRule::OneOf(words),
            ("match", 1) => TextRule::Matches(words.pop()?, OnceLock::new()),
            _ => return None,
        };
        self.tests.push(TextTest { capture, rule });
        self.take(')').then_some(())
    }

    /// The index of the capture whose name comes here.
    fn capture(&mut self) -> Option<u32> {
        let end = self.rest.find(|letter: char| !is_word_letter(letter) && letter != '.');
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let known = self.captures.iter().position(|known| known == name);
        let index = known.unwrap_or_else(|| {
            self.captures.push(name.to_owned());
            self.captures.len() - 1
        });
        u32::try_from(index).ok().filter(|_| !name.is_empty())
    }

    fn word(&mut self) -> Option<&'a str> {
        self.peek();
        let end = self.rest.find(|letter: char| !is_word_letter(letter)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// What stands between quotes, as it is written.
    fn string(&mut self) -> Option<&'a str> {
        let inside = self.rest.strip_prefix('"')?;
        let mut escaped = false;
        let end = inside.find(|letter| {
            let ends = letter == '"' && !escaped;
            escaped = letter == '\\' && !escaped;
            ends
        })?;
        self.rest = &inside[end + 1..];
        Some(&inside[..end])
    }

    /// The next sign that is neither space nor comment.
    fn peek(&mut self) -> Option<char> {
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.chars().next() {
                Some(';') => self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest),
                other => return other,
            }
        }
    }

    fn take(&mut self, sign: char) -> bool {
        let is_next = self.peek() == Some(sign);
        if is_next {
            self.rest = &self.rest[sign.len_utf8()..];
        }
        is_next
    }
}

fn node(kind: NodeKind) -> NodePattern {
    NodePattern {
        kind,
        field: None,
        captures: Vec::new(),
        children: Vec::new(),
        absent: Vec::new(),
        closed: false,
    }
}

/// The nodes in this field; `None` if one is in a field already.
fn in_field(mut choices: Vec<NodePattern>, field: Option<u16>) -> Option<Vec<NodePattern>> {
    for choice in &mut choices {
        if field.is_some() && choice.field.is_some() {
            return None;
        }
        choice.field = choice.field.or(field);
    }
    Some(choices)
}

fn is_word_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => match letters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(other) => other,
                None => break,
            },
            other => other,
        });
    }
    plain
}

#[cfg(test)]
mod tests {
    use crate::code::patterns::PatternSet;

    #[test]
    fn what_is_not_understood_is_refused() {
        let parse = |text: &str| PatternSet::parse(&tree_sitter_rust::LANGUAGE.into(), text);
        let understood = "; a comment\n[(struct_item name: (_) @a) (enum_item !name (_)? @b .)] @c ((identifier) @d (#eq? @d \"x\"))";
        let set = parse(understood).unwrap();
        assert_eq!(set.capture_names(), ["a", "b", "c", "d"]);
        assert_eq!((set.patterns[0].overlaps, set.patterns[1].overlaps), (true, false));
        for text in [
            "(no_such_kind) @a",
            "(identifier no_such_field: (_)) @a",
            "(_expression) @a",
            "(_) @a",
            "(block (identifier)* @a)",
            "(identifier)? @a",
            "(block (_)? . (_) @a)",
            "(block . (_)? @a)",
            "((identifier) @a (#not-eq? @a \"x\"))",
            "((identifier) @a (#eq? @a @a))",
            "(identifier @a",
        ] {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
