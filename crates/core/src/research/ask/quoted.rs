//! Answers without a model: quotes the sentence, the list or the row of a table that answers the question.

use super::wording::{plain_text, render_place};
use super::{AskAnswerKind, AskJob, Paragraph, SHORTEST, UNSURE};
use crate::Result;
use crate::domain::evidence::{FilePlace, Source};
use crate::engine::gather::LibraryPassage;
use crate::insight::keyless::{self, AnswerModels, FoundAnswer, Passage, ReadableSection};
use crate::ports::{AnswerReader, Embedder, EmbeddingPurpose};
use crate::research::Work;
use crate::research::note::TopicMaterial;
use crate::research::quote_sources::QuoteSources;

/// The most lines of code, and the score from which they count as an answer.
const CODE_LINES: usize = 3;
const CODE_ANSWERS: f32 = 0.55;

/// The most places that are named where no sentence answers.
const CLOSEST: usize = 3;

/// An answer in lines, each with its citations, and where it is from.
struct QuotedLines {
    lines: Vec<String>,
    source: Option<Source>,
}

impl Work<'_, AskJob> {
    /// Quotes what answers the question best, and what adds to it, each at its own place.
    pub(super) fn quote_paragraph(&self, material: &TopicMaterial) -> Result<Paragraph> {
        let mut sources = QuoteSources::default();
        sources.add_topic(&self.gatherer, material)?;
        let nearness = |texts: &[String]| self.compare_by_meaning(texts);
        let reading = |sections: &[ReadableSection]| self.read_sections(sections);
        let models = AnswerModels { nearness: &nearness, reading: &reading };
        let keyless::AnswerSearch { mut answers, nearest } =
            keyless::find_answers(&self.job.query, &sources.passages, models);
        if answers.is_empty() {
            // Code says it in a comment, or not at all.
            answers.extend(find_code_lines(&self.job.query, &sources));
        }
        let is_certain = answers.first().is_some_and(|best| best.is_certain);
        let mut quoted = Vec::new();
        for answer in &answers {
            quoted.push(self.quote_answer(&sources, answer)?);
        }
        let many = quoted.len() > 1;
        let mut lines: Vec<String> = Vec::new();
        for QuotedLines { lines: own, source } in &quoted {
            let place = source.as_ref().filter(|_| many).map(|source| format!(" ({})", render_place(source)));
            lines.extend(place_once(own, place.as_deref()));
        }
        let mut places = quoted.into_iter().map(|answer| answer.source);
        let source = places.next().flatten();
        let others = places.flatten().collect();
        let lines = lines.join("\n");
        let plain = plain_text(&lines);
        // "Draught: 1.22 m" and "6" below the heading are short, and say all that was asked for.
        let states_it = answers.first().is_some_and(|best| best.is_property);
        let is_property = is_certain && (states_it || plain.contains(": "));
        if !is_property && plain.chars().count() < SHORTEST {
            return self.list_nearest(&sources, &nearest, &material.passages);
        }
        let (kind, text) = if is_certain {
            (AskAnswerKind::Answer, lines)
        } else {
            // A list begins on a line of its own.
            let is_list = ["- ", "1. "].iter().any(|mark| lines.starts_with(mark));
            let gap = if is_list { "\n" } else { " " };
            (AskAnswerKind::Unsure, format!("{UNSURE} this is the closest that was found:{gap}{lines}"))
        };
        Ok(Paragraph { text, source, others, kind, coverage: None, notice: None })
    }

    /// How near texts are to the question in meaning. `None` without a model on this machine whose scale is known. Logged,
    /// so that a replay chooses the same sentences, whatever model is set up then.
    fn compare_by_meaning(&self, texts: &[String]) -> Option<Vec<f32>> {
        let embedder = &*self.gatherer.search.embedder;
        if !self.run.is_replay() && !self.gatherer.compares_by_meaning() {
            return None;
        }
        self.run.draw("nearness", || compute_cosines(embedder, &self.job.query, texts)).ok().flatten()
    }

    /// How well each piece of each section answers the question. `None` without a reader. Logged for the same reason.
    fn read_sections(&self, sections: &[ReadableSection]) -> Option<Vec<Vec<f32>>> {
        let reader = self.research.reader.as_deref();
        let read = |reader: &dyn AnswerReader| -> Vec<Vec<f32>> {
            sections
                .iter()
                .map(|section| reader.read(&self.job.query, &section.context, &section.pieces))
                .collect()
        };
        self.run.draw("readings", || reader.map(read)).ok().flatten()
    }

    /// What is said where no sentence answers: the lines that a reader would look at first, or at least their passages.
    fn list_nearest(
        &self,
        sources: &QuoteSources<'_>,
        nearest: &[FoundAnswer],
        passages: &[LibraryPassage],
    ) -> Result<Paragraph> {
        let paragraph = list_closest(passages);
        if nearest.is_empty() || paragraph.others.is_empty() {
            return Ok(paragraph);
        }
        let (mut lines, mut closest) = (Vec::new(), Vec::new());
        for answer in nearest {
            let QuotedLines { lines: own, source } = self.quote_answer(sources, answer)?;
            let place = source.as_ref().map(|source| format!(" ({})", render_place(source)));
            let own: Vec<String> = place_once(&own, place.as_deref()).collect();
            lines.push(format!("- {}", own.join("\n  ")));
            closest.extend(source);
        }
        let text = format!(
            "{UNSURE} no sentence clearly answers this. These lines come closest:\n{}",
            lines.join("\n")
        );
        Ok(Paragraph { text, others: closest, ..paragraph })
    }

    fn quote_answer(&self, sources: &QuoteSources<'_>, answer: &FoundAnswer) -> Result<QuotedLines> {
        let reason = "it answers the question";
        let (mut lines, mut places): (Vec<String>, Vec<Source>) = (Vec::new(), Vec::new());
        let mut said = Vec::new();
        for quote in &answer.quotes {
            let id = sources.cite(self.run, quote, reason)?;
            places.extend(self.run.ledger().entry(&id).map(|entry| entry.source.clone()));
            let head = match &answer.head {
                Some(head) => format!(" [{}]", sources.cite(self.run, head, "it names the columns")?),
                None => String::new(),
            };
            said.push(format!("{} [{id}]{head}", quote.quoted));
        }
        lines.extend((!said.is_empty()).then(|| said.join(" ")));
        for (number, item) in answer.items.iter().enumerate() {
            let id = sources.cite(self.run, item, reason)?;
            places.extend(self.run.ledger().entry(&id).map(|entry| entry.source.clone()));
            let mark = if answer.ordered { format!("{}.", number + 1) } else { "-".to_owned() };
            lines.push(format!("{mark} {} [{id}]", item.quoted));
        }
        Ok(QuotedLines { lines, source: join_places(places) })
    }
}

