//! All uses of a symbol: calls, types, values and imports.

use schemars::JsonSchema;
use serde::Serialize;
use wellread_text::{MentionRole, Span};

use super::files::NodeKey;
use super::resolve::MentionTarget;
use super::{Certainty, EdgeReason, Graph, UnresolvedUse};
use crate::Result;
use crate::code::codebase::CodeSymbol;

const ROLES: [MentionRole; 4] = [MentionRole::Call, MentionRole::Make, MentionRole::Type, MentionRole::Value];

/// A use of a symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reference {
    /// The file with the use.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The range of the name, in bytes of the file.
    #[serde(skip)]
    #[schemars(skip)]
    pub span: Span,
    /// `call`, `make`, `type`, `value` or `import`.
    pub role: String,
    /// How certain it is.
    pub certainty: Certainty,
    /// How the name was resolved.
    pub why: EdgeReason,
    /// The id of the definition that contains the use.
    pub from: String,
}

/// The uses of a symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SymbolReferences {
    /// The uses, sorted by path and line.
    pub places: Vec<Reference>,
    /// Uses of the name that may refer to it.
    pub unknown: Vec<UnresolvedUse>,
    /// A notice for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Graph<'_> {
    /// Every use of a symbol, and uses that may refer to it.
    pub fn references(&self, symbol: &CodeSymbol) -> Result<SymbolReferences> {
        let spot = self.node_key(symbol)?;
        let users = self.find_usage_files(spot)?;
        let (mut places, mut unknown) = (Vec::new(), Vec::new());
        for (file, index, landed) in self.find_mentions(spot, &users, &ROLES)? {
            let Some(read) = self.files.read(file)? else { continue };
            let mention = &read.uses().mentions[index];
            let from = NodeKey { file, at: read.runner(index) };
            match landed {
                MentionTarget::On(_, certainty, why) => places.push(Reference {
                    path: self.files.path(file).as_str().to_owned(),
                    line: mention.line,
                    span: mention.span.clone(),
                    role: role_name(mention.role).to_owned(),
                    certainty,
                    why,
                    from: self.id(from)?,
                }),
                MentionTarget::Among(candidates, why) => {
                    let name = mention.name.clone();
                    let open = super::edges::UnresolvedMention {
                        from,
                        name,
                        file,
                        line: mention.line,
                        candidates,
                        why,
                    };
                    unknown.push(self.unresolved_use(&open)?);
                }
                MentionTarget::Nowhere => {}
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
                    from: self.id(NodeKey::module(file))?,
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
            .then(|| format!("{left_out} more files contain a similar name and were not searched"));
        Ok(SymbolReferences { places, unknown, notice })
    }
}

pub(super) fn role_name(role: MentionRole) -> &'static str {
    match role {
        MentionRole::Call => "call",
        MentionRole::Make => "make",
        MentionRole::Type => "type",
        MentionRole::Value => "value",
    }
}
