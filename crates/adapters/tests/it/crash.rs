//! The process ends at every call of the protocol, and once more at every call of the recovery.
//!
//! The points are enumerated, not sampled. A child process does the work on a disk whose n-th call ends it.

use std::path::Path;
use std::sync::Arc;

use wellread_core::ports::Files;
use wellread_core::ports::FilesUpkeep as _;

use crate::changes::SCENARIOS;
use crate::children::child_process;
use crate::faulty::{ENDED, Fault, Faulty};
use crate::ground::{Ground, open};

/// What the child process does.
pub fn child(order: &str) {
    let mut words = order.splitn(4, ' ');
    let mut word = || words.next().unwrap();
    let (what, scenario, at) = (word(), word().parse::<usize>().unwrap(), word().parse().unwrap());
    let files = open(Arc::new(Faulty::new(Fault::Exit { at })), Path::new(word()));
    match what {
        "change" => SCENARIOS[scenario].run(&files).unwrap(),
        _ => drop(files.recover().unwrap()),
    }
}

/// Whether the child was ended, rather than done.
fn is_ended(what: &str, scenario: usize, at: usize, ground: &Ground) -> bool {
    let order = format!("{what} {scenario} {at} {}", ground.root().display());
    let output = child_process("crash", &order).output().unwrap();
    let code = output.status.code();
    assert!(code == Some(0) || code == Some(ENDED), "{}", String::from_utf8_lossy(&output.stderr));
    code == Some(ENDED)
}

#[test]
fn a_crash_at_any_call_leaves_old_or_new_notes_and_recovery_makes_it_all_or_none() {
    for (n, scenario) in SCENARIOS.iter().enumerate() {
        let (mut points, mut again, mut made) = (0, 0, 0);
        for at in 1.. {
            let ground = scenario.ground();
            if !is_ended("change", n, at, &ground) {
                assert!(scenario.is_made(&ground, "after the last call"));
                break;
            }
            points += 1;
            scenario.check_readers(&ground, &format!("ended at call {at}"));
            again += crash_in_recovery(n, at, &ground);
            made += usize::from(recovered(n, &ground, &format!("ended at call {at}, recovered")));
        }
        println!(
            "{}: ended at {points} calls ({made} came out as made), and at {again} calls of a recovery",
            scenario.name
        );
        assert!(points > 15 && again > points && made > 0 && made < points);
    }
}

/// Ends the recovery of this ground at each of its calls; each time a second recovery must do.
fn crash_in_recovery(n: usize, at: usize, ground: &Ground) -> usize {
    for call in 1.. {
        let copy = ground.copy();
        let ended = is_ended("recover", n, call, &copy);
        let when = format!("ended at call {at}, its recovery ended at call {call}");
        SCENARIOS[n].check_readers(&copy, &when);
        recovered(n, &copy, &when);
        if !ended {
            return call - 1;
        }
    }
    0
}

/// Recovers, and checks that all is old or all is new, that nothing is left over, and that the journal agrees.
fn recovered(n: usize, ground: &Ground, when: &str) -> bool {
    let files = ground.open();
    files.recover().unwrap();
    let made = SCENARIOS[n].is_made(ground, when);
    assert_eq!(ground.pending(), 0, "{when}");
    assert_eq!(
        files.operations(10).unwrap().len(),
        usize::from(made),
        "{when}: the journal and the notes disagree"
    );
    assert_eq!(files.recover().unwrap(), Default::default(), "{when}: recovery is idempotent");
    made
}
