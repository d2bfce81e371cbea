//! What people get wrong on the command line about agendas, findings, health and runs: each error says what to do instead.

use wellread_core::domain::id::{AgendaId, FindingId};
use wellread_core::ports::{AgendaActor, AgendaChange, Agendas as _};
use wellread_testkit::agenda_fixtures;

use crate::agenda_bench::{Bench, Trap};
use crate::desk::Ran;

const UNKNOWN: &str = "00000000000000";
/// Exit statuses.
const WRONG: i32 = 2;
const MISSING: i32 = 3;
const REFUSED: i32 = 4;

/// A vault with an agenda that waits, one that was cancelled, and findings: a new one, an accepted and a dismissed one.
struct Case {
    bench: Bench,
    pending: AgendaId,
    cancelled: AgendaId,
    new: FindingId,
    accepted: FindingId,
    dismissed: FindingId,
}

impl Case {
    fn new() -> Self {
        let bench = Bench::new(Trap::nowhere());
        let records = bench.desk.records();
        let pending = bench.proposed(&records, &["heather honey"]);
        let cancelled = bench.proposed(&records, &["oak galls"]);
        bench.run(&["agenda", "cancel", cancelled.as_str(), "--json"]).done();
        let agenda = agenda_fixtures::agenda(1);
        records.propose(&agenda, None).unwrap();
        let task = agenda.tasks[0].id.clone();
        let urls = ["https://wax.example/1", "https://wax.example/2", "https://wax.example/3"];
        let found = urls.map(|url| agenda_fixtures::new_finding(&agenda.id, &task, url));
        let [new, accepted, dismissed] = found.clone().map(|known| known.finding.id);
        let add = |change: &mut AgendaChange| {
            change.findings = found.to_vec();
            Ok(())
        };
        records.change_agenda(&agenda.id, AgendaActor::User, &mut { add }).unwrap();
        bench.run(&["inbox", "accept", accepted.as_str(), "--json"]).done();
        bench.run(&["inbox", "dismiss", dismissed.as_str(), "--json"]).done();
        Self { bench, pending, cancelled, new, accepted, dismissed }
    }

    /// The words of a line, with the ids in place of their names.
    fn words(&self, line: &str) -> Vec<String> {
        let word = |word: &str| match word {
            "PENDING" => self.pending.to_string(),
            "CANCELLED" => self.cancelled.to_string(),
            "NEW" => self.new.to_string(),
            "ACCEPTED" => self.accepted.to_string(),
            "DISMISSED" => self.dismissed.to_string(),
            "UNKNOWN" => UNKNOWN.to_owned(),
            "''" => String::new(),
            "BLANK" => "  ".to_owned(),
            "HUGE" => "9".repeat(40),
            "LONG" => "x".repeat(10_000),
            other => other.to_owned(),
        };
        line.split(' ').map(word).collect()
    }
}

#[test]
fn every_error_says_what_to_do_instead() {
    let case = Case::new();
    let lines: Vec<(&str, i32)> = vec![
        ("agenda", WRONG),
        ("agenda nonsense", WRONG),
        ("agenda new --note", WRONG),
        ("agenda new --note ''", WRONG),
        ("agenda new --note BLANK", MISSING),
        ("agenda new --note .", WRONG),
        ("agenda new --note Nobody", MISSING),
        ("agenda new --note zzzzzzzz", MISSING),
        ("agenda new --note ../Bees", REFUSED),
        ("agenda new --note /etc/passwd", REFUSED),
        ("agenda new --note .obsidian/app.json", REFUSED),
        ("agenda new --note LONG", REFUSED),
        ("agenda list --status nonsense", WRONG),
        ("agenda list -n -1", WRONG),
        ("agenda list -n HUGE", WRONG),
        ("agenda show", WRONG),
        ("agenda show ''", WRONG),
        ("agenda show nonsense", WRONG),
        ("agenda show LONG", WRONG),
        ("agenda show UNKNOWN", MISSING),
        ("agenda approve ''", WRONG),
        ("agenda approve UNKNOWN", MISSING),
        ("agenda approve CANCELLED", REFUSED),
        ("agenda approve PENDING --block", WRONG),
        ("agenda approve PENDING --block ''", WRONG),
        ("agenda approve PENDING --block 0", WRONG),
        ("agenda approve PENDING --block 9", WRONG),
        ("agenda approve PENDING --block HUGE", WRONG),
        ("agenda approve PENDING --block UNKNOWN-1", WRONG),
        ("agenda cancel nonsense", WRONG),
        ("agenda cancel UNKNOWN", MISSING),
        ("agenda run more", WRONG),
        ("inbox nonsense", WRONG),
        ("inbox --status nonsense", WRONG),
        ("inbox -n HUGE", WRONG),
        ("inbox show ''", WRONG),
        ("inbox show nonsense", WRONG),
        ("inbox show UNKNOWN", MISSING),
        ("inbox accept", WRONG),
        ("inbox accept UNKNOWN", MISSING),
        ("inbox accept DISMISSED", REFUSED),
        ("inbox accept NEW --title ''", WRONG),
        ("inbox accept NEW --summary BLANK", WRONG),
        ("inbox accept NEW --folder ../out", REFUSED),
        ("inbox accept NEW --folder .git", REFUSED),
        ("inbox dismiss UNKNOWN", MISSING),
        ("inbox dismiss ACCEPTED", REFUSED),
        ("inbox undo UNKNOWN", MISSING),
        ("inbox undo NEW", REFUSED),
        ("inbox undo DISMISSED", REFUSED),
        ("inbox suppressed --allow nothing", MISSING),
        ("inbox suppressed --allow ''", MISSING),
        ("health more", WRONG),
        ("health --nonsense", WRONG),
        ("runs nonsense", WRONG),
        ("runs --kind nonsense", WRONG),
        ("runs -n HUGE", WRONG),
        ("runs show", WRONG),
        ("runs show ''", WRONG),
        ("runs show nonsense", MISSING),
        ("runs show UNKNOWN", MISSING),
        ("runs show UNKNOWN nonsense", WRONG),
        ("runs diff UNKNOWN", WRONG),
        ("runs diff UNKNOWN nonsense", MISSING),
        ("runs diff '' ''", WRONG),
    ];
    let before = case.bench.desk.tree();
    let mut silent = Vec::new();
    for (line, status) in lines {
        let words = case.words(line);
        let told = Ran::of(case.bench.here().args(&words).arg("--json"));
        let people = Ran::of(case.bench.here().args(&words));
        if told.status != Some(status) || people.status != Some(status) {
            silent.push(format!("`{line}` ended with {:?}, not {status}: {}", told.status, told.stdout));
            continue;
        }
        let answer = told.failed(status);
        if answer["hint"].as_str().is_none_or(str::is_empty) {
            silent.push(format!("`{line}` has no hint: {answer}"));
        }
        if !["hint: ", "--help", "Usage: "].iter().any(|way| people.stderr.contains(way)) {
            silent.push(format!("`{line}` has no way out for people: {}", people.stderr));
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
    assert_eq!(case.bench.desk.tree(), before, "nothing was done");
}

#[test]
fn as_many_as_there_are_is_no_error() {
    let case = Case::new();
    let most = usize::MAX.to_string();
    for line in [["agenda", "list", "-n", &most].as_slice(), &["inbox", "-n", &most], &["runs", "-n", &most]]
    {
        Ran::of(case.bench.here().args(line).arg("--json")).done();
    }
}
