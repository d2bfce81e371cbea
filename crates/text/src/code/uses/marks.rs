//! What the marks of a language's `…_uses.scm` mean, and how such a file is made ready.
//!
//! Most patterns are plain: a kind of node and what its fields are. Those are put into a table by kind, since asking a
//! table costs far less than a search. The others are searched for.

use tree_sitter::Language as Grammar;

use crate::code::patterns::PatternSet;

use super::query_patterns::{PlainPattern, parse_plain_pattern, split_patterns};

/// What a node is. Each belongs to one class, and of several marks of a class the last pattern's counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadKind {
    Own,
    Super,
    /// A name that is no mention: `crate`.
    Word,
    Name,
    Member,
    Path,
    Call,
    /// A call of a member, or of a plain name, in one node.
    Invoke,
    Make,
    /// A value of a type of the language's own, by its place in the list of them.
    Literal(usize),
    Cast,
    Through,
    Inner,
    TypeName,
    TypePath,
    Wrapper,
    /// A type that is as good as what it holds: a pointer of a library.
    Holder,
    Builtin,
    Silent,
    Pattern,

    Skip,
    Types,
    Tokens,

    Block,
    FunctionBlock,
    ClassBlock,
    UnownedBlock,

    Bind,
    BindAnywhere,
    BindHoisted,
    Rebind,
    Unbind,
    Receiver,

    Given,

    Spread,
    Optional,
    NoParameter,

    Import,
    Tree,
    Base,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadClass {
    Meaning,
    Walk,
    Block,
    Bind,
    Given,
    Count,
    List,
}

impl HeadKind {
    pub(super) fn class(self) -> HeadClass {
        use HeadKind::*;
        match self {
            Skip | Types | Tokens => HeadClass::Walk,
            Block | FunctionBlock | ClassBlock | UnownedBlock => HeadClass::Block,
            Bind | BindAnywhere | BindHoisted | Rebind | Unbind | Receiver => HeadClass::Bind,
            Given => HeadClass::Given,
            Spread | Optional | NoParameter => HeadClass::Count,
            Import | Tree | Base => HeadClass::List,
            _ => HeadClass::Meaning,
        }
    }
}

/// What a node is to the one that is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    Of,
    Member,
    Callee,
    Arguments,
    Type,
    Inner,
    Outer,
    BindName,
    /// Another name that is bound beside it, to who knows what.
    BindOther,
    BindType,
    BindValue,
    BindInner,
    Gives,
    GivesValue,
    Takes,
    Module,
    Name,
    KnownAs,
    All,
    Default,
    HandedOn,
    Heir,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CaptureMeaning {
    Head(HeadKind),
    Part(PartKind),
    /// Named for the query's own use.
    Own,
}

/// A plain pattern: what a kind of node is, and which of its fields is what.
#[derive(Debug)]
pub(super) struct MarkRow {
    pub head: HeadKind,
    /// Without a field it is the first named child.
    pub parts: Vec<(Option<u16>, PartKind)>,
}

/// A language's file, ready for use.
#[derive(Debug)]
pub(in crate::code) struct UseMarks {
    /// By kind of node.
    rows: Vec<Vec<MarkRow>>,
    pub(super) patterns: PatternSet,
    meanings: Vec<CaptureMeaning>,
    literals: Vec<String>,
}

impl UseMarks {
    /// `None` when the text is no query for the grammar, or has a capture without a meaning.
    pub(in crate::code) fn parse(grammar: &Grammar, text: &str) -> Option<Self> {
        let mut literals = Vec::new();
        let mut rows: Vec<Vec<MarkRow>> = Vec::new();
        rows.resize_with(grammar.node_kind_count() + 1, Vec::new);
        let mut rest = String::new();
        for form in split_patterns(text) {
            let Some(PlainPattern { kinds, fields, head }) = parse_plain_pattern(form) else {
                rest.push_str(form);
                rest.push('\n');
                continue;
            };
            let CaptureMeaning::Head(head) = meaning(head, &mut literals)? else { return None };
            if head.class() == HeadClass::List {
                rest.push_str(form);
                rest.push('\n');
                continue;
            }
            for kind in kinds {
                let id = grammar.id_for_node_kind(kind, true);
                let mut parts = Vec::new();
                for (field, part) in &fields {
                    let CaptureMeaning::Part(part) = meaning(part, &mut literals)? else { return None };
                    let field = match field {
                        Some(field) => Some(grammar.field_id_for_name(field)?.get()),
                        None => None,
                    };
                    parts.push((field, part));
                }
                if id == 0 {
                    return None;
                }
                rows.get_mut(usize::from(id))?.push(MarkRow { head, parts });
            }
        }
        let patterns = PatternSet::parse(grammar, &rest)?;
        let meanings = patterns
            .capture_names()
            .iter()
            .map(|name| meaning(name, &mut literals))
            .collect::<Option<_>>()?;
        Some(Self { rows, patterns, meanings, literals })
    }

