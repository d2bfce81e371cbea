//! Why our definitions and those of ctags differ.

use wellread_text::{Definition, Language, LineIndex, SymbolKind};

use super::{Class, Tag};

/// A file as both read it.
pub struct Seen<'a> {
    pub language: Language,
    pub text: &'a str,
    pub lines: &'a LineIndex,
    pub definitions: &'a [Definition],
    pub broken: bool,
    pub theirs: &'a [Tag],
    pub ours: &'a [Tag],
}

impl Seen<'_> {
    pub fn line(&self, tag: &Tag) -> &str {
        self.lines.span(tag.line, tag.line).map_or("", |span| &self.text[span])
    }

    /// Whether it stands in the body of one of our functions.
    fn in_function(&self, tag: &Tag) -> bool {
        self.definitions.iter().any(|definition| {
            matches!(definition.kind, SymbolKind::Function | SymbolKind::Method)
                && definition.lines.0 <= tag.line
                && tag.line <= definition.lines.1
                && self.lines.line_of(definition.name_span.start) != tag.line
        })
    }

    fn parent_kind(&self, tag: &Tag) -> Option<SymbolKind> {
        Some(self.definitions[self.own(tag)?.parent?].kind)
    }

    fn own(&self, tag: &Tag) -> Option<&Definition> {
        self.definitions.iter().find(|definition| {
            bare(&definition.name) == tag.name && self.lines.line_of(definition.name_span.start) == tag.line
        })
    }

    /// The definitions around it, and itself.
    fn around(&self, tag: &Tag) -> impl Iterator<Item = &Definition> {
        self.definitions
            .iter()
            .filter(|definition| definition.lines.0 <= tag.line && tag.line <= definition.lines.1)
    }

    /// Whether it stands behind an `#else` or an `#elif` whose condition is still open.
    fn in_other_branch(&self, tag: &Tag) -> bool {
        if !matches!(self.language.name(), "c" | "cpp") {
            return false;
        }
        let mut open: Vec<bool> = Vec::new();
        for line in self.text.lines().take(tag.line) {
            let Some(word) = line.trim_start().strip_prefix('#').map(str::trim_start) else { continue };
            if word.starts_with("if") {
                open.push(word.starts_with("if 0"));
            } else if word.starts_with("el") {
                if let Some(last) = open.last_mut() {
                    *last = true;
                }
            } else if word.starts_with("endif") {
                open.pop();
            }
        }
        open.contains(&true)
    }

    /// Whether one of these is the same by another kind.
    fn has(&self, others: &[Tag], tag: &Tag, class: Class) -> bool {
        others.iter().any(|other| other.line == tag.line && other.name == tag.name && other.class == class)
    }

    fn both(&self, tag: &Tag) -> bool {
        self.has(self.theirs, tag, tag.class)
    }

    /// The lines from the last definition that both know to this one.
    fn since(&self, tag: &Tag) -> impl Iterator<Item = &str> {
        let before = self.ours.iter().filter(|other| other.line < tag.line && self.both(other));
        let from = before.map(|other| other.line).max().unwrap_or(0);
        self.text.lines().take(tag.line).skip(from.saturating_sub(1))
    }

    /// Whether there is nothing more that both know, from here to the end of what is around it.
    fn lost(&self, tag: &Tag) -> bool {
        let around = self.definitions.iter().filter(|definition| {
            definition.lines.0 < tag.line && tag.line <= definition.lines.1 && definition.name != tag.name
        });
        let end = around.map(|definition| definition.lines.1).min().unwrap_or(usize::MAX);
        !self.ours.iter().any(|other| tag.line < other.line && other.line <= end && self.both(other))
    }

    fn in_macro(&self, tag: &Tag) -> bool {
        self.definitions.iter().any(|definition| {
            definition.kind == SymbolKind::Macro
                && definition.lines.0 <= tag.line
                && tag.line <= definition.lines.1
                && definition.name != tag.name
        })
    }
}

/// A macro that stands before a declaration looks like its type.
const BEHIND_MACROS: &str = "C that is not understood without its macros";

const NOT_UNDERSTOOD: &str = "source that our parser does not understand";