/// The cosine of each text with the question.
fn compute_cosines(embedder: &dyn Embedder, question: &str, texts: &[String]) -> Option<Vec<f32>> {
    let question = embedder.embed(&[question], EmbeddingPurpose::Query).ok()?.pop()?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder.embed(&texts, EmbeddingPurpose::Passage).ok()?;
    let cosine = |vector: &Vec<f32>| vector.iter().zip(&question).map(|(one, other)| one * other).sum();
    Some(vectors.iter().map(cosine).collect())
}

/// The lines of code that match a question best.
fn find_code_lines(question: &str, sources: &QuoteSources<'_>) -> Option<FoundAnswer> {
    let code = sources
        .passages
        .iter()
        .enumerate()
        .filter(|(_, passage)| !passage.is_prose && !passage.is_frontmatter());
    let (numbers, passages): (Vec<usize>, Vec<Passage<'_>>) =
        code.map(|(at, passage)| (at, *passage)).unzip();
    let mut quotes = keyless::find_quotes(question, &passages, CODE_LINES, CODE_LINES);
    quotes.retain(|quote| quote.score >= CODE_ANSWERS);
    let first = quotes.first()?;
    let best = passages.get(first.passage)?.source;
    // A comment of the program itself says what is so; a line of code, or of a test, merely has the words.
    let is_certain = keyless::is_own_comment(best, &first.text);
    quotes.retain(|quote| passages[quote.passage].source == best);
    quotes.sort_by_key(|quote| (quote.passage, quote.span.start));
    quotes.iter_mut().for_each(|quote| quote.passage = numbers[quote.passage]);
    Some(FoundAnswer { quotes, is_certain, ..FoundAnswer::default() })
}

/// The lines of an answer, the first with their place.
fn place_once<'a>(lines: &'a [String], place: Option<&'a str>) -> impl Iterator<Item = String> + 'a {
    let place_of = move |at: usize| place.filter(|_| at == 0);
    lines.iter().enumerate().map(move |(at, line)| place_before_citation(line, place_of(at)))
}

/// The place before the first citation of a line.
fn place_before_citation(line: &str, place: Option<&str>) -> String {
    match (place, line.rfind(" [")) {
        (Some(place), Some(at)) => format!("{}{place}{}", &line[..at], &line[at..]),
        _ => line.to_owned(),
    }
}

/// The first place, extended to the last one of the same file.
fn join_places(places: Vec<Source>) -> Option<Source> {
    let last = places.last().and_then(|last| last.file().map(|(_, place)| place.clone()));
    let mut first = places.into_iter().next()?;
    if let (Source::Note(place) | Source::Code { place, .. }, Some(last)) = (&mut first, last) {
        extend_place(place, &last);
    }
    Some(first)
}

fn extend_place(place: &mut FilePlace, last: &FilePlace) {
    if place.path == last.path && last.end_line >= place.end_line {
        place.end_line = last.end_line;
        place.span.end = last.span.end;
    }
}

/// What is said where no sentence answers: the places that a reader would look at first.
fn list_closest(passages: &[LibraryPassage]) -> Paragraph {
    let mut shown: Vec<&LibraryPassage> = Vec::new();
    // What was read beside the hits has no score.
    for passage in passages.iter().filter(|passage| passage.hit.score > 0.0) {
        let hit = &passage.hit;
        let is_shown = |known: &&LibraryPassage| {
            known.hit.place.path == hit.place.path && known.hit.context == hit.context
        };
        if shown.len() < CLOSEST && !shown.iter().any(is_shown) {
            shown.push(passage);
        }
    }
    let line = |source: &Source, passage: &LibraryPassage| match passage.hit.context.last() {
        Some(heading) => format!("- {} ({})", render_place(source), plain_text(heading)),
        None => format!("- {}", render_place(source)),
    };
    let closest: Vec<Source> =
        shown.iter().map(|passage| Source::from_place(&passage.hit.place, None)).collect();
    let lines: Vec<String> =
        closest.iter().zip(shown).map(|(source, passage)| line(source, passage)).collect();
    let text = if lines.is_empty() {
        format!("{UNSURE} no answer was found; try asking in other words.")
    } else {
        format!(
            "{UNSURE} no sentence clearly answers this. These passages come closest:\n{}",
            lines.join("\n")
        )
    };
    Paragraph {
        text,
        source: None,
        others: closest,
        kind: AskAnswerKind::Unsure,
        coverage: None,
        notice: None,
    }
}
