//! The tools of a conversation: what they may change, what of their answers may leave this machine, and what is
//! evidence.
//!
//! A conversation that contains only the user's notes may edit them directly. Once it contains text from outside, an
//! edit waits for the user: the model is told so, and can't confirm it itself. A decision about an agenda or a finding
//! always waits for the user.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use wellread_text::Span;

use super::PendingEdit;
use super::outgoing::OutgoingGuard;
use super::privacy::{find_mentions, names_hidden_note, shows_private, withhold};
use crate::domain::corpus::{AppliedAction, Operation};
use crate::domain::decision::UserDecision;
use crate::domain::untrusted::Origin;
use crate::engine::agent::{Toolbox, WAITS};
use crate::engine::run::{Run, ToolReply};
use crate::faces::tools::{
    AnswerOrigins, AnyTool, Ctx, Declaration, Effect, ToolOutput, collect_diffs, envelope, find_tool,
};
use crate::library::vault::EditPolicy;
use crate::ports::{ToolCall, ToolSpec};
use crate::{Error, Result};

/// The most edits that may wait for the user.
const MOST_PENDING: usize = 20;
/// How many journal entries are searched for edits of an interrupted run.
const JOURNAL: usize = 200;

/// Runs tools on a thread that may block, each within its time limit.
pub trait ToolRunner: Send + Sync {
    /// All tools.
    fn tools(&self) -> &[Box<dyn AnyTool>];

    /// What the tools work with.
    fn ctx(&self) -> &Ctx;

    /// Runs a tool with JSON arguments.
    fn run_tool<'a>(
        &'a self,
        ctx: Ctx,
        tool: &'a str,
        arguments: Value,
    ) -> Pin<Box<dyn Future<Output = Result<ToolOutput>> + Send + 'a>>;
}

/// What a call would do, as the user is shown it.
pub struct Rehearsal {
    pub diff: String,
    /// The arguments that do exactly this, also when something else has happened in between.
    pub arguments: Value,
}

pub struct ChatTools<'a> {
    pub tool_runner: &'a dyn ToolRunner,
    /// Whether the model is on another machine.
    pub leaves: bool,
    pub outgoing: Mutex<OutgoingGuard>,
    pub pending: Mutex<Vec<PendingEdit>>,
    /// How many edits were submitted to the user in earlier turns and decided.
    pub asked: u32,
}

impl Toolbox for ChatTools<'_> {
    fn specs(&self) -> Vec<ToolSpec> {
        let spec = |declared: &Declaration| ToolSpec {
            name: declared.name.to_owned(),
            about: declared.about.to_owned(),
            input: Value::clone(&declared.input),
        };
        self.tool_runner.tools().iter().map(|tool| spec(tool.declaration())).collect()
    }

    /// A call that may reach another machine waits for the calls before it: their answers decide whether it may.
    fn only_reads(&self, call: &ToolCall) -> bool {
        find_tool(self.tool_runner.tools(), &call.name)
            .is_ok_and(|tool| !makes_changes(tool, &call.arguments) && !tool.declaration().reaches)
    }

    fn call<'a>(
        &'a self,
        run: &'a Run,
        call: &'a ToolCall,
        origin: Origin,
    ) -> Pin<Box<dyn Future<Output = Result<ToolReply>> + Send + 'a>> {
        Box::pin(async move {
            let tool = match find_tool(self.tool_runner.tools(), &call.name) {
                Ok(tool) => tool,
                Err(error) => return Ok(own_answer(Err(error))),
            };
            // What the user cancels ends with the change that has begun: no further one begins.
            let is_cancelled = self.tool_runner.ctx().stop.is_requested() && !run.is_replay();
            if is_cancelled && makes_changes(tool, &call.arguments) {
                return Err(Error::failed("the turn was cancelled"));
            }
            // The user sees what a decision is about, and so what it would send.
            let decides = tool.declaration().effect == Effect::Decides;
            if decides {
                return self.ask_the_user(run, call, decides).await;
            }
            if let Err(error) = self.check_outgoing(run, tool, &call.arguments, origin)? {
                return Ok(own_answer(Err(error)));
            }
            if makes_changes(tool, &call.arguments) && origin.is_outside() {
                return self.ask_the_user(run, call, decides).await;
            }
            self.perform(run, &call.name, &call.arguments, origin, None).await
        })
    }
}

