//! How source code in C# is read.

use crate::code::language::LanguageSpec;
use crate::code::name_rules::{ConstructorRule, ModuleSystem, NameRules};

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["cs", "csx"],
    definitions: &[include_str!("../queries/csharp.scm")],
    uses: &[include_str!("../queries/csharp_uses.scm")],
    names: NameRules {
        modules: ModuleSystem::DottedPackages,
        namespaces: true,
        unimported_names: true,
        implicit_this: true,
        spread_types: true,
        constructors: ConstructorRule::NamedLikeType,
        ..NameRules::new()
    },
    ..LanguageSpec::new("csharp", || tree_sitter_c_sharp::LANGUAGE.into())
};
