//! Today's note, and the log of interactions in it.

use wellread_text::{append, close_open_blocks, line_ending, link_names};

use super::{ChangeOptions, ChangeOutcome, Vault};
use crate::domain::corpus::VaultPath;
use crate::{Error, ErrorKind, Result};

/// An interaction to be logged.
#[derive(Debug, Clone)]
pub struct Interaction {
    /// What the task was.
    pub task_description: String,
    /// What the user asked.
    pub query: String,
    /// A summary of the answer; `n/a` if the whole conversation is logged instead.
    pub summary: String,
    /// The files that were used.
    pub files: Vec<String>,
    /// The whole answer.
    pub full_response: Option<String>,
}

impl Vault {
    /// The path of today's note.
    pub fn daily_note(&self) -> Result<VaultPath> {
        let today = self.clock.now().date();
        self.rules.parse_file(&format!("{}/{today}.md", self.layout.daily_notes))
    }

    /// Adds an entry to today's note, which is created if it is missing. Names of notes become links.
    pub fn log_interaction(
        &self,
        how: ChangeOptions<'_>,
        interaction: &Interaction,
    ) -> Result<(VaultPath, ChangeOutcome)> {
        if interaction.task_description.trim().is_empty() {
            return Err(Error::invalid("the task description is empty"));
        }
        let path = self.daily_note()?;
        let entry = self.render_entry(interaction, &path)?;
        let outcome = match self.files.find(&path)? {
            Some(_) => self.add_entry(how, &path, &entry)?,
            None => match self.create(how, &path, &format!("{entry}\n")) {
                // It was created in the meantime.
                Err(error) if error.kind() == ErrorKind::Conflict => self.add_entry(how, &path, &entry)?,
                outcome => outcome?,
            },
        };
        Ok((path, outcome))
    }

    fn add_entry(&self, how: ChangeOptions<'_>, path: &VaultPath, entry: &str) -> Result<ChangeOutcome> {
        self.edit(how, path, |note| {
            let ends_in_blank_line =
                note.text.trim().is_empty() || note.text.ends_with("\n\n") || note.text.ends_with("\n\r\n");
            let mut added = append(&note.text, entry);
            if !ends_in_blank_line {
                added.text.insert_str(0, line_ending(&note.text));
            }
            Ok(vec![added])
        })
    }

    fn render_entry(&self, interaction: &Interaction, into: &VaultPath) -> Result<String> {
        let files = self.files.list()?.files;
        let is_named = |path: &VaultPath| path.extension() == Some("md") && path != into;
        let mut names: Vec<&str> =
            files.iter().filter(|entry| is_named(&entry.path)).map(|entry| entry.path.stem()).collect();
        names.sort_unstable();
        names.dedup();
        let part = |label: &str, text: &str| render_labeled(label, &link_names(text.trim(), &names));
        let time = self.clock.now().strftime("%H:%M").to_string();
        let mut entry =
            close_open_blocks(&format!("## {time} {}", one_line(&interaction.task_description))) + "\n";
        entry += &part("Query", &one_line(&interaction.query));
        let conversation =
            interaction.full_response.is_some() && interaction.summary.trim().eq_ignore_ascii_case("n/a");
        if !conversation {
            entry += &part("Summary", &interaction.summary);
        }
        if let Some(response) = &interaction.full_response {
            entry +=
                &format!("\n**Response:**\n\n{}\n", close_open_blocks(&link_names(response.trim(), &names)));
        }
        if !interaction.files.is_empty() {
            entry += "\n**Files:**\n\n";
            for file in &interaction.files {
                entry += &format!("- {}\n", self.file_link(&one_line(file)));
            }
        }
        Ok(entry.trim_end().to_owned())
    }

    /// A link to an existing file; inline code if there is no such file, or if its name can't be linked.
    fn file_link(&self, written: &str) -> String {
        match self.locate(written) {
            Ok(path)
                if path.as_str().contains(['[', ']', '|', '#', '^', '\\'])
                    || path.as_str().contains("%%") =>
            {
                render_inline_code(path.as_str())
            }
            Ok(path) if path.is_note() => match path.as_str().strip_suffix(".md") {
                Some(name) if name == path.stem() => format!("[[{name}]]"),
                Some(name) => format!("[[{name}|{}]]", path.stem()),
                None => format!("[[{path}]]"),
            },
            Ok(path) => format!("[[{path}]]"),
            Err(_) => render_inline_code(written),
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A labeled part of an entry. A text of several lines gets lines of its own, since a fence or a list must begin a
/// line. Blocks that it leaves open are closed.
fn render_labeled(label: &str, text: &str) -> String {
    let between = if text.contains('\n') { "\n\n" } else { " " };
    format!("\n{}\n", close_open_blocks(&format!("**{label}:**{between}{text}")))
}

/// Inline code for a file that can't be linked.
fn render_inline_code(words: &str) -> String {
    format!("`{}`", words.replace('`', "'").replace(char::is_control, "\u{fffd}"))
}
