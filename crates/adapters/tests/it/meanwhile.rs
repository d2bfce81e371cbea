//! Somebody saves right before each call of an edit, and before each pair of calls: enumerated, not left to chance.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use wellread_adapters::files::VaultFiles;
use wellread_core::ErrorKind;
use wellread_core::domain::corpus::{Action, ChangeSet, Hash, Splice};
use wellread_core::ports::Files;
use wellread_core::ports::{FilesUpkeep as _, SaveGuarantee};

use crate::changes::SCENARIOS;
use crate::faulty::{Fault, Faulty};
use crate::ground::{Ground, is_long, path};

pub const BASE: &str = "base\n";
pub const EDIT: &str = "edit\n";

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Save {
    Rename,
    InPlace,
    Append,
}

pub fn save(how: Save, note: &Path, text: &str) {
    match how {
        Save::Rename => {
            let beside = note.with_extension("saving");
            fs::write(&beside, text).unwrap();
            fs::rename(&beside, note).unwrap();
        }
        Save::InPlace => fs::write(note, text).unwrap(),
        Save::Append => {
            fs::OpenOptions::new().append(true).open(note).unwrap().write_all(text.as_bytes()).unwrap();
        }
    }
}

/// Appends to the note while somebody acts before each call. Whether the edit was made, and how many calls it took.
fn edit(ground: &Ground, act: impl Fn(usize) + Send + Sync + 'static) -> (bool, usize) {
    edit_on(ground, &Arc::new(Faulty::meanwhile(act)))
}

/// Appends to the note on this disk. Whether the edit was made, and how many calls it took.
pub fn edit_on(ground: &Ground, disk: &Arc<Faulty>) -> (bool, usize) {
    let files = ground.open_on(disk.clone());
    let at = BASE.len();
    let splices = vec![Splice { span: at..at, text: EDIT.to_owned() }];
    let edit =
        Action::Edit { path: path(&files, "note.md"), expect: Hash::compute(BASE.as_bytes()), splices };
    let made = match files.commit(&ChangeSet::new("edit", vec![edit])) {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::Changed => false,
        Err(error) => panic!("{error}"),
    };
    (made, disk.calls())
}

pub fn ground() -> (Ground, PathBuf) {
    let ground = Ground::new(&[("note.md", BASE)]);
    let note = ground.vault().join("note.md");
    (ground, note)
}

/// Every text of the vault: the note, and copies where they were kept.
fn texts(ground: &Ground, when: &str) -> Vec<String> {
    let tree = ground.tree();
    assert!(!tree.keys().any(|name| name.starts_with('.')), "{when}: something is left: {:?}", tree.keys());
    tree.into_values().map(|bytes| String::from_utf8(bytes).unwrap()).collect()
}

fn calls() -> usize {
    let (ground, _) = ground();
    let (made, calls) = edit(&ground, |_| {});
    assert!(made && ground.text("note.md") == format!("{BASE}{EDIT}"));
    calls
}

#[test]
fn a_save_before_any_call_stands_in_the_note_afterwards() {
    let (mut made, mut stepped_back) = (0, 0);
    for how in [Save::Rename, Save::InPlace, Save::Append] {
        for at in 1..=calls() {
            let (ground, note) = ground();
            let (done, _) = edit(&ground, move |call| {
                if call == at {
                    save(how, &note, "saved\n");
                }
            });
            if done {
                made += 1;
            } else {
                stepped_back += 1;
            }
            let (when, text) = (format!("{how:?} before call {at}"), ground.text("note.md"));
            assert_eq!(texts(&ground, &when).len(), 1, "{when}");
            if how == Save::Append {
                assert!(text == "base\nsaved\n" || text == "base\nedit\nsaved\n", "{when}: {text:?}");
                assert_eq!(done, text.contains("edit"), "{when}: what was said and what was done differ");
            } else {
                assert!(text == "saved\n", "{when}: {text:?}");
            }
        }
    }
    println!("one save: {made} edits made before it, {stepped_back} stepped back");
    assert!(made > 0 && stepped_back > 0);
}

#[test]
fn two_saves_before_any_two_calls_are_both_there_or_the_later_has_replaced_the_earlier() {
    let (mut pairs, mut kept) = (0, 0);
    let calls = calls() + 8;
    for (first, second) in [
        (Save::Rename, Save::Rename),
        (Save::Rename, Save::Append),
        (Save::InPlace, Save::InPlace),
        (Save::InPlace, Save::Rename),
        (Save::Append, Save::Append),
        (Save::Append, Save::InPlace),
    ] {
        for one in 1..=calls {
            for other in one..=calls {
                let (ground, note) = ground();
                let after = note.clone();
                let (_, reached) = edit(&ground, move |call| {
                    if call == one {
                        save(first, &note, "first\n");
                    }
                    if call == other {
                        save(second, &note, "second\n");
                    }
                });
                if reached < other {
                    if reached < one {
                        save(first, &after, "first\n");
                    }
                    save(second, &after, "second\n");
                }
                pairs += 1;
                let when = format!("{first:?} before call {one}, {second:?} before call {other}");
                let (texts, note) = (texts(&ground, &when), ground.text("note.md"));
                kept += texts.len() - 1;
                let everywhere = texts.join("");
                assert!(note.contains("second\n"), "{when}: the last save is not in the note: {texts:?}");
                assert!(
                    second != Save::Append || everywhere.contains("first\n"),
                    "{when}: the first is lost: {texts:?}"
                );
            }
        }
    }
    println!("two saves: {pairs} pairs of moments, {kept} copies kept");
}

