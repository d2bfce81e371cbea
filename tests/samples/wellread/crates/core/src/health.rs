//! How the knowledge base is, as a whole: what hangs together and what does not, what says the same twice, what contradicts
//! itself, what grew old, and which links are missing.
//!
//! Every note is read and parsed once; everything else is derived from that. No model is asked, nothing is changed, and the
//! same vault at the same moment gives the same report. A file that can't be read is named, and costs nothing else.
//!
//! | file | what |
//! | --- | --- |
//! | `reading` | every note, once |
//! | `links` `places` | who links to whom, and what leads nowhere: to no note, or to no place within it |
//! | `clusters` | what hangs together: Louvain's method |
//! | `duplicates` `vectors` | what says the same: by text, by meaning, by words |
//! | `figures` | what contradicts itself: numbers and dates |
//! | `stale` | what grew old while others go on to rely on it |
//! | `suggested` `named` | links and other names that are missing |

mod clusters;
mod duplicates;
mod figures;
mod links;
mod named;
mod places;
mod reading;
mod report;
mod stale;
mod suggested;
mod vectors;

pub use report::{
    Alike, Cluster, Contradiction, DeadLinkAt, Duplicate, Health, LinkGraph, LinkNode, NeverDrawnOn, Quoted,
    Stale, SuggestedAlias, SuggestedLink,
};

use self::links::Links;
use self::reading::Notes;
use crate::Result;
use crate::ports::Records;
use crate::search::Search;
use crate::vault::Vault;

/// What a report is made of.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    pub vault: &'a Vault,
    /// For what passages mean, where there are vectors. The index is taken as it is.
    pub search: &'a Search,
    /// For what runs have drawn on.
    pub records: &'a dyn Records,
    /// Whether private notes are left out, as if they were not there.
    pub without_private: bool,
}

/// A report, and what can be drawn of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Examined {
    pub health: Health,
    pub graph: LinkGraph,
}

/// How many of each are told at the most.
const MOST_IN_CLUSTER: usize = 50;
const MOST_UNDRAWN: usize = 100;

/// Looks at the whole vault.
pub fn examine(ground: &Ground<'_>) -> Result<Examined> {
    let vault = ground.vault;
    let began = vault.clock.now();
    let mut notes = Notes::read(vault, ground.without_private)?;
    let links = Links::of(&notes);
    let spoken = suggested::spoken(&mut notes, &links);
    let notes = notes;
    let clusters = clusters::clusters(&links.weighted());
    let duplicates = duplicates::duplicates(ground.search, &notes)?;
    let suggested = suggested::suggested(&notes, &links, &spoken);
    let paths = |these: Vec<usize>| these.into_iter().map(|at| notes.path(at)).collect::<Vec<String>>();
    let named = |at: &Vec<usize>| -> Vec<usize> {
        let mut best = at.clone();
        best.sort_by_key(|&at| (std::cmp::Reverse(links.degree(at)), at));
        best
    };
    let listed = clusters.iter().enumerate().map(|(id, members)| {
        let best = named(members);
        Cluster {
            id,
            name: best.first().map(|&at| notes.all[at].path.stem().to_owned()).unwrap_or_default(),
            size: members.len(),
            notes: paths(best.into_iter().take(MOST_IN_CLUSTER).collect()),
        }
    });
    let listed: Vec<Cluster> = listed.collect();
    let health = Health {
        notes: notes.all.len(),
        links: links.count(),
        words: notes.all.iter().map(|note| note.words).sum(),
        at: began.timestamp().to_string(),
        took_ms: 0,
        orphans: paths(links.orphans(&notes)),
        dead_ends: paths(links.dead_ends(&notes)),
        dead_links: links.dead.clone(),
        clusters: listed,
        never_drawn_on: never_drawn_on(ground.records, &notes)?,
        duplicates: duplicates.found,
        contradictions: figures::contradictions(&notes),
        stale: stale::stale(&notes, &links, began.date()),
        suggested_links: suggested.links,
        suggested_aliases: suggested.aliases,
        skipped: notes.skipped.clone(),
        notice: duplicates.notice,
    };
    let graph = graph(&notes, &links, &clusters);
    let took = vault.clock.now().timestamp().duration_since(began.timestamp());
    let took_ms = u64::try_from(took.as_millis()).unwrap_or(0);
    Ok(Examined { health: Health { took_ms, ..health }, graph })
}

fn never_drawn_on(records: &dyn Records, notes: &Notes) -> Result<NeverDrawnOn> {
    let drawn_on = records.drawn_on()?;
    let left = notes.all.iter().filter(|note| !note.is_ours && !drawn_on.contains(&note.path));
    let left: Vec<String> = left.map(|note| note.path.to_string()).collect();
    Ok(NeverDrawnOn { count: left.len(), notes: left.into_iter().take(MOST_UNDRAWN).collect() })
}

fn graph(notes: &Notes, links: &Links, clusters: &[Vec<usize>]) -> LinkGraph {
    let mut cluster_of = vec![None; notes.all.len()];
    for (id, members) in clusters.iter().enumerate() {
        members.iter().for_each(|&at| cluster_of[at] = Some(id));
    }
    let node = |(at, note): (usize, &reading::ReadNote)| LinkNode {
        path: note.path.to_string(),
        title: note.path.stem().to_owned(),
        cluster: cluster_of[at],
        links: links.degree(at),
    };
    LinkGraph { nodes: notes.all.iter().enumerate().map(node).collect(), edges: links.edges() }
}
