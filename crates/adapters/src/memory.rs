//! Limits how much freed memory the C library's allocator keeps.
//!
//! The allocator gives threads heaps of their own, up to eight for each core, and a heap keeps what was freed in it. The server's work goes
//! from thread to thread, so each heap would come to hold as much as the largest task ever needed.

/// As many as threads allocate at once when there is much to do; more only keep memory back.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MOST_ARENAS: libc::c_int = 2;

/// To be called before there are threads. Elsewhere than with glibc there is nothing to do.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "no safe wrapper offers it; the call takes two integers")]
pub fn limit_malloc_arenas() {
    // Where it is refused, all is as it was.
    let _ = unsafe { libc::mallopt(libc::M_ARENA_MAX, MOST_ARENAS) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn limit_malloc_arenas() {}
