//! The real file system, but a chosen call fails, or is the last one of the process.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use wellread_adapters::files::disk::{Dir, Disk, Stat, Writers};
use wellread_adapters::files::{SystemDisk, backup_exchange};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Only counts, and leaves out what takes time.
    None,
    /// The file system can't exchange two files.
    NoExchange,
    /// The kernel does not tell who is writing.
    NoLease,
    /// The vault is mounted read-only; the data folder is not.
    ReadOnlyVault,
    /// The process ends instead of making the call; a write is half done.
    Exit { at: usize },
    /// The call answers with this error; a write is half done.
    Error { at: usize, errno: i32 },
    /// From this call on every call answers with this error: the disk is gone.
    Dead { from: usize, errno: i32 },
}

const EROFS: i32 = 30;

/// What the process ends with, so that a test can tell it from a failure.
pub const ENDED: i32 = 77;

/// What somebody else does right before a call, told its number.
type Meanwhile = Box<dyn Fn(usize) + Send + Sync>;

pub struct Faulty {
    fault: Fault,
    meanwhile: Option<Meanwhile>,
    /// The file system can neither exchange nor rename without replacing: that is a link and an unlink then.
    is_bare: bool,
    /// An exchange takes several steps, as on Windows.
    in_steps: bool,
    calls: AtomicUsize,
    log: std::sync::Mutex<Vec<&'static str>>,
    /// The number and the name of the call that failed.
    hit: std::sync::Mutex<Option<&'static str>>,
}

impl Faulty {
    pub fn new(fault: Fault) -> Self {
        let (log, hit) = (std::sync::Mutex::default(), std::sync::Mutex::new(None));
        Self { fault, meanwhile: None, is_bare: false, in_steps: false, calls: AtomicUsize::new(0), log, hit }
    }

    pub fn bare(fault: Fault) -> Self {
        Self { is_bare: true, ..Self::new(fault) }
    }

    /// The file system exchanges files by way of a third name, as Windows does: the place is empty for a moment.
    pub fn in_steps(fault: Fault) -> Self {
        Self { in_steps: true, ..Self::new(fault) }
    }

    pub fn meanwhile_in_steps(act: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self { in_steps: true, ..Self::meanwhile(act) }
    }

    pub fn meanwhile(act: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self::meanwhile_with(Fault::None, act)
    }

    pub fn meanwhile_with(fault: Fault, act: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self { meanwhile: Some(Box::new(act)), ..Self::new(fault) }
    }

    /// Somebody acts, and from a call on the disk is gone: what a process that ended would have left.
    pub fn dying(from: usize, act: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self::meanwhile_with(Fault::Dead { from, errno: 5 }, act)
    }

    /// The names of the calls that were made.
    pub fn log(&self) -> Vec<&'static str> {
        self.log.lock().unwrap().clone()
    }

    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub fn hit(&self) -> Option<&'static str> {
        *self.hit.lock().unwrap()
    }

    fn gate(&self, call: &'static str) -> io::Result<()> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        self.log.lock().unwrap().push(call);
        if let Some(meanwhile) = &self.meanwhile {
            meanwhile(number);
        }
        match self.fault {
            Fault::Exit { at } if number == at => std::process::exit(ENDED),
            Fault::Error { at, errno } if number == at => self.fail(call, errno),
            Fault::Dead { from, errno } if number >= from => self.fail(call, errno),
            _ => Ok(()),
        }
    }

    fn fail(&self, call: &'static str, errno: i32) -> io::Result<()> {
        self.hit.lock().unwrap().get_or_insert(call);
        Err(io::Error::from_raw_os_error(errno))
    }

    /// Whether the next call is the one that must not complete.
    fn is_next(&self) -> bool {
        let next = self.calls() + 1;
        match self.fault {
            Fault::Exit { at } | Fault::Error { at, .. } => at == next,
            Fault::Dead { from, .. } => from <= next,
            Fault::None | Fault::NoExchange | Fault::NoLease | Fault::ReadOnlyVault => false,
        }
    }

    fn writable(&self, dir: &Dir) -> io::Result<()> {
        if self.fault != Fault::ReadOnlyVault {
            return Ok(());
        }
        let place = std::fs::read_link(format!("/proc/self/fd/{}", dir.as_fd().as_raw_fd()))?;
        let in_vault = place.iter().any(|part| part == "vault");
        if in_vault { Err(io::Error::from_raw_os_error(EROFS)) } else { Ok(()) }
    }
}

