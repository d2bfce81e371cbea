//! What a mention lands on: one definition, several that it may be, or nothing of ours.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use wellread_text::{Language, Mention, Reached, Role, SymbolKind, Value};

use super::bases::Built;
use super::files::Spot;
use super::meaning::{
    Family, Meaning, Scope, Sought, Thing, Want, constructs, is_callable, is_data, is_type, takes,
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

    /// `super(…)`, `this(…)`, `cls(…)`: what makes values of the type around, or of what that builds on.
    fn made_by_word(&self, scope: Scope, mention: &Mention) -> Result<Option<Landed>> {
        let language = self.files.language(scope.file);
        let word = mention.name.as_str();
        let is_class =
            language == Some(Language::Python) && word == "cls" && mention.reached == Reached::Local;
        let of = match &mention.reached {
            Reached::Member(of @ (Value::Own | Value::Super)) if matches!(word, "super" | "this") => of,
            Reached::Local if is_class => &Value::Own,
            _ => return Ok(None),
        };
        if mention.role != Role::Call {
            return Ok(Some(Landed::Nowhere));
        }
        let Meaning::Found(found) = self.value(scope, of, Want::Any)? else {
            return Ok(Some(Landed::Nowhere));
        };
        // A class builds on one other class before all else.
        let Some(Thing::Value(of)) = found.things.first() else { return Ok(Some(Landed::Nowhere)) };
        let made =
            self.constructors(*of, Sought { name: "", want: Want::Callee, arguments: mention.arguments })?;
        Ok(Some(match made.as_slice() {
            [one] if is_class => Landed::On(*one, Certainty::Likely, Why::Overridden),
            // A class that says nothing of how its values are made runs nothing of ours.
            [one] if one == of => Landed::Nowhere,
            [one] => Landed::On(*one, Certainty::Certain, Why::Inherited),
            _ => Landed::Among(made, Why::SeveralFit),
        }))
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

    /// What a call of something may mean that somebody else's code gave: any of ours, but for names that the libraries have.
    fn among_all(&self, file: usize, mention: &Mention, sought: Sought<'_>) -> Result<Landed> {
        let common =
            self.files.language(file).is_none_or(|language| builtin::is_common(language, sought.name));
        if common {
            return Ok(Landed::Nowhere);
        }
        Ok(match self.by_name(file, mention, sought)? {
            Landed::On(spot, ..) => Landed::Among(vec![spot], Why::UnknownType),
            other => other,
        })
    }

    /// Every method that a call of something unknown may mean: the one there is, where its name is like no other.
    fn by_name(&self, file: usize, mention: &Mention, sought: Sought<'_>) -> Result<Landed> {
        let Some(language) = self.files.language(file) else { return Ok(Landed::Nowhere) };
        if !matches!(mention.role, Role::Call) {
            return Ok(Landed::Nowhere);
        }
        // A type that is named is none of another name, wherever it is.
        let of = match &mention.reached {
            Reached::Member(Value::Named(path)) => path.last().filter(|last| reads_like_a_type(last)),
            _ => None,
        };
        let mut found = Vec::new();
        for &spot in self.files.defined(sought.name)?.iter() {
            let Some(read) = self.files.read(spot.file)? else { continue };
            let Some(definition) = read.definition(spot.at) else { continue };
            let owner = spot.at.map_or("", |at| read.owner_name(at));
            let is_of = of.is_none_or(|of| owner.rsplit('.').next() == Some(of.as_str()));
            if definition.kind == SymbolKind::Method
                && is_of
                && Family::of(read.language) == Family::of(language)
                && takes(definition, sought.arguments, read.language)
                && !builtin::is_constructor(read.language, definition)
            {
                found.push(spot);
            }
        }
        if Family::of(language) == Family::C {
            found = self.announced_once(&found)?;
        }
        let around = Spot { file, at: mention.within };
        Ok(match found.as_slice() {
            [] => Landed::Nowhere,
            // Who calls a function of its own name on something else hands the call on to another.
            [one] if *one != around && self.is_distinct(*one, language, file)? => {
                Landed::On(*one, Certainty::Likely, Why::UniqueName)
            }
            _ => Landed::Among(found, Why::UnknownType),
        })
    }

    /// Whether the only method of a name is likely the one that is meant: the name is none that libraries have, and the
    /// file knows of the type.
    fn is_distinct(&self, one: Spot, language: Language, from: usize) -> Result<bool> {
        let Some(read) = self.files.read(one.file)? else { return Ok(false) };
        let (Some(definition), Some(at)) = (read.definition(one.at), one.at) else { return Ok(false) };
        if builtin::is_common(language, &definition.name) {
            return Ok(false);
        }
        let owner = read.owner_name(at).rsplit('.').next().unwrap_or_default();
        Ok(one.file == from || (!owner.is_empty() && self.files.using(owner)?.contains(&from)))
    }

    /// Without those that are only announced where the same is there with a body.
    fn announced_once(&self, spots: &[Spot]) -> Result<Vec<Spot>> {
        let mut kept = Vec::new();
        for &spot in spots {
            let Some(file) = self.files.read(spot.file)? else { continue };
            let Some(definition) = file.definition(spot.at) else { continue };
            let mut stands_for = false;
            for &other in spots.iter().filter(|&&other| other != spot && !definition.has_body) {
                let read = self.files.read(other.file)?;
                let same = read.and_then(|read| {
                    let found = read.definition(other.at)?;
                    Some(found.has_body && found.qualified == definition.qualified)
                });
                stands_for |= same == Some(true);
            }
            if !stands_for {
                kept.push(spot);
            }
        }
        Ok(kept)
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

    /// What runs when a value of a type is made, and the type itself where nothing of ours does.
    pub(super) fn constructors(&self, of: Spot, sought: Sought<'_>) -> Result<Vec<Spot>> {
        let Some(file) = self.files.read(of.file)? else { return Ok(vec![of]) };
        let Some(definition) = file.definition(of.at) else { return Ok(vec![of]) };
        let name = builtin::constructor(file.language).unwrap_or(&definition.name);
        let inherits = builtin::constructor(file.language).is_some();
        let line = if inherits { self.lineage(of)?.to_vec() } else { vec![Some(of)] };
        for ancestor in line {
            // One that is not ours may make it.
            let Some(ancestor) = ancestor else { return Ok(vec![of]) };
            let sought = Sought { name, want: Want::Callee, arguments: sought.arguments };
            let own = self.own_members(ancestor, name)?;
            let mut made = Vec::new();
            for spot in self.fitting(own, sought)? {
                let read = self.files.read(spot.file)?;
                if read
                    .is_some_and(|read| read.definition(spot.at).is_some_and(|found| is_callable(found.kind)))
                {
                    made.push(spot);
                }
            }
            if !made.is_empty() {
                return Ok(made);
            }
        }
        Ok(vec![of])
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

/// Whether a name is written as types are: `Store`, and neither `store` nor `STORE`.
fn reads_like_a_type(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name.chars().any(char::is_lowercase)
}
