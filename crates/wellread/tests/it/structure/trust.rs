//! Text that others wrote reaches a model only behind the barrier, and only the user decides.

use super::lexer::{Token, code, paths};
use super::sources::{Source, check, finds, is_test};

/// What speaks to models, or for them, does not read text that others wrote: it hands it to `prompt`.
fn exposes(source: &Source) -> Vec<String> {
    const BLIND: [&str; 11] = [
        "crates/core/src/engine/llm/",
        "crates/core/src/engine/llm.rs",
        "crates/core/src/engine/second_opinion/",
        "crates/core/src/engine/second_opinion.rs",
        "crates/core/src/engine/agent/",
        "crates/core/src/engine/agent.rs",
        "crates/core/src/faces/chat/",
        "crates/core/src/faces/chat.rs",
        "crates/core/src/research/",
        "crates/core/src/research.rs",
        "crates/wellread/src/",
    ];
    if !BLIND.iter().any(|folder| source.path.starts_with(folder)) || is_test(&source.path) {
        return Vec::new();
    }
    let tokens = code(&source.text);
    let by_method = tokens
        .windows(4)
        .filter(|four| [".", "expose", "(", ")"].iter().zip(*four).all(|(text, token)| token.text == *text));
    let by_path = paths(&tokens)
        .into_iter()
        .filter(|(_, path)| path.ends_with(&["Untrusted".to_owned(), "expose".to_owned()]));
    let lines = by_method.map(|four: &[Token]| four[1].line).chain(by_path.map(|(line, _)| line));
    lines.map(|line| source.at(line, "text that others wrote goes through `prompt`")).collect()
}

#[test]
fn what_speaks_to_models_does_not_read_text_that_others_wrote() {
    check(exposes);
}

#[test]
fn such_text_read_in_another_place_is_found() {
    let text = "fn f(text: &Untrusted) {\n    send(text.expose());\n    texts.iter().map(Untrusted::expose);\n    // text.expose()\n    secret.expose(3);\n    secret.expose_secret();\n    entry.text\n        .expose();\n}\n";
    for path in [
        "crates/core/src/engine/llm/send.rs",
        "crates/core/src/engine/agent.rs",
        "crates/core/src/faces/chat/turn.rs",
        "crates/core/src/research/note.rs",
        "crates/wellread/src/app.rs",
    ] {
        finds(exposes, path, text, &[2, 8, 3]);
    }
    finds(exposes, "crates/core/src/trust/prompt/barrier.rs", text, &[]);
    finds(exposes, "crates/core/src/trust/gate/quote.rs", text, &[]);
    finds(exposes, "crates/core/src/faces/chat/tests.rs", text, &[]);
}

/// A decision is the user's: only where the user speaks is there one.
fn decides(source: &Source) -> Vec<String> {
    const USERS_WORD: [&str; 8] = [
        // A setting of the user's, and an acceptance that the user began.
        "crates/core/src/agendas/jobs.rs",
        "crates/core/src/agendas/inbox.rs",
        // The turn in which the user confirms.
        "crates/core/src/faces/chat/turn.rs",
        "crates/testkit/src/agenda_fixtures.rs",
        "crates/wellread/src/acp/permission.rs",
        "crates/wellread/src/cli.rs",
        "crates/wellread/src/mcp/decisions.rs",
        "crates/wellread/src/server.rs",
    ];
    if USERS_WORD.contains(&source.path.as_str()) || is_test(&source.path) {
        return Vec::new();
    }
    let tokens = code(&source.text);
    let made = paths(&tokens)
        .into_iter()
        .filter(|(_, path)| path.ends_with(&["UserDecision".to_owned(), "new".to_owned()]));
    made.map(|(line, _)| source.at(line, "only the user decides, and not here")).collect()
}

#[test]
fn only_the_user_decides() {
    check(decides);
}

#[test]
fn a_decision_made_in_another_place_is_found() {
    let text = "fn f() {\n    approve(UserDecision::new(DecidedBy::Setting));\n    let by: UserDecision = given;\n}\n";
    for path in ["crates/core/src/faces/tools/agenda.rs", "crates/core/src/faces/chat/toolbox.rs"] {
        finds(decides, path, text, &[2]);
    }
    finds(decides, "crates/wellread/src/mcp.rs", text, &[2]);
    finds(decides, "crates/wellread/src/server.rs", text, &[]);
}
