//! Names that the languages and their libraries are full of: such a name alone says nothing.

use std::collections::HashSet;
use std::sync::LazyLock;

use wellread_text::{Definition, Language};

/// The name that whatever makes a value of a class has in this language; none where it has the class's own.
pub(super) fn constructor(language: Language) -> Option<&'static str> {
    match language {
        Language::Python => Some("__init__"),
        Language::JavaScript | Language::TypeScript | Language::Tsx => Some("constructor"),
        Language::Php => Some("__construct"),
        Language::Ruby => Some("initialize"),
        _ => None,
    }
}

/// Whether a definition is what makes a value of the class that it stands in.
pub(super) fn is_constructor(language: Language, definition: &Definition) -> bool {
    match (constructor(language), language) {
        (Some(name), _) => definition.name == name,
        (None, Language::Java | Language::Cpp | Language::CSharp) => {
            let mut parts = definition.qualified.rsplit('.');
            parts.next() == parts.next()
        }
        _ => false,
    }
}

/// Whether a plain name is one of the language's own.
pub(super) fn is_builtin(language: Language, name: &str) -> bool {
    let own = match language {
        Language::Rust => &RUST,
        Language::Python => &PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &SCRIPT,
        Language::Go => &GO,
        Language::Java | Language::Kotlin => &JAVA,
        Language::C | Language::Cpp => &C,
        _ => return false,
    };
    own.contains(name)
}

/// Whether a member of this name may as well be one of the language's library.
pub(super) fn is_common(language: Language, name: &str) -> bool {
    let own = match language {
        Language::Rust => &RUST_MEMBERS,
        Language::Python => &PYTHON_MEMBERS,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &SCRIPT_MEMBERS,
        Language::Go => &GO_MEMBERS,
        Language::Java | Language::Kotlin => &JAVA_MEMBERS,
        Language::C | Language::Cpp => &CPP_MEMBERS,
        _ => &ANY_MEMBERS,
    };
    let is_magic = language == Language::Python && name.starts_with("__") && name.ends_with("__");
    own.contains(name) || ANY_MEMBERS.contains(name.to_ascii_lowercase().as_str()) || is_magic
}

type Words = LazyLock<HashSet<&'static str>>;

