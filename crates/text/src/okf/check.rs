//! Says what is wrong with the Open Knowledge Format fields of a note, each with its line.

use std::collections::BTreeSet;

use serde_json::Value;

use super::fields::{OkfEvent, OkfFields};
use crate::note::frontmatter::scalar_text;
use crate::{Frontmatter, LineIndex, find_footnotes};

/// What is wrong with a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OkfProblem {
    /// The line, from 1.
    pub line: usize,
    /// Whether the format requires what is missing; otherwise it only recommends it.
    pub is_error: bool,
    /// What is wrong: lower case, without a full stop.
    pub message: String,
}

/// The values of `status`.
const STATUSES: [&str; 3] = ["draft", "stable", "deprecated"];

/// Checks a note against OKF v0.2, in the order of its lines. Whether a date has passed is not asked here.
pub fn check_okf(text: &str) -> Vec<OkfProblem> {
    let Some(front) = Frontmatter::parse(text) else {
        let message = if text.trim_start_matches(crate::BOM).starts_with("---") {
            "the frontmatter is not closed by a line `---`"
        } else {
            "there is no frontmatter: `type` is required"
        };
        return vec![OkfProblem { line: 1, is_error: true, message: message.to_owned() }];
    };
    let lines = LineIndex::new(text);
    let mut check = FieldCheck { text, lines, front: &front, problems: Vec::new() };
    match &front.fields {
        Ok(_) => {
            check.check_type();
            check.check_sources();
            check.check_events("generated");
            check.check_events("verified");
            check.check_lifecycle();
            check.check_footnotes();
        }
        Err(trouble) => {
            let line =
                trouble.rsplit_once("(line ").and_then(|(_, rest)| rest.trim_end_matches(')').parse().ok());
            check.add(line.unwrap_or(1), true, format!("the frontmatter can't be read: {trouble}"));
        }
    }
    check.problems.sort_by_key(|problem| problem.line);
    check.problems
}

struct FieldCheck<'a> {
    text: &'a str,
    lines: LineIndex,
    front: &'a Frontmatter,
    problems: Vec<OkfProblem>,
}

