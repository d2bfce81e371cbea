//! What a code file defines and uses, as bytes: reading it is most of what a question about the graph costs.
//!
//! First each string once, then the definitions, mentions, imports and bases in numbers. Everything that refers to a string is
//! its number.

use std::collections::HashMap;

use wellread_core::ports::Structure;
use wellread_text::{
    Definition, ExprValue, Import, Inheritance, Mention, MentionRole, NameAccess, Span, SymbolKind, Uses,
};

use super::varint::{push_varint, read_varint};

/// How deeply values may be nested. What is deeper is unknown.
const DEEPEST: usize = 100;

const ROLES: [MentionRole; 4] = [MentionRole::Call, MentionRole::Make, MentionRole::Type, MentionRole::Value];

const PLAIN: usize = 0;
const LOCAL: usize = 1;
const MEMBER_OF: usize = 2;

const UNKNOWN: usize = 0;
const OWN: usize = 1;
const SUPER: usize = 2;
const TYPED: usize = 3;
const NAMED: usize = 4;
const CALLED: usize = 5;
const MEMBER: usize = 6;
const INNER: usize = 7;

/// A structure as it is stored.
pub fn pack_structure(structure: &Structure) -> Vec<u8> {
    let mut packer = Packer::default();
    packer.list(&structure.definitions, Packer::definition);
    packer.list(&structure.uses.mentions, Packer::mention);
    packer.list(&structure.uses.imports, Packer::import);
    packer.list(&structure.uses.bases, Packer::inheritance);
    packer.finish()
}

/// Reads a structure; `None` if the bytes are damaged.
pub fn unpack_structure(bytes: &[u8]) -> Option<Structure> {
    let mut unpacker = Unpacker::new(bytes)?;
    let structure = Structure {
        definitions: unpacker.list(Unpacker::definition)?,
        uses: Uses {
            mentions: unpacker.list(Unpacker::mention)?,
            imports: unpacker.list(Unpacker::import)?,
            bases: unpacker.list(Unpacker::inheritance)?,
        },
    };
    unpacker.rest.is_empty().then_some(structure)
}

#[derive(Default)]
struct Packer<'a> {
    numbers: HashMap<&'a str, usize>,
    strings: Vec<&'a str>,
    body: Vec<u8>,
}

impl<'a> Packer<'a> {
    fn finish(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.body.len() + self.strings.len() * 12);
        push_varint(&mut bytes, self.strings.len() as u64);
        for string in self.strings {
            push_varint(&mut bytes, string.len() as u64);
            bytes.extend_from_slice(string.as_bytes());
        }
        bytes.extend_from_slice(&self.body);
        bytes
    }

    fn number(&mut self, number: usize) {
        push_varint(&mut self.body, number as u64);
    }

    fn option(&mut self, number: Option<usize>) {
        self.number(number.map_or(0, |number| number + 1));
    }

    fn intern(&mut self, string: &'a str) -> usize {
        *self.numbers.entry(string).or_insert_with(|| {
            self.strings.push(string);
            self.strings.len() - 1
        })
    }

    fn string(&mut self, string: &'a str) {
        let number = self.intern(string);
        self.number(number);
    }

    fn optional_string(&mut self, string: Option<&'a String>) {
        let number = string.map(|string| self.intern(string));
        self.option(number);
    }

    fn list<T>(&mut self, all: &'a [T], pack: impl Fn(&mut Self, &'a T)) {
        self.number(all.len());
        all.iter().for_each(|one| pack(self, one));
    }

    fn path(&mut self, path: &'a [String]) {
        self.list(path, |packer, part| packer.string(part));
    }

    fn span(&mut self, span: &Span) {
        self.number(span.start);
        self.number(span.end.saturating_sub(span.start));
    }

    fn definition(&mut self, definition: &'a Definition) {
        let Definition { name, name_span, qualified, kind, span, lines, doc, signature, .. } = definition;
        self.string(name);
        self.span(name_span);
        self.string(qualified);
        self.number(SymbolKind::ALL.iter().position(|known| known == kind).unwrap_or_default());
        self.span(span);
        self.number(lines.0);
        self.number(lines.1.saturating_sub(lines.0));
        self.list(doc.as_slice(), Self::span);
        self.span(signature);
        self.option(definition.parent);
        self.number(definition.has_body.into());
        self.list(definition.gives.as_slice(), |packer, path| packer.path(path));
        self.list(definition.takes.as_slice(), |packer, (least, most)| {
            packer.number(*least);
            packer.option(*most);
        });
    }

    fn mention(&mut self, mention: &'a Mention) {
        self.string(&mention.name);
        let role = ROLES.iter().position(|known| *known == mention.role).unwrap_or_default();
        let access = match &mention.reached {
            NameAccess::Plain => PLAIN,
            NameAccess::Local => LOCAL,
            NameAccess::Member(_) => MEMBER_OF,
        };
        self.number(role + access * ROLES.len());
        if let NameAccess::Member(value) = &mention.reached {
            self.value(value, 0);
        }
        self.span(&mention.span);
        self.number(mention.line);
        self.option(mention.within);
        self.option(mention.arguments);
    }

    fn value(&mut self, value: &'a ExprValue, depth: usize) {
        if depth > DEEPEST {
            return self.number(UNKNOWN);
        }
        match value {
            ExprValue::Unknown => self.number(UNKNOWN),
            ExprValue::Own => self.number(OWN),
            ExprValue::Super => self.number(SUPER),
            ExprValue::Typed(path) => {
                self.number(TYPED);
                self.path(path);
            }
            ExprValue::Named(path) => {
                self.number(NAMED);
                self.path(path);
            }
            ExprValue::Called(inner) => {
                self.number(CALLED);
                self.value(inner, depth + 1);
            }
            ExprValue::Member(inner, name) => {
                self.number(MEMBER);
                self.string(name);
                self.value(inner, depth + 1);
            }
            ExprValue::Inner(inner) => {
                self.number(INNER);
                self.value(inner, depth + 1);
            }
        }
    }

    fn import(&mut self, import: &'a Import) {
        self.string(&import.module);
        self.optional_string(import.name.as_ref());
        self.optional_string(import.known_as.as_ref());
        self.span(&import.span);
        self.number(import.line);
        self.option(import.within);
        self.number(import.handed_on.into());
    }

    fn inheritance(&mut self, inheritance: &'a Inheritance) {
        self.path(&inheritance.heir);
        self.path(&inheritance.of);
        self.number(inheritance.line);
    }
}

