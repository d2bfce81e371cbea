//! Sources of topics: questions, headings, links, tags and phrases, each with the sentence around it.

use std::collections::HashMap;

use wellread_text::{Note, Phrase, Sentence, Span, extract_claims, fold, significant_words, split_sentences};

use super::{MAX_CANDIDATES, Topic, TopicKind};
use crate::domain::corpus::is_note;
use crate::insight::keyless::generated_sections::is_within;
use crate::insight::keyless::open_questions::{OpenQuestion, QuestionKind, find_open_questions};
use crate::insight::keyless::quotation::plain_text;
use crate::insight::keyless::quotation::trim_marks;
use crate::library::vault::parse_day;

/// The most words of a topic.
const MAX_WORDS: usize = 5;

/// Headings that structure a note, and do not name a topic.
const STRUCTURE_HEADINGS: &[&str] = &[
    "research",
    "summary",
    "questions",
    "open questions",
    "question",
    "notes",
    "note",
    "links",
    "references",
    "reference",
    "see also",
    "sources",
    "source",
    "todo",
    "to do",
    "tasks",
    "introduction",
    "overview",
    "background",
    "conclusion",
    "contents",
    "table of contents",
    "related",
    "further reading",
    "misc",
    "other",
    "log",
    "ideas",
    "details",
    "numbers",
    "parts",
    "example",
    "examples",
    "usage",
    "appendix",
    "faq",
    "resources",
    "next steps",
    "why",
    "how",
    "what",
    "when",
    "how it went",
    "fragen",
    "notizen",
    "quellen",
    "übersicht",
    "einleitung",
    "zusammenfassung",
    "siehe auch",
    "beispiele",
    "liens",
    "sources",
    "résumé",
    "introduction",
    "voir aussi",
    "exemples",
    "api",
    "configuration",
    "options",
    "features",
];

/// A note that is searched for topics.
pub(super) struct TopicReader<'a> {
    pub title: &'a str,
    pub text: &'a str,
    pub note: &'a Note,
    pub own: &'a [Span],
    pub sentences: &'a [Sentence],
    pub phrases: &'a [Phrase],
    /// The best score of a phrase with this stem.
    pub weights: &'a HashMap<&'a str, f32>,
}

