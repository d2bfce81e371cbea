//! What is mounted below a folder. A watch says nothing of it: it stays on the folder that the mount covers.

use std::fs::{self, File};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

const TABLE: &str = "/proc/self/mountinfo";

/// The kernel's table of mounts, which says when it changes.
#[derive(Debug)]
pub struct MountTable(File);

impl MountTable {
    /// Nothing where the system has no such table.
    pub fn open() -> Option<Self> {
        File::open(TABLE).ok().map(Self)
    }

    /// Whether something was mounted or unmounted, anywhere, since this was last asked.
    pub fn has_changed(&self) -> bool {
        let mut asked = [PollFd::new(&self.0, PollFlags::PRI)];
        let answer = poll(&mut asked, Some(&Timespec::default()));
        // Whoever gets no answer can't rely on it.
        answer.is_err() || !asked[0].revents().is_empty()
    }
}

impl AsFd for MountTable {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The mounts at this folder and below it: of each its number, its device, which folder of that it shows, and where.
pub fn list_mounts(root: &Path) -> Vec<String> {
    let (Ok(table), Ok(root)) = (fs::read(TABLE), root.canonicalize()) else { return Vec::new() };
    find_mounts(&String::from_utf8_lossy(&table), &root)
}

fn find_mounts(table: &str, root: &Path) -> Vec<String> {
    let mounts = table.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split(' ').take(5).collect();
        let [number, _, device, shown, place] = fields[..] else { return None };
        let place = unescape(place);
        Path::new(&place).starts_with(root).then(|| format!("{number} {device} {shown} {place}"))
    });
    mounts.collect()
}

/// A path as the table writes it: spaces, tabs, line breaks and backslashes are `\` and three octal digits.
fn unescape(written: &str) -> String {
    let mut parts = written.split('\\');
    let mut path = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                path.push(char::from(byte));
                path.push_str(&part[3..]);
            }
            None => path.push_str(part),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_below_a_folder_are_found_whatever_their_names() {
        let table = "\
22 1 254:0 / / rw,relatime - ext4 /dev/root rw
40 22 0:35 / /home/me/My\\040notes/a\\134b rw shared:5 - tmpfs none rw
41 22 0:36 /sub /home/me/My\\040notes rw - ext4 /dev/sdb rw
42 22 0:37 / /home/me/My\\040notes\\0402 rw - tmpfs none rw
a line of another kind
";
        let found = find_mounts(table, Path::new("/home/me/My notes"));
        assert_eq!(found, ["40 0:35 / /home/me/My notes/a\\b", "41 0:36 /sub /home/me/My notes"]);
    }

    #[test]
    fn while_nothing_is_mounted_the_table_is_the_same() {
        let table = MountTable::open().unwrap();
        table.has_changed();
        assert!(!list_mounts(Path::new("/")).is_empty());
        assert!(list_mounts(tempfile::tempdir().unwrap().path()).is_empty());
    }
}
