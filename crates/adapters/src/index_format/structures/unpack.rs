//! Bytes become a structure, or are damaged.

use wellread_core::ports::Structure;
use wellread_text::{
    Definition, ExprValue, Import, Inheritance, Mention, NameAccess, Span, SymbolKind, Uses,
};

use super::{
    CALLED, DEEPEST, INNER, LOCAL, MEMBER, MEMBER_OF, NAMED, OWN, PLAIN, ROLES, SUPER, TYPED, UNKNOWN,
};
use crate::index_format::varint::read_varint;

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
