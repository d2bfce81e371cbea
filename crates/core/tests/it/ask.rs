//! Calls of tools, with what every answer must be like.

use serde_json::{Value, json};
use wellread_testkit::World;

/// The answer of a call that succeeds.
#[track_caller]
pub fn ok(world: &World, tool: &str, args: Value) -> Value {
    let answer = world.call_tool(tool, args);
    assert_eq!(answer["success"], true, "{tool}: {answer}");
    assert!(answer.get("error").is_none(), "{tool}: {answer}");
    answer
}

/// The answer of a call that can't be served: it says why, and nothing has changed.
#[track_caller]
pub fn fails(world: &World, tool: &str, args: Value) -> Value {
    let (files, operations) = (world.files.tree(), world.vault.history(usize::MAX).unwrap().len());
    let answer = world.call_tool(tool, args);
    assert_eq!(answer["success"], false, "{tool}: {answer}");
    let error = answer["error"].as_str().expect("a message");
    assert!(!error.is_empty() && !error.ends_with('.'), "{tool}: {error}");
    assert_eq!(world.files.tree(), files, "{tool} failed, and changed something");
    assert_eq!(
        world.vault.history(usize::MAX).unwrap().len(),
        operations,
        "{tool} failed, and was journaled"
    );
    answer
}

#[track_caller]
pub fn error(world: &World, tool: &str, args: Value) -> String {
    fails(world, tool, args)["error"].as_str().unwrap().to_owned()
}

/// The difference that a dry run shows: nothing has changed, and nothing was journaled.
#[track_caller]
pub fn dry(world: &World, tool: &str, args: Value) -> String {
    let (files, operations) = (world.files.tree(), world.vault.history(usize::MAX).unwrap().len());
    let answer = ok(world, tool, with(args, "dry_run", json!(true)));
    assert_eq!(world.files.tree(), files, "{tool}: a dry run changed something");
    assert_eq!(world.vault.history(usize::MAX).unwrap().len(), operations, "{tool}: a dry run was journaled");
    assert_eq!(answer["dry_run"], true, "{tool}: {answer}");
    assert_eq!(answer["message"], "dry run: nothing was changed", "{tool}: {answer}");
    assert!(answer.get("operation").is_none(), "{tool}: {answer}");
    answer["diff"].as_str().unwrap_or_else(|| panic!("{tool} shows no difference: {answer}")).to_owned()
}

/// The same arguments with one set.
pub fn with(mut args: Value, name: &str, value: Value) -> Value {
    args.as_object_mut().unwrap().insert(name.to_owned(), value);
    args
}

/// The strings of a list.
#[track_caller]
pub fn strings(list: &Value) -> Vec<&str> {
    list.as_array()
        .unwrap_or_else(|| panic!("a list, not {list}"))
        .iter()
        .map(|item| item.as_str().unwrap())
        .collect()
}
