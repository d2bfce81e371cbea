//! Ctrl-C and its kin: a change that is being made is finished first, and nothing is left lying about.
//!
//! Ending in the middle would do no harm to a note, since the next start puts it right. But until then files would stand
//! beside the notes for other programs to find.

use std::process::exit;
use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
use wellread_adapters::files::VaultFiles;

use crate::output::Output;

/// From now on a signal to end waits for the change in hand; a second one does not.
pub fn finish_changes_first(files: Arc<VaultFiles>, output: Output) {
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        // Where a signal can't be listened to, it ends the process as it always did.
        let _ = runtime.block_on(listen(&files, output));
    });
}

async fn listen(files: &Arc<VaultFiles>, output: Output) -> std::io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let mut asked = false;
    loop {
        let status = tokio::select! {
            _ = interrupt.recv() => 130,
            _ = terminate.recv() => 143,
            _ = hang_up.recv() => 129,
        };
        if asked {
            exit(status);
        }
        asked = true;
        files.when_idle(false, || exit(status));
        output.notice("finishing the change in hand; once more to stop at once");
        let files = files.clone();
        std::thread::spawn(move || files.when_idle(true, || exit(status)));
    }
}
