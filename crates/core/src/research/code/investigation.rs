//! An investigation led by a model: one action after the other, until it answers or a budget is used up.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::actions::{Actions, FINALIZE, FinalizeArgs, render_actions};
use super::answer::{CodeAnswerDraft, finish_answer, inert_text};
use super::{CodeAnswer, CodeJob, InvestigationStep, summarize_envelope};
use crate::code::inspect::Inspector;
use crate::domain::id;
use crate::domain::untrusted::{Origin, Untrusted};
use crate::domain::verdict::VerdictCounts;
use crate::engine::agent::{
    ActionFormat, Agent, AgentEvent, AgentLimits, Conversation, TurnEnd, TurnOutcome,
};
use crate::engine::repair::{UncitedPolicy, check_and_repair};
use crate::engine::run::{ModelCallFailure, ToolReply, envelope};
use crate::ports::event::RunOutcome;
use crate::ports::{Message, Model, ToolCall};
use crate::research::model_calls::{build_request, strip_thinking, to_error};
use crate::research::{RecipeOutcome, ResearchStage, Work};
use crate::trust::prompt::{CODE_MEMO, CODE_RESEARCH, Prompt, PromptDocument};
use crate::{Error, Result};

/// How many characters of one result the model is shown.
const RESULT_CHARS: usize = 16_000;
const REPLY_TOKENS: u32 = 2_048;
/// How many characters of one piece of evidence go into a memo, and how many pieces.
const MEMO_CHARS: usize = 2_000;
const MEMO_ENTRIES: usize = 60;
/// How many file names the model gets at the start.
const FILES: usize = 150;

/// How the turn of an investigation ended.
struct TurnAnswer {
    /// The model's answer, if it gave one.
    said: Option<FinalizeArgs>,
    notice: Option<String>,
    outcome: RunOutcome,
}