#[test]
fn what_a_program_writes_to_a_note_that_it_opened_before_the_edit_is_not_lost() {
    let calls = calls() + 8;
    let (mut pairs, mut kept) = (0, 0);
    // Each of these waits for the program that has it open, so every pair is for the long run.
    let others = |one: usize| {
        if is_long() { (one + 1..=calls + 1).collect() } else { vec![one + 1, one + 4, calls + 1] }
    };
    for one in 1..=calls {
        for other in others(one) {
            let (ground, note) = ground();
            let open: Arc<Mutex<Option<File>>> = Arc::default();
            let held = open.clone();
            let (_, reached) = edit(&ground, move |call| {
                let mut held = held.lock().unwrap();
                if call == one {
                    *held = Some(fs::OpenOptions::new().append(true).open(&note).unwrap());
                }
                if let Some(mut file) = held.take_if(|_| call == other) {
                    file.write_all(b"late\n").unwrap();
                }
            });
            if reached < one {
                continue;
            }
            if let Some(mut file) = open.lock().unwrap().take() {
                file.write_all(b"late\n").unwrap();
            }
            pairs += 1;
            let when = format!("opened before call {one}, written before call {other}");
            let texts = texts(&ground, &when);
            kept += texts.len() - 1;
            assert!(texts.join("").contains("late\n"), "{when}: lost: {texts:?}");
        }
    }
    println!("a note held open: {pairs} pairs of moments, {kept} copies kept");
    assert!(pairs > 50);
}

#[test]
fn an_edit_goes_with_its_folder_when_that_is_moved_and_something_else_is_put_in_its_place() {
    for links_to_outside in [false, true] {
        let mut made = 0;
        for at in 1.. {
            let ground = Ground::new(&[("a/note.md", BASE)]);
            fs::create_dir(ground.root().join("outside")).unwrap();
            let (vault, outside) = (ground.vault(), ground.root().join("outside"));
            let disk = Arc::new(Faulty::meanwhile(move |call| {
                if call == at {
                    fs::rename(vault.join("a"), vault.join("moved")).unwrap();
                    if links_to_outside {
                        std::os::unix::fs::symlink(&outside, vault.join("a")).unwrap();
                    }
                }
            }));
            let files = ground.open_on(disk.clone());
            let splices = vec![Splice { span: 5..5, text: EDIT.to_owned() }];
            let edit = Action::Edit {
                path: path(&files, "a/note.md"),
                expect: Hash::compute(BASE.as_bytes()),
                splices,
            };
            let done = files.commit(&ChangeSet::new("edit", vec![edit])).is_ok();
            if disk.calls() < at {
                assert!(done && made > 10);
                break;
            }
            made += usize::from(done);
            let when = format!("the folder moved before call {at}");
            let tree = ground.tree();
            let text = if done { format!("{BASE}{EDIT}") } else { BASE.to_owned() };
            assert_eq!(tree.len(), 1, "{when}: {:?}", tree.keys());
            assert_eq!(String::from_utf8_lossy(&tree["moved/note.md"]), text, "{when}");
            assert_eq!(fs::read_dir(ground.root().join("outside")).unwrap().count(), 0, "{when}");
        }
    }
}

#[test]
fn without_an_exchange_changes_are_made_all_the_same_and_a_save_that_is_seen_in_time_wins() {
    for scenario in SCENARIOS {
        let ground = scenario.ground();
        scenario.run(&ground.open_on(Arc::new(Faulty::new(Fault::NoExchange)))).unwrap();
        assert!(scenario.is_made(&ground, "without an exchange"));
    }
    let (ground, note) = ground();
    let files = ground.open_on(Arc::new(Faulty::new(Fault::NoExchange)));
    assert_eq!(files.probe_guarantee().unwrap(), SaveGuarantee::CheckAndRename);
    save(Save::Rename, &note, "saved\n");
    let edit = Action::Edit {
        path: path(&files, "note.md"),
        expect: Hash::compute(BASE.as_bytes()),
        splices: vec![],
    };
    assert_eq!(files.commit(&ChangeSet::new("edit", vec![edit])).unwrap_err().kind(), ErrorKind::Changed);
    assert_eq!(texts(&ground, "afterwards"), ["saved\n"]);
    assert_eq!(ground.open().probe_guarantee().unwrap(), SaveGuarantee::Exchange);
}

