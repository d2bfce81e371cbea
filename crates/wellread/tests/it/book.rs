//! The book in `docs/book` is true: its commands run, its output is what they print, its links lead somewhere, and its reference
//! pages say what the program says.
//!
//! A fence ```` ```sh ```` has commands, one a line. ```` ```console ```` has commands after `$ ` and below each what it prints: a
//! line `…` stands for any lines, and `…` within a line for any text. Output that itself has a prompt stands in a fence of its own,
//! ```` ```text,output ````. `norun` in the fence's info keeps both from being run:
//! what needs a key, a service or a terminal is only parsed. `WELLREAD_BLESS=1` writes output that differs into the page.

mod links;
mod messages;
mod output;
mod pages;
mod references;
mod running;

use std::fs;

use self::output::{matches, redacted};
use self::pages::{Block, Page, book, pages};
use self::running::{BookHome, Printed};
use crate::desk::{Desk, Ran};

#[test]
fn every_command_of_the_book_does_what_the_book_says() {
    let home = BookHome::prepare();
    let bless = std::env::var_os("WELLREAD_BLESS").is_some();
    let mut wrong = Vec::new();
    for page in pages() {
        let blocks: Vec<Block> = page.blocks().into_iter().filter(Block::is_run).collect();
        if blocks.is_empty() {
            continue;
        }
        let printed = home.run(&blocks);
        let mut lines: Vec<String> = page.text.lines().map(str::to_owned).collect();
        // From the end, so that the numbers of the lines before stay.
        for (block, printed) in blocks.iter().zip(&printed).rev() {
            for (at, (command, printed)) in block.commands.iter().zip(printed).enumerate().rev() {
                let place = format!("{}:{}: {}", page.name, command.line, command.text);
                let status_is_shown = block.commands.get(at + 1).is_some_and(|next| next.text == "echo $?");
                let fails = command.output().iter().any(|line| line.starts_with("error:"));
                if printed.status != 0 && !status_is_shown && !fails {
                    wrong.push(format!("{place}\n  ended with {}: {printed:?}", printed.status));
                } else if block.shows_output && !is_shown(command.output(), printed) {
                    wrong.push(format!("{place}\n  prints\n{}", printed.in_full().join("\n")));
                    let below = command.last_line..command.last_line + command.output().len();
                    lines.splice(below, redacted(&printed.in_short()));
                }
            }
        }
        let text = lines.join("\n") + "\n";
        if bless && text != page.text {
            fs::write(book().join("src").join(&page.name), text).unwrap();
        }
    }
    assert!(bless || wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The commands of each fence below a heading of a page, up to the next heading of its rank.
pub fn commands_below(page: &str, heading: &str) -> Vec<Vec<String>> {
    let page = Page::read(page);
    let rank = heading.split(' ').next().unwrap();
    let headings = page.prose().into_iter().filter(|(_, line)| line.split(' ').next() == Some(rank));
    let mut below = headings.skip_while(|(_, line)| *line != heading).map(|(number, _)| number);
    let first = below.next().unwrap_or_else(|| panic!("{} has no {heading}", page.name));
    let section = first..below.next().unwrap_or(usize::MAX);
    let commands = page.blocks().into_iter().map(|block| {
        let inside = block.commands.into_iter().filter(|command| section.contains(&command.line));
        inside.map(|command| command.text).collect::<Vec<_>>()
    });
    commands.filter(|commands| !commands.is_empty()).collect()
}

/// What is on standard error may be left out.
fn is_shown(output: &[String], printed: &Printed) -> bool {
    matches(output, &printed.stdout) || matches(output, &printed.in_full())
}

/// A command that is not run is at least one that there is, with options that it has.
#[test]
fn every_command_that_is_not_run_can_be_parsed() {
    let desk = Desk::bare();
    let mut wrong = Vec::new();
    let readme = Page::read("../../../README.md");
    for page in pages().into_iter().chain([readme]) {
        let is_parsed = |block: &&Block| !block.is_run() || page.name.ends_with("README.md");
        for block in page.blocks().iter().filter(is_parsed) {
            for command in &block.commands {
                for words in command.calls() {
                    let ran = Ran::of(desk.command().args(&words).arg("--help"));
                    if ran.status != Some(0) {
                        wrong.push(format!(
                            "{}:{}: {}\n{}",
                            page.name, command.line, command.text, ran.stderr
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_command_that_does_not_exist_is_found() {
    let page = Page::made_up("```sh,norun\nX=1 wellread search 'a  b' --tga x | head # c\n```\n");
    let blocks = page.blocks();
    assert_eq!(blocks[0].commands[0].calls(), [["search", "a  b", "--tga", "x"]]);
    let ran = Ran::of(Desk::bare().command().args(["search", "a  b", "--tga", "x", "--help"]));
    assert_eq!(ran.status, Some(2), "{ran:?}");
}
