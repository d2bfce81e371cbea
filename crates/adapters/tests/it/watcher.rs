//! What is heard of changes in a real folder. Nothing here asserts about time, but that a hint comes at all.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use wellread_adapters::repository::RepositoryFiles;
use wellread_adapters::watcher::{ChangeHints, Watcher};
use wellread_testkit::skip;

/// When a hint counts as lost.
const PATIENCE: Duration = Duration::from_secs(30);

struct Watched {
    folder: TempDir,
    watcher: Option<Watcher>,
    hints: Receiver<ChangeHints>,
    /// Whoever holds this keeps hints from being handed over.
    busy: Arc<Mutex<()>>,
    marks: usize,
}

impl Watched {
    /// Watches the folder `root` that holds these files, as corpus 7; `Secret` is excluded.
    fn new(files: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "old").unwrap();
        }
        Self::on(folder, root)
    }

    fn on(folder: TempDir, root: PathBuf) -> Self {
        let (send, hints) = mpsc::channel();
        let secret =
            |corpus: usize, path: &str, _| corpus == 7 && path.split('/').any(|part| part == "Secret");
        let busy = Arc::new(Mutex::new(()));
        let wait = busy.clone();
        let hand_over = move |hint| {
            drop(wait.lock().unwrap());
            drop(send.send(hint));
        };
        let watcher = Watcher::start(vec![(7, root)], secret, hand_over).unwrap();
        assert_eq!(watcher.limit_reason(), None);
        Self { folder, watcher: Some(watcher), hints, busy, marks: 0 }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("root").join(path)
    }

    fn save(&self, path: &str) {
        fs::write(self.at(path), "new").unwrap();
    }

    fn next(&self) -> ChangeHints {
        self.hints.recv_timeout(PATIENCE).expect("a hint")
    }

    /// Waits until it has heard of this file, and gives all that it heard on the way.
    fn hears(&self, path: &str) -> (BTreeSet<String>, bool) {
        let (mut touched, mut rescan) = (BTreeSet::new(), false);
        while !touched.contains(path) {
            let hints = self.next();
            assert!(hints.touched.is_empty() || !hints.rescan, "{hints:?}");
            assert!(hints.touched.iter().all(|(corpus, _)| *corpus == 7), "{hints:?}");
            rescan |= hints.rescan;
            touched.extend(hints.touched.into_iter().map(|(_, path)| path));
        }
        (touched, rescan)
    }

    fn hears_rescan(&self) {
        while !self.next().rescan {}
    }

    /// All that is heard until now: events come in order, so a change that is made last is heard of last.
    fn all_until_now(&mut self) -> (BTreeSet<String>, bool) {
        self.marks += 1;
        let mark = format!("mark {}.md", self.marks);
        // A rescan may swallow it: then it is made again.
        let (mut touched, mut rescan) = (BTreeSet::new(), false);
        let begun = Instant::now();
        while !touched.contains(&mark) {
            assert!(begun.elapsed() < PATIENCE, "the mark is not heard of");
            self.save(&mark);
            if let Ok(hints) = self.hints.recv_timeout(Duration::from_secs(1)) {
                rescan |= hints.rescan;
                touched.extend(hints.touched.into_iter().map(|(_, path)| path));
            }
        }
        touched.retain(|path| !path.starts_with("mark "));
        (touched, rescan)
    }
}

