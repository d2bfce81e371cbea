//! Parses a file, and finds in the tree what the language's query asks for.
//!
//! Whoever wrote the file may have meant harm: a file that is too long, or that costs the parser far more steps
//! than code does, is given up. Steps are counted, so that a file is read the same on every machine; seconds only where
//! the parser is lost in a text that is no code, and nothing else would end it.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Parser, Tree};

use crate::Span;

use super::capture::{Capture, Captures};
use super::pattern_search::{PatternMatch, search};
use super::{Language, SymbolKind};

/// Longer files are data or made by programs.
const MAX_BYTES: usize = 1 << 20;
/// A file whose lines are longer than this on average is meant for machines; its names say nothing.
const MAX_MEAN_LINE: usize = 500;
/// How much of the text the parser gets at a time.
const READ: usize = 512;
/// How often the parser may report progress, or ask for text, for a kilobyte of it. Code needs a few.
const STEPS_PER_KB: usize = 100;
/// What a short file may need besides.
const STEPS_AT_LEAST: usize = 500;
/// A hundred times what the longest file takes.
const PATIENCE: Duration = Duration::from_secs(5);

/// A definition or a scope, as the query finds it.
#[derive(Debug, Clone)]
pub(super) struct DefinitionMatch {
    pub name: Span,
    /// `None` is a scope.
    pub kind: Option<SymbolKind>,
    pub span: Span,
    /// Where the body begins.
    pub body: Option<usize>,
    pub owner: Option<Span>,
    pub doc: Option<Span>,
    /// Whether it is only a part of what it stands in.
    pub part: bool,
    /// Which of the patterns gave the kind: the last one wins.
    pattern: usize,
}

/// What a file's tree says.
#[derive(Debug)]
pub(super) struct ParsedCode {
    pub tree: Tree,
    /// In the order of their names.
    pub found: Vec<DefinitionMatch>,
    /// In the order of the text, as are the attributes.
    pub comments: Vec<Span>,
    pub attributes: Vec<Span>,
    /// Whether the parser met what it did not understand.
    pub broken: bool,
}

/// Reads a file, or gives it up.
pub(super) fn read(text: &str, language: Language) -> Option<ParsedCode> {
    let tree = parse(text, language)?;
    let (patterns, captures) = language.definition_patterns()?;
    let mut gathered = MatchCollector::default();
    search(&tree, text, patterns, |found| gathered.add_match(found, captures))?;
    Some(gathered.into_parsed(tree))
}

fn parse(text: &str, language: Language) -> Option<Tree> {
    let lines = text.bytes().filter(|&byte| byte == b'\n').count() + 1;
    // A zero byte ends the text for some grammars, and is in no source file.
    if text.len() > MAX_BYTES || text.len() / lines > MAX_MEAN_LINE || text.contains('\0') {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    let guarded = (language.reading.guard)(text)?;
    let bytes = guarded.as_bytes();
    let most = steps_for(text);
    let (reports, reads) = (Cell::new(0), Cell::new(0));
    let begun = Instant::now();
    let lost = || begun.elapsed() > PATIENCE;
    let mut count = |_: &_| if lost() { ControlFlow::Break(()) } else { step(&reports, most) };
    // Given little by little, so that what is read again and again is noticed, too.
    let mut next = |at: usize, _| match step(&reads, most) {
        ControlFlow::Continue(()) if !lost() => bytes.get(at..bytes.len().min(at + READ)).unwrap_or_default(),
        _ => &[],
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    let tree = parser.parse_with_options(&mut next, None, Some(options))?;
    (!lost() && reads.get() <= most).then_some(tree)
}

fn steps_for(text: &str) -> usize {
    STEPS_AT_LEAST + text.len() / 1024 * STEPS_PER_KB
}

fn step(steps: &Cell<usize>, most: usize) -> ControlFlow<()> {
    steps.set(steps.get() + 1);
    if steps.get() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// What was found so far.
#[derive(Debug, Default)]
struct MatchCollector {
    /// By the place of the name: several patterns may speak of one definition.
    found: BTreeMap<(usize, usize), DefinitionMatch>,
    wrappers: HashMap<(usize, usize), Span>,
    comments: Vec<Span>,
    attributes: Vec<Span>,
}

impl MatchCollector {
    fn add_match(&mut self, found: &PatternMatch<'_, '_>, captures: &Captures) {
        let (mut name, mut span, mut kind, mut body, mut owner, mut doc) =
            (None, None, None, None, None, None);
        let (mut wrapper, mut wrapped, mut part) = (None, None, false);
        for (index, node) in found.captures {
            let place = node.byte_range();
            match captures.get(*index) {
                Capture::Definition(of) => (span, kind) = (Some(place), Some(of)),
                Capture::Part(of) => (span, kind, part) = (Some(place), Some(of), true),
                Capture::Scope => span = Some(place),
                Capture::Name => name = Some(place),
                Capture::Owner => owner = Some(place),
                Capture::Body => body = Some(place.start),
                Capture::Doc => doc = Some(place),
                Capture::Wrapper => wrapper = Some(place),
                Capture::Wrapped => wrapped = Some(place),
                Capture::Comment => self.comments.push(place),
                Capture::Attribute => self.attributes.push(place),
                Capture::Inner => {}
            }
        }
        if let (Some(wrapper), Some(wrapped)) = (wrapper, wrapped) {
            self.wrappers.insert((wrapped.start, wrapped.end), wrapper);
        }
        if let (Some(name), Some(span)) = (name, span) {
            let pattern = found.pattern;
            self.merge(DefinitionMatch { name, kind, span, body, owner, doc, part, pattern });
        }
    }

    fn merge(&mut self, new: DefinitionMatch) {
        let key = (new.name.start, new.name.end);
        let Some(old) = self.found.get_mut(&key) else {
            self.found.insert(key, new);
            return;
        };
        if new.pattern >= old.pattern {
            (old.kind, old.part, old.pattern) = (new.kind, new.part, new.pattern);
        }
        if new.span.len() > old.span.len() {
            old.span = new.span;
        }
        old.body = old.body.or(new.body);
        old.owner = old.owner.take().or(new.owner);
        old.doc = old.doc.take().or(new.doc);
    }

    fn into_parsed(mut self, tree: Tree) -> ParsedCode {
        self.comments.sort_by_key(|span| span.start);
        self.attributes.sort_by_key(|span| span.start);
        let wrappers = self.wrappers;
        let mut found: Vec<DefinitionMatch> = self.found.into_values().collect();
        for one in &mut found {
            // A wrapper may be wrapped itself; each is longer than the one before, so that this ends.
            while let Some(wider) = wrappers.get(&(one.span.start, one.span.end))
                && wider.len() > one.span.len()
            {
                one.span = wider.clone();
            }
        }
        let broken = tree.root_node().has_error();
        ParsedCode { tree, found, comments: self.comments, attributes: self.attributes, broken }
    }
}
