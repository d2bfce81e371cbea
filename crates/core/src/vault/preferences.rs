//! The user's preferences: the bullets of one note.

use wellread_text::{Note, Splice, append, line_ending};

use super::{How, Outcome, Vault};
use crate::corpus::VaultPath;
use crate::{Error, Kind, Result};

const HEAD: &str = "# Preferences\n\n";

/// One bullet: its text, and the bytes of its line.
struct Bullet {
    text: String,
    span: std::ops::Range<usize>,
}

impl Vault {
    pub fn preferences_note(&self) -> Result<VaultPath> {
        self.rules.file(&self.layout.preferences)
    }

    /// The preferences in order; none where there is no such note.
    pub fn preferences(&self) -> Result<Vec<String>> {
        match self.read(&self.preferences_note()?) {
            Ok(note) => Ok(bullets(&note.text).into_iter().map(|bullet| bullet.text).collect()),
            Err(error) if error.kind() == Kind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    pub fn save_preference(&self, how: How<'_>, preference: &str) -> Result<Outcome> {
        let line = preference.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = line.trim_start_matches("- ");
        if line.is_empty() {
            return Err(Error::invalid("the preference is empty"));
        }
        let path = self.preferences_note()?;
        let bullet = format!("- {line}");
        if self.files.find(&path)?.is_none() {
            return match self.create(how, &path, &format!("{HEAD}{bullet}\n")) {
                // Somebody made it in this moment.
                Err(error) if error.kind() == Kind::Conflict => self.add_bullet(how, &path, &bullet),
                outcome => outcome,
            };
        }
        self.add_bullet(how, &path, &bullet)
    }

    pub fn remove_preference(&self, how: How<'_>, number: usize) -> Result<(String, Outcome)> {
        let path = self.preferences_note()?;
        let removed = std::cell::RefCell::new(String::new());
        let outcome = self.edit(how, &path, |note| {
            let bullets = bullets(&note.text);
            let chosen = number.checked_sub(1).and_then(|n| bullets.get(n)).ok_or_else(|| {
                Error::invalid(format!("there is no preference {number}"))
                    .hint(format!("there are {}, numbered from 1: see list_preferences", bullets.len()))
            })?;
            chosen.text.clone_into(&mut removed.borrow_mut());
            Ok(vec![Splice { span: chosen.span.clone(), text: String::new() }])
        })?;
        Ok((removed.into_inner(), outcome))
    }

    fn add_bullet(&self, how: How<'_>, path: &VaultPath, bullet: &str) -> Result<Outcome> {
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

/// The bullets of the list's first level, those in code and frontmatter left out.
fn bullets(text: &str) -> Vec<Bullet> {
    let note = Note::parse(text);
    let front = note.frontmatter.as_ref().map(|front| front.span.clone());
    let literal = |byte: usize| note.opaque.iter().chain(&front).any(|span| span.contains(&byte));
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let span = start..start + line.len();
        start = span.end;
        let bullet = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
        if let Some(words) = bullet.map(str::trim).filter(|words| !words.is_empty())
            && !literal(span.start)
        {
            found.push(Bullet { text: words.to_owned(), span });
        }
    }
    found
}
