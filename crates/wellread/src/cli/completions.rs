//! `wellread completions`: what a shell needs to complete commands, options and values. The values are this machine's own: notes,
//! runs, settings, repositories.

mod candidates;
mod values;

use std::process::ExitCode;

use clap::{CommandFactory as _, ValueEnum};
use wellread_core::Result;

use self::candidates::find_candidates;
use super::{Cli, Invocation};

/// Print the completions of a shell, which list your notes, runs and settings, too
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Put the line for your shell into its start-up file:\n  bash  ~/.bashrc                      eval \"$(wellread completions \
bash)\"\n  zsh   ~/.zshrc, behind compinit      eval \"$(wellread completions zsh)\"\n  fish  ~/.config/fish/config.fish     wellread \
completions fish | source\n\nExample:\n  wellread completions bash"
)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// The words of a command line that is being typed.
#[derive(Debug, clap::Args)]
pub struct CompleteArgs {
    /// The shell, whose quotes are removed
    #[arg(long, value_enum)]
    shell: Option<Shell>,
    /// Which word is being typed, from 0
    at: usize,
    /// All words, the program first
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

pub fn run(invocation: &Invocation, args: &CompletionsArgs) -> Result<ExitCode> {
    invocation.output.text(match args.shell {
        Shell::Bash => include_str!("completions/wellread.bash"),
        Shell::Zsh => include_str!("completions/wellread.zsh"),
        Shell::Fish => include_str!("completions/wellread.fish"),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a line for each candidate: the value, a tab, and what it is. Nothing is said about what can't be read: somebody is typing.
pub fn complete(invocation: &Invocation, args: &CompleteArgs) -> Result<ExitCode> {
    let mut command = Cli::command();
    command.build();
    let unquote = |word: &String| match args.shell {
        Some(Shell::Bash) => remove_quotes(word),
        _ => word.clone(),
    };
    let words: Vec<String> = args.words.iter().map(unquote).collect();
    let mut lines = String::new();
    for (value, about) in find_candidates(&command, &words, args.at, &values::ValueLister { invocation }) {
        lines += &format!("{}\t{}\n", value.replace(['\n', '\t'], " "), about.replace(['\n', '\t'], " "));
    }
    if !lines.is_empty() {
        invocation.output.text(&lines)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A word as the shell will read it, though a quote may not be closed yet.
fn remove_quotes(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    let (mut letters, mut quote) = (word.chars(), None);
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => plain.extend(letters.next()),
            ('\'' | '"', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            (letter, _) => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_as_the_shell_reads_it() {
        for (word, plain) in [
            ("Bees/Va", "Bees/Va"),
            ("Bees/Varroa\\ mi", "Bees/Varroa mi"),
            ("'Bees/Varroa mi", "Bees/Varroa mi"),
            ("\"it's", "it's"),
            ("'a'\\''b'", "a'b"),
        ] {
            assert_eq!(remove_quotes(word), plain, "{word}");
        }
    }
}
