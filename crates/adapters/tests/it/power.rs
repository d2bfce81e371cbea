//! The power fails after every call: what was not synced may be on disk or not.
//!
//! A process that ends loses nothing that it gave to the system; a machine that loses its power does. The calls of a
//! change are recorded, and for each moment the disks are built that could be found afterwards: of the renames,
//! unlinks and new names since the last sync of a folder any first part has reached the disk, in the vault and in the data
//! folder independently; text that was not synced is there or gone. Recovery must come out at old or new on each.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use std::os::fd::AsFd;
use wellread_adapters::files::SystemDisk;
use wellread_adapters::files::disk::{Dir, Disk, Stat, Writers};
use wellread_core::ports::Files;
use wellread_core::ports::FilesUpkeep as _;

use crate::changes::{SCENARIOS, Scenario, is_hidden};
use crate::ground::{Ground, Tree};

#[derive(Debug, Clone)]
enum Event {
    Create(PathBuf),
    Write(PathBuf, Vec<u8>),
    Sync(PathBuf),
    SyncDir(PathBuf),
    MakeDir(PathBuf),
    RemoveDir(PathBuf),
    Unlink(PathBuf),
    Exchange(PathBuf, PathBuf),
    Rename(PathBuf, PathBuf),
}

/// Makes the calls and writes down those that change something.
#[derive(Debug, Default)]
struct Recorder {
    events: Mutex<Vec<Event>>,
}

impl Recorder {
    fn note(&self, event: Event) {
        self.events.lock().unwrap().push(event);
    }
}

fn place(fd: i32) -> PathBuf {
    fs::read_link(format!("/proc/self/fd/{fd}")).unwrap()
}

fn at(dir: &Dir, name: &str) -> PathBuf {
    place(dir.as_fd().as_raw_fd()).join(name)
}

impl Disk for Recorder {
    fn open_root(&self, path: &Path) -> io::Result<Dir> {
        SystemDisk.open_root(path)
    }
    fn open_dir(&self, at: &Dir, name: &str) -> io::Result<Dir> {
        SystemDisk.open_dir(at, name)
    }
    fn names(&self, dir: &Dir) -> io::Result<Vec<Result<String, String>>> {
        SystemDisk.names(dir)
    }
    fn stat(&self, at: &Dir, name: &str) -> io::Result<Stat> {
        SystemDisk.stat(at, name)
    }
    fn link_target(&self, at: &Dir, name: &str) -> io::Result<String> {
        SystemDisk.link_target(at, name)
    }
    fn open(&self, at: &Dir, name: &str) -> io::Result<File> {
        SystemDisk.open(at, name)
    }
    fn read(&self, file: &File, at_most: u64) -> io::Result<Vec<u8>> {
        SystemDisk.read(file, at_most)
    }
    fn writers(&self, file: &File) -> Writers {
        SystemDisk.writers(file)
    }
    fn create(&self, dir: &Dir, name: &str, like: Option<&Stat>) -> io::Result<File> {
        self.note(Event::Create(at(dir, name)));
        SystemDisk.create(dir, name, like)
    }
    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
        self.note(Event::Write(place(file.as_raw_fd()), bytes.to_vec()));
        SystemDisk.write(file, bytes)
    }
    fn sync(&self, file: &File) -> io::Result<()> {
        self.note(Event::Sync(place(file.as_raw_fd())));
        Ok(())
    }
    fn sync_dir(&self, dir: &Dir) -> io::Result<()> {
        self.note(Event::SyncDir(place(dir.as_fd().as_raw_fd())));
        Ok(())
    }
    fn make_dir(&self, dir: &Dir, name: &str) -> io::Result<()> {
        self.note(Event::MakeDir(at(dir, name)));
        SystemDisk.make_dir(dir, name)
    }
    fn remove_dir(&self, dir: &Dir, name: &str) -> io::Result<()> {
        self.note(Event::RemoveDir(at(dir, name)));
        SystemDisk.remove_dir(dir, name)
    }
    fn unlink(&self, dir: &Dir, name: &str) -> io::Result<()> {
        SystemDisk.unlink(dir, name)?;
        self.note(Event::Unlink(at(dir, name)));
        Ok(())
    }
    fn exchange(&self, dir: &Dir, one: &str, other: &str) -> io::Result<()> {
        SystemDisk.exchange(dir, one, other)?;
        self.note(Event::Exchange(at(dir, one), at(dir, other)));
        Ok(())
    }
    fn rename_new(&self, from: (&Dir, &str), to: (&Dir, &str)) -> io::Result<()> {
        SystemDisk.rename_new(from, to)?;
        self.note(Event::Rename(at(from.0, from.1), at(to.0, to.1)));
        Ok(())
    }
    fn rename_over(&self, dir: &Dir, from: &str, to: &str) -> io::Result<()> {
        SystemDisk.rename_over(dir, from, to)?;
        self.note(Event::Rename(at(dir, from), at(dir, to)));
        Ok(())
    }
}

