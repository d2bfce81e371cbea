//! An exchange by way of a third name, as Windows makes it: cut off, failing and disturbed at every call.
//!
//! The steps are those of `ReplaceFileW` with a backup, made by renames: what Windows itself does between them is not tried here.

use std::fs;
use std::sync::Arc;

use wellread_adapters::files::disk::Disk as _;
use wellread_core::ports::{Files as _, FilesUpkeep as _, SaveGuarantee};

use crate::changes::SCENARIOS;
use crate::faulty::{Fault, Faulty};
use crate::ground::Ground;
use crate::meanwhile::{BASE, EDIT, Save, edit_on, ground, save};

const EIO: i32 = 5;

#[test]
fn a_disk_that_dies_between_the_steps_is_put_right_at_the_next_start() {
    let mut between = 0;
    for scenario in SCENARIOS {
        for from in 1.. {
            let ground = scenario.ground();
            let disk = Arc::new(Faulty::in_steps(Fault::Dead { from, errno: EIO }));
            let failed = scenario.run(&ground.open_on(disk.clone())).is_err();
            let Some(call) = disk.hit() else { break };
            between += usize::from(ground.tree().keys().any(|name| name.ends_with(".out")));
            let when = format!("{}: dead from call {from} ({call}) on", scenario.name);
            let files = ground.open_on(Arc::new(Faulty::in_steps(Fault::None)));
            files.recover().unwrap();
            let made = scenario.is_made(&ground, &when);
            assert!(failed || made, "{when}: done was said and not done");
            assert_eq!(ground.pending(), 0, "{when}");
            assert_eq!(files.operations(10).unwrap().len(), usize::from(made), "{when}");
        }
    }
    assert!(between > 0, "no exchange was cut off between its steps");
}

#[test]
fn an_error_at_any_step_is_told_and_the_note_is_as_it_was() {
    for scenario in SCENARIOS {
        for at in 1.. {
            let ground = scenario.ground();
            let disk = Arc::new(Faulty::in_steps(Fault::Error { at, errno: EIO }));
            let failed = scenario.run(&ground.open_on(disk.clone())).is_err();
            let Some(call) = disk.hit() else { break };
            let when = format!("{}: error at call {at} ({call})", scenario.name);
            assert_eq!(scenario.is_made(&ground, &when), !failed, "{when}: said and done differ");
            assert_eq!(ground.pending(), 0, "{when}");
        }
    }
}

/// Appends to the note while somebody acts before each call. Whether the edit was made, and how many calls it took.
fn edit(ground: &Ground, act: impl Fn(usize) + Send + Sync + 'static) -> (bool, usize) {
    edit_on(ground, &Arc::new(Faulty::meanwhile_in_steps(act)))
}

#[test]
fn a_save_between_any_two_steps_stands_in_the_note_afterwards() {
    let (first, _) = ground();
    let (made, calls) = edit(&first, |_| {});
    assert!(made && first.text("note.md") == format!("{BASE}{EDIT}"));
    let (mut made, mut stepped_back, mut in_the_gap) = (0, 0, 0);
    for how in [Save::Rename, Save::InPlace] {
        for at in 1..=calls {
            let (ground, note) = ground();
            let gap = Arc::new(std::sync::atomic::AtomicBool::new(false));
            let seen = gap.clone();
            let (done, _) = edit(&ground, move |call| {
                if call == at {
                    seen.store(!note.exists(), std::sync::atomic::Ordering::SeqCst);
                    save(how, &note, "saved\n");
                }
            });
            made += usize::from(done);
            stepped_back += usize::from(!done);
            in_the_gap += usize::from(gap.load(std::sync::atomic::Ordering::SeqCst));
            let when = format!("{how:?} before call {at}");
            assert_eq!(ground.text("note.md"), "saved\n", "{when}");
            let tree = ground.tree();
            assert!(!tree.keys().any(|name| name.starts_with('.')), "{when}: left over: {:?}", tree.keys());
            // What was in the place before is there, or was replaced by the save.
            let known = [BASE.as_bytes(), b"saved\n", b"base\nedit\n"];
            assert!(tree.values().all(|text| known.contains(&&text[..])), "{when}: {tree:?}");
        }
    }
    assert!(made > 0 && stepped_back > 0 && in_the_gap > 0, "{made} {stepped_back} {in_the_gap}");
}

#[test]
fn a_vault_on_such_a_disk_has_the_full_guarantee_and_finding_that_out_leaves_nothing() {
    let (ground, _) = ground();
    let files = ground.open_on(Arc::new(Faulty::in_steps(Fault::None)));
    assert_eq!(files.probe_guarantee().unwrap(), SaveGuarantee::Exchange);
    assert_eq!(fs::read_dir(ground.vault()).unwrap().count(), 1);
}

#[test]
fn what_an_earlier_exchange_has_left_is_kept_and_never_replaced() {
    let ground = Ground::new(&[("one", "theirs"), ("other", "ours"), ("other.out", "earlier")]);
    let disk = Faulty::in_steps(Fault::None);
    let vault = disk.open_root(&ground.vault()).unwrap();
    let error = disk.exchange(&vault, "one", "other").unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!((ground.text("one"), ground.text("other.out")), ("theirs".into(), "earlier".into()));
    assert_eq!(disk.finish_exchange(&vault, "one", "other").unwrap().as_deref(), Some("one (kept 1)"));
    assert_eq!((ground.text("one"), ground.text("one (kept 1)")), ("theirs".into(), "earlier".into()));
    assert_eq!(disk.finish_exchange(&vault, "one", "other").unwrap(), None);
}
