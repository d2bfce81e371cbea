//! The groups of `core` and of `text`, the floors they stand on, and what each may use. ARCHITECTURE.md shows these lists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::lexer::{code, paths};
use super::sources::{Source, refuse, sources};
use crate::desk::repository;

/// Modules that belong together, and the groups that they name: each of those stands on a lower floor.
pub struct Group {
    pub floor: usize,
    pub name: &'static str,
    pub uses: &'static [&'static str],
}

const fn group(floor: usize, name: &'static str, uses: &'static [&'static str]) -> Group {
    Group { floor, name, uses }
}

/// From the lowest floor up.
pub const CORE: [Group; 10] = [
    group(1, "domain", &[]),
    group(2, "ports", &["domain"]),
    group(3, "trust", &["domain", "ports"]),
    group(3, "library", &["domain", "ports"]),
    group(4, "code", &["domain", "library", "ports"]),
    group(4, "engine", &["domain", "library", "ports", "trust"]),
    group(4, "insight", &["domain", "library", "ports"]),
    group(5, "research", &["code", "domain", "engine", "insight", "library", "ports", "trust"]),
    group(6, "agendas", &["domain", "engine", "library", "ports", "research", "trust"]),
    group(
        7,
        "faces",
        &["agendas", "code", "domain", "engine", "insight", "library", "ports", "research", "trust"],
    ),
];

/// From the lowest floor up. [`ROOT`] is the files that stand beside the groups.
pub const TEXT: [Group; 9] = [
    group(1, ROOT, &[]),
    group(2, "words", &[ROOT]),
    group(2, "note", &[ROOT]),
    group(3, "edit", &["note", ROOT]),
    group(3, "code", &["note", ROOT]),
    group(4, "prose", &["edit", "note", "words", ROOT]),
    group(5, "answer", &["edit", "note", "prose", "words", ROOT]),
    group(6, "page", &["answer", "code", "note", "words", ROOT]),
    group(7, "okf", &["note", "page", ROOT]),
];

/// The name under which a crate's files beside its groups are listed.
pub const ROOT: &str = "root";
const TEXT_ROOT: [&str; 6] = ["diff", "error", "fold", "paging", "span", "splice"];

/// A crate that is built in groups.
pub struct Grouped {
    pub crate_name: &'static str,
    pub groups: &'static [Group],
    /// The files beside the groups.
    pub root: &'static [&'static str],
}

pub const GROUPED: [Grouped; 2] = [
    Grouped { crate_name: "core", groups: &CORE, root: &[] },
    Grouped { crate_name: "text", groups: &TEXT, root: &TEXT_ROOT },
];

impl Grouped {
    fn group(&self, module: &str) -> Option<&'static Group> {
        let name = if self.root.contains(&module) { ROOT } else { module };
        self.groups.iter().find(|group| group.name == name)
    }

    /// What is wrong with the list itself.
    fn wrong_list(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for group in self.groups {
            for used in group.uses {
                match self.groups.iter().find(|other| other.name == *used) {
                    Some(other) if other.floor < group.floor => {}
                    Some(_) => {
                        wrong.push(format!("{}: `{}` may not use `{used}`", self.crate_name, group.name));
                    }
                    None => wrong.push(format!("{}: there is no group `{used}`", self.crate_name)),
                }
            }
        }
        wrong
    }

    /// The group of each name that `lib.rs` hands on: `crate::Span` is of the group of `span::Span`.
    fn handed_on(&self, lib: &str) -> BTreeMap<String, &'static Group> {
        let named = paths(&code(lib)).into_iter().filter(|(_, path)| path.len() > 1);
        named.filter_map(|(_, path)| Some((path.last()?.clone(), self.group(&path[0])?))).collect()
    }

    /// The groups that a source names, each with its line; what stands in no group is an error.
    fn named(
        &self,
        source: &Source,
        handed_on: &BTreeMap<String, &'static Group>,
    ) -> Vec<(usize, Result<&'static Group, String>)> {
        let inside = source.inside(self.crate_name).unwrap_or_default();
        let depth = inside.split('/').count();
        let mut named = Vec::new();
        for (line, path) in paths(&code(&source.text)) {
            let ups = path.iter().take_while(|part| *part == "super").count();
            let rest = if path[0] == "crate" { &path[1..] } else { &path[ups..] };
            let Some(first) = rest.first().filter(|_| path[0] == "crate" || ups == depth) else { continue };
            match self.group(first).or(handed_on.get(first).copied()) {
                Some(group) => named.push((line, Ok(group))),
                None if first.starts_with(char::is_lowercase) && first != "self" => {
                    named.push((line, Err(first.clone())));
                }
                None => {}
            }
        }
        named
    }

    /// What is wrong with one source: it stands in no group, or names a group that its own may not use.
    fn wrong_names(&self, source: &Source, handed_on: &BTreeMap<String, &'static Group>) -> Vec<String> {
        let Some(inside) = source.inside(self.crate_name).filter(|path| *path != "lib.rs") else {
            return Vec::new();
        };
        let Some(own) = self.group(inside.trim_end_matches(".rs").split('/').next().unwrap_or_default())
        else {
            return vec![source.at(1, "a module that stands in no group")];
        };
        let named = self.named(source, handed_on).into_iter();
        let wrong = named.filter_map(|(line, named)| match named {
            Ok(other) if other.name == own.name || own.uses.contains(&other.name) => None,
            Ok(other) => Some(source.at(line, format!("`{}` may not use `{}`", own.name, other.name))),
            Err(module) => Some(source.at(line, format!("`{module}` stands in no group"))),
        });
        wrong.collect()
    }

    /// Arrows of the list that no source draws any more.
    fn unused(&self, sources: &[Source], handed_on: &BTreeMap<String, &'static Group>) -> Vec<String> {
        let mut drawn = BTreeSet::new();
        for source in sources {
            let Some(inside) = source.inside(self.crate_name).filter(|path| *path != "lib.rs") else {
                continue;
            };
            let own = self.group(inside.trim_end_matches(".rs").split('/').next().unwrap_or_default());
            for (_, other) in self.named(source, handed_on) {
                drawn.extend(own.zip(other.ok()).map(|(own, other)| (own.name, other.name)));
            }
        }
        let listed =
            self.groups.iter().flat_map(|group| group.uses.iter().map(move |used| (group.name, *used)));
        let unused = listed.filter(|arrow| !drawn.contains(arrow));
        let told = unused.map(|(group, used)| {
            format!("{}: `{group}` no longer uses `{used}`: take it off the list", self.crate_name)
        });
        told.collect()
    }

    fn lib(&self) -> String {
        fs::read_to_string(repository().join(format!("crates/{}/src/lib.rs", self.crate_name))).unwrap()
    }
}

