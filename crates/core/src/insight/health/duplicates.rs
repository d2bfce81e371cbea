//! Notes with the same text, or nearly the same.
//!
//! Two notes with vectors are compared by meaning, all others by shared shingles.

use std::collections::{BTreeSet, HashMap};

use super::notes::{Notes, ParsedNote};
use super::report::{Duplicate, SimilarityKind};
use super::vectors;
use crate::library::search::Searcher;
use crate::{Error, Result};

/// A shorter note is similar to many others without being a duplicate.
const MIN_WORDS: usize = 8;
/// The share of each note's shingles that must occur in the other.
const MIN_SIMILARITY: f32 = 0.8;
/// The most pairs in the report.
const MAX_PAIRS: usize = 200;
/// A shingle that more notes share belongs to a template or a footer.
const MAX_NOTES_PER_SHINGLE: usize = 60;

pub(super) struct Duplicates {
    pub found: Vec<Duplicate>,
    /// How duplicates were searched for, if not by meaning.
    pub notice: Option<String>,
}

/// Pairs, the most similar first.
pub(super) fn find_duplicates(search: &Searcher, notes: &Notes) -> Result<Duplicates> {
    let compared: Vec<usize> = (0..notes.all.len()).filter(|&at| is_compared(&notes.all[at])).collect();
    let (mut pairs, copies) = same_text(notes, &compared);
    let left: Vec<usize> = compared.into_iter().filter(|at| !copies.contains(at)).collect();
    let (means, notice) = match search.embedder.model() {
        Ok(model) => {
            let means = vectors::note_vectors(&*search.library.vectors, &model, notes)?;
            let without = left.iter().filter(|&&at| means[at].is_none()).count();
            let notice = (without > 0).then(|| {
                format!("{without} notes have no vectors yet and were compared by words (`wellread index` creates them)")
            });
            (means, notice)
        }
        Err(error) => (Vec::new(), Some(no_model(&error))),
    };
    let has_vector = |at: usize| means.get(at).is_some_and(Option::is_some);
    if !means.is_empty() {
        let near = vectors::find_near_pairs(&means, &left);
        pairs.extend(
            near.into_iter()
                .map(|(one, other, cosine)| pair(notes, one, other, cosine, SimilarityKind::Vector)),
        );
    }
    let all_have_vectors = left.iter().all(|&at| has_vector(at));
    let by_words: &[usize] = if all_have_vectors { &[] } else { &left };
    let worded = near_by_words(notes, by_words, |one, other| !(has_vector(one) && has_vector(other)));
    pairs.extend(
        worded
            .into_iter()
            .map(|(one, other, share)| pair(notes, one, other, share, SimilarityKind::Shingles)),
    );
    pairs.sort_by(|one, other| {
        other
            .similarity
            .total_cmp(&one.similarity)
            .then_with(|| (&one.one, &one.other).cmp(&(&other.one, &other.other)))
    });
    pairs.truncate(MAX_PAIRS);
    Ok(Duplicates { found: pairs, notice })
}

fn no_model(error: &Error) -> String {
    let hint = error.hint_text().map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("near-duplicates were searched by words only: {}{hint}", error.message())
}

fn is_compared(note: &ParsedNote) -> bool {
    note.words >= MIN_WORDS && !note.is_daily && !note.is_ours
}

fn pair(notes: &Notes, one: usize, other: usize, similarity: f32, how: SimilarityKind) -> Duplicate {
    let similarity = (similarity.min(1.0) * 1000.0).round() / 1000.0;
    Duplicate { one: notes.path(one), other: notes.path(other), similarity, how }
}

/// Pairs of notes with equal text, ignoring surrounding space, each with the first of its group; and the set of all but
/// the first ones.
fn same_text(notes: &Notes, compared: &[usize]) -> (Vec<Duplicate>, BTreeSet<usize>) {
    let body = |at: usize| notes.all[at].text[notes.all[at].body()].trim();
    let mut firsts: HashMap<&[u64], Vec<usize>> = HashMap::new();
    let (mut pairs, mut copies) = (Vec::new(), BTreeSet::new());
    for &at in compared {
        let alike = firsts.entry(&notes.all[at].sketch).or_default();
        match alike.iter().find(|&&first| body(first) == body(at)) {
            None => alike.push(at),
            Some(&first) => {
                pairs.push(pair(notes, first, at, 1.0, SimilarityKind::Text));
                copies.insert(at);
            }
        }
    }
    (pairs, copies)
}

/// Pairs whose shingles occur in each other, searched for among those that share one of their smallest shingles:
/// similar texts share nearly all of these.
fn near_by_words(
    notes: &Notes,
    left: &[usize],
    is_wanted: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize, f32)> {
    let of = |&at: &usize| notes.all[at].sketch.iter().map(move |&shingle| (shingle, at));
    let mut by_shingle: Vec<(u64, usize)> = left.iter().flat_map(of).collect();
    by_shingle.sort_unstable();
    let mut candidates: BTreeSet<(usize, usize)> = BTreeSet::new();
    for together in by_shingle.chunk_by(|one, other| one.0 == other.0) {
        if !(2..=MAX_NOTES_PER_SHINGLE).contains(&together.len()) {
            continue;
        }
        for (number, &(_, one)) in together.iter().enumerate() {
            for &(_, other) in &together[number + 1..] {
                if is_near_in_size(&notes.all[one], &notes.all[other]) && is_wanted(one, other) {
                    candidates.insert((one, other));
                }
            }
        }
    }
    let mut shingles = HashMap::new();
    let mut found = Vec::new();
    for (one, other) in candidates {
        for at in [one, other] {
            shingles.entry(at).or_insert_with(|| notes.all[at].shingles());
        }
        let share = shingles[&one]
            .containment_in(&shingles[&other])
            .min(shingles[&other].containment_in(&shingles[&one]));
        if share >= MIN_SIMILARITY {
            found.push((one, other, share));
        }
    }
    found
}

fn is_near_in_size(one: &ParsedNote, other: &ParsedNote) -> bool {
    one.words.min(other.words) as f32 >= one.words.max(other.words) as f32 * MIN_SIMILARITY
}
