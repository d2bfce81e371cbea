//! The graph over small programs whose calls are known: what it finds, what it misses, what it says it can't tell.

mod program;

use program::Program;

/// A program, and the recall that it is held to.
struct Known {
    language: &'static str,
    text: &'static str,
    recall: f64,
}

const KNOWN: [Known; 8] = [
    Known { language: "python", text: include_str!("graph/programs/python.txt"), recall: 0.9 },
    Known { language: "rust", text: include_str!("graph/programs/rust.txt"), recall: 0.9 },
    Known { language: "typescript", text: include_str!("graph/programs/typescript.txt"), recall: 0.9 },
    Known { language: "javascript", text: include_str!("graph/programs/javascript.txt"), recall: 0.9 },
    Known { language: "go", text: include_str!("graph/programs/go.txt"), recall: 0.9 },
    Known { language: "java", text: include_str!("graph/programs/java.txt"), recall: 0.9 },
    Known { language: "c", text: include_str!("graph/programs/c.txt"), recall: 0.9 },
    Known { language: "cpp", text: include_str!("graph/programs/cpp.txt"), recall: 0.9 },
];

#[test]
fn calls_of_known_programs_are_found_and_none_is_made_up() {
    let mut wrong = Vec::new();
    println!(
        "{:<12} {:>6} {:>6} {:>6} {:>9} {:>6} {:>8}",
        "language", "known", "right", "wrong", "precision", "recall", "unknown"
    );
    for Known { language, text, recall } in KNOWN {
        let program = Program::parse(text);
        let measured = program.measured();
        println!(
            "{language:<12} {:>6} {:>6} {:>6} {:>9.3} {:>6.3} {:>8}",
            program.calls.len(),
            measured.right,
            measured.wrong.len(),
            measured.precision(),
            measured.recall(),
            measured.unknown
        );
        if measured.precision() < 0.98
            || measured.recall() < recall
            || !measured.wrong_certain.is_empty()
            || !measured.unknown_missed.is_empty()
        {
            wrong.push(format!("{language}: {measured:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
