//! What the marks of a language's `…_uses.scm` mean, and how such a file is made ready.
//!
//! Most patterns are plain: a kind of node and what its fields are. Those are put into a table by kind, since asking a
//! table costs far less than a search. The others are left to tree-sitter's queries.

use tree_sitter::{Language as Grammar, Query};

use super::query_patterns::{Plain, forms, plain};

/// What a node is. Each belongs to one class, and of several marks of a class the last pattern's counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
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
pub(super) enum Class {
    Meaning,
    Walk,
    Block,
    Bind,
    Given,
    Count,
    List,
}

impl Head {
    pub(super) fn class(self) -> Class {
        use Head::*;
        match self {
            Skip | Types | Tokens => Class::Walk,
            Block | FunctionBlock | ClassBlock | UnownedBlock => Class::Block,
            Bind | BindAnywhere | BindHoisted | Rebind | Unbind | Receiver => Class::Bind,
            Given => Class::Given,
            Spread | Optional | NoParameter => Class::Count,
            Import | Tree | Base => Class::List,
            _ => Class::Meaning,
        }
    }
}

/// What a node is to the one that is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
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
pub(super) enum Meaning {
    Head(Head),
    Part(Part),
    /// Named for the query's own use.
    Own,
}

/// A plain pattern: what a kind of node is, and which of its fields is what.
#[derive(Debug)]
pub(super) struct Row {
    pub head: Head,
    /// Without a field it is the first named child.
    pub parts: Vec<(Option<u16>, Part)>,
}

/// A language's file, ready for use.
#[derive(Debug)]
pub(in crate::code) struct Marks {
    /// By kind of node.
    rows: Vec<Vec<Row>>,
    pub(super) query: Query,
    meanings: Vec<Meaning>,
    literals: Vec<String>,
}

impl Marks {
    /// `None` when the text is no query for the grammar, or has a capture without a meaning.
    pub(in crate::code) fn of(grammar: &Grammar, text: &str) -> Option<Self> {
        let mut literals = Vec::new();
        let mut rows: Vec<Vec<Row>> = Vec::new();
        rows.resize_with(grammar.node_kind_count() + 1, Vec::new);
        let mut rest = String::new();
        for form in forms(text) {
            let Some(Plain { kinds, fields, head }) = plain(form) else {
                rest.push_str(form);
                rest.push('\n');
                continue;
            };
            let Meaning::Head(head) = meaning(head, &mut literals)? else { return None };
            if head.class() == Class::List {
                rest.push_str(form);
                rest.push('\n');
                continue;
            }
            for kind in kinds {
                let id = grammar.id_for_node_kind(kind, true);
                let mut parts = Vec::new();
                for (field, part) in &fields {
                    let Meaning::Part(part) = meaning(part, &mut literals)? else { return None };
                    let field = match field {
                        Some(field) => Some(grammar.field_id_for_name(field)?.get()),
                        None => None,
                    };
                    parts.push((field, part));
                }
                if id == 0 {
                    return None;
                }
                rows.get_mut(usize::from(id))?.push(Row { head, parts });
            }
        }
        let query = Query::new(grammar, &rest).ok()?;
        let meanings =
            query.capture_names().iter().map(|name| meaning(name, &mut literals)).collect::<Option<_>>()?;
        Some(Self { rows, query, meanings, literals })
    }

    pub(super) fn rows(&self, kind: u16) -> &[Row] {
        self.rows.get(usize::from(kind)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn meaning(&self, capture: u32) -> Meaning {
        self.meanings.get(capture as usize).copied().unwrap_or(Meaning::Own)
    }

    pub(super) fn literal(&self, index: usize) -> &str {
        self.literals.get(index).map_or("", String::as_str)
    }
}

fn meaning(name: &str, literals: &mut Vec<String>) -> Option<Meaning> {
    if let Some(of) = name.strip_prefix("literal.") {
        let known = literals.iter().position(|known| known == of);
        let index = known.unwrap_or_else(|| {
            literals.push(of.to_owned());
            literals.len() - 1
        });
        return Some(Meaning::Head(Head::Literal(index)));
    }
    let head = |head| Some(Meaning::Head(head));
    let part = |part| Some(Meaning::Part(part));
    match name {
        "own" => head(Head::Own),
        "super" => head(Head::Super),
        "word" => head(Head::Word),
        "value.name" => head(Head::Name),
        "value.member" => head(Head::Member),
        "value.path" => head(Head::Path),
        "value.call" => head(Head::Call),
        "value.invoke" => head(Head::Invoke),
        "value.make" => head(Head::Make),
        "value.cast" => head(Head::Cast),
        "value.inner" => head(Head::Inner),
        "through" => head(Head::Through),
        "type.name" => head(Head::TypeName),
        "type.path" => head(Head::TypePath),
        "type.wrapper" => head(Head::Wrapper),
        "type.holder" => head(Head::Holder),
        "type.builtin" => head(Head::Builtin),
        "silent" => head(Head::Silent),
        "pattern" => head(Head::Pattern),
        "skip" => head(Head::Skip),
        "types" => head(Head::Types),
        "tokens" => head(Head::Tokens),
        "block" => head(Head::Block),
        "block.function" => head(Head::FunctionBlock),
        "block.class" => head(Head::ClassBlock),
        "block.unowned" => head(Head::UnownedBlock),
        "bind" => head(Head::Bind),
        "bind.anywhere" => head(Head::BindAnywhere),
        "bind.hoisted" => head(Head::BindHoisted),
        "rebind" => head(Head::Rebind),
        "unbind" => head(Head::Unbind),
        "receiver" => head(Head::Receiver),
        "given" => head(Head::Given),
        "spread" => head(Head::Spread),
        "optional" => head(Head::Optional),
        "parameter.none" => head(Head::NoParameter),
        "import" => head(Head::Import),
        "tree" => head(Head::Tree),
        "base" => head(Head::Base),
        "of" => part(Part::Of),
        "member" => part(Part::Member),
        "callee" => part(Part::Callee),
        "arguments" => part(Part::Arguments),
        "type" => part(Part::Type),
        "inner" => part(Part::Inner),
        "outer" => part(Part::Outer),
        "bind.name" => part(Part::BindName),
        "bind.other" => part(Part::BindOther),
        "bind.type" => part(Part::BindType),
        "bind.value" => part(Part::BindValue),
        "bind.inner" => part(Part::BindInner),
        "gives" => part(Part::Gives),
        "gives.value" => part(Part::GivesValue),
        "takes" => part(Part::Takes),
        "module" => part(Part::Module),
        "name" => part(Part::Name),
        "known_as" => part(Part::KnownAs),
        "all" => part(Part::All),
        "default" => part(Part::Default),
        "handed_on" => part(Part::HandedOn),
        "heir" => part(Part::Heir),
        inner if inner.starts_with('_') => Some(Meaning::Own),
        _ => None,
    }
}
