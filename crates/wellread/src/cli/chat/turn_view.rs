//! A turn as it is watched in a terminal: the answer as it comes, and what the tools are doing.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;

use wellread_core::Result;
use wellread_core::faces::chat::{ChatEvent, ChatResponse, PendingEditView};

use crate::cli::place_links::PlaceLinks;
use crate::output::Output;
use crate::turn_text::{render_unchecked, strip_control_chars, summarize_arguments};

pub struct TurnView {
    output: Output,
    /// Whether pieces of the answer are put out as they come.
    live: bool,
    /// What of the answer stands on the screen.
    printed: Mutex<String>,
    /// Into the vault, where places in it become links.
    links: PlaceLinks,
}

impl TurnView {
    pub fn new(output: Output) -> Self {
        Self { output, live: false, printed: Mutex::default(), links: PlaceLinks::default() }
    }

    pub fn live(output: Output) -> Self {
        Self { live: true, ..Self::new(output) }
    }

    /// The same, with places in files below this folder as links, where a terminal shows them.
    pub fn linking_to(self, root: Option<&PathBuf>) -> Self {
        Self { links: PlaceLinks::for_vault(root), ..self }
    }

    pub fn show_event(&self, event: ChatEvent) {
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            ChatEvent::Run { .. } => self.output.show_status("thinking …"),
            ChatEvent::Text { text } if self.live => {
                self.output.show_status("");
                // A terminal that is gone ends the process elsewhere.
                let _ = self.output.write_chunk(&text);
                printed.push_str(&text);
            }
            ChatEvent::Text { .. } => {}
            ChatEvent::Again => {
                if !printed.is_empty() {
                    let _ = self.output.write_chunk("\n");
                    printed.clear();
                }
            }
            ChatEvent::Tool { name, arguments, .. } => {
                self.output.show_status("");
                self.output.notice(&format!(
                    "  [{} {}]",
                    strip_control_chars(&name),
                    summarize_arguments(&arguments)
                ));
                self.output.show_status("working …");
            }
            ChatEvent::ToolDone { name, failed: true, waits, .. } => {
                self.output.show_status("");
                let what = if waits { "is waiting for you" } else { "failed" };
                self.output.notice(&format!("  [{} {what}]", strip_control_chars(&name)));
            }
            ChatEvent::ToolDone { .. } => self.output.show_status("thinking …"),
            ChatEvent::Checking { again } => {
                self.output.show_status(if again { "asking again …" } else { "checking …" });
            }
        }
    }

    /// Puts out what is not there yet of the answer.
    pub fn finish(&self, response: &ChatResponse) -> Result<()> {
        self.output.show_status("");
        let printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        match response.response.strip_prefix(printed.as_str()) {
            Some(rest) => self.output.styled(&self.links.link_text(rest)),
            None => self.output.styled(&self.links.link_text(&format!("\n{}", response.response))),
        }
    }
}

/// Says what the user should know after an answer, where there is something: edits that wait, and whatever else.
pub fn print_notices(output: Output, response: &ChatResponse) {
    let one = |edit: &PendingEditView| {
        format!("\n{} is waiting for your decision ({}):\n{}\n", edit.id, edit.tool, edit.diff.trim_end())
    };
    let mut said: String = response.notice.iter().map(|notice| format!("note: {notice}\n")).collect();
    said += &render_unchecked(&response.unchecked);
    said.extend(response.pending.iter().map(one));
    if !response.pending.is_empty() {
        said +=
            "  `/confirm EDIT` applies it, `/decline EDIT` drops it (or `wellread chat --confirm EDIT`)\n";
    }
    if !said.is_empty() {
        output.notice(said.trim_end());
    }
}
