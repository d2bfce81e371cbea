//! How conversations are held and what runs may use, as the settings say it.

use std::fs::File;
use std::io::Read as _;
use std::time::Duration;

use wellread_core::faces::chat::{AgentLimits, ChatSettings};
use wellread_core::ports::event::Budget;
use wellread_core::{Error, Result};

use super::Config;
use super::key::{Key, settings};
use super::kinds::Number;

/// In seconds.
const A_WEEK: u64 = 7 * 24 * 3600;

settings! {
    ROUNDS: Number(1000) = "chat.rounds", "how many rounds of tool calls a model may make in one turn";
    RESULT_CHARS: Number(1_000_000) = "chat.result_chars",
        "how much of a tool's answer a model gets at once, in characters";
    TOOL_SECONDS: Number(3600) = "chat.tool_seconds", "how long a read-only tool may take in a turn";
    BUDGET_SECONDS: Number(A_WEEK) = "budget.seconds", "how long one run may take; 0 is no limit";
    BUDGET_TOKENS: Number(1_000_000_000) = "budget.tokens", "how many tokens one run may use; 0 is no limit";
    BUDGET_CENTS: Number(1_000_000) = "budget.cents", "how many US cents one run may cost; 0 is no limit";
    BUDGET_REQUESTS: Number(1_000_000) = "budget.requests",
        "how many requests one run may send out; 0 is no limit";
}

/// The user's own instructions for the chat, beside the settings file.
const SYSTEM_PROMPT: &str = "system_prompt.txt";
const LONGEST_PROMPT: u64 = 64 * 1024;

impl Config {
    pub fn chat(&self) -> Result<ChatSettings> {
        let limits = AgentLimits {
            rounds: u32::try_from(self.get(&ROUNDS)).unwrap_or(u32::MAX),
            result_chars: self.get(&RESULT_CHARS).max(1) as usize,
            ..AgentLimits::default()
        };
        Ok(ChatSettings { limits, budget: self.budget(), system_prompt: self.system_prompt()? })
    }

    /// How long a tool that only reads may take in a turn.
    pub fn tool_limit(&self) -> Duration {
        Duration::from_secs(self.get(&TOOL_SECONDS).max(1))
    }

    pub fn budget(&self) -> Budget {
        let limit = |key: &Key<Number>| Some(self.get(key)).filter(|limit| *limit > 0);
        Budget {
            steps: None,
            seconds: limit(&BUDGET_SECONDS),
            tokens: limit(&BUDGET_TOKENS),
            money: limit(&BUDGET_CENTS).map(|cents| cents as f64 / 100.0),
            requests: limit(&BUDGET_REQUESTS),
        }
    }

    /// The user's own instructions, where there are some.
    fn system_prompt(&self) -> Result<Option<String>> {
        let Some(file) =
            self.file.as_deref().and_then(|file| file.parent()).map(|folder| folder.join(SYSTEM_PROMPT))
        else {
            return Ok(None);
        };
        let opened = match File::open(&file) {
            Ok(opened) => opened,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::invalid(format!("`{}` can't be read: {error}", file.display()))),
        };
        let mut text = String::new();
        let read = opened.take(LONGEST_PROMPT + 1).read_to_string(&mut text);
        read.map_err(|error| Error::invalid(format!("`{}` can't be read: {error}", file.display())))?;
        if text.len() as u64 > LONGEST_PROMPT {
            return Err(Error::invalid(format!(
                "`{}` is longer than {LONGEST_PROMPT} bytes",
                file.display()
            )));
        }
        Ok(Some(text).filter(|text| !text.trim().is_empty()))
    }
}
