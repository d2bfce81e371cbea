//! The programming languages, one file each, and the list of them.

mod bash;
mod c;
mod cpp;
mod csharp;
mod go;
mod java;
mod javascript;
mod kotlin;
mod lua;
mod php;
mod python;
mod ruby;
mod rust;
mod tsx;
mod typescript;

use super::language::LanguageSpec;

/// Every language, in the order of their names.
pub(super) static LANGUAGES: &[&LanguageSpec] = &[
    &bash::LANGUAGE,
    &c::LANGUAGE,
    &cpp::LANGUAGE,
    &csharp::LANGUAGE,
    &go::LANGUAGE,
    &java::LANGUAGE,
    &javascript::LANGUAGE,
    &kotlin::LANGUAGE,
    &lua::LANGUAGE,
    &php::LANGUAGE,
    &python::LANGUAGE,
    &ruby::LANGUAGE,
    &rust::LANGUAGE,
    &tsx::LANGUAGE,
    &typescript::LANGUAGE,
];

pub(super) const COUNT: usize = LANGUAGES.len();
