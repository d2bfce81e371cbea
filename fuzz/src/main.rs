//! One program for all targets: the environment variable `WELLREAD_FUZZ` chooses which parser gets the bytes.
//!
//! A target checks more than that nothing panics: spans lie within the text, what was made inert stays so, edits apply.

#![no_main]

mod scratch;
mod targets;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("WELLREAD_FUZZ").unwrap_or_default();
    let known = targets::TARGETS.iter().find(|(known, _)| *known == name);
    known.unwrap_or_else(|| panic!("WELLREAD_FUZZ must be one of {:?}", targets::names())).1
});

fuzz_target!(|data: &[u8]| TARGET(data));
