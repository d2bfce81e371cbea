//! Finished operations that were read from the journal. A record is never changed, so it is read once.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use wellread_core::domain::corpus::Operation;

use super::disk::Stat;

/// How much is kept, counted in bytes of the records: they hold the old text of every note that was changed.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug, Default)]
pub struct KnownOperations(Mutex<KnownRecords>);

#[derive(Debug, Default)]
struct KnownRecords {
    by_name: HashMap<String, KnownRecord>,
    bytes: u64,
}

#[derive(Debug)]
struct KnownRecord {
    /// What the record's file was when it was read.
    identity: (u64, u64, Timestamp),
    operation: Operation,
}

impl KnownOperations {
    /// The operation in a record, read only if it is not known. `None` where it can't be read.
    pub fn get_or_read(
        &self,
        name: &str,
        stat: &Stat,
        read: impl FnOnce() -> Option<Operation>,
    ) -> Option<Operation> {
        let identity = (stat.size, stat.inode, stat.changed);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(record) = known.by_name.get(name).filter(|record| record.identity == identity) {
            return Some(record.operation.clone());
        }
        let operation = read()?;
        if known.bytes + stat.size <= MOST_BYTES {
            known.bytes += stat.size;
            known.by_name.insert(name.to_owned(), KnownRecord { identity, operation: operation.clone() });
        }
        Some(operation)
    }

    /// Forgets records that are gone.
    pub fn retain(&self, names: &[String]) {
        let names: HashSet<&String> = names.iter().collect();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.by_name.retain(|name, _| names.contains(name));
        known.bytes = known.by_name.values().map(|record| record.identity.0).sum();
    }
}

#[cfg(test)]
mod tests {
    use wellread_core::domain::id::OperationId;

    use super::*;
    use crate::files::disk::FileKind;

    fn stat(size: u64, inode: u64) -> Stat {
        let then = Timestamp::UNIX_EPOCH;
        Stat {
            kind: FileKind::File,
            size,
            modified: then,
            changed: then,
            created: None,
            inode,
            names: 1,
            mode: 0o600,
            owner: (0, 0),
        }
    }

    fn operation(label: &str) -> Operation {
        Operation {
            id: OperationId::fresh(),
            at: Timestamp::UNIX_EPOCH,
            label: label.to_owned(),
            group: None,
            undoes: None,
            folders: Vec::new(),
            done: Vec::new(),
        }
    }

    #[test]
    fn a_record_is_read_once_unless_its_file_is_another() {
        let known = KnownOperations::default();
        let label = |name: &str, stat: &Stat, on_disk: Option<&str>| {
            known.get_or_read(name, stat, || on_disk.map(operation)).map(|operation| operation.label)
        };
        assert_eq!(label("a", &stat(5, 1), None), None, "what can't be read is not known");
        assert_eq!(label("a", &stat(5, 1), Some("first")).unwrap(), "first");
        assert_eq!(label("a", &stat(5, 1), Some("second")).unwrap(), "first");
        assert_eq!(label("a", &stat(5, 2), Some("second")).unwrap(), "second");
        known.retain(&["b".to_owned()]);
        assert_eq!(label("a", &stat(5, 2), Some("third")).unwrap(), "third");
        assert_eq!(label("large", &stat(MOST_BYTES, 3), Some("one")).unwrap(), "one");
        assert_eq!(label("large", &stat(MOST_BYTES, 3), Some("two")).unwrap(), "two", "there is no room");
    }
}
