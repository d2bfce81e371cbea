//! Today's note, and the log that is kept in it.

use wellread_text::{append, close_fences, line_ending, link_names};

use super::{How, Outcome, Vault};
use crate::corpus::VaultPath;
use crate::{Error, Kind, Result};

/// What is to be logged.
#[derive(Debug, Clone)]
pub struct Interaction {
    pub task_description: String,
    pub query: String,
    /// `n/a` where the whole conversation is logged instead.
    pub summary: String,
    pub files: Vec<String>,
    pub full_response: Option<String>,
}

impl Vault {
    pub fn daily_note(&self) -> Result<VaultPath> {
        let today = self.clock.now().date();
        self.rules.file(&format!("{}/{today}.md", self.layout.daily_notes))
    }

    /// Adds an entry to today's note, which is made where it is missing. Names of notes become links.
    pub fn log(&self, how: How<'_>, interaction: &Interaction) -> Result<(VaultPath, Outcome)> {
        if interaction.task_description.trim().is_empty() {
            return Err(Error::invalid("the task description is empty"));
        }
        let path = self.daily_note()?;
        let entry = self.entry(interaction, &path)?;
        let outcome = match self.files.find(&path)? {
            Some(_) => self.add_entry(how, &path, &entry)?,
            None => match self.create(how, &path, &format!("{entry}\n")) {
                // Somebody made it in this moment.
                Err(error) if error.kind() == Kind::Conflict => self.add_entry(how, &path, &entry)?,
                outcome => outcome?,
            },
        };
        Ok((path, outcome))
    }

    fn add_entry(&self, how: How<'_>, path: &VaultPath, entry: &str) -> Result<Outcome> {
        self.edit(how, path, |note| {
            let apart =
                note.text.trim().is_empty() || note.text.ends_with("\n\n") || note.text.ends_with("\n\r\n");
            let mut added = append(&note.text, entry);
            if !apart {
                added.text.insert_str(0, line_ending(&note.text));
            }
            Ok(vec![added])
        })
    }

    fn entry(&self, interaction: &Interaction, into: &VaultPath) -> Result<String> {
        let files = self.files.list()?.files;
        let is_named = |path: &VaultPath| path.ending() == Some("md") && path != into;
        let mut names: Vec<&str> =
            files.iter().filter(|entry| is_named(&entry.path)).map(|entry| entry.path.stem()).collect();
        names.sort_unstable();
        names.dedup();
        let part = |label: &str, text: &str| labelled(label, &link_names(text.trim(), &names));
        let time = self.clock.now().strftime("%H:%M").to_string();
        let mut entry =
            close_fences(&format!("## {time} {}", one_line(&interaction.task_description))) + "\n";
        entry += &part("Query", &one_line(&interaction.query));
        let conversation =
            interaction.full_response.is_some() && interaction.summary.trim().eq_ignore_ascii_case("n/a");
        if !conversation {
            entry += &part("Summary", &interaction.summary);
        }
        if let Some(response) = &interaction.full_response {
            entry += &format!("\n**Response:**\n\n{}\n", close_fences(&link_names(response.trim(), &names)));
        }
        if !interaction.files.is_empty() {
            entry += "\n**Files:**\n\n";
            for file in &interaction.files {
                entry += &format!("- {}\n", self.file_link(&one_line(file)));
            }
        }
        Ok(entry.trim_end().to_owned())
    }

    /// A link to a file that is there; the plain words where there is none.
    fn file_link(&self, written: &str) -> String {
        match self.locate(written) {
            Ok(path)
                if path.as_str().contains(['[', ']', '|', '#', '^', '\\'])
                    || path.as_str().contains("%%") =>
            {
                in_code(path.as_str())
            }
            Ok(path) if path.is_note() => match path.as_str().strip_suffix(".md") {
                Some(name) if name == path.stem() => format!("[[{name}]]"),
                Some(name) => format!("[[{name}|{}]]", path.stem()),
                None => format!("[[{path}]]"),
            },
            Ok(path) => format!("[[{path}]]"),
            Err(_) => in_code(written),
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A part of an entry. One of several lines stands on its own, since a fence or a list begins a line. Whatever it leaves
/// open is closed, as it stands there.
fn labelled(label: &str, text: &str) -> String {
    let between = if text.contains('\n') { "\n\n" } else { " " };
    format!("\n{}\n", close_fences(&format!("**{label}:**{between}{text}")))
}

/// Words that stand for a file, where no link can.
fn in_code(words: &str) -> String {
    format!("`{}`", words.replace('`', "'").replace(char::is_control, "\u{fffd}"))
}
