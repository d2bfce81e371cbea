//! Bash and the shells like it.

use std::borrow::Cow;

use crate::code::language::{LanguageSpec, ReadingRules};
use crate::code::name_rules::{ConstructorRule, NameRules};

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["sh", "bash", "zsh", "ksh", "bats"],
    files: &[".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", "PKGBUILD"],
    programs: &["sh", "bash", "zsh", "dash", "ksh"],
    definitions: &[include_str!("../queries/bash.scm")],
    uses: &[include_str!("../queries/bash_uses.scm")],
    reading: ReadingRules { guard: |text| Some(mask_non_ascii(text)), ..ReadingRules::new() },
    names: NameRules {
        unimported_names: true,
        overriding: false,
        constructors: ConstructorRule::None,
        ..NameRules::new()
    },
    ..LanguageSpec::new("bash", || tree_sitter_bash::LANGUAGE.into())
};

/// The text with a letter for each byte that is none of ASCII's: where a brace stands before letters, the scanner looks
/// them up in a table of 256. What it means in a script is the same: a part of a word.
fn mask_non_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.bytes().map(|byte| if byte.is_ascii() { char::from(byte) } else { 'x' }).collect())
}
