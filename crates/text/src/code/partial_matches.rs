//! Which matches of a pattern at one node capture no more than another one does.

use std::collections::{HashMap, HashSet};

use super::pattern_search::Captured;

/// What a match captured: which capture, and the node's id.
type Key = (u32, usize);

/// Drops them; of equal ones the first stays. `left` is how many more comparisons are allowed: when they run out, all that
/// were not compared stay.
pub(super) fn drop_partial_matches(found: &mut Vec<Captured<'_>>, left: &mut usize) {
    let mut known = HashSet::with_capacity(found.len());
    let mut keys = Vec::with_capacity(found.len());
    found.retain(|captures| {
        let key = make_key(captures);
        let is_new = known.insert(key.clone());
        if is_new {
            keys.push(key);
        }
        is_new
    });
    let most = keys.iter().map(Vec::len).max().unwrap_or(0);
    if keys.iter().all(|key| key.len() == most) {
        return;
    }
    let mut with: HashMap<Key, Vec<usize>> = HashMap::new();
    for (at, key) in keys.iter().enumerate() {
        key.iter().for_each(|captured| with.entry(*captured).or_default().push(at));
    }
    let mut is_part = |part: &Vec<Key>| {
        // Whatever has all of it has what the fewest have.
        let rarest = part.iter().filter_map(|captured| with.get(captured)).min_by_key(|having| having.len());
        let Some(rarest) = rarest else { return true };
        if part.len() == most || rarest.len() > *left {
            return false;
        }
        *left -= rarest.len();
        rarest.iter().any(|&whole| keys[whole].len() > part.len() && contains(&keys[whole], part))
    };
    let parts: Vec<bool> = keys.iter().map(&mut is_part).collect();
    let mut parts = parts.into_iter();
    found.retain(|_| !parts.next().unwrap_or(false));
}

/// In one order, each once.
fn make_key(captures: &Captured<'_>) -> Vec<Key> {
    let mut key: Vec<Key> = captures.iter().map(|(capture, node)| (*capture, node.id())).collect();
    key.sort_unstable();
    key.dedup();
    key
}

fn contains(whole: &[Key], part: &[Key]) -> bool {
    part.iter().all(|captured| whole.binary_search(captured).is_ok())
}
