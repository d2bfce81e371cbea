//! A structure becomes bytes.

use std::collections::HashMap;

use wellread_core::ports::Structure;
use wellread_text::{Definition, ExprValue, Import, Inheritance, Mention, NameAccess, Span, SymbolKind};

use super::{
    CALLED, DEEPEST, INNER, LOCAL, MEMBER, MEMBER_OF, NAMED, OWN, PLAIN, ROLES, SUPER, TYPED, UNKNOWN,
};
use crate::index_format::varint::push_varint;

/// A structure as it is stored.
pub fn pack_structure(structure: &Structure) -> Vec<u8> {
    let mut packer = Packer::default();
    packer.list(&structure.definitions, Packer::definition);
    packer.list(&structure.uses.mentions, Packer::mention);
    packer.list(&structure.uses.imports, Packer::import);
    packer.list(&structure.uses.bases, Packer::inheritance);
    packer.finish()
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