struct Unpacker<'a> {
    strings: Vec<&'a str>,
    rest: &'a [u8],
}

impl<'a> Unpacker<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let mut unpacker = Self { strings: Vec::new(), rest: bytes };
        unpacker.strings = unpacker.list(|unpacker| {
            let length = unpacker.number()?;
            let (string, rest) = unpacker.rest.split_at_checked(length)?;
            unpacker.rest = rest;
            std::str::from_utf8(string).ok()
        })?;
        Some(unpacker)
    }

    fn number(&mut self) -> Option<usize> {
        usize::try_from(read_varint(&mut self.rest)?).ok()
    }

    fn option(&mut self) -> Option<Option<usize>> {
        Some(self.number()?.checked_sub(1))
    }

    fn flag(&mut self) -> Option<bool> {
        Some(self.number()? != 0)
    }

    fn string(&mut self) -> Option<String> {
        let number = self.number()?;
        self.strings.get(number).map(|&string| string.to_owned())
    }

    fn optional_string(&mut self) -> Option<Option<String>> {
        let Some(number) = self.option()? else { return Some(None) };
        self.strings.get(number).map(|&string| Some(string.to_owned()))
    }

    /// Every element has a byte at least, so a length beyond what is left is damage.
    fn list<T>(&mut self, unpack: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number().filter(|count| *count <= self.rest.len())?;
        let mut all = Vec::with_capacity(count);
        for _ in 0..count {
            all.push(unpack(self)?);
        }
        Some(all)
    }

    fn at_most_one<T>(&mut self, unpack: impl Fn(&mut Self) -> Option<T>) -> Option<Option<T>> {
        Some(self.list(unpack)?.pop())
    }

    fn path(&mut self) -> Option<Vec<String>> {
        self.list(Self::string)
    }

    fn span(&mut self) -> Option<Span> {
        let start = self.number()?;
        Some(start..start.checked_add(self.number()?)?)
    }

    fn definition(&mut self) -> Option<Definition> {
        Some(Definition {
            name: self.string()?,
            name_span: self.span()?,
            qualified: self.string()?,
            kind: *SymbolKind::ALL.get(self.number()?)?,
            span: self.span()?,
            lines: {
                let first = self.number()?;
                (first, first.checked_add(self.number()?)?)
            },
            doc: self.at_most_one(Self::span)?,
            signature: self.span()?,
            parent: self.option()?,
            has_body: self.flag()?,
            gives: self.at_most_one(Self::path)?,
            takes: self.at_most_one(|unpacker| Some((unpacker.number()?, unpacker.option()?)))?,
        })
    }

    fn mention(&mut self) -> Option<Mention> {
        let name = self.string()?;
        let form = self.number()?;
        let reached = match form / ROLES.len() {
            PLAIN => NameAccess::Plain,
            LOCAL => NameAccess::Local,
            MEMBER_OF => NameAccess::Member(self.value(0)?),
            _ => return None,
        };
        Some(Mention {
            name,
            role: ROLES[form % ROLES.len()],
            reached,
            span: self.span()?,
            line: self.number()?,
            within: self.option()?,
            arguments: self.option()?,
        })
    }

    fn value(&mut self, depth: usize) -> Option<ExprValue> {
        if depth > DEEPEST + 1 {
            return None;
        }
        Some(match self.number()? {
            UNKNOWN => ExprValue::Unknown,
            OWN => ExprValue::Own,
            SUPER => ExprValue::Super,
            TYPED => ExprValue::Typed(self.path()?),
            NAMED => ExprValue::Named(self.path()?),
            CALLED => ExprValue::Called(Box::new(self.value(depth + 1)?)),
            MEMBER => {
                let name = self.string()?;
                ExprValue::Member(Box::new(self.value(depth + 1)?), name)
            }
            INNER => ExprValue::Inner(Box::new(self.value(depth + 1)?)),
            _ => return None,
        })
    }

    fn import(&mut self) -> Option<Import> {
        Some(Import {
            module: self.string()?,
            name: self.optional_string()?,
            known_as: self.optional_string()?,
            span: self.span()?,
            line: self.number()?,
            within: self.option()?,
            handed_on: self.flag()?,
        })
    }

    fn inheritance(&mut self) -> Option<Inheritance> {
        Some(Inheritance { heir: self.path()?, of: self.path()?, line: self.number()? })
    }
}

