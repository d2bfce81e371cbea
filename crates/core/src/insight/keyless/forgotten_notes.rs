//! Notes that are related to a note although neither links to the other: perhaps they were forgotten.

use std::collections::{BTreeMap, BTreeSet};

use wellread_text::{FileNames, Note, Terms, fold, link_key, significant_words};

use super::strip_generated_sections;
use crate::Result;
use crate::domain::corpus::{CorpusName, VaultPath};
use crate::domain::untrusted::Origin;
use crate::library::search::Hit;
use crate::library::vault::{NoteText, Vault, parse_day};

/// A related note.
#[derive(Debug, Clone, PartialEq)]
pub struct ForgottenMatch {
    /// The note's path.
    pub path: VaultPath,
    /// The reason in words: "shares #varroa and 3 links", "found for `winter losses`".
    pub why: String,
    /// How closely it is related; higher is better.
    pub score: f32,
}

/// The most notes that are read.
const MAX_READ: usize = 40;
/// A name that more notes link to says nothing about any two of them.
const MAX_LINKING_NOTES: usize = 60;
/// A note with more links is a table of contents.
const HUB_LINKS: usize = 15;
/// The lowest score of a result.
const MIN_SCORE: f32 = 0.5;
/// What being the most similar note of all adds to the score.
const MOST_SIMILAR: f32 = 1.0;

/// The notes that were found for the note's topics and are like it as a whole, or that link to what it links to, best first.
/// `similar` has the notes that are like it, the most similar first; without any, everything that was found counts.
pub fn find_forgotten_notes(
    vault: &Vault,
    note: &NoteText,
    found: &[(String, Vec<Hit>)],
    similar: &[VaultPath],
    most: usize,
) -> Result<Vec<ForgottenMatch>> {
    // Once: updating the index costs a look at every file.
    let names = vault.links.names()?;
    let own = NoteConnections::from_note(&names, note);
    let mut candidates = candidates_by_topic(found);
    for (rank, path) in similar.iter().enumerate() {
        if let Some(candidate) = candidates.get_mut(path) {
            candidate.similarity = MOST_SIMILAR / (1.0 + rank as f32 * 0.3);
        }
    }
    add_candidates_by_links(vault, &own, &mut candidates)?;
    if !similar.is_empty() {
        candidates.retain(|_, found| found.similarity > 0.0 || found.linked > 0);
    }
    candidates.remove(&note.path);
    for linked in &own.leads_to {
        candidates.retain(|path, _| path.as_str() != linked);
    }
    let mut ranked: Vec<(VaultPath, CandidateReasons)> = candidates.into_iter().collect();
    ranked.sort_by(|one, other| other.1.score().total_cmp(&one.1.score()).then(one.0.cmp(&other.0)));
    ranked.truncate(MAX_READ);

    let mut kept = Vec::new();
    for (path, found) in ranked {
        if fold(path.as_str()) == fold(&vault.layout.preferences) {
            continue;
        }
        // The note was deleted since it was found.
        let Ok(other) = vault.read(&path) else { continue };
        let ties = NoteConnections::from_note(&names, &other);
        if ties.leads_to.contains(note.path.as_str()) {
            continue;
        }
        let (why, score) = own.compare(&ties, &found);
        if score < MIN_SCORE {
            continue;
        }
        let demoted =
            if is_daily(vault, &path) || vault.origin_of(&path) == Origin::Outside { 0.5 } else { 1.0 };
        if score * demoted >= MIN_SCORE {
            kept.push((ForgottenMatch { path, why, score: score * demoted }, other.entry.modified));
        }
    }
    kept.sort_by(|(one, since), (other, until)| {
        other.score.total_cmp(&one.score).then(since.cmp(until)).then(one.path.cmp(&other.path))
    });
    Ok(kept.into_iter().map(|(forgotten, _)| forgotten).take(most).collect())
}

/// Why a note is considered.
#[derive(Debug, Default)]
struct CandidateReasons {
    /// The topics it was found for, the best first.
    topics: Vec<(f32, String)>,
    /// Higher, the more like the note it is as a whole; 0 if it is not.
    similarity: f32,
    /// Roughly how many of the note's links it shares.
    linked: usize,
}

