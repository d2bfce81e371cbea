//! What an answer advises, in terms of what the client can do.
//!
//! Hints and notices are written for a terminal. A client gets the same advice with the names of the tools that it is offered:
//! a command becomes the tool that does the same, advice about tools that are not offered is left out, and what only a
//! command does is left to the user.

use serde_json::Value;
use wellread_core::faces::tools::UNFIT_ARGUMENTS;

use super::tool_offer::ToolOffer;

/// Commands that do the same as a tool of the catalog. Longer ones come first.
const COMMANDS: &[(&str, &str)] = &[
    ("wellread agenda list", "list_agendas"),
    ("wellread agenda new", "propose_agenda"),
    ("wellread agenda show", "show_agenda"),
    ("wellread code", "code_deep_research"),
    ("wellread inbox undo", "undo_accept"),
    ("wellread inbox", "list_findings"),
    ("wellread locate", "locate"),
    ("wellread note", "research_note"),
    ("wellread undo --list", "list_edits"),
    ("wellread undo", "undo"),
];

const BY_THE_USER: &str = "the user runs commands in a terminal";

/// Rewrites the advice in an answer's envelope.
pub fn adapt_advice(offer: &ToolOffer, envelope: &mut Value) {
    let Some(fields) = envelope.as_object_mut() else { return };
    if let Some(named) =
        fields.get("error").and_then(Value::as_str).and_then(|error| name_offered(offer, error))
    {
        fields["error"] = Value::String(named);
    }
    for key in ["hint", "notice"] {
        let Some(text) = fields.get(key).and_then(Value::as_str) else { continue };
        match adapt_text(offer, text) {
            Some(adapted) => fields[key] = Value::String(adapted),
            None => drop(fields.shift_remove(key)),
        }
    }
}

/// An error about the arguments of a tool, by the name that the client called it by.
fn name_offered(offer: &ToolOffer, error: &str) -> Option<String> {
    let (tool, why) = error.strip_prefix(UNFIT_ARGUMENTS)?.split_once(": ")?;
    let offered = offer.name_for(tool)?;
    (offered.trim_matches('`') != tool).then(|| format!("{UNFIT_ARGUMENTS}{offered}: {why}"))
}

/// The text as advice for a client; `None` if nothing of it is of use there.
fn adapt_text(offer: &ToolOffer, text: &str) -> Option<String> {
    let mut clauses: Vec<String> = Vec::new();
    let mut needs_terminal = false;
    for clause in text.split("; ") {
        // What is said about the user is for the user to do: the commands in it stay.
        let is_for_user = clause.contains("the user");
        let clause = if is_for_user { clause.to_owned() } else { replace_commands(offer, clause) };
        if let Some(adapted) = offer.name_tools(&clause) {
            needs_terminal |= !is_for_user && adapted.contains("`wellread ");
            clauses.push(adapted);
        }
    }
    if needs_terminal {
        clauses.push(BY_THE_USER.to_owned());
    }
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

/// The clause with tools of the catalog in place of commands, where they are offered.
fn replace_commands(offer: &ToolOffer, clause: &str) -> String {
    let parts = clause.split('`').enumerate().map(|(at, part)| {
        let tool = (at % 2 == 1).then(|| find_tool(part)).flatten();
        tool.filter(|tool| offer.offers(tool)).unwrap_or(part)
    });
    parts.collect::<Vec<_>>().join("`")
}

/// The tool that does the same as a command with whatever arguments. A command of a command is another one.
fn find_tool(command: &str) -> Option<&'static str> {
    let (_, tool) = COMMANDS.iter().find(|(known, _)| {
        command.strip_prefix(known).is_some_and(|rest| {
            let argument = rest.strip_prefix(' ').unwrap_or(rest);
            rest.is_empty()
                || rest.starts_with(' ') && !argument.starts_with(|c: char| c.is_ascii_lowercase())
        })
    })?;
    Some(tool)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wellread_core::faces::tools::{Group, catalog};

    use super::*;
    use crate::config::{McpSettings, ToolSet};

    fn offer(tools: ToolSet, read_only: bool) -> ToolOffer {
        ToolOffer::new(&catalog(), &McpSettings { tools, read_only, ..McpSettings::default() })
    }

    #[test]
    fn every_command_stands_for_a_tool_of_the_catalog() {
        let tools = catalog();
        for (command, tool) in COMMANDS {
            assert!(tools.iter().any(|known| known.declaration().name == *tool), "{command}: {tool}");
            assert_eq!(find_tool(command), Some(*tool));
        }
        assert_eq!(find_tool("wellread agenda show 01KBD4"), Some("show_agenda"));
        for other in ["wellread inbox suppressed", "wellread agenda", "wellread notes", "wellread", "undo"] {
            assert_eq!(find_tool(other), None, "{other}");
        }
    }

    #[test]
    fn advice_names_what_the_client_can_do() {
        let (broad, read_only) = (offer(ToolSet::Broad, false), offer(ToolSet::Broad, true));
        let code = offer(ToolSet::Groups(vec![Group::Code]), false);
        let listed = "`wellread undo --list` shows the operations";
        for (offer, text, expected) in [
            (&broad, listed, Some("`undo` with `op` `list` shows the operations")),
            (
                &code,
                listed,
                Some("`wellread undo --list` shows the operations; the user runs commands in a terminal"),
            ),
            (
                &broad,
                "nothing was undone; `undo_accept` asks the user",
                Some("nothing was undone; `inbox` with `op` `reopen` asks the user"),
            ),
            (&read_only, "nothing was undone; `undo_accept` asks the user", Some("nothing was undone")),
            (&code, "`undo_accept` asks the user", None),
            (
                &broad,
                "the user can do it with `wellread undo`",
                Some("the user can do it with `wellread undo`"),
            ),
            (&broad, "did you mean `Home.md`?", Some("did you mean `Home.md`?")),
        ] {
            assert_eq!(adapt_text(offer, text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn arguments_are_of_the_tool_that_was_called() {
        let mut answer = json!({ "error": "the arguments do not fit research: unknown field `question`" });
        adapt_advice(&offer(ToolSet::Broad, false), &mut answer);
        assert_eq!(answer["error"], "the arguments do not fit `ask`: unknown field `question`");
    }

    #[test]
    fn only_advice_is_rewritten() {
        let code = offer(ToolSet::Groups(vec![Group::Code]), false);
        let mut answer =
            json!({ "success": true, "content": "`undo_accept`", "notice": "`undo_accept`", "hint": 3 });
        adapt_advice(&code, &mut answer);
        assert_eq!(answer, json!({ "success": true, "content": "`undo_accept`", "hint": 3 }));
    }
}
