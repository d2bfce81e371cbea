//! What in a note deserves research: its questions, its headings and links, and its key phrases.

mod reader;

use std::collections::HashMap;

use reader::TopicReader;
use wellread_text::{Note, Sentence, SentenceKind, extract_phrases, significant_words, split_sentences};

use super::generated_sections::{find_generated_sections, is_within};

/// A topic of a note that deserves research.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// The topic in two to five words, if the note has them.
    pub topic: String,
    /// The sentence or heading that it comes from, byte for byte.
    pub context: String,
    /// What kind of topic it is.
    pub kind: TopicKind,
}

/// What kind of topic it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicKind {
    /// A statement that could be checked.
    Claim,
    /// A concept that could be explained.
    Concept,
    /// A question that could be answered.
    Question,
}

impl TopicKind {
    /// The kind's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Concept => "concept",
            Self::Question => "question",
        }
    }
}

/// The topics of a note with this `title`: questions first, then headings and links, then key phrases. `rarity` says
/// how much a stem counts; 1 means nothing. `focus` keeps the topics that share its words, and is a topic itself if
/// none does.
pub fn find_topics(
    title: &str,
    text: &str,
    focus: Option<&str>,
    most: usize,
    rarity: &dyn Fn(&str) -> f32,
) -> Vec<Topic> {
    let note = Note::parse(text);
    let own = find_generated_sections(&note, text);
    let all: Vec<Sentence> = split_sentences(text)
        .into_iter()
        .filter(|sentence| sentence.kind != SentenceKind::Code && !is_within(&sentence.span, &own))
        .collect();
    let found = extract_phrases(text, &own, rarity);
    let mut weights: HashMap<&str, f32> = HashMap::new();
    for phrase in &found {
        for stem in &phrase.stems {
            let best = weights.entry(stem).or_insert(0.2);
            *best = best.max(phrase.score);
        }
    }
    let reader = TopicReader {
        weights: &weights,
        title,
        text,
        note: &note,
        own: &own,
        sentences: &all,
        phrases: &found,
    };
    let mut groups = [reader.question_topics(), reader.heading_and_link_topics(), reader.phrase_topics()];
    let focus = focus.map(str::trim).filter(|focus| !focus.is_empty());
    if let Some(focus) = focus {
        let wanted = significant_words(focus);
        for group in &mut groups {
            group.retain(|topic| significant_words(&topic.topic).iter().any(|stem| wanted.contains(stem)));
        }
        if groups.iter().all(Vec::is_empty) {
            return vec![reader.focus_topic(focus, &wanted)];
        }
    }
    choose_topics(title, groups, most)
}

/// How many of each group are considered: a long note has thousands.
const MAX_CANDIDATES: usize = 80;

/// The best of each group: of the questions and the names no more than four in ten, as long as there is something else.
fn choose_topics(title: &str, groups: [Vec<Topic>; 3], most: usize) -> Vec<Topic> {
    let share = (most * 2).div_ceil(5).max(1);
    let mut taken: Vec<TopicCandidate> = Vec::new();
    let mut left: Vec<TopicCandidate> = Vec::new();
    for (group, topics) in groups.into_iter().enumerate() {
        let limit = if group == 2 { most } else { share };
        let mut of_group = 0;
        for topic in topics.into_iter().take(MAX_CANDIDATES) {
            let candidate = TopicCandidate { group, stems: words_beside_title(title, &topic.topic), topic };
            let is_part = |known: &TopicCandidate| group == 2 && is_part(&candidate.stems, &known.stems);
            let is_known = |known: &TopicCandidate| is_same(&known.stems, &candidate.stems) || is_part(known);
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

/// The words of a topic without the title that was put before it.
fn words_beside_title(title: &str, topic: &str) -> Vec<String> {
    let rest = topic.strip_prefix(title).filter(|rest| rest.starts_with(' '));
    significant_words(rest.unwrap_or(topic))
}

struct TopicCandidate {
    group: usize,
    stems: Vec<String>,
    topic: Topic,
}

/// Whether all words of one are among the other's, and there are several.
fn is_part(one: &[String], other: &[String]) -> bool {
    one.len() > 1 && one.iter().all(|stem| other.contains(stem))
}

/// Whether two topics are the same: all words of one are among the few of the other, or most words are shared.
fn is_same(one: &[String], other: &[String]) -> bool {
    let shared = one.iter().filter(|stem| other.contains(stem)).count();
    let (least, most) = (one.len().min(other.len()), one.len().max(other.len()));
    shared == least && shared * 2 > most || shared * 3 > most * 2 || most == 0
}
