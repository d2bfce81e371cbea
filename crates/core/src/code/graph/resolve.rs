//! Resolves a mention to one definition, to several candidates, or to nothing in the repository.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use wellread_text::{CargoManifest, ExprValue, Mention, MentionRole, NameAccess, SymbolKind};

use super::bases::InheritanceEdge;
use super::files::NodeKey;
use super::meaning::{Meaning, NameQuery, NameScope, Referent, WantedKind, is_callable, is_data, is_type};
use super::{Certainty, EdgeReason, Graph, builtin, edges};
use crate::Result;

/// What was computed for this query already.
#[derive(Default)]
pub(super) struct GraphCache {
    pub owners: RefCell<HashMap<NodeKey, Option<NodeKey>>>,
    pub lineages: RefCell<HashMap<NodeKey, Arc<Vec<Option<NodeKey>>>>>,
    pub included: RefCell<HashMap<usize, Arc<BTreeSet<usize>>>>,
    /// The nearest manifest above each folder.
    pub manifests: RefCell<HashMap<String, Arc<CargoManifest>>>,
    pub crates: RefCell<Option<Arc<BTreeMap<String, usize>>>>,
    /// Glob imports that are being resolved at the moment, by file and index; prevents endless recursion.
    pub globs: RefCell<HashSet<(usize, usize)>>,
    landed: RefCell<HashMap<(usize, usize), MentionTarget>>,
    pub built: RefCell<HashMap<usize, Arc<Vec<InheritanceEdge>>>>,
    pub imports: RefCell<HashMap<usize, Arc<Vec<edges::RawEdge>>>>,
}

