//! How source code in Java is read.

use crate::code::language::{LanguageSpec, ReadingRules};
use crate::code::name_rules::{ConstructorRule, ModuleSystem, NameRules, WordSet, words};
use crate::code::uses::ImportNames;

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["java"],
    definitions: &[include_str!("../queries/java.scm")],
    uses: &[include_str!("../queries/java_uses.scm")],
    reading: ReadingRules { name_import, ..ReadingRules::new() },
    names: NameRules {
        full_names: true,
        constructors: ConstructorRule::NamedLikeType,
        callable_variables: false,
        ..name_rules()
    },
    ..LanguageSpec::new("java", || tree_sitter_java::LANGUAGE.into())
};

/// What Java and Kotlin have in common.
pub(super) const fn name_rules() -> NameRules {
    NameRules {
        modules: ModuleSystem::DottedPackages,
        implicit_this: true,
        builtins: &BUILTINS,
        library_members: &LIBRARY_MEMBERS,
        ..NameRules::new()
    }
}

/// `import com.hive.Store` brings in `Store` of `com.hive`.
pub(super) fn name_import(mut import: ImportNames) -> ImportNames {
    import.split_last_part(".");
    import.keep_own_name();
    import
}

static BUILTINS: WordSet = WordSet::new(|| {
    words(
        "\
    String Object Integer Long Double Float Boolean Character Byte Short Number Math System Thread Runnable \
    Iterable Comparable CharSequence StringBuilder StringBuffer Exception RuntimeException Error Throwable \
    IllegalArgumentException IllegalStateException NullPointerException UnsupportedOperationException \
    IndexOutOfBoundsException ArithmeticException ClassCastException InterruptedException \
    CloneNotSupportedException AutoCloseable Record Enum Class Void Process Runtime int long double boolean",
    )
});

static LIBRARY_MEMBERS: WordSet = WordSet::new(|| {
    words(
        "\
    toString hashCode equals compareTo getClass notifyAll charAt codePointAt indexOf lastIndexOf substring \
    startsWith endsWith toLowerCase toUpperCase valueOf parseInt isPresent ifPresent orElse orElseGet \
    orElseThrow getKey getValue getName getMessage getCause containsKey containsValue entrySet keySet putAll \
    putIfAbsent computeIfAbsent getOrDefault removeIf addAll removeAll stream collect mapToInt flatMap \
    reduce sorted distinct limit skip forEach iterator hasNext println printf printStackTrace getBytes \
    accept submit shutdown invoke newInstance asList toArray subList",
    )
});
