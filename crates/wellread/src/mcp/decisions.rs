//! What the user has to agree to over the Model Context Protocol: decisions about agendas and findings, what takes such a
//! decision back, edits of files that models take instructions from, and, where the user wants that, every edit.
//!
//! A client's model makes no decision: the user allowed that in a setting, or answers the question that the client puts to
//! the user. Without either, the call is refused. What the user agreed to is what was shown: if it would be something else by
//! now, nothing is done.

use rmcp::model::{CallToolRequestParams, ElicitResult, ElicitationAction, InputRequiredResult};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use wellread_core::domain::decision::{DecidedBy, UserDecision};
use wellread_core::faces::tools::{Ctx, Declaration, Effect, collect_diffs, envelope, reveal_hidden};
use wellread_core::library::vault::{EditPolicy, INSTRUCTS_MODELS};
use wellread_core::{Error, Result};

use super::VaultServer;
use super::access_scope::AccessScope;
use super::questions::{QuestionState, UserQuestion, can_ask, put_to_user};

/// The name of the one field of an answer.
const AGREES: &str = "agree";
/// As much of a difference as fits into a question, in characters.
const LONGEST_DIFF: usize = 4000;

/// How it stands with the user's consent to a call.
pub enum DecisionState {
    /// Nobody has to be asked.
    NotNeeded,
    /// The call would change nothing. It is made as a dry run, with these arguments: should something change until then, nobody
    /// has seen what it would do.
    ChangesNothing(Value),
    /// The user has decided to make the call, with these arguments.
    Made(UserDecision, Value),
    /// The user has let an edit pass, with these arguments. Its text is still the client's, not the user's.
    LetPass(Value),
    /// The client has to ask the user, and to call again with the answer.
    Asked(Box<InputRequiredResult>),
}

/// A call that waits for the user.
#[derive(PartialEq)]
struct Proposal {
    question: String,
    /// The arguments that do exactly what the question says.
    args: Value,
    /// The hash of everything that the user agrees to, also of what the question has no room for.
    whole: String,
}

impl Proposal {
    fn new(question: String, args: Value, whole: &str) -> Self {
        Self { question, args, whole: blake3::hash(whole.as_bytes()).to_string() }
    }
}

/// Finds out whether the user has decided to make this call of a tool of the catalog; `Err` if not, or if there is nothing to
/// decide.
pub async fn settle(
    server: &VaultServer,
    request: &CallToolRequestParams,
    (tool, args): (&Declaration, &Value),
    context: &RequestContext<RoleServer>,
) -> Result<DecisionState> {
    let decides = needs_decision(server, tool, args).await?;
    let instructs = !decides && instructs_models(server, tool, args).await;
    if (decides || instructs) && !server.scope.allows(AccessScope::Decide) {
        return Err(unallowed_decision_error());
    }
    let waits = waits_as_edit(server, tool, args);
    if (decides || instructs) && server.decides && !waits {
        return Ok(DecisionState::Made(UserDecision::new(DecidedBy::Setting), args.clone()));
    }
    if !decides && !instructs && !waits {
        return Ok(DecisionState::NotNeeded);
    }
    // An answer that belongs to no question is told apart, whoever sends it.
    if !can_ask(context) && request.request_state.is_none() {
        return if instructs && !waits {
            Err(unasked_instructions_error())
        } else {
            refuse_unasked(tool, decides)
        };
    }
    let propose = async || {
        if decides { ask_decision(server, tool, args).await } else { show_edit(server, tool, args).await }
    };
    let Some(proposal) = propose().await? else {
        return Ok(DecisionState::ChangesNothing(with_dry_run(args)));
    };
    let question = UserQuestion { text: proposal.question.clone(), schema: answer_schema() };
    let about = json!([tool.name, proposal.args, proposal.whole]);
    match put_to_user(server, request, &about, question, context).await? {
        QuestionState::Asked(question) => Ok(DecisionState::Asked(question)),
        QuestionState::Answered(answer) => {
            let decision = read_answer(answer.as_ref())?;
            // While the user thought about it, somebody may have changed what it is about.
            if propose().await?.as_ref() != Some(&proposal) {
                return Err(Error::conflict("what the user agreed to has changed since; nothing was done")
                    .hint("call the tool again"));
            }
            Ok(match decides || instructs {
                true => DecisionState::Made(decision, proposal.args),
                false => DecisionState::LetPass(proposal.args),
            })
        }
    }
}

