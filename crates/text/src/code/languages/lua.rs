//! How source code in Lua is read.

use crate::code::language::LanguageSpec;
use crate::code::name_rules::{ConstructorRule, NameRules};

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["lua"],
    programs: &["lua"],
    definitions: &[include_str!("../queries/lua.scm")],
    uses: &[include_str!("../queries/lua_uses.scm")],
    names: NameRules { unimported_names: true, constructors: ConstructorRule::None, ..NameRules::new() },
    ..LanguageSpec::new("lua", || tree_sitter_lua::LANGUAGE.into())
};
