//! What a plain name means: by the definitions around it, by what was brought in, by its package.

use wellread_text::{Definition, Language, SymbolKind};

use super::files::{File, Spot};
use super::meaning::{
    Meaning, Module, Scope, Sought, Thing, Want, has_implicit_this, is_data, is_type, rank, takes,
};
use super::{Certainty, Graph, Why, builtin};
use crate::Result;

/// Further than any chain of names that somebody follows: what is deeper goes in a circle.
const DEEPEST: usize = 40;

impl Graph<'_> {
    /// One step further, unless it has gone on for too long.
    pub(super) fn deeper(&self, step: impl FnOnce() -> Result<Meaning>) -> Result<Meaning> {
        if self.deep.get() >= DEEPEST {
            return Ok(Meaning::Unknown);
        }
        self.deep.set(self.deep.get() + 1);
        let meaning = step();
        self.deep.set(self.deep.get() - 1);
        meaning
    }

    /// What a name means where it stands by itself.
    pub(super) fn lookup(&self, scope: Scope, sought: Sought<'_>) -> Result<Meaning> {
        self.deeper(|| self.looked_up(scope, sought))
    }

    fn looked_up(&self, scope: Scope, sought: Sought<'_>) -> Result<Meaning> {
        let Some(file) = self.files.read(scope.file)? else { return Ok(Meaning::Unknown) };
        let mut at = scope.within;
        let mut is_innermost = true;
        let mut foreign = false;
        loop {
            let meaning = self.right_in(&file, scope, at, is_innermost, sought)?;
            if meaning.is_found() {
                // A variable, or a name for a namespace, may stand for what was brought in by that name.
                let held = match self.is_all_data(&meaning)? {
                    true => self.brought_in(scope.file, at, sought, &mut foreign)?,
                    false => None,
                };
                return Ok(held.unwrap_or(meaning));
            }
            if let Some(meaning) = self.brought_in(scope.file, at, sought, &mut foreign)? {
                return Ok(meaning);
            }
            let Some(inner) = at else { break };
            // A module of Rust sees nothing of the one around it.
            if file.language == Language::Rust && file.kind(inner) == SymbolKind::Module {
                break;
            }
            is_innermost = false;
            at = file.definitions()[inner].parent;
        }
        let meaning = self.beyond(&file, scope, sought)?;
        if meaning != Meaning::Unknown {
            return Ok(meaning);
        }
        let library = foreign || builtin::is_builtin(file.language, sought.name);
        Ok(if library { Meaning::Foreign } else { Meaning::Unknown })
    }

    /// What is defined right in this definition, or right in the file.
    fn right_in(
        &self,
        file: &File,
        scope: Scope,
        at: Option<usize>,
        is_innermost: bool,
        sought: Sought<'_>,
    ) -> Result<Meaning> {
        let around = file.definition(at);
        let implicit = has_implicit_this(file.language);
        if let Some(around) = around
            && is_type(around.kind)
        {
            if implicit {
                let own = Spot { file: scope.file, at };
                let inherited = self.members_of(own, sought)?;
                if inherited.is_found() {
                    return Ok(inherited.by(Why::SameScope));
                }
                // The type's own name is seen in it.
                return Ok(Meaning::Unknown);
            }
            // A class body sees its names, and what is in its methods does not.
            if !(is_innermost && file.language == Language::Python) {
                return Ok(Meaning::Unknown);
            }
        }
        // A method that stands outside its type sees what the type has.
        if implicit
            && let Some(inner) = at
            && around.is_some_and(|around| around.kind == SymbolKind::Method)
            && let Some(owner) = self.owner_elsewhere(scope.file, inner)?
        {
            let inherited = self.members_of(owner, sought)?;
            if inherited.is_found() {
                return Ok(inherited.by(Why::SameScope));
            }
        }
        let is_open = around.is_none_or(|around| around.kind == SymbolKind::Module);
        let here = file.named(sought.name).iter().copied().filter(|&found| {
            file.is_right_in(found, at) && (is_open || file.definitions()[found].parent == at)
        });
        let here = here.map(|found| Spot::of(scope.file, found)).collect();
        let fitting = self.fitting(here, sought)?;
        if fitting.is_empty() {
            return Ok(Meaning::Unknown);
        }
        let meaning = self.things(fitting, Certainty::Certain, Why::SameScope)?;
        // A prototype stands for the function that another file has.
        if matches!(file.language, Language::C | Language::Cpp) {
            return self.with_body(scope, meaning);
        }
        Ok(meaning)
    }

    /// What is brought in by a name, or with everything else that a module offers. What is somebody else's hides what
    /// has that name further out.
    fn brought_in(
        &self,
        file: usize,
        within: Option<usize>,
        sought: Sought<'_>,
        foreign: &mut bool,
    ) -> Result<Option<Meaning>> {
        let Some(read) = self.files.read(file)? else { return Ok(None) };
        let imports = || read.uses().imports.iter().enumerate().filter(|(_, import)| import.within == within);
        let mut hidden = None;
        for (index, import) in imports() {
            // `import a.b` brings in `a`, by which `a.b` is reached.
            let first = |known: &str| match import.name {
                None => known.split('.').next() == Some(sought.name),
                Some(_) => known == sought.name,
            };
            if !import.known_as.as_deref().is_some_and(first) || import.module.is_empty() {
                continue;
            }
            match self.imported(file, index, sought)? {
                Meaning::Found(found) => {
                    let meaning = Meaning::Found(found);
                    if self.can_be(&meaning, sought.want)? {
                        return Ok(Some(meaning));
                    }
                }
                other => hidden = Some(other),
            }
        }
        if hidden.is_some() {
            return Ok(hidden);
        }
        for (index, import) in imports() {
            if import.name.as_deref() != Some("*") || import.known_as.is_some() {
                continue;
            }
            match self.offered(file, index, sought)? {
                Meaning::Found(found) => return Ok(Some(Meaning::Found(found))),
                Meaning::Foreign => *foreign = true,
                Meaning::Unknown | Meaning::Handed => {}
            }
        }
        Ok(None)
    }

    /// What the package offers that a file belongs to, or the headers that it includes.
    fn beyond(&self, file: &File, scope: Scope, sought: Sought<'_>) -> Result<Meaning> {
        match file.language {
            Language::Go | Language::Java | Language::Kotlin | Language::CSharp => {
                self.in_package(file, scope, sought)
            }
            Language::C | Language::Cpp => self.declared(file, scope, sought),
            Language::Rust => self.beyond_module(scope, sought),
            _ => Ok(Meaning::Unknown),
        }
    }

    /// Definitions as things: a module is more than its definition.
    pub(super) fn things(&self, spots: Vec<Spot>, certainty: Certainty, why: Why) -> Result<Meaning> {
        let mut things = Vec::new();
        for spot in spots {
            things.push(self.thing(spot)?);
        }
        things.dedup();
        Ok(Meaning::Found(super::meaning::Found { things, certainty, why }))
    }

    pub(super) fn thing(&self, spot: Spot) -> Result<Thing> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(Thing::Definition(spot)) };
        let Some(definition) = file.definition(spot.at) else {
            return Ok(Thing::Module(Module::File(spot.file)));
        };
        if definition.kind != SymbolKind::Module {
            return Ok(Thing::Definition(spot));
        }
        Ok(Thing::Module(match file.language {
            Language::Rust if !definition.has_body => match self.module_file(spot)? {
                Some(child) => Module::File(child),
                None => Module::Inline(spot),
            },
            Language::Cpp | Language::C | Language::CSharp => Module::Namespace(definition.qualified.clone()),
            _ => Module::Inline(spot),
        }))
    }

    /// Those that fit best: by their kind, then those that are all there, then by the number of arguments.
    pub(super) fn fitting(&self, spots: Vec<Spot>, sought: Sought<'_>) -> Result<Vec<Spot>> {
        let mut ranked = Vec::new();
        for spot in spots {
            let Some(file) = self.files.read(spot.file)? else { continue };
            let Some(definition) = file.definition(spot.at) else { continue };
            if let Some(rank) = rank(definition.kind, sought.want, file.language) {
                let fits = takes(definition, sought.arguments, file.language);
                ranked.push((rank, definition.has_body, fits, spot));
            }
        }
        let best = ranked.iter().map(|(rank, ..)| *rank).min();
        ranked.retain(|(rank, ..)| Some(*rank) == best);
        for wanted in [|one: &(u8, bool, bool, Spot)| one.2, |one: &(u8, bool, bool, Spot)| one.1] {
            if ranked.len() > 1 && ranked.iter().any(wanted) {
                ranked.retain(wanted);
            }
        }
        Ok(ranked.into_iter().map(|(.., spot)| spot).collect())
    }

    fn is_all_data(&self, meaning: &Meaning) -> Result<bool> {
        let Meaning::Found(found) = meaning else { return Ok(false) };
        for thing in &found.things {
            let Thing::Definition(spot) = thing else { return Ok(false) };
            let file = self.files.read(spot.file)?;
            let holds = |found: &Definition| {
                is_data(found.kind) || (found.kind == SymbolKind::Type && found.gives.is_none())
            };
            if !file.is_some_and(|file| file.definition(spot.at).is_some_and(holds)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether something of it is of a kind that is wanted.
    fn can_be(&self, meaning: &Meaning, want: Want) -> Result<bool> {
        let Meaning::Found(found) = meaning else { return Ok(true) };
        for thing in &found.things {
            match thing {
                Thing::Module(_) if matches!(want, Want::Around | Want::Data | Want::Any) => return Ok(true),
                Thing::Module(_) => {}
                Thing::Value(_) | Thing::Holding(..) => return Ok(true),
                Thing::Definition(spot) => {
                    let Some(file) = self.files.read(spot.file)? else { continue };
                    let Some(definition) = file.definition(spot.at) else { continue };
                    if rank(definition.kind, want, file.language).is_some() {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }
}
