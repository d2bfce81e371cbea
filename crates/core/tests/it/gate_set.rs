//! The gate, measured on sentences that were written about texts: half of them true, half subtly false.
//!
//! Each was labeled twice, the second time without the first label at hand. The rules were made with `open.jsonl` in view;
//! `locked.jsonl`, about other texts, was looked at once, when they were done. `docs/benchmarks.md` has the table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use wellread_core::domain::verdict::Verdict;

use crate::evidence_library::Library;

#[derive(Deserialize)]
struct Row {
    source: String,
    lines: (usize, usize),
    kind: String,
    right: bool,
    sentence: String,
}

#[derive(Default, Clone, Copy)]
struct Tally {
    right: usize,
    right_passed: usize,
    wrong: usize,
    wrong_passed: usize,
    contradicted: usize,
    rightly_contradicted: usize,
}

fn judge_rows(file: &str) -> BTreeMap<String, Tally> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gate");
    let rows = std::fs::read_to_string(folder.join(file)).unwrap();
    let mut table: BTreeMap<String, Tally> = BTreeMap::new();
    for row in rows.lines() {
        let row: Row = serde_json::from_str(row).unwrap();
        let text = std::fs::read_to_string(folder.join("sources").join(&row.source)).unwrap();
        let mut library = Library::new();
        let id = library.add(&row.source, &text, row.lines, true);
        let report = library.judge(&format!("{} [{id}]", row.sentence));
        let passes = report.passes();
        let contradicted = report.sentences.iter().any(|judged| judged.verdict == Verdict::Contradicted);
        for kind in [row.kind.as_str(), "in all"] {
            let tally = table.entry(kind.to_owned()).or_default();
            if row.right {
                tally.right += 1;
                tally.right_passed += usize::from(passes);
            } else {
                tally.wrong += 1;
                tally.wrong_passed += usize::from(passes);
            }
            tally.contradicted += usize::from(contradicted);
            tally.rightly_contradicted += usize::from(contradicted && !row.right);
        }
    }
    table
}

fn render_table(open: &BTreeMap<String, Tally>, locked: &BTreeMap<String, Tally>) -> String {
    let mut out = String::from(
        "| kind | right that pass, open | wrong that pass, open | right that pass, locked | wrong that pass, locked |\n\
         | --- | ---: | ---: | ---: | ---: |\n",
    );
    for (kind, one) in open {
        let other = locked.get(kind).copied().unwrap_or_default();
        let cell = |passed: usize, all: usize| format!("{passed} of {all}");
        let _ = writeln!(
            out,
            "| {kind} | {} | {} | {} | {} |",
            cell(one.right_passed, one.right),
            cell(one.wrong_passed, one.wrong),
            cell(other.right_passed, other.right),
            cell(other.wrong_passed, other.wrong)
        );
    }
    let (one, other) = (open["in all"], locked["in all"]);
    let _ = writeln!(
        out,
        "\n*Contradicted* was said of {} sentences, {} of them wrong (open), and of {}, {} of them wrong (locked).",
        one.contradicted, one.rightly_contradicted, other.contradicted, other.rightly_contradicted
    );
    out
}

#[test]
fn the_documented_table_of_right_and_wrong_sentences_is_true() {
    let table = render_table(&judge_rows("open.jsonl"), &judge_rows("locked.jsonl"));
    let docs: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/benchmarks.md");
    let text = std::fs::read_to_string(&docs).unwrap();
    let (begin, end) = ("<!-- the gate's table -->\n", "<!-- end of the gate's table -->");
    let (before, rest) = text.split_once(begin).expect("docs/benchmarks.md marks the place of the table");
    let (_, after) = rest.split_once(end).expect("docs/benchmarks.md marks the end of the table");
    let expected = format!("{before}{begin}{table}{end}{after}");
    if std::env::var_os("WELLREAD_BLESS").is_some() {
        std::fs::write(&docs, expected).unwrap();
        return;
    }
    assert!(
        text == expected,
        "the table in docs/benchmarks.md differs from what the gate says now; write it anew with \
         WELLREAD_BLESS=1 cargo test -p wellread-core --test it gate_set\n{table}"
    );
}