fn words(text: &'static str) -> HashSet<&'static str> {
    text.split_ascii_whitespace().collect()
}

/// Whether a type of this name says nothing of the value.
pub(super) fn is_anything(name: &str) -> bool {
    matches!(name, "any" | "Any" | "unknown" | "object" | "Object" | "auto" | "var")
}

/// Whether a module of this name comes with Python.
pub(super) fn is_python_library(name: &str) -> bool {
    PYTHON_LIBRARY.contains(name)
}

static RUST: Words = Words::new(|| {
    words(
        "\
    Option Some None Result Ok Err Vec String Box str bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 \
    i128 isize f32 f64 drop Send Sync Sized Copy Clone Drop Fn FnMut FnOnce Iterator IntoIterator Extend \
    DoubleEndedIterator ExactSizeIterator Default Debug PartialEq Eq PartialOrd Ord Hash AsRef AsMut Into \
    From TryFrom TryInto FromIterator ToOwned ToString Unpin Self std core alloc",
    )
});

static PYTHON: Words = Words::new(|| {
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

static SCRIPT: Words = Words::new(|| {
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

static GO: Words = Words::new(|| {
    words(
        "\
    append cap clear close complex copy delete imag len make max min new panic print println real recover \
    bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string \
    uint uint8 uint16 uint32 uint64 uintptr any nil iota",
    )
});

static JAVA: Words = Words::new(|| {
    words(
        "\
    String Object Integer Long Double Float Boolean Character Byte Short Number Math System Thread Runnable \
    Iterable Comparable CharSequence StringBuilder StringBuffer Exception RuntimeException Error Throwable \
    IllegalArgumentException IllegalStateException NullPointerException UnsupportedOperationException \
    IndexOutOfBoundsException ArithmeticException ClassCastException InterruptedException \
    CloneNotSupportedException AutoCloseable Record Enum Class Void Process Runtime int long double boolean",
    )
});

static C: Words = Words::new(|| {
    words(
        "\
    int char long short float double void unsigned signed bool size_t ssize_t ptrdiff_t int8_t int16_t \
    int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t FILE va_list time_t wchar_t auto \
    std assert sizeof offsetof NULL nullptr errno printf",
    )
});

/// Members that the libraries of most languages have, in lower case.
static ANY_MEMBERS: Words = Words::new(|| {
    words(
        "\
    add all any append apply at begin bind build call cancel clear clone close compare concat connect \
    contains copy count create data decode delete each empty encode end entries equals error every execute \
    exists exit extend fill filter find finish first flush foreach format from get group handle has hash id \
    index info init insert into is_empty isempty items iter join keys kind last len length list load lock \
    log lower map match max merge message min name new next notify now of on open parse path peek poll pop \
    post print push put query read recv register remove render replace request reset resize run save search \
    send set size sleep sort split start stop store sum test text then trim type update upper use value \
    values wait with write",
    )
});

static RUST_MEMBERS: Words = Words::new(|| {
    words(
        "\
    and as_mut_ptr as_ptr get_unchecked get_unchecked_mut seek wake wake_by_ref and_then as_bytes as_deref \
    as_mut as_ref as_slice as_str await binary_search borrow borrow_mut by_ref bytes chain char_indices \
    chars chunks cloned cmp collect contains_key copied cycle dedup default deref difference display drain \
    drop elapsed ends_with entry enumerate eq err expect extend_from_slice filter_map find_map flat_map \
    flatten fmt fold for_each from_str from_utf8 ge get_mut get_or_init gt insert_str inspect intersection \
    into_bytes into_inner into_iter into_string is_err is_none is_none_or is_ok is_some is_some_and iter_mut \
    le lines lt map_err map_or map_or_else max_by max_by_key min_by min_by_key ne next_back nth ok ok_or \
    ok_or_else or or_default or_else or_insert or_insert_with parse partial_cmp partition peekable position \
    product push_str range rev retain reverse rfind rsplit rsplit_once saturating_add saturating_sub scan \
    skip skip_while sort_by sort_by_key sort_unstable source spawn split_at split_first split_last split_off \
    split_once split_whitespace starts_with step_by strip_prefix strip_suffix swap take take_while \
    to_lowercase to_owned to_string to_uppercase to_vec trim_end trim_start truncate try_from try_into \
    unwrap unwrap_or unwrap_or_default unwrap_or_else windows with_capacity write_all write_str zip",
    )
});

static PYTHON_MEMBERS: Words = Words::new(|| {
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

static SCRIPT_MEMBERS: Words = Words::new(|| {
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

static GO_MEMBERS: Words = Words::new(|| {
    words(
        "\
    Error String Done Unlock RLock RUnlock Do Errorf Fatal Fatalf Fprintf Printf Println Sprintf Logf \
    Marshal Unmarshal MarshalJSON UnmarshalJSON ReadAll ReadFile WriteFile WriteString Seek Scan Fields Trim \
    Header Body ServeHTTP Handle HandleFunc Listen Accept Dial Swap Less Unwrap Is As Context Err Deadline",
    )
});

static JAVA_MEMBERS: Words = Words::new(|| {
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

static CPP_MEMBERS: Words = Words::new(|| {
    words(
        "\
    back c_str capacity cbegin cend emplace emplace_back erase find_first_of front get_str length \
    lower_bound upper_bound push_back pop_back push_front pop_front rbegin rend reserve shrink_to_fit substr \
    swap top str unlock try_lock join detach load exchange release use_count value_or has_value what good \
    eof fail getline rdbuf tellg seekg malloc free memcpy strlen main exit",
    )
});

static PYTHON_LIBRARY: Words = Words::new(|| {
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