impl FieldCheck<'_> {
    fn add(&mut self, line: usize, is_error: bool, message: String) {
        self.problems.push(OkfProblem { line, is_error, message });
    }

    fn line(&self, name: &str) -> usize {
        self.front.line_of(self.text, name).unwrap_or(1)
    }

    /// The entries of a list with their lines; a single mapping is a list of one where the format allows that.
    fn entries(&mut self, name: &str, may_be_single: bool) -> Vec<(usize, Value)> {
        let line = self.line(name);
        match self.front.field(name) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(items)) => {
                let places = self.front.list_items(self.text, name);
                let lines = places.map_or_else(
                    || vec![line; items.len()],
                    |places| places.iter().map(|place| self.lines.line_of(place.start)).collect(),
                );
                lines.into_iter().zip(items.iter().cloned()).collect()
            }
            Some(single @ Value::Object(_)) if may_be_single => vec![(line, single.clone())],
            Some(_) => {
                self.add(line, true, format!("`{name}` is not a list"));
                Vec::new()
            }
        }
    }

    fn check_type(&mut self) {
        let line = self.line("type");
        match self.front.field("type") {
            Some(Value::String(kind)) if !kind.trim().is_empty() => {}
            None => self.add(1, true, "`type` is missing".to_owned()),
            Some(_) => self.add(line, true, "`type` is not a text".to_owned()),
        }
    }

    fn check_sources(&mut self) {
        let mut known = BTreeSet::new();
        for (line, entry) in self.entries("sources", false) {
            let part =
                |name: &str| entry.get(name).and_then(scalar_text).filter(|text| !text.trim().is_empty());
            if !entry.is_object() {
                self.add(line, true, "this entry of `sources` has no fields: it needs `resource`".to_owned());
            } else if part("resource").is_none() {
                self.add(line, true, "this entry of `sources` has no `resource`".to_owned());
            }
            if let Some(id) = part("id").filter(|id| !known.insert(id.clone())) {
                self.add(line, true, format!("two entries of `sources` have the id `{id}`"));
            }
        }
    }

    fn check_events(&mut self, name: &str) {
        let entries = match self.front.field("generated") {
            Some(value) if name == "generated" && !value.is_object() && !value.is_null() => {
                let line = self.line(name);
                return self.add(line, true, "`generated` has no fields: it needs `by`".to_owned());
            }
            _ => self.entries(name, true),
        };
        for (line, entry) in entries {
            let event = OkfEvent::from_value(&entry);
            match &event.by {
                None => self.add(line, true, format!("`{name}` does not say by whom: `by` is missing")),
                Some(by) if !is_actor(by) => {
                    let message =
                        format!("`{by}` is no actor: write `producer/version`, `human:id` or `process:id`");
                    self.add(line, false, message);
                }
                Some(_) => {}
            }
            match &event.at {
                None => self.add(line, false, format!("`{name}` does not say when: `at` is missing")),
                Some(at) => self.check_instant(line, &format!("{name}.at"), at),
            }
        }
    }

    fn check_lifecycle(&mut self) {
        let line = self.line("stale_after");
        match self.front.field("stale_after") {
            None | Some(Value::Null) => {}
            Some(value) => self.check_instant(line, "stale_after", &scalar_text(value).unwrap_or_default()),
        }
        let line = self.line("status");
        let status = self.front.field("status").and_then(scalar_text);
        if let Some(status) = status.filter(|status| !STATUSES.contains(&status.as_str())) {
            self.add(line, false, format!("`{status}` is no status: write {}", STATUSES.join(", ")));
        }
    }

    fn check_instant(&mut self, line: usize, name: &str, written: &str) {
        let (day, time) = written.split_once(['T', 't']).unwrap_or((written, ""));
        let (time, offset) = split_offset(time);
        if !is_day(day) || (written.len() > day.len() && !is_time(time)) || !is_offset(offset) {
            self.add(line, true, format!("`{name}` is no date and time: `{written}`"));
        } else if offset.is_empty() {
            let message = format!("`{name}` has no UTC offset: write it as 2026-09-23T00:00:00Z");
            self.add(line, false, message);
        }
    }

    /// A footnote without a link of its own cites nothing, unless its label is the id of a source.
    fn check_footnotes(&mut self) {
        let start = self.front.span.end;
        let body = &self.text[start..];
        let ids: BTreeSet<String> =
            OkfFields::read(self.text).sources.into_iter().filter_map(|source| source.id).collect();
        if ids.is_empty() {
            return;
        }
        for (span, label) in find_footnotes(body).definitions {
            let definition = &body[span.clone()];
            if !ids.contains(&label)
                && !definition.contains("](")
                && !definition.contains("[[")
                && !definition.contains("://")
            {
                let message = format!("no entry of `sources` has the id of the footnote `[^{label}]`");
                self.add(self.lines.line_of(start + span.start), false, message);
            }
        }
    }
}

fn is_actor(by: &str) -> bool {
    let named = |prefix: &str| by.strip_prefix(prefix).is_some_and(|id| !id.trim().is_empty());
    let is_versioned =
        by.split_once('/').is_some_and(|(name, version)| !name.is_empty() && !version.is_empty());
    named("human:") || named("process:") || is_versioned
}

/// Whether it is `YYYY-MM-DD`, with a month and a day that there are.
fn is_day(written: &str) -> bool {
    let parts: Vec<&str> = written.split('-').collect();
    let within = |part: &str, length: usize, most: u32| {
        part.len() == length
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && part.parse().is_ok_and(|number: u32| (1..=most).contains(&number))
    };
    matches!(parts.as_slice(), [year, month, day] if within(year, 4, 9999) && within(month, 2, 12) && within(day, 2, 31))
}

/// A time, and the `Z`, `+02:00`, `+0200` or `+02` behind it.
fn split_offset(time: &str) -> (&str, &str) {
    time.split_at(time.find(['Z', 'z', '+', '-']).unwrap_or(time.len()))
}

/// Whether it is `HH:MM`, `HH:MM:SS` or `HH:MM:SS.sss`.
fn is_time(written: &str) -> bool {
    let (whole, fraction) = written.split_once('.').unwrap_or((written, "0"));
    let parts: Vec<&str> = whole.split(':').collect();
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    is_fraction
        && match parts.as_slice() {
            [hour, minute] => is_below(hour, 24) && is_below(minute, 60) && whole == written,
            // A leap second has the number 60.
            [hour, minute, second] => is_below(hour, 24) && is_below(minute, 60) && is_below(second, 61),
            _ => false,
        }
}