pub type Reason = (&'static str, fn(&Seen, &Tag) -> bool);

/// Why they have what we have not.
pub const ONLY_THEIRS: &[Reason] = &[
    (BEHIND_MACROS, |seen, _| seen.broken && matches!(seen.language.name(), "c" | "cpp")),
    (NOT_UNDERSTOOD, |seen, _| seen.broken),
    ("C++'s operators that convert", |seen, tag| {
        tag.name.starts_with("operator") && seen.language.name() == "cpp"
    }),
    ("a word of the language, which they take for a name", |_, tag| {
        ["else", "finally", "try"].contains(&tag.name.as_str())
    }),
    ("names that they made up for what has none", |_, tag| {
        ["__anon", "AnonymousClass", "AnonymousFunction", "anonymous"]
            .iter()
            .any(|made| tag.name.contains(made))
    }),
    ("data, types and declarations in a function, which are the function's own", |seen, tag| {
        let own = tag.class == Class::Data
            || (tag.class == Class::Callable
                && ["fn ", "lambda"].iter().any(|word| seen.line(tag).contains(word)))
            || ["typedef", "alias"].contains(&tag.kind.as_str());
        own && seen.in_function(tag)
    }),
    ("in a macro's pattern or in what it makes", |seen, tag| seen.in_macro(tag)),
    ("the lifetime 'static, which they take for a variable", |seen, tag| {
        seen.language.name() == "rust" && seen.line(tag).contains(&format!("'static {}", tag.name))
            || seen.line(tag).contains("'static [&'static")
    }),
    ("a function that is held by a variable, and data to them", |seen, tag| {
        tag.class == Class::Data && seen.has(seen.ours, tag, Class::Callable)
    }),
    ("macros without a value", |seen, tag| {
        let line = seen.line(tag).split("/*").next().unwrap_or_default();
        tag.class == Class::Macro && line.split_whitespace().last().is_some_and(|last| last == tag.name)
    }),
    ("the outer names of a namespace that is opened with several", |seen, tag| {
        tag.class == Class::Module && seen.line(tag).contains(&format!("{}::", tag.name))
    }),
    ("properties of an object, and objects that they take for classes", |seen, tag| {
        seen.language.name() == "javascript" && ["property", "field", "class"].contains(&tag.kind.as_str())
    }),
    ("data in a function without a name, which are the function's own", |seen, tag| {
        seen.language.name() == "javascript"
            && tag.class == Class::Data
            && seen.line(tag).starts_with(char::is_whitespace)
    }),
    ("Java's records, which they take for methods", |seen, tag| {
        seen.language.name() == "java" && seen.line(tag).contains("record ")
    }),
];

/// Why we have what they have not.
pub const ONLY_OURS: &[Reason] = &[
    (BEHIND_MACROS, |seen, _| seen.broken && matches!(seen.language.name(), "c" | "cpp")),
    (NOT_UNDERSTOOD, |seen, _| seen.broken),
    ("another branch of a condition of the preprocessor, where they follow the first", |seen, tag| {
        seen.in_other_branch(tag)
    }),
    ("behind C's alignas", |seen, tag| seen.line(tag).contains("alignas")),
    ("Rust's unions, which they do not know", |seen, tag| {
        seen.language.name() == "rust"
            && seen.around(tag).any(|definition| seen.text[definition.signature.clone()].contains("union "))
    }),
    ("braces or paths in the head of a Rust function, where they expect none", |seen, tag| {
        seen.language.name() == "rust"
            && tag.class == Class::Callable
            && seen.own(tag).is_some_and(|own| {
                let head = &seen.text[own.signature.clone()];
                head.contains('{') || head.contains("pub(in")
            })
    }),
    ("C++'s names for namespaces", |seen, tag| {
        seen.language.name() == "cpp"
            && seen.line(tag).trim_start().starts_with("namespace ")
            && tag.kind == "type"
    }),
    ("TypeScript that they do not know: arrows with types, overloads, modules", |seen, tag| {
        let before = |other: &&Tag| other.line < tag.line && other.name == tag.name;
        seen.language.name() == "typescript"
            && (seen.line(tag).contains("=>")
                || tag.kind == "module"
                || seen.ours.iter().any(|other| before(&other)))
    }),
    ("Rust's constants, for which they have no kind", |seen, tag| {
        seen.language.name() == "rust" && tag.kind == "constant" && seen.line(tag).contains("const ")
    }),
    ("fields of Rust's variants", |seen, tag| {
        seen.language.name() == "rust"
            && tag.kind == "field"
            && seen.parent_kind(tag) == Some(SymbolKind::Constant)
    }),
    ("what methods give their objects", |seen, tag| {
        tag.kind == "field" && ["self.", "this."].iter().any(|own| seen.line(tag).contains(own))
    }),
    ("Python's fields and names that are declared without a value", |seen, tag| {
        let declared = |own: &Definition| !seen.text[own.span.clone()].contains('=');
        seen.language.name() == "python" && tag.class == Class::Data && seen.own(tag).is_some_and(declared)
    }),
    ("Python's names that are set under a condition, where they see but the first branch", |seen, tag| {
        seen.language.name() == "python"
            && tag.class == Class::Data
            && [" ", "\t", "try:", "if "].iter().any(|start| seen.line(tag).starts_with(start))
    }),
    ("Python's statement for a type, which is new to them", |seen, tag| {
        seen.language.name() == "python" && tag.kind == "type"
    }),
    ("a function that is held by a variable, and data to them", |seen, tag| {
        tag.class == Class::Callable && seen.has(seen.theirs, tag, Class::Data)
    }),
    ("functions called as their parser calls what reads and writes a property", |seen, tag| {
        seen.language.name() == "javascript" && ["get", "set"].contains(&tag.name.as_str())
    }),
    ("a property that holds a function, in an object that is handed over", |seen, tag| {
        seen.language.name() == "javascript" && seen.line(tag).contains(&format!("{}: (", tag.name))
    }),
    ("what is exported without a name", |_, tag| tag.name == "default"),
    ("an object that they take for a class", |seen, tag| {
        seen.language.name() == "javascript" && seen.has(seen.theirs, tag, Class::Type)
    }),
    ("Java's records and classes without a name", |seen, tag| {
        seen.language.name() == "java" && (seen.line(tag).contains("record ") || seen.in_function(tag))
    }),
    ("C++'s operators that convert", |seen, tag| seen.language.name() == "cpp" && tag.name == "operator"),
    ("they lost the thread in a string that ends with a backslash", |seen, tag| {
        seen.language.name() == "rust"
            && seen.since(tag).any(|line| line.contains("\\\\\"") || line.contains("'\"'"))
    }),
    ("they lost the thread, and find nothing more in what is around it", |seen, tag| {
        seen.language.name() != "rust" && seen.lost(tag)
    }),
];

/// A name without the signs that only one of the two counts to it.
pub fn bare(name: &str) -> String {
    name.trim_start_matches("r#").trim_start_matches('#').replace(' ', "")
}
