//! What recovery and taking back meet in a world that has moved on: they never get stuck, and drop nobody's words.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use wellread_adapters::files::VaultFiles;
use wellread_core::domain::corpus::{Action, ChangeSet, Hash, Splice};
use wellread_core::ports::FilesUpkeep as _;
use wellread_core::ports::{Corpus, Files};

use crate::changes::SCENARIOS;
use crate::faulty::{Fault, Faulty};
use crate::ground::{Ground, is_long, path};
use crate::meanwhile::{Save, save};

const OLD: &str = "old words\n";
const NEW: &str = "new words\n";

fn edit(files: &VaultFiles, written: &str) -> Action {
    let splices = vec![Splice { span: 0..3, text: "new".to_owned() }];
    Action::Edit { path: path(files, written), expect: Hash::compute(OLD.as_bytes()), splices }
}

fn create(files: &VaultFiles, written: &str) -> Action {
    Action::Create { path: path(files, written), text: NEW.to_owned() }
}

/// Edits a note on a disk that dies at that call, and leaves what a process that ended there would have. Whether it
/// came so far.
fn interrupted(
    ground: &Ground,
    written: &str,
    from: usize,
    act: impl Fn(usize) + Send + Sync + 'static,
) -> bool {
    let disk = Arc::new(Faulty::dying(from, act));
    let files = ground.open_on(disk.clone());
    let _ = files.commit(&ChangeSet::new("edit", vec![edit(&files, written)]));
    disk.hit().is_some()
}

fn temp(ground: &Ground) -> Option<PathBuf> {
    ground.tree().into_keys().find(|name| name.ends_with(".tmp")).map(|name| ground.vault().join(name))
}

fn everything(ground: &Ground) -> String {
    ground.tree().into_values().map(|bytes| String::from_utf8(bytes).unwrap()).collect()
}

/// The vault can be changed again.
fn goes_on(ground: &Ground, when: &str) {
    let files = ground.open();
    files.recover().unwrap_or_else(|error| panic!("{when}: stuck: {error}"));
    assert_eq!(ground.pending(), 0, "{when}");
    files.commit(&ChangeSet::new("create", vec![create(&files, "after.md")])).unwrap();
}

#[test]
fn a_note_that_has_become_something_else_blocks_no_later_edit() {
    type Make = fn(&Path);
    let odd: [(&str, Make); 4] = [
        ("a folder", |note| fs::create_dir(note).unwrap()),
        ("a link", |note| symlink("elsewhere.md", note).unwrap()),
        ("a huge file", |note| File::create(note).unwrap().set_len(1 << 40).unwrap()),
        ("nothing", |_| ()),
    ];
    for (what, make) in odd {
        for from in 1.. {
            let ground = Ground::new(&[("a/note.md", OLD)]);
            if !interrupted(&ground, "a/note.md", from, |_| ()) {
                break;
            }
            let note = ground.vault().join("a/note.md");
            fs::remove_file(&note).unwrap();
            make(&note);
            goes_on(&ground, &format!("{what}, interrupted at call {from}"));
            assert_eq!(note.symlink_metadata().is_ok(), what != "nothing");
        }
    }
}

#[test]
fn a_copy_can_be_kept_of_a_note_whose_name_is_as_long_as_names_get() {
    let name = format!("{}.md", "ü".repeat(126));
    for from in 1.. {
        let ground = Ground::new(&[(&name, OLD)]);
        assert!(interrupted(&ground, &name, from, |_| ()), "never in the middle of the exchange");
        let Some(temp) = temp(&ground).filter(|temp| fs::read_to_string(temp).unwrap() == OLD) else {
            continue;
        };
        // Somebody saved before the process ended, and once more since.
        fs::write(temp, "first save\n").unwrap();
        ground.save(&name, b"second save\n");
        let kept = ground.open().recover().unwrap().kept;
        assert_eq!(kept.len(), 1);
        assert_eq!(
            (ground.text(&kept[0]), ground.text(&name)),
            ("first save\n".to_owned(), "second save\n".to_owned())
        );
        goes_on(&ground, "a long name");
        return;
    }
}

