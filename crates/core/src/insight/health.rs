//! The health of the knowledge base as a whole: its clusters and orphans, duplicates, contradictions, outdated notes,
//! and missing links.
//!
//! Every note is read and parsed once (`notes`); everything else is derived from that. No model is asked, nothing is
//! changed, and the same vault at the same moment gives the same report. A file that can't be read is listed, and does
//! not affect the rest.
//!
//! `links` and `places` find who links to whom and which links are dead; `clusters` finds communities by Louvain's
//! method; `duplicates` and `vectors` find notes with the same content, by text, by meaning and by words; `figures`
//! finds contradicting numbers and dates; `stale` finds outdated notes that others still link to; `suggestions` and
//! `note_names` find missing links and aliases.

mod clusters;
mod duplicates;
mod figures;
mod links;
mod note_names;
mod notes;
mod places;
mod report;
mod stale;
mod suggestions;
mod vectors;

use std::collections::BTreeSet;

pub use report::{
    Cluster, Contradiction, DeadLinkPlace, Duplicate, Health, LinkGraph, LinkNode, QuotedLines,
    SimilarityKind, StaleNote, SuggestedAlias, SuggestedLink, UnusedNotes,
};

use self::links::Links;
use self::notes::Notes;
use crate::Result;
use crate::domain::corpus::VaultPath;
use crate::library::search::Searcher;
use crate::library::vault::Vault;

/// What a report is computed from.
#[derive(Clone, Copy)]
pub struct HealthInputs<'a> {
    /// The vault.
    pub vault: &'a Vault,
    /// The search, for the vectors of passages. The index is used as it is.
    pub search: &'a Searcher,
    /// The notes that were used as evidence.
    pub drawn_on: &'a BTreeSet<VaultPath>,
    /// Whether private notes are left out, as if they did not exist.
    pub without_private: bool,
}

/// A report, and the graph of links to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct HealthExamination {
    /// The report.
    pub health: Health,
    /// The graph of links.
    pub graph: LinkGraph,
}

/// The most notes of one cluster in the report.
const MAX_IN_CLUSTER: usize = 50;
const MAX_UNUSED: usize = 100;

/// Examines the whole vault.
pub fn examine(inputs: &HealthInputs<'_>) -> Result<HealthExamination> {
    let public = inputs
        .without_private
        .then(|| (inputs.vault.without_private(), inputs.search.without_private(inputs.vault)));
    let (vault, search) = match &public {
        Some((vault, search)) => (vault, search),
        None => (inputs.vault, inputs.search),
    };
    let began = vault.clock.now();
    let mut notes = Notes::read(vault)?;
    let links = Links::from_notes(&notes);
    notes.forget_links();
    let mentions = suggestions::find_name_mentions(&mut notes, &links);
    let notes = notes;
    let clusters = clusters::find_clusters(&links.weighted_neighbors());
    let duplicates = duplicates::find_duplicates(search, &notes)?;
    let suggested = suggestions::build_suggestions(&notes, &links, &mentions);
    let paths = |these: Vec<usize>| these.into_iter().map(|at| notes.path(at)).collect::<Vec<String>>();
    let by_degree = |at: &Vec<usize>| -> Vec<usize> {
        let mut best = at.clone();
        best.sort_by_key(|&at| (std::cmp::Reverse(links.degree(at)), at));
        best
    };
    let listed = clusters.iter().enumerate().map(|(id, members)| {
        let best = by_degree(members);
        Cluster {
            id,
            name: best.first().map(|&at| notes.all[at].path.stem().to_owned()).unwrap_or_default(),
            size: members.len(),
            notes: paths(best.into_iter().take(MAX_IN_CLUSTER).collect()),
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
        never_drawn_on: find_unused_notes(inputs.drawn_on, &notes),
        duplicates: duplicates.found,
        contradictions: figures::find_contradictions(&notes),
        stale: stale::find_stale_notes(&notes, &links, began.date()),
        suggested_links: suggested.links,
        suggested_aliases: suggested.aliases,
        skipped: notes.skipped.clone(),
        notice: duplicates.notice,
    };
    let graph = build_link_graph(&notes, &links, &clusters);
    let took = vault.clock.now().timestamp().duration_since(began.timestamp());
    let took_ms = u64::try_from(took.as_millis()).unwrap_or(0);
    Ok(HealthExamination { health: Health { took_ms, ..health }, graph })
}

fn find_unused_notes(drawn_on: &BTreeSet<VaultPath>, notes: &Notes) -> UnusedNotes {
    let left = notes.all.iter().filter(|note| !note.is_ours && !drawn_on.contains(&note.path));
    let left: Vec<String> = left.map(|note| note.path.to_string()).collect();
    UnusedNotes { count: left.len(), notes: left.into_iter().take(MAX_UNUSED).collect() }
}

fn build_link_graph(notes: &Notes, links: &Links, clusters: &[Vec<usize>]) -> LinkGraph {
    let mut cluster_of = vec![None; notes.all.len()];
    for (id, members) in clusters.iter().enumerate() {
        members.iter().for_each(|&at| cluster_of[at] = Some(id));
    }
    let node = |(at, note): (usize, &notes::ParsedNote)| LinkNode {
        path: note.path.to_string(),
        title: note.path.stem().to_owned(),
        cluster: cluster_of[at],
        links: links.degree(at),
    };
    LinkGraph { nodes: notes.all.iter().enumerate().map(node).collect(), edges: links.edges() }
}