#[cfg(test)]
mod tests {
    use wellread_text::{Language, analyze_code};

    use super::*;

    const SAMPLES: [(&str, &str); 3] = [
        (
            "rust",
            "use a::b as c;\n/// Doc.\npub struct S<T> { t: Option<T> }\nimpl Open for S { fn open(&self, n: u8) -> Self { self.t.inner().x(c(n), 2); S::new() } }\n",
        ),
        (
            "python",
            "from .m import f as g, *\nclass A(B):\n    def run(self, a, b=1, *c):\n        '''Doc ü.'''\n        super().run(g(a)); return self.x.y(A())\n",
        ),
        (
            "typescript",
            "export * from './m';\nexport class A extends B<C> implements D { private x: E[] = []; run(): Promise<E> { return this.x.map(f).at(1) } }\n",
        ),
    ];

    fn analyze((language, text): (&str, &str)) -> Structure {
        let read = analyze_code(text, Language::from_name(language));
        Structure { definitions: read.outline.definitions, uses: read.uses }
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        for sample in SAMPLES {
            let structure = analyze(sample);
            assert!(!structure.definitions.is_empty() && !structure.uses.mentions.is_empty());
            assert_eq!(unpack_structure(&pack_structure(&structure)).as_ref(), Some(&structure));
        }
        let empty = Structure::default();
        assert_eq!(unpack_structure(&pack_structure(&empty)), Some(empty));
    }

    #[test]
    fn values_are_cut_where_they_are_nested_too_deeply() {
        let mut structure = analyze(SAMPLES[0]);
        let mut value = ExprValue::Own;
        for _ in 0..5000 {
            value = ExprValue::Called(Box::new(value));
        }
        structure.uses.mentions[0].reached = NameAccess::Member(value);
        let packed = pack_structure(&structure);
        let unpacked = unpack_structure(&packed).unwrap();
        assert_eq!(pack_structure(&unpacked), packed);
        // A file of nothing but nesting ends as damage, and not as a full stack.
        let mut endless = vec![1, 1, b'a', 0, 1, 0, (MEMBER_OF * ROLES.len()) as u8];
        endless.resize(1_000_000, CALLED as u8);
        assert_eq!(unpack_structure(&endless), None);
    }

    #[test]
    fn damage_is_noticed_or_harmless() {
        for sample in SAMPLES {
            let packed = pack_structure(&analyze(sample));
            for length in 0..packed.len() {
                assert_eq!(unpack_structure(&packed[..length]), None);
            }
            for at in 0..packed.len() {
                for bit in 0..8 {
                    let mut damaged = packed.clone();
                    damaged[at] ^= 1 << bit;
                    // Any other structure may come out, but nothing may break.
                    drop(unpack_structure(&damaged));
                }
            }
        }
    }
}
