//! C, and the headers that may be of C++.

use crate::code::language::{LanguageSpec, ReadingRules};
use crate::code::name_rules::{ConstructorRule, ModuleSystem, NameRules, WordSet, words};

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["c", "h"],
    definitions: &[include_str!("../queries/c.scm"), include_str!("../queries/c_fields.scm")],
    uses: &[include_str!("../queries/c_uses.scm")],
    reading: ReadingRules {
        refine: |path, text| (path.ends_with(".h") && looks_like_cpp(text)).then_some("cpp"),
        ..ReadingRules::new()
    },
    names: NameRules {
        overriding: false,
        constructors: ConstructorRule::None,
        callable_variables: false,
        ..name_rules()
    },
    ..LanguageSpec::new("c", || tree_sitter_c::LANGUAGE.into())
};

/// What C and C++ have in common.
pub(super) const fn name_rules() -> NameRules {
    NameRules {
        family: Some("c"),
        modules: ModuleSystem::Headers,
        namespaces: true,
        unimported_names: true,
        builtins: &BUILTINS,
        library_members: &LIBRARY_MEMBERS,
        ..NameRules::new()
    }
}

/// Whether a header has what C has not.
fn looks_like_cpp(text: &str) -> bool {
    const STARTS: &[&str] =
        &["class ", "namespace ", "template<", "template <", "public:", "private:", "protected:", "using "];
    text.lines().any(|line| {
        let line = line.trim_start();
        STARTS.iter().any(|start| line.starts_with(start)) || line.contains("std::")
    })
}

static BUILTINS: WordSet = WordSet::new(|| {
    words(
        "\
    int char long short float double void unsigned signed bool size_t ssize_t ptrdiff_t int8_t int16_t \
    int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t FILE va_list time_t wchar_t auto \
    std assert sizeof offsetof NULL nullptr errno printf",
    )
});

static LIBRARY_MEMBERS: WordSet = WordSet::new(|| {
    words(
        "\
    back c_str capacity cbegin cend emplace emplace_back erase find_first_of front get_str length \
    lower_bound upper_bound push_back pop_back push_front pop_front rbegin rend reserve shrink_to_fit substr \
    swap top str unlock try_lock join detach load exchange release use_count value_or has_value what good \
    eof fail getline rdbuf tellg seekg malloc free memcpy strlen main exit",
    )
});
