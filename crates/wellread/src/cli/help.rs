//! The help of the program as a whole: its commands in groups.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory as _, ValueEnum as _};

use super::Cli;
use crate::output::ColorChoice;

/// The groups and their commands, in the order in which they are listed. Every visible command is in one of them.
const GROUPS: &[(&str, &[&str])] = &[
    ("Start here", &["init", "demo", "doctor", "config", "vault"]),
    ("Find and ask", &["search", "ask", "chat", "why", "index", "status", "model"]),
    ("Research", &["note", "agenda", "inbox", "health", "extract"]),
    ("Code", &["code", "outline", "symbol", "graph", "locate", "repo"]),
    ("What was done", &["runs", "verify", "recheck", "okf", "resume", "replay", "undo"]),
    ("Serve and automate", &["serve", "service", "users", "db", "mcp", "acp", "tool", "eval"]),
    ("This program", &["completions", "man", "help"]),
];

/// What `wellread --version` prints. It is asked for by scripts and editors before anything else, and the declaration of all
/// commands takes longer to build than the answer.
pub const VERSION_LINE: &str = concat!("wellread ", env!("CARGO_PKG_VERSION"), "\n");

/// Whether the version is all that is asked for.
pub fn asks_for_version_alone(mut args: impl Iterator<Item = OsString>) -> bool {
    args.nth(1).is_some_and(|word| word == "--version" || word == "-V") && args.next().is_none()
}

/// The command line with its commands in groups, in the colors that it asks for itself.
pub fn build_command() -> Command {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let command = Cli::command().color(find_color_choice(words).for_clap());
    let header = *command.get_styles().get_header();
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{header}Commands:{header:#}\n{}\n\
         {header}Options:{header:#}\n{{options}}{{after-help}}",
        render_groups(&command)
    );
    command.help_template(template)
}

/// The commands with what each does, a group after the other.
fn render_groups(command: &Command) -> String {
    let widest = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or_default();
    let mut lines = String::new();
    for (title, names) in GROUPS {
        lines += &format!("{title}\n");
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map_or_else(
                || "Print this message or the help of a command".to_owned(),
                ToString::to_string,
            );
            lines += &format!("  {name:<widest$}  {about}\n");
        }
    }
    // Braces would be fields of the template.
    lines.replace('{', "(").replace('}', ")")
}

/// Adds the command that was probably meant to an error about one that there is not. The parser suggests names that sound alike, and
/// `aks` does not.
pub fn suggest_command(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::String(written)) = error.get(ContextKind::InvalidSubcommand)
        && error.get(ContextKind::SuggestedSubcommand).is_none()
        && let Some(meant) = find_meant_command(written)
    {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![meant.to_owned()]));
    }
    error
}

/// The command that one slip of the fingers makes of this word: a letter too many, too few, another one, or two that changed places.
fn find_meant_command(written: &str) -> Option<&'static str> {
    let mut names = GROUPS.iter().flat_map(|(_, names)| *names).copied();
    names.find(|name| strsim::osa_distance(written, name) == 1)
}

/// What `--color` says, before anything else is parsed: help and errors are colored, too.
fn find_color_choice(words: impl Iterator<Item = String>) -> ColorChoice {
    let words: Vec<String> = words.take_while(|word| word != "--").collect();
    if words.iter().any(|word| word == "--no-color") {
        return ColorChoice::Never;
    }
    let behind = words.iter().skip_while(|word| *word != "--color").nth(1).map(String::as_str);
    let written = words.iter().find_map(|word| word.strip_prefix("--color=")).or(behind);
    written.and_then(|word| ColorChoice::from_str(word, false).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_visible_command_is_in_one_group() {
        let command = Cli::command();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        let mut known: Vec<&str> = visible.map(Command::get_name).chain(["help"]).collect();
        listed.sort_unstable();
        known.sort_unstable();
        assert_eq!(listed, known);
    }

    #[test]
    fn the_choice_of_colors_is_found_wherever_it_stands() {
        let choice = |words: &str| find_color_choice(words.split(' ').map(str::to_owned));
        assert_eq!(choice("wellread --color never --help"), ColorChoice::Never);
        assert_eq!(choice("wellread search --color=always x"), ColorChoice::Always);
        assert_eq!(choice("wellread --no-color"), ColorChoice::Never);
        assert_eq!(choice("wellread ask -- --color never"), ColorChoice::Auto);
        assert_eq!(choice("wellread --color"), ColorChoice::Auto);
    }

    #[test]
    fn a_slip_of_the_fingers_is_told_what_was_meant() {
        let says = |word: &str| match build_command().try_get_matches_from(["wellread", word]) {
            Ok(_) => String::new(),
            Err(error) => suggest_command(error).to_string(),
        };
        assert!(says("aks").contains("tip: a similar subcommand exists: 'ask'"), "{}", says("aks"));
        assert!(says("serach").contains("'search'"), "{}", says("serach"));
        assert!(!says("xyzzy").contains("tip:"), "{}", says("xyzzy"));
    }

    #[test]
    fn the_version_is_what_the_parser_would_print() {
        assert_eq!(Cli::command().render_version(), VERSION_LINE);
        let is_alone = |words: &str| asks_for_version_alone(words.split(' ').map(OsString::from));
        assert!(is_alone("wellread --version") && is_alone("wellread -V"));
        assert!(
            !is_alone("wellread --version x")
                && !is_alone("wellread index --version")
                && !is_alone("wellread")
        );
    }

    #[test]
    fn the_declaration_is_sound() {
        Cli::command().debug_assert();
    }
}
