//! A map from the nodes of a tree, by their ids.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// By a node's id, which is an address and needs little mixing.
pub(super) type NodeMap<T> = HashMap<usize, T, BuildHasherDefault<NodeIdHasher>>;

#[derive(Debug, Default)]
pub(super) struct NodeIdHasher(u64);

impl Hasher for NodeIdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_usize(&mut self, id: usize) {
        self.0 = (id as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}
