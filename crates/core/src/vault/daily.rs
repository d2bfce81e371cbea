//! Today's note, and the log that is kept in it.

use wellread_text::{append, close_fences, link_names};

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
            let apart = note.text.trim().is_empty() || note.text.ends_with("\n\n") || note.text.ends_with("\n\r\n");
            let entry = if apart { entry.to_owned() } else { format!("\n{entry}") };
            Ok(vec![append(&note.text, &entry)])
        })
    }

    fn entry(&self, interaction: &Interaction, into: &VaultPath) -> Result<String> {
        let files = self.files.list()?.files;
        let mut names: Vec<&str> =
            files.iter().filter(|entry| entry.path.is_note() && entry.path != *into).map(|entry| entry.path.stem()).collect();
        names.sort_unstable();
        names.dedup();
        let linked = |text: &str| link_names(&close_fences(text.trim()), &names);
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let time = self.clock.now().strftime("%H:%M").to_string();
        let mut entry = format!("## {time} {}\n", one_line(&interaction.task_description));
        let conversation = interaction.summary.trim().eq_ignore_ascii_case("n/a");
        entry += &format!("\n**Query:** {}\n", linked(&one_line(&interaction.query)));
        match &interaction.full_response {
            Some(response) if conversation => entry += &format!("\n**Response:**\n\n{}\n", linked(response)),
            Some(response) => {
                entry += &format!("\n**Summary:** {}\n", linked(&interaction.summary));
                entry += &format!("\n**Response:**\n\n{}\n", linked(response));
            }
            None => entry += &format!("\n**Summary:** {}\n", linked(&interaction.summary)),
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
            Ok(path) if path.is_note() => match path.as_str().strip_suffix(".md") {
                Some(name) if name == path.stem() => format!("[[{name}]]"),
                Some(name) => format!("[[{name}|{}]]", path.stem()),
                None => format!("[[{path}]]"),
            },
            Ok(path) => format!("[[{path}]]"),
            Err(_) => format!("`{}`", written.replace('`', "'")),
        }
    }
}
