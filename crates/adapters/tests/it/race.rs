//! A second process saves the same note all the time while we edit it: none of its saves is lost.
//!
//! Three kinds of program: one that writes a new file and renames it over the note, one that empties the note and
//! writes it anew in place (Obsidian does), and one that adds a line to its end.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wellread_core::ErrorKind;
use wellread_core::domain::corpus::{Action, ChangeSet, Splice};
use wellread_core::ports::FilesUpkeep as _;
use wellread_core::ports::{Corpus, Files};

use crate::children::child_process;
use crate::faulty::{Fault, Faulty};
use crate::ground::{Ground, is_long, path};

const SAVES: usize = 10_000;
const LONG_SAVES: usize = 1_000_000;

fn saves() -> usize {
    if is_long() { LONG_SAVES } else { SAVES }
}

/// The program that saves. After each save it looks whether it is still there.
pub fn child(order: &str) {
    let mut words = order.splitn(3, ' ');
    let mut word = || words.next().unwrap();
    let (how, count) = (word(), word().parse::<usize>().unwrap());
    let note = Path::new(word()).to_owned();
    let mut lost = 0;
    for n in 1..=count {
        // Now sooner, now later, so that each moment of an edit is met.
        let pause = Instant::now();
        while pause.elapsed() < Duration::from_micros(n as u64 * 7919 % 250) {}
        match how {
            "rename" => {
                let beside = note.with_extension("saving");
                fs::write(&beside, text(n)).unwrap();
                fs::rename(&beside, &note).unwrap();
            }
            "in-place" => fs::write(&note, text(n)).unwrap(),
            _ => {
                let mut file = fs::OpenOptions::new().append(true).open(&note).unwrap();
                file.write_all(format!("line {n}.\n").as_bytes()).unwrap();
            }
        }
        if how != "append" && !is_there(&note, n) {
            lost += 1;
            println!(
                "lost save {n}; the note begins with {:?}",
                fs::read_to_string(&note).map(|t| t.lines().next().map(str::to_owned))
            );
        }
    }
    println!("lost {lost} saves");
    std::process::exit(i32::from(lost > 0));
}

fn text(n: usize) -> String {
    format!("save {n}.\n{}", "some more words\n".repeat(n % 50))
}

/// What was saved is in the note, or in the copy that is kept beside it where two saves met one edit. Between the two
/// exchanges of an edit that steps back it may be out of it for an instant, so a save counts as lost only when it stays away.
fn is_there(note: &Path, n: usize) -> bool {
    let begins = format!("save {n}.\n");
    let start = Instant::now();
    loop {
        if fs::read_to_string(note).is_ok_and(|text| text.starts_with(&begins)) {
            return true;
        }
        if start.elapsed() > Duration::from_secs(1) && is_kept(note, &begins) {
            return true;
        }
        if start.elapsed() > Duration::from_secs(5) {
            return false;
        }
    }
}

fn is_kept(note: &Path, begins: &str) -> bool {
    let beside = fs::read_dir(note.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let mut copies = beside.filter(|path| path.display().to_string().contains("(kept"));
    copies.any(|copy| fs::read_to_string(copy).is_ok_and(|text| text.starts_with(begins)))
}

struct Raced {
    edits: usize,
    met: usize,
    kept: usize,
    ground: Ground,
}

/// Edits the note as fast as it goes until the saver has saved so many times.
fn race(how: &str, count: usize) -> Raced {
    let ground = Ground::on_disk(&[("note.md", "save 0.\n")]);
    let note = ground.vault().join("note.md");
    let order = format!("{how} {count} {}", note.display());
    let mut child = child_process("race", &order).stdout(Stdio::piped()).spawn().unwrap();
    let files = ground.open_on(Arc::new(Faulty::new(Fault::None)));
    let (mut edits, mut met) = (0, 0);
    while child.try_wait().unwrap().is_none() {
        let path = path(&files, "note.md");
        let content = files.read(&path).unwrap();
        let splices =
            vec![Splice { span: content.bytes.len()..content.bytes.len(), text: format!("edit {edits}.\n") }];
        let edit = Action::Edit { path, expect: content.hash, splices };
        match files.commit(&ChangeSet::new("edit", vec![edit])) {
            Ok(_) => edits += 1,
            Err(error) if matches!(error.kind(), ErrorKind::Changed | ErrorKind::NotFound) => met += 1,
            Err(error) => panic!("{error}"),
        }
        // A note that only grows would make the later rounds slow.
        if how == "append" && content.bytes.len() > 1 << 16 {
            break;
        }
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{how}: {}", String::from_utf8_lossy(&output.stdout));
    let kept = ground.tree().keys().filter(|name| name.contains("(kept")).count();
    println!(
        "{how}: {count} saves, none lost; {edits} edits made, {met} met a save and stepped back, {kept} copies kept"
    );
    Raced { edits, met, kept, ground }
}

fn check(raced: &Raced) {
    assert!(raced.edits > 0 && raced.met > 0, "they never met: {} edits, {} met", raced.edits, raced.met);
    let files = raced.ground.open();
    files.recover().unwrap();
    let left: Vec<String> = raced.ground.tree().into_keys().filter(|name| name.starts_with('.')).collect();
    assert!(left.is_empty(), "left beside the note: {left:?}");
    assert!(raced.kept < raced.edits / 10 + 5);
}

#[test]
fn no_save_by_rename_is_lost() {
    check(&race("rename", saves()));
}

#[test]
fn no_save_in_place_is_lost() {
    check(&race("in-place", saves()));
}

#[test]
fn no_line_that_is_added_is_lost() {
    let (mut edits, mut met) = (0, 0);
    for round in 0..saves() / 1000 {
        let raced = race("append", 1000);
        edits += raced.edits;
        met += raced.met;
        // A line that was added in the instant of an exchange may have come to stand in a copy that was kept.
        let texts: Vec<String> =
            raced.ground.tree().into_values().map(|bytes| String::from_utf8(bytes).unwrap()).collect();
        for n in 1..=1000 {
            let line = format!("line {n}.\n");
            assert!(texts.iter().any(|text| text.contains(&line)), "round {round}: {line:?} is lost");
        }
    }
    assert!(edits > 0 && met > 0, "they never met: {edits} edits, {met} met");
}
