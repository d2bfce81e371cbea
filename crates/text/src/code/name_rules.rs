//! How the names of a language find their definitions: plain data, which the code graph reads.
//!
//! Nothing is resolved here. A rule says which of the mechanisms that the graph has is the language's.

use std::collections::HashSet;
use std::sync::LazyLock;

/// A set of words, made when it is first asked for.
pub type WordSet = LazyLock<HashSet<&'static str>>;

/// No words at all.
pub static NO_WORDS: WordSet = WordSet::new(HashSet::new);

/// The words of a text, which white space divides.
pub(super) fn words(text: &'static str) -> HashSet<&'static str> {
    text.split_ascii_whitespace().collect()
}

/// Which file or module an import means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleSystem {
    /// No rule of its own: the only file whose path ends as the import does.
    FileSuffix,
    /// A tree of modules that files announce, below the root of a crate: Rust.
    ModuleTree,
    /// Dotted names, absolute or relative, of files and of folders: Python.
    DottedFiles,
    /// Paths of files, relative to the importing one, without their endings: JavaScript.
    RelativeFiles,
    /// Folders by their path below the name in a manifest: Go.
    ManifestPackages,
    /// Folders by the dotted name of a package, at the end of a path: Java.
    DottedPackages,
    /// Headers that are included, and namespaces across files: C and C++.
    Headers,
}

/// What makes a value of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstructorRule {
    /// Making a value runs nothing that a call graph knows.
    None,
    /// A member with this name, which is inherited.
    Named(&'static str),
    /// A member that has the name of its type.
    NamedLikeType,
    /// The type itself stands for what makes it.
    TypeItself,
}

/// With how many arguments a definition can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentRule {
    /// With any number: missing ones are undefined, surplus ones are ignored.
    Any,
    /// With as many as it declares.
    AsDeclared,
    /// With as many as it declares, or with the object it belongs to as one more: `Store::open(&store, path)`.
    AsDeclaredOrReceiver,
}

/// How the names of a language find their definitions.
#[derive(Debug, Clone, Copy)]
pub struct NameRules {
    /// The name that is shared by the languages whose files use each other's definitions.
    pub family: Option<&'static str>,
    /// Which file or module an import means.
    pub modules: ModuleSystem,
    /// A module is a namespace to which any file may add.
    pub namespaces: bool,
    /// A module sees nothing of the module around it.
    pub closed_modules: bool,
    /// Files that speak for their folder, by their names without an ending: `__init__`.
    pub folder_files: &'static [&'static str],
    /// How the name of a file ends that belongs to its package in tests only.
    pub package_tests: Option<&'static str>,
    /// Folders in which imports without a relative path are looked for, besides the folders above the file.
    pub import_roots: &'static [&'static str],
    /// What an import may leave out at the end of a file's name, in the order in which it is looked for.
    pub import_endings: &'static [&'static str],
    /// A path that begins with an unknown name in lower case is the full name of something in a library.
    pub full_names: bool,
    /// `import a.b` binds the name `a`.
    pub import_binds_first_part: bool,
    /// A module can export one thing without a name, and each import names it.
    pub default_exports: bool,
    /// What a module imports as a whole, its importers get as well.
    pub hands_on_globs: bool,
    /// Names are used without a text that says where they come from.
    pub unimported_names: bool,
    /// A method sees the members of its type without saying `this`.
    pub implicit_this: bool,
    /// The body of a class sees the names of the class.
    pub class_body_is_scope: bool,
    /// The name by which a method of the class knows the class.
    pub class_word: Option<&'static str>,
    /// A type that builds on another can have methods of its own in place of the other's.
    pub overriding: bool,
    /// The members of a type may stand in other files than the type.
    pub spread_types: bool,
    /// What a type implements may be said in any file, and takes nothing from the type's own members.
    pub open_traits: bool,
    /// A type that is built into another is a member of it by its own name.
    pub embedding: bool,
    /// What makes a value of a type.
    pub constructors: ConstructorRule,
    /// A plain function makes values, too: `new f()`.
    pub functions_make_values: bool,
    /// A variable can be called: it may hold a function.
    pub callable_variables: bool,
    /// A macro is called with a mark of its own, so that a plain call means a function first.
    pub marked_macros: bool,
    /// With how many arguments a definition can be called.
    pub arguments: ArgumentRule,
    /// Plain names of the language's own.
    pub builtins: &'static WordSet,
    /// Members that the language's library is full of; such a name alone says nothing.
    pub library_members: &'static WordSet,
    /// Names between double underscores are called by the language itself.
    pub magic_members: bool,
    /// Modules that come with the language.
    pub library_modules: &'static WordSet,
}

impl NameRules {
    /// The rules of most languages with classes.
    pub(super) const fn new() -> Self {
        Self {
            family: None,
            modules: ModuleSystem::FileSuffix,
            namespaces: false,
            closed_modules: false,
            folder_files: &[],
            package_tests: None,
            import_roots: &[],
            import_endings: &[],
            full_names: false,
            import_binds_first_part: false,
            default_exports: false,
            hands_on_globs: false,
            unimported_names: false,
            implicit_this: false,
            class_body_is_scope: false,
            class_word: None,
            overriding: true,
            spread_types: false,
            open_traits: false,
            embedding: false,
            constructors: ConstructorRule::TypeItself,
            functions_make_values: false,
            callable_variables: true,
            marked_macros: false,
            arguments: ArgumentRule::AsDeclared,
            builtins: &NO_WORDS,
            library_members: &NO_WORDS,
            magic_members: false,
            library_modules: &NO_WORDS,
        }
    }
}
