//! The line that a sentence stands in. What stands beside it on a short line belongs to it: the cause after the symptom, and what
//! must not be done after what must.

use wellread_text::{Sentence, SentencePart};

/// The longest line that is quoted whole, in bytes, and the most sentences of it.
const LONGEST: usize = 240;
const MOST_SENTENCES: usize = 5;
/// The longest paragraph on one line that is quoted whole: a longer one is prose, whose sentences stand by themselves.
const LONGEST_PARAGRAPH: usize = 120;

/// The whole line of the sentence with this number as one sentence; of an item of a list, the whole item. `block` has the sentences of
/// its block in order; one that goes on on the next line is left out. `None` if the line is long, or if nothing stands beside the
/// sentence.
pub(super) fn join_line(text: &str, block: &[&Sentence], number: usize) -> Option<Sentence> {
    let sentence = block.get(number)?;
    let is_short = |part: &&[&Sentence]| {
        let size =
            part.last().map_or(0, |last| last.span.end) - part.first().map_or(0, |first| first.span.start);
        (2..=MOST_SENTENCES).contains(&part.len()) && size <= LONGEST
    };
    let item = Some(block).filter(|_| is_item(sentence)).filter(is_short);
    let (first, last) = (block.first()?, block.last()?);
    let paragraph = &text[first.span.start..last.span.end];
    let is_written_in_lines = paragraph.trim_end().contains('\n')
        || paragraph.len() <= LONGEST_PARAGRAPH
        || sentence.block.prefix.trim_start().starts_with('>');
    let line =
        || sentences_of_line(text, block, sentence).filter(|line| is_written_in_lines && is_short(line));
    join_sentences(item.or_else(line)?)
}

/// These sentences, which follow each other, as one.
pub(super) fn join_sentences(sentences: &[&Sentence]) -> Option<Sentence> {
    let (first, others) = sentences.split_first()?;
    let mut joined = (*first).clone();
    for sentence in others {
        joined.span.end = sentence.span.end;
        joined.text = format!("{} {}", joined.text, sentence.text);
        joined.parts.push(SentencePart::Prose(" ".to_owned()));
        joined.parts.extend(sentence.parts.iter().cloned());
        joined.citations.extend(sentence.citations.iter().cloned());
    }
    Some(joined)
}

fn is_item(sentence: &Sentence) -> bool {
    let mark = sentence.block.prefix.trim_start_matches(['>', ' ', '\t']);
    let digits = mark.trim_start_matches(|letter: char| letter.is_ascii_digit());
    mark.starts_with(['-', '*', '+']) || digits.len() < mark.len() && digits.starts_with(['.', ')'])
}

/// The sentences on the lines of a sentence, up to one that goes on on the next line. `None` if the line begins inside of a sentence.
fn sentences_of_line<'b, 's>(
    text: &str,
    block: &'b [&'s Sentence],
    of: &Sentence,
) -> Option<&'b [&'s Sentence]> {
    let start = text[..of.span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[of.span.end..].find('\n').map_or(text.len(), |at| of.span.end + at);
    let first = block.iter().position(|sentence| sentence.span.end > start)?;
    let last = block.iter().rposition(|sentence| sentence.span.end <= end)?;
    block.get(first..=last).filter(|line| line.iter().all(|sentence| start <= sentence.span.start))
}
