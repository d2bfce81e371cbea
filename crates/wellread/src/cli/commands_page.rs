//! The page of the book that lists every command with its options: made from the declarations of the command line.

use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory as _};
use wellread_testkit::check_generated;

use super::Cli;

const PAGE: &str = "docs/book/src/reference/commands.md";

const INTRODUCTION: &str = "# Commands\n\n\
<!-- Generated from the declarations of the command line; a test compares the two. -->\n\n\
`--help` after a command shows the same in a terminal. Results go to standard output, everything else to standard error.\n\n\
| exit status | meaning |\n| --- | --- |\n| 0 | done |\n| 1 | failed |\n| 2 | wrong usage |\n| 3 | not found |\n\
| 4 | refused, or in conflict with something |\n| 5 | not reachable, or not set up |\n\
| 6 | a sentence did not pass `wellread verify`, or a note `wellread okf check` |\n\n## Options of every command\n\n";

fn render_page() -> String {
    let mut program = Cli::command().name("wellread").bin_name("wellread");
    program.build();
    let mut page = String::from(INTRODUCTION);
    push_arguments(&mut page, program.get_arguments().filter(|arg| arg.is_global_set()));
    for command in program.get_subcommands() {
        push_command(&mut page, command, 2);
    }
    page
}

fn push_command(page: &mut String, command: &Command, level: usize) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let _ = write!(page, "\n{} `{name}`\n\n{}\n\n", "#".repeat(level), full_stop(&escaped(&about)));
    let _ = write!(page, "```text\n{usage}\n```\n");
    let own = |arg: &&Arg| !arg.is_global_set() && !arg.is_hide_set();
    let own: Vec<&Arg> = command.get_arguments().filter(own).filter(|arg| !is_built_in(arg)).collect();
    if !own.is_empty() {
        page.push('\n');
        push_arguments(page, own.into_iter());
    }
    if let Some(more) = command.get_after_help().map(ToString::to_string) {
        push_after_help(page, &more);
    }
    for child in command.get_subcommands() {
        push_command(page, child, level + 1);
    }
}

/// `--help` and `--version`, which every command has.
fn is_built_in(arg: &Arg) -> bool {
    ["help", "version"].contains(&arg.get_id().as_str())
}

fn push_arguments<'a>(page: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    *page += "| argument | what |\n| --- | --- |\n";
    for arg in arguments {
        let mut what = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
        what = what.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut more = Vec::new();
        if arg.get_action().takes_values() {
            let values = arg.get_possible_values();
            let values: Vec<String> = values.iter().map(|value| format!("`{}`", value.get_name())).collect();
            if !values.is_empty() {
                more.push(format!("One of {}.", values.join(", ")));
            }
            let defaults: Vec<String> = arg
                .get_default_values()
                .iter()
                .map(|value| format!("`{}`", value.to_string_lossy()))
                .collect();
            if !defaults.is_empty() {
                more.push(format!("Default: {}.", defaults.join(", ")));
            }
        }
        let what = std::iter::once(full_stop(&what)).chain(more).collect::<Vec<_>>().join(" ");
        let _ = writeln!(page, "| `{}` | {} |", spelled(arg), escaped(&what).replace('|', "\\|"));
    }
}

/// An argument as it is written: `-k <N>`, `--mode <MODE>`, `<QUERY>`.
fn spelled(arg: &Arg) -> String {
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let mut parts = [short, long].into_iter().flatten().collect::<Vec<_>>().join(", ");
    if arg.get_action().takes_values() {
        let names =
            arg.get_value_names().map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>());
        let names = names.unwrap_or_else(|| vec![arg.get_id().to_string().to_uppercase()]).join("> <");
        parts = format!("{parts} <{names}>").trim().to_owned();
    }
    parts.replace('|', "\\|")
}

/// The text below the options: prose, and examples, which are commands.
fn push_after_help(page: &mut String, text: &str) {
    let (prose, examples) = match text.split_once("Example:\n") {
        Some((prose, examples)) => (prose.trim(), examples),
        None => (text.trim(), ""),
    };
    if !prose.is_empty() {
        let _ = write!(page, "\n{}\n", escaped(prose));
    }
    if !examples.is_empty() {
        let lines: Vec<&str> = examples.lines().map(str::trim).collect();
        let _ = write!(page, "\n```sh,norun\n{}\n```\n", lines.join("\n"));
    }
}

/// Angle brackets outside of code would be HTML.
fn escaped(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(at, part)| if at % 2 == 0 { part.replace('<', "&lt;") } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("`")
}

fn full_stop(text: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() || text.ends_with(['.', ']', ':']) { text.to_owned() } else { format!("{text}.") }
}

#[test]
fn the_commands_in_the_book_are_those_of_the_program() {
    check_generated(PAGE, &render_page());
}
