//! What can be typed besides a message.

use wellread_core::domain::corpus::VaultPath;
use wellread_core::faces::chat::{Chat, PendingEditView, Session, SessionEntry, read_turn_session};
use wellread_core::{Error, Result};

use super::ChatTerminal;

const HELP: &str = "\
/help            show this help
/history         show the messages of this conversation
/pending         show pending edits with their diffs
/confirm EDIT    apply a pending edit
/decline EDIT    discard a pending edit
/undo            undo the changes of the last turn
/file NOTE       switch to the conversation about a note; without NOTE, about none
/new             start a new conversation
/quit            leave (also Ctrl-D)
To send a message that starts with a slash, put a space before it.";

pub enum InputLine {
    Nothing,
    Leave,
    Say(String),
    Command(ChatCommand),
}

pub enum ChatCommand {
    Help,
    History,
    Pending,
    Confirm(String),
    Decline(String),
    Undo,
    File(Option<String>),
    New,
}

pub fn parse(line: &str) -> Result<InputLine> {
    let Some(command) = line.strip_prefix('/') else {
        let message = line.trim();
        return Ok(if message.is_empty() { InputLine::Nothing } else { InputLine::Say(message.to_owned()) });
    };
    let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    let rest = rest.trim();
    let edit = || {
        let missing =
            || Error::invalid(format!("/{name} needs an edit")).hint("/pending lists waiting edits");
        if rest.is_empty() { Err(missing()) } else { Ok(rest.to_owned()) }
    };
    Ok(InputLine::Command(match name.trim_end() {
        "help" | "?" => ChatCommand::Help,
        "history" => ChatCommand::History,
        "pending" => ChatCommand::Pending,
        "confirm" => ChatCommand::Confirm(edit()?),
        "decline" => ChatCommand::Decline(edit()?),
        "undo" => ChatCommand::Undo,
        "file" => ChatCommand::File(Some(rest.to_owned()).filter(|file| !file.is_empty())),
        "new" => ChatCommand::New,
        "quit" | "exit" => return Ok(InputLine::Leave),
        _ => {
            return Err(
                Error::invalid(format!("there is no command /{name}")).hint("/help lists the commands")
            );
        }
    }))
}

/// What a conversation in a terminal begins with.
pub fn greeting(chat: &Chat, session: &Session) -> String {
    let model = chat.model.identity();
    let about = session.active_file.as_ref().map(|file| format!(" about {file}")).unwrap_or_default();
    let goes_on =
        match session.entries.iter().filter(|entry| matches!(entry, SessionEntry::User { .. })).count() {
            0 => String::new(),
            1 => ", continuing after 1 turn (/new starts again)".to_owned(),
            turns => format!(", continuing after {turns} turns (/new starts again)"),
        };
    format!("{}{about}{goes_on}. /help lists the commands; Ctrl-D quits.", model.name)
}

impl ChatTerminal {
    pub(super) fn run_command(&self, session: &mut Session, command: ChatCommand) -> Result<()> {
        *session = self.reload_session(session)?;
        match command {
            ChatCommand::Help => self.output.notice(HELP),
            ChatCommand::History => self.output.notice(&render_history(session)),
            ChatCommand::Pending => self.output.notice(&render_pending(session)),
            ChatCommand::Confirm(edit) => self.decide_edit(session, &edit, true)?,
            ChatCommand::Decline(edit) => self.decide_edit(session, &edit, false)?,
            ChatCommand::Undo => self.undo(session)?,
            ChatCommand::File(file) => {
                let path = file.map(|file| self.app.ctx.vault.locate(&file)).transpose()?;
                *session = self.chat.session(None, path.as_ref().map(VaultPath::as_str))?;
                self.output.notice(&greeting(&self.chat, session));
            }
            ChatCommand::New => {
                *session = Session::new(session.active_file.as_deref());
                self.output.notice("started a new conversation");
            }
        }
        Ok(())
    }

    fn decide_edit(&self, session: &mut Session, edit: &str, confirmed: bool) -> Result<()> {
        let response = self.decide(session.clone(), edit, confirmed)?;
        *session = self.chat.session(Some(&response.session_id), None)?;
        self.output.text(&response.response)
    }

    /// What the last turn of this conversation that changed something changed.
    fn undo(&self, session: &Session) -> Result<()> {
        let run = self.find_last_writing_run(session)?;
        let undone = self.app.ctx.vault.undo(Some(&run))?;
        let paths: Vec<&str> = undone.iter().flat_map(|done| &done.paths).map(VaultPath::as_str).collect();
        self.output.notice(&format!("undone: {}", paths.join(", ")));
        Ok(())
    }

    fn find_last_writing_run(&self, session: &Session) -> Result<String> {
        let nothing = || Error::not_found("no turn of this conversation made a change that can be undone");
        let of_session = |run: &wellread_core::ports::RunHeader| {
            let events = self.chat.runs.records.events(&run.id).unwrap_or_default();
            match events.first().map(|first| &first.event) {
                Some(wellread_core::ports::event::RunEvent::Began { request, .. }) => {
                    read_turn_session(request).is_some_and(|turn| turn.id == session.id)
                }
                _ => false,
            }
        };
        let operations = self.app.ctx.vault.files.operations(LATEST)?;
        for run in self.chat.runs.records.runs("", LATEST)? {
            let wrote = operations.iter().any(|op| op.group.as_deref() == Some(run.id.as_str()));
            if wrote && of_session(&run) {
                return Ok(run.id.to_string());
            }
        }
        Err(nothing())
    }
}

const LATEST: usize = 200;

fn render_history(session: &Session) -> String {
    let line = |entry: &SessionEntry| match entry {
        SessionEntry::User { text, .. } => Some(format!("> {text}")),
        SessionEntry::Assistant { text, .. } if !text.trim().is_empty() => Some(text.clone()),
        SessionEntry::Assistant { .. } => None,
        SessionEntry::Tool { name, failed, .. } => {
            Some(format!("  [{name}{}]", if *failed { ", failed" } else { "" }))
        }
    };
    let lines: Vec<String> = session.entries.iter().filter_map(line).collect();
    if lines.is_empty() { "nothing said yet".to_owned() } else { lines.join("\n") }
}

fn render_pending(session: &Session) -> String {
    let one = |edit: PendingEditView| format!("{}: {}\n{}", edit.id, edit.tool, edit.diff);
    let all: Vec<String> = session.pending.iter().map(PendingEditView::from_edit).map(one).collect();
    if all.is_empty() { "no edit is waiting".to_owned() } else { all.join("\n") }
}
