//! How source code in Go is read.

use crate::code::language::{LanguageSpec, ReadingRules};
use crate::code::name_rules::{ConstructorRule, ModuleSystem, NameRules, WordSet, words};
use crate::code::uses::ImportNames;

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["go"],
    definitions: &[include_str!("../queries/go.scm")],
    uses: &[include_str!("../queries/go_uses.scm")],
    reading: ReadingRules { name_import, ..ReadingRules::new() },
    names: NameRules {
        modules: ModuleSystem::ManifestPackages,
        package_tests: Some("_test"),
        overriding: false,
        spread_types: true,
        embedding: true,
        constructors: ConstructorRule::None,
        builtins: &BUILTINS,
        library_members: &LIBRARY_MEMBERS,
        ..NameRules::new()
    },
    ..LanguageSpec::new("go", || tree_sitter_go::LANGUAGE.into())
};

/// A package is known by its own name, unless the import gives another; `.` brings in all that it offers.
fn name_import(mut import: ImportNames) -> ImportNames {
    match import.known_as.as_deref() {
        Some(".") => (import.name, import.known_as) = (Some("*".to_owned()), None),
        Some("_") => import.known_as = None,
        Some(_) => {}
        None => import.known_as = package_name(&import.module),
    }
    import
}

/// By what name a package is known that is imported by its path: `yaml` for `gopkg.in/yaml.v3`.
fn package_name(path: &str) -> Option<String> {
    let mut parts = path.rsplit('/');
    let last = parts.next()?;
    let version = last.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let last = if version { parts.next().unwrap_or(last) } else { last };
    let last = last.split_once(".v").map_or(last, |(name, _)| name);
    let last = last.strip_prefix("go-").unwrap_or(last);
    Some(last.strip_suffix("-go").unwrap_or(last).replace('-', "_"))
}

static BUILTINS: WordSet = WordSet::new(|| {
    words(
        "\
    append cap clear close complex copy delete imag len make max min new panic print println real recover \
    bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string \
    uint uint8 uint16 uint32 uint64 uintptr any nil iota",
    )
});

static LIBRARY_MEMBERS: WordSet = WordSet::new(|| {
    words(
        "\
    Error String Done Unlock RLock RUnlock Do Errorf Fatal Fatalf Fprintf Printf Println Sprintf Logf \
    Marshal Unmarshal MarshalJSON UnmarshalJSON ReadAll ReadFile WriteFile WriteString Seek Scan Fields Trim \
    Header Body ServeHTTP Handle HandleFunc Listen Accept Dial Swap Less Unwrap Is As Context Err Deadline",
    )
});