impl ChatTools<'_> {
    /// Runs a tool through the run; one that decides, only with the user's decision.
    pub async fn perform(
        &self,
        run: &Run,
        name: &str,
        arguments: &Value,
        origin: Origin,
        decision: Option<UserDecision>,
    ) -> Result<ToolReply> {
        let edits = EditPolicy { group: Some(run.id().to_string()), origin };
        let ctx = self.tool_runner.ctx().for_run(edits);
        let ctx = decision.map_or_else(|| ctx.clone(), |by| ctx.with_decision(by));
        let ctx = if self.leaves { ctx.without_private() } else { ctx };
        let does = find_tool(self.tool_runner.tools(), name).is_ok_and(|tool| makes_changes(tool, arguments));
        let of_the_web =
            find_tool(self.tool_runner.tools(), name).is_ok_and(|tool| tool.declaration().of_the_web);
        let call = async {
            let carried_out = self.tool_runner.run_tool(ctx.clone(), name, arguments.clone()).await;
            for sent in ctx.reach.sendings.take() {
                // If the log can't be written, the turn ends at its next event.
                let _ = run.record_sent(sent);
            }
            match carried_out {
                Ok(answer) => self.register_answer(run, &ctx, answer),
                Err(error) => {
                    let answered = answer_naming_files(&ctx, envelope(Err(error)));
                    // The error may repeat what a service said.
                    let origin = if of_the_web { Origin::Outside } else { answered.origin };
                    ToolReply { origin, ..answered }
                }
            }
        };
        let made = |known: &[String]| self.find_earlier_edit(&ctx, run, arguments, known);
        let answered = run.call_tool(name, arguments, does, call, made).await?;
        if let Ok(tool) = find_tool(self.tool_runner.tools(), name) {
            self.lock_outgoing().record_answer(tool.declaration(), &answered);
        }
        Ok(answered)
    }

    /// Checks a call that may reach another machine; the inner `Err` is for the model. Whether it does so is logged, so
    /// that a replay decides the same way under other settings.
    fn check_outgoing(
        &self,
        run: &Run,
        tool: &dyn AnyTool,
        arguments: &Value,
        origin: Origin,
    ) -> Result<Result<()>> {
        let name = tool.declaration().name;
        if !tool.declaration().reaches || !self.lock_outgoing().is_restricted(origin) {
            return Ok(Ok(()));
        }
        let leaves = run.draw(&format!("leaves {name}"), || tool.leaves_machine(self.tool_runner.ctx()))?;
        Ok(if leaves { self.lock_outgoing().check(name, arguments) } else { Ok(()) })
    }

    fn lock_outgoing(&self) -> MutexGuard<'_, OutgoingGuard> {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn register_answer(&self, run: &Run, ctx: &Ctx, answer: ToolOutput) -> ToolReply {
        if self.leaves && names_hidden_note(ctx, &answer.shown) {
            return own_answer(withhold(&answer));
        }
        let ToolOutput { mut fields, shown, evidence } = answer;
        let origin = lowest_origin(ctx, &shown);
        let private = shows_private(ctx, &shown);
        for (pointer, mut found) in evidence {
            found.text = found.text.lower_to(origin);
            // If the log can't be written, the turn ends at its next event, so nothing is hidden by continuing here.
            if let Ok(id) = run.add_evidence(found)
                && let Some(Value::Object(object)) = fields.pointer_mut(&pointer)
            {
                // First, so that it is there even if the end of a long answer is cut.
                object.shift_insert(0, "evidence".to_owned(), json!(id));
            }
        }
        ToolReply { envelope: envelope(Ok(fields)), origin, private }
    }

    /// What the user is shown before a call is made, or the call's answer if it would change nothing. For a decision it is
    /// the question. A call that takes minutes or sends something is not tried: its name and arguments are shown.
    pub async fn rehearse(
        &self,
        run: &Run,
        name: &str,
        arguments: &Value,
    ) -> Result<std::result::Result<Rehearsal, ToolReply>> {
        let as_called = |diff| Rehearsal { diff, arguments: arguments.clone() };
        let tool = find_tool(self.tool_runner.tools(), name);
        if let Ok(tool) = &tool {
            if tool.declaration().effect == Effect::Decides {
                return Ok(self.draw_question(run, *tool, arguments)?.map(as_called));
            }
            if !tool.declaration().rehearses {
                return Ok(Ok(as_called(format!("{name} {arguments}\n"))));
            }
        }
        let mut rehearsed = arguments.clone();
        rehearsed["dry_run"] = json!(true);
        let shown = self.perform(run, name, &rehearsed, Origin::Outside, None).await?;
        let Some(diff) = collect_diffs(&shown.envelope) else { return Ok(Err(shown)) };
        let arguments = tool.map_or_else(|_| arguments.clone(), |tool| tool.pin(arguments, &shown.envelope));
        Ok(Ok(Rehearsal { diff, arguments }))
    }

    /// What the user is asked about a decision; the answer for the model if there is nothing to decide.
    fn draw_question(
        &self,
        run: &Run,
        tool: &dyn AnyTool,
        arguments: &Value,
    ) -> Result<std::result::Result<String, ToolReply>> {
        let what = format!("question {}", tool.declaration().name);
        // For a model elsewhere, what is about private notes is not there to be decided.
        let ctx = self.tool_runner.ctx();
        let ctx = if self.leaves { &ctx.without_private() } else { ctx };
        let (asks, text) = run.draw(&what, || match tool.question(ctx, arguments) {
            Ok(question) => (true, question),
            Err(error) => (false, error.message().to_owned()),
        })?;
        Ok(if asks { Ok(text) } else { Err(own_answer(Err(Error::refused(text)))) })
    }

    /// Submits the edit or the decision to the user, and tells the model that it waits.
    async fn ask_the_user(&self, run: &Run, call: &ToolCall, decides: bool) -> Result<ToolReply> {
        let Rehearsal { diff, arguments } = match self.rehearse(run, &call.name, &call.arguments).await? {
            Ok(rehearsal) => rehearsal,
            Err(shown) => return Ok(shown),
        };
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        if pending.len() >= MOST_PENDING {
            let error = Error::refused("too many edits are already waiting for the user")
                .hint("tell the user about them");
            return Ok(own_answer(Err(error)));
        }
        let known = pending.iter().find(|edit| edit.tool == call.name && edit.arguments == arguments);
        let id = known.map(|edit| edit.id.clone());
        let id = id.unwrap_or_else(|| {
            let id = format!("edit-{}", self.asked as usize + pending.len() + 1);
            pending.push(PendingEdit { id: id.clone(), tool: call.name.clone(), arguments, diff });
            id
        });
        let error = Error::refused(if decides {
            format!("only the user decides this; it waits as {id}")
        } else {
            format!(
                "this conversation holds text from outside, so the user has to confirm this edit; it waits as {id}"
            )
        });
        let hint = "the user sees it and decides; say what it would do, and do not try it another way";
        let mut answered = own_answer(Err(error.hint(hint)));
        answered.envelope[WAITS] = json!(id);
        Ok(answered)
    }

    /// The answer for edits that an interrupted run had made but not logged. Of a batch, only a part may have been
    /// made.
    fn find_earlier_edit(
        &self,
        ctx: &Ctx,
        run: &Run,
        arguments: &Value,
        known: &[String],
    ) -> Option<ToolReply> {
        let operations = ctx.vault.files.operations(JOURNAL).ok()?;
        let of_run = |op: &&Operation| op.group.as_deref() == Some(run.id().as_str());
        let news: Vec<&Operation> =
            operations.iter().filter(of_run).filter(|op| !known.contains(&op.id.to_string())).collect();
        let last = news.first()?;
        let path = |op: &&Operation| {
            let path = op.done.first().map(AppliedAction::path);
            path.filter(|path| ctx.vault.is_visible(path)).map(ToString::to_string)
        };
        let ids: Vec<String> = news.iter().map(|op| op.id.to_string()).collect();
        let mut envelope = json!({
            "success": true,
            "path": path(last),
            "message": "done before the run was cut off",
            "operation": last.id.to_string(),
            "operations": ids,
        });
        let asked = ["paths", "moves"].into_iter().find_map(|list| arguments.get(list)?.as_array());
        if asked.is_some_and(|asked| asked.len() > news.len()) {
            envelope["message"] = json!("cut off before all of it was done; only `paths` were changed");
            envelope["paths"] = news.iter().rev().filter_map(path).collect();
        }
        Some(answer_naming_files(ctx, envelope))
    }
}