    pub(super) fn rows(&self, kind: u16) -> &[MarkRow] {
        self.rows.get(usize::from(kind)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn meaning(&self, capture: u32) -> CaptureMeaning {
        self.meanings.get(capture as usize).copied().unwrap_or(CaptureMeaning::Own)
    }

    pub(super) fn literal(&self, index: usize) -> &str {
        self.literals.get(index).map_or("", String::as_str)
    }
}

/// What a capture of this name means; a literal gets its place in the list of them.
fn meaning(name: &str, literals: &mut Vec<String>) -> Option<CaptureMeaning> {
    if let Some(of) = name.strip_prefix("literal.") {
        let known = literals.iter().position(|known| known == of);
        let index = known.unwrap_or_else(|| {
            literals.push(of.to_owned());
            literals.len() - 1
        });
        return Some(CaptureMeaning::Head(HeadKind::Literal(index)));
    }
    if name.starts_with('_') {
        return Some(CaptureMeaning::Own);
    }
    let head = HEADS.iter().find(|(known, _)| *known == name).map(|(_, head)| CaptureMeaning::Head(*head));
    head.or_else(|| {
        PARTS.iter().find(|(known, _)| *known == name).map(|(_, part)| CaptureMeaning::Part(*part))
    })
}

/// The captures that say what a node is.
const HEADS: &[(&str, HeadKind)] = &[
    ("own", HeadKind::Own),
    ("super", HeadKind::Super),
    ("word", HeadKind::Word),
    ("value.name", HeadKind::Name),
    ("value.member", HeadKind::Member),
    ("value.path", HeadKind::Path),
    ("value.call", HeadKind::Call),
    ("value.invoke", HeadKind::Invoke),
    ("value.make", HeadKind::Make),
    ("value.cast", HeadKind::Cast),
    ("value.inner", HeadKind::Inner),
    ("through", HeadKind::Through),
    ("type.name", HeadKind::TypeName),
    ("type.path", HeadKind::TypePath),
    ("type.wrapper", HeadKind::Wrapper),
    ("type.holder", HeadKind::Holder),
    ("type.builtin", HeadKind::Builtin),
    ("silent", HeadKind::Silent),
    ("pattern", HeadKind::Pattern),
    ("skip", HeadKind::Skip),
    ("types", HeadKind::Types),
    ("tokens", HeadKind::Tokens),
    ("block", HeadKind::Block),
    ("block.function", HeadKind::FunctionBlock),
    ("block.class", HeadKind::ClassBlock),
    ("block.unowned", HeadKind::UnownedBlock),
    ("bind", HeadKind::Bind),
    ("bind.anywhere", HeadKind::BindAnywhere),
    ("bind.hoisted", HeadKind::BindHoisted),
    ("rebind", HeadKind::Rebind),
    ("unbind", HeadKind::Unbind),
    ("receiver", HeadKind::Receiver),
    ("given", HeadKind::Given),
    ("spread", HeadKind::Spread),
    ("optional", HeadKind::Optional),
    ("parameter.none", HeadKind::NoParameter),
    ("import", HeadKind::Import),
    ("tree", HeadKind::Tree),
    ("base", HeadKind::Base),
];

/// The captures that say what a node is to the one that is marked.
const PARTS: &[(&str, PartKind)] = &[
    ("of", PartKind::Of),
    ("member", PartKind::Member),
    ("callee", PartKind::Callee),
    ("arguments", PartKind::Arguments),
    ("type", PartKind::Type),
    ("inner", PartKind::Inner),
    ("outer", PartKind::Outer),
    ("bind.name", PartKind::BindName),
    ("bind.other", PartKind::BindOther),
    ("bind.type", PartKind::BindType),
    ("bind.value", PartKind::BindValue),
    ("bind.inner", PartKind::BindInner),
    ("gives", PartKind::Gives),
    ("gives.value", PartKind::GivesValue),
    ("takes", PartKind::Takes),
    ("module", PartKind::Module),
    ("name", PartKind::Name),
    ("known_as", PartKind::KnownAs),
    ("all", PartKind::All),
    ("default", PartKind::Default),
    ("handed_on", PartKind::HandedOn),
    ("heir", PartKind::Heir),
];
