//! The wiring of the binary alone names adapters, and stores are known by their ports.

use super::lexer::code;
use super::sources::{Source, check, finds};

fn names_adapters(source: &Source) -> Vec<String> {
    let Some(inside) = source.path.strip_prefix("crates/wellread/src/") else { return Vec::new() };
    if inside == "wiring.rs" || inside.starts_with("wiring/") {
        return Vec::new();
    }
    let named = code(&source.text).into_iter().filter(|token| token.text == "wellread_adapters");
    named.map(|token| source.at(token.line, "an adapter is named outside `wiring`")).collect()
}

#[test]
fn only_the_wiring_names_adapters() {
    check(names_adapters);
}

#[test]
fn an_adapter_that_is_named_elsewhere_is_found() {
    let text = "use wellread_adapters::index::SqliteIndex;\n// wellread_adapters\nfn f() { wellread_adapters::memory::f() }\n";
    finds(names_adapters, "crates/wellread/src/app.rs", text, &[1, 3]);
    finds(names_adapters, "crates/wellread/src/cli/doctor.rs", text, &[1, 3]);
    finds(names_adapters, "crates/wellread/src/wiring/stores.rs", text, &[]);
    finds(names_adapters, "crates/wellread/tests/it/desk.rs", text, &[]);
}

/// Words that only a store of one kind knows. What asks for its upkeep asks a port.
fn knows_the_store(source: &Source) -> Vec<String> {
    let knows_ports = source.path.starts_with("crates/core/src/")
        || (source.path.starts_with("crates/wellread/src/")
            && source.path != "crates/wellread/src/wiring/stores.rs");
    if !knows_ports {
        return Vec::new();
    }
    const OF_A_STORE: [&str; 5] = ["rusqlite", "SqliteIndex", "RecordStore", "SqliteFile", "flock"];
    let named = code(&source.text).into_iter().filter(|token| OF_A_STORE.contains(&token.text.as_str()));
    named.map(|token| source.at(token.line, format!("`{}` is one store's own", token.text))).collect()
}

#[test]
fn core_and_the_faces_know_stores_by_their_ports() {
    check(knows_the_store);
}

#[test]
fn a_store_that_is_known_elsewhere_is_found() {
    let text = "use x::RecordStore;\nfn f(index: &SqliteIndex) {}\n// rusqlite\n";
    finds(knows_the_store, "crates/wellread/src/app.rs", text, &[1, 2]);
    finds(knows_the_store, "crates/wellread/src/wiring/assembly.rs", text, &[1, 2]);
    finds(knows_the_store, "crates/core/src/engine/run.rs", text, &[1, 2]);
    finds(knows_the_store, "crates/wellread/src/wiring/stores.rs", text, &[]);
    finds(knows_the_store, "crates/adapters/src/records.rs", text, &[]);
}
