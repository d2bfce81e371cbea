//! Unix: what Linux and macOS have in common.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::net::IpAddr;
use std::os::unix::fs::{
    DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, setrlimit};

use super::{FileFacts, ProcessLimits};

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// The facts of an open file.
pub(crate) fn file_facts(file: &File) -> io::Result<FileFacts> {
    file.metadata().map(|data| facts(&data))
}

/// The facts of what stands at a path; a link is followed.
pub fn facts_at(path: &Path) -> io::Result<FileFacts> {
    fs::metadata(path).map(|data| facts(&data))
}

fn facts(data: &Metadata) -> FileFacts {
    FileFacts {
        volume: data.dev(),
        number: data.ino(),
        names: data.nlink(),
        changed: (data.ctime(), data.ctime_nsec()),
    }
}

/// Makes a folder that only the user can look into. One that is there already is an error.
pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(FOLDER_MODE).create(path)
}

/// The same with the folders above it; one that is there already stays as it is.
pub(crate) fn create_private_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path)
}

/// Makes a file that is the user's alone from its first moment. One that is there already is an error.
pub fn create_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(path)
}

/// Opens a file for writing, made for the user alone where there is none.
pub(crate) fn open_private_file(path: &Path, truncate: bool) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(truncate).mode(FILE_MODE).open(path)
}

/// Makes a file at a path the user's alone, whoever could read it before.
pub(crate) fn set_private(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(FILE_MODE))
}

/// Has the entries of a folder on disk when this returns.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Opens a file for reading, but nothing that a link leads to; a pipe in its place does not hold us up.
pub fn open_without_following(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

/// The number of the user who runs this.
pub(crate) fn user_number() -> u32 {
    rustix::process::getuid().as_raw()
}

/// Whether the user who runs this owns a file.
pub fn is_owned_by_user(file: &File) -> io::Result<bool> {
    Ok(file.metadata()?.uid() == rustix::process::geteuid().as_raw())
}

/// Makes an open file the user's alone. Answers whether others could read it until now.
pub fn restrict_to_user(file: &File) -> io::Result<bool> {
    let others = file.metadata()?.permissions().mode() & 0o077 != 0;
    if others {
        file.set_permissions(Permissions::from_mode(FILE_MODE))?;
    }
    Ok(others)
}

/// Whether a file can be run as a program.
pub(crate) fn is_executable(found: &Metadata) -> bool {
    found.permissions().mode() & 0o111 != 0
}

/// The file names that a program's name stands for.
pub fn program_names(program: &str) -> Vec<String> {
    vec![program.to_owned()]
}

/// Fills the buffer from this offset on.
pub(crate) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    file.read_exact_at(buffer, offset)
}

/// Two folders change places in one step.
pub(crate) fn swap_folders(one: &Path, other: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// From now on this thread runs only when nothing else wants to. Linux counts a thread as a process here.
#[cfg(not(target_os = "macos"))]
pub(crate) fn lower_thread_priority() {
    // Where the system refuses, it runs as before.
    let _ = rustix::process::setpriority_process(None, 10);
}

/// How many bytes the user may still write to the disk that a folder is on.
pub(crate) fn free_bytes(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// The addresses of this machine, loopback among them.
pub(crate) fn own_addresses() -> io::Result<Vec<IpAddr>> {
    let ip = |address: nix::ifaddrs::InterfaceAddress| {
        let address = address.address?;
        let v4 = address.as_sockaddr_in().map(|v4| IpAddr::V4(v4.ip()));
        v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::V6(v6.ip()).to_canonical()))
    };
    Ok(nix::ifaddrs::getifaddrs()?.filter_map(ip).collect())
}

/// The name of this machine.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// A child and every process that it starts.
#[derive(Debug)]
pub(crate) struct ProcessTree;

/// Starts a program as the first of a process group.
pub(crate) fn start_process_tree(mut command: Command) -> io::Result<(tokio::process::Child, ProcessTree)> {
    command.process_group(0);
    let child = tokio::process::Command::from(command).kill_on_drop(true).spawn()?;
    Ok((child, ProcessTree))
}

impl ProcessTree {
    /// Ends all of them. The child has not been reaped: its number is still its own.
    pub(crate) fn kill(&self, child: &tokio::process::Child) {
        if let Some(group) = child.id().and_then(|id| Pid::from_raw(id.cast_signed())) {
            // It may have ended already.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Limits memory and computing time of this process, and forbids files, sockets, children and core dumps.
pub(crate) fn limit_this_process(limits: ProcessLimits) -> bool {
    let limits = [
        (Resource::As, limits.memory),
        (Resource::Cpu, limits.seconds),
        (Resource::Nofile, 3),
        (Resource::Nproc, 0),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
    ];
    limits.into_iter().all(|(resource, most)| {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).is_ok()
    })
}
