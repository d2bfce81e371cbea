//! TypeScript.

use super::javascript;
use crate::code::language::LanguageSpec;

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["ts", "mts", "cts"],
    definitions: &[javascript::DEFINITIONS, include_str!("../queries/typescript.scm")],
    uses: &[javascript::USES, include_str!("../queries/typescript_uses.scm")],
    reading: javascript::reading_rules(),
    names: javascript::name_rules(),
    ..LanguageSpec::new("typescript", || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into())
};