fn set(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

#[test]
fn a_note_that_is_saved_in_place_is_heard_of() {
    let mut watched = Watched::new(&["Bees.md", "a/b/Deep.md"]);
    watched.save("Bees.md");
    assert_eq!(watched.hears("Bees.md"), (set(&["Bees.md"]), false));
    watched.save("a/b/Deep.md");
    assert_eq!(watched.all_until_now(), (set(&["a/b/Deep.md"]), false));
}

#[test]
fn a_note_that_is_saved_by_renaming_or_exchanging_is_heard_of() {
    let mut watched = Watched::new(&["a/Bees.md"]);
    watched.save("a/.tmp");
    fs::rename(watched.at("a/.tmp"), watched.at("a/Bees.md")).unwrap();
    assert_eq!(watched.all_until_now(), (set(&["a/Bees.md"]), false));
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        watched.save("a/.wellread-x");
        let (new, note) = (watched.at("a/.wellread-x"), watched.at("a/Bees.md"));
        renameat_with(CWD, new, CWD, note, RenameFlags::EXCHANGE).unwrap();
        assert_eq!(watched.all_until_now(), (set(&["a/Bees.md"]), false));
    }
}

#[test]
fn files_that_come_and_go_are_heard_of() {
    let mut watched = Watched::new(&["a/Old.md", "a/Gone.md"]);
    watched.save("a/New.md");
    fs::remove_file(watched.at("a/Gone.md")).unwrap();
    fs::rename(watched.at("a/Old.md"), watched.at("Moved.md")).unwrap();
    assert_eq!(watched.all_until_now(), (set(&["a/Gone.md", "a/New.md", "a/Old.md", "Moved.md"]), false));
}

#[test]
fn reading_is_no_news() {
    let mut watched = Watched::new(&["a/Bees.md"]);
    for _ in 0..100 {
        fs::read(watched.at("a/Bees.md")).unwrap();
        assert_eq!(fs::read_dir(watched.at("a")).unwrap().count(), 1);
    }
    assert_eq!(watched.all_until_now(), (set(&[]), false));
}

#[test]
fn a_folder_that_is_moved_in_is_looked_at_and_watched() {
    let watched = Watched::new(&["Bees.md"]);
    let outside = watched.folder.path().join("outside/deep");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("Mead.md"), "x").unwrap();
    fs::rename(watched.folder.path().join("outside"), watched.at("in")).unwrap();
    watched.hears_rescan();
    watched.save("in/deep/Mead.md");
    watched.hears("in/deep/Mead.md");
}

#[test]
fn a_folder_that_is_moved_keeps_being_watched_under_its_new_name_alone() {
    let mut watched = Watched::new(&["a/b/Deep.md", "ab/Other.md"]);
    fs::rename(watched.at("a"), watched.at("c")).unwrap();
    watched.hears_rescan();
    watched.all_until_now();
    watched.save("c/b/Deep.md");
    watched.save("ab/Other.md");
    assert_eq!(watched.all_until_now().0, set(&["ab/Other.md", "c/b/Deep.md"]));
}

#[test]
fn a_folder_that_is_moved_out_is_looked_for_and_watched_no_more() {
    let mut watched = Watched::new(&["a/b/Deep.md"]);
    let out = watched.folder.path().join("out");
    fs::rename(watched.at("a"), &out).unwrap();
    watched.hears_rescan();
    watched.all_until_now();
    fs::write(out.join("b/Deep.md"), "elsewhere").unwrap();
    assert_eq!(watched.all_until_now(), (set(&[]), false));
}

#[test]
fn folders_that_are_made_are_watched_however_fast_they_come() {
    let watched = Watched::new(&[]);
    for round in 0..20 {
        let folder = format!("r{round}/x/y/z");
        fs::create_dir_all(watched.at(&folder)).unwrap();
        watched.save(&format!("{folder}/First.md"));
        // Whatever came before its folder was watched ends in a rescan; what comes after that is heard of by name.
        let first = format!("{folder}/First.md");
        loop {
            let hints = watched.next();
            if hints.rescan || hints.touched.iter().any(|(_, path)| *path == first) {
                break;
            }
        }
        watched.save(&format!("{folder}/Second.md"));
        watched.hears(&format!("{folder}/Second.md"));
    }
    fs::remove_dir_all(watched.at("r0")).unwrap();
    fs::create_dir_all(watched.at("r0/x")).unwrap();
    loop {
        watched.save("r0/x/Again.md");
        let hints = watched.next();
        if hints.touched.iter().any(|(_, path)| path == "r0/x/Again.md") {
            break;
        }
    }
}

