//! What is wrong with a note in the Open Knowledge Format, by its name, its text and the current time.

use serde::Serialize;
use wellread_text::{FileNames, Frontmatter, OkfFields, OkfSource, check_okf};

use crate::ports::Clock;

/// File names that the format reserves for lists and histories.
const RESERVED: [&str; 2] = ["index.md", "log.md"];
/// The fields by which a note of the format is known even if its frontmatter can't be read.
const FIELDS: [&str; 4] = ["sources:", "generated:", "verified:", "stale_after:"];

/// A problem of a note, at its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OkfFinding {
    /// The note's path.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// `error` if the format requires what is missing, `warning` if it only recommends it.
    pub level: &'static str,
    /// What is wrong.
    pub message: String,
}

impl OkfFinding {
    /// An error at a line of a note.
    pub fn error(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, level: "error", message: message.into() }
    }

    /// Whether the format requires what is missing.
    pub fn is_error(&self) -> bool {
        self.level == "error"
    }
}

/// Everything that is wrong with a note of the format, in the order of its lines.
pub fn check_okf_note(path: &str, text: &str, clock: &dyn Clock) -> Vec<OkfFinding> {
    if is_okf_reserved(path) {
        let only_version = |front: Frontmatter| {
            front.fields.is_ok_and(|fields| fields.keys().all(|name| name == "okf_version"))
        };
        let is_sound = Frontmatter::parse(text).is_none_or(only_version);
        let message = "the name is reserved for a list or a history, which has no fields";
        return if is_sound { Vec::new() } else { vec![OkfFinding::error(path, 1, message)] };
    }
    let warning = |line: usize, message: String| OkfFinding {
        level: "warning",
        ..OkfFinding::error(path, line, message)
    };
    let mut problems: Vec<OkfFinding> = check_okf(text)
        .into_iter()
        .map(|found| match found.is_error {
            true => OkfFinding::error(path, found.line, found.message),
            false => warning(found.line, found.message),
        })
        .collect();
    let stale_after = OkfFields::read(text).stale_after;
    if let Some(at) = stale_after.filter(|at| super::is_stale(at, &clock.now()) == Some(true)) {
        let line = Frontmatter::parse(text).and_then(|front| front.line_of(text, "stale_after"));
        problems.push(warning(line.unwrap_or(1), format!("stale since {at}")));
    }
    problems.sort_by_key(|problem| problem.line);
    problems
}

/// Whether a note's `stale_after` has passed.
pub fn is_okf_stale(text: &str, clock: &dyn Clock) -> bool {
    let stale_after = OkfFields::read(text).stale_after;
    stale_after.is_some_and(|at| super::is_stale(&at, &clock.now()) == Some(true))
}

/// The ids, or else the resources, of a note's sources that are paths in the vault and lead to no file.
pub fn find_gone_sources(text: &str, (names, from): (&FileNames, &str)) -> Vec<String> {
    let is_gone = |source: &OkfSource| {
        let path = source.resource.as_deref().and_then(|resource| resource.strip_prefix('/'));
        path.is_some_and(|path| names.resolve(path, from).path().is_none())
    };
    let sources = OkfFields::read(text).sources.into_iter().filter(is_gone);
    sources.filter_map(|source| source.id.or(source.resource)).collect()
}

/// Whether a note has a field that only the format has, also if its frontmatter is broken.
pub fn has_okf_fields(text: &str) -> bool {
    match Frontmatter::parse(text) {
        Some(Frontmatter { fields: Err(_), inner, .. }) => {
            text[inner].lines().any(|line| FIELDS.iter().any(|name| line.starts_with(name)))
        }
        _ => OkfFields::read(text).is_okf(),
    }
}

/// Whether a path is that of a Markdown file: other notes have no frontmatter.
pub fn is_okf_file(path: &str) -> bool {
    let is_known = |ending: &str| ["md", "markdown"].iter().any(|known| ending.eq_ignore_ascii_case(known));
    path.rsplit_once('.').is_some_and(|(_, ending)| is_known(ending))
}

/// Whether the format reserves the name of a file.
pub fn is_okf_reserved(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| RESERVED.contains(&name))
}
