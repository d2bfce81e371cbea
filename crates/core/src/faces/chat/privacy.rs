//! Keeps private notes on this machine: rows about them are removed from an answer, and an answer that is about one is
//! withheld as a whole.

use serde_json::{Value, json};

use crate::Error;
use crate::domain::corpus::VaultPath;
use crate::engine::run::operation_ids;
use crate::faces::tools::{AnswerOrigins, Ctx, ToolOutput};

const WITHHELD: &str = "this is about a private note, which is never sent to a model on another machine";

/// The error as a remote model may see it: the original may repeat a private note's words, or suggest its name.
pub fn withhold_error(ctx: &Ctx, error: Error) -> Error {
    if names_private(ctx, &json!([error.message(), error.details()])) {
        return Error::refused(WITHHELD);
    }
    if !error.hint_text().is_some_and(|hint| names_private(ctx, &json!(hint))) {
        return error;
    }
    let bare = Error::new(error.kind(), error.message());
    error.details().iter().fold(bare, |bare, (name, value)| bare.with_detail(name, value.clone()))
}

/// Whether an answer repeats words of private notes.
pub fn shows_private(ctx: &Ctx, shown: &AnswerOrigins) -> bool {
    shown.files().iter().any(|file| is_private(ctx, file))
}

fn is_private(ctx: &Ctx, file: &str) -> bool {
    ctx.vault.rules.parse_file(file).map_or(true, |path| ctx.vault.is_private(&path))
}

fn names_private(ctx: &Ctx, said: &Value) -> bool {
    find_mentions(ctx, said).iter().any(|path| ctx.vault.is_private(path))
}

/// The answer as a remote model may see it.
pub fn withhold(ctx: &Ctx, mut answer: ToolOutput) -> ToolOutput {
    let files = answer.shown.files().to_vec();
    let private: Vec<String> = files.iter().filter(|file| is_private(ctx, file)).cloned().collect();
    let failures = answer.fields.get("failed").is_some_and(|failed| names_private(ctx, failed));
    if private.is_empty() && !failures {
        return answer;
    }
    let about = |row: &Value| {
        let named = [
            row.as_str(),
            row.get("path").and_then(Value::as_str),
            row.get("source").and_then(Value::as_str),
        ];
        named.into_iter().flatten().any(|name| private.iter().any(|file| file == name))
    };
    let rows = answer.fields.get("results").and_then(Value::as_array).cloned().unwrap_or_default();
    let taken_out = rows.iter().filter(|row| about(row)).count();
    // Rows can be removed only if each is about one file. Otherwise rows are parts of a file, or the rest of the answer
    // mentions private files, too.
    if !failures && files.len() == rows.len() && taken_out == private.len() {
        let kept: Vec<usize> = (0..rows.len()).filter(|n| !about(&rows[*n])).collect();
        let moved = |pointer: &str| {
            let before: usize = pointer.strip_prefix("/results/")?.parse().ok()?;
            kept.iter().position(|n| *n == before).map(|now| format!("/results/{now}"))
        };
        let evidence = answer.evidence.into_iter();
        answer.evidence = evidence.filter_map(|(pointer, found)| Some((moved(&pointer)?, found))).collect();
        answer.shown =
            AnswerOrigins::Files(files.iter().filter(|file| !private.contains(file)).cloned().collect());
        if let Some(fields) = answer.fields.as_object_mut() {
            fields.insert("results".to_owned(), kept.iter().map(|n| rows[*n].clone()).collect());
            fields.insert("withheld".to_owned(), json!(taken_out));
            fields.remove("total");
        }
        return answer;
    }
    let mut fields = json!({ "withheld": private.len().max(1), "message": WITHHELD });
    // A resumed run has to know which changes it has made, and the model that they were made.
    let made = operation_ids(&answer.fields);
    if !made.is_empty() {
        fields["message"] = json!(format!("it was done; {WITHHELD}"));
        fields["operations"] = json!(made);
    }
    ToolOutput { fields, shown: AnswerOrigins::Ours, evidence: Vec::new() }
}

/// The existing files of the vault that a message names between backticks, as in "did you mean `Bees.md`?".
pub fn find_mentions(ctx: &Ctx, message: &Value) -> Vec<VaultPath> {
    match message {
        Value::String(text) => text
            .split('`')
            .filter_map(|name| ctx.vault.rules.parse_file(name).ok())
            .filter(|path| ctx.vault.files.find(path).is_ok_and(|found| found.is_some()))
            .collect(),
        Value::Array(items) => items.iter().flat_map(|item| find_mentions(ctx, item)).collect(),
        Value::Object(fields) => fields.values().flat_map(|value| find_mentions(ctx, value)).collect(),
        _ => Vec::new(),
    }
}
