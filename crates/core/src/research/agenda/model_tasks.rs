//! Tasks of an agenda, proposed by a model.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use wellread_text::fold;

use super::proposal::ProposalJob;
use super::rules::{HealthBrief, TaskDraft};
use crate::domain::display::render_duration;
use crate::domain::untrusted::Untrusted;
use crate::engine::llm::ask_structured;
use crate::engine::run::{BudgetLimit, ModelCallFailure, RunModelClient};
use crate::ports::agenda::TaskSource;
use crate::ports::{Model, ModelFailure, ModelRequest};
use crate::research::Work;
use crate::research::model_calls::{prefer_run_error, to_error};
use crate::research::note::single_line;
use crate::trust::prompt::{AGENDA, Prompt, PromptDocument};
use crate::{Error, ErrorKind, Result};

const LONGEST_QUERY: usize = 120;
const LONGEST_MOTIVATION: usize = 300;
const MOST_RELATED: usize = 5;

#[derive(Debug, Deserialize, JsonSchema)]
struct ProposalReply {
    tasks: Vec<ProposedTask>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ProposedTask {
    query: String,
    #[serde(default)]
    source: Option<String>,
    #[serde(default)]
    motivation: String,
    #[serde(default, alias = "relatedNotes")]
    related_notes: Vec<String>,
}

impl Work<'_, ProposalJob> {
    pub(super) async fn tasks_by_model(
        &self,
        model: &dyn Model,
        brief: Option<&HealthBrief>,
    ) -> Result<Vec<TaskDraft>> {
        let all = [TaskSource::Web, TaskSource::Arxiv];
        let sources = if self.job.sources.is_empty() { &all[..] } else { &self.job.sources };
        let request = self.proposal_request(sources, brief)?;
        let client = RunModelClient::new(self.run, model);
        let answer = ask_structured::<ProposalReply>(&client, request, "agenda").await;
        let entries = answer.map_err(|error| self.timeout_error(&client, error))?.value.tasks;
        let drafts: Vec<TaskDraft> = entries.iter().map(|entry| self.draft_task(entry, sources)).collect();
        // Logged, since which notes exist may change.
        self.run.draw("proposed", || drafts)
    }

    fn proposal_request(&self, sources: &[TaskSource], brief: Option<&HealthBrief>) -> Result<ModelRequest> {
        let named: Vec<String> = sources.iter().map(|source| format!("`{}`", source.name())).collect();
        let about = match &self.job.note {
            Some(_) => "one note of theirs",
            None => "a report on how all of their notes hang together",
        };
        let instructions = AGENDA.fill(&[("about", about), ("sources", &named.join(" or "))])?;
        let (who, name, text) = match (&self.job.note, brief) {
            (Some(note), _) => {
                ("the user, in a note", note.path.as_str(), Untrusted::new(note.origin, note.text.clone()))
            }
            (None, brief) => (
                "a report on the user's notes, made of their names",
                "the health report",
                Untrusted::from_note(brief.map(HealthBrief::render).unwrap_or_default()),
            ),
        };
        let document = PromptDocument { who, name, text: &text, cap: self.job.note_chars, id: None };
        let mut request = self.request_showing(Prompt::new(&instructions).document(document), "nonce")?;
        request.limit = self.research.agenda.agenda_time;
        Ok(request)
    }

    fn draft_task(&self, entry: &ProposedTask, sources: &[TaskSource]) -> TaskDraft {
        let locate = |name: &String| -> Option<String> {
            let path = self.vault.locate(name.trim()).ok()?;
            (!self.vault.is_private(&path)).then(|| path.to_string())
        };
        let source = entry.source.as_deref().map(fold).unwrap_or_default();
        let source = sources.iter().find(|known| known.name() == source).or(sources.first());
        let own = self.job.note.iter().map(|note| note.path.clone());
        let mut related: Vec<String> = own.chain(entry.related_notes.iter().filter_map(locate)).collect();
        let mut seen = BTreeSet::new();
        related.retain(|path| seen.insert(path.clone()));
        related.truncate(MOST_RELATED);
        TaskDraft {
            query: single_line(&entry.query, LONGEST_QUERY),
            source: source.copied().unwrap_or(TaskSource::Web),
            motivation: single_line(&entry.motivation, LONGEST_MOTIVATION),
            related,
        }
    }

    /// The error of a failed proposal; it says so if time was up.
    fn timeout_error(&self, client: &RunModelClient<'_>, error: Error) -> Error {
        let late = || {
            let limit = render_duration(self.research.agenda.agenda_time);
            Error::new(ErrorKind::Unavailable, format!("the model proposed nothing within {limit}"))
                .hint("nothing was saved: try again; `research.agenda_timeout_s` gives it longer, and `--offline` proposes without a model")
        };
        match client.take_failure() {
            Some(ModelCallFailure::Budget(BudgetLimit::Seconds)) => late(),
            Some(ModelCallFailure::Model(ModelFailure::Unreachable { message }))
                if message.contains("within") =>
            {
                late()
            }
            Some(trouble) => to_error(trouble),
            None => prefer_run_error(client, error),
        }
    }
}