/// Names and folders, as one file system has them.
#[derive(Debug, Clone, Default)]
struct Names {
    files: BTreeMap<PathBuf, usize>,
    folders: BTreeSet<PathBuf>,
}

impl Names {
    fn apply(&mut self, event: &Event, created: usize) {
        match event {
            Event::Create(path) => drop(self.files.insert(path.clone(), created)),
            Event::MakeDir(path) => drop(self.folders.insert(path.clone())),
            Event::RemoveDir(path) => drop(self.folders.remove(path)),
            Event::Unlink(path) => drop(self.files.remove(path)),
            Event::Rename(from, to) => {
                let file = self.files.remove(from).unwrap();
                self.files.insert(to.clone(), file);
            }
            Event::Exchange(one, other) => {
                let (first, second) = (self.files[one], self.files[other]);
                self.files.insert(one.clone(), second);
                self.files.insert(other.clone(), first);
            }
            Event::Write(..) | Event::Sync(_) | Event::SyncDir(_) => {}
        }
    }
}

/// One of the two file systems: what is on disk for sure, and what is on its way.
#[derive(Debug, Clone, Default)]
struct Volume {
    now: Names,
    on_disk: Names,
    on_its_way: Vec<(Event, usize)>,
}

#[derive(Debug, Clone, Default)]
struct Content {
    now: Vec<u8>,
    on_disk: Vec<u8>,
}

struct Machine {
    root: PathBuf,
    contents: Vec<Content>,
    volumes: [Volume; 2],
}

impl Machine {
    fn of(ground: &Ground) -> Self {
        let root = ground.root().canonicalize().unwrap();
        let mut machine = Self { root: root.clone(), contents: Vec::new(), volumes: Default::default() };
        machine.load(&root);
        for volume in &mut machine.volumes {
            volume.on_disk = volume.now.clone();
        }
        machine
    }

    fn load(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let volume = self.volume(&path);
            if path.is_dir() {
                self.volumes[volume].now.folders.insert(path.clone());
                self.load(&path);
            } else {
                let bytes = fs::read(&path).unwrap();
                self.contents.push(Content { now: bytes.clone(), on_disk: bytes });
                self.volumes[volume].now.files.insert(path, self.contents.len() - 1);
            }
        }
    }

    fn volume(&self, path: &Path) -> usize {
        usize::from(path.starts_with(self.root.join("data")))
    }

    fn happens(&mut self, event: &Event) {
        match event {
            Event::Write(path, bytes) => {
                let file = self.volumes[self.volume(path)].now.files[path];
                self.contents[file].now.extend(bytes);
            }
            Event::Sync(path) => {
                let file = self.volumes[self.volume(path)].now.files[path];
                self.contents[file].on_disk = self.contents[file].now.clone();
            }
            // A file system keeps the order of such changes, so with the folder's own all earlier ones are there.
            Event::SyncDir(path) => {
                let volume = self.volume(path);
                let volume = &mut self.volumes[volume];
                volume.on_disk = volume.now.clone();
                volume.on_its_way.clear();
            }
            Event::Create(path)
            | Event::MakeDir(path)
            | Event::RemoveDir(path)
            | Event::Unlink(path)
            | Event::Rename(path, _)
            | Event::Exchange(path, _) => {
                if matches!(event, Event::Create(_)) {
                    self.contents.push(Content::default());
                }
                let (created, volume) = (self.contents.len().saturating_sub(1), self.volume(path));
                let volume = &mut self.volumes[volume];
                volume.now.apply(event, created);
                volume.on_its_way.push((event.clone(), created));
            }
        }
    }

    /// The disks that may be found when the power comes back.
    fn found(&self) -> Vec<Ground> {
        let mut found = Vec::new();
        for in_vault in 0..=self.volumes[0].on_its_way.len() {
            for in_data in 0..=self.volumes[1].on_its_way.len() {
                for unsynced_text in [true, false] {
                    found.push(self.build([in_vault, in_data], unsynced_text));
                }
            }
        }
        found
    }

    fn build(&self, arrived: [usize; 2], unsynced_text: bool) -> Ground {
        let ground = Ground::new(&[]);
        for (volume, arrived) in self.volumes.iter().zip(arrived) {
            let mut names = volume.on_disk.clone();
            for (event, created) in &volume.on_its_way[..arrived] {
                names.apply(event, *created);
            }
            let moved = |path: &Path| ground.root().join(path.strip_prefix(&self.root).unwrap());
            for folder in &names.folders {
                fs::create_dir_all(moved(folder)).unwrap();
            }
            for (path, file) in &names.files {
                let content = &self.contents[*file];
                let bytes = if unsynced_text { &content.now } else { &content.on_disk };
                fs::write(moved(path), bytes).unwrap();
            }
        }
        ground
    }
}

