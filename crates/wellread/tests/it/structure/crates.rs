//! Which crate may depend on which.

use std::fs;

use toml_edit::{DocumentMut, Item};

use super::sources::refuse;
use crate::desk::repository;

/// Which crate may depend on which.
const ARROWS: [(&str, &[&str]); 6] = [
    ("text", &[]),
    ("encoder", &[]),
    ("core", &["text"]),
    ("adapters", &["core", "encoder", "text"]),
    ("testkit", &["core", "text"]),
    ("wellread", &["core", "adapters"]),
];

fn wrong_arrows(name: &str, manifest: &str) -> Vec<String> {
    let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
        return vec![format!("crates/{name}: a crate that no rule speaks of")];
    };
    let manifest: DocumentMut = manifest.parse().unwrap();
    let by_target = manifest.get("target").and_then(Item::as_table_like);
    let by_target = by_target.into_iter().flat_map(|targets| targets.iter());
    let by_target =
        by_target.flat_map(|(_, target)| target.as_table_like().into_iter().flat_map(|table| table.iter()));
    let mut wrong = Vec::new();
    for (table, item) in manifest.iter().chain(by_target) {
        // The encoder uses none of our crates, so tests may measure with it anywhere above.
        let more: &[&str] = if table == "dev-dependencies" { &["testkit", "encoder"] } else { &[] };
        if !table.ends_with("dependencies") {
            continue;
        }
        for (dependency, _) in item.as_table_like().into_iter().flat_map(|table| table.iter()) {
            let ours = dependency
                .strip_prefix("wellread-")
                .or(ARROWS.iter().map(|(name, _)| *name).find(|name| *name == dependency));
            if let Some(ours) = ours.filter(|ours| !allowed.contains(ours) && !more.contains(ours)) {
                wrong.push(format!("crates/{name}/Cargo.toml: {table} has an arrow to {ours}"));
            }
        }
    }
    wrong
}

#[test]
fn arrows_between_crates_run_down() {
    let mut wrong = Vec::new();
    for entry in fs::read_dir(repository().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        wrong.extend(wrong_arrows(&name, &fs::read_to_string(folder.join("Cargo.toml")).unwrap()));
    }
    refuse(&wrong);
}

#[test]
fn an_arrow_that_runs_up_is_found() {
    let up = "[dependencies]\nwellread-adapters.workspace = true\nserde = \"1\"\n[dev-dependencies]\nwellread-testkit.workspace = true\n";
    assert_eq!(wrong_arrows("core", up).len(), 1);
    assert_eq!(wrong_arrows("wellread", "[build-dependencies]\nwellread-text = { path = \"x\" }\n").len(), 1);
    assert_eq!(wrong_arrows("testkit", "[dev-dependencies]\nwellread-adapters.workspace = true\n").len(), 1);
    let by_target = "[target.'cfg(unix)'.dependencies]\nwellread-core.workspace = true\n[target.x.dev-dependencies]\nserde = \"1\"\n";
    assert_eq!(wrong_arrows("text", by_target).len(), 1);
    assert_eq!(wrong_arrows("gadgets", "").len(), 1);
}
