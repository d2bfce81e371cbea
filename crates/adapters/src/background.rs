//! Lets background work give way to work that somebody waits for.

use crate::platform;

/// From now on this thread runs only when nothing else wants to. Where the system refuses, it runs as before.
pub fn lower_priority() {
    platform::lower_thread_priority();
}
