//! Everything that was ever cited, looked at once more.

use wellread_core::Result;
use wellread_core::faces::tools::{CitationStore, RecheckArgs};
use wellread_core::trust::recheck::RecheckedCitation;

use crate::app::App;

pub fn recheck(
    app: &App,
    request: &RecheckArgs,
    progress: &dyn Fn(usize, usize),
) -> Result<Vec<RecheckedCitation>> {
    let store = CitationStore {
        vault: &app.ctx.vault,
        runs: &*app.records,
        snapshots: &*app.records,
        history: &*app.ctx.research.history,
    };
    store.recheck(request, &|cited| app.corpora_with_folders(cited), progress)
}
