//! Python.

use std::borrow::Cow;

use crate::code::language::{LanguageSpec, ReadingRules};
use crate::code::name_rules::{ConstructorRule, ModuleSystem, NameRules, WordSet, words};
use crate::code::uses::ImportNames;

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["py", "pyi", "pyw"],
    files: &["SConstruct", "SConscript"],
    programs: &["python"],
    definitions: &[include_str!("../queries/python.scm")],
    uses: &[include_str!("../queries/python_uses.scm")],
    reading: ReadingRules {
        guard: |text| (max_indent(text) <= MAX_INDENT).then_some(Cow::Borrowed(text)),
        name_import,
        types_are_called: true,
        ..ReadingRules::new()
    },
    names: NameRules {
        modules: ModuleSystem::DottedFiles,
        folder_files: &["__init__"],
        import_roots: &["", "src", "lib", "python", "app"],
        import_binds_first_part: true,
        hands_on_globs: true,
        class_body_is_scope: true,
        class_word: Some("cls"),
        constructors: ConstructorRule::Named("__init__"),
        builtins: &BUILTINS,
        library_members: &LIBRARY_MEMBERS,
        magic_members: true,
        library_modules: &LIBRARY_MODULES,
        ..NameRules::new()
    },
    ..LanguageSpec::new("python", || tree_sitter_python::LANGUAGE.into())
};

/// Every level of indentation needs a column, and the scanner has room for about 500 levels.
const MAX_INDENT: usize = 400;

/// A module that is imported as a whole is known by its full name.
fn name_import(mut import: ImportNames) -> ImportNames {
    import.keep_own_name();
    if import.name.is_none() {
        import.known_as = import.known_as.or_else(|| Some(import.module.clone()));
    }
    import
}

/// The longest white space before code. A backslash at a line's end goes on with the line.
fn max_indent(text: &str) -> usize {
    let (mut deepest, mut width, mut leading) = (0, 0, true);
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\n' => (width, leading) = (0, true),
            b'\\' if matches!(bytes.peek(), Some(b'\n' | b'\r')) => {
                bytes.next_if_eq(&b'\r');
                bytes.next_if_eq(&b'\n');
                leading = true;
            }
            b' ' | b'\t' | b'\r' | 0x0c if leading => width += 1,
            _ => leading = false,
        }
        deepest = deepest.max(width);
    }
    deepest
}

static BUILTINS: WordSet = WordSet::new(|| {
    words(
        "\
    abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr \
    dict dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash help hex \
    id input int isinstance issubclass iter len list locals map max memoryview min next object oct open ord \
    pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple \
    type vars zip None True False Exception BaseException ValueError TypeError KeyError IndexError \
    AttributeError RuntimeError NotImplementedError StopIteration OSError IOError FileNotFoundError \
    PermissionError TimeoutError ConnectionError AssertionError ArithmeticError ZeroDivisionError \
    OverflowError LookupError NameError ImportError ModuleNotFoundError UnicodeError UnicodeDecodeError \
    UnicodeEncodeError KeyboardInterrupt SystemExit GeneratorExit EOFError MemoryError RecursionError \
    Warning UserWarning DeprecationWarning StopAsyncIteration",
    )
});

static LIBRARY_MEMBERS: WordSet = WordSet::new(|| {
    words(
        "\
    acquire appendleft as_dict astype capitalize casefold center cursor commit debug dict discard dump dumps \
    endswith exception expandtabs fetchall fetchone fileno find_all finditer findall fullmatch group groups \
    isalnum isalpha isdigit islower isoformat isspace isupper iterdir json ljust loads lstrip mean mkdir \
    partition pop popitem popleft readline readlines release reshape result reverse rfind rjust rollback \
    rpartition rsplit rstrip seek setdefault shape splitlines startswith strftime strip submit swapcase \
    symmetric_difference tell title tolist translate union unlink warning writelines",
    )
});

static LIBRARY_MODULES: WordSet = WordSet::new(|| {
    words(
        "\
    abc argparse array ast asyncio base64 bisect builtins calendar cmath cmd code codecs collections \
    concurrent configparser contextlib contextvars copy csv ctypes curses dataclasses datetime decimal \
    difflib dis email enum errno fnmatch fractions ftplib functools gc getpass glob graphlib gzip hashlib \
    heapq hmac html http imaplib importlib inspect io ipaddress itertools json keyword locale logging lzma \
    math mimetypes multiprocessing operator os pathlib pickle platform pprint queue random re secrets select \
    shlex shutil signal site socket sqlite3 ssl stat string struct subprocess sys tempfile textwrap \
    threading time token tokenize traceback types typing unittest uuid",
    )
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_is_measured_through_continued_lines() {
        assert_eq!(max_indent("if a:\n    b\n\n  c  d\n"), 4);
        assert_eq!(max_indent("  \\\n   a"), 5);
        assert_eq!(max_indent("a   \\\n  b"), 2);
    }
}
