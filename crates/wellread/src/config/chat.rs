//! How conversations are held and what runs may use, as the settings say it.

use std::fs::File;
use std::io::Read as _;
use std::time::Duration;

use wellread_core::faces::chat::{AgentLimits, ChatSettings};
use wellread_core::ports::event::Budget;
use wellread_core::{Error, Result};

use super::Config;

/// The user's own instructions for the chat, beside the settings file.
const SYSTEM_PROMPT: &str = "system_prompt.txt";
const LONGEST_PROMPT: u64 = 64 * 1024;

impl Config {
    pub fn chat(&self) -> Result<ChatSettings> {
        let limits = AgentLimits {
            rounds: u32::try_from(self.number("chat.rounds")).unwrap_or(u32::MAX),
            result_chars: self.number("chat.result_chars").max(1) as usize,
            ..AgentLimits::default()
        };
        Ok(ChatSettings { limits, budget: self.budget(), system_prompt: self.system_prompt()? })
    }

    /// How long a tool that only reads may take in a turn.
    pub fn tool_limit(&self) -> Duration {
        Duration::from_secs(self.number("chat.tool_seconds").max(1))
    }

    pub fn budget(&self) -> Budget {
        let limit = |path: &str| Some(self.number(path)).filter(|limit| *limit > 0);
        Budget {
            steps: None,
            seconds: limit("budget.seconds"),
            tokens: limit("budget.tokens"),
            money: limit("budget.cents").map(|cents| cents as f64 / 100.0),
            requests: limit("budget.requests"),
        }
    }

    /// The user's own, where there is one.
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
