//! What a language provides: how values are constructed, and names that are common in its library.

use wellread_text::{ConstructorRule, Definition, Language, WordSet};

/// Whether constructing a value of a type runs code that belongs in a call graph.
pub(super) fn has_constructors(language: Language) -> bool {
    language.names.constructors != ConstructorRule::None
}

/// The fixed name of constructors in this language; `None` if there are none, or if they are named like their class.
pub(super) fn constructor_name(language: Language) -> Option<&'static str> {
    match language.names.constructors {
        ConstructorRule::Named(name) => Some(name),
        _ => None,
    }
}

/// Whether a definition is a constructor of the class that it is in.
pub(super) fn is_constructor(language: Language, definition: &Definition) -> bool {
    match language.names.constructors {
        ConstructorRule::Named(name) => definition.name == name,
        ConstructorRule::NamedLikeType => {
            let mut parts = definition.qualified.rsplit('.');
            parts.next() == parts.next()
        }
        ConstructorRule::None | ConstructorRule::TypeItself => false,
    }
}

/// Whether a member with this name is likely to belong to the language's library.
pub(super) fn is_common(language: Language, name: &str) -> bool {
    let is_magic = language.names.magic_members && name.starts_with("__") && name.ends_with("__");
    language.names.library_members.contains(name)
        || LIBRARY_MEMBERS.contains(name.to_ascii_lowercase().as_str())
        || is_magic
}

/// Whether a type with this name says nothing about the value.
pub(super) fn is_anything(name: &str) -> bool {
    matches!(name, "any" | "Any" | "unknown" | "object" | "Object" | "auto" | "var")
}

/// Members that are common in the libraries of most languages, in lower case.
static LIBRARY_MEMBERS: WordSet = WordSet::new(|| {
    let text = "\
    add all any append apply at begin bind build call cancel clear clone close compare concat connect \
    contains copy count create data decode delete each empty encode end entries equals error every execute \
    exists exit extend fill filter find finish first flush foreach format from get group handle has hash id \
    index info init insert into is_empty isempty items iter join keys kind last len length list load lock \
    log lower map match max merge message min name new next notify now of on open parse path peek poll pop \
    post print push put query read recv register remove render replace request reset resize run save search \
    send set size sleep sort split start stop store sum test text then trim type update upper use value \
    values wait with write";
    text.split_ascii_whitespace().collect()
});
