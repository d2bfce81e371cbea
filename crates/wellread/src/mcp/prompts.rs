//! Prompts for the main jobs: plain texts that a client offers to its user. They name tools of the catalog, which a client
//! reads as the names of the tools that it is offered.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use super::tool_offer::ToolOffer;

/// A text with places for what the user says.
struct PromptTemplate {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    arguments: &'static [TemplateArgument],
    text: &'static str,
}

struct TemplateArgument {
    name: &'static str,
    about: &'static str,
    /// What is meant where it is left out; without it, it may not be.
    otherwise: Option<&'static str>,
}

const JOBS: [PromptTemplate; 3] = [
    PromptTemplate {
        name: "ask",
        title: "Ask the vault",
        about: "A short answer from the notes, each sentence with its source.",
        arguments: &[TemplateArgument { name: "question", about: "What you want to know", otherwise: None }],
        text: include_str!("prompts/ask.md"),
    },
    PromptTemplate {
        name: "research_note",
        title: "Research a note",
        about: "What the rest of the vault says about a note's topics, as a section of it.",
        arguments: &[
            TemplateArgument { name: "path", about: "The note, as a path in the vault", otherwise: None },
            TemplateArgument {
                name: "focus",
                about: "What matters most",
                otherwise: Some("whatever matters most in it"),
            },
        ],
        text: include_str!("prompts/research_note.md"),
    },
    PromptTemplate {
        name: "review_run",
        title: "Review a run",
        about: "A critical review of a run: its sentences against its evidence, and what left this machine.",
        arguments: &[TemplateArgument {
            name: "run",
            about: "The run's id, as in the addresses of its resources",
            otherwise: None,
        }],
        text: include_str!("prompts/review_run.md"),
    },
];

/// The prompts whose tools the client is offered.
pub fn list_prompts(offer: &ToolOffer) -> Vec<Prompt> {
    let described = |job: &PromptTemplate| {
        let argument = |argument: &TemplateArgument| {
            PromptArgument::new(argument.name)
                .with_description(argument.about)
                .with_required(argument.otherwise.is_none())
        };
        let arguments = job.arguments.iter().map(argument).collect();
        Prompt::new(job.name, Some(job.about), Some(arguments)).with_title(job.title)
    };
    JOBS.iter().filter(|job| offer.name_tools(job.text).is_some()).map(described).collect()
}

pub fn fill_prompt(
    offer: &ToolOffer,
    name: &str,
    given: Option<&JsonObject>,
) -> Result<GetPromptResult, ErrorData> {
    let wrong = |message: String| ErrorData::invalid_params(message, None);
    let jobs: Vec<(&PromptTemplate, String)> =
        JOBS.iter().filter_map(|job| Some((job, offer.name_tools(job.text)?))).collect();
    let (job, text) = jobs.iter().find(|(job, _)| job.name == name).ok_or_else(|| {
        let known: Vec<&str> = jobs.iter().map(|(job, _)| job.name).collect();
        let known = if known.is_empty() {
            "there are none".to_owned()
        } else {
            format!("there are {}", known.join(", "))
        };
        wrong(format!("there is no prompt `{name}`: {known}"))
    })?;
    let mut said = Vec::new();
    for TemplateArgument { name: argument, otherwise, .. } in job.arguments {
        let value = given.and_then(|given| given.get(*argument));
        let value = match value.map(|value| value.as_str().map(str::trim)) {
            Some(Some(text)) if !text.is_empty() => text,
            None | Some(Some(_)) if otherwise.is_some() => otherwise.unwrap_or_default(),
            None | Some(Some(_)) => return Err(wrong(format!("the prompt `{name}` needs `{argument}`"))),
            Some(None) => return Err(wrong(format!("`{argument}` must be a string"))),
        };
        said.push((*argument, value));
    }
    let unknown = given.into_iter().flatten().map(|(name, _): (&String, &Value)| name);
    if let Some(unknown) = unknown.into_iter().find(|name| !said.iter().any(|(known, _)| known == name)) {
        return Err(wrong(format!("the prompt `{name}` has no argument `{unknown}`")));
    }
    let message = PromptMessage::new_text(Role::User, fill_placeholders(text, &said));
    Ok(GetPromptResult::new(vec![message]).with_description(job.about))
}

/// The text with the user's words in their places. Words that look like a place stay as they are.
fn fill_placeholders(text: &str, said: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled += before;
        match after.split_once('}').and_then(|(name, after)| {
            said.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value, after))
        }) {
            Some((value, after)) => {
                filled += value;
                rest = after;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled + rest
}
