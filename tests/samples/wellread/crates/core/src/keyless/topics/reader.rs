//! Where topics come from: questions, headings, links, tags and phrases, each with the sentence it stands in.

use std::collections::HashMap;

use wellread_text::{Note, Phrase, Sentence, Span, claims, fold, sentences, telling_words};

use super::{LOOKED_AT, Topic, TopicKind};
use crate::corpus::is_note;
use crate::keyless::open::{Asked, OpenQuestion, questions};
use crate::keyless::own::is_within;
use crate::keyless::quotable::bare;
use crate::keyless::said::plain;
use crate::vault::parse_day;

/// How many words a topic has at the most.
const LONGEST: usize = 5;

/// Headings that say where something stands in a note, and nothing of what it is.
const PLACES: &[&str] = &[
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

/// A note that is read for its topics.
pub(super) struct Reader<'a> {
    pub title: &'a str,
    pub text: &'a str,
    pub note: &'a Note,
    pub own: &'a [Span],
    pub sentences: &'a [Sentence],
    pub phrases: &'a [Phrase],
    /// The best score of a phrase with this stem.
    pub weights: &'a HashMap<&'a str, f32>,
}

impl Reader<'_> {
    pub fn asked(&self) -> Vec<Topic> {
        let mut open = questions(self.text);
        open.sort_by_key(|question| question.asked == Asked::Task);
        let topic = |question: &OpenQuestion| {
            let topic = self.gist(&question.text)?;
            Some(Topic { topic, context: self.written(&question.span), kind: TopicKind::Question })
        };
        open.iter().take(LOOKED_AT).filter_map(topic).collect()
    }

    /// Headings and links in the order of the text; tags behind them.
    pub fn named(&self) -> Vec<Topic> {
        let mut found: Vec<((bool, usize), Topic)> = Vec::new();
        for heading in self.note.headings.iter().filter(|heading| !is_within(&heading.span, self.own)) {
            if let Some(topic) = self.of_heading(&heading.text) {
                let context = self.text[heading.span.clone()].trim_end().to_owned();
                found.push(((false, heading.span.start), Topic { topic, context, kind: TopicKind::Concept }));
            }
        }
        let links = self.note.links.iter().filter(|link| !is_within(&link.span, self.own));
        for link in links.take(LOOKED_AT * 5) {
            let name = link.target.rsplit('/').next().unwrap_or_default();
            let has_ending = name.rsplit_once('.').is_some_and(|(_, ending)| (2..=4).contains(&ending.len()));
            if name.is_empty() || has_ending && !is_note(name) || parse_day(name).is_ok() {
                continue;
            }
            let name = name.strip_suffix(".md").unwrap_or(name);
            if telling_words(name).is_empty() || fold(name) == fold(self.title) {
                continue;
            }
            let context = self.around(&link.span).unwrap_or_else(|| self.text[link.span.clone()].to_owned());
            found.push((
                (link.in_frontmatter, link.span.start),
                Topic { topic: cut(name), context, kind: TopicKind::Concept },
            ));
        }
        found.sort_by_key(|(at, _)| *at);
        let tags = self.note.tags.iter().filter(|tag| !is_within(&tag.span, self.own));
        found.extend(tags.map(|tag| {
            let context = self.around(&tag.span).unwrap_or_else(|| self.text[tag.span.clone()].to_owned());
            (
                (true, tag.span.start),
                Topic { topic: tag.name.replace(['/', '-', '_'], " "), context, kind: TopicKind::Concept },
            )
        }));
        found.into_iter().map(|(_, topic)| topic).collect()
    }

    /// A heading by itself, or with what the note is about where it is a word alone.
    fn of_heading(&self, heading: &str) -> Option<String> {
        let words = sentences(heading).iter().map(plain).collect::<Vec<_>>().join(" ");
        let words = if words.is_empty() { heading.to_owned() } else { words };
        let bare = words.trim_end_matches([':', '.', '!', '?']);
        let telling =
            telling_words(bare).into_iter().filter(|stem| stem.contains(char::is_alphabetic)).count();
        if PLACES.contains(&fold(bare).as_str()) || telling == 0 {
            return None;
        }
        Some(self.with_title(bare))
    }

    /// A word alone with what the note is called, where that is short: it finds too much by itself.
    fn with_title(&self, words: &str) -> String {
        let about = telling_words(self.title);
        let is_fit = (1..=3).contains(&about.len()) && parse_day(self.title).is_err();
        let own = telling_words(words);
        if own.len() == 1 && is_fit && !about.contains(&own[0]) {
            return cut(&format!("{} {}", self.title, lower_first(words)));
        }
        cut(words)
    }

    pub fn telling(&self) -> Vec<Topic> {
        let fits = |phrase: &&Phrase| phrase.text.chars().count() > 3;
        let topic = |phrase: &Phrase| Topic {
            topic: cut(&phrase.text),
            context: self.written(&phrase.context),
            kind: self.kind_of(&phrase.context),
        };
        // Several words first: one alone finds everything and nothing.
        let many = self.phrases.iter().filter(fits).filter(|phrase| phrase.stems.len() > 1);
        let alone = self.phrases.iter().filter(fits).filter(|phrase| phrase.stems.len() == 1);
        many.chain(alone).map(topic).collect()
    }

    fn kind_of(&self, context: &Span) -> TopicKind {
        let sentence = self.sentences.iter().find(|sentence| sentence.span == *context);
        let claimed = sentence.map(claims);
        let figures = claimed.is_some_and(|claimed| !claimed.numbers.is_empty() || !claimed.dates.is_empty());
        if figures { TopicKind::Claim } else { TopicKind::Concept }
    }

    /// The few words of a sentence that say most of what it is about, as they stand in it.
    fn gist(&self, sentence: &str) -> Option<String> {
        let weight = |stem: &String| self.weights.get(stem.as_str()).copied().unwrap_or(0.2);
        let lead = ["open question:", "todo:", "todo", "tbd:", "offene frage:", "question:"];
        let start =
            lead.iter().find(|lead| sentence.to_lowercase().starts_with(**lead)).map_or(0, |lead| lead.len());
        let words: Vec<&str> = sentence.get(start..).unwrap_or(sentence).split_whitespace().collect();
        let telling: Vec<Option<f32>> = words
            .iter()
            .map(|word| {
                let stems = telling_words(word);
                (!stems.is_empty()).then(|| stems.iter().map(weight).sum())
            })
            .collect();
        let mut best: Option<(f32, usize, usize)> = None;
        for from in 0..words.len() {
            let mut sum = 0.0;
            for to in from..words.len().min(from + LONGEST) {
                sum += telling[to].unwrap_or(-0.15);
                let whole = telling[from].is_some() && telling[to].is_some();
                // A mark divides two thoughts.
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

    /// A sentence or a heading byte for byte, without the marks of a quote before it.
    fn written(&self, span: &Span) -> String {
        self.text[bare(self.text, span)].to_owned()
    }

    /// The sentence that a place stands in.
    fn around(&self, span: &Span) -> Option<String> {
        let sentence = self
            .sentences
            .iter()
            .find(|sentence| sentence.span.start <= span.start && span.end <= sentence.span.end)?;
        Some(self.written(&sentence.span))
    }

    pub fn focused(&self, focus: &str, wanted: &[String]) -> Topic {
        let shares =
            |sentence: &&Sentence| telling_words(&sentence.text).iter().any(|stem| wanted.contains(stem));
        let context =
            self.sentences.iter().find(shares).map(|sentence| self.text[sentence.span.clone()].to_owned());
        let kind = if focus.ends_with('?') { TopicKind::Question } else { TopicKind::Concept };
        Topic { topic: focus.to_owned(), context: context.unwrap_or_default(), kind }
    }
}

/// No more words than a topic has.
fn cut(words: &str) -> String {
    words.split_whitespace().take(LONGEST).collect::<Vec<_>>().join(" ")
}

fn lower_first(word: &str) -> String {
    let mut letters = word.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_lowercase).collect();
    let all_capitals = word.chars().skip(1).any(char::is_uppercase);
    if all_capitals { word.to_owned() } else { first + letters.as_str() }
}