impl Work<'_, CodeJob> {
    /// Lets the model choose one action after the other, and checks its answer.
    pub(super) async fn investigate(
        &self,
        model: &dyn Model,
        inspector: Option<Inspector<'_>>,
    ) -> Result<RecipeOutcome<CodeAnswer>> {
        let condense =
            |goal: Option<String>| -> Pin<Box<dyn Future<Output = Result<ToolReply>> + Send + '_>> {
                Box::pin(self.condense_evidence(model, goal))
            };
        let actions = Actions::new(inspector, &condense);
        let done = AtomicUsize::new(0);
        let progress = |event: AgentEvent| self.report_action(&done, event);
        let limits = AgentLimits {
            rounds: self.job.steps,
            result_chars: RESULT_CHARS,
            reply_tokens: REPLY_TOKENS,
            reply_seconds: self.research.settings.reply_time.as_secs(),
        };
        let format = ActionFormat::Actions { last: FINALIZE };
        let agent = Agent::new(self.run, model, &actions, limits, &progress, format);
        let turn = match agent.try_turn(self.opening_conversation(inspector)?).await {
            Ok(turn) => turn,
            Err(ModelCallFailure::Log(error)) => return Err(error),
            // If the model can't be asked, rules answer instead.
            Err(trouble) => {
                let error = to_error(trouble);
                let why = format!("{}; what was found is quoted verbatim", error.message());
                return self.answer_keyless(inspector, Some(why)).await;
            }
        };
        let steps = collect_steps(&turn);
        let TurnAnswer { said, notice, outcome } = self.end_turn(model, &turn).await?;
        match said {
            Some(said) => {
                let draft = self.check_answer(&agent, &turn.conversation, said).await?;
                let steps = if self.job.debug { steps } else { Vec::new() };
                Ok(finish_answer(self.run, CodeAnswerDraft { notice, steps, ..draft }, outcome))
            }
            None => {
                let why = notice.or_else(|| Some("the model gave no answer".to_owned()));
                self.answer_from_evidence(why, steps, outcome).await
            }
        }
    }

    /// Reports an action as it starts.
    fn report_action(&self, done: &AtomicUsize, event: AgentEvent) {
        if let AgentEvent::Calls { tool, arguments, .. } = event {
            let about: String = format!("{tool} {arguments}").chars().take(120).collect();
            let done = done.fetch_add(1, Ordering::Relaxed);
            self.report_stage(ResearchStage::Investigate, done, self.job.steps as usize, &about);
        }
    }

    /// The model's final answer. If its steps were used up, it is asked once more.
    async fn end_turn(&self, model: &dyn Model, turn: &TurnOutcome) -> Result<TurnAnswer> {
        let (said, notice) = match turn.end {
            TurnEnd::Said => (parse_final_answer(&turn.text), self.job.notice.clone()),
            TurnEnd::Rounds => {
                let steps = self.job.steps;
                let notice = format!("the {steps} steps were used up; this is from the evidence by then");
                (self.force_answer(model, &turn.conversation).await?, Some(notice))
            }
            TurnEnd::Budget(limit) => {
                (None, Some(format!("{limit}; this is based on the evidence up to then")))
            }
        };
        let is_done = turn.end == TurnEnd::Said;
        let outcome = if is_done { RunOutcome::Done } else { RunOutcome::OutOfBudget };
        Ok(TurnAnswer { said, notice, outcome })
    }

    /// Checks the answer against the evidence, and has it repaired once.
    async fn check_answer(
        &self,
        agent: &Agent<'_>,
        conversation: &Conversation,
        said: FinalizeArgs,
    ) -> Result<CodeAnswerDraft> {
        self.begin_stage(ResearchStage::Check, "");
        let FinalizeArgs { answer, confidence } = said;
        let repair = async |problems: String| {
            let mut messages = conversation.messages.clone();
            messages.push(Message::Assistant { text: answer.clone(), calls: Vec::new() });
            messages.push(Message::User { text: problems });
            let again = Conversation { messages, ..conversation.clone() };
            let mended = agent.reply_without_tools(&again).await.ok()?;
            Some(inert_text(&parse_repaired_answer(&mended)))
        };
        let (reader, text) = (self.evidence_reader(), inert_text(&answer));
        let checked = check_and_repair(self.run, &reader, text, UncitedPolicy::Goes, repair).await?;
        let coverage = checked.report.as_ref().map(|report| report.coverage);
        Ok(CodeAnswerDraft {
            text: checked.text,
            remarks: String::new(),
            confidence: lower_confidence(confidence, coverage),
            coverage,
            notice: None,
            steps: Vec::new(),
        })
    }

    /// The first prompt: the question, and the names of files, which are untrusted.
    fn opening_conversation(&self, inspector: Option<Inspector<'_>>) -> Result<Conversation> {
        let steps = self.job.steps.to_string();
        let system = CODE_RESEARCH.fill(&[("steps", &steps), ("actions", &render_actions())])?;
        // Logged, so that a replay sends the same prompt whatever files exist by then.
        let files: String = self.run.draw("files", || {
            let sources =
                inspector.and_then(|inspector| inspector.codebase.sources().ok()).unwrap_or_default();
            let count = sources.len();
            let names: Vec<String> =
                sources.into_iter().take(FILES).map(|(path, _)| path.to_string()).collect();
            let more =
                if count > FILES { format!("\n… and {} more", count - FILES) } else { String::new() };
            format!("{}{more}", names.join("\n"))
        })?;
        let names = Untrusted::from_outside(files);
        let built = Prompt::new("")
            .user(&format!("Question: {}", self.job.question), super::LONGEST_QUESTION + 20)
            .document(PromptDocument {
                who: "whoever named the files of the repository",
                name: "files of code",
                text: &names,
                cap: RESULT_CHARS,
                id: None,
            })
            .build(&mut || self.run.draw("nonce", id::nonce).unwrap_or_default())?;
        let messages = vec![Message::User { text: built.text }];
        Ok(Conversation { system, messages, origin: Origin::Outside })
    }

    /// Has the model write a memo of the evidence so far.
    async fn condense_evidence(&self, model: &dyn Model, goal: Option<String>) -> Result<ToolReply> {
        let prompt = match self.memo_prompt(goal)? {
            Ok(prompt) => prompt,
            Err(error) => return Ok(ToolReply::trusted(envelope(Err(error)))),
        };
        let built = match prompt.build(&mut || self.run.draw("nonce", id::nonce).unwrap_or_default()) {
            Ok(built) => built,
            Err(error) => return Ok(ToolReply::trusted(envelope(Err(error)))),
        };
        let mut request = build_request(&self.research.settings, built.text);
        request.max_tokens = REPLY_TOKENS;
        match self.run.ask_model(model, &request, &|_| {}).await {
            // The model has read untrusted text, so its words are untrusted.
            Ok(reply) => Ok(ToolReply {
                envelope: envelope(Ok(json!({ "memo": strip_thinking(&reply.text), "summary": "a memo" }))),
                origin: Origin::Outside,
                private: false,
            }),
            Err(ModelCallFailure::Log(error)) => Err(error),
            Err(ModelCallFailure::Budget(limit)) => {
                Ok(ToolReply::trusted(envelope(Err(Error::failed(limit.to_string())))))
            }
            Err(ModelCallFailure::Model(failure)) => Ok(ToolReply::trusted(envelope(Err(failure.into())))),
        }
    }

    /// A prompt with the evidence shown last; the inner `Err` is for the model, if there is none.
    fn memo_prompt(&self, goal: Option<String>) -> Result<std::result::Result<Prompt, Error>> {
        let mut prompt = Prompt::new(&CODE_MEMO.fill(&[])?);
        // The model has read untrusted text, so its words are untrusted.
        let goal = goal.map(|goal| Untrusted::from_outside(one_line(&goal)));
        if let Some(goal) = &goal {
            let (who, name) = ("the investigator", "the goal of the memo");
            prompt = prompt.document(PromptDocument { who, name, text: goal, cap: MEMO_CHARS, id: None });
        }
        let ledger = self.run.ledger();
        let shown: Vec<_> = ledger.shown_ids().cloned().collect();
        if shown.is_empty() {
            let error = Error::invalid("there is no evidence yet").hint("search or open something first");
            return Ok(Err(error));
        }
        for entry in shown.iter().rev().take(MEMO_ENTRIES).filter_map(|id| ledger.entry(id)) {
            let path = entry.source.file().map(|(_, place)| place.path.to_string());
            let (name, id) = (path.unwrap_or_default(), entry.id.to_string());
            prompt = prompt.document(PromptDocument {
                who: "whoever wrote the repository",
                name: &name,
                text: &entry.text,
                cap: MEMO_CHARS,
                id: Some(&id),
            });
        }
        Ok(Ok(prompt))
    }
}

