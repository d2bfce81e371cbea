//! Parses stack traces of many languages.
//!
//! Each language has a parser of its own, which looks at one line, or at two that belong together. Whether a frame's
//! file belongs to the repository is decided elsewhere.

mod dotnet;
mod go;
mod jvm;
mod lines;
mod native;
mod node;
mod php;
mod python;
mod ruby;
mod rust;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

/// One call of a stack trace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The path as written, but with `/` between its parts and without what is not part of it. `None` if only a
    /// function is named.
    pub path: Option<String>,
    pub line: Option<usize>,
    /// The function, with dots between its parts: `store.Store.open`.
    pub function: Option<String>,
}

/// The calls of one failure, the innermost first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StackTrace {
    pub frames: Vec<Frame>,
}

/// The traces of a text, and which of its lines belong to them.
#[derive(Debug, Clone, Default)]
pub struct StackTraces {
    pub traces: Vec<StackTrace>,
    taken: HashSet<usize>,
}

/// The most frames of a trace, and the most traces of a text; deeper frames are repetitions.
const MOST: usize = 200;
/// The most lines of source or dots between two frames.
const BETWEEN: usize = 4;

/// Which end of a trace is the innermost call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Innermost {
    First,
    Last,
}

/// A parsed frame, and how it continues the trace.
struct ParsedFrame {
    frame: Frame,
    innermost: Innermost,
    /// How many lines the frame takes.
    lines: usize,
    /// Whether it starts a new trace, whatever comes before.
    begins: bool,
}

impl ParsedFrame {
    fn new(frame: Frame) -> Self {
        Self { frame, innermost: Innermost::First, lines: 1, begins: false }
    }

    fn outermost_first(frame: Frame) -> Self {
        Self { innermost: Innermost::Last, ..Self::new(frame) }
    }
}

/// A parser looks at the first of these lines, and at those after it if a frame takes two.
type FrameReader = fn(&[&str]) -> Option<ParsedFrame>;

/// Ordered from the strictest to the most lenient: the parser for Node would accept a frame of the JVM.
const READERS: [FrameReader; 9] = [
    python::parse_frame,
    rust::parse_frame,
    jvm::parse_frame,
    dotnet::parse_frame,
    go::parse_frame,
    php::parse_frame,
    native::parse_frame,
    ruby::parse_frame,
    node::parse_frame,
];

/// All stack traces of a text.
pub fn parse_traces(text: &str) -> StackTraces {
    let lines: Vec<&str> = text.lines().map(lines::strip_log_prefix).collect();
    let mut found = StackTraces::default();
    let mut open: Option<(usize, Innermost, StackTrace)> = None;
    let (mut at, mut last) = (0, 0);
    while at < lines.len() {
        let read = READERS.iter().enumerate().find_map(|(which, read)| Some((which, read(&lines[at..])?)));
        let Some((which, ParsedFrame { frame, innermost, lines: took, begins })) = read else {
            if starts_new_trace(lines[at]) {
                found.close(open.take());
            }
            at += 1;
            continue;
        };
        let goes_on = open.as_ref().is_some_and(|(reader, order, _)| {
            *reader == which && *order == innermost && !begins && at - last <= BETWEEN
        });
        if !goes_on {
            found.close(open.take());
        }
        found.taken.extend(at..at + took);
        open.get_or_insert_with(|| (which, innermost, StackTrace::default())).2.frames.push(frame);
        at += took;
        last = at;
    }
    found.close(open);
    found
}

/// Whether a line ends one trace and starts another.
fn starts_new_trace(line: &str) -> bool {
    let line = line.trim_start();
    ["Traceback (most recent call last)", "Caused by:", "goroutine ", "stack backtrace:", "Suppressed:"]
        .iter()
        .any(|begin| line.starts_with(begin))
}

impl StackTraces {
    fn close(&mut self, open: Option<(usize, Innermost, StackTrace)>) {
        let Some((_, innermost, mut trace)) = open else { return };
        if innermost == Innermost::Last {
            trace.frames.reverse();
        }
        let mut seen = HashSet::new();
        trace.frames.retain(|frame| seen.insert(frame.clone()));
        trace.frames.truncate(MOST);
        // A repeated trace, as in a log, adds nothing.
        if self.traces.len() < MOST && !self.traces.contains(&trace) {
            self.traces.push(trace);
        }
    }

    /// The lines of the text that belong to no trace, in order.
    pub fn prose<'a>(&self, text: &'a str) -> impl Iterator<Item = &'a str> {
        text.lines().enumerate().filter(|(at, _)| !self.taken.contains(at)).map(|(_, line)| line)
    }
}

/// Parses a path with its line, if it has one: `src/a.rs:31`, `src/a.rs#L31`, `a.cs(31)`. `None` for a web address.
pub fn path_and_line(word: &str) -> Option<(String, Option<usize>)> {
    let word = word
        .trim_matches(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '/' | '_' | '.' | ')'));
    let word = word.trim_end_matches(['.', ':']);
    let word = if word.contains('(') { word } else { word.trim_end_matches(')') };
    if word.contains("://") || word.contains('@') {
        return None;
    }
    if let Some((path, line)) = lines::parse_place(word) {
        return Some((path, Some(line)));
    }
    let (path, line) = match word.split_once("#L").or_else(|| word.split_once('(')) {
        Some((path, rest)) => {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            (path, digits.parse().ok())
        }
        None => (word, None),
    };
    Some((lines::parse_path(path)?, line))
}
