//! The questions on a terminal: at most five, and Enter alone answers each.

use std::io;
use std::path::{Path, PathBuf};

use wellread_core::{Error, Result};

use super::InitArgs;
use super::choices::{ModelChoice, SetupChoices, check_vault, find_clients, named_vault};
use super::surroundings::Surroundings;
use crate::config::{Config, Flags};
use crate::mcp_clients::McpClient;
use crate::output::Output;
use crate::platform;

/// How often a question is asked again after an answer that can't be used.
const TRIES: usize = 3;
/// How many choices are listed.
const MOST_LISTED: usize = 12;

/// Asks what no flag has answered.
pub fn ask_questions(
    output: Output,
    config: &Config,
    found: &Surroundings,
    args: &InitArgs,
) -> Result<SetupChoices> {
    let mut dialog = Dialog { output };
    let mut choices = SetupChoices {
        vault: None,
        model: ModelChoice::Unchanged,
        private_folders: Vec::new(),
        repos: args.repos.clone(),
        clients: find_clients(&args.clients)?,
    };
    choices.vault = if config.is_vault_flag() { named_vault(config)? } else { dialog.ask_vault(found)? };
    let Some(vault) = choices.vault.clone() else { return Ok(choices) };
    choices.model = match &args.model {
        Some(name) => ModelChoice::find(found, name)?,
        None => dialog.ask_model(found)?,
    };
    if choices.model.is_remote(config) {
        choices.private_folders = dialog.ask_private_folders(&vault, config.private_folders())?;
    }
    if choices.repos.is_empty() {
        choices.repos = dialog.ask_repo(&vault)?;
    }
    if choices.clients.is_empty() && !found.clients.is_empty() {
        choices.clients = dialog.ask_clients(found)?;
    }
    Ok(choices)
}

struct Dialog {
    output: Output,
}