/// Whether it is an offset from UTC, or empty.
fn is_offset(written: &str) -> bool {
    let Some(number) = written.strip_prefix(['+', '-']) else {
        return ["", "Z", "z"].contains(&written);
    };
    let parts = number.split_once(':').or_else(|| number.split_at_checked(2)).unwrap_or((number, ""));
    is_below(parts.0, 24) && (is_below(parts.1, 60) || number.len() == 2)
}

/// Whether it is a number of two digits below a limit.
fn is_below(written: &str, limit: u32) -> bool {
    written.len() == 2
        && written.bytes().all(|byte| byte.is_ascii_digit())
        && written.parse().is_ok_and(|number: u32| number < limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> String {
        let shown = |problem: &OkfProblem| {
            format!("{}{} {}", problem.line, if problem.is_error { "!" } else { "?" }, problem.message)
        };
        check_okf(text).iter().map(shown).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_sound_note_has_no_problems() {
        for text in [
            "---\ntype: Note\n---\n",
            "---\r\ntype: Note\r\nsources:\r\n- id: a\r\n  resource: /A.md\r\ngenerated: {by: wellread/1, at: 2026-06-20T22:53:05Z}\r\n---\r\nx[^a]\r\n\r\n[^a]: A\r\n",
            "---\ntype: Note\nverified:\n  - by: human:ana\n    at: 2026-06-25T09:00:00+02:00\nstatus: draft\nstale_after: 2026-09-23T00:00:00Z\n---\n",
        ] {
            assert_eq!(problems(text), "", "{text}");
        }
    }

    #[test]
    fn each_problem_has_its_line() {
        for (text, expected) in [
            ("# x\n", "1! there is no frontmatter: `type` is required"),
            ("---\ntype: x\n", "1! the frontmatter is not closed by a line `---`"),
            ("---\na: 1\ntype: ''\n---\n", "3! `type` is not a text"),
            ("---\ntype: x\nsources: https://a.org\n---\n", "3! `sources` is not a list"),
            (
                "---\ntype: x\nsources:\n  # mine\n  - id: a\n    resource: r\n  - id: a\n    resource: r\n  - title: t\n---\n",
                "7! two entries of `sources` have the id `a`\n9! this entry of `sources` has no `resource`",
            ),
            (
                "---\ntype: x\ngenerated: me\nverified:\n  - at: 2026-01-01\n---\n",
                "3! `generated` has no fields: it needs `by`\n5! `verified` does not say by whom: `by` is missing\n5? `verified.at` has no UTC offset: write it as 2026-09-23T00:00:00Z",
            ),
            (
                "---\ntype: x\nstale_after: soon\nstatus: new\n---\n",
                "3! `stale_after` is no date and time: `soon`\n4? `new` is no status: write draft, stable, deprecated",
            ),
            (
                "---\ntype: x\nsources: [{id: a, resource: r}]\n---\n\nOne[^a], two[^b], three[^c].\n\n[^a]: A\n[^b]: B\n[^c]: [[C]]\n",
                "9? no entry of `sources` has the id of the footnote `[^b]`",
            ),
        ] {
            assert_eq!(problems(text), expected, "{text}");
        }
        for (at, is_sound) in [
            ("2026-01-01T10:00Z", true),
            ("2026-01-01T10:00:00.25-0330", true),
            ("2026-01-01T10:00:00+02", true),
            ("2026-01-01T24:00:00Z", false),
            ("2026-01-01T10:61Z", false),
            ("2026-01-01T10:00:00Zulu", false),
            ("2026-01-01T10:00:00+2 h", false),
            ("2026-01-01T", false),
        ] {
            let found = problems(&format!("---\ntype: x\nstale_after: {at}\n---\n"));
            assert_eq!(found.is_empty(), is_sound, "{at}: {found}");
        }
        let broken = problems("---\ntype: x\na: [\n---\n");
        assert!(broken.contains("! the frontmatter can't be read"), "{broken}");
    }
}
