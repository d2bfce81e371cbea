//! The files that a message names. Messages put names between back quotes: "did you mean `Bees.md`?".

use serde_json::Value;

use crate::corpus::VaultPath;
use crate::tools::Ctx;

/// Those that there are.
pub fn mentions(ctx: &Ctx, said: &Value) -> Vec<VaultPath> {
    match said {
        Value::String(text) => text
            .split('`')
            .filter_map(|name| ctx.vault.rules.file(name).ok())
            .filter(|path| ctx.vault.files.find(path).is_ok_and(|found| found.is_some()))
            .collect(),
        Value::Array(items) => items.iter().flat_map(|item| mentions(ctx, item)).collect(),
        Value::Object(fields) => fields.values().flat_map(|value| mentions(ctx, value)).collect(),
        _ => Vec::new(),
    }
}