impl Dialog {
    /// One line; nothing where only Enter was pressed. `Err` at the end of the input.
    fn read_answer(&self, prompt: &str) -> Result<Option<String>> {
        self.output.prompt(prompt);
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line);
        let bytes = read.map_err(|error| Error::failed(format!("could not read your answer: {error}")))?;
        if bytes == 0 {
            self.output.prompt("\n");
            return Err(Error::failed("the set-up was cancelled; nothing was written"));
        }
        let answer = line.trim();
        Ok((!answer.is_empty()).then(|| answer.to_owned()))
    }

    /// Asks until `parse` can use the answer, but not for ever. Enter alone gives nothing. `Err` if no answer could be used: a wrong
    /// answer is not a yes to what is suggested.
    fn ask<T>(&self, prompt: &str, parse: impl Fn(&str) -> Result<T>) -> Result<Option<T>> {
        for _ in 0..TRIES {
            let Some(answer) = self.read_answer(prompt)? else { return Ok(None) };
            match parse(&answer) {
                Ok(parsed) => return Ok(Some(parsed)),
                Err(error) => {
                    let hint = error.hint_text().map(|hint| format!(" ({hint})")).unwrap_or_default();
                    self.output.notice(&format!("  {error}{hint}"));
                }
            }
        }
        Err(Error::invalid(format!("none of {TRIES} answers could be used; nothing was written")))
    }

    fn ask_vault(&mut self, found: &Surroundings) -> Result<Option<PathBuf>> {
        let vaults: Vec<_> = found.vaults.iter().take(MOST_LISTED).collect();
        let parse = |answer: &str| match parse_number(answer, vaults.len()) {
            Some(at) => Ok(vaults[at].path.clone()),
            None => check_vault(Path::new(answer)),
        };
        let Some(first) = vaults.first() else {
            return self.ask("Which folder has your notes? Path, or Enter to skip: ", parse);
        };
        self.output.notice("Which folder has your notes?");
        let rows =
            vaults.iter().map(|vault| (vault.path.display().to_string(), vault.origin.describe().to_owned()));
        self.list(rows.collect());
        let chosen = self.ask("Number or path [1]: ", parse)?;
        Ok(Some(chosen.unwrap_or_else(|| first.path.clone())))
    }

    fn ask_model(&mut self, found: &Surroundings) -> Result<ModelChoice> {
        let mut choices = ModelChoice::list(found);
        if choices == [ModelChoice::None] {
            self.output.notice(
                "\nNo language model was found. Wellread works without one; `wellread init` finds one that you add later.",
            );
            return Ok(ModelChoice::Unchanged);
        }
        if choices.len() > MOST_LISTED {
            let none = choices.pop();
            choices.truncate(MOST_LISTED - 1);
            choices.extend(none);
        }
        self.output.notice("\nWhich language model should answer?");
        self.list(choices.iter().map(|choice| describe_model(choice, found)).collect());
        let parse = |answer: &str| match parse_number(answer, choices.len()) {
            Some(at) => Ok(choices[at].clone()),
            None => ModelChoice::find(found, answer),
        };
        Ok(self.ask("Number or name [1]: ", parse)?.unwrap_or_else(|| choices.swap_remove(0)))
    }

    /// Asks for folders beside those that are private already.
    fn ask_private_folders(&mut self, vault: &Path, known: &[String]) -> Result<Vec<String>> {
        let parse = |answer: &str| {
            let folders = answer.split(',').map(str::trim).filter(|folder| !folder.is_empty());
            let folders: Vec<String> = folders.map(str::to_owned).collect();
            if folders.is_empty() {
                return Err(Error::invalid("no folder is named"));
            }
            for folder in &folders {
                if !vault.join(folder.trim_matches('/')).is_dir() {
                    return Err(Error::not_found(format!("the vault has no folder `{folder}`")));
                }
            }
            Ok(folders)
        };
        if !known.is_empty() {
            self.output.notice(&format!("\nPrivate already, and so they stay: {}", known.join(", ")));
        }
        let asked = self.ask(
            "\nFolders whose notes must never be sent there, with commas between (Enter for no change): ",
            parse,
        )?;
        Ok(asked.unwrap_or_default())
    }

    fn ask_repo(&mut self, vault: &Path) -> Result<Vec<PathBuf>> {
        let flags = Flags { vault: Some(vault.display().to_string()), ..Flags::default() };
        let parse = |answer: &str| {
            let config = Config::from_flags(&flags)?;
            crate::folder::check_no_overlap(&crate::folder::resolve_folder(Path::new(answer))?, &config)?;
            platform::expand_home(answer)
        };
        let asked =
            self.ask("\nA folder of code to search beside your notes? Path, or Enter for none: ", parse)?;
        Ok(asked.into_iter().collect())
    }

    fn ask_clients(&mut self, found: &Surroundings) -> Result<Vec<&'static McpClient>> {
        self.output.notice("\nAdd Wellread to a program that uses MCP servers?");
        self.list(found.clients.iter().map(|client| (client.title.to_owned(), String::new())).collect());
        let parse = |answer: &str| {
            let words = answer.split([',', ' ']).filter(|word| !word.is_empty());
            let named = words
                .map(|word| match parse_number(word, found.clients.len()) {
                    Some(at) => Ok(found.clients[at]),
                    None => McpClient::find(word),
                })
                .collect::<Result<Vec<_>>>()?;
            if named.is_empty() { Err(Error::invalid("no number is named")) } else { Ok(named) }
        };
        Ok(self.ask("Numbers, or Enter for none: ", parse)?.unwrap_or_default())
    }

    /// Numbered lines of two columns.
    fn list(&self, rows: Vec<(String, String)>) {
        let widest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
        for (number, (name, about)) in (1..).zip(rows) {
            self.output.notice(format!("  {number:>2}  {name:<widest$}  {about}").trim_end());
        }
    }
}

/// What a number in a list stands for, from 0.
fn parse_number(answer: &str, length: usize) -> Option<usize> {
    answer.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).filter(|at| *at < length)
}

/// A choice and what it means.
fn describe_model(choice: &ModelChoice, found: &Surroundings) -> (String, String) {
    match choice {
        ModelChoice::Unchanged => {
            (found.current_model.clone().unwrap_or_default(), "as it is set up now".to_owned())
        }
        ModelChoice::None => ("none".to_owned(), "answers quote your notes word for word".to_owned()),
        ModelChoice::Local { program, name, .. } => (name.clone(), format!("{program}, on this machine")),
        ModelChoice::Hosted(service) => (
            service.name.clone(),
            format!(
                "by the key in {}; your questions and the notes they need are sent there",
                service.variable
            ),
        ),
    }
}