fn events(scenario: &Scenario) -> (Ground, Vec<Event>) {
    let ground = scenario.ground();
    // The journal's own folders are there from an earlier start.
    ground.open();
    let before = ground.copy();
    let recorder = Arc::new(Recorder::default());
    scenario.run(&ground.open_on(recorder.clone())).unwrap();
    let root = ground.root().canonicalize().unwrap();
    let home = before.root().canonicalize().unwrap();
    let here = |path: &PathBuf| home.join(path.strip_prefix(&root).unwrap());
    let events = recorder.events.lock().unwrap().iter().map(|event| relocated(event, &here)).collect();
    (before, events)
}

fn relocated(event: &Event, here: &dyn Fn(&PathBuf) -> PathBuf) -> Event {
    match event {
        Event::Create(path) => Event::Create(here(path)),
        Event::Write(path, bytes) => Event::Write(here(path), bytes.clone()),
        Event::Sync(path) => Event::Sync(here(path)),
        Event::SyncDir(path) => Event::SyncDir(here(path)),
        Event::MakeDir(path) => Event::MakeDir(here(path)),
        Event::RemoveDir(path) => Event::RemoveDir(here(path)),
        Event::Unlink(path) => Event::Unlink(here(path)),
        Event::Exchange(one, other) => Event::Exchange(here(one), here(other)),
        Event::Rename(from, to) => Event::Rename(here(from), here(to)),
    }
}

#[test]
fn power_that_fails_after_any_call_leaves_old_or_new() {
    for scenario in SCENARIOS {
        let (before, events) = events(scenario);
        let mut machine = Machine::of(&before);
        let (mut disks, mut made) = (0, 0);
        for (n, event) in events.iter().enumerate() {
            machine.happens(event);
            for ground in machine.found() {
                disks += 1;
                made +=
                    usize::from(recovered(scenario, &ground, &format!("power failed after {n} {event:?}")));
            }
        }
        println!(
            "{}: {} calls that change something, {disks} disks found ({made} came out as made)",
            scenario.name,
            events.len()
        );
        assert!(made > 0 && made < disks);
    }
}

fn recovered(scenario: &Scenario, ground: &Ground, when: &str) -> bool {
    let files = ground.open();
    files.recover().unwrap();
    let visible: Tree = ground.tree().into_iter().filter(|(name, _)| !is_hidden(name)).collect();
    let is = |expected: &[(&str, &str)]| {
        visible.len() == expected.len()
            && expected
                .iter()
                .all(|(path, text)| visible.get(*path).is_some_and(|bytes| bytes == text.as_bytes()))
    };
    let made = is(scenario.new);
    assert!(made || is(scenario.files), "{} {when}: neither old nor new: {visible:?}", scenario.name);
    assert_eq!(ground.pending(), 0, "{when}");
    assert_eq!(
        files.operations(10).unwrap().len(),
        usize::from(made),
        "{} {when}: the journal disagrees",
        scenario.name
    );
    made
}
