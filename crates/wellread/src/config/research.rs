//! How far research goes, as the settings say it.

use std::time::Duration;

use wellread_core::agendas::jobs::Schedule;
use wellread_core::ports::agenda::TaskSource;
use wellread_core::research::{AgendaSettings, ResearchSettings};

use super::Config;
use super::keys::parse_decimal;

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

    pub fn agenda(&self) -> AgendaSettings {
        let usual = AgendaSettings::default();
        let seconds = |path: &str| Duration::from_secs(self.number(path).max(1));
        let folder = [self.text("research.fleeting_folder"), self.text("vault.fleeting_folder")];
        AgendaSettings {
            max_findings: (self.number("research.max_findings_per_run") as usize).max(1),
            dedup_threshold: parse_decimal(self.text("research.dedup_threshold"))
                .map_or(usual.dedup_threshold, |threshold| threshold.min(1.0) as f32),
            sources: match self.text("research.sources") {
                "web" => vec![TaskSource::Web],
                "arxiv" => vec![TaskSource::Arxiv],
                _ => usual.sources,
            },
            agenda_time: seconds("research.agenda_timeout_s"),
            fetch_time: seconds("research.fetch_timeout_s"),
            fetch_bytes: self.number("research.max_fetch_bytes").max(1),
            fleeting_folder: folder
                .into_iter()
                .find(|folder| !folder.trim().is_empty())
                .unwrap_or("")
                .to_owned(),
            auto_approve: self.text("research.auto_approve") == "on",
        }
    }

    /// When the vault is looked at by itself, where it is.
    pub fn schedule(&self) -> Option<Schedule> {
        Schedule::parse(self.text("research.schedule"))
    }
}
