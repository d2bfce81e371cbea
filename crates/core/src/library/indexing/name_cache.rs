//! The names in a list of files, kept until a file comes or goes.

use std::sync::{Arc, Mutex, PoisonError};

use wellread_text::FileNames;

use crate::ports::{FileEntry, FileListing};

/// The names of the last list.
#[derive(Default)]
pub(crate) struct NameCache(Mutex<Option<(Arc<FileListing>, Arc<FileNames>)>>);

impl NameCache {
    /// The names of the files in a list.
    pub fn names(&self, listing: &Arc<FileListing>) -> Arc<FileNames> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let names = match kept.take() {
            Some((known, names)) if Arc::ptr_eq(&known, listing) => names,
            Some((known, names)) => update_names(names, &known.files, &listing.files),
            None => Arc::new(FileNames::from_paths(listing.files.iter().map(|entry| entry.path.as_str()))),
        };
        *kept = Some((listing.clone(), names.clone()));
        names
    }
}

/// The names with what differs between two lists, both sorted.
fn update_names(mut names: Arc<FileNames>, before: &[FileEntry], now: &[FileEntry]) -> Arc<FileNames> {
    let (mut before, mut now) = (before.iter().peekable(), now.iter().peekable());
    loop {
        match (before.peek(), now.peek()) {
            (Some(old), Some(new)) if old.path == new.path => drop((before.next(), now.next())),
            (Some(old), new) if new.is_none_or(|new| old.path < new.path) => {
                Arc::make_mut(&mut names).remove(old.path.as_str());
                before.next();
            }
            (_, Some(new)) => {
                Arc::make_mut(&mut names).insert(new.path.as_str());
                now.next();
            }
            (_, None) => return names,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::corpus::VaultPath;

    fn listing(paths: &[&str]) -> Arc<FileListing> {
        let entry = |path: &&str| FileEntry {
            path: VaultPath::from_index((*path).to_owned()),
            size: 1,
            modified: jiff::Timestamp::UNIX_EPOCH,
            created: None,
            changed: jiff::Timestamp::UNIX_EPOCH,
            number: 1,
            linked: false,
        };
        Arc::new(FileListing { files: paths.iter().map(entry).collect(), ..FileListing::default() })
    }

    #[test]
    fn the_names_are_those_of_the_list_whatever_it_was_before() {
        let all = ["a.md", "b/c.md", "d.md", "e/f.md"];
        let cache = NameCache::default();
        for chosen in 0..16_usize {
            let paths: Vec<&str> = all
                .into_iter()
                .enumerate()
                .filter(|(at, _)| ((chosen * 7 % 16) >> at) & 1 == 1)
                .map(|(_, path)| path)
                .collect();
            let names = cache.names(&listing(&paths));
            for path in all {
                assert_eq!(names.contains(path), paths.contains(&path), "{path} of {paths:?}");
            }
        }
    }

    #[test]
    fn while_no_file_comes_or_goes_the_names_are_the_same() {
        let cache = NameCache::default();
        let first = cache.names(&listing(&["a.md", "b.md"]));
        assert!(Arc::ptr_eq(&first, &cache.names(&listing(&["a.md", "b.md"]))));
        assert!(!Arc::ptr_eq(&first, &cache.names(&listing(&["a.md"]))));
        assert!(first.contains("b.md"), "whoever has them keeps them");
    }
}
