//! What in a note deserves research: its questions, its headings and links, and what it speaks of most.

mod reader;

use std::collections::HashMap;

use reader::Reader;
use wellread_text::{Note, Sentence, SentenceKind, phrases, sentences, telling_words};

use super::own::{is_within, own_sections};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// Of two to five words, where the note has them.
    pub topic: String,
    /// The sentence or the heading that it comes from, byte for byte.
    pub context: String,
    pub kind: TopicKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicKind {
    Claim,
    Concept,
    Question,
}

impl TopicKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Concept => "concept",
            Self::Question => "question",
        }
    }
}

/// The topics of a note that is called `title`: questions first, then headings and links, then telling phrases. `rarity`
/// says how much a stem counts: 1 says nothing. `focus` leaves those that share its words, and is a topic itself where
/// none does.
pub fn topics(
    title: &str,
    text: &str,
    focus: Option<&str>,
    most: usize,
    rarity: &dyn Fn(&str) -> f32,
) -> Vec<Topic> {
    let note = Note::parse(text);
    let own = own_sections(&note, text);
    let all: Vec<Sentence> = sentences(text)
        .into_iter()
        .filter(|sentence| sentence.kind != SentenceKind::Code && !is_within(&sentence.span, &own))
        .collect();
    let found = phrases(text, &own, rarity);
    let mut weights: HashMap<&str, f32> = HashMap::new();
    for phrase in &found {
        for stem in &phrase.stems {
            let best = weights.entry(stem).or_insert(0.2);
            *best = best.max(phrase.score);
        }
    }
    let reader =
        Reader { weights: &weights, title, text, note: &note, own: &own, sentences: &all, phrases: &found };
    let mut groups = [reader.asked(), reader.named(), reader.telling()];
    let focus = focus.map(str::trim).filter(|focus| !focus.is_empty());
    if let Some(focus) = focus {
        let wanted = telling_words(focus);
        for group in &mut groups {
            group.retain(|topic| telling_words(&topic.topic).iter().any(|stem| wanted.contains(stem)));
        }
        if groups.iter().all(Vec::is_empty) {
            return vec![reader.focused(focus, &wanted)];
        }
    }
    chosen(title, groups, most)
}

/// How many of each group are looked at: a long note has thousands.
const LOOKED_AT: usize = 80;

/// The best of each group: of the questions and the names no more than four in ten, as long as there is something else.
fn chosen(title: &str, groups: [Vec<Topic>; 3], most: usize) -> Vec<Topic> {
    let share = (most * 2).div_ceil(5).max(1);
    let mut taken: Vec<Candidate> = Vec::new();
    let mut left: Vec<Candidate> = Vec::new();
    for (group, topics) in groups.into_iter().enumerate() {
        let limit = if group == 2 { most } else { share };
        let mut of_group = 0;
        for topic in topics.into_iter().take(LOOKED_AT) {
            let candidate = Candidate { group, stems: own_words(title, &topic.topic), topic };
            let is_part = |known: &Candidate| group == 2 && is_part(&candidate.stems, &known.stems);
            let is_known = |known: &Candidate| is_same(&known.stems, &candidate.stems) || is_part(known);
            if taken.iter().chain(&left).any(is_known) {
                continue;
            }
            if of_group < limit && taken.len() < most {
                of_group += 1;
                taken.push(candidate);
            } else {
                left.push(candidate);
            }
        }
    }
    let room = most.saturating_sub(taken.len());
    taken.extend(left.into_iter().take(room));
    taken.sort_by_key(|candidate| candidate.group);
    taken.into_iter().map(|candidate| candidate.topic).collect()
}

/// What a topic says beside the title that was put before it.
fn own_words(title: &str, topic: &str) -> Vec<String> {
    let rest = topic.strip_prefix(title).filter(|rest| rest.starts_with(' '));
    telling_words(rest.unwrap_or(topic))
}

struct Candidate {
    group: usize,
    stems: Vec<String>,
    topic: Topic,
}

/// Whether all words of the one are among the other's, and they are several.
fn is_part(one: &[String], other: &[String]) -> bool {
    one.len() > 1 && one.iter().all(|stem| other.contains(stem))
}

/// Whether two topics are one: all words of the one are among the few of the other, or most of both are the same.
fn is_same(one: &[String], other: &[String]) -> bool {
    let shared = one.iter().filter(|stem| other.contains(stem)).count();
    let (least, most) = (one.len().min(other.len()), one.len().max(other.len()));
    shared == least && shared * 2 > most || shared * 3 > most * 2 || most == 0
}
