//! Values that only this machine knows: notes, runs, settings, repositories, tools, and files.

use clap::Arg;
use wellread_core::Result;
use wellread_core::faces::tools::catalog;

use super::candidates::{Candidate, ValueSource};
use crate::answers;
use crate::app::App;
use crate::cli::Invocation;
use crate::config::{Config, list_settings};
use crate::wiring::{self, NetworkOptions};

/// More than anybody reads.
const MOST: usize = 2000;
const MOST_RUNS: usize = 50;

/// Tells the shell to complete the names of files itself.
const FILES: &str = ":files";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Note,
    Run,
    Setting,
    Repository,
    Tool,
    File,
}

/// Which arguments have which values: the command (`*` for any), the argument, the kind.
const KINDS: &[(&str, &str, ValueKind)] = &[
    ("note", "path", ValueKind::Note),
    ("note", "preview_run", ValueKind::Run),
    ("chat", "file", ValueKind::Note),
    ("why", "path", ValueKind::Note),
    ("agenda new", "note", ValueKind::Note),
    ("verify", "what", ValueKind::Note),
    ("okf check", "paths", ValueKind::Note),
    ("okf export", "notes", ValueKind::Note),
    ("okf export", "to", ValueKind::File),
    ("runs show", "id", ValueKind::Run),
    ("runs diff", "a", ValueKind::Run),
    ("runs diff", "b", ValueKind::Run),
    ("runs forget", "run", ValueKind::Run),
    ("resume", "run", ValueKind::Run),
    ("replay", "run", ValueKind::Run),
    ("config get", "key", ValueKind::Setting),
    ("config set", "key", ValueKind::Setting),
    ("config unset", "key", ValueKind::Setting),
    ("repo remove", "name", ValueKind::Repository),
    ("tool", "name", ValueKind::Tool),
    ("*", "repo", ValueKind::Repository),
    ("*", "vault", ValueKind::File),
    ("*", "data", ValueKind::File),
    ("*", "config", ValueKind::File),
    ("*", "dir", ValueKind::File),
    ("*", "out", ValueKind::File),
    ("extract", "what", ValueKind::File),
    ("eval", "suite", ValueKind::File),
];

pub struct ValueLister<'a> {
    pub invocation: &'a Invocation,
}

impl ValueSource for ValueLister<'_> {
    fn list_values(&self, command: &[&str], argument: &Arg, typed: &str) -> Vec<Candidate> {
        let command = command.join(" ");
        let is_it = |(of, id, _): &&(&str, &str, ValueKind)| {
            (*of == "*" || *of == command) && argument.get_id().as_str() == *id
        };
        let Some((.., kind)) = KINDS.iter().find(is_it) else { return Vec::new() };
        // Somebody is typing: what can't be listed is left out.
        let all = self.list(*kind).unwrap_or_default();
        let begins = |(value, _): &Candidate| {
            *kind == ValueKind::File || value.to_lowercase().starts_with(&typed.to_lowercase())
        };
        all.into_iter().filter(begins).take(MOST).collect()
    }
}

impl ValueLister<'_> {
    fn list(&self, kind: ValueKind) -> Result<Vec<Candidate>> {
        let named = |name: String| (name, String::new());
        let config = || Config::load(&self.invocation.flags);
        Ok(match kind {
            ValueKind::File => vec![named(FILES.to_owned())],
            ValueKind::Setting => {
                list_settings().iter().map(|key| (key.path.to_string(), key.about.to_string())).collect()
            }
            ValueKind::Repository => config()?.repos()?.into_iter().map(|repo| named(repo.name)).collect(),
            ValueKind::Tool => {
                catalog().iter().map(|tool| named(tool.declaration().name.to_owned())).collect()
            }
            ValueKind::Note => {
                let files = wiring::open_vault_files(&config()?)?.list()?.files;
                files
                    .into_iter()
                    .filter(|file| file.path.is_note())
                    .map(|file| named(file.path.to_string()))
                    .collect()
            }
            ValueKind::Run => {
                let app = App::open(&config()?, NetworkOptions { offline: true, web: false })?;
                let runs = answers::list_runs(&app, None, MOST_RUNS)?;
                runs.into_iter()
                    .map(|run| (run.id.to_string(), format!("{}: {}", run.kind.name(), run.title)))
                    .collect()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory as _};

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_row_names_a_command_and_an_argument_that_exist() {
        let mut root = Cli::command();
        root.build();
        for (path, id, _) in KINDS {
            let has = |command: &Command| command.get_arguments().any(|arg| arg.get_id().as_str() == *id);
            let found = if *path == "*" {
                root.get_subcommands().any(|command| has(command) || command.get_subcommands().any(has))
            } else {
                let command = path.split(' ').try_fold(&root, |command, name| command.find_subcommand(name));
                command.is_some_and(has)
            };
            assert!(found, "{path} {id}");
        }
    }
}
