//! How far research goes, as the settings say it.

use std::time::Duration;

use wellread_core::agendas::jobs::Schedule;
use wellread_core::ports::agenda::TaskSource;
use wellread_core::research::{AgendaSettings, ResearchSettings};

use super::key::{Key, settings};
use super::kinds::Number;
use super::web::LARGEST_PAGE;
use super::{Config, vault};

settings! {
    MAX_TOPICS: Number(100) = "research.max_topics",
        "how many topics of a note are researched at most", also "MAX_RESEARCH_TOPICS";
    CONCURRENCY: Number(64) = "research.concurrency", "how many topics are researched at once";
    PAGES_PER_TOPIC: Number(20) = "research.pages_per_topic",
        "how many pages per topic are read in a deep run";
    PAGE_TIMEOUT_S: Number(600) = "research.page_timeout_s",
        "how long a page may take, in seconds", also "PAGE_FETCH_TIMEOUT";
    PAGE_CHARS: Number(10_000_000) = "research.page_chars",
        "how much of a page is read, in characters", also "MAX_PAGE_CHARS";
    NOTE_CHARS: Number(10_000_000) = "research.note_chars",
        "how much of a note is read, in characters", also "MAX_SUMMARIZE_CHARS";
    MAX_FINDINGS_PER_RUN: Number(100) = "research.max_findings_per_run",
        "how many findings an agenda may produce";
    DEDUP_THRESHOLD: Decimal = "research.dedup_threshold",
        "similarity to a note or an earlier finding from which a page counts as known, 0 to 1";
    SOURCES: OneOf(&["web", "arxiv", "both"]) = "research.sources",
        "which services are searched for an agenda's tasks: web, arxiv or both";
    AGENDA_TIMEOUT_S: Number(600) = "research.agenda_timeout_s",
        "how long a model may take to propose an agenda, in seconds";
    FETCH_TIMEOUT_S: Number(600) = "research.fetch_timeout_s",
        "how long fetching a page for an agenda may take, in seconds";
    MAX_FETCH_BYTES: Number(LARGEST_PAGE) = "research.max_fetch_bytes",
        "the largest page fetched for an agenda, in bytes";
    FLEETING_FOLDER: Text = "research.fleeting_folder",
        "the folder for accepted findings; empty means vault.fleeting_folder";
    AUTO_APPROVE: Switch = "research.auto_approve", "whether an agenda is approved as soon as it is proposed";
    SCHEDULE: Schedule = "research.schedule",
        "when an agenda for the vault is proposed automatically: off, or a weekday and an hour";
}

impl Config {
    pub fn research(&self) -> ResearchSettings {
        let number = |key: &Key<Number>| self.get(key) as usize;
        ResearchSettings {
            max_topics: number(&MAX_TOPICS).max(1),
            pages_per_topic: number(&PAGES_PER_TOPIC),
            page_time: Duration::from_secs(self.get(&PAGE_TIMEOUT_S).max(1)),
            page_chars: number(&PAGE_CHARS).max(1),
            concurrency: number(&CONCURRENCY).max(1),
            note_chars: number(&NOTE_CHARS).max(1),
            budget: self.budget(),
            okf: self.okf(),
            ..ResearchSettings::default()
        }
    }

    pub fn agenda(&self) -> AgendaSettings {
        let usual = AgendaSettings::default();
        let seconds = |key: &Key<Number>| Duration::from_secs(self.get(key).max(1));
        let folder = [self.get(&FLEETING_FOLDER), self.get(&vault::FLEETING_FOLDER)];
        AgendaSettings {
            max_findings: (self.get(&MAX_FINDINGS_PER_RUN) as usize).max(1),
            dedup_threshold: self
                .get(&DEDUP_THRESHOLD)
                .map_or(usual.dedup_threshold, |threshold| threshold.min(1.0) as f32),
            sources: match self.get(&SOURCES) {
                "web" => vec![TaskSource::Web],
                "arxiv" => vec![TaskSource::Arxiv],
                _ => usual.sources,
            },
            agenda_time: seconds(&AGENDA_TIMEOUT_S),
            fetch_time: seconds(&FETCH_TIMEOUT_S),
            fetch_bytes: self.get(&MAX_FETCH_BYTES).max(1),
            fleeting_folder: folder
                .into_iter()
                .find(|folder| !folder.trim().is_empty())
                .unwrap_or("")
                .to_owned(),
            auto_approve: self.get(&AUTO_APPROVE),
        }
    }

    /// When the vault is looked at by itself, where it is.
    pub fn schedule(&self) -> Option<Schedule> {
        self.get(&SCHEDULE)
    }
}
