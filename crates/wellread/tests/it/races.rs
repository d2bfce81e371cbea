//! A link that is swapped in while a tool is at work: nothing outside is read, and nothing outside is written.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use crate::desk::{Desk, tree};
use crate::paths::CANARY;
use crate::talk::{Revision, Talk};

/// Exchanges two names again and again until told to stop.
struct Flipper {
    stop: Arc<AtomicBool>,
    flips: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Flipper {
    fn between(one: PathBuf, other: PathBuf) -> Self {
        let (stop, flips) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let thread = thread::spawn({
            let (stop, flips) = (stop.clone(), flips.clone());
            move || {
                // An even number, so that all stands where it stood at the beginning.
                while !stop.load(Ordering::Relaxed) || flips.load(Ordering::Relaxed) % 2 == 1 {
                    renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
                    flips.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        Self { stop, flips, thread: Some(thread) }
    }

    fn end(mut self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
        self.flips.load(Ordering::Relaxed)
    }
}

impl Drop for Flipper {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Outside: notes of the same names as inside, each with the canary in it.
fn outside(desk: &Desk) -> PathBuf {
    let outside = desk.folder().join("outside");
    fs::create_dir(&outside).unwrap();
    for name in ["note.md", "Moving.md", "Dropped.md"] {
        fs::write(
            outside.join(name),
            format!("---\nseen: {CANARY}\n---\n# {CANARY}\n\n## Part\n\n[[{CANARY}]] [[Home]]\n"),
        )
        .unwrap();
    }
    outside
}

fn inside(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    for name in ["note.md", "Moving.md", "Dropped.md"] {
        fs::write(folder.join(name), "---\nseen: inside\n---\n# Inside\n\n## Part\n\nwords [[Home]]\n")
            .unwrap();
    }
}

/// Runs every sort of tool on files below `folder` and counts how many were served and how many were not.
fn work(talk: &mut Talk, folder: &str, rounds: usize) -> (usize, usize) {
    let (mut served, mut turned_down) = (0, 0);
    for n in 0..rounds {
        let at = |name: &str| format!("{folder}/{name}");
        for (tool, args) in [
            ("read_file", json!({ "path": at("note") })),
            ("get_note_info", json!({ "path": at("note") })),
            ("find_outlinks", json!({ "path": at("note") })),
            ("append_to_file", json!({ "path": at("note"), "content": "a line of ours" })),
            ("update_frontmatter", json!({ "path": at("note"), "field": "n", "value": n })),
            (
                "replace_section",
                json!({ "path": at("note"), "heading": "## Part", "content": "## Part\n\nours" }),
            ),
            ("create_file", json!({ "path": at(&format!("New {n}")), "content": "ours" })),
            ("create_file", json!({ "path": at(&format!("Below {n}/New")), "content": "ours" })),
            ("move_file", json!({ "source": at("Moving"), "destination": format!("Moved {n}") })),
            ("move_file", json!({ "source": format!("Moved {n}"), "destination": at("Moving") })),
            ("search_by_folder", json!({ "folder": folder, "recursive": true })),
            ("find_backlinks", json!({ "note_name": "Home" })),
            ("find_backlinks", json!({ "note_name": CANARY })),
            ("list_files_by_frontmatter", json!({ "field": "seen", "value": "a" })),
            ("search_by_date_range", json!({ "start_date": "2000-01-01", "end_date": "2100-01-01" })),
            ("delete_file", json!({ "path": at("Dropped") })),
        ] {
            let asked_for_it = args.to_string().contains(CANARY);
            let result = talk.call(tool, &args);
            assert!(
                asked_for_it || !result.to_string().contains(CANARY),
                "{tool} read what is outside: {result}"
            );
            if asked_for_it {
                assert_eq!(result["structuredContent"]["total"], 0, "{tool} read a link outside: {result}");
            }
            if result["isError"] == false { served += 1 } else { turned_down += 1 }
        }
    }
    (served, turned_down)
}

#[test]
fn a_folder_that_turns_into_a_link_never_leads_outside() {
    let desk = Desk::new();
    let outside = outside(&desk);
    let before = tree(&outside);
    inside(&desk.vault().join("Flip"));
    symlink(&outside, desk.vault().join(".flip")).unwrap();
    let flipper = Flipper::between(desk.vault().join("Flip"), desk.vault().join(".flip"));
    let mut talk = Talk::start(&desk, Revision::June2025);
    let (served, turned_down) = work(&mut talk, "Flip", 25);
    let flips = flipper.end();
    assert!(
        flips > 100 && served > 0 && turned_down > 0,
        "{flips} flips, {served} served, {turned_down} turned down"
    );
    assert!(tree(&outside) == before, "something outside was changed");
    assert_eq!(talk.end().0, Some(0));
    assert_eq!(desk.run(["doctor", "--json"]).done()["healthy"], true, "and the vault is whole");
}

#[test]
fn a_folder_deeper_down_that_turns_into_a_link_never_leads_outside() {
    let desk = Desk::new();
    let outside = outside(&desk);
    fs::create_dir(outside.join("Deep")).unwrap();
    for name in ["note.md", "Moving.md", "Dropped.md"] {
        fs::copy(outside.join(name), outside.join("Deep").join(name)).unwrap();
    }
    let before = tree(&outside);
    inside(&desk.vault().join("Flip/Deep"));
    // By a relative link this time.
    symlink("../outside", desk.vault().join(".flip")).unwrap();
    let flipper = Flipper::between(desk.vault().join("Flip"), desk.vault().join(".flip"));
    let mut talk = Talk::start(&desk, Revision::July2026);
    work(&mut talk, "Flip/Deep", 15);
    flipper.end();
    assert!(tree(&outside) == before, "something outside was changed");
}

#[test]
fn a_note_that_turns_into_a_link_never_leads_outside() {
    let desk = Desk::new();
    let outside = outside(&desk);
    let before = tree(&outside);
    inside(&desk.vault().join("Flip"));
    symlink(outside.join("note.md"), desk.vault().join("Flip/.note")).unwrap();
    let flipper = Flipper::between(desk.vault().join("Flip/note.md"), desk.vault().join("Flip/.note"));
    let mut talk = Talk::start(&desk, Revision::June2025);
    work(&mut talk, "Flip", 15);
    flipper.end();
    assert!(tree(&outside) == before, "something outside was changed");
}

/// The vault's own folder is opened once: whatever takes its name later is not it.
#[test]
fn the_vault_itself_can_be_renamed_under_a_running_server() {
    let desk = Desk::new();
    let outside = outside(&desk);
    let before = tree(&outside);
    let mut talk = Talk::start(&desk, Revision::June2025);
    talk.call("read_file", &json!({ "path": "Home" }));
    fs::rename(desk.vault(), desk.folder().join("moved away")).unwrap();
    symlink(&outside, desk.vault()).unwrap();
    let read = talk.call("read_file", &json!({ "path": "note" }));
    assert!(!read.to_string().contains(CANARY), "{read}");
    talk.call("append_to_file", &json!({ "path": "Home", "content": "still the same vault" }));
    assert!(
        fs::read_to_string(desk.folder().join("moved away/Home.md"))
            .unwrap()
            .ends_with("still the same vault\n")
    );
    assert!(tree(&outside) == before);
}