#[test]
fn excluded_folders_are_silent() {
    let mut watched = Watched::new(&[
        "Secret/a.md",
        "x/Secret/deep/a.md",
        "node_modules/a.js",
        "x/node_modules/b/c.js",
        ".git/HEAD",
        ".obsidian/workspace.json",
    ]);
    for path in [
        "Secret/a.md",
        "x/Secret/deep/a.md",
        "node_modules/a.js",
        "x/node_modules/b/c.js",
        ".git/HEAD",
        ".hidden",
    ] {
        watched.save(path);
    }
    fs::create_dir_all(watched.at(".obsidian/plugins/new")).unwrap();
    fs::create_dir_all(watched.at("Secret/new")).unwrap();
    watched.save("Secret/new/b.md");
    fs::rename(watched.at("x/Secret"), watched.at(".trash")).unwrap();
    let (touched, _) = watched.all_until_now();
    assert_eq!(touched, set(&[]));
}

#[test]
fn what_git_ignores_is_silent_where_a_repository_says_so() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().to_owned();
    fs::write(root.join(".gitignore"), "target/\n*.log\n").unwrap();
    fs::create_dir(root.join("target")).unwrap();
    let files = RepositoryFiles::open(&root).unwrap();
    let (send, hints) = mpsc::channel();
    let excluded = move |_, path: &str, is_folder| files.skips(path, is_folder);
    let _watcher =
        Watcher::start(vec![(0, root.clone())], excluded, move |hint| drop(send.send(hint))).unwrap();
    for path in ["target/out.rs", "x.log", "logo.png", "main.rs"] {
        fs::write(root.join(path), "x").unwrap();
    }
    let hint: ChangeHints = hints.recv_timeout(PATIENCE).unwrap();
    assert_eq!(hint, ChangeHints { touched: vec![(0, "main.rs".to_owned())], rescan: false });
}

#[test]
fn links_are_not_followed() {
    let mut watched = Watched::new(&["Bees.md"]);
    let outside = watched.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, watched.at("linked")).unwrap();
    symlink(".", watched.at("loop")).unwrap();
    watched.all_until_now();
    fs::write(outside.join("x.md"), "x").unwrap();
    watched.save("Bees.md");
    assert_eq!(watched.all_until_now().0, set(&["Bees.md"]));
}

#[test]
fn a_root_that_is_a_link_is_watched() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("real")).unwrap();
    symlink("real", folder.path().join("root")).unwrap();
    let root = folder.path().join("root");
    let watched = Watched::on(folder, root);
    watched.save("Bees.md");
    watched.hears("Bees.md");
}

#[test]
fn a_storm_ends_in_a_rescan_and_later_changes_are_heard_of_one_by_one() {
    let mut watched = Watched::new(&["a/Bees.md"]);
    // Whoever gets the hints is busy with the first one until the storm is over, however long that takes.
    let busy = watched.busy.clone();
    let held = busy.lock().unwrap();
    watched.save("a/Bees.md");
    for n in 0..50_000 {
        let path = watched.at(&format!("a/{n}.md"));
        fs::write(&path, "x").unwrap();
        if n % 2 == 0 {
            fs::remove_file(&path).unwrap();
        }
    }
    drop(held);
    watched.hears_rescan();
    watched.all_until_now();
    watched.save("a/Bees.md");
    watched.hears("a/Bees.md");
}

#[test]
fn of_a_steady_stream_every_path_is_named_or_a_rescan_covers_it() {
    let mut watched = Watched::new(&["a/Bees.md"]);
    let mut written = BTreeSet::new();
    for n in 0..5000 {
        let path = format!("a/{n}.md");
        watched.save(&path);
        written.insert(path);
    }
    let (touched, rescan) = watched.all_until_now();
    assert!(rescan || touched.is_superset(&written), "{} of {} are named", touched.len(), written.len());
}

