//! Who links to whom, and which links are dead.

use std::collections::{HashMap, HashSet};

use wellread_text::{Resolution, fold};

use super::notes::{NoteLink, Notes, ParsedNote};
use super::places::{is_folder, is_in_template, missing_place_reason};
use super::report::DeadLinkPlace;
use crate::insight::keyless::is_within;
use crate::library::vault::parse_day;

/// The links between notes. A note is identified by its index.
pub(super) struct Links {
    /// The notes that each note links to, sorted, without itself.
    pub to: Vec<Vec<u32>>,
    /// The notes that link to each note, sorted.
    pub from: Vec<Vec<u32>>,
    pub dead: Vec<DeadLinkPlace>,
    /// Other names by which links show a note: the note, the name, and the linking note.
    pub shown: Vec<(u32, String, u32)>,
}

/// Where a link leads.
enum LinkTarget {
    To(u32),
    /// To a file that is not a note.
    Elsewhere,
    Nowhere,
}

struct Resolver<'a> {
    notes: &'a Notes,
    by_path: HashMap<&'a str, u32>,
    by_alias: HashMap<String, u32>,
    /// Targets that mean the same note from any folder.
    known: HashMap<&'a str, u32>,
}

impl Links {
    pub fn from_notes(notes: &Notes) -> Self {
        let numbered = || notes.all.iter().zip(0_u32..);
        let mut by_alias = HashMap::new();
        for (note, at) in numbered() {
            for alias in &note.aliases {
                by_alias.entry(fold(alias)).or_insert(at);
            }
        }
        let by_path = numbered().map(|(note, at)| (note.path.as_str(), at)).collect();
        let mut resolver = Resolver { notes, by_path, by_alias, known: HashMap::new() };
        let mut links = Self {
            to: vec![Vec::new(); notes.all.len()],
            from: vec![Vec::new(); notes.all.len()],
            dead: Vec::new(),
            shown: Vec::new(),
        };
        for (note, at) in numbered() {
            links.follow(&mut resolver, note, at);
        }
        for (at, to) in links.to.iter_mut().enumerate() {
            to.sort_unstable();
            to.dedup();
            to.iter().for_each(|&other| links.from[other as usize].push(at as u32));
        }
        let spelled = NameSpellings::from_notes(notes, &links.dead);
        for dead in &mut links.dead {
            dead.reason = dead.reason.take().or_else(|| spelled.suggest(notes, &dead.target));
        }
        links
    }