impl std::fmt::Debug for Faulty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Faulty({:?})", self.fault)
    }
}

impl Disk for Faulty {
    fn open_root(&self, path: &Path) -> io::Result<Dir> {
        SystemDisk.open_root(path)
    }
    fn open_dir(&self, at: &Dir, name: &str) -> io::Result<Dir> {
        self.gate("open_dir")?;
        SystemDisk.open_dir(at, name)
    }
    fn names(&self, dir: &Dir) -> io::Result<Vec<Result<String, String>>> {
        self.gate("names")?;
        SystemDisk.names(dir)
    }
    fn stat(&self, at: &Dir, name: &str) -> io::Result<Stat> {
        self.gate("stat")?;
        SystemDisk.stat(at, name)
    }
    fn link_target(&self, at: &Dir, name: &str) -> io::Result<String> {
        self.gate("link_target")?;
        SystemDisk.link_target(at, name)
    }
    fn open(&self, at: &Dir, name: &str) -> io::Result<File> {
        self.gate("open")?;
        SystemDisk.open(at, name)
    }
    fn read(&self, file: &File, at_most: u64) -> io::Result<Vec<u8>> {
        self.gate("read")?;
        SystemDisk.read(file, at_most)
    }
    fn writers(&self, file: &File) -> Writers {
        if self.fault == Fault::NoLease { Writers::Unknown } else { SystemDisk.writers(file) }
    }
    fn create(&self, at: &Dir, name: &str, like: Option<&Stat>) -> io::Result<File> {
        self.gate("create")?;
        self.writable(at)?;
        SystemDisk.create(at, name, like)
    }
    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
        if self.is_next() {
            SystemDisk.write(file, &bytes[..bytes.len() / 2])?;
        }
        self.gate("write")?;
        SystemDisk.write(file, bytes)
    }
    fn sync(&self, _: &File) -> io::Result<()> {
        self.gate("sync")
    }
    fn sync_dir(&self, _: &Dir) -> io::Result<()> {
        self.gate("sync_dir")
    }
    fn make_dir(&self, at: &Dir, name: &str) -> io::Result<()> {
        self.gate("make_dir")?;
        self.writable(at)?;
        SystemDisk.make_dir(at, name)
    }
    fn remove_dir(&self, at: &Dir, name: &str) -> io::Result<()> {
        self.gate("remove_dir")?;
        SystemDisk.remove_dir(at, name)
    }
    fn unlink(&self, at: &Dir, name: &str) -> io::Result<()> {
        self.gate("unlink")?;
        self.writable(at)?;
        SystemDisk.unlink(at, name)
    }
    fn exchange(&self, at: &Dir, one: &str, other: &str) -> io::Result<()> {
        self.gate("exchange")?;
        if self.is_bare || self.fault == Fault::NoExchange {
            return Err(io::ErrorKind::Unsupported.into());
        }
        if self.in_steps {
            return backup_exchange::exchange(self, at, (one, other), |backup| {
                self.rename_new((at, one), (at, backup))?;
                self.rename_new((at, other), (at, one))
            });
        }
        SystemDisk.exchange(at, one, other)
    }
    fn finish_exchange(&self, at: &Dir, one: &str, other: &str) -> io::Result<Option<String>> {
        if self.in_steps { backup_exchange::finish(self, at, one, other) } else { Ok(None) }
    }
    fn rename_new(&self, from: (&Dir, &str), to: (&Dir, &str)) -> io::Result<()> {
        self.gate("rename_new")?;
        if self.is_bare {
            rustix::fs::linkat(from.0, from.1, to.0, to.1, rustix::fs::AtFlags::empty())?;
            self.gate("unlink")?;
            return SystemDisk.unlink(from.0, from.1);
        }
        SystemDisk.rename_new(from, to)
    }
    fn rename_over(&self, at: &Dir, from: &str, to: &str) -> io::Result<()> {
        self.gate("rename_over")?;
        SystemDisk.rename_over(at, from, to)
    }
}
