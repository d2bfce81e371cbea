//! A turn as the editor shows it: text as it comes, tools with the files that they are about, and links to what is cited.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use wellread_core::faces::chat::{ChatEvent, ChatResponse, PendingEditView};
use wellread_core::faces::tools::{AnyTool, Declaration, Effect, find_tool};

use super::client::AcpClient;
use super::editor_files::EditorFiles;
use crate::turn_text::{render_unchecked, strip_control_chars, summarize_arguments};

/// What takes the place of text that was sent and does not count: nothing that was sent can be taken back.
const BEGINS_AGAIN: &str = "\n\n*The text above does not count. This is the answer:*\n\n";
const WRITTEN_AGAIN: &str = "The answer did not pass the check, and is being written again.";

/// Sends what happens in a turn to the editor.
pub struct TurnUpdates<'a> {
    client: &'a AcpClient,
    session: &'a str,
    files: &'a EditorFiles,
    tools: &'a [Box<dyn AnyTool>],
    state: Mutex<SentUpdates>,
}

#[derive(Default)]
struct SentUpdates {
    run: String,
    /// Whether text was sent after the last call of a tool.
    has_text: bool,
    /// Whether that text does not count.
    is_void: bool,
    /// The calls that became pending edits, by the ids of these.
    waiting: HashMap<String, String>,
}

impl<'a> TurnUpdates<'a> {
    pub fn new(
        client: &'a AcpClient,
        session: &'a str,
        files: &'a EditorFiles,
        tools: &'a [Box<dyn AnyTool>],
    ) -> Self {
        Self { client, session, files, tools, state: Mutex::default() }
    }

    /// Sends a paragraph of our own.
    pub fn say(&self, text: &str) {
        self.chunk("agent_message_chunk", text);
    }

    pub fn show_event(&self, event: ChatEvent) {
        let mut state = self.lock();
        match event {
            ChatEvent::Run { run_id } => state.run = run_id.to_string(),
            ChatEvent::Text { text } => {
                if std::mem::take(&mut state.is_void) {
                    self.say(BEGINS_AGAIN);
                }
                state.has_text = true;
                self.say(&text);
            }
            ChatEvent::Again => state.is_void |= std::mem::take(&mut state.has_text),
            ChatEvent::Checking { again: true } => self.chunk("agent_thought_chunk", WRITTEN_AGAIN),
            ChatEvent::Checking { again: false } => {}
            ChatEvent::Tool { id, name, arguments } => {
                // What stands before a call is told apart from the answer by the call.
                (state.has_text, state.is_void) = (false, false);
                self.send(&self.describe_call(&call_id(&state.run, &id), &name, &arguments));
            }
            ChatEvent::ToolDone { id, failed, waits, edit, places, .. } => {
                let id = call_id(&state.run, &id);
                let status = match (waits, failed) {
                    (true, _) => "pending",
                    (false, true) => "failed",
                    (false, false) => "completed",
                };
                let mut update =
                    json!({ "sessionUpdate": "tool_call_update", "toolCallId": id, "status": status });
                let locations: Vec<Value> =
                    places.iter().filter_map(|place| self.files.locate_place(place)).collect();
                if !locations.is_empty() {
                    update["locations"] = json!(locations);
                }
                self.send(&update);
                state.waiting.extend(edit.map(|edit| (edit, id)));
            }
        }
    }

    /// Sends what belongs to the answer: links to the places that it cites, and what nobody checked.
    pub fn finish(&self, response: &ChatResponse) {
        let links: Vec<Value> =
            response.citations.iter().filter_map(|place| self.files.link_place(place)).collect();
        if !links.is_empty() {
            self.say("\n\n");
        }
        for link in links {
            self.send(&json!({ "sessionUpdate": "agent_message_chunk", "content": link }));
            self.say(" ");
        }
        let notice = response.notice.iter().map(|notice| format!("note: {notice}\n"));
        let said = notice.collect::<String>() + &render_unchecked(&response.unchecked);
        if !said.is_empty() {
            self.say(&format!("\n\n{}", said.trim_end()));
        }
    }

    /// The call that an edit waits as. One that waits since an earlier turn is shown anew.
    pub fn describe_pending(&self, edit: &PendingEditView) -> Value {
        let known = self.lock().waiting.get(&edit.id).cloned();
        let id = known.unwrap_or_else(|| {
            let id = format!("{}/{}", self.session, edit.id);
            self.lock().waiting.insert(edit.id.clone(), id.clone());
            self.send(&self.describe_call(&id, &edit.tool, &Value::Null));
            id
        });
        let declared = find_tool(self.tools, &edit.tool).ok().map(AnyTool::declaration);
        let is_edit = declared.is_some_and(|tool| tool.effect != Effect::Decides);
        let text = fence_block(if is_edit { "diff" } else { "text" }, &edit.diff);
        json!({
            "toolCallId": id,
            "title": format!("{}: {}", edit.id, render_tool_name(self.tools, &edit.tool)),
            "kind": declared.map_or("other", tool_kind),
            "status": "pending",
            "content": [{ "type": "content", "content": { "type": "text", "text": text } }],
        })
    }

