//! Units as quotations, with what has to stand beside them to be understood.

use std::cmp::Reverse;
use std::ops::Range;

use wellread_text::{Sentence, SourceIndex, Span};

use super::FoundAnswer;
use super::corrections::{puts_right, retracts};
use super::scoring::UnitScore;
use super::unit::{AnswerUnit, UnitForm, stems};
use super::words::{CONCLUDES, has_stem};
use crate::insight::keyless::passage::Quote;
use crate::insight::keyless::question::{AskedFor, AskedQuestion};
use crate::insight::keyless::quotation::{plain_text, quote_code, quote_sentence, trim_marks, write_plain};
use crate::insight::keyless::standalone::find_leaning;

/// The most items of a list.
const MAX_ITEMS: usize = 12;
/// The longest item that is shown whole, in bytes; of longer ones the first sentence is.
const LONGEST_ITEM: usize = 220;
/// The most lines of a block of code.
const MAX_CODE: usize = 8;
/// A shorter sentence is shown together with the next one.
const SHORT: usize = 40;

impl AnswerUnit<'_> {
    /// The unit as quotations; `None` if it can't be quoted.
    pub fn render(&self, asked: &AskedQuestion, score: &UnitScore, is_certain: bool) -> Option<FoundAnswer> {
        let mut answer = FoundAnswer { is_certain, is_property: score.is_property, ..FoundAnswer::default() };
        match &self.form {
            UnitForm::Sentence { code, .. } => {
                answer.quotes = self.quote_sentences(asked, score)?;
                let shows_last = answer.quotes.iter().any(|quote| quote.text.trim_end().ends_with(':'));
                let below = code.iter().filter(|_| shows_last);
                answer.items =
                    below.flat_map(|span| self.quote_code_block(span, asked, score.score)).collect();
            }
            UnitForm::List { lead, items, ordered } => {
                answer.ordered = *ordered;
                answer.quotes.extend(lead.iter().filter_map(|lead| self.quote_one(lead, score.score)));
                answer.items = items
                    .iter()
                    .take(MAX_ITEMS)
                    .filter_map(|item| self.quote_item(item, score.score))
                    .collect();
                if answer.items.len() < 2 {
                    return None;
                }
            }
            UnitForm::Row(row) => {
                let whole = |span: &Span, quoted| self.of.quote(self.passage, span, quoted, score.score);
                answer.quotes.push(whole(&row.span, write_plain_text(&row.render())));
                answer.head = Some(whole(&row.head, String::new()));
            }
        }
        Some(answer)
    }

    /// A sentence with the rest of a short line, and with those that it needs: a short one says little, one that refers to what was
    /// said comes after it, a conclusion has its reason before it, and a heading that asks the question is answered by the paragraph.
    fn quote_sentences(&self, asked: &AskedQuestion, score: &UnitScore) -> Option<Vec<Quote>> {
        let UnitForm::Sentence { sentence, prior, rest, after, line, .. } = &self.form else { return None };
        let explains = matches!(
            asked.asked_for,
            AskedFor::Reason | AskedFor::Confirmation | AskedFor::Steps | AskedFor::Effect
        );
        let is_put_right =
            retracts(&self.plain) || rest.first().is_some_and(|next| puts_right(&plain_text(next)));
        let more = match () {
            () if score.asked_above && explains && self.opens => 2,
            () => usize::from(is_put_right),
        };
        let concludes = CONCLUDES.iter().any(|lead| self.plain.starts_with(lead));
        let concludes = concludes && asked.asked_for == AskedFor::Reason;
        let leans = find_leaning(&plain_text(sentence)).is_some();
        let line = line.as_ref().and_then(|line| Some((&line.span, self.quote_one(line, score.score)?)));
        let is_on_line =
            |other: &Sentence| line.as_ref().is_some_and(|(span, _)| span.contains(&other.span.start));
        let needed = prior.iter().filter(|prior| (concludes || leans) && !is_on_line(prior));
        let mut quotes: Vec<Quote> = needed.filter_map(|prior| self.quote_one(prior, score.score)).collect();
        quotes.extend(line.iter().map(|(_, quote)| quote.clone()));
        let mut length = line.as_ref().map_or(0, |(_, quote)| quote.quoted.chars().count());
        let after = after.iter().filter(|_| more > 0);
        for (at, sentence) in std::iter::once(sentence.as_ref()).chain(rest).chain(after).enumerate() {
            if is_on_line(sentence) {
                continue;
            }
            if at > more && length >= SHORT {
                break;
            }
            if let Some(quote) = self.quote_one(sentence, score.score) {
                length += quote.quoted.chars().count();
                quotes.push(quote);
            } else if at == 0 {
                return None;
            }
        }
        (!quotes.is_empty()).then_some(quotes)
    }

    pub fn quote_one(&self, sentence: &Sentence, score: f32) -> Option<Quote> {
        let span = self.span_of(sentence);
        let source = SourceIndex::new(&self.of.text[span.clone()], true);
        let plain = || write_plain(std::slice::from_ref(sentence));
        let quoted = quote_sentence(sentence, &source).or_else(plain)?;
        Some(self.of.quote(self.passage, &span, quoted, score))
    }

    fn quote_item(&self, item: &[Sentence], score: f32) -> Option<Quote> {
        let (first, last) = (item.first()?, item.last()?);
        let whole = last.span.end - first.span.start <= LONGEST_ITEM;
        let shown = if whole { item } else { &item[..1] };
        let span = first.span.start..shown.last()?.span.end;
        let span = trim_marks(self.of.text, &span);
        Some(self.of.quote(self.passage, &span, write_plain(shown)?, score))
    }

    /// The lines of a block of code; of a long one those that have most of the question's words.
    fn quote_code_block(&self, span: &Span, asked: &AskedQuestion, score: f32) -> Vec<Quote> {
        let mut at = span.start;
        let mut lines: Vec<Span> = Vec::new();
        for line in self.of.text[span.clone()].split_inclusive('\n') {
            let inner = line.trim();
            let start = at + line.len() - line.trim_start().len();
            at += line.len();
            if !(inner.starts_with("```") || inner.starts_with("~~~") || inner.is_empty()) {
                lines.push(start..start + inner.len());
            }
        }
        let shown =
            if lines.len() > MAX_CODE { self.find_asked_lines(&lines, asked) } else { 0..lines.len() };
        let quote = |place: &Span| {
            let inner = &self.of.text[place.clone()];
            let quoted = quote_code(inner, &SourceIndex::new(inner, false))?;
            Some(self.of.quote(self.passage, place, quoted, score))
        };
        lines[shown].iter().filter_map(quote).collect()
    }

    /// The run of lines that has most of the question's words, the first of several.
    fn find_asked_lines(&self, lines: &[Span], asked: &AskedQuestion) -> Range<usize> {
        let has = |line: &Span| {
            let own = stems(&self.of.text[line.clone()]);
            asked.terms.iter().filter(|term| has_stem(own.iter(), &term.stem)).count()
        };
        let counts: Vec<usize> = lines.iter().map(has).collect();
        let runs = counts.windows(MAX_CODE).enumerate();
        let best = runs.max_by_key(|(at, run)| (run.iter().sum::<usize>(), Reverse(*at)));
        let first = best.map_or(0, |(at, _)| at);
        first..lines.len().min(first + MAX_CODE)
    }
}

fn write_plain_text(text: &str) -> String {
    text.replace(['[', ']'], "")
}
