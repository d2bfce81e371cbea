//! What a mention lands on: one definition, several that it may be, or nothing of ours.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use wellread_text::{ExprValue, Language, Mention, MentionRole, NameAccess, SymbolKind};

use super::bases::InheritanceEdge;
use super::files::NodeKey;
use super::meaning::{
    LanguageFamily, Meaning, NameQuery, NameScope, Referent, WantedKind, has_constructors, is_callable,
    is_data, is_type,
};
use super::{Certainty, EdgeReason, Graph, builtin, edges};
use crate::Result;

/// What was found out for this question already.
#[derive(Default)]
pub(super) struct GraphCache {
    pub owners: RefCell<HashMap<NodeKey, Option<NodeKey>>>,
    pub lineages: RefCell<HashMap<NodeKey, Arc<Vec<Option<NodeKey>>>>>,
    pub included: RefCell<HashMap<usize, Arc<BTreeSet<usize>>>>,
    /// By folder, what the manifest above it names.
    pub dependencies: RefCell<HashMap<String, HashSet<String>>>,
    pub crates: RefCell<Option<Arc<BTreeMap<String, usize>>>>,
    /// Imports of everything that are being looked through right now.
    pub globs: RefCell<HashSet<(usize, usize)>>,
    landed: RefCell<HashMap<(usize, usize), MentionTarget>>,
    pub built: RefCell<HashMap<usize, Arc<Vec<InheritanceEdge>>>>,
    pub imports: RefCell<HashMap<usize, Arc<Vec<edges::RawEdge>>>>,
}

