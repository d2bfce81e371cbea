//! The gate, measured on sentences that were written about texts: half of them true, half subtly false.
//!
//! Each was labeled twice, the second time without the first label at hand. The rules were made with `open.jsonl` in view;
//! `locked.jsonl`, about other texts, was looked at when they were done, and `fresh.jsonl` was written after that, by somebody
//! who does not know the rules, and was judged when they had been made better. `docs/benchmarks.md` has the table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use wellread_core::domain::verdict::Verdict;
use wellread_core::ports::{SupportShares, Verifier};
use wellread_encoder::Reading;

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

/// The model that is part of the program.
struct BuiltIn(wellread_encoder::Verifier);

impl Verifier for BuiltIn {
    fn read(&self, statement: &str, text: &str) -> SupportShares {
        let Reading { supported, contradicted, not_said } = self.0.read(statement, text);
        SupportShares { supported, contradicted, not_said }
    }
}

fn judge_rows(file: &str, verifier: Option<&dyn Verifier>) -> BTreeMap<String, Tally> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gate");
    let rows = std::fs::read_to_string(folder.join(file)).unwrap();
    let mut table: BTreeMap<String, Tally> = BTreeMap::new();
    for row in rows.lines() {
        let row: Row = serde_json::from_str(row).unwrap();
        let text = std::fs::read_to_string(folder.join("sources").join(&row.source)).unwrap();
        let mut library = Library::new();
        let id = library.add(&row.source, &text, row.lines, true);
        let report = library.judge_with(&format!("{} [{id}]", row.sentence), verifier);
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

/// A part of the set, and what came of it.
struct Part {
    name: &'static str,
    table: BTreeMap<String, Tally>,
}

impl Part {
    fn judge(name: &'static str, verifier: Option<&dyn Verifier>) -> Self {
        Self { name, table: judge_rows(&format!("{name}.jsonl"), verifier) }
    }

    fn tally(&self, kind: &str) -> Tally {
        self.table.get(kind).copied().unwrap_or_default()
    }
}

fn render_table(parts: &[Part]) -> String {
    let mut out = String::from("| kind |");
    for Part { name, .. } in parts {
        let _ = write!(out, " right that pass, {name} | wrong that pass, {name} |");
    }
    out.push_str("\n| --- |");
    out.push_str(&" ---: | ---: |".repeat(parts.len()));
    let kinds: BTreeSet<&String> = parts.iter().flat_map(|part| part.table.keys()).collect();
    for kind in kinds {
        let _ = write!(out, "\n| {kind} |");
        for part in parts {
            let tally = part.tally(kind);
            for (passed, all) in [(tally.right_passed, tally.right), (tally.wrong_passed, tally.wrong)] {
                let cell = if all == 0 { "–".to_owned() } else { format!("{passed} of {all}") };
                let _ = write!(out, " {cell} |");
            }
        }
    }
    out.push_str("\n\n*Contradicted* was said of");
    for (place, part) in parts.iter().enumerate() {
        let Tally { contradicted, rightly_contradicted, .. } = part.tally("in all");
        let comma = if place == 0 { "" } else { "," };
        let _ = write!(
            out,
            "{comma} {contradicted} sentences, {rightly_contradicted} of them wrong ({})",
            part.name
        );
    }
    out.push_str(".\n");
    out
}

#[test]
fn the_documented_table_of_right_and_wrong_sentences_is_true() {
    let verifier = BuiltIn(wellread_encoder::Verifier::open().unwrap());
    let judge = |verifier| render_table(&["open", "locked", "fresh"].map(|name| Part::judge(name, verifier)));
    let (by_rules, with_verifier) = (judge(None), judge(Some(&verifier as &dyn Verifier)));
    let table = format!("By the rules alone:\n\n{by_rules}\nWith the verifier:\n\n{with_verifier}");
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
