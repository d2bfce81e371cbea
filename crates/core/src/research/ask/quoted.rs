//! Answers without a model: quotes the best sentences of one source.

use super::wording::{MOST_SENTENCES, plain_text};
use super::{AskAnswerKind, AskJob, Paragraph, SHORTEST, UNSURE};
use crate::Result;
use crate::domain::evidence::Source;
use crate::insight::keyless::{self, Quote};
use crate::research::Work;
use crate::research::note::TopicMaterial;
use crate::research::quote_sources::QuoteSources;

/// The score from which a sentence counts as an answer, and not merely as related.
const ANSWERS: f32 = 0.55;

impl Work<'_, AskJob> {
    /// Quotes the best sentences of the source that scores highest.
    pub(super) fn quote_paragraph(&self, material: &TopicMaterial) -> Result<Paragraph> {
        let mut sources = QuoteSources::default();
        sources.add_topic(&self.gatherer, material)?;
        let query = &self.job.query;
        let quotes = keyless::find_quotes(query, &sources.passages, MOST_SENTENCES * 2, MOST_SENTENCES - 1);
        let best = find_best_source(&sources, &quotes);
        let mut chosen: Vec<&Quote> =
            quotes.iter().filter(|quote| Some(sources.source(quote)) == best).collect();
        let top = chosen.iter().map(|quote| quote.score).fold(0.0, f32::max);
        // Sentences far behind the best would only be filler.
        chosen.retain(|quote| quote.score >= top / 2.0);
        chosen.sort_by_key(|quote| (quote.passage, quote.span.start));
        let (mut lines, mut source) = (Vec::new(), None);
        for quote in chosen {
            let id = sources.cite(self.run, quote, "it answers the question")?;
            if quote.score >= top || source.is_none() {
                source = self.run.ledger().entry(&id).map(|entry| entry.source.clone());
            }
            lines.push(format!("{} [{id}]", quote.quoted));
        }
        Ok(quoted_paragraph(&lines.join(" "), source, top))
    }
}

/// The source whose sentences score highest together.
fn find_best_source<'a>(sources: &QuoteSources<'a>, quotes: &[Quote]) -> Option<&'a str> {
    let mut scores: Vec<(&str, f32)> = Vec::new();
    for quote in quotes {
        let source = sources.source(quote);
        match scores.iter_mut().find(|(known, _)| *known == source) {
            // A second sentence adds less than the first.
            Some((_, score)) => *score += quote.score / 4.0,
            None => scores.push((source, quote.score)),
        }
    }
    scores.iter().max_by(|one, other| one.1.total_cmp(&other.1)).map(|(source, _)| *source)
}

fn quoted_paragraph(lines: &str, source: Option<Source>, top: f32) -> Paragraph {
    if plain_text(lines).chars().count() < SHORTEST {
        let text = format!("{UNSURE} no answer was found; try asking in other words.");
        return Paragraph { text, source: None, kind: AskAnswerKind::Unsure, coverage: None, notice: None };
    }
    let (kind, text) = if top >= ANSWERS {
        (AskAnswerKind::Answer, lines.to_owned())
    } else {
        (AskAnswerKind::Unsure, format!("{UNSURE} this is the closest that was found: {lines}"))
    };
    Paragraph { text, source, kind, coverage: None, notice: None }
}
