//! C++ and CUDA.

use super::c;
use crate::code::language::{LanguageSpec, ReadingRules};
use crate::code::name_rules::{ConstructorRule, NameRules};
use crate::code::uses::ImportNames;

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["cpp", "cc", "cxx", "hpp", "hh", "hxx", "ipp", "inl", "cu", "cuh"],
    definitions: &[include_str!("../queries/c.scm"), include_str!("../queries/cpp.scm")],
    uses: &[include_str!("../queries/c_uses.scm"), include_str!("../queries/cpp_uses.scm")],
    reading: ReadingRules { name_import, ..ReadingRules::new() },
    names: NameRules {
        implicit_this: true,
        spread_types: true,
        constructors: ConstructorRule::NamedLikeType,
        ..c::name_rules()
    },
    ..LanguageSpec::new("cpp", || tree_sitter_cpp::LANGUAGE.into())
};

/// `using std::string;` brings in `string` of `std`.
fn name_import(mut import: ImportNames) -> ImportNames {
    if import.split_last_part("::") {
        import.known_as = import.known_as.or_else(|| import.name.clone());
    }
    import
}
