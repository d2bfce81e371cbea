//! Makes foreign text harmless to the format of a prompt: tokens that would end its turn, open a tool call or forge a
//! marker are visibly broken, and hidden characters are removed.
//!
//! The meaning is not judged: a sentence that asks for something stays. Ordinary text stays unchanged byte for byte.

mod hidden;
mod reveal;

use std::borrow::Cow;

pub use hidden::strip_hidden;
pub(crate) use hidden::{is_hidden, is_joiner_or_selector};
pub use reveal::{acts_on_terminal, reveal_controls, reveal_hidden};

/// A text that may be included in a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeutralText<'a> {
    /// The neutralized text.
    pub text: Cow<'a, str>,
    /// The number of hidden characters removed.
    pub hidden: usize,
    /// The number of chat-template tokens and markers broken.
    pub tokens: usize,
}

/// Breaks chat-template tokens, tool-call tags and our own markers, and removes hidden characters.
///
/// `<|im_end|>` becomes `‹|im_end|>`, `[INST]` becomes `⟦INST]`, `Human:` at a line's start `Human :`.
pub fn neutralize(text: &str) -> NeutralText<'_> {
    let (text, hidden) = strip_hidden(text);
    let (broken, tokens) = break_tokens(&text);
    match broken {
        Some(broken) => NeutralText { text: Cow::Owned(broken), hidden, tokens },
        None => NeutralText { text, hidden, tokens },
    }
}

fn break_tokens(text: &str) -> (Option<String>, usize) {
    let mut out = String::new();
    let (mut done, mut tokens) = (0, 0);
    let mut line_start = true;
    for (at, letter) in text.char_indices() {
        let rest = &text[at..];
        let broken = match letter {
            '<' => opens_token(rest).then_some((1, "‹")),
            '[' => opens_bracket(rest).then_some((1, "⟦")),
            _ if line_start => role(rest).map(|length| (length, "")),
            _ => None,
        };
        if let Some((length, with)) = broken {
            let kept = if with.is_empty() { at + length } else { at };
            out.push_str(&text[done..kept]);
            out.push_str(if with.is_empty() { " " } else { with });
            done = at + length;
            tokens += 1;
        }
        line_start = letter == '\n' || (line_start && matches!(letter, ' ' | '\t' | '\r'));
    }
    if tokens == 0 {
        return (None, 0);
    }
    out.push_str(&text[done..]);
    (Some(out), tokens)
}

/// The maximum length of a token name.
const LONGEST: usize = 64;

/// Names of tags that some model family treats as its own.
const TAGS: [&str; 30] = [
    "assistant",
    "bos",
    "channel",
    "end_of_turn",
    "end_of_utterance",
    "eos",
    "function",
    "function_call",
    "function_calls",
    "function_response",
    "function_result",
    "function_results",
    "invoke",
    "mask",
    "pad",
    "parameter",
    "s",
    "start_of_turn",
    "system",
    "system-reminder",
    "think",
    "thinking",
    "tool",
    "tool_call",
    "tool_calls",
    "tool_response",
    "tool_result",
    "tool_results",
    "tool_use",
    "tools",
];

/// Whether the text, which begins with `<`, begins with a token.
fn opens_token(text: &str) -> bool {
    let inner = text[1..].strip_prefix('/').unwrap_or(&text[1..]);
    if inner.starts_with('｜') {
        return true;
    }
    if let Some(word) = inner.strip_prefix('|') {
        let length = name_length(word, |letter| letter.is_alphanumeric() || "_-.:/▁@".contains(letter));
        return length > 0 && word[length..].starts_with(['|', '｜']);
    }
    if text.starts_with("<<") {
        // A few letters are enough, so that a long row of brackets costs one pass.
        let near: String = text.chars().take(12).map(|letter| letter.to_ascii_uppercase()).collect();
        let marker = near.strip_prefix("<<<").map(|marker| marker.trim_start_matches([' ', '/']));
        return ["<<SYS>>", "<</SYS>>"].iter().any(|name| near.starts_with(name))
            || marker.is_some_and(|marker| marker.starts_with("BEGIN") || marker.starts_with("END"));
    }
    opens_tag(inner)
}

/// Whether the text begins with the name of a tag, with or without a prefix, followed by the end of a name.
fn opens_tag(text: &str) -> bool {
    let length = name_length(text, |letter| letter.is_ascii_alphanumeric() || "_-:".contains(letter));
    let (name, rest) = text.split_at(length);
    let own = name.trim_end_matches(':').rsplit(':').next().unwrap_or(name);
    let upper = own.to_ascii_lowercase();
    let known = TAGS.contains(&own) || (TAGS.contains(&upper.as_str()) && own == own.to_ascii_uppercase());
    match own {
        "s" | "S" => name.len() == 1 && rest.starts_with('>'),
        _ => known && (rest.is_empty() || rest.starts_with(['>', '=', '/', ' ', '\t', '\n', '\r'])),
    }
}

fn name_length(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.chars().take(LONGEST).take_while(|&letter| is_part(letter)).map(char::len_utf8).sum()
}

/// Whether the text, which begins with `[`, begins with a token in brackets.
fn opens_bracket(text: &str) -> bool {
    const NAMES: [&str; 10] = [
        "INST",
        "SYS",
        "TOOL_CALLS",
        "TOOL_RESULTS",
        "TOOL_CONTENT",
        "AVAILABLE_TOOLS",
        "SYSTEM_PROMPT",
        "THINK",
        "ARGS",
        "CALL_ID",
    ];
    let inner = text[1..].strip_prefix('/').unwrap_or(&text[1..]);
    NAMES.iter().any(|name| inner.strip_prefix(name).is_some_and(|rest| rest.starts_with(']')))
}

/// The length of the role name at the start of the line, if a colon follows it.
fn role(text: &str) -> Option<usize> {
    const ROLES: [&str; 6] = ["Human", "HUMAN", "Assistant", "ASSISTANT", "USER", "SYSTEM"];
    let role = ROLES.iter().find(|role| text.starts_with(*role))?;
    text[role.len()..].starts_with(':').then_some(role.len())
}

#[cfg(test)]
mod tests;
