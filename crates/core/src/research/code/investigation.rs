//! The investigation that a model leads: one action after the other, until it has its answer or a budget ends.

use serde_json::json;

use super::actions::{Actions, FINALIZE, FinalizeArgs, render_actions};
use super::answer::{CodeAnswerDraft, finish_answer, inert_text};
use super::{CodeJob, InvestigationStep, StepLog, summarize_envelope};
use crate::code::inspect::Inspector;
use crate::domain::id;
use crate::domain::untrusted::{Origin, Untrusted};
use crate::domain::verdict::VerdictCounts;
use crate::engine::agent::{self, ActionFormat, Agent, AgentLimits, Conversation, TurnEnd};
use crate::engine::repair::{UncitedPolicy, check_and_repair};
use crate::engine::run::{ModelCallFailure, Run, ToolReply, envelope};
use crate::ports::event::RunOutcome;
use crate::ports::{Message, Model};
use crate::research::model_calls::{build_request, strip_thinking, to_error};
use crate::research::{Context, RecipeOutcome, Research, ResearchEvent, ResearchStage};
use crate::trust::prompt::{CODE_MEMO, CODE_RESEARCH, Prompt, PromptDocument};
use crate::{Error, Result};

use super::CodeAnswer;

/// How much of one result the model is shown, in characters.
const RESULT_CHARS: usize = 16_000;
const REPLY_TOKENS: u32 = 2_048;
/// How much of one piece of evidence goes into a memo, and of how many.
const MEMO_CHARS: usize = 2_000;
const MEMO_ENTRIES: usize = 60;
/// How many file names the model is told to begin with.
const FILES: usize = 150;

