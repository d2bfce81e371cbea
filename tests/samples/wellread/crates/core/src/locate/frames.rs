//! Stack traces: the frames that a text holds, whatever language printed them.
//!
//! Each language has a reader of its own that knows one line, or two that belong together. A frame is what stands in the
//! text: whether its file is one of ours is decided elsewhere.

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

/// One call of a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    /// As it is written, but with `/` between its parts and without what is no path. None where only a function is named.
    pub path: Option<String>,
    pub line: Option<usize>,
    /// With dots between its parts: `store.Store.open`.
    pub function: Option<String>,
}

/// The calls of one failure, the innermost first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    pub frames: Vec<Frame>,
}

/// The traces of a text, and which of its lines they took.
#[derive(Debug, Clone, Default)]
pub struct Traces {
    pub traces: Vec<Trace>,
    taken: HashSet<usize>,
}

/// More frames than any trace needs to be understood: what is deeper than this repeats itself.
const MOST: usize = 200;
/// Lines of source, or of dots, that may stand between two frames.
const BETWEEN: usize = 4;

/// Which end of a trace is the innermost call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Innermost {
    First,
    Last,
}

/// What a reader made of a line.
struct Read {
    frame: Frame,
    innermost: Innermost,
    /// How many lines belong to it.
    lines: usize,
    /// Whether a new trace begins with it, whatever stands before.
    begins: bool,
}

impl Read {
    fn one(frame: Frame) -> Self {
        Self { frame, innermost: Innermost::First, lines: 1, begins: false }
    }

    fn outermost_first(frame: Frame) -> Self {
        Self { innermost: Innermost::Last, ..Self::one(frame) }
    }
}

/// A reader looks at the first of these lines, and at those behind it where a frame takes two.
type Reader = fn(&[&str]) -> Option<Read>;

/// Those that ask for most come first: a frame of the JVM would do for one of Node.
const READERS: [Reader; 9] = [
    python::frame,
    rust::frame,
    jvm::frame,
    dotnet::frame,
    go::frame,
    php::frame,
    native::frame,
    ruby::frame,
    node::frame,
];

/// Every trace of a text.
pub fn traces(text: &str) -> Traces {
    let lines: Vec<&str> = text.lines().map(lines::body).collect();
    let mut found = Traces::default();
    let mut open: Option<(usize, Innermost, Trace)> = None;
    let (mut at, mut last) = (0, 0);
    while at < lines.len() {
        let read = READERS.iter().enumerate().find_map(|(which, read)| Some((which, read(&lines[at..])?)));
        let Some((which, Read { frame, innermost, lines: took, begins })) = read else {
            if begins_anew(lines[at]) {
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
        open.get_or_insert_with(|| (which, innermost, Trace::default())).2.frames.push(frame);
        at += took;
        last = at;
    }
    found.close(open);
    found
}

/// A line with which one trace ends and another begins.
fn begins_anew(line: &str) -> bool {
    let line = line.trim_start();
    ["Traceback (most recent call last)", "Caused by:", "goroutine ", "stack backtrace:", "Suppressed:"]
        .iter()
        .any(|begin| line.starts_with(begin))
}

impl Traces {
    fn close(&mut self, open: Option<(usize, Innermost, Trace)>) {
        let Some((_, innermost, mut trace)) = open else { return };
        if innermost == Innermost::Last {
            trace.frames.reverse();
        }
        let mut seen = HashSet::new();
        trace.frames.retain(|frame| seen.insert(frame.clone()));
        trace.frames.truncate(MOST);
        // The same trace once more, as a log repeats it, says nothing new.
        if self.traces.len() < MOST && !self.traces.contains(&trace) {
            self.traces.push(trace);
        }
    }

    /// The text's other lines, in order.
    pub fn prose<'a>(&self, text: &'a str) -> impl Iterator<Item = &'a str> {
        text.lines().enumerate().filter(|(at, _)| !self.taken.contains(at)).map(|(_, line)| line)
    }
}

/// A word that is a path, with the line behind it: `src/a.rs:31`, `src/a.rs#L31`, `a.cs(31)`. A web address is none.
pub fn path_and_line(word: &str) -> Option<(String, Option<usize>)> {
    let word = word
        .trim_matches(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '/' | '_' | '.' | ')'));
    let word = word.trim_end_matches(['.', ':']);
    let word = if word.contains('(') { word } else { word.trim_end_matches(')') };
    if word.contains("://") || word.contains('@') {
        return None;
    }
    if let Some((path, line)) = lines::place(word) {
        return Some((path, Some(line)));
    }
    let (path, line) = match word.split_once("#L").or_else(|| word.split_once('(')) {
        Some((path, rest)) => {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            (path, digits.parse().ok())
        }
        None => (word, None),
    };
    Some((lines::path_of(path)?, line))
}
