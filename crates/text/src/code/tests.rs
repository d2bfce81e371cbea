//! Every language's query.

use super::*;

#[test]
fn every_query_is_understood() {
    for language in Language::ALL {
        if let Err(error) = tree_sitter::Query::new(&language.grammar(), &language.query_text()) {
            panic!("{}: {error}", language.name());
        }
        assert!(language.query().is_some(), "{}: a capture that has no meaning", language.name());
        if let Err(error) = tree_sitter::Query::new(&language.grammar(), &language.marks_text()) {
            panic!("{}, what it uses: {error}", language.name());
        }
        assert!(
            language.marks().is_some(),
            "{}, what it uses: a capture that has no meaning",
            language.name()
        );
    }
}
