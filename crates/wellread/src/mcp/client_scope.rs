//! What a client sees: which tool groups, and whether private notes exist for it.

use std::sync::Arc;

use wellread_core::Result;
use wellread_core::domain::id::RunId;
use wellread_core::engine::log;
use wellread_core::faces::tools::{Ctx, Group};
use wellread_core::ports::RunHeader;
use wellread_core::ports::event::{LoggedEvent, RunEvent};

use crate::app::App;

/// The app as a client sees it.
#[derive(Clone)]
pub struct ClientScope {
    pub app: Arc<App>,
    /// What its calls work with: without private notes, unless it may see them.
    pub ctx: Ctx,
    pub groups: Vec<Group>,
}

impl ClientScope {
    pub fn new(app: Arc<App>, groups: Vec<Group>, sees_private: bool) -> Self {
        let ctx = if sees_private { app.ctx.clone() } else { app.ctx.without_private() };
        Self { app, ctx, groups }
    }

    /// Notes are offered where their tools are.
    pub fn has_notes(&self) -> bool {
        self.groups.contains(&Group::Vault)
    }

    /// The events of a run. For a client that does not see private notes, a run that has text of one does not exist, nor does
    /// one about a note that is gone: it may be a private one that was moved.
    pub fn read_run(&self, run: &RunId) -> Result<Vec<LoggedEvent>> {
        let events = self.app.records.events(run)?;
        if self.shows_events(&events) { Ok(events) } else { Err(RunHeader::not_found_error(run)) }
    }

    /// Whether a run of the list is shown. Of a forgotten one there is no text.
    pub fn shows_run(&self, run: &RunHeader) -> bool {
        !self.ctx.vault.hides_private() || run.forgotten.is_some() || self.read_run(&run.id).is_ok()
    }

    fn shows_events(&self, events: &[LoggedEvent]) -> bool {
        let vault = &self.ctx.vault;
        if !vault.hides_private() {
            return true;
        }
        let is_private =
            |path: &String| vault.rules.parse_file(path).is_ok_and(|path| vault.whole().is_private(&path));
        let read_private = |event: &LoggedEvent| matches!(event.event, RunEvent::Tool { private: true, .. });
        !events.iter().any(read_private) && !log::mentioned_files(events).iter().any(is_private)
    }
}
