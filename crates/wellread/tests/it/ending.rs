//! A signal to end finishes the change in hand and leaves nothing lying about.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use wellread_testkit::skip;

use crate::desk::{Desk, PATIENCE};

const LINKS: usize = 400;

fn linked() -> Desk {
    let desk = Desk::bare();
    desk.save("Hub.md", "# Hub\n");
    for n in 0..LINKS {
        desk.save(&format!("Notes/{n}.md"), format!("See [[Hub]], {n}.\n"));
    }
    desk
}

fn is_beside(desk: &Desk) -> bool {
    let names = fs::read_dir(desk.vault().join("Notes")).unwrap().map(|entry| entry.unwrap().file_name());
    names.into_iter().any(|name| name.to_string_lossy().starts_with(".wellread-"))
}

#[test]
fn a_move_that_is_interrupted_is_finished_first() {
    let mut interrupted = 0;
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let desk = linked();
        let args = json!({ "source": "Hub", "destination": "Centre" }).to_string();
        let mut command = desk.here();
        let command = command.args(["tool", "move_file", &args]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let start = Instant::now();
        while !is_beside(&desk) && child.try_wait().unwrap().is_none() && start.elapsed() < PATIENCE {
            thread::sleep(Duration::from_micros(200));
        }
        let _ = kill_process(Pid::from_child(&child), signal);
        let code = child.wait().unwrap().code();
        assert!(code == Some(status) || code == Some(0), "{signal:?}: {code:?}");
        interrupted += usize::from(code == Some(status));
        assert!(!is_beside(&desk), "{signal:?}: something is left beside the notes");
        assert!(desk.vault().join("Centre.md").exists() && !desk.vault().join("Hub.md").exists());
        let followed =
            (0..LINKS).filter(|n| desk.text(&format!("Notes/{n}.md")).contains("[[Centre]]")).count();
        assert_eq!(followed, LINKS, "{signal:?}");
        assert_eq!(desk.run(["undo"]).status, Some(0), "what was finished is in the journal");
        assert_eq!(desk.text("Notes/7.md"), "See [[Hub]], 7.\n");
    }
    assert!(interrupted > 0, "no signal came in time");
}

#[test]
fn the_date_is_the_users_wherever_they_are() {
    if !std::path::Path::new("/usr/share/zoneinfo/Pacific/Kiritimati").exists() {
        skip("this system has no time zones");
        return;
    }
    let desk = Desk::bare();
    let date = |zone: &str| {
        let ran = crate::desk::Ran::of(desk.here().env("TZ", zone).args(["tool", "get_current_date"]));
        ran.done()["date"].as_str().unwrap().to_owned()
    };
    // Twenty-six hours apart: never the same day.
    assert_ne!(date("Pacific/Kiritimati"), date("Etc/GMT+12"));
}
