//! Ctrl-C and other signals: a change in progress is completed first, and no temporary files are left behind.
//!
//! Ending in the middle would do no harm to a note, since the next start puts it right. But until then files would stand
//! beside the notes for other programs to find.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io;
use std::process::exit;
use std::sync::{Arc, Weak};

use tokio::sync::oneshot;
use wellread_core::engine::run::StopSignal;
use wellread_core::ports::FilesUpkeep;

#[cfg(unix)]
use self::unix::Signals;
#[cfg(windows)]
use self::windows::Signals;
use crate::output::Output;

/// From now on a signal to end waits for the change in hand; a second one does not.
pub fn finish_changes_first<'a>(files: impl IntoIterator<Item = &'a Arc<dyn FilesUpkeep>>, output: Output) {
    let files: Vec<_> = files.into_iter().map(Arc::downgrade).collect();
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        // Where a signal can't be listened to, it ends the process as it always did.
        let _ = runtime.block_on(finish_change_on_signal(&files, output));
    });
}

/// From now on the first signal to end is told to `asked`, and a second one ends at once.
pub fn notify_on_signal(asked: oneshot::Sender<()>, output: Output) {
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        let _: io::Result<()> = runtime.block_on(async {
            let mut signals = Signals::new()?;
            signals.next().await;
            output.notice("finishing current requests; press again to stop at once");
            let _ = asked.send(());
            exit(signals.next().await)
        });
    });
}

/// From now on the first signal calls long work off, which then ends by itself; a second one waits for the change in hand, and a
/// third for nothing.
pub fn cancel_on_signal(files: &Arc<dyn FilesUpkeep>, stop: StopSignal, output: Output) {
    let files = [Arc::downgrade(files)];
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        let _: io::Result<()> = runtime.block_on(async {
            Signals::new()?.next().await;
            output.show_status("");
            output.notice("cancelling");
            stop.request();
            finish_change_on_signal(&files, output).await
        });
    });
}

async fn finish_change_on_signal(files: &[Weak<dyn FilesUpkeep>], output: Output) -> io::Result<()> {
    let mut signals = Signals::new()?;
    let mut asked = false;
    loop {
        let status = signals.next().await;
        if asked {
            exit(status);
        }
        asked = true;
        // In a vault that is no longer open there is no change to finish.
        let open: Vec<_> = files.iter().filter_map(Weak::upgrade).collect();
        run_when_all_idle(&open, false, &mut || exit(status));
        output.notice("finishing the current change; press again to stop at once");
        std::thread::spawn(move || run_when_all_idle(&open, true, &mut || exit(status)));
    }
}

/// Does this while none of these vaults is being changed.
fn run_when_all_idle(files: &[Arc<dyn FilesUpkeep>], wait: bool, act: &mut dyn FnMut()) {
    match files.split_first() {
        Some((first, rest)) => {
            first.run_when_idle(wait, &mut || run_when_all_idle(rest, wait, act));
        }
        None => act(),
    }
}
