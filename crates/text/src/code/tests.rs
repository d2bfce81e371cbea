//! Every language's query.

use super::*;

#[test]
fn every_query_is_understood() {
    let mut wrong = String::new();
    for language in Language::ALL {
        for (of, text) in [("defines", language.definitions.join("\n")), ("uses", language.uses.join("\n"))] {
            if let Err(error) = tree_sitter::Query::new(&language.grammar(), &text) {
                wrong += &format!("what {} {of}: {error}\n", language.name());
            }
        }
        if language.query().is_none() || language.marks().is_none() {
            wrong += &format!("{}: a capture that has no meaning\n", language.name());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
