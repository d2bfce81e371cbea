//! JavaScript, and what TypeScript has in common with it.

use crate::code::language::{LanguageSpec, ReadingRules};
use crate::code::name_rules::{ArgumentRule, ConstructorRule, ModuleSystem, NameRules, WordSet, words};
use crate::code::uses::ImportNames;

pub(super) const DEFINITIONS: &str = include_str!("../queries/javascript.scm");
pub(super) const USES: &str = include_str!("../queries/javascript_uses.scm");
pub(super) const JSX_USES: &str = include_str!("../queries/jsx_uses.scm");

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["js", "jsx", "mjs", "cjs"],
    programs: &["node"],
    definitions: &[DEFINITIONS, include_str!("../queries/javascript_fields.scm")],
    uses: &[USES, JSX_USES, include_str!("../queries/javascript_own_uses.scm")],
    reading: ReadingRules { variables_change_type: true, ..reading_rules() },
    names: name_rules(),
    ..LanguageSpec::new("javascript", || tree_sitter_javascript::LANGUAGE.into())
};

/// How scripts of either language are read.
pub(super) const fn reading_rules() -> ReadingRules {
    ReadingRules { name_import, ..ReadingRules::new() }
}

/// How names work in scripts of either language.
pub(super) const fn name_rules() -> NameRules {
    NameRules {
        family: Some("script"),
        modules: ModuleSystem::RelativeFiles,
        folder_files: &["index"],
        import_endings: &["ts", "tsx", "d.ts", "js", "jsx", "mjs", "cjs", "mts", "cts", "vue"],
        default_exports: true,
        constructors: ConstructorRule::Named("constructor"),
        functions_make_values: true,
        arguments: ArgumentRule::Any,
        builtins: &BUILTINS,
        library_members: &LIBRARY_MEMBERS,
        ..NameRules::new()
    }
}

fn name_import(mut import: ImportNames) -> ImportNames {
    import.keep_own_name();
    import
}

static BUILTINS: WordSet = WordSet::new(|| {
    words(
        "\
    string number boolean object symbol bigint any unknown never void undefined null Array Object String \
    Number Boolean Symbol BigInt Function Promise Map Set WeakMap WeakSet Date RegExp Error TypeError \
    RangeError SyntaxError Math JSON Reflect Proxy console globalThis window document process Buffer URL \
    URLSearchParams fetch Request Response Headers setTimeout clearTimeout setInterval clearInterval \
    setImmediate queueMicrotask require module exports parseInt parseFloat isNaN isFinite Partial Record \
    Readonly ReadonlyArray Required Pick Omit Iterable Iterator AbortController AbortSignal Event \
    EventTarget structuredClone",
    )
});

static LIBRARY_MEMBERS: WordSet = WordSet::new(|| {
    words(
        "\
    addEventListener appendChild assign catch charAt charCodeAt click createElement debug defineProperty \
    dispatch dispatchEvent emit endsWith exec finally findIndex findLast flat flatMap freeze fromEntries \
    getAttribute getElementById getItem getTime includes indexOf isArray json lastIndexOf localeCompare \
    listen matchAll normalize off once padEnd padStart parse pipe preventDefault querySelector \
    querySelectorAll race reduce reduceRight reject removeChild removeEventListener repeat replaceAll \
    resolve reverse setAttribute setItem shift slice some splice startsWith stringify subscribe substr \
    substring toFixed toISOString toJSON toLowerCase toString toUpperCase trimEnd trimStart unshift warn",
    )
});
