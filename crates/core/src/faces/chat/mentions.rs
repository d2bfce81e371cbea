//! The files that a message names. Messages put names between back quotes: "did you mean `Bees.md`?".

use serde_json::Value;

use crate::domain::corpus::VaultPath;
use crate::faces::tools::Ctx;

/// Those that there are.
pub fn find_mentions(ctx: &Ctx, said: &Value) -> Vec<VaultPath> {
    match said {
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