    fn follow<'a>(&mut self, resolver: &mut Resolver<'a>, note: &'a ParsedNote, at: u32) {
        let mut seen: HashSet<String> = HashSet::new();
        for link in note.links.iter().filter(|link| !link.target.is_empty()) {
            let leads = resolver.resolve(link, note);
            if let LinkTarget::To(other) = leads {
                self.check_subpath(&resolver.notes.all[other as usize], note, link, &mut seen);
            }
            match leads {
                LinkTarget::To(other) if other == at => {}
                LinkTarget::To(other) => {
                    self.to[at as usize].push(other);
                    if let Some(shown) = link.alias.as_ref().filter(|_| !link.embed) {
                        self.shown.push((other, shown.to_string(), at));
                    }
                }
                LinkTarget::Elsewhere => {}
                LinkTarget::Nowhere => {
                    if is_checked_link(link)
                        && !is_in_template(&note.text, &link.span)
                        && !is_folder(&resolver.notes.folders, link, note.path.folder())
                        && !is_within(&link.span, &note.own)
                        && seen.insert(fold(&link.target))
                    {
                        let (path, target) = (note.path.to_string(), link.target.to_string());
                        self.dead.push(DeadLinkPlace {
                            path,
                            line: link.line as usize,
                            target,
                            reason: None,
                        });
                    }
                }
            }
        }
    }

    /// Reports a link to a heading or a block that the note does not have.
    fn check_subpath(
        &mut self,
        other: &ParsedNote,
        note: &ParsedNote,
        link: &NoteLink,
        seen: &mut HashSet<String>,
    ) {
        let Some(reason) = missing_place_reason(other, link) else { return };
        let target = format!("{}#{}", link.target, link.subpath.as_deref().unwrap_or_default());
        if !is_in_template(&note.text, &link.span)
            && !is_within(&link.span, &note.own)
            && seen.insert(fold(&target))
        {
            let path = note.path.to_string();
            self.dead.push(DeadLinkPlace { path, line: link.line as usize, target, reason: Some(reason) });
        }
    }

    /// The number of links from one note to another, each pair of notes counted once per direction.
    pub fn count(&self) -> usize {
        self.to.iter().map(Vec::len).sum()
    }

    /// The number of notes that a note is linked with, in either direction.
    pub fn degree(&self, at: usize) -> usize {
        let only_in = self.from[at].iter().filter(|other| self.to[at].binary_search(other).is_err()).count();
        self.to[at].len() + only_in
    }

    pub fn has_link(&self, from: usize, to: usize) -> bool {
        self.to[from].binary_search(&(to as u32)).is_ok()
    }

    pub fn orphans(&self, notes: &Notes) -> Vec<usize> {
        let alone = |at: &usize| self.to[*at].is_empty() && self.from[*at].is_empty();
        (0..self.to.len()).filter(alone).filter(|&at| !notes.all[at].is_ours).collect()
    }

    pub fn dead_ends(&self, notes: &Notes) -> Vec<usize> {
        let ends = |at: &usize| self.to[*at].is_empty() && !self.from[*at].is_empty();
        (0..self.to.len()).filter(ends).filter(|&at| !notes.all[at].is_ours).collect()
    }

    /// Each pair of linked notes once, the smaller index first.
    pub fn edges(&self) -> Vec<[usize; 2]> {
        self.weighted_neighbors()
            .iter()
            .enumerate()
            .flat_map(|(one, others)| {
                others.iter().filter(move |(other, _)| one < *other).map(move |(other, _)| [one, *other])
            })
            .collect()
    }

    /// The notes that each note is linked with, and in how many directions.
    pub fn weighted_neighbors(&self) -> Vec<Vec<(usize, u64)>> {
        let of = |at: usize| {
            let mut all: Vec<usize> =
                self.to[at].iter().chain(&self.from[at]).map(|&other| other as usize).collect();
            all.sort_unstable();
            let mut weighted: Vec<(usize, u64)> = Vec::with_capacity(all.len());
            for other in all {
                match weighted.last_mut() {
                    Some((last, weight)) if *last == other => *weight += 1,
                    _ => weighted.push((other, 1)),
                }
            }
            weighted
        };
        (0..self.to.len()).map(of).collect()
    }
}

impl<'a> Resolver<'a> {
    fn resolve(&mut self, link: &'a NoteLink, from: &ParsedNote) -> LinkTarget {
        let target = &*link.target;
        if let Some(&known) = self.known.get(target) {
            return LinkTarget::To(known);
        }
        let found = self.notes.names.resolve(target, from.path.as_str());
        let Some(path) = found.path() else {
            return self.by_alias.get(&fold(target)).map_or(LinkTarget::Nowhere, |&at| LinkTarget::To(at));
        };
        let Some(&at) = self.by_path.get(path) else { return LinkTarget::Elsewhere };
        // If only one file matches, the folder of the linking note does not matter.
        if matches!(found, Resolution::Found(_)) && !target.starts_with('.') {
            self.known.insert(target, at);
        }
        LinkTarget::To(at)
    }
}

/// A day without a daily note is not a dead link, and neither is a folder.
fn is_checked_link(link: &NoteLink) -> bool {
    let last = link.target.rsplit('/').next().unwrap_or_default();
    !last.is_empty() && parse_day(last).is_err()
}

/// The names of notes reduced to their letters, to find a name that was spelled differently.
struct NameSpellings(HashMap<String, usize>);

impl NameSpellings {
    fn from_notes(notes: &Notes, dead: &[DeadLinkPlace]) -> Self {
        if dead.is_empty() {
            return Self(HashMap::new());
        }
        let mut spelled = HashMap::new();
        for (at, note) in notes.all.iter().enumerate() {
            let names = [note.path.stem()].into_iter().chain(note.title.as_deref());
            for name in names.chain(note.aliases.iter().map(String::as_str)) {
                spelled.entry(normalize_name(name)).or_insert(at);
            }
        }
        Self(spelled)
    }

    fn suggest(&self, notes: &Notes, target: &str) -> Option<String> {
        let name = target.rsplit('/').next().unwrap_or(target);
        let found = self.0.get(&normalize_name(name.strip_suffix(".md").unwrap_or(name)))?;
        Some(format!("`{}` has a similar name", notes.path(*found)))
    }
}

/// Letters and digits only, in the singular.
fn normalize_name(name: &str) -> String {
    let bare: String = fold(name).chars().filter(|letter| letter.is_alphanumeric()).collect();
    bare.strip_suffix('s').filter(|singular| singular.len() > 3).map_or(bare.clone(), str::to_owned)
}
