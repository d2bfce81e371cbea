//! How types of the domain appear in JSON schemas.

use schemars::Schema;
use serde_json::{Value, json};

/// Reduces the schema of an enum without data to the list of its names.
///
/// A documented variant becomes an alternative of its own in a schema; clients and `docs/tools.md` want one list.
pub(crate) fn list_variant_names(schema: &mut Schema) {
    let Some(Value::Array(alternatives)) = schema.get("oneOf") else { return };
    let names: Vec<Value> = alternatives
        .iter()
        .flat_map(|alternative| match (&alternative["enum"], &alternative["const"]) {
            (Value::Array(names), _) => names.clone(),
            (_, name) => vec![name.clone()],
        })
        .collect();
    if names.iter().all(Value::is_string) {
        schema.remove("oneOf");
        schema.insert("type".to_owned(), json!("string"));
        schema.insert("enum".to_owned(), Value::Array(names));
    }
}
