//! Notes that have to do with a note, and that neither links to: perhaps they were forgotten.

use std::collections::{BTreeMap, BTreeSet};

use wellread_text::{Names, Note, Terms, fold, link_key, telling_words};

use super::own_text;
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
/// A note with more links than this is a table of contents.
const HUB: usize = 15;
/// What a note has to have in common at the least.
const ENOUGH: f32 = 0.5;

/// The notes that were found for the note's topics, or that link to what it links to, best first.
pub fn forgotten(
    vault: &Vault,
    note: &NoteText,
    found: &[(String, Vec<Hit>)],
    most: usize,
) -> Result<Vec<Forgotten>> {
    // Once: to be level with the files costs a look at each of them.
    let names = vault.links.names()?;
    let own = Ties::of(&names, note);
    let mut candidates = by_topics(found);
    by_links(vault, &own, &mut candidates)?;
    candidates.remove(&note.path);
    for linked in &own.leads_to {
        candidates.retain(|path, _| path.as_str() != linked);
    }
    let mut ranked: Vec<(VaultPath, Found)> = candidates.into_iter().collect();
    ranked.sort_by(|one, other| other.1.score().total_cmp(&one.1.score()).then(one.0.cmp(&other.0)));
    ranked.truncate(LOOKED_INTO);

    let mut kept = Vec::new();
    for (path, found) in ranked {
        if fold(path.as_str()) == fold(&vault.layout.preferences) {
            continue;
        }
        // It went away since it was found.
        let Ok(other) = vault.read(&path) else { continue };
        let ties = Ties::of(&names, &other);
        if ties.leads_to.contains(note.path.as_str()) {
            continue;
        }
        let (why, score) = own.compared(&ties, &found);
        if score < ENOUGH {
            continue;
        }
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
    /// What it was found for, the best first.
    topics: Vec<(f32, String)>,
    /// How many of the note's links it shares, roughly.
    linked: usize,
}

impl Found {
    fn by_topics(&self) -> f32 {
        self.topics.iter().map(|(weight, _)| weight).sum::<f32>().min(2.0)
    }

    fn score(&self) -> f32 {
        self.by_topics() + 0.3 * self.linked.min(4) as f32
    }
}

fn by_topics(found: &[(String, Vec<Hit>)]) -> BTreeMap<VaultPath, Found> {
    let mut candidates: BTreeMap<VaultPath, Found> = BTreeMap::new();
    for (topic, hits) in found {
        let mut seen = BTreeSet::new();
        let words = telling_words(topic);
        let notes =
            hits.iter().filter(|hit| hit.place.corpus == CorpusName::Vault && hit.place.path.is_note());
        for (rank, hit) in notes.filter(|hit| seen.insert(hit.place.path.clone())).enumerate() {
            let candidate = candidates.entry(hit.place.path.clone()).or_default();
            let weight = 0.7 * spoken(&words, hit) / (1.0 + rank as f32 * 0.3);
            if weight > 0.2 {
                candidate.topics.push((weight, topic.clone()));
            }
        }
    }
    candidates
}

/// Which part of a topic's words a passage has, its title and headings included.
fn spoken(words: &[String], hit: &Hit) -> f32 {
    let mut terms = Terms::of(&hit.text);
    terms.add(hit.place.path.stem());
    hit.context.iter().for_each(|heading| terms.add(heading));
    let held: BTreeSet<&str> = terms.words.split(' ').chain(terms.parts.split(' ')).collect();
    let found = words.iter().filter(|word| held.contains(word.as_str())).count();
    // What was found by its meaning alone counts a little.
    (found as f32 / words.len().max(1) as f32).max(0.3)
}

/// Adds the notes that link to what this one links to.
fn by_links(vault: &Vault, own: &Ties, candidates: &mut BTreeMap<VaultPath, Found>) -> Result<()> {
    let keys: BTreeSet<String> = own.leads_to.iter().map(|path| link_key(path)).collect();
    for key in keys.into_iter().take(LOOKED_INTO) {
        let mentions = vault.links.mentioning(&[key])?.notes;
        if mentions.len() <= TOO_COMMON {
            for path in mentions {
                candidates.entry(path).or_default().linked += 1;
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
    fn of(names: &Names, note: &NoteText) -> Self {
        // A link that we wrote is none that its user remembers.
        let parsed = Note::parse(&own_text(&note.text));
        let targets = parsed.links.iter().filter(|link| !link.target.is_empty());
        let leads_to = targets
            .filter_map(|link| names.resolve(&link.target, note.path.as_str()).path().map(str::to_owned))
            .filter(|path| path != note.path.as_str())
            .collect();
        let tags = parsed.all_tags().into_iter().map(|tag| (fold(&tag), tag)).collect();
        Self { leads_to, tags }
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
        // A note that links to everything has something in common with each.
        let hub = if other.leads_to.len() > HUB { 0.3 } else { 1.0 };
        let mut score = 0.25 * tags.len().min(3) as f32 + 0.25 * links.min(4) as f32 * hub;
        let mut shared: Vec<String> = tags.iter().take(3).map(|tag| format!("#{tag}")).collect();
        match links {
            0 => {}
            1 => shared.push("a link".to_owned()),
            many => shared.push(format!("{many} links")),
        }
        let mut why = Vec::new();
        if !found.topics.is_empty() {
            score += found.by_topics();
            let mut topics = found.topics.clone();
            topics.sort_by(|one, other| other.0.total_cmp(&one.0));
            let topics: Vec<String> =
                topics.iter().take(2).map(|(_, topic)| format!("`{}`", topic.replace('`', "'"))).collect();
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
