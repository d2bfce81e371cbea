//! What a mention lands on: one definition, several that it may be, or nothing of ours.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use wellread_text::{Language, Mention, Reached, Role, SymbolKind, Value};

use super::bases::Built;
use super::files::Spot;
use super::meaning::{
    Family, Meaning, Scope, Sought, Thing, Want, constructs, is_callable, is_data, is_type,
};
use super::{Certainty, Graph, Why, builtin, edges};
use crate::Result;

/// What was found out for this question already.
#[derive(Default)]
pub(super) struct Memory {
    pub owners: RefCell<HashMap<Spot, Option<Spot>>>,
    pub lineages: RefCell<HashMap<Spot, Arc<Vec<Option<Spot>>>>>,
    pub included: RefCell<HashMap<usize, Arc<BTreeSet<usize>>>>,
    /// By folder, what the manifest above it names.
    pub dependencies: RefCell<HashMap<String, HashSet<String>>>,
    pub crates: RefCell<Option<Arc<BTreeMap<String, usize>>>>,
    /// Imports of everything that are being looked through right now.
    pub globs: RefCell<HashSet<(usize, usize)>>,
    landed: RefCell<HashMap<(usize, usize), Landed>>,
    pub built: RefCell<HashMap<usize, Arc<Vec<Built>>>>,
    pub imports: RefCell<HashMap<usize, Arc<Vec<edges::Link>>>>,
}

impl Memory {
    /// Whether what is found out now is all there is: nothing is being looked through that would be left out.
    pub fn is_whole(&self) -> bool {
        self.globs.borrow().is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Landed {
    On(Spot, Certainty, Why),
    /// One of these, or none of them.
    Among(Vec<Spot>, Why),
    /// On nothing of this repository.
    Nowhere,
}

impl Graph<'_> {
    /// What one of a file's mentions means.
    pub(super) fn landed(&self, file: usize, mention: usize) -> Result<Landed> {
        if let Some(known) = self.memory.landed.borrow().get(&(file, mention)) {
            return Ok(known.clone());
        }
        let Some(read) = self.files.read(file)? else { return Ok(Landed::Nowhere) };
        let Some(found) = read.uses().mentions.get(mention) else { return Ok(Landed::Nowhere) };
        let landed = self.resolved(file, found)?;
        self.memory.landed.borrow_mut().insert((file, mention), landed.clone());
        Ok(landed)
    }

    fn resolved(&self, file: usize, mention: &Mention) -> Result<Landed> {
        let scope = Scope { file, within: mention.within };
        let is_script = self.files.language(file).map(Family::of) == Some(Family::Script);
        let want = match mention.role {
            Role::Call => Want::Callee,
            // A function makes values, too, in such a language.
            Role::Make if is_script => Want::Callee,
            Role::Make | Role::Type => Want::Type,
            Role::Value => Want::Data,
        };
        let name = mention.name.trim_end_matches('!');
        let sought = Sought { name, want, arguments: mention.arguments };
        if let Some(made) = self.made_by_word(scope, mention)? {
            return Ok(made);
        }
        let meaning = match &mention.reached {
            Reached::Local => return Ok(Landed::Nowhere),
            Reached::Plain => self.plain(scope, sought)?,
            Reached::Member(of) => match self.value(scope, of, Want::Around)? {
                Meaning::Unknown => return self.by_name(file, mention, sought),
                Meaning::Handed => return self.among_all(file, mention, sought),
                Meaning::Foreign => return Ok(Landed::Nowhere),
                found => self.first_of(of, &found, sought)?,
            },
        };
        match meaning {
            Meaning::Found(found) => {
                let spots = self.reachable(&found.things, sought, mention)?;
                Ok(match spots.as_slice() {
                    [] => Landed::Nowhere,
                    [one] => Landed::On(*one, found.certainty, found.why),
                    _ => Landed::Among(spots, Why::SeveralFit),
                })
            }
            Meaning::Unknown if matches!(mention.reached, Reached::Member(_)) => {
                self.by_name(file, mention, sought)
            }
            Meaning::Unknown | Meaning::Handed | Meaning::Foreign => Ok(Landed::Nowhere),
        }
    }

    /// A member; of what is inherited, that of the first that has it.
    fn first_of(&self, of: &Value, found: &Meaning, sought: Sought<'_>) -> Result<Meaning> {
        let Meaning::Found(all) = found else { return Ok(found.clone()) };
        if *of != Value::Super {
            return self.members(found, sought);
        }
        let mut last = Meaning::Foreign;
        for thing in &all.things {
            last = self.members(&Meaning::one(thing.clone(), all.certainty, all.why), sought)?;
            if let Meaning::Found(found) = &mut last {
                // What the heirs have in its place is not meant: `super` says so.
                if found.why == Why::Overridden {
                    (found.certainty, found.why) = (Certainty::Certain, Why::Inherited);
                }
                return Ok(last.by(Why::Inherited));
            }
        }
        Ok(last)
    }

    fn plain(&self, scope: Scope, sought: Sought<'_>) -> Result<Meaning> {
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
        for &spot in self.files.defined(sought.name)?.iter() {
            let Some(file) = self.files.read(spot.file)? else { continue };
            let Some(definition) = file.definition(spot.at) else { continue };
            if Family::of(file.language) == Family::of(language) && definition.kind != SymbolKind::Method {
                found.push(spot);
            }
        }
        let found = self.fitting(found, sought)?;
        Ok(match found.len() {
            1 => Meaning::definitions(found, Certainty::Likely, Why::UniqueName),
            _ => Meaning::Unknown,
        })
    }

    /// The definitions that are meant: for a type that is called, what makes a value of it.
    fn reachable(&self, things: &[Thing], sought: Sought<'_>, mention: &Mention) -> Result<Vec<Spot>> {
        let mut spots = Vec::new();
        for thing in things {
            let spot = match thing {
                Thing::Definition(spot) => *spot,
                Thing::Module(super::meaning::Module::File(file)) => Spot::module(*file),
                Thing::Module(super::meaning::Module::Inline(spot)) => *spot,
                _ => continue,
            };
            let makes = matches!(mention.role, Role::Call | Role::Make);
            let Some(file) = self.files.read(spot.file)? else { continue };
            let kind = file.definition(spot.at).map(|definition| definition.kind);
            if makes && kind.is_some_and(is_type) && constructs(file.language) {
                spots.extend(self.constructors(spot, sought)?);
            } else if mention.role == Role::Call && kind == Some(SymbolKind::Field) {
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
    pub(super) fn is_call(&self, mention: &Mention, on: Spot) -> Result<bool> {
        if !matches!(mention.role, Role::Call | Role::Make) {
            return Ok(false);
        }
        let Some(file) = self.files.read(on.file)? else { return Ok(false) };
        let Some(definition) = file.definition(on.at) else { return Ok(false) };
        Ok(match definition.kind {
            kind if is_callable(kind) => true,
            kind if is_type(kind) => constructs(file.language),
            // A function may be known by the name of a variable; what makes one of several forms is none.
            kind if is_data(kind) => {
                let holds_functions = !matches!(file.language, Language::Rust | Language::Java | Language::C);
                mention.role == Role::Call && kind != SymbolKind::Field && holds_functions
            }
            _ => false,
        })
    }
}
