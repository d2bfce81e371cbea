//! Prepares a model's answer for display: checked against the evidence, and made inert.
//!
//! A sentence with a citation must pass the gate. The model is told once what fails; what still fails is moved under a
//! heading of its own. Sentences without citations stay, since a conversation is not a report, and are listed as not checked.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use wellread_text::{AllowedLinks, FileNames, Resolution, find_citations, make_inert};

use super::{Chat, ChatEvent, ChatProgress, Session};
use crate::Result;
use crate::domain::verdict::GateReport;
use crate::engine::agent::{Agent, AgentEvent, AgentLimits, Conversation};
use crate::engine::repair::{UncitedPolicy, check_and_repair};
use crate::engine::run::Run;
use crate::engine::second_opinion::SecondOpinion;
use crate::ports::Message;
use crate::trust::citations::{CitationContext, find_written_citations};
use crate::trust::gate::EvidenceReader;

impl Chat {
    /// Checks every sentence with a citation; returns the text and the gate's report, which is `None` if nothing is
    /// cited.
    pub(super) async fn check_answer(
        &self,
        agent: &Agent<'_>,
        conversation: &Conversation,
        text: String,
        watch: ChatProgress<'_>,
    ) -> Result<(String, Option<GateReport>)> {
        let library = &self.tool_runner.ctx().search.library;
        let places = EvidenceReader {
            corpora: &library.corpora,
            snapshots: &*self.snapshots,
            verifier: self.opinions.verifier.as_deref(),
        };
        let text = self.cite_by_ids(agent.run, text)?;
        let said = text.clone();
        let repair = async |problems: String| {
            watch(ChatEvent::Checking { again: true });
            // The new answer replaces what was streamed.
            (agent.watch)(AgentEvent::Again);
            let mut once_more = conversation.clone();
            once_more.messages.push(Message::Assistant { text: said, calls: Vec::new() });
            once_more.messages.push(Message::User { text: problems });
            let mended = agent.reply_without_tools(&once_more).await.ok()?;
            self.cite_by_ids(agent.run, mended).ok()
        };
        if !find_citations(&text).is_empty() {
            watch(ChatEvent::Checking { again: false });
        }
        let gate = (&places, Some(self.second_opinion(agent)));
        let checked = check_and_repair(agent.run, gate, text, UncitedPolicy::Stays, repair).await?;
        Ok((checked.text, checked.report))
    }

    /// How sentences that pass the gate are judged a second time, within the limits of the turn.
    fn second_opinion<'a>(&'a self, agent: &Agent<'a>) -> SecondOpinion<'a> {
        let AgentLimits { reply_tokens, reply_seconds, .. } = agent.limits;
        SecondOpinion {
            sources: &self.opinions,
            model: Some(agent.model),
            reply_tokens,
            reply_time: Duration::from_secs(reply_seconds),
        }
    }

    /// The text with ids where it cites what was shown by a link, an address, a footnote or a path with lines: whatever its
    /// form, a citation is checked. Logged, since which notes exist may change.
    fn cite_by_ids(&self, run: &Run, text: String) -> Result<String> {
        if find_written_citations(&text).is_empty() {
            return Ok(text);
        }
        let names = self.visible_names()?;
        let ledger = run.ledger();
        let context = CitationContext { ledger: &ledger, names: &names, from: "" };
        run.draw("cited", || context.restore_written(&text))
    }

    /// The names of the notes that the model may know of.
    fn visible_names(&self) -> Result<Arc<FileNames>> {
        let vault = &self.tool_runner.ctx().vault;
        if self.has_remote_model() { vault.without_private().links.names() } else { vault.links.names() }
    }

    /// The text as it may be shown, and what was removed from it. Logged, since which notes exist may change.
    pub(super) fn finish_text(
        &self,
        run: &Run,
        session: &Session,
        text: &str,
    ) -> Result<(String, Option<Value>)> {
        run.draw("shown", || self.make_inert(session, text))
    }

    /// Keeps only addresses that the user gave or that were read and links to existing notes, and removes active
    /// content.
    pub(super) fn make_inert(&self, session: &Session, text: &str) -> (String, Option<Value>) {
        // The text goes back to the model in the next turn, so it must not tell which private notes exist.
        let names = self.visible_names().ok();
        let notes = |target: &str| {
            names.as_ref().is_some_and(|names| matches!(names.resolve(target, ""), Resolution::Found(_)))
        };
        let urls = |url: &str| session.urls.contains(url);
        let made = make_inert(text, &AllowedLinks { urls: &urls, notes: &notes });
        let mut removed = serde_json::to_value(made.removed).unwrap_or_default();
        if let Value::Object(counts) = &mut removed {
            counts.retain(|_, count| *count != json!(0) && *count != json!(false));
        }
        let is_whole = removed.as_object().is_none_or(serde_json::Map::is_empty);
        (made.text.trim_end().to_owned(), (!is_whole).then_some(removed))
    }
}