#[test]
fn a_slow_listener_loses_nothing_but_the_list() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().to_owned();
    let (send, hints) = mpsc::sync_channel::<ChangeHints>(0);
    let watcher =
        Watcher::start(vec![(0, root.clone())], |_, _, _| false, move |hint| drop(send.send(hint))).unwrap();
    fs::write(root.join("first.md"), "x").unwrap();
    for n in 0..5000 {
        fs::write(root.join(format!("{n}.md")), "x").unwrap();
    }
    // The first hint is being handed over all that time; the others became one.
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < PATIENCE);
        if hints.recv_timeout(PATIENCE).unwrap().rescan {
            break;
        }
    }
    drop(hints);
    drop(watcher);
}

#[test]
fn a_root_that_is_removed_and_made_again_is_found_again() {
    for held in [false, true] {
        let mut watched = Watched::new(&["a/Bees.md"]);
        // A folder that somebody holds open is deleted without a word.
        let handle = held.then(|| fs::File::open(watched.at("")).unwrap());
        fs::remove_dir_all(watched.at("")).unwrap();
        watched.hears_rescan();
        fs::create_dir_all(watched.at("a")).unwrap();
        watched.hears_rescan();
        watched.all_until_now();
        watched.save("a/Bees.md");
        watched.hears("a/Bees.md");
        drop(handle);
    }
}

#[test]
fn a_root_that_is_moved_away_and_replaced_is_found_again() {
    let mut watched = Watched::new(&["a/Bees.md"]);
    let old = watched.folder.path().join("old");
    fs::rename(watched.at(""), &old).unwrap();
    fs::create_dir_all(watched.at("a")).unwrap();
    watched.hears_rescan();
    watched.all_until_now();
    watched.save("a/Bees.md");
    fs::write(old.join("a/Other.md"), "x").unwrap();
    assert_eq!(watched.all_until_now().0, set(&["a/Bees.md"]));
}

#[test]
fn a_root_that_is_not_there_yet_is_waited_for() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("root");
    let watched = Watched::on(folder, root);
    fs::create_dir(watched.at("")).unwrap();
    watched.hears_rescan();
    watched.save("Bees.md");
    watched.hears("Bees.md");
}

#[test]
fn roots_may_lie_in_each_other() {
    let folder = TempDir::new().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let (send, hints) = mpsc::channel();
    let roots = vec![(0, folder.path().to_owned()), (1, inner.clone())];
    let _watcher =
        Watcher::start(roots, |_, _, _| false, move |hint: ChangeHints| drop(send.send(hint))).unwrap();
    fs::write(inner.join("x.md"), "x").unwrap();
    let mut touched = BTreeSet::new();
    while touched.len() < 2 {
        touched.extend(hints.recv_timeout(PATIENCE).unwrap().touched);
    }
    assert_eq!(touched, BTreeSet::from([(0, "inner/x.md".to_owned()), (1, "x.md".to_owned())]));
}

/// What is handed over at once by whoever can't wait.
fn caught_up(watched: &Watched) -> BTreeSet<String> {
    assert!(watched.watcher.as_ref().unwrap().catch_up(7));
    let hints = watched.hints.try_iter().inspect(|hints| assert!(!hints.rescan));
    hints.flat_map(|hints| hints.touched).map(|(_, path)| path).collect()
}

#[test]
fn whoever_catches_up_has_everything_handed_over_when_that_returns() {
    let watched = Watched::new(&["a/x.md", "a/y.md"]);
    assert_eq!(caught_up(&watched), set(&[]));
    watched.save("a/x.md");
    fs::create_dir(watched.at("a/new")).unwrap();
    assert_eq!(caught_up(&watched), set(&["a/new", "a/x.md"]));
    watched.save("a/new/z.md");
    fs::rename(watched.at("a/y.md"), watched.at("y.md")).unwrap();
    assert_eq!(caught_up(&watched), set(&["a/new/z.md", "a/y.md", "y.md"]));
    fs::remove_file(watched.at("a/new/z.md")).unwrap();
    fs::remove_dir(watched.at("a/new")).unwrap();
    assert_eq!(caught_up(&watched), set(&["a/new", "a/new/z.md"]));
    fs::create_dir_all(watched.at("Secret/a")).unwrap();
    fs::create_dir(watched.at(".hidden")).unwrap();
    assert_eq!(caught_up(&watched), set(&[]));
    assert!(!watched.watcher.as_ref().unwrap().catch_up(8), "there is no such corpus");
}

