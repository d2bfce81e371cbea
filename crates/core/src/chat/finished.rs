//! What a model said, made fit to be shown: checked against the evidence, and inert.
//!
//! A sentence that cites something must pass the gate. What does not is told to the model once; what fails then stands under
//! a heading of its own. Sentences that cite nothing are counted as such and stay: a conversation is no report.

use serde_json::{Value, json};
use wellread_text::{Allowed, Resolution, inert};

use super::{Chat, ChatEvent, Session, WatchChat};
use crate::Result;
use crate::agent::{Agent, Conversation, Progress};
use crate::event::Event;
use crate::gate::{self, Places, Report, Verdict};
use crate::ports::Message;
use crate::prompt::REPAIR;
use crate::run::Run;

impl Chat {
    /// The text with every sentence that cites something checked, and what the gate said in the end. Nothing is checked where
    /// nothing is cited.
    pub(super) async fn checked(
        &self,
        agent: &Agent<'_>,
        conversation: &Conversation,
        text: String,
        watch: WatchChat<'_>,
    ) -> Result<(String, Option<Report>)> {
        let run = agent.run;
        let report = self.judged(run, &text)?;
        if report.sentences.iter().all(|sentence| sentence.verdict == Verdict::Uncited) {
            return Ok((text, None));
        }
        watch(ChatEvent::Checking { again: false });
        let (mut text, mut report) = (text, report);
        if has_failed(&report) {
            watch(ChatEvent::Checking { again: true });
            // What comes now takes the place of what was told.
            (agent.watch)(Progress::Again);
            let mut once_more = conversation.clone();
            once_more.messages.push(Message::Assistant { text: text.clone(), calls: Vec::new() });
            let problems = gate::objections(&as_in_talk(report.clone()));
            let problems = REPAIR.fill(&[("problems", &problems)])?;
            once_more.messages.push(Message::User { text: problems });
            // A model that fails now has answered before: what it said then is settled as it stands.
            if let Ok(mended) = agent.once(&once_more).await
                && !mended.trim().is_empty()
            {
                report = self.judged(run, &mended)?;
                text = mended;
            }
        }
        run.note(&Event::Verdict { report: told(&report) })?;
        let settled = gate::settle(&text, &as_in_talk(report.clone()));
        Ok((settled.text, Some(report)))
    }

    /// What the gate says. The places are read once: run again, the turn comes to the same whatever became of them.
    fn judged(&self, run: &Run, text: &str) -> Result<Report> {
        let library = &self.hands.ctx().search.library;
        let places = Places { corpora: &library.corpora, snapshots: &*self.snapshots };
        let ledger = run.ledger();
        run.draw("verdict", || gate::judge(text, &ledger, &places))
    }

    /// The text as it may be shown, and what had to be taken out. Which notes exist is asked once, too.
    pub(super) fn finished(
        &self,
        run: &Run,
        session: &Session,
        text: &str,
    ) -> Result<(String, Option<Value>)> {
        run.draw("shown", || self.inert(session, text))
    }

    /// Addresses only those that the user gave or that were read, links only to notes that exist, and nothing that acts.
    pub(super) fn inert(&self, session: &Session, text: &str) -> (String, Option<Value>) {
        let names = self.hands.ctx().vault.links.names().ok();
        let notes = |target: &str| {
            names.as_ref().is_some_and(|names| matches!(names.resolve(target, ""), Resolution::Found(_)))
        };
        let urls = |url: &str| session.urls.contains(url);
        let made = inert(text, &Allowed { urls: &urls, notes: &notes });
        let mut removed = serde_json::to_value(made.removed).unwrap_or_default();
        if let Value::Object(counts) = &mut removed {
            counts.retain(|_, count| *count != json!(0) && *count != json!(false));
        }
        let is_whole = removed.as_object().is_none_or(serde_json::Map::is_empty);
        (made.text.trim_end().to_owned(), (!is_whole).then_some(removed))
    }
}

fn has_failed(report: &Report) -> bool {
    report
        .sentences
        .iter()
        .any(|sentence| matches!(sentence.verdict, Verdict::Contradicted | Verdict::Unknown))
}

/// The same report with what cites nothing let through.
fn as_in_talk(mut report: Report) -> Report {
    for sentence in &mut report.sentences {
        sentence.connective |= sentence.verdict == Verdict::Uncited;
    }
    report
}

/// The report as the log keeps it: with the share of sentences that are supported.
fn told(report: &Report) -> Value {
    let mut told = json!(report);
    told["counts"] = told["coverage"].take();
    told["coverage"] = json!(report.coverage.supported as f64 / report.coverage.sentences.max(1) as f64);
    told
}
