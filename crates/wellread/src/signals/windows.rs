//! The console events of Windows that ask a process to end.
//!
//! The system ends the process a few seconds after its window was closed or the user signed out, whatever it does: a change
//! takes less, and what is cut off is put right at the next start.

use std::io;

use tokio::signal::windows::{
    CtrlBreak, CtrlC, CtrlClose, CtrlLogoff, CtrlShutdown, ctrl_break, ctrl_c, ctrl_close, ctrl_logoff,
    ctrl_shutdown,
};

/// Listens from the moment that it is made.
pub struct Signals {
    interrupt: CtrlC,
    stop: CtrlBreak,
    close: CtrlClose,
    sign_out: CtrlLogoff,
    shut_down: CtrlShutdown,
}

impl Signals {
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: ctrl_c()?,
            stop: ctrl_break()?,
            close: ctrl_close()?,
            sign_out: ctrl_logoff()?,
            shut_down: ctrl_shutdown()?,
        })
    }

    /// The status of a process that the next event ends: the same as on other systems.
    pub async fn next(&mut self) -> i32 {
        tokio::select! {
            _ = self.interrupt.recv() => 130,
            _ = self.stop.recv() => 143,
            _ = self.close.recv() => 129,
            _ = self.sign_out.recv() => 129,
            _ = self.shut_down.recv() => 143,
        }
    }
}
