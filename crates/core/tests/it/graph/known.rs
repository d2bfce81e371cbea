//! Programs whose calls are known: what the graph finds of them, what it misses, what it says it can't tell.

use super::program::{Measured, Program};

/// A program, and the recall that it is held to.
pub struct Known {
    pub language: &'static str,
    pub text: &'static str,
    recall: f64,
}

const fn known(language: &'static str, text: &'static str, recall: f64) -> Known {
    Known { language, text, recall }
}

/// Written before the graph was, and looked at while it was made.
pub const KNOWN: [Known; 8] = [
    known("python", include_str!("programs/python.txt"), 0.98),
    known("rust", include_str!("programs/rust.txt"), 0.98),
    known("typescript", include_str!("programs/typescript.txt"), 1.0),
    known("javascript", include_str!("programs/javascript.txt"), 1.0),
    known("go", include_str!("programs/go.txt"), 0.94),
    known("java", include_str!("programs/java.txt"), 1.0),
    known("c", include_str!("programs/c.txt"), 1.0),
    known("cpp", include_str!("programs/cpp.txt"), 0.97),
];

/// Written when the graph stood, to see how it does on what it was not made with.
pub const SECOND: [Known; 8] = [
    known("python", include_str!("programs/second/python.txt"), 0.86),
    known("rust", include_str!("programs/second/rust.txt"), 0.92),
    known("typescript", include_str!("programs/second/typescript.txt"), 0.92),
    known("javascript", include_str!("programs/second/javascript.txt"), 0.89),
    known("go", include_str!("programs/second/go.txt"), 0.94),
    known("java", include_str!("programs/second/java.txt"), 1.0),
    known("c", include_str!("programs/second/c.txt"), 1.0),
    known("cpp", include_str!("programs/second/cpp.txt"), 0.95),
];

/// The table is for whoever runs it with `--nocapture`.
#[allow(clippy::print_stdout)]
fn held(programs: &[Known]) {
    let mut wrong = Vec::new();
    let columns = ["language", "known", "right", "wrong", "precision", "recall", "unknown"];
    println!("{}", columns.map(|column| format!("{column:>10}")).join(" "));
    for Known { language, text, recall } in programs {
        let program = Program::parse(text);
        let measured = program.measured();
        let Measured { right, unknown, .. } = measured;
        let (precision, found) = (measured.precision(), measured.recall());
        println!(
            "{language:>10} {:>10} {right:>10} {:>10} {precision:>10.3} {found:>10.3} {unknown:>10}",
            program.calls.len(),
            measured.wrong.len(),
        );
        for (what, lines) in [
            ("wrong", &measured.wrong),
            ("missed", &measured.missed),
            ("more unknown", &measured.unknown_more),
        ] {
            lines.iter().for_each(|line| println!("           {what}: {line}"));
        }
        let is_right = precision >= 0.98 && found >= *recall;
        if !is_right || !measured.wrong_certain.is_empty() || !measured.unknown_missed.is_empty() {
            wrong.push(format!("{language}: {measured:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn calls_of_known_programs_are_found_and_none_is_made_up() {
    held(&KNOWN);
}

#[test]
fn calls_of_programs_that_came_later_are_found_as_well() {
    held(&SECOND);
}
