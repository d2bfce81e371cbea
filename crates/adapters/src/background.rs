//! Work that nobody waits for gives way to work that somebody does.

/// From now on this thread runs only when nothing else wants to. Where the system refuses, it runs as before.
pub fn be_modest() {
    let _ = rustix::process::setpriority_process(None, 10);
}