impl Research {
    pub(super) async fn investigate(
        &self,
        around: Context<'_>,
        run: &Run,
        model: &dyn Model,
        inspect: Option<Inspector<'_>>,
        job: &CodeJob,
    ) -> Result<RecipeOutcome<CodeAnswer>> {
        let steps = StepLog::default();
        let condense =
            |goal: Option<String>| -> std::pin::Pin<Box<dyn Future<Output = Result<ToolReply>> + Send + '_>> {
                Box::pin(self.condense_evidence(run, model, goal))
            };
        let actions = Actions::new(inspect, &condense);
        let watch = |progress: agent::AgentEvent| {
            if let agent::AgentEvent::Calls { tool, arguments, .. } = progress {
                let about = format!("{tool} {arguments}");
                let done = steps.to_vec().len();
                (around.watch)(ResearchEvent::Stage {
                    stage: ResearchStage::Investigate,
                    done,
                    of: job.steps as usize,
                    about: about.chars().take(120).collect(),
                });
                steps.add(InvestigationStep { action: tool, input: arguments, found: String::new() });
            }
        };
        let limits = AgentLimits {
            rounds: job.steps,
            result_chars: RESULT_CHARS,
            reply_tokens: REPLY_TOKENS,
            reply_seconds: self.settings.reply_time.as_secs(),
        };
        let agent =
            Agent::new(run, model, &actions, limits, &watch, ActionFormat::Actions { last: FINALIZE });
        let conversation = self.opening_conversation(run, inspect, job)?;
        let turn = match agent.try_turn(conversation).await {
            Ok(turn) => turn,
            Err(ModelCallFailure::Log(error)) => return Err(error),
            // A model that can't be asked is no reason to say nothing.
            Err(trouble) => {
                let error = to_error(trouble);
                let why = format!("{}; what was found is quoted as it stands", error.message());
                return self.answer_keyless(around, run, inspect, job, Some(why)).await;
            }
        };
        let taken: Vec<InvestigationStep> = turn
            .done
            .iter()
            .flat_map(|done| &done.calls)
            .map(|(call, answered)| InvestigationStep {
                action: call.name.clone(),
                input: call.arguments.clone(),
                found: summarize_envelope(&answered.envelope),
            })
            .collect();
        let (said, mut notice) = match turn.end {
            TurnEnd::Said => (parse_final_answer(&turn.text), job.notice.clone()),
            TurnEnd::Rounds => {
                let notice =
                    format!("the {} steps were used up; this is from the evidence by then", job.steps);
                (self.force_answer(run, model, &turn.conversation).await?, Some(notice))
            }
            TurnEnd::Budget(limit) => (None, Some(format!("{limit}; this is from the evidence by then"))),
        };
        let out = turn.end != TurnEnd::Said;
        let outcome = if out { RunOutcome::OutOfBudget } else { RunOutcome::Done };
        let Some(FinalizeArgs { answer, confidence }) = said else {
            let why = notice.take().or_else(|| Some("the model gave no answer".to_owned()));
            return self.answer_from_evidence(around, run, job, why, taken, outcome).await;
        };
        (around.watch)(ResearchEvent::Stage {
            stage: ResearchStage::Check,
            done: 0,
            of: 1,
            about: String::new(),
        });
        let said = inert_text(&answer);
        let repair = async |problems: String| {
            let mut messages = turn.conversation.messages.clone();
            messages.push(Message::Assistant { text: answer.clone(), calls: Vec::new() });
            messages.push(Message::User { text: problems });
            let again = Conversation { messages, ..turn.conversation.clone() };
            let mended = agent.reply_without_tools(&again).await.ok()?;
            Some(inert_text(&parse_repaired_answer(&mended)))
        };
        let checked = check_and_repair(run, &self.places(around), said, UncitedPolicy::Goes, repair).await?;
        let coverage = checked.report.as_ref().map(|report| report.coverage);
        let told = CodeAnswerDraft {
            text: checked.text,
            remarks: String::new(),
            confidence: lower_confidence(confidence, coverage),
            coverage,
            notice,
            steps: if job.debug { taken } else { Vec::new() },
        };
        Ok(finish_answer(run, told, outcome))
    }

    /// What the model is asked with: the question, and the names of the files, which others gave.
    fn opening_conversation(
        &self,
        run: &Run,
        inspect: Option<Inspector<'_>>,
        job: &CodeJob,
    ) -> Result<Conversation> {
        let steps = job.steps.to_string();
        let system = CODE_RESEARCH.fill(&[("steps", &steps), ("actions", &render_actions())])?;
        // A replay asks by the same words, whatever files there are by then.
        let files: String = run.draw("files", || {
            let sources = inspect.and_then(|inspect| inspect.codebase.sources().ok()).unwrap_or_default();
            let count = sources.len();
            let names: Vec<String> =
                sources.into_iter().take(FILES).map(|(path, _)| path.to_string()).collect();
            let more =
                if count > FILES { format!("\n… and {} more", count - FILES) } else { String::new() };
            format!("{}{more}", names.join("\n"))
        })?;
        let names = Untrusted::from_outside(files);
        let built = Prompt::new("")
            .user(&format!("Question: {}", job.question), super::LONGEST_QUESTION + 20)
            .document(PromptDocument {
                who: "whoever named the files of the repository",
                name: "files of code",
                text: &names,
                cap: RESULT_CHARS,
                id: None,
            })
            .build(&mut || run.draw("nonce", id::nonce).unwrap_or_default())?;
        let messages = vec![Message::User { text: built.text }];
        Ok(Conversation { system, messages, origin: Origin::Outside })
    }

    /// The evidence so far in the model's own words.
    async fn condense_evidence(
        &self,
        run: &Run,
        model: &dyn Model,
        goal: Option<String>,
    ) -> Result<ToolReply> {
        let mut prompt = Prompt::new(&CODE_MEMO.fill(&[])?);
        // The model's words, after it has read what others wrote.
        let goal = goal.map(|goal| Untrusted::from_outside(one_line(&goal)));
        if let Some(goal) = &goal {
            let (who, name) = ("the investigator", "the goal of the memo");
            prompt = prompt.document(PromptDocument { who, name, text: goal, cap: MEMO_CHARS, id: None });
        }
        let ledger = run.ledger();
        let shown: Vec<_> = ledger.shown_ids().cloned().collect();
        if shown.is_empty() {
            let error = Error::invalid("there is no evidence yet").hint("search or open something first");
            return Ok(ToolReply::trusted(envelope(Err(error))));
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
        let built = match prompt.build(&mut || run.draw("nonce", id::nonce).unwrap_or_default()) {
            Ok(built) => built,
            Err(error) => return Ok(ToolReply::trusted(envelope(Err(error)))),
        };
        let mut asked = build_request(&self.settings, built.text);
        asked.max_tokens = REPLY_TOKENS;
        match run.ask_model(model, &asked, &|_| {}).await {
            // The words are the model's, after it has read what others wrote.
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
}

/// The answer of the last action.
pub(super) fn parse_final_answer(text: &str) -> Option<FinalizeArgs> {
    let said: FinalizeArgs = serde_json::from_str(text).ok()?;
    (!said.answer.trim().is_empty()).then_some(said)
}

/// An answer that was given anew: in words, or once more as JSON.
fn parse_repaired_answer(text: &str) -> String {
    let text = strip_thinking(text);
    let json = crate::engine::llm::json_in_text(text);
    let inner = json.as_ref().and_then(|value| {
        let answer = value.get("answer").or_else(|| value.get("input")?.get("answer"))?;
        answer.as_str().map(str::to_owned)
    });
    inner.unwrap_or_else(|| text.to_owned())
}

/// The model's own confidence, lowered by what did not hold.
fn lower_confidence(confidence: f64, coverage: Option<VerdictCounts>) -> f64 {
    let own = if confidence.is_finite() { confidence.clamp(0.0, 1.0) } else { 0.0 };
    let held = coverage.map_or(0.0, |coverage| coverage.supported as f64 / coverage.sentences.max(1) as f64);
    (own * held * 100.0).round() / 100.0
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}
