//! TypeScript with markup in it.

use super::javascript;
use crate::code::language::LanguageSpec;

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["tsx"],
    definitions: &[javascript::DEFINITIONS, include_str!("../queries/typescript.scm")],
    uses: &[javascript::USES, javascript::JSX_USES, include_str!("../queries/typescript_uses.scm")],
    reading: javascript::reading_rules(),
    names: javascript::name_rules(),
    ..LanguageSpec::new("tsx", || tree_sitter_typescript::LANGUAGE_TSX.into())
};