impl CandidateReasons {
    fn topic_weight(&self) -> f32 {
        self.topics.iter().map(|(weight, _)| weight).sum::<f32>().min(2.0)
    }

    fn score(&self) -> f32 {
        self.topic_weight() + self.similarity + 0.3 * self.linked.min(4) as f32
    }
}

fn candidates_by_topic(found: &[(String, Vec<Hit>)]) -> BTreeMap<VaultPath, CandidateReasons> {
    let mut candidates: BTreeMap<VaultPath, CandidateReasons> = BTreeMap::new();
    for (topic, hits) in found {
        let mut seen = BTreeSet::new();
        let words = significant_words(topic);
        let notes =
            hits.iter().filter(|hit| hit.place.corpus == CorpusName::Vault && hit.place.path.is_note());
        for (rank, hit) in notes.filter(|hit| seen.insert(hit.place.path.clone())).enumerate() {
            let candidate = candidates.entry(hit.place.path.clone()).or_default();
            let weight = 0.7 * topic_coverage(&words, hit) / (1.0 + rank as f32 * 0.3);
            if weight > 0.2 {
                candidate.topics.push((weight, topic.clone()));
            }
        }
    }
    candidates
}

/// The share of a topic's words that a passage has, its title and headings included.
fn topic_coverage(words: &[String], hit: &Hit) -> f32 {
    let mut terms = Terms::from_text(&hit.text);
    terms.add(hit.place.path.stem());
    hit.context.iter().for_each(|heading| terms.add(heading));
    let held: BTreeSet<&str> = terms.words.split(' ').chain(terms.parts.split(' ')).collect();
    let found = words.iter().filter(|word| held.contains(word.as_str())).count();
    // A hit by meaning alone counts a little.
    (found as f32 / words.len().max(1) as f32).max(0.3)
}

/// Adds the notes that link to what this one links to.
fn add_candidates_by_links(
    vault: &Vault,
    own: &NoteConnections,
    candidates: &mut BTreeMap<VaultPath, CandidateReasons>,
) -> Result<()> {
    let keys: BTreeSet<String> = own.leads_to.iter().map(|path| link_key(path)).collect();
    for key in keys.into_iter().take(MAX_READ) {
        let mentions = vault.links.find_mentions(&[key])?.notes;
        if mentions.len() <= MAX_LINKING_NOTES {
            for path in mentions {
                candidates.entry(path).or_default().linked += 1;
            }
        }
    }
    Ok(())
}

/// What connects a note with others.
struct NoteConnections {
    /// The paths that it links to.
    leads_to: BTreeSet<String>,
    /// The tags as written, by their folded form.
    tags: BTreeMap<String, String>,
}

impl NoteConnections {
    fn from_note(names: &FileNames, note: &NoteText) -> Self {
        // Links that Wellread wrote do not count.
        let parsed = Note::parse(&strip_generated_sections(&note.text));
        let targets = parsed.links.iter().filter(|link| !link.target.is_empty());
        let leads_to = targets
            .filter_map(|link| names.resolve(&link.target, note.path.as_str()).path().map(str::to_owned))
            .filter(|path| path != note.path.as_str())
            .collect();
        let tags = parsed.all_tags().into_iter().map(|tag| (fold(&tag), tag)).collect();
        Self { leads_to, tags }
    }

    /// What two notes have in common, in words and as a score.
    fn compare(&self, other: &Self, found: &CandidateReasons) -> (String, f32) {
        let tags: Vec<&String> = self
            .tags
            .iter()
            .filter(|(tag, _)| other.tags.contains_key(*tag))
            .map(|(_, written)| written)
            .collect();
        let links = self.leads_to.intersection(&other.leads_to).count();
        // A note that links to everything has something in common with every note.
        let hub = if other.leads_to.len() > HUB_LINKS { 0.3 } else { 1.0 };
        let mut score = 0.25 * tags.len().min(3) as f32 + 0.25 * links.min(4) as f32 * hub;
        let mut shared: Vec<String> = tags.iter().take(3).map(|tag| format!("#{tag}")).collect();
        match links {
            0 => {}
            1 => shared.push("a link".to_owned()),
            many => shared.push(format!("{many} links")),
        }
        let mut why = Vec::new();
        if !found.topics.is_empty() {
            score += found.topic_weight() + found.similarity;
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
