//! Kotlin.

use super::java;
use crate::code::language::{LanguageSpec, ReadingRules};
use crate::code::name_rules::NameRules;

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["kt", "kts"],
    definitions: &[include_str!("../queries/kotlin.scm")],
    uses: &[include_str!("../queries/kotlin_uses.scm")],
    reading: ReadingRules { name_import: java::name_import, types_are_called: true, ..ReadingRules::new() },
    names: NameRules { unimported_names: true, ..java::name_rules() },
    ..LanguageSpec::new("kotlin", || tree_sitter_kotlin_ng::LANGUAGE.into())
};