    /// Says what came of an edit that waited.
    pub fn settle_pending(&self, edit: &str, made: bool, text: &str) {
        if let Some(id) = self.lock().waiting.get(edit) {
            let status = if made { "completed" } else { "failed" };
            self.send(&json!({ "sessionUpdate": "tool_call_update", "toolCallId": id, "status": status }));
        }
        self.say(&format!("\n\n{text}"));
    }

    fn describe_call(&self, id: &str, name: &str, arguments: &Value) -> Value {
        let declared = find_tool(self.tools, name).ok().map(AnyTool::declaration);
        let title = render_tool_name(self.tools, name);
        // They are the model's words, and an editor renders a title.
        let words = quote_inline(&summarize_arguments(arguments));
        let locations = declared.map(|tool| self.files.locate_arguments(tool, arguments)).unwrap_or_default();
        json!({
            "sessionUpdate": "tool_call",
            "toolCallId": id,
            "title": if arguments.is_null() || words.is_empty() { title } else { format!("{title}: {words}") },
            "kind": declared.map_or("other", tool_kind),
            "status": "in_progress",
            "locations": locations,
            "rawInput": arguments,
        })
    }

    fn chunk(&self, kind: &str, text: &str) {
        self.send(&json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } }));
    }

    fn send(&self, update: &Value) {
        self.client.update(self.session, update);
    }

    fn lock(&self) -> MutexGuard<'_, SentUpdates> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Calls are numbered within a conversation as far as the model sees it; the run tells them apart for good.
fn call_id(run: &str, id: &str) -> String {
    format!("{run}/{id}")
}

/// What kind of work a tool does, in the words of the protocol.
fn tool_kind(tool: &Declaration) -> &'static str {
    match tool.effect {
        _ if tool.name == "delete_file" => "delete",
        _ if ["move_file", "batch_move_files"].contains(&tool.name) => "move",
        Effect::Adds | Effect::Writes => "edit",
        Effect::Proposes | Effect::Decides => "other",
        Effect::Reads if tool.of_the_web => "fetch",
        Effect::Reads if tool.searches || tool.recipe => "search",
        Effect::Reads => "read",
    }
}

/// A tool's name as a title has it. A model may call for what is no tool, by any name.
pub fn render_tool_name(tools: &[Box<dyn AnyTool>], name: &str) -> String {
    find_tool(tools, name).map_or_else(|_| quote_inline(name), |tool| tool.declaration().name.to_owned())
}

/// Words of others on one line that no markdown in them can leave; nothing if there are none.
fn quote_inline(words: &str) -> String {
    let words = strip_control_chars(words);
    let words = words.trim();
    if words.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest_ticks(words) + 1);
    // A space on both sides keeps ticks apart, and is not shown.
    let space = if words.starts_with('`') || words.ends_with('`') { " " } else { "" };
    format!("{ticks}{space}{words}{space}{ticks}")
}

/// Text of others as a block of code that nothing in it can end.
fn fence_block(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_ticks(text).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}

fn longest_ticks(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_ends_its_block() {
        assert_eq!(fence_block("diff", "+ a\n"), "```diff\n+ a\n```");
        assert_eq!(fence_block("text", "+```\n+````\n"), "`````text\n+```\n+````\n`````");
    }

    #[test]
    fn the_words_of_a_model_are_quoted_in_titles() {
        assert_eq!(quote_inline("![x](http://a.b)"), "`![x](http://a.b)`");
        assert_eq!(quote_inline("a `b` ``c``\n# d"), "```a `b` ``c`` # d```");
        assert_eq!(quote_inline("`a"), "`` `a ``");
        assert_eq!(quote_inline(" \n"), "");
        let tools = wellread_core::faces::tools::catalog();
        assert_eq!(render_tool_name(&tools, "read_file"), "read_file");
        assert_eq!(render_tool_name(&tools, "[x](http://a.b)"), "`[x](http://a.b)`");
    }

    #[test]
    fn tools_are_of_the_kinds_that_editors_know() {
        let tools = wellread_core::faces::tools::catalog();
        let kind = |name: &str| tool_kind(find_tool(&tools, name).unwrap().declaration());
        for (name, expected) in [
            ("read_file", "read"),
            ("search_vault", "search"),
            ("web_search", "fetch"),
            ("append_to_file", "edit"),
            ("create_file", "edit"),
            ("delete_file", "delete"),
            ("move_file", "move"),
            ("research", "search"),
            ("approve_agenda", "other"),
        ] {
            assert_eq!(kind(name), expected, "{name}");
        }
    }
}
