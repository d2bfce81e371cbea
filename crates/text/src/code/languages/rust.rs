//! How source code in Rust is read.

use crate::code::language::{LanguageSpec, ReadingRules};
use crate::code::name_rules::{ArgumentRule, ConstructorRule, ModuleSystem, NameRules, WordSet, words};

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["rs"],
    definitions: &[include_str!("../queries/rust.scm")],
    uses: &[include_str!("../queries/rust_uses.scm")],
    reading: ReadingRules {
        // The path to a type in `impl a::B` says where it was defined, which is not where the code stands.
        scope_named_by_last_part: true,
        // Constants and variants are written so.
        uppercase_binds_nothing: true,
        ..ReadingRules::new()
    },
    names: NameRules {
        modules: ModuleSystem::ModuleTree,
        closed_modules: true,
        folder_files: &["mod"],
        hands_on_globs: true,
        overriding: false,
        spread_types: true,
        open_traits: true,
        constructors: ConstructorRule::None,
        callable_variables: false,
        marked_macros: true,
        arguments: ArgumentRule::AsDeclaredOrReceiver,
        builtins: &BUILTINS,
        library_members: &LIBRARY_MEMBERS,
        ..NameRules::new()
    },
    ..LanguageSpec::new("rust", || tree_sitter_rust::LANGUAGE.into())
};

static BUILTINS: WordSet = WordSet::new(|| {
    words(
        "\
    Option Some None Result Ok Err Vec String Box str bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 \
    i128 isize f32 f64 drop Send Sync Sized Copy Clone Drop Fn FnMut FnOnce Iterator IntoIterator Extend \
    DoubleEndedIterator ExactSizeIterator Default Debug PartialEq Eq PartialOrd Ord Hash AsRef AsMut Into \
    From TryFrom TryInto FromIterator ToOwned ToString Unpin Self std core alloc",
    )
});

static LIBRARY_MEMBERS: WordSet = WordSet::new(|| {
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