impl GraphCache {
    /// Whether what is found out now is all there is: nothing is being looked through that would be left out.
    pub fn is_complete(&self) -> bool {
        self.globs.borrow().is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MentionTarget {
    On(NodeKey, Certainty, EdgeReason),
    /// One of these, or none of them.
    Among(Vec<NodeKey>, EdgeReason),
    /// On nothing of this repository.
    Nowhere,
}

impl Graph<'_> {
    /// What one of a file's mentions means.
    pub(super) fn resolve_mention(&self, file: usize, mention: usize) -> Result<MentionTarget> {
        if let Some(known) = self.memory.landed.borrow().get(&(file, mention)) {
            return Ok(known.clone());
        }
        let Some(read) = self.files.read(file)? else { return Ok(MentionTarget::Nowhere) };
        let Some(found) = read.uses().mentions.get(mention) else { return Ok(MentionTarget::Nowhere) };
        let landed = self.resolve_uncached(file, found)?;
        self.memory.landed.borrow_mut().insert((file, mention), landed.clone());
        Ok(landed)
    }

    fn resolve_uncached(&self, file: usize, mention: &Mention) -> Result<MentionTarget> {
        let scope = NameScope { file, within: mention.within };
        let is_script =
            self.files.language(file).map(LanguageFamily::from_language) == Some(LanguageFamily::Script);
        let want = match mention.role {
            MentionRole::Call => WantedKind::Callee,
            // A function makes values, too, in such a language.
            MentionRole::Make if is_script => WantedKind::Callee,
            MentionRole::Make | MentionRole::Type => WantedKind::Type,
            MentionRole::Value => WantedKind::Data,
        };
        let name = mention.name.trim_end_matches('!');
        let sought = NameQuery { name, want, arguments: mention.arguments };
        if let Some(made) = self.resolve_constructor_keyword(scope, mention)? {
            return Ok(made);
        }
        let meaning = match &mention.reached {
            NameAccess::Local => return Ok(MentionTarget::Nowhere),
            NameAccess::Plain => self.resolve_plain_name(scope, sought)?,
            NameAccess::Member(of) => match self.resolve_value(scope, of, WantedKind::Around)? {
                Meaning::Unknown => return self.resolve_by_name(file, mention, sought),
                Meaning::Handed => return self.guess_by_name(file, mention, sought),
                Meaning::Foreign => return Ok(MentionTarget::Nowhere),
                found => self.resolve_member(of, &found, sought)?,
            },
        };
        match meaning {
            Meaning::Found(found) => {
                let spots = self.collect_targets(&found.things, sought, mention)?;
                Ok(match spots.as_slice() {
                    [] => MentionTarget::Nowhere,
                    [one] => MentionTarget::On(*one, found.certainty, found.why),
                    _ => MentionTarget::Among(spots, EdgeReason::SeveralFit),
                })
            }
            Meaning::Unknown if matches!(mention.reached, NameAccess::Member(_)) => {
                self.resolve_by_name(file, mention, sought)
            }
            Meaning::Unknown | Meaning::Handed | Meaning::Foreign => Ok(MentionTarget::Nowhere),
        }
    }

    /// A member; of what is inherited, that of the first that has it.
    fn resolve_member(&self, of: &ExprValue, found: &Meaning, sought: NameQuery<'_>) -> Result<Meaning> {
        let Meaning::Found(all) = found else { return Ok(found.clone()) };
        if *of != ExprValue::Super {
            return self.members(found, sought);
        }
        let mut last = Meaning::Foreign;
        for thing in &all.things {
            last = self.members(&Meaning::single(thing.clone(), all.certainty, all.why), sought)?;
            if let Meaning::Found(found) = &mut last {
                // What the heirs have in its place is not meant: `super` says so.
                if found.why == EdgeReason::Overridden {
                    (found.certainty, found.why) = (Certainty::Certain, EdgeReason::Inherited);
                }
                return Ok(last.with_reason(EdgeReason::Inherited));
            }
        }
        Ok(last)
    }

    fn resolve_plain_name(&self, scope: NameScope, sought: NameQuery<'_>) -> Result<Meaning> {
        let meaning = self.lookup(scope, sought)?;
        if meaning != Meaning::Unknown {
            return Ok(meaning);
        }
        let Some(language) = self.files.language(scope.file) else { return Ok(meaning) };
        use Language::{Bash, C, CSharp, Cpp, Kotlin, Lua, Php, Ruby};
        // Where the text does not say where names come from, the only one there is.
        if !matches!(language, Bash | C | CSharp | Cpp | Kotlin | Lua | Php | Ruby)
            || builtin::is_common(language, sought.name)
        {
            return Ok(meaning);
        }
        let mut found = Vec::new();
        for &spot in self.files.find_definitions(sought.name)?.iter() {
            let Some(file) = self.files.read(spot.file)? else { continue };
            let Some(definition) = file.definition(spot.at) else { continue };
            if LanguageFamily::from_language(file.language) == LanguageFamily::from_language(language)
                && definition.kind != SymbolKind::Method
            {
                found.push(spot);
            }
        }
        let found = self.select_best_fit(found, sought)?;
        Ok(match found.len() {
            1 => Meaning::definitions(found, Certainty::Likely, EdgeReason::UniqueName),
            _ => Meaning::Unknown,
        })
    }

    /// The definitions that are meant: for a type that is called, what makes a value of it.
    fn collect_targets(
        &self,
        things: &[Referent],
        sought: NameQuery<'_>,
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
            if makes && kind.is_some_and(is_type) && has_constructors(file.language) {
                spots.extend(self.constructors(spot, sought)?);
            } else if mention.role == MentionRole::Call && kind == Some(SymbolKind::Field) {
                // What a field holds is called, and nothing says what that is.
            } else {
                spots.push(spot);
            }
        }
        spots.sort_unstable();
        spots.dedup();
        Ok(spots)
    }

    /// Whether a mention runs what it lands on.
    pub(super) fn is_call(&self, mention: &Mention, on: NodeKey) -> Result<bool> {
        if !matches!(mention.role, MentionRole::Call | MentionRole::Make) {
            return Ok(false);
        }
        let Some(file) = self.files.read(on.file)? else { return Ok(false) };
        let Some(definition) = file.definition(on.at) else { return Ok(false) };
        Ok(match definition.kind {
            kind if is_callable(kind) => true,
            kind if is_type(kind) => has_constructors(file.language),
            // A function may be known by the name of a variable; what makes one of several forms is none.
            kind if is_data(kind) => {
                let holds_functions = !matches!(file.language, Language::Rust | Language::Java | Language::C);
                mention.role == MentionRole::Call && kind != SymbolKind::Field && holds_functions
            }
            _ => false,
        })
    }
}