#[test]
fn a_change_of_a_vault_that_is_read_only_leaves_nothing_pending() {
    let ground = Ground::new(&[("a/note.md", OLD)]);
    let files = ground.open_on(Arc::new(Faulty::new(Fault::ReadOnlyVault)));
    let removed = Action::Remove { path: path(&files, "a/note.md"), expect: Hash::compute(OLD.as_bytes()) };
    for actions in [vec![edit(&files, "a/note.md")], vec![create(&files, "x/y.md"), removed]] {
        assert!(files.commit(&ChangeSet::new("change", actions)).is_err());
        assert_eq!(ground.pending(), 0);
        files.recover().unwrap();
    }
    assert_eq!(everything(&ground), OLD);
}

#[test]
fn a_file_that_somebody_made_with_the_same_text_is_theirs() {
    for at in 1.. {
        let ground = Ground::new(&[("other.md", "other\n")]);
        let theirs = ground.vault().join("made.md");
        let disk = Arc::new(Faulty::meanwhile(move |call| {
            if call == at && !theirs.exists() {
                fs::write(&theirs, NEW).unwrap();
            }
        }));
        let files = ground.open_on(disk.clone());
        let made = files.commit(&ChangeSet::new("create", vec![create(&files, "made.md")]));
        let text = ground.tree().remove("made.md");
        assert_eq!(text.as_deref(), Some(NEW.as_bytes()), "made by somebody before call {at}: {made:?}");
        assert_eq!(ground.tree().len(), 2, "before call {at}");
        if disk.calls() < at {
            break;
        }
    }
}

#[test]
fn a_record_that_came_to_stand_in_both_places_is_no_obstacle() {
    let mut met = 0;
    for from in 1.. {
        let ground = Ground::new(&[("note.md", OLD)]);
        if !interrupted(&ground, "note.md", from, |_| ()) {
            break;
        }
        let made = ground.text("note.md") == NEW && temp(&ground).is_none();
        let pending = ground.data().join("journal/pending");
        let record = fs::read_dir(&pending).unwrap().map(|entry| entry.unwrap().file_name()).next();
        let Some(record) = record.filter(|_| made) else { continue };
        met += 1;
        fs::hard_link(pending.join(&record), ground.data().join("journal/done").join(&record)).unwrap();
        goes_on(&ground, "both in pending and in done");
        assert_eq!(ground.open().operations(10).unwrap().len(), 2);
    }
    assert!(met > 0);
}

#[test]
fn what_a_program_writes_after_a_recovery_to_a_note_that_it_opened_before_the_edit_is_not_lost() {
    let mut met = 0;
    for from in 1.. {
        let ground = Ground::new(&[("note.md", OLD)]);
        if !interrupted(&ground, "note.md", from, |_| ()) {
            break;
        }
        let Some(temp) = temp(&ground).filter(|temp| fs::read_to_string(temp).unwrap() == OLD) else {
            continue;
        };
        met += 1;
        // It has had the old file open since before the exchange; the process ended, and a new one recovers.
        let mut open = fs::OpenOptions::new().append(true).open(temp).unwrap();
        ground.open().recover().unwrap();
        open.write_all(b"late\n").unwrap();
        drop(open);
        assert!(everything(&ground).contains("late\n"), "interrupted at call {from}");
        goes_on(&ground, "after a late write");
    }
    assert!(met > 0);
}

#[test]
fn the_old_text_of_a_note_that_cannot_be_put_back_is_kept() {
    let ground = || Ground::new(&[("a.md", OLD), ("b.md", OLD)]);
    let change = |files: &VaultFiles| ChangeSet::new("two", vec![edit(files, "a.md"), edit(files, "b.md")]);
    let counted = ground();
    let disk = Arc::new(Faulty::new(Fault::None));
    counted.open_on(disk.clone()).commit(&change(&counted.open())).unwrap();
    let mut held_up = 0;
    for at in 1..=disk.calls() {
        let ground = ground();
        let vault = ground.vault();
        let open: Arc<Mutex<Option<File>>> = Arc::default();
        let held = open.clone();
        let disk = Arc::new(Faulty::meanwhile(move |call| {
            // The first note was exchanged just now: a program opens the new file, and another saves the second note.
            if call >= at && fs::read_to_string(vault.join("a.md")).unwrap() == NEW {
                held.lock().unwrap().get_or_insert_with(|| {
                    fs::write(vault.join("b.md"), "saved\n").unwrap();
                    fs::OpenOptions::new().append(true).open(vault.join("a.md")).unwrap()
                });
            }
        }));
        let files = ground.open_on(disk);
        let done = files.commit(&change(&files));
        let opened = open.lock().unwrap().is_some();
        if done.is_err() && opened {
            held_up += 1;
            assert!(
                everything(&ground).contains("old"),
                "opened before call {at}: {done:?}: {:?}",
                ground.tree()
            );
        }
    }
    assert!(held_up > 0);
}

