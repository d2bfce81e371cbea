//! The investigation that a model leads: one action after the other, until it has its answer or a budget ends.

use serde_json::json;

use super::actions::{Actions, FINALIZE, FinalizeArgs, listed};
use super::answer::{Told, answered, harmless};
use super::{Job, StepTaken, Steps, in_short};
use crate::agent::{self, Agent, Conversation, Limits, Picks, TurnEnd};
use crate::checking::{Uncited, checked};
use crate::event::Outcome;
use crate::gate::Coverage;
use crate::id;
use crate::inspect::Inspect;
use crate::ports::{Message, Model};
use crate::prompt::{CODE_MEMO, CODE_RESEARCH, Document, Prompt};
use crate::research::asking::{in_words, request, spoken};
use crate::research::{Around, Done, Progress, Research, Stage};
use crate::run::{Answered, Run, Trouble, envelope};
use crate::untrusted::{Origin, Untrusted};
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
    pub(super) async fn investigated(
        &self,
        around: Around<'_>,
        run: &Run,
        model: &dyn Model,
        inspect: Option<Inspect<'_>>,
        job: &Job,
    ) -> Result<Done<CodeAnswer>> {
        let steps = Steps::default();
        let condense =
            |goal: Option<String>| -> std::pin::Pin<Box<dyn Future<Output = Result<Answered>> + Send + '_>> {
                Box::pin(self.condensed(run, model, goal))
            };
        let actions = Actions::new(inspect, &condense);
        let watch = |progress: agent::Progress| {
            if let agent::Progress::Calls { tool, arguments, .. } = progress {
                let about = format!("{tool} {arguments}");
                let done = steps.taken().len();
                (around.watch)(Progress::Stage {
                    stage: Stage::Investigate,
                    done,
                    of: job.steps as usize,
                    about: about.chars().take(120).collect(),
                });
                steps.add(StepTaken { action: tool, input: arguments, found: String::new() });
            }
        };
        let limits = Limits {
            rounds: job.steps,
            result_chars: RESULT_CHARS,
            reply_tokens: REPLY_TOKENS,
            reply_seconds: self.settings.reply_time.as_secs(),
        };
        let agent = Agent::new(run, model, &actions, limits, &watch, Picks::Actions { last: FINALIZE });
        let conversation = self.opening(run, inspect, job)?;
        let turn = match agent.attempt(conversation).await {
            Ok(turn) => turn,
            Err(Trouble::Log(error)) => return Err(error),
            // A model that can't be asked is no reason to say nothing.
            Err(trouble) => {
                let error = in_words(trouble);
                let why = format!("{}; what was found is quoted as it stands", error.message());
                return self.briefed(around, run, inspect, job, Some(why)).await;
            }
        };
        let taken: Vec<StepTaken> = turn
            .done
            .iter()
            .flat_map(|done| &done.calls)
            .map(|(call, answered)| StepTaken {
                action: call.name.clone(),
                input: call.arguments.clone(),
                found: in_short(&answered.envelope),
            })
            .collect();
        let (said, mut notice) = match turn.end {
            TurnEnd::Said => (finalized(&turn.text), job.notice.clone()),
            TurnEnd::Rounds => {
                let notice =
                    format!("the {} steps were used up; this is from the evidence by then", job.steps);
                (self.forced(run, model, &turn.conversation).await?, Some(notice))
            }
            TurnEnd::Budget(limit) => (None, Some(format!("{limit}; this is from the evidence by then"))),
        };
        let out = turn.end != TurnEnd::Said;
        let outcome = if out { Outcome::OutOfBudget } else { Outcome::Done };
        let Some(FinalizeArgs { answer, confidence }) = said else {
            let why = notice.take().or_else(|| Some("the model gave no answer".to_owned()));
            return self.of_the_evidence(around, run, job, why, taken, outcome).await;
        };
        (around.watch)(Progress::Stage { stage: Stage::Check, done: 0, of: 1, about: String::new() });
        let said = harmless(&answer);
        let repair = async |problems: String| {
            let mut messages = turn.conversation.messages.clone();
            messages.push(Message::Assistant { text: answer.clone(), calls: Vec::new() });
            messages.push(Message::User { text: problems });
            let again = Conversation { messages, ..turn.conversation.clone() };
            let mended = agent.once(&again).await.ok()?;
            Some(harmless(&mended_answer(&mended)))
        };
        let checked = checked(run, &self.places(around), said, Uncited::Goes, repair).await?;
        let coverage = checked.report.as_ref().map(|report| report.coverage);
        let told = Told {
            text: checked.text,
            remarks: String::new(),
            confidence: lowered(confidence, coverage),
            coverage,
            notice,
            steps: if job.debug { taken } else { Vec::new() },
        };
        Ok(answered(run, told, outcome))
    }

    /// What the model is asked with: the question, and the names of the files, which others gave.
    fn opening(&self, run: &Run, inspect: Option<Inspect<'_>>, job: &Job) -> Result<Conversation> {
        let steps = job.steps.to_string();
        let system = CODE_RESEARCH.fill(&[("steps", &steps), ("actions", &listed())])?;
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
        let names = Untrusted::outside(files);
        let built = Prompt::new("")
            .user(&format!("Question: {}", job.question), super::LONGEST_QUESTION + 20)
            .document(Document {
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
    async fn condensed(&self, run: &Run, model: &dyn Model, goal: Option<String>) -> Result<Answered> {
        let mut prompt = Prompt::new(&CODE_MEMO.fill(&[])?);
        // The model's words, after it has read what others wrote.
        let goal = goal.map(|goal| Untrusted::outside(one_line(&goal)));
        if let Some(goal) = &goal {
            let (who, name) = ("the investigator", "the goal of the memo");
            prompt = prompt.document(Document { who, name, text: goal, cap: MEMO_CHARS, id: None });
        }
        let ledger = run.ledger();
        let shown: Vec<_> = ledger.shown().cloned().collect();
        if shown.is_empty() {
            let error = Error::invalid("there is no evidence yet").hint("search or open something first");
            return Ok(Answered::ours(envelope(Err(error))));
        }
        for entry in shown.iter().rev().take(MEMO_ENTRIES).filter_map(|id| ledger.entry(id)) {
            let path = entry.source.file().map(|(_, place)| place.path.to_string());
            let (name, id) = (path.unwrap_or_default(), entry.id.to_string());
            prompt = prompt.document(Document {
                who: "whoever wrote the repository",
                name: &name,
                text: &entry.text,
                cap: MEMO_CHARS,
                id: Some(&id),
            });
        }
        let built = match prompt.build(&mut || run.draw("nonce", id::nonce).unwrap_or_default()) {
            Ok(built) => built,
            Err(error) => return Ok(Answered::ours(envelope(Err(error)))),
        };
        let mut asked = request(&self.settings, built.text);
        asked.max_tokens = REPLY_TOKENS;
        match run.ask(model, &asked, &|_| {}).await {
            // The words are the model's, after it has read what others wrote.
            Ok(reply) => Ok(Answered {
                envelope: envelope(Ok(json!({ "memo": spoken(&reply.text), "summary": "a memo" }))),
                origin: Origin::Outside,
                private: false,
            }),
            Err(Trouble::Log(error)) => Err(error),
            Err(Trouble::Budget(limit)) => {
                Ok(Answered::ours(envelope(Err(Error::failed(limit.to_string())))))
            }
            Err(Trouble::Model(failure)) => Ok(Answered::ours(envelope(Err(failure.into())))),
        }
    }
}

/// The answer of the last action.
pub(super) fn finalized(text: &str) -> Option<FinalizeArgs> {
    let said: FinalizeArgs = serde_json::from_str(text).ok()?;
    (!said.answer.trim().is_empty()).then_some(said)
}

/// An answer that was given anew: in words, or once more as JSON.
fn mended_answer(text: &str) -> String {
    let text = spoken(text);
    let json = crate::llm::json_in_text(text);
    let inner = json.as_ref().and_then(|value| {
        let answer = value.get("answer").or_else(|| value.get("input")?.get("answer"))?;
        answer.as_str().map(str::to_owned)
    });
    inner.unwrap_or_else(|| text.to_owned())
}

/// The model's own confidence, lowered by what did not hold.
fn lowered(confidence: f64, coverage: Option<Coverage>) -> f64 {
    let own = if confidence.is_finite() { confidence.clamp(0.0, 1.0) } else { 0.0 };
    let held = coverage.map_or(0.0, |coverage| coverage.supported as f64 / coverage.sentences.max(1) as f64);
    (own * held * 100.0).round() / 100.0
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}