/// Whether it is an edit of a file that models take instructions from. Those have only the user's words in them.
async fn instructs_models(server: &VaultServer, tool: &Declaration, args: &Value) -> bool {
    let edits = matches!(tool.effect, Effect::Adds | Effect::Writes) && tool.rehearses;
    if !edits || is_dry_run(args) {
        return false;
    }
    let rehearsed = rehearse(server, server.scope.ctx.clone(), tool, args).await;
    rehearsed.is_err_and(|error| error.details().contains_key(INSTRUCTS_MODELS))
}

/// A remote client may do this kind of thing, but not where it is a decision.
fn unallowed_decision_error() -> Error {
    Error::refused("only the user decides this, and has not allowed this client to bring decisions").hint(
        "nothing was changed; the user can decide on the page that `wellread serve` shows, or connect the client anew and allow \
         the scope `decide`",
    )
}

fn unasked_instructions_error() -> Error {
    Error::refused("models take instructions from this file: only the user changes it, and this client can't ask the user").hint(
        "nothing was changed; the user can edit it by hand, or allow it for good with `wellread config set mcp.decides on`",
    )
}

/// Whether only the user makes this call.
async fn needs_decision(server: &VaultServer, tool: &Declaration, args: &Value) -> Result<bool> {
    if tool.effect == Effect::Reads {
        return Ok(false);
    }
    let (scope, name, args) = (server.scope.clone(), tool.name, args.clone());
    let needs = tokio::task::spawn_blocking(move || scope.app.tool(name)?.needs_decision(&scope.ctx, &args));
    needs.await.unwrap_or_else(|_| Err(broke_down()))
}

/// Whether it is an edit, and the user wants to see those first.
fn waits_as_edit(server: &VaultServer, tool: &Declaration, args: &Value) -> bool {
    let edits = matches!(tool.effect, Effect::Adds | Effect::Writes);
    server.confirms_edits && edits && !is_dry_run(args)
}

fn is_dry_run(args: &Value) -> bool {
    args.get("dry_run") == Some(&Value::Bool(true))
}

fn refuse_unasked(tool: &Declaration, decides: bool) -> Result<DecisionState> {
    if !decides {
        return Err(Error::refused("the user wants to see edits first, and this client can't ask the user").hint(
            "nothing was changed; `dry_run` shows the difference; the user can switch the question off with `wellread config \
             set mcp.confirm_edits off`",
        ));
    }
    if tool.effect != Effect::Decides {
        // It says itself why it refuses.
        return Ok(DecisionState::NotNeeded);
    }
    Err(Error::refused("only the user decides this, and this client can't ask the user").hint(
        "nothing was changed; the user can decide on the page that `wellread serve` shows or with `wellread agenda` and \
         `wellread inbox`, or allow it for good with `wellread config set mcp.decides on`",
    ))
}

/// The decision, about what the call would do if it were made now.
async fn ask_decision(server: &VaultServer, tool: &Declaration, args: &Value) -> Result<Option<Proposal>> {
    let (scope, name) = (server.scope.clone(), tool.name);
    let args = if tool.rehearses {
        // Only a dry run: what the user decided earlier is shown, and nothing is changed.
        let ctx = scope.ctx.with_decision(UserDecision::new(DecidedBy::Question));
        let shown = rehearse(server, ctx, tool, args).await?;
        scope.app.tool(name)?.pin(args, &shown)
    } else {
        args.clone()
    };
    let proposal = tokio::task::spawn_blocking(move || {
        let question = scope.app.tool(name)?.question(&scope.ctx, &args)?;
        Ok(Some(Proposal::new(question.clone(), args, &question)))
    });
    proposal.await.unwrap_or_else(|_| Err(broke_down()))
}

/// The edit with its difference; `None` if it would change nothing.
async fn show_edit(server: &VaultServer, tool: &Declaration, args: &Value) -> Result<Option<Proposal>> {
    if !tool.rehearses {
        let question = format!("Let the model call `{}`?\n{args}", tool.name);
        return Ok(Some(Proposal::new(reveal_hidden(&question), args.clone(), &question)));
    }
    // As it will be once the user has agreed to it.
    let shown = rehearse(server, server.scope.ctx.with_edits(EditPolicy::default()), tool, args).await?;
    let Some(diff) = collect_diffs(&shown) else { return Ok(None) };
    let question = format!("Make this edit?\n{}", shorten(&reveal_hidden(&diff)));
    let pinned = server.scope.app.tool(tool.name)?.pin(args, &shown);
    Ok(Some(Proposal::new(question, pinned, &diff)))
}

