//! Notes that have to do with a note, and that neither links to: perhaps they were forgotten.

use std::collections::{BTreeMap, BTreeSet};

use wellread_text::{Note, fold, link_key};

use crate::Result;
use crate::corpus::{CorpusName, VaultPath};
use crate::search::Hit;
use crate::untrusted::Origin;
use crate::vault::{NoteText, Vault, parse_day};

#[derive(Debug, Clone, PartialEq)]
pub struct Forgotten {
    pub path: VaultPath,
    /// In words: "shares #varroa and 3 links", "found for `winter losses`".
    pub why: String,
    pub score: f32,
}

/// How many notes are looked into.
const LOOKED_INTO: usize = 40;
/// A name that more notes link to than this says nothing about any two of them.
const TOO_COMMON: usize = 60;
/// What a note has to have in common at the least.
const ENOUGH: f32 = 0.5;

/// The notes that were found for the note's topics, or that link to what it links to, best first.
pub fn forgotten(
    vault: &Vault,
    note: &NoteText,
    found: &[(String, Vec<Hit>)],
    most: usize,
) -> Result<Vec<Forgotten>> {
    let own = Ties::of(vault, note)?;
    let mut candidates = by_topics(found);
    by_links(vault, &own, &mut candidates)?;
    candidates.remove(&note.path);
    for linked in &own.leads_to {
        candidates.retain(|path, _| path.as_str() != linked);
    }
    let mut ranked: Vec<(VaultPath, Found)> = candidates.into_iter().collect();
    ranked.sort_by(|one, other| other.1.score.total_cmp(&one.1.score).then(one.0.cmp(&other.0)));
    ranked.truncate(LOOKED_INTO);

    let mut kept = Vec::new();
    for (path, found) in ranked {
        if fold(path.as_str()) == fold(&vault.layout.preferences) {
            continue;
        }
        // It went away since it was found.
        let Ok(other) = vault.read(&path) else { continue };
        let ties = Ties::of(vault, &other)?;
        if ties.leads_to.contains(note.path.as_str()) {
            continue;
        }
        let (why, score) = own.compared(&ties, &found);
        let demoted =
            if is_daily(vault, &path) || vault.origin_of(&path) == Origin::Outside { 0.5 } else { 1.0 };
        if score * demoted >= ENOUGH {
            kept.push((Forgotten { path, why, score: score * demoted }, other.entry.modified));
        }
    }
    kept.sort_by(|(one, since), (other, until)| {
        other.score.total_cmp(&one.score).then(since.cmp(until)).then(one.path.cmp(&other.path))
    });
    Ok(kept.into_iter().map(|(forgotten, _)| forgotten).take(most).collect())
}

/// Why a note is looked at.
#[derive(Debug, Default)]
struct Found {
    topics: Vec<String>,
    score: f32,
}

fn by_topics(found: &[(String, Vec<Hit>)]) -> BTreeMap<VaultPath, Found> {
    let mut candidates: BTreeMap<VaultPath, Found> = BTreeMap::new();
    for (topic, hits) in found {
        let mut seen = BTreeSet::new();
        let notes =
            hits.iter().filter(|hit| hit.place.corpus == CorpusName::Vault && hit.place.path.is_note());
        for (rank, hit) in notes.filter(|hit| seen.insert(hit.place.path.clone())).enumerate() {
            let candidate = candidates.entry(hit.place.path.clone()).or_default();
            candidate.topics.push(topic.clone());
            candidate.score += 1.0 / (1.0 + rank as f32 * 0.5);
        }
    }
    candidates
}

/// Adds the notes that link to what this one links to.
fn by_links(vault: &Vault, own: &Ties, candidates: &mut BTreeMap<VaultPath, Found>) -> Result<()> {
    let keys: BTreeSet<String> = own.leads_to.iter().map(|path| link_key(path)).collect();
    for key in keys.into_iter().take(LOOKED_INTO) {
        let mentions = vault.links.mentioning(&[key])?.notes;
        if mentions.len() <= TOO_COMMON {
            for path in mentions {
                candidates.entry(path).or_default().score += 0.3;
            }
        }
    }
    Ok(())
}

/// What connects a note with others.
struct Ties {
    /// The paths that it links to.
    leads_to: BTreeSet<String>,
    /// By their folded form, as they are written.
    tags: BTreeMap<String, String>,
}

impl Ties {
    fn of(vault: &Vault, note: &NoteText) -> Result<Self> {
        let names = vault.links.names()?;
        let parsed: Note = note.parse();
        let targets = parsed.links.iter().filter(|link| !link.target.is_empty());
        let leads_to = targets
            .filter_map(|link| names.resolve(&link.target, note.path.as_str()).path().map(str::to_owned))
            .filter(|path| path != note.path.as_str())
            .collect();
        let tags = parsed.all_tags().into_iter().map(|tag| (fold(&tag), tag)).collect();
        Ok(Self { leads_to, tags })
    }

    /// What two notes have in common, in words and as a number.
    fn compared(&self, other: &Self, found: &Found) -> (String, f32) {
        let tags: Vec<&String> = self
            .tags
            .iter()
            .filter(|(tag, _)| other.tags.contains_key(*tag))
            .map(|(_, written)| written)
            .collect();
        let links = self.leads_to.intersection(&other.leads_to).count();
        let mut score = 0.3 * tags.len().min(3) as f32 + 0.3 * links.min(4) as f32;
        let mut shared: Vec<String> = tags.iter().take(3).map(|tag| format!("#{tag}")).collect();
        match links {
            0 => {}
            1 => shared.push("a link".to_owned()),
            many => shared.push(format!("{many} links")),
        }
        let mut why = Vec::new();
        if !found.topics.is_empty() {
            // What was found by links alone was counted above.
            score += found.topics.len().min(4) as f32 * 0.4;
            let topics: Vec<String> =
                found.topics.iter().take(2).map(|topic| format!("`{}`", topic.replace('`', "'"))).collect();
            why.push(format!("found for {}", topics.join(" and ")));
        }
        if let Some((last, rest)) = shared.split_last() {
            let list = if rest.is_empty() { last.clone() } else { format!("{} and {last}", rest.join(", ")) };
            why.push(format!("shares {list}"));
        }
        (why.join("; "), score)
    }
}

fn is_daily(vault: &Vault, path: &VaultPath) -> bool {
    parse_day(path.stem()).is_ok() || fold(path.folder()) == fold(&vault.layout.daily_notes)
}