/// What a program has in hand that looked its note up and was held up before it opened it. Nobody counts it as a writer.
#[cfg(target_os = "linux")]
struct LookedUp(File);

#[cfg(target_os = "linux")]
impl LookedUp {
    fn new(note: &Path) -> Self {
        use std::os::unix::fs::OpenOptionsExt as _;

        const O_PATH: i32 = 0o10_000_000;
        Self(fs::OpenOptions::new().read(true).custom_flags(O_PATH).open(note).unwrap())
    }

    fn save(&self, text: &str) {
        use std::os::fd::AsRawFd as _;

        fs::write(format!("/proc/self/fd/{}", self.0.as_raw_fd()), text).unwrap();
    }
}

#[cfg(target_os = "linux")]
fn prepend(files: &VaultFiles, name: &str) -> Action {
    let splices = vec![Splice { span: 0..0, text: EDIT.to_owned() }];
    Action::Edit { path: path(files, name), expect: Hash::compute(BASE.as_bytes()), splices }
}

#[cfg(target_os = "linux")]
#[test]
fn a_save_that_was_held_up_until_the_edit_was_made_is_kept() {
    use std::os::unix::fs::PermissionsExt as _;

    let (ground, note) = ground();
    fs::set_permissions(&note, fs::Permissions::from_mode(0o600)).unwrap();
    let files = ground.open();
    let looked_up = LookedUp::new(&note);
    files.commit(&ChangeSet::new("edit", vec![prepend(&files, "note.md")])).unwrap();
    looked_up.save("held up\n");
    let kept = ground.vault().join("note (kept 1).md");
    let start = std::time::Instant::now();
    while !kept.exists() && start.elapsed() < std::time::Duration::from_secs(20) {
        std::thread::yield_now();
    }
    drop(files);
    assert_eq!(ground.text("note.md"), format!("{EDIT}{BASE}"));
    assert_eq!(ground.text("note (kept 1).md"), "held up\n");
    assert_eq!(fs::metadata(kept).unwrap().permissions().mode() & 0o777, 0o600);
}

#[cfg(target_os = "linux")]
#[test]
fn a_save_that_was_held_up_until_the_vault_is_closed_is_kept() {
    let (ground, note) = ground();
    let files = ground.open();
    let looked_up = LookedUp::new(&note);
    files.commit(&ChangeSet::new("edit", vec![prepend(&files, "note.md")])).unwrap();
    looked_up.save("held up\n");
    drop(files);
    assert_eq!(ground.text("note (kept 1).md"), "held up\n");
}

/// The second note is saved meanwhile, so the first one is exchanged back: who looked it up before that has our text in hand.
#[cfg(target_os = "linux")]
#[test]
fn a_save_that_was_held_up_until_the_edit_was_taken_back_is_kept() {
    for late in ["x\n".to_owned(), "a longer text\n".repeat(9)] {
        let ground = Ground::new(&[("one.md", BASE), ("two.md", BASE)]);
        let (one, two) = (ground.vault().join("one.md"), ground.vault().join("two.md"));
        let looked_up = Arc::new(Mutex::new(None));
        let theirs = looked_up.clone();
        let disk = Faulty::meanwhile(move |_| {
            let mut theirs = theirs.lock().unwrap();
            if theirs.is_none() && fs::read_to_string(&one).is_ok_and(|text| text.starts_with(EDIT)) {
                *theirs = Some(LookedUp::new(&one));
                fs::write(&two, "saved\n").unwrap();
            }
        });
        let files = ground.open_on(Arc::new(disk));
        let edits = vec![prepend(&files, "one.md"), prepend(&files, "two.md")];
        let error = files.commit(&ChangeSet::new("edit", edits)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Changed);
        looked_up.lock().unwrap().take().unwrap().save(&late);
        drop(files);
        assert_eq!((ground.text("one.md"), ground.text("two.md")), (BASE.to_owned(), "saved\n".to_owned()));
        assert_eq!(ground.text("one (kept 1).md"), late);
    }
}

/// An edit gives one name a file of its own. The other name is nobody's late save.
#[cfg(target_os = "linux")]
#[test]
fn a_save_under_another_name_of_the_file_is_not_kept_as_a_late_one() {
    let (ground, note) = ground();
    fs::hard_link(&note, ground.vault().join("other.md")).unwrap();
    let files = ground.open();
    files.commit(&ChangeSet::new("edit", vec![prepend(&files, "note.md")])).unwrap();
    fs::write(ground.vault().join("other.md"), "its own text\n").unwrap();
    drop(files);
    assert_eq!(ground.tree().into_keys().collect::<Vec<_>>(), ["note.md", "other.md"]);
}

#[test]
fn what_an_edit_took_away_and_nobody_wrote_to_leaves_nothing_behind() {
    let (ground, _) = ground();
    let (made, _) = edit(&ground, |_| {});
    assert!(made);
    assert_eq!(ground.tree().into_keys().collect::<Vec<_>>(), ["note.md"]);
}
