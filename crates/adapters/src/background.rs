//! Work that nobody waits for gives way to work that somebody does.

/// From now on this thread runs only when nothing else wants to. Where the system refuses, it runs as before.
pub fn lower_priority() {
    let _ = rustix::process::setpriority_process(None, 10);
}
