//! Lets background work give way to work that somebody waits for.

/// From now on this thread runs only when nothing else wants to. Where the system refuses, it runs as before.
pub fn lower_priority() {
    let _ = rustix::process::setpriority_process(None, 10);
}