fn makes_changes(tool: &dyn AnyTool, arguments: &Value) -> bool {
    let Declaration { effect, rehearses, .. } = tool.declaration();
    // A dry run of a tool that is not rehearsed does everything except write: it sends requests, too.
    *effect != Effect::Reads && !(*rehearses && arguments.get("dry_run") == Some(&Value::Bool(true)))
}

/// A trusted answer in our own words.
fn own_answer(answer: Result<Value>) -> ToolReply {
    ToolReply::trusted(envelope(answer))
}

fn lowest_origin(ctx: &Ctx, shown: &AnswerOrigins) -> Origin {
    match shown {
        AnswerOrigins::Ours => Origin::User,
        AnswerOrigins::Outside | AnswerOrigins::FilesAndOutside(_) => Origin::Outside,
        AnswerOrigins::Passages(passages) => {
            let judge = ctx.vault.judge_passages();
            let origin = |(file, span): &(String, Span)| {
                ctx.vault.rules.parse_file(file).map_or(Origin::Outside, |path| judge.origin_of(&path, span))
            };
            passages.iter().map(origin).fold(Origin::Notes, Origin::combine)
        }
        AnswerOrigins::Files(files) => {
            let origin = |file: &String| {
                ctx.vault.rules.parse_file(file).map_or(Origin::Outside, |path| ctx.vault.origin_of(&path))
            };
            files.iter().map(origin).fold(Origin::Notes, Origin::combine)
        }
    }
}

/// A message may repeat a note's name or a line of it: its origin is the least trusted of the notes, or of the files it
/// names.
fn answer_naming_files(ctx: &Ctx, envelope: Value) -> ToolReply {
    let named = find_mentions(ctx, &envelope);
    let origin = named.iter().map(|path| ctx.vault.origin_of(path)).fold(Origin::Notes, Origin::combine);
    let private = named.iter().any(|path| ctx.vault.is_private(path));
    ToolReply { envelope, origin, private }
}
