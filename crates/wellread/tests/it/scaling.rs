//! The chapter about scaling shows what the simulation prints, and the simulation agrees with what is known of queues.

use std::fs;
use std::process::Command;
use std::time::Duration;

use crate::book::commands_below;
use crate::desk::{Ran, repository};

const PAGE: &str = "docs/book/src/scaling.md";
const PATIENCE: Duration = Duration::from_secs(300);

fn simulate(words: &[&str]) -> String {
    let mut command = Command::new("python3");
    command.arg(repository().join("docs/scaling/simulate.py")).args(words);
    let ran = Ran::within(PATIENCE, &mut command, b"");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    ran.stdout
}

/// The page with what was printed between two comments of this name.
fn with_part(page: &str, name: &str, printed: &str) -> String {
    let [begin, end] = ["begin", "end"].map(|which| format!("<!-- {which}: {name} -->\n"));
    let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("{PAGE} has no {begin}"));
    let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{PAGE} has no {end}"));
    format!("{before}{begin}\n{}\n\n{end}{after}", printed.trim())
}

#[test]
fn the_chapter_shows_what_the_simulation_prints() {
    let page = fs::read_to_string(repository().join(PAGE)).unwrap();
    let made = with_part(&page, "inputs", &simulate(&["--inputs"]));
    let made = with_part(&made, "tables", &simulate(&[]));
    wellread_testkit::check_generated(PAGE, &made);
}

#[test]
fn the_simulated_queues_are_as_long_as_known_formulas_say() {
    assert_eq!(simulate(&["--check"]), "ok\n");
}

/// Each figure says what it is and where it is from, and one that is measured or a limit of ours is no assumption.
#[test]
fn every_figure_says_where_it_is_from() {
    let text = fs::read_to_string(repository().join("docs/scaling/figures.json")).unwrap();
    let figures: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let kinds = ["measured", "benchmarks", "the program", "assumed"];
    for figure in &figures {
        let from = figure["from"].as_str().unwrap();
        assert!(kinds.iter().any(|kind| from.starts_with(kind)), "{figure}");
        assert!(figure["value"].as_f64().is_some_and(|value| value >= 0.0), "{figure}");
    }
    assert!(figures.len() > 40);
}

/// What the program itself limits is in the figures as it is in the sources.
#[test]
fn limits_are_those_of_the_program() {
    let text = fs::read_to_string(repository().join("docs/scaling/figures.json")).unwrap();
    let figures: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let figure = |name: &str| {
        let found = figures.iter().find(|figure| figure["name"] == name).unwrap();
        assert!(found["from"].as_str().unwrap().starts_with("the program"), "{found}");
        found["value"].as_f64().unwrap()
    };
    for (name, file, constant) in [
        ("http_connections", "wellread/src/server/listen.rs", "const MOST_CONNECTIONS: usize = "),
        ("threads", "wellread/src/server/state.rs", "pub const MOST_WORK: usize = "),
        ("pool", "adapters/src/postgres/pool.rs", "const MOST: usize = "),
        ("lanes", "wellread/src/worker.rs", "pub const LANES: usize = "),
        ("look_seconds", "wellread/src/worker.rs", "const TICK: Duration = Duration::from_secs("),
        (
            "poll_seconds",
            "wellread/src/server/routes/research_events.rs",
            "const LOOKS: Duration = Duration::from_secs(",
        ),
        (
            "watch_seconds",
            "wellread/src/server/user_sites.rs",
            "const LOOKED_AT_EVERY: Duration = Duration::from_secs(",
        ),
        ("compared_at_most", "adapters/src/postgres/index/nearest.rs", "pub const MOST_COMPARED: usize = "),
    ] {
        let source = fs::read_to_string(repository().join("crates").join(file)).unwrap();
        let line = source.lines().find_map(|line| line.strip_prefix(constant));
        let line = line.unwrap_or_else(|| panic!("{file} has no `{constant}`"));
        let digits: String = line.chars().filter(char::is_ascii_digit).collect();
        assert_eq!(digits.parse::<f64>().unwrap(), figure(name), "{name} in {file}");
    }
}

/// The commands that make the figures are in the chapter, and their programs are there.
#[test]
fn the_chapter_says_how_to_measure_again() {
    let commands = commands_below("scaling.md", "## What the figures rest on").concat();
    for program in ["docs/scaling/measure.py", "docs/scaling/simulate.py"] {
        assert!(commands.iter().any(|command| command.contains(program)), "{commands:?}");
        assert!(repository().join(program).is_file());
    }
}