#[test]
fn what_is_written_to_a_note_while_it_is_taken_away_brings_it_back_though_no_kernel_tells() {
    let remove = |files: &VaultFiles| {
        let remove = Action::Remove { path: path(files, "note.md"), expect: Hash::compute(OLD.as_bytes()) };
        files.commit(&ChangeSet::new("remove", vec![remove]))
    };
    let counted = Ground::new(&[("note.md", OLD)]);
    let disk = Arc::new(Faulty::new(Fault::NoLease));
    remove(&counted.open_on(disk.clone())).unwrap();
    let synced = disk.log().iter().rposition(|call| *call == "sync_dir").unwrap() + 1;
    for at in 1..=synced {
        let ground = Ground::new(&[("note.md", OLD)]);
        let note = ground.vault().join("note.md");
        let open = Mutex::new(Some(fs::OpenOptions::new().append(true).open(note).unwrap()));
        let disk = Faulty::meanwhile_with(Fault::NoLease, move |call| {
            if let Some(mut file) = open.lock().unwrap().take_if(|_| call == at) {
                file.write_all(b"late\n").unwrap();
            }
        });
        let removed = remove(&ground.open_on(Arc::new(disk)));
        assert!(
            removed.is_err() && ground.text("note.md") == format!("{OLD}late\n"),
            "written before call {at}"
        );
    }
}

#[test]
fn the_last_operation_is_the_last_though_the_clock_was_set_back() {
    let ground = Ground::new(&[("note.md", OLD)]);
    let files = ground.open();
    files.commit(&ChangeSet::new("in the future", vec![create(&files, "one.md")])).unwrap();
    let done = ground.data().join("journal/done");
    let record = fs::read_dir(&done).unwrap().next().unwrap().unwrap().path();
    let (text, id) = (fs::read_to_string(&record).unwrap(), record.file_stem().unwrap().to_str().unwrap());
    let future = format!("f{}", &id[1..]);
    let body = text.split_once('\n').unwrap().1.replace(id, &future);
    fs::write(done.join(format!("{future}.json")), format!("{}\n{body}", Hash::compute(body.as_bytes())))
        .unwrap();
    fs::remove_file(&record).unwrap();
    for label in ["second", "third"] {
        files.commit(&ChangeSet::new(label, vec![create(&files, &format!("{label}.md"))])).unwrap();
    }
    let labels: Vec<String> = files.operations(10).unwrap().into_iter().map(|op| op.label).collect();
    assert_eq!(labels, ["third", "second", "in the future"]);
}

#[test]
fn garbage_among_the_birth_times_costs_no_other_line() {
    let ground = Ground::on_disk(&[("note.md", OLD)]);
    let files = ground.open();
    let born = files.find(&path(&files, "note.md")).unwrap().unwrap().created;
    fs::write(ground.data().join("births"), b"\xff\xfe\0 garbage\n17 x\n").unwrap();
    files.commit(&ChangeSet::new("edit", vec![edit(&files, "note.md")])).unwrap();
    for files in [files, ground.open()] {
        assert_eq!(files.find(&path(&files, "note.md")).unwrap().unwrap().created, born);
    }
}

/// Recovers while somebody saves before its call of that number. Whether it made so many calls.
fn recover_while(ground: &Ground, during: usize, how: Save) -> bool {
    let note = ground.vault().join("note.md");
    let disk = Arc::new(Faulty::meanwhile(move |call| {
        if call == during {
            save(how, &note, "second\n");
        }
    }));
    ground.open_on(disk.clone()).recover().unwrap();
    disk.calls() >= during
}

