//! `wellread chat`: the chat agent in the terminal.

mod commands;
mod line_reader;
mod turn_view;

use std::io::{IsTerminal as _, Read as _};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::Value;
use tokio::runtime::Runtime;
use wellread_core::domain::corpus::VaultPath;
use wellread_core::faces::chat::{Chat, ChatResponse, Session};
use wellread_core::{Error, Result};

use self::commands::InputLine;
use self::line_reader::LineReader;
use self::turn_view::TurnView;
pub use self::turn_view::print_notices;
use super::{BY_COMMAND, Invocation};
use crate::app::App;
use crate::output::{Output, success};
use crate::wiring;
use crate::wiring::IndexFollower;

/// Chat with a model that can read your notes
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without a message, the chat is interactive; `/help` lists its commands. Each note has its own conversation, and \
there is one without a note; you continue where you left off. Every turn is a run: `wellread runs` lists them.\n\n\
Needs a model: see `wellread doctor`.\n\n\
Example:\n  wellread chat\n  wellread chat --file Bees/Varroa.md\n  wellread chat 'Which notes mention oxalic acid?' --json"
)]
pub struct ChatArgs {
    /// The message, which needs no quotes; `-` reads it from standard input
    message: Vec<String>,
    /// The note that the conversation is about
    #[arg(long, value_name = "NOTE")]
    file: Option<String>,
    /// Continue this conversation
    #[arg(long, value_name = "ID", conflicts_with = "new")]
    session: Option<String>,
    /// Start a new conversation
    #[arg(long)]
    new: bool,
    /// Apply a pending edit of the conversation
    #[arg(long, value_name = "EDIT", conflicts_with = "message")]
    confirm: Option<String>,
    /// Discard a pending edit of the conversation
    #[arg(long, value_name = "EDIT", conflicts_with_all = ["message", "confirm"])]
    decline: Option<String>,
}

const LONGEST_INPUT: u64 = 4 * 1024 * 1024;

/// All that a conversation in the terminal needs.
struct ChatTerminal {
    app: Arc<App>,
    chat: Chat,
    runtime: Runtime,
    output: Output,
}

pub fn run(invocation: &Invocation, args: &ChatArgs) -> Result<ExitCode> {
    let config = invocation.load_config()?;
    let decides = args.confirm.is_some() || args.decline.is_some();
    let is_typed = args.message.is_empty() && !decides && std::io::stdin().is_terminal();
    if is_typed && let Err(failure) = wiring::model::try_open_model(&config, invocation.offline) {
        return Err(Error::from(failure));
    }
    let app = invocation.open_app()?;
    let talk = ChatTerminal {
        chat: wiring::open_chat(&app, &config)?,
        app,
        runtime: super::build_runtime()?,
        output: invocation.output,
    };
    let file = args.file.as_deref().map(|file| talk.app.ctx.vault.locate(file)).transpose()?;
    let file = file.as_ref().map(VaultPath::as_str);
    let session =
        if args.new { Session::new(file) } else { talk.chat.session(args.session.as_deref(), file)? };
    let answer = |response: Result<ChatResponse>| talk.print_answer(&response?).map(|()| ExitCode::SUCCESS);
    let message = (!args.message.is_empty()).then(|| args.message.join(" "));
    match (&message, &args.confirm, &args.decline) {
        (_, Some(edit), _) => answer(talk.decide(session, edit, true)),
        (_, _, Some(edit)) => answer(talk.decide(session, edit, false)),
        (Some(message), _, _) if message == "-" => answer(talk.say(session, &read_input()?)),
        (Some(message), _, _) => answer(talk.say(session, message)),
        // Whoever pipes something in and asks for JSON wants one answer to all of it.
        (None, _, _) if talk.output.json => answer(talk.say(session, &read_input()?)),
        (None, _, _) => {
            let _follower = IndexFollower::start_own(&talk.app, config.rescan_interval());
            talk.run_interactive(session, &config.shared_data_folder()?)
        }
    }
}

impl ChatTerminal {
    fn say(&self, session: Session, message: &str) -> Result<ChatResponse> {
        let shown = TurnView::new(self.output);
        let watch = |event| shown.show_event(event);
        self.runtime.block_on(self.chat.say(session, message, &watch))
    }

    fn decide(&self, session: Session, edit: &str, confirmed: bool) -> Result<ChatResponse> {
        self.runtime.block_on(self.chat.decide(BY_COMMAND, session, edit, confirmed, &|_| {}))
    }

    fn print_answer(&self, response: &ChatResponse) -> Result<()> {
        if self.output.json {
            return self.output.object(&success(serde_json::to_value(response).unwrap_or(Value::Null)));
        }
        TurnView::new(self.output).linking_to(self.app.roots.first()).finish(response)?;
        print_notices(self.output, response);
        Ok(())
    }

    /// Line by line, until the input ends.
    fn run_interactive(&self, mut session: Session, data: &std::path::Path) -> Result<ExitCode> {
        let mut lines = LineReader::open(data);
        if lines.is_terminal() {
            self.output.notice(&commands::greeting(&self.chat, &session));
        }
        let mut failed = false;
        while let Some(line) = lines.next_line()? {
            let said = match commands::parse(&line) {
                Ok(InputLine::Nothing) => continue,
                Ok(InputLine::Leave) => break,
                Ok(InputLine::Say(message)) => self.stream_turn(&mut session, &message),
                Ok(InputLine::Command(command)) => self.run_command(&mut session, command),
                Err(error) => Err(error),
            };
            if let Err(error) = said {
                failed = true;
                self.output.error(&error);
            }
        }
        // A script wants to know; a person has seen it.
        Ok(if failed && !lines.is_terminal() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// The conversation as it is by now: another program may have gone on with it.
    fn reload_session(&self, session: &Session) -> Result<Session> {
        let stored = self.chat.sessions.session(&session.id)?;
        stored.map_or_else(|| Ok(session.clone()), Session::from_stored)
    }

    /// One turn in the terminal: the answer as it comes, where somebody watches.
    fn stream_turn(&self, session: &mut Session, message: &str) -> Result<()> {
        let shown = if self.output.is_interactive() {
            TurnView::live(self.output).linking_to(self.app.roots.first())
        } else {
            TurnView::new(self.output)
        };
        let watch = |event| shown.show_event(event);
        *session = self.reload_session(session)?;
        let response = self.runtime.block_on(self.chat.say(session.clone(), message, &watch))?;
        shown.finish(&response)?;
        print_notices(self.output, &response);
        *session = self.chat.session(Some(&response.session_id), None)?;
        Ok(())
    }
}

fn read_input() -> Result<String> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(LONGEST_INPUT).read_to_string(&mut text);
    read.map_err(|error| Error::invalid(format!("standard input can't be read: {error}")))?;
    Ok(text)
}
