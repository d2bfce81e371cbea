//! Structures of code that were read from the index, kept as they are used: decoding one takes longer than finding it.
//!
//! A structure follows from a file's content and language alone, so what is kept is never out of date.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use wellread_core::domain::corpus::Hash;
use wellread_core::ports::Structure;

use crate::sqlite::lock;

/// How much is kept, counted in bytes as it is stored.
const MOST_BYTES: usize = 6 * 1024 * 1024;

/// What a structure is known by: the hash of its file's content, and the language.
type StructureKey = (Hash, String);

#[derive(Debug, Default)]
pub struct StructureCache(Mutex<KeptStructures>);

#[derive(Debug, Default)]
struct KeptStructures {
    by_content: HashMap<StructureKey, Arc<Structure>>,
    bytes: usize,
}

impl StructureCache {
    pub fn find(&self, key: &StructureKey) -> Option<Arc<Structure>> {
        lock(&self.0).by_content.get(key).cloned()
    }

    /// Keeps a structure that takes so many bytes where it is stored. Where there is no room, all others leave.
    pub fn keep(&self, key: StructureKey, structure: &Arc<Structure>, bytes: usize) {
        let mut kept = lock(&self.0);
        if kept.bytes + bytes > MOST_BYTES {
            *kept = KeptStructures::default();
        }
        if bytes <= MOST_BYTES && kept.by_content.insert(key, structure.clone()).is_none() {
            kept.bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded() {
        let cache = StructureCache::default();
        let key = |text: &str, language: &str| (Hash::compute(text.as_bytes()), language.to_owned());
        let structure = Arc::new(Structure::default());
        cache.keep(key("a", "rust"), &structure, MOST_BYTES - 10);
        assert!(cache.find(&key("a", "rust")).is_some());
        assert!(cache.find(&key("a", "python")).is_none() && cache.find(&key("b", "rust")).is_none());
        cache.keep(key("b", "rust"), &structure, 10);
        assert!(cache.find(&key("a", "rust")).is_some() && cache.find(&key("b", "rust")).is_some());
        cache.keep(key("c", "rust"), &structure, 1);
        assert!(cache.find(&key("a", "rust")).is_none() && cache.find(&key("c", "rust")).is_some());
        cache.keep(key("d", "rust"), &structure, MOST_BYTES + 1);
        assert!(cache.find(&key("d", "rust")).is_none());
    }
}
