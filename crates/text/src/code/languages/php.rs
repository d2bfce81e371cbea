//! How source code in PHP is read.

use crate::code::language::{LanguageSpec, ReadingRules};
use crate::code::name_rules::{ConstructorRule, NameRules};
use crate::code::uses::ImportNames;

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["php", "phtml"],
    programs: &["php"],
    definitions: &[include_str!("../queries/php.scm")],
    uses: &[include_str!("../queries/php_uses.scm")],
    reading: ReadingRules { name_import, ..ReadingRules::new() },
    names: NameRules {
        unimported_names: true,
        constructors: ConstructorRule::Named("__construct"),
        ..NameRules::new()
    },
    ..LanguageSpec::new("php", || tree_sitter_php::LANGUAGE_PHP.into())
};

/// `use Hive\Store` brings in `Store` of `Hive`.
fn name_import(mut import: ImportNames) -> ImportNames {
    import.split_last_part("\\");
    import.keep_own_name();
    import
}