#[test]
fn a_save_before_the_crash_and_one_in_the_middle_of_the_recovery_are_not_lost() {
    let every = [
        (Save::Append, Save::Append),
        (Save::Rename, Save::Append),
        (Save::InPlace, Save::Rename),
        (Save::Rename, Save::Rename),
        (Save::InPlace, Save::Append),
        (Save::Append, Save::InPlace),
    ];
    let (mut runs, mut met) = (0, 0);
    for (first, second) in every.into_iter().take(if is_long() { 6 } else { 3 }) {
        for from in 1.. {
            let ended = |at| {
                let ground = Ground::new(&[("note.md", OLD)]);
                let note = ground.vault().join("note.md");
                let act = move |call| {
                    if call == at {
                        save(first, &note, "first\n");
                    }
                };
                interrupted(&ground, "note.md", from, act).then_some(ground)
            };
            if ended(0).is_none() {
                break;
            }
            for at in 1..=from {
                for during in 1.. {
                    let Some(ground) = ended(at) else { break };
                    let saved = recover_while(&ground, during, second);
                    let when = format!(
                        "{first:?} before call {at}, ended at {from}, {second:?} before call {during}"
                    );
                    let (note, all) = (ground.text("note.md"), everything(&ground));
                    assert!(!saved || note.contains("second\n"), "{when}: {:?}", ground.tree());
                    assert!(saved || note.contains("first\n"), "{when}: {:?}", ground.tree());
                    assert!(second != Save::Append || all.contains("first\n"), "{when}: {:?}", ground.tree());
                    assert!(temp(&ground).is_none() && ground.pending() == 0, "{when}");
                    runs += 1;
                    met += usize::from(saved);
                    if !saved {
                        break;
                    }
                }
            }
        }
    }
    println!("a crash among saves: {runs} runs, {met} of them with a save in the recovery");
    assert!(met > 1000);
}

#[test]
fn where_a_rename_is_a_link_and_an_unlink_a_change_comes_out_as_all_or_none_too() {
    for scenario in SCENARIOS {
        for from in 1.. {
            let ground = scenario.ground();
            let disk = Arc::new(Faulty::bare(Fault::Dead { from, errno: 5 }));
            let _ = scenario.run(&ground.open_on(disk.clone()));
            let Some(call) = disk.hit() else { break };
            // The recovery is interrupted at each of its calls, too, and goes on from there.
            for again in 1.. {
                let disk = Arc::new(Faulty::bare(Fault::Dead { from: again, errno: 5 }));
                if ground.open_on(disk.clone()).recover().is_ok() && disk.hit().is_none() {
                    break;
                }
            }
            let when = format!("from call {from} ({call}) on");
            let made = scenario.is_made(&ground, &when);
            assert_eq!(ground.pending(), 0, "{when}");
            assert_eq!(ground.open().operations(10).unwrap().len(), usize::from(made), "{when}");
        }
    }
}

#[test]
fn a_change_whose_folder_is_gone_is_set_aside_with_the_old_text_in_it() {
    let scenario = &SCENARIOS[0];
    let mut aside = 0;
    for from in 1.. {
        let ground = scenario.ground();
        let disk = Arc::new(Faulty::new(Fault::Dead { from, errno: 5 }));
        let _ = scenario.run(&ground.open_on(disk.clone()));
        if disk.hit().is_none() {
            break;
        }
        let mut pending = fs::read_dir(ground.data().join("journal/pending")).unwrap();
        if !pending.any(|entry| entry.unwrap().path().extension().is_some_and(|ending| ending == "json")) {
            continue;
        }
        // As when the disk that it is on is not mounted.
        fs::rename(ground.vault().join("a"), ground.root().join("elsewhere")).unwrap();
        let files = ground.open();
        let recovered = files.recover().unwrap();
        let damaged = ground.data().join("journal/damaged");
        let records: Vec<_> = fs::read_dir(damaged).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(
            (recovered.set_aside, records.len(), ground.pending()),
            (1, 1, 0),
            "dead from call {from}"
        );
        assert!(fs::read_to_string(&records[0]).unwrap().contains("one two three"));
        let create = Action::Create { path: path(&files, "new.md"), text: "new".to_owned() };
        files.commit(&ChangeSet::new("create", vec![create])).unwrap();
        aside += 1;
    }
    assert!(aside > 5);
}
