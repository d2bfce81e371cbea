//! How a terminal shows what researching a note came to.

use super::NoteAnswer;
use crate::domain::display::counted;
use crate::research::AnswerText;

impl NoteAnswer {
    /// Renders the diff of a dry run or else the preview, and notices about the rest.
    pub(super) fn render(&self) -> AnswerText {
        let done = if self.dry_run { "preview" } else { "written" };
        let mut notices = vec![format!(
            "\n{done}: {} of {}, {} of {} supported, {}",
            counted(self.topics_researched, "topic", "topics"),
            self.path,
            self.coverage.borne_out(),
            counted(self.coverage.sentences, "sentence", "sentences"),
            counted(self.sources.len(), "source", "sources")
        )];
        if self.removed_links > 0 {
            let links = counted(self.removed_links, "invented link was", "invented links were");
            notices.push(format!("{links} removed"));
        }
        if self.truncated {
            notices.push("the note is too long; only its beginning was researched".to_owned());
        }
        let left_out = self.skipped.iter();
        notices.extend(left_out.map(|skipped| format!("skipped: {} ({})", skipped.what, skipped.reason)));
        let forgotten = self.forgotten.iter();
        notices.extend(forgotten.map(|note| format!("you may have forgotten: {} ({})", note.path, note.why)));
        let away: Vec<_> = self.left.iter().filter(|left| !left.stays).collect();
        if away.is_empty() {
            notices.push("nothing left this machine".to_owned());
        }
        notices.extend(away.iter().map(|left| {
            format!("left this machine: {} to {}: {} ({} bytes)", left.what, left.to, left.about, left.bytes)
        }));
        notices.extend(self.notice.iter().map(|notice| format!("note: {notice}")));
        notices.push(format!("run {}: `wellread verify {}` checks it again", self.run_id, self.run_id));
        AnswerText { text: self.diff.as_ref().unwrap_or(&self.preview).clone(), notices }
    }
}
