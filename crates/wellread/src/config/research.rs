//! How far research goes, as the settings say it.

use std::time::Duration;

use wellread_core::research::ResearchSettings;

use super::Config;

impl Config {
    pub fn research(&self) -> ResearchSettings {
        let number = |path: &str| self.number(path) as usize;
        ResearchSettings {
            max_topics: number("research.max_topics").max(1),
            pages_per_topic: number("research.pages_per_topic"),
            page_time: Duration::from_secs(self.number("research.page_timeout_s").max(1)),
            page_chars: number("research.page_chars").max(1),
            concurrency: number("research.concurrency").max(1),
            note_chars: number("research.note_chars").max(1),
            budget: self.budget(),
            ..ResearchSettings::default()
        }
    }
}
