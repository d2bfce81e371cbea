//! A full disk, an I/O error and a failing sync at every single call.

use std::sync::Arc;

use wellread_core::ports::Files;
use wellread_core::ports::FilesUpkeep as _;

use crate::changes::{SCENARIOS, Scenario};
use crate::faulty::{Fault, Faulty};
use crate::ground::Ground;

const ENOSPC: i32 = 28;
const EIO: i32 = 5;

struct Tried {
    ground: Ground,
    failed: bool,
    hit: Option<&'static str>,
}

fn try_with(scenario: &Scenario, fault: Fault) -> Tried {
    let ground = scenario.ground();
    let disk = Arc::new(Faulty::new(fault));
    let files = ground.open_on(disk.clone());
    let failed = scenario.run(&files).is_err();
    Tried { ground, failed, hit: disk.hit() }
}

#[test]
fn an_error_at_any_call_is_told_and_nothing_is_half_done() {
    for scenario in SCENARIOS {
        let (mut calls, mut told, mut syncs) = (0, 0, 0);
        for errno in [ENOSPC, EIO] {
            for at in 1.. {
                let Tried { ground, failed, hit } = try_with(scenario, Fault::Error { at, errno });
                let Some(call) = hit else { break };
                let when = format!("error {errno} at call {at} ({call})");
                calls += 1;
                told += usize::from(failed);
                syncs += usize::from(call.starts_with("sync"));
                assert!(failed || !call.starts_with("sync"), "{when}: a failing sync was hidden");
                // One error leaves room to take the change back at once.
                let made = scenario.is_made(&ground, &when);
                assert_eq!(made, !failed, "{when}: what was said and what was done differ");
                settle(scenario, &ground, &when, made);
            }
        }
        println!("{}: {calls} failing calls, {told} told as errors, {syncs} of them syncs", scenario.name);
        assert!(calls > 40 && syncs >= 6);
    }
}

#[test]
fn a_disk_that_dies_in_the_middle_is_put_right_at_the_next_start() {
    for scenario in SCENARIOS {
        for errno in [ENOSPC, EIO] {
            for from in 1.. {
                let Tried { ground, failed, hit } = try_with(scenario, Fault::Dead { from, errno });
                let Some(call) = hit else { break };
                let when = format!("error {errno} from call {from} ({call}) on");
                scenario.check_readers(&ground, &when);
                ground.open().recover().unwrap();
                let made = scenario.is_made(&ground, &when);
                assert!(failed || made, "{when}: done was said and not done");
                settle(scenario, &ground, &when, made);
            }
        }
    }
}

/// The journal agrees with the notes, and the vault goes on working.
fn settle(scenario: &Scenario, ground: &Ground, when: &str, made: bool) {
    let files = ground.open();
    files.recover().unwrap();
    assert_eq!(ground.pending(), 0, "{when}");
    assert_eq!(scenario.is_made(ground, when), made, "{when}: recovery changed its mind");
    assert_eq!(files.operations(10).unwrap().len(), usize::from(made), "{when}");
    if !made {
        scenario.run(&files).unwrap();
        assert!(scenario.is_made(ground, when), "{when}: it works once the disk does");
    }
}

/// A process that starts a child hands its open files on to it until the child has begun: our own new file looks for a
/// moment as though somebody were writing to it.
#[test]
fn a_file_held_open_for_a_moment_does_not_keep_a_failed_change() {
    let scenario = &SCENARIOS[1];
    let mut held = 0;
    for at in 1.. {
        let ground = scenario.ground();
        let new = ground.vault().join("x/y/new.md");
        let holding = Arc::new(std::sync::Mutex::new(None));
        let keep = holding.clone();
        let act = move |call| {
            if call == at
                && let Ok(file) = std::fs::OpenOptions::new().append(true).open(&new)
            {
                let hold = move || {
                    std::thread::sleep(std::time::Duration::from_millis(3));
                    drop(file);
                };
                *keep.lock().unwrap() = Some(std::thread::spawn(hold));
            }
        };
        let disk = Arc::new(Faulty::meanwhile_with(Fault::Error { at, errno: EIO }, act));
        let failed = scenario.run(&ground.open_on(disk.clone())).is_err();
        let Some(call) = disk.hit() else { break };
        let holder = holding.lock().unwrap().take();
        held += usize::from(holder.is_some());
        if let Some(holder) = holder {
            holder.join().unwrap();
        }
        let when = format!("error at call {at} ({call})");
        assert_eq!(scenario.is_made(&ground, &when), !failed, "{when}");
    }
    assert!(held > 2, "the new file was there to be held {held} times");
}