/// The steps of a turn, in order.
fn collect_steps(turn: &TurnOutcome) -> Vec<InvestigationStep> {
    let calls = turn.done.iter().flat_map(|done| &done.calls);
    let step = |(call, answered): &(ToolCall, ToolReply)| InvestigationStep {
        action: call.name.clone(),
        input: call.arguments.clone(),
        found: summarize_envelope(&answered.envelope),
    };
    calls.map(step).collect()
}

/// Parses the input of the finishing action; `None` if the answer is empty.
pub(super) fn parse_final_answer(text: &str) -> Option<FinalizeArgs> {
    let said: FinalizeArgs = serde_json::from_str(text).ok()?;
    (!said.answer.trim().is_empty()).then_some(said)
}

/// The text of a repaired answer, which may be prose or JSON.
fn parse_repaired_answer(text: &str) -> String {
    let text = strip_thinking(text);
    let json = crate::engine::llm::json_in_text(text);
    let inner = json.as_ref().and_then(|value| {
        let answer = value.get("answer").or_else(|| value.get("input")?.get("answer"))?;
        answer.as_str().map(str::to_owned)
    });
    inner.unwrap_or_else(|| text.to_owned())
}

/// The model's own confidence, multiplied by the share of supported sentences.
fn lower_confidence(confidence: f64, coverage: Option<VerdictCounts>) -> f64 {
    let own = if confidence.is_finite() { confidence.clamp(0.0, 1.0) } else { 0.0 };
    let held =
        coverage.map_or(0.0, |coverage| coverage.borne_out() as f64 / coverage.sentences.max(1) as f64);
    (own * held * 100.0).round() / 100.0
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}