impl TopicReader<'_> {
    pub fn question_topics(&self) -> Vec<Topic> {
        let mut open = find_open_questions(self.text);
        open.sort_by_key(|question| question.kind == QuestionKind::Task);
        let topic = |question: &OpenQuestion| {
            let topic = self.gist(&question.text)?;
            Some(Topic { topic, context: self.source_text(&question.span), kind: TopicKind::Question })
        };
        open.iter().take(MAX_CANDIDATES).filter_map(topic).collect()
    }

    /// Headings and links in the order of the text; frontmatter links and tags come last.
    pub fn heading_and_link_topics(&self) -> Vec<Topic> {
        let mut found: Vec<((bool, usize), Topic)> = Vec::new();
        for heading in self.note.headings.iter().filter(|heading| !is_within(&heading.span, self.own)) {
            if let Some(topic) = self.heading_topic(&heading.text) {
                let context = self.text[heading.span.clone()].trim_end().to_owned();
                found.push(((false, heading.span.start), Topic { topic, context, kind: TopicKind::Concept }));
            }
        }
        let links = self.note.links.iter().filter(|link| !is_within(&link.span, self.own));
        for link in links.take(MAX_CANDIDATES * 5) {
            let name = link.target.rsplit('/').next().unwrap_or_default();
            let has_ending = name.rsplit_once('.').is_some_and(|(_, ending)| (2..=4).contains(&ending.len()));
            if name.is_empty() || has_ending && !is_note(name) || parse_day(name).is_ok() {
                continue;
            }
            let name = name.strip_suffix(".md").unwrap_or(name);
            if significant_words(name).is_empty() || fold(name) == fold(self.title) {
                continue;
            }
            let context = self
                .enclosing_sentence(&link.span)
                .unwrap_or_else(|| self.text[link.span.clone()].to_owned());
            found.push((
                (link.in_frontmatter, link.span.start),
                Topic { topic: cut(name), context, kind: TopicKind::Concept },
            ));
        }
        found.sort_by_key(|(at, _)| *at);
        let tags = self.note.tags.iter().filter(|tag| !is_within(&tag.span, self.own));
        found.extend(tags.map(|tag| {
            let context =
                self.enclosing_sentence(&tag.span).unwrap_or_else(|| self.text[tag.span.clone()].to_owned());
            (
                (true, tag.span.start),
                Topic { topic: tag.name.replace(['/', '-', '_'], " "), context, kind: TopicKind::Concept },
            )
        }));
        found.into_iter().map(|(_, topic)| topic).collect()
    }

    /// A heading by itself, or with the note's title if it is a single word.
    fn heading_topic(&self, heading: &str) -> Option<String> {
        let words = split_sentences(heading).iter().map(plain_text).collect::<Vec<_>>().join(" ");
        let words = if words.is_empty() { heading.to_owned() } else { words };
        let bare = words.trim_end_matches([':', '.', '!', '?']);
        let telling =
            significant_words(bare).into_iter().filter(|stem| stem.contains(char::is_alphabetic)).count();
        if STRUCTURE_HEADINGS.contains(&fold(bare).as_str()) || telling == 0 {
            return None;
        }
        Some(self.with_title(bare))
    }

    /// A single word together with the note's title if that is short: by itself it finds too much.
    fn with_title(&self, words: &str) -> String {
        let about = significant_words(self.title);
        let is_fit = (1..=3).contains(&about.len()) && parse_day(self.title).is_err();
        let own = significant_words(words);
        if own.len() == 1 && is_fit && !about.contains(&own[0]) {
            return cut(&format!("{} {}", self.title, lower_first(words)));
        }
        cut(words)
    }

    pub fn phrase_topics(&self) -> Vec<Topic> {
        let fits = |phrase: &&Phrase| phrase.text.chars().count() > 3;
        let topic = |phrase: &Phrase| Topic {
            topic: cut(&phrase.text),
            context: self.source_text(&phrase.context),
            kind: self.topic_kind(&phrase.context),
        };
        // Several words first: a single one is too unspecific.
        let many = self.phrases.iter().filter(fits).filter(|phrase| phrase.stems.len() > 1);
        let alone = self.phrases.iter().filter(fits).filter(|phrase| phrase.stems.len() == 1);
        many.chain(alone).map(topic).collect()
    }

    fn topic_kind(&self, context: &Span) -> TopicKind {
        let sentence = self.sentences.iter().find(|sentence| sentence.span == *context);
        let claimed = sentence.map(extract_claims);
        let figures = claimed.is_some_and(|claimed| !claimed.numbers.is_empty() || !claimed.dates.is_empty());
        if figures { TopicKind::Claim } else { TopicKind::Concept }
    }

    /// The few words of a sentence that say most of what it is about, as written.
    fn gist(&self, sentence: &str) -> Option<String> {
        let weight = |stem: &String| self.weights.get(stem.as_str()).copied().unwrap_or(0.2);
        let lead = ["open question:", "todo:", "todo", "tbd:", "offene frage:", "question:"];
        let start =
            lead.iter().find(|lead| sentence.to_lowercase().starts_with(**lead)).map_or(0, |lead| lead.len());
        let words: Vec<&str> = sentence.get(start..).unwrap_or(sentence).split_whitespace().collect();
        let telling: Vec<Option<f32>> = words
            .iter()
            .map(|word| {
                let stems = significant_words(word);
                (!stems.is_empty()).then(|| stems.iter().map(weight).sum())
            })
            .collect();
        let mut best: Option<(f32, usize, usize)> = None;
        for from in 0..words.len() {
            let mut sum = 0.0;
            for to in from..words.len().min(from + MAX_WORDS) {
                sum += telling[to].unwrap_or(-0.15);
                let whole = telling[from].is_some() && telling[to].is_some();
                // Punctuation separates two thoughts.
                let divided =
                    words[from..to].iter().any(|word| word.ends_with([',', ';', ':', '.', '?', '!']));
                if whole && !divided && best.is_none_or(|(most, ..)| sum > most) {
                    best = Some((sum, from, to));
                }
            }
        }
        let (_, from, to) = best?;
        let words = words[from..=to].join(" ");
        let bare = words.trim_matches(|letter: char| !letter.is_alphanumeric());
        let bare = ["'s", "’s"].iter().find_map(|ending| bare.strip_suffix(ending)).unwrap_or(bare);
        (!bare.is_empty()).then(|| self.with_title(bare))
    }

    /// A sentence or a heading byte for byte, without blockquote markers before it.
    fn source_text(&self, span: &Span) -> String {
        self.text[trim_marks(self.text, span)].to_owned()
    }

    /// The sentence around a place.
    fn enclosing_sentence(&self, span: &Span) -> Option<String> {
        let sentence = self
            .sentences
            .iter()
            .find(|sentence| sentence.span.start <= span.start && span.end <= sentence.span.end)?;
        Some(self.source_text(&sentence.span))
    }

    pub fn focus_topic(&self, focus: &str, wanted: &[String]) -> Topic {
        let shares =
            |sentence: &&Sentence| significant_words(&sentence.text).iter().any(|stem| wanted.contains(stem));
        let context =
            self.sentences.iter().find(shares).map(|sentence| self.text[sentence.span.clone()].to_owned());
        let kind = if focus.ends_with('?') { TopicKind::Question } else { TopicKind::Concept };
        Topic { topic: focus.to_owned(), context: context.unwrap_or_default(), kind }
    }
}

/// The first `MAX_WORDS` words.
fn cut(words: &str) -> String {
    words.split_whitespace().take(MAX_WORDS).collect::<Vec<_>>().join(" ")
}

fn lower_first(word: &str) -> String {
    let mut letters = word.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_lowercase).collect();
    let all_capitals = word.chars().skip(1).any(char::is_uppercase);
    if all_capitals { word.to_owned() } else { first + letters.as_str() }
}
