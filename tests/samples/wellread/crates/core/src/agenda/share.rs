//! How an agenda's limit of findings is shared among its tasks.

use super::{Agenda, Task, TaskStatus};

impl Agenda {
    /// Whether it has as many findings as it may.
    pub fn is_full(&self) -> bool {
        self.findings >= self.max_findings
    }

    /// Whether a task that has made so many findings may make another. Those that are not settled share what the settled ones
    /// left in equal parts, and one at the least is kept for each of the others.
    pub fn has_room(&self, own: usize) -> bool {
        let open = self.tasks.iter().filter(|task| !task.status.is_settled()).count().max(1);
        let settled = self.tasks.iter().filter(|task| task.status.is_settled());
        let taken: usize = settled.filter_map(|task| task.counts).map(|counts| counts.findings).sum();
        let share = self.max_findings.saturating_sub(taken).div_ceil(open);
        let left = self.max_findings.saturating_sub(self.findings);
        left > 0 && (own == 0 || own < share && left >= open)
    }
}

impl Task {
    /// Whether it ended without anybody being asked, since the limit was reached before its turn.
    pub fn was_left_out(&self) -> bool {
        self.status == TaskStatus::Done && self.counts.is_none()
    }
}
