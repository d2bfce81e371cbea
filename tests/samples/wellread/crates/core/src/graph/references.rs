//! Every place that speaks of a symbol, called or not.

use schemars::JsonSchema;
use serde::Serialize;
use wellread_text::{Role, Span};

use super::files::Spot;
use super::resolve::Landed;
use super::{Certainty, Graph, Unresolved, Why};
use crate::Result;
use crate::codebase::Symbol;

const ROLES: [Role; 4] = [Role::Call, Role::Make, Role::Type, Role::Value];

/// A place that speaks of a symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reference {
    pub path: String,
    pub line: usize,
    /// Of the name, in bytes of the file.
    #[serde(skip)]
    #[schemars(skip)]
    pub span: Span,
    /// `call`, `make`, `type`, `value` or `import`.
    pub role: String,
    pub certainty: Certainty,
    pub why: Why,
    /// The definition that it stands in.
    pub from: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Referenced {
    /// By path and line.
    pub places: Vec<Reference>,
    /// Places that may speak of it.
    pub unknown: Vec<Unresolved>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Graph<'_> {
    pub fn references(&self, symbol: &Symbol) -> Result<Referenced> {
        let spot = self.spot(symbol)?;
        let users = self.users(spot)?;
        let (mut places, mut unknown) = (Vec::new(), Vec::new());
        for (file, index, landed) in self.mentions_of(spot, &users, &ROLES)? {
            let Some(read) = self.files.read(file)? else { continue };
            let mention = &read.uses().mentions[index];
            let from = Spot { file, at: read.runner(index) };
            match landed {
                Landed::On(_, certainty, why) => places.push(Reference {
                    path: self.files.path(file).as_str().to_owned(),
                    line: mention.line,
                    span: mention.span.clone(),
                    role: role(mention.role).to_owned(),
                    certainty,
                    why,
                    from: self.id(from)?,
                }),
                Landed::Among(candidates, why) => {
                    let name = mention.name.clone();
                    let open = super::edges::Open { from, name, file, line: mention.line, candidates, why };
                    unknown.push(self.unresolved(&open)?);
                }
                Landed::Nowhere => {}
            }
        }
        for &file in &users.files {
            let Some(read) = self.files.read(file)? else { continue };
            for arc in self.imports(file)?.iter().filter(|arc| arc.to == spot) {
                let import = read.uses().imports.iter().find(|import| import.line == arc.line);
                places.push(Reference {
                    path: self.files.path(file).as_str().to_owned(),
                    line: arc.line,
                    span: import.map(|import| import.span.clone()).unwrap_or_default(),
                    role: "import".to_owned(),
                    certainty: arc.certainty,
                    why: arc.why,
                    from: self.id(Spot::module(file))?,
                });
            }
        }
        places.sort_by(|one, other| {
            let key =
                |place: &Reference| (place.path.clone(), place.line, place.span.start, place.role.clone());
            key(one).cmp(&key(other))
        });
        places.dedup();
        let left_out = users.left_out;
        let notice = (left_out > 0)
            .then(|| format!("{left_out} further files have a name like it and were not looked at"));
        Ok(Referenced { places, unknown, notice })
    }
}

pub(super) fn role(role: Role) -> &'static str {
    match role {
        Role::Call => "call",
        Role::Make => "make",
        Role::Type => "type",
        Role::Value => "value",
    }
}
