//! The user's preferences: the bullets of one note.

use wellread_text::{BOM, Note, Splice, append, close_open_blocks, line_ending};

use super::{ChangeOptions, ChangeOutcome, Vault};
use crate::domain::corpus::VaultPath;
use crate::{Error, ErrorKind, Result};

const HEAD: &str = "# Preferences\n\n";
const MARKS: [&str; 3] = ["- ", "* ", "+ "];

/// A bullet: its text, and the byte range of its lines.
struct Bullet {
    text: String,
    span: std::ops::Range<usize>,
}

impl Vault {
    /// The path of the note with the preferences.
    pub fn preferences_note(&self) -> Result<VaultPath> {
        self.rules.parse_file(&self.layout.preferences)
    }

    /// The preferences in order; none if there is no such note.
    pub fn preferences(&self) -> Result<Vec<String>> {
        match self.read(&self.preferences_note()?) {
            Ok(note) => Ok(bullets(&note.text).into_iter().map(|bullet| bullet.text).collect()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// The preferences that the user wrote: without those that came from outside.
    pub fn trusted_preferences(&self) -> Result<Vec<String>> {
        let note = match self.read(&self.preferences_note()?) {
            Ok(note) => note,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let outside = self.outside_spans(&note);
        let own =
            bullets(&note.text).into_iter().filter(|bullet| !outside.origin_of(&bullet.span).is_outside());
        Ok(own.map(|bullet| bullet.text).collect())
    }

    /// Adds a preference as a bullet; the note is created if it is missing.
    pub fn save_preference(&self, how: ChangeOptions<'_>, preference: &str) -> Result<ChangeOutcome> {
        let line = preference.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = line.trim_start_matches("- ");
        if line.is_empty() || line == "-" {
            return Err(Error::invalid("the preference is empty"));
        }
        let path = self.preferences_note()?;
        let bullet = format!("- {line}");
        if close_open_blocks(&bullet) != bullet {
            return Err(Error::invalid(
                "the preference opens a comment or a code block and does not close it",
            )
            .hint("it would hide the preferences after it; put the mark in `code`"));
        }
        if self.files.find(&path)?.is_none() {
            return match self.create(how, &path, &format!("{HEAD}{bullet}\n")) {
                // It was created in the meantime.
                Err(error) if error.kind() == ErrorKind::Conflict => self.add_bullet(how, &path, &bullet),
                outcome => outcome,
            };
        }
        self.add_bullet(how, &path, &bullet)
    }

    /// Removes the preference with this number, from 1, and returns its text.
    pub fn remove_preference(
        &self,
        how: ChangeOptions<'_>,
        number: usize,
    ) -> Result<(String, ChangeOutcome)> {
        let path = self.preferences_note()?;
        let out_of_range = |there_are: usize| {
            Error::invalid(format!("there is no preference {number}"))
                .with_path(path.as_str())
                .hint(format!("there are {there_are}, numbered from 1: see list_preferences"))
        };
        if self.files.find(&path)?.is_none() {
            return Err(out_of_range(0));
        }
        let (outcome, removed) = self.edit_with_result(how, &path, |note| {
            let bullets = bullets(&note.text);
            let chosen = number.checked_sub(1).and_then(|n| bullets.get(n));
            let chosen = chosen.ok_or_else(|| out_of_range(bullets.len()))?;
            let mut span = chosen.span.clone();
            if span.end == note.text.len() && !note.text.ends_with('\n') {
                // The line break before it is removed instead, so that a missing last newline stays missing.
                span.start =
                    note.text[..span.start].trim_end_matches(['\r', '\n']).len().max(first_byte(&note.text));
            }
            Ok((vec![Splice { span, text: String::new() }], chosen.text.clone()))
        })?;
        Ok((removed, outcome))
    }

    fn add_bullet(&self, how: ChangeOptions<'_>, path: &VaultPath, bullet: &str) -> Result<ChangeOutcome> {
        self.edit(how, path, |note| {
            let Some(last) = bullets(&note.text).pop() else { return Ok(vec![append(&note.text, bullet)]) };
            let ending = line_ending(&note.text);
            let at = last.span.end;
            let text = if note.text[..at].ends_with('\n') {
                format!("{bullet}{ending}")
            } else {
                format!("{ending}{bullet}")
            };
            Ok(vec![Splice { span: at..at, text }])
        })
    }
}

/// The top-level bullets of the list, except those in code and frontmatter.
fn bullets(text: &str) -> Vec<Bullet> {
    let note = Note::parse(text);
    let front = note.frontmatter.as_ref().map(|front| front.span.clone());
    let literal = |byte: usize| note.opaque.iter().chain(&front).any(|span| span.contains(&byte));
    let mut found: Vec<Bullet> = Vec::new();
    let mut start = first_byte(text);
    // Whether the next line may still belong to the bullet before.
    let mut goes_on = false;
    for line in text[start..].split_inclusive('\n') {
        let span = start..start + line.len();
        start = span.end;
        let words = line.trim();
        let bullet = MARKS
            .iter()
            .find_map(|mark| line.strip_prefix(mark).or((words == mark.trim_end()).then_some("")));
        if let Some(words) = bullet.map(str::trim)
            && !literal(span.start)
        {
            goes_on = !words.is_empty();
            if goes_on {
                found.push(Bullet { text: words.to_owned(), span });
            }
        } else if let (true, Some(last)) = (goes_on, found.last_mut()) {
            let blank_before = text[last.span.end..span.start].contains('\n');
            let indented = line.starts_with("  ") || line.starts_with('\t');
            if !words.is_empty() && (indented || !blank_before && is_lazy_continuation(line)) {
                last.span.end = span.end;
                last.text = format!("{} {words}", last.text);
            } else {
                goes_on = words.is_empty();
            }
        }
    }
    found
}

/// Where the text begins, after a byte-order mark.
fn first_byte(text: &str) -> usize {
    if text.starts_with(BOM) { BOM.len_utf8() } else { 0 }
}

/// Whether an unindented line continues the paragraph before it, according to Markdown.
fn is_lazy_continuation(line: &str) -> bool {
    let begins_a_block = ["#", ">", "```", "~~~", "---", "***", "___", "|", "<", "%%", "$$"];
    !begins_a_block.iter().any(|mark| line.starts_with(mark))
        && !line.starts_with(|first: char| first.is_ascii_digit())
}
