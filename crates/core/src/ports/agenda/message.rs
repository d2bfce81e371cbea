//! The message for the user about an agenda that has ended.

use super::{Agenda, AgendaStatus, TaskStatus};
use crate::domain::display::counted;

/// Says how many findings there are, how many tasks failed, and what was skipped as known.
pub(super) fn render_message(agenda: &Agenda) -> String {
    let ran: Vec<_> = agenda.tasks.iter().filter(|task| task.status != TaskStatus::Blocked).collect();
    let failed = ran.iter().filter(|task| task.status == TaskStatus::Failed).count();
    if agenda.status == AgendaStatus::Cancelled {
        return match agenda.findings {
            0 => "cancelled; nothing was found before".to_owned(),
            found => format!("cancelled; {} before stay in the inbox", format_new_findings(found)),
        };
    }
    if ran.is_empty() {
        return "every task was blocked: nothing was researched".to_owned();
    }
    if failed == ran.len() {
        let why = ran.iter().find_map(|task| task.message.as_deref()).unwrap_or("nothing could be looked up");
        return format!("all {} failed: {why}", format_tasks(ran.len()));
    }
    let with_counts = || ran.iter().filter_map(|task| task.counts);
    let before: usize = with_counts().map(|counts| counts.found_before).sum();
    let known = with_counts().map(|counts| counts.duplicates).sum::<usize>().saturating_sub(before);
    let mut summary = match (agenda.findings, known) {
        (0, 0) if before > 0 => {
            format!("0 new findings: {} already found before", counted(before, "page was", "pages were"))
        }
        (0, 0) => "0 new findings: no page is about these topics".to_owned(),
        (0, _) => "0 new findings: your notes already cover these topics".to_owned(),
        (found, 0) => format!("{} in the inbox", format_new_findings(found)),
        (found, known) => {
            format!(
                "{} in the inbox; {known} skipped because your notes cover them",
                format_new_findings(found)
            )
        }
    };
    if failed > 0 {
        summary += &format!("; {failed} of {} failed", format_tasks(ran.len()));
    }
    let left_out = ran.iter().filter(|task| task.was_left_out()).count();
    if left_out > 0 {
        summary += &format!(
            "; {left_out} of {} not run: the limit of {} was reached",
            format_tasks(ran.len()),
            format_findings(agenda.max_findings)
        );
    }
    summary
}

fn format_new_findings(count: usize) -> String {
    if count == 1 { "1 new finding".to_owned() } else { format!("{count} new findings") }
}

/// The agenda's limit: `1 finding`, `20 findings`.
fn format_findings(count: usize) -> String {
    if count == 1 { "1 finding".to_owned() } else { format!("{count} findings") }
}

fn format_tasks(count: usize) -> String {
    if count == 1 { "1 task".to_owned() } else { format!("{count} tasks") }
}