impl GraphCache {
    /// Whether results can be cached: no glob import is being resolved that lookups would skip.
    pub fn is_complete(&self) -> bool {
        self.globs.borrow().is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MentionTarget {
    On(NodeKey, Certainty, EdgeReason),
    /// One of these, or none of them.
    Among(Vec<NodeKey>, EdgeReason),
    /// Nothing in this repository.
    Nowhere,
}

impl Graph<'_> {
    /// What a file's mention with this index refers to.
    pub(super) fn resolve_mention(&self, file: usize, mention: usize) -> Result<MentionTarget> {
        if let Some(known) = self.cache.landed.borrow().get(&(file, mention)) {
            return Ok(known.clone());
        }
        let Some(read) = self.files.read(file)? else { return Ok(MentionTarget::Nowhere) };
        let Some(found) = read.uses().mentions.get(mention) else { return Ok(MentionTarget::Nowhere) };
        let landed = self.resolve_uncached(file, found)?;
        self.cache.landed.borrow_mut().insert((file, mention), landed.clone());
        Ok(landed)
    }

    fn resolve_uncached(&self, file: usize, mention: &Mention) -> Result<MentionTarget> {
        let scope = NameScope { file, within: mention.within };
        let functions_make =
            self.files.language(file).is_some_and(|language| language.names.functions_make_values);
        let want = match mention.role {
            MentionRole::Call => WantedKind::Callee,
            MentionRole::Make if functions_make => WantedKind::Callee,
            MentionRole::Make | MentionRole::Type => WantedKind::Type,
            MentionRole::Value => WantedKind::Data,
        };
        let name = mention.name.trim_end_matches('!');
        let query = NameQuery { name, want, arguments: mention.arguments };
        if let Some(made) = self.resolve_constructor_keyword(scope, mention)? {
            return Ok(made);
        }
        let meaning = match &mention.reached {
            NameAccess::Local => return Ok(MentionTarget::Nowhere),
            NameAccess::Plain => self.resolve_plain_name(scope, query)?,
            NameAccess::Member(of) => match self.resolve_value(scope, of, WantedKind::Container)? {
                Meaning::Unknown => return self.resolve_by_name(file, mention, query),
                Meaning::Handed => return self.guess_by_name(file, mention, query),
                Meaning::Foreign => return Ok(MentionTarget::Nowhere),
                found => self.resolve_member(of, &found, query)?,
            },
        };
        match meaning {
            Meaning::Found(found) => {
                let spots = self.collect_targets(&found.things, query, mention)?;
                Ok(match spots.as_slice() {
                    [] => MentionTarget::Nowhere,
                    [one] => MentionTarget::On(*one, found.certainty, found.why),
                    _ => MentionTarget::Among(spots, EdgeReason::SeveralFit),
                })
            }
            Meaning::Unknown if matches!(mention.reached, NameAccess::Member(_)) => {
                self.resolve_by_name(file, mention, query)
            }
            Meaning::Unknown | Meaning::Handed | Meaning::Foreign => Ok(MentionTarget::Nowhere),
        }
    }

    /// A member of what was found; after `super`, that of the first base that has it.
    fn resolve_member(&self, of: &ExprValue, found: &Meaning, query: NameQuery<'_>) -> Result<Meaning> {
        let Meaning::Found(all) = found else { return Ok(found.clone()) };
        if *of != ExprValue::Super {
            return self.members(found, query);
        }
        let mut last = Meaning::Foreign;
        for thing in &all.things {
            last = self.members(&Meaning::single(thing.clone(), all.certainty, all.why), query)?;
            if let Meaning::Found(found) = &mut last {
                // `super` means exactly this member, even if heirs override it.
                if found.why == EdgeReason::Overridden {
                    (found.certainty, found.why) = (Certainty::Certain, EdgeReason::Inherited);
                }
                return Ok(last.with_reason(EdgeReason::Inherited));
            }
        }
        Ok(last)
    }

    fn resolve_plain_name(&self, scope: NameScope, query: NameQuery<'_>) -> Result<Meaning> {
        let meaning = self.lookup(scope, query)?;
        if meaning != Meaning::Unknown {
            return Ok(meaning);
        }
        let Some(language) = self.files.language(scope.file) else { return Ok(meaning) };
        // In a language without explicit imports, the only definition with that name is likely meant.
        if !language.names.unimported_names || builtin::is_common(language, query.name) {
            return Ok(meaning);
        }
        let mut found = Vec::new();
        for &spot in self.files.find_definitions(query.name)?.iter() {
            let Some(file) = self.files.read(spot.file)? else { continue };
            let Some(definition) = file.definition(spot.at) else { continue };
            if file.language.is_related_to(language) && definition.kind != SymbolKind::Method {
                found.push(spot);
            }
        }
        let found = self.select_best_fit(found, query)?;
        Ok(match found.len() {
            1 => Meaning::definitions(found, Certainty::Likely, EdgeReason::UniqueName),
            _ => Meaning::Unknown,
        })
    }

    /// The definitions that are meant: for a type that is called, its constructors.
    fn collect_targets(
        &self,
        things: &[Referent],
        query: NameQuery<'_>,
        mention: &Mention,
    ) -> Result<Vec<NodeKey>> {
        let mut spots = Vec::new();
        for thing in things {
            let spot = match thing {
                Referent::Definition(spot) => *spot,
                Referent::Module(super::meaning::Module::File(file)) => NodeKey::module(*file),
                Referent::Module(super::meaning::Module::Inline(spot)) => *spot,
                _ => continue,
            };
            let makes = matches!(mention.role, MentionRole::Call | MentionRole::Make);
            let Some(file) = self.files.read(spot.file)? else { continue };
            let kind = file.definition(spot.at).map(|definition| definition.kind);
            if makes && kind.is_some_and(is_type) && builtin::has_constructors(file.language) {
                spots.extend(self.constructors(spot, query)?);
            } else if mention.role == MentionRole::Call && kind == Some(SymbolKind::Field) {
                // The value of a field is called, and it is not known what that is.
            } else {
                spots.push(spot);
            }
        }
        spots.sort_unstable();
        spots.dedup();
        Ok(spots)
    }

    /// Whether a mention calls the definition that it refers to.
    pub(super) fn is_call(&self, mention: &Mention, on: NodeKey) -> Result<bool> {
        if !matches!(mention.role, MentionRole::Call | MentionRole::Make) {
            return Ok(false);
        }
        let Some(file) = self.files.read(on.file)? else { return Ok(false) };
        let Some(definition) = file.definition(on.at) else { return Ok(false) };
        Ok(match definition.kind {
            kind if is_callable(kind) => true,
            kind if is_type(kind) => builtin::has_constructors(file.language),
            // A variable may hold a function that is called; a field, or the creation of a value, is not such a call.
            kind if is_data(kind) => {
                let holds_functions = file.language.names.callable_variables;
                mention.role == MentionRole::Call && kind != SymbolKind::Field && holds_functions
            }
            _ => false,
        })
    }
}
