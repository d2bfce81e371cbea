//! Runs the library and the command over `data/readings.csv`.

use std::path::PathBuf;
use std::process::Command;

use hivelog::{analyse_file, report};

fn sample() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../data/readings.csv")
}

#[test]
fn the_sample_has_two_hives_over_nine_days() {
    let analysis = analyse_file(&sample(), None).unwrap();
    assert_eq!(analysis.hives(), ["hawthorn", "linden"]);
    assert_eq!(analysis.days.len(), 18);
    assert!(analysis.days.iter().all(|day| day.readings == 24));
}

#[test]
fn hawthorn_swarms_on_the_eighteenth_of_may() {
    let analysis = analyse_file(&sample(), None).unwrap();
    assert_eq!(analysis.swarms.len(), 1);
    let swarm = &analysis.swarms[0];
    assert_eq!(swarm.hive, "hawthorn");
    assert_eq!(swarm.at.to_string(), "2025-05-18T13:00");
    assert!(swarm.drop_kg > 1.7 && swarm.drop_kg < 1.9, "{}", swarm.drop_kg);
}

#[test]
fn linden_has_a_flow_of_five_days() {
    let analysis = analyse_file(&sample(), Some("Linden")).unwrap();
    assert_eq!(analysis.hives(), ["linden"]);
    assert_eq!(analysis.flows.len(), 1);
    let flow = &analysis.flows[0];
    assert_eq!(flow.first.to_string(), "2025-05-14");
    assert_eq!(flow.last.to_string(), "2025-05-18");
    assert_eq!(flow.days, 5);
}

#[test]
fn the_command_prints_the_report() {
    let output = Command::new(env!("CARGO_BIN_EXE_hivelog")).arg(sample()).output().unwrap();
    assert!(output.status.success());
    let expected = report::render(&analyse_file(&sample(), None).unwrap());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

#[test]
fn the_command_stores_the_days() {
    let target = std::env::temp_dir().join(format!("hivelog-daily-{}.csv", std::process::id()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_hivelog"));
    let output = command.arg(sample()).arg("--daily").arg(&target).output().unwrap();
    assert!(output.status.success());
    let table = std::fs::read_to_string(&target).unwrap();
    std::fs::remove_file(&target).unwrap();
    assert_eq!(table.lines().count(), 19);
    assert!(table.lines().all(|line| line.split(',').count() == 7));
}

#[test]
fn the_command_names_a_file_that_is_missing() {
    let output = Command::new(env!("CARGO_BIN_EXE_hivelog")).arg("no-such.csv").output().unwrap();
    assert!(!output.status.success());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("hivelog: no-such.csv: cannot read the file"), "{message}");
}