#[test]
fn what_is_being_handed_over_is_waited_for_by_whoever_catches_up() {
    let watched = Watched::new(&["x.md"]);
    let busy = watched.busy.clone();
    let held = busy.lock().unwrap();
    watched.save("x.md");
    let watcher = watched.watcher.as_ref().unwrap();
    std::thread::scope(|scope| {
        let caught_up = scope.spawn(|| watcher.catch_up(7));
        drop(held);
        assert!(caught_up.join().unwrap());
    });
    assert_eq!(watched.hints.try_recv().unwrap().touched, [(7, "x.md".to_owned())]);
}

#[test]
fn a_root_that_has_been_another_folder_is_never_again_heard_of_for_certain() {
    let watched = Watched::new(&["x.md"]);
    fs::rename(watched.at(""), watched.folder.path().join("old")).unwrap();
    fs::create_dir(watched.at("")).unwrap();
    let watcher = watched.watcher.as_ref().unwrap();
    assert!(!watcher.catch_up(7));
    watched.hears_rescan();
    assert!(!watcher.catch_up(7), "whoever holds the old folder open reads that one");
}

/// Not a test of its own: what the next one runs where it may mount.
#[test]
fn what_is_mounted_in_a_root_is_looked_at_there() {
    if std::env::var_os("WELLREAD_TEST_MAY_MOUNT").is_none() {
        return;
    }
    let watched = Watched::new(&["disk/x.md"]);
    let watcher = watched.watcher.as_ref().unwrap();
    let run = |command: &str, args: &[&str]| {
        let disk = watched.at("disk");
        assert!(Command::new(command).args(args).arg(disk).status().unwrap().success(), "{command}");
    };
    // The watches follow in a moment; until then nobody says that everything is heard of.
    let until_level = || {
        let begun = Instant::now();
        while !watcher.catch_up(7) {
            assert!(begun.elapsed() < PATIENCE);
        }
        watched.hints.try_iter().for_each(drop);
    };
    until_level();
    run("mount", &["-t", "tmpfs", "none"]);
    // By this call or by the thread, whichever was first.
    watcher.catch_up(7);
    watched.hears_rescan();
    until_level();
    watched.save("disk/y.md");
    assert_eq!(caught_up(&watched), set(&["disk/y.md"]));
    run("umount", &[]);
    watcher.catch_up(7);
    watched.hears_rescan();
    until_level();
    watched.save("disk/x.md");
    assert_eq!(caught_up(&watched), set(&["disk/x.md"]));
}

#[test]
fn a_mount_in_a_root_is_noticed() {
    let test = std::env::current_exe().unwrap();
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount"]);
    if !command.arg("true").status().is_ok_and(|status| status.success()) {
        return skip("namespaces of users can't be made here");
    }
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount"]).arg(test);
    command.args(["--exact", "watcher::what_is_mounted_in_a_root_is_looked_at_there"]);
    let answer = command.env("WELLREAD_TEST_MAY_MOUNT", "1").output().unwrap();
    let said = String::from_utf8_lossy(&answer.stdout);
    assert!(answer.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn after_it_is_dropped_nothing_is_heard() {
    let mut watched = Watched::new(&["Bees.md"]);
    watched.watcher.take();
    watched.save("Bees.md");
    assert!(watched.hints.recv_timeout(PATIENCE).is_err(), "the channel closes with the watcher");
}
