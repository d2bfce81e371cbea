//! A test that can't run here says so, instead of passing silently.
//!
//! `./check` names a file in `WELLREAD_SKIPPED` and ends with what was written there. This file uses nothing but the
//! standard library, so that `text`, which builds without this crate, can take it in by its path.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::panic::Location;

/// Writes down that the calling test, or a part of it, can't run here, and why. The test then returns.
#[track_caller]
#[allow(clippy::print_stderr, reason = "whoever runs the test alone wants to know")]
pub fn skip(reason: &str) {
    let line =
        format!("{} ({}): {}", test_name(), Location::caller().file(), reason.trim().replace('\n', "; "));
    eprintln!("skipped: {line}");
    if let Some(file) = std::env::var_os("WELLREAD_SKIPPED") {
        // One write, so that tests of many processes do not mix their lines.
        let written = OpenOptions::new().create(true).append(true).open(&file);
        let written = written.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        assert!(written.is_ok(), "{}: {written:?}", file.display());
    }
}

/// The test that runs on this thread. A runner that gives each test a process may run it on the main thread.
fn test_name() -> String {
    let thread = std::thread::current();
    let by_thread = thread.name().filter(|name| *name != "main").map(str::to_owned);
    by_thread.or_else(|| std::env::var("NEXTEST_TEST_NAME").ok()).unwrap_or_else(|| "a test".to_owned())
}
