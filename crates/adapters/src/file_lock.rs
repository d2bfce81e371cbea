//! Locks on whole files that end with their process: `flock` on Unix, `LockFileEx` on Windows.

use std::fs::{File, TryLockError};
use std::io;

/// How a file is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockMode {
    /// Beside others that share it. Waits.
    Shared,
    /// Alone. Waits.
    Exclusive,
    /// Alone, or not at all: `WouldBlock` where somebody has it.
    ExclusiveNow,
}

/// Locks a file until it is closed.
pub fn lock_file(file: &File, mode: LockMode) -> io::Result<()> {
    loop {
        let locked = match mode {
            LockMode::Shared => file.lock_shared(),
            LockMode::Exclusive => file.lock(),
            LockMode::ExclusiveNow => file.try_lock().map_err(|error| match error {
                TryLockError::WouldBlock => io::ErrorKind::WouldBlock.into(),
                TryLockError::Error(error) => error,
            }),
        };
        match locked {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            locked => return locked,
        }
    }
}