/// The answer of a dry run with its envelope; `Err` if it was none.
async fn rehearse(server: &VaultServer, ctx: Ctx, tool: &Declaration, args: &Value) -> Result<Value> {
    let call = server.scope.app.clone().call_tool_in(ctx, tool.name.to_owned(), with_dry_run(args));
    let shown = envelope(Ok(call.await?.fields));
    if has_changed(&shown) {
        let name = tool.name;
        return Err(Error::failed(format!(
            "`{name}` changed something in a dry run: this is a bug in Wellread"
        ))
        .hint("`undo` takes it back"));
    }
    Ok(shown)
}

fn with_dry_run(args: &Value) -> Value {
    let mut rehearsed = args.as_object().cloned().unwrap_or_default();
    rehearsed.insert("dry_run".to_owned(), json!(true));
    Value::Object(rehearsed)
}

/// Whether the answer, or a part of it, names an edit that was made.
fn has_changed(answer: &Value) -> bool {
    let made = |part: &Value| part.get("operation").is_some_and(|operation| !operation.is_null());
    let parts = ["succeeded", "undone"].into_iter().filter_map(|name| answer.get(name)?.as_array());
    made(answer) || parts.flatten().any(made)
}

/// The beginning of a long difference, and how much there is beyond it.
fn shorten(diff: &str) -> String {
    match diff.char_indices().nth(LONGEST_DIFF) {
        Some((cut, _)) => format!("{}\n… ({} more lines)", &diff[..cut], diff[cut..].lines().count()),
        None => diff.to_owned(),
    }
}

fn broke_down() -> Error {
    Error::failed("this is a bug in Wellread")
}

/// The answer that is asked for: yes or no.
pub fn answer_schema() -> Value {
    json!({
        "type": "object",
        "properties": { AGREES: { "type": "boolean", "title": "Yes, do it" } },
        "required": [AGREES],
    })
}

/// The decision, if the user agreed.
pub fn read_answer(answer: Option<&ElicitResult>) -> Result<UserDecision> {
    let agreed = answer.is_some_and(|answer| {
        let agrees = answer.content.as_ref().and_then(|content| content.get(AGREES));
        answer.action == ElicitationAction::Accept && agrees == Some(&Value::Bool(true))
    });
    if agreed {
        return Ok(UserDecision::new(DecidedBy::Question));
    }
    Err(Error::refused("the user did not agree; nothing was changed").hint("ask what the user wants instead"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_is_a_decision() {
        let yes = ElicitResult::new(ElicitationAction::Accept).with_content(json!({ AGREES: true }));
        assert_eq!(read_answer(Some(&yes)).unwrap().decided_by(), DecidedBy::Question);
        let content = [json!({ AGREES: false }), json!({}), json!({ AGREES: "true" }), json!([true])];
        let unclear = content
            .into_iter()
            .map(|content| ElicitResult::new(ElicitationAction::Accept).with_content(content));
        let declined = [ElicitationAction::Decline, ElicitationAction::Cancel]
            .map(|action| ElicitResult::new(action).with_content(json!({ AGREES: true })));
        for answer in unclear.chain(declined).chain([ElicitResult::new(ElicitationAction::Accept)]) {
            assert!(read_answer(Some(&answer)).is_err(), "{answer:?}");
        }
        assert!(read_answer(None).is_err());
    }

    #[test]
    fn an_edit_that_was_made_is_no_dry_run() {
        for made in [
            json!({ "operation": "x" }),
            json!({ "succeeded": [{}, { "operation": "x" }] }),
            json!({ "undone": [{ "undid": "y", "operation": "x" }] }),
        ] {
            assert!(has_changed(&made), "{made}");
        }
        for shown in [
            json!({ "diff": "+ a\n" }),
            json!({ "undone": [{ "undid": "y" }] }),
            json!({ "operation": null }),
        ] {
            assert!(!has_changed(&shown), "{shown}");
        }
    }

    #[test]
    fn a_long_difference_is_cut() {
        assert_eq!(shorten("+ a\n"), "+ a\n");
        let long = "+ word\n".repeat(2000);
        let shown = shorten(&long);
        assert!(shown.chars().count() < LONGEST_DIFF + 40 && shown.ends_with(" more lines)"), "{shown}");
    }
}