#[test]
fn a_group_uses_only_groups_on_lower_floors() {
    let sources = sources();
    let mut wrong = Vec::new();
    for grouped in &GROUPED {
        let handed_on = grouped.handed_on(&grouped.lib());
        wrong.extend(grouped.wrong_list());
        wrong.extend(sources.iter().flat_map(|source| grouped.wrong_names(source, &handed_on)));
        wrong.extend(grouped.unused(&sources, &handed_on));
    }
    refuse(&wrong);
}

#[test]
fn a_group_that_uses_another_above_or_beside_it_is_found() {
    let core = &GROUPED[0];
    let finds = |path: &str, text: &str, lines: &[usize]| {
        let lib = "pub mod domain;\npub use domain::error::{Error, Result};\n";
        super::sources::finds(|source| core.wrong_names(source, &core.handed_on(lib)), path, text, lines);
    };
    let text = "//! x\nuse crate::library::vault::Vault;\nuse crate::{Error, domain::corpus::Hash, faces::{Ctx, Tool}};\nfn f() { crate::faces::named() }\n// crate::faces\n";
    finds("crates/core/src/ports.rs", text, &[2, 3, 3, 4]);
    let text = "use super::super::super::ports::Files;\nuse super::Hash;\nuse super::super::ports;";
    finds("crates/core/src/domain/corpus/path.rs", text, &[1]);
    finds("crates/core/src/domain.rs", "use super::ports::Files;\nuse super::domain::Error;", &[1]);
    let text = "use crate::ports::Files;\nuse crate::gadgets::X;\nlet s = \"crate::faces\";";
    finds("crates/core/src/library/vault/x.rs", text, &[2]);
    finds("crates/core/src/trust/gate.rs", "use crate::library::search::Hit;\nuse crate::Result;", &[1]);
    finds("crates/core/src/gadgets.rs", "", &[1]);
}

#[test]
fn a_name_that_the_crate_hands_on_is_of_its_group() {
    let text = &GROUPED[1];
    let lib = "mod note;\nmod prose;\npub use note::{Note, tags::Tag};\npub use prose::claims::Claims;\npub use span::Span;\n";
    let finds = |path: &str, source: &str, lines: &[usize]| {
        super::sources::finds(|source| text.wrong_names(source, &text.handed_on(lib)), path, source, lines);
    };
    finds("crates/text/src/note/scan.rs", "use crate::Span;\nuse crate::{Claims, Tag};\n", &[2]);
    finds("crates/text/src/words.rs", "use crate::fold::fold;\nuse crate::Note;\n", &[2]);
    finds("crates/text/src/span.rs", "use crate::splice::Splice;\nuse crate::note::Note;\n", &[2]);
}

#[test]
fn an_arrow_up_a_circle_and_an_arrow_that_nobody_draws_are_found() {
    const WRONG: [Group; 3] = [
        group(1, "low", &["high"]),
        group(2, "high", &["low", "beside", "nowhere"]),
        group(2, "beside", &["high"]),
    ];
    let grouped = Grouped { crate_name: "core", groups: &WRONG, root: &[] };
    assert_eq!(grouped.wrong_list().len(), 4, "{:?}", grouped.wrong_list());
    let sources = [Source::made_up("crates/core/src/high/x.rs", "use crate::low::X;\n")];
    assert_eq!(grouped.unused(&sources, &BTreeMap::new()).len(), 4);
}
