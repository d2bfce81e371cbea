//! What an edit leaves of a note's text from outside, and what it adds to it.
//!
//! A line that has text from outside stays one, whatever is changed in it. Words that are added a few at a time are counted
//! together: those of a line, and those of short lines that stand together.

use wellread_text::{Span, Splice, apply_splices};

use super::Vault;
use crate::domain::corpus::{Hash, VaultPath};
use crate::library::judge::{LONG_LINE, OutsideSpans, count_words, fingerprint_lines, fingerprint_share};
use crate::ports::{LineDigest, OutsideText};
use crate::{Error, Result};

/// How many lines at the most are fingerprinted together: each has a word.
const REACH: usize = LONG_LINE;

impl Vault {
    /// The fingerprints of the lines of a file that are from outside once an edit is made.
    pub(super) fn outside_lines_after(
        &self,
        path: &VaultPath,
        expect: Hash,
        splices: &[Splice],
    ) -> Result<Vec<LineDigest>> {
        // It is planned again then; what is not visible is not named.
        let changed = || Error::changed("a note changed while it was being edited");
        let note = self.whole().read_for_edit(path);
        let note = note.map_err(|error| if self.is_visible(path) { error } else { changed() })?;
        if note.hash != expect {
            return Err(changed());
        }
        let new = apply_splices(&note.text, splices).map_err(|error| Error::failed(error.to_string()))?;
        let adds_outside = self.edits.origin.is_outside();
        // Copied to another place, what is added stands without the lines around it.
        let added =
            splices.iter().filter(|_| adds_outside).flat_map(|splice| fingerprint_lines(&splice.text));
        let mut lines: Vec<LineDigest> = added.map(|line| line.digest).collect();
        match self.judge().find_outside_spans(path, &note.text) {
            OutsideSpans::Some(spans) => {
                let edited = EditedText::new(&note.text, &new, splices);
                lines.extend(edited.outside_lines(&spans, adds_outside, &*self.outside)?);
            }
            // What makes all of it outside may be gone after the edit.
            OutsideSpans::Everything if path.is_note() => {
                lines.extend(fingerprint_lines(&new).into_iter().map(|line| line.digest));
            }
            // What is no note is from outside by that, until it becomes one.
            OutsideSpans::Everything => {}
        }
        Ok(lines)
    }
}

/// A text before and after an edit.
struct EditedText<'a> {
    old: &'a str,
    new: &'a str,
    /// What stays, in the old text, and where it begins in the new one.
    kept: Vec<(Span, usize)>,
    /// What the edit writes, in the new text; empty where it only removes.
    written: Vec<Span>,
    /// The lines of the new text.
    lines: Vec<Span>,
}

impl<'a> EditedText<'a> {
    fn new(old: &'a str, new: &'a str, splices: &[Splice]) -> Self {
        let mut ordered: Vec<&Splice> = splices.iter().collect();
        ordered.sort_by_key(|splice| (splice.span.start, splice.span.end));
        let (mut kept, mut written) = (Vec::new(), Vec::new());
        let (mut from, mut to) = (0, 0);
        for Splice { span, text } in ordered {
            kept.push((from..span.start, to));
            let start = to + span.start - from;
            written.push(start..start + text.len());
            (from, to) = (span.end, start + text.len());
        }
        kept.push((from..old.len(), to));
        let mut end = 0;
        let line = |line: &str| {
            end += line.len();
            end - line.len()..end
        };
        let lines = new.split_inclusive('\n').map(line).collect();
        Self { old, new, kept, written, lines }
    }

    /// The fingerprints of the lines that are from outside now, and those by which the words from outside in other lines
    /// are counted at the next edit.
    fn outside_lines(
        &self,
        spans: &[Span],
        adds_outside: bool,
        known: &dyn OutsideText,
    ) -> Result<Vec<LineDigest>> {
        let mut shares = self.shares_near_edit(adds_outside, known)?;
        let mut digests: Vec<LineDigest> = Vec::new();
        for (line, share) in
            self.lines.iter().zip(&shares).filter(|(_, share)| (1..LONG_LINE).contains(*share))
        {
            digests.extend(fingerprint_share(&self.new[line.clone()], *share));
        }
        for line in spans.iter().flat_map(|span| self.lines_that_keep(span)) {
            shares[line] = LONG_LINE;
        }
        for fingerprinted in fingerprint_lines(self.new) {
            let together = self.lines_at(&fingerprinted.span);
            let words: usize = shares[together.clone()].iter().sum();
            if shares[together.start] > 0 && words >= LONG_LINE {
                digests.push(fingerprinted.digest);
            }
        }
        Ok(digests)
    }

    /// How many words of each line are known to be from outside or are added now. Only lines that could be fingerprinted
    /// together with one that is edited are looked at.
    fn shares_near_edit(&self, adds_outside: bool, known: &dyn OutsideText) -> Result<Vec<usize>> {
        let near = self.lines_near_edit();
        let old_lines: Vec<(usize, &str)> =
            near.iter().flat_map(|line| self.old_lines(*line).map(|old| (*line, old))).collect();
        let asked: Vec<(usize, usize, LineDigest)> = old_lines
            .iter()
            .flat_map(|(line, old)| (1..LONG_LINE).map(move |words| (*line, *old, words)))
            .filter_map(|(line, old, words)| Some((line, words, fingerprint_share(old, words)?)))
            .collect();
        let digests: Vec<LineDigest> = asked.iter().map(|(_, _, digest)| *digest).collect();
        let mut shares = vec![0; self.lines.len()];
        for ((line, words, _), known) in asked.iter().zip(known.are_known(&digests)?) {
            if known {
                shares[*line] = shares[*line].max(*words);
            }
        }
        for written in self.written.iter().filter(|_| adds_outside) {
            for line in self.lines_at(written) {
                let added = intersect(written, &self.lines[line]);
                shares[line] += added.map_or(0, |added| count_words(&self.new[added]));
            }
        }
        for line in near {
            shares[line] = shares[line].min(count_words(&self.new[self.lines[line].clone()]));
        }
        Ok(shares)
    }

    /// The lines with words that are edited or at most [`REACH`] lines with words away from one that is.
    fn lines_near_edit(&self) -> Vec<usize> {
        let has_words = |line: &usize| count_words(&self.new[self.lines[*line].clone()]) > 0;
        let mut near: Vec<usize> = Vec::new();
        for written in &self.written {
            let touched = self.lines_at(&(written.start.saturating_sub(1)..written.end + 1));
            near.extend((0..touched.start).rev().filter(has_words).take(REACH));
            near.extend((touched.end..self.lines.len()).filter(has_words).take(REACH));
            near.extend(touched);
        }
        near.sort_unstable();
        near.dedup();
        near
    }

    /// The old lines of which something stays in a new one.
    fn old_lines(&self, line: usize) -> impl Iterator<Item = &'a str> {
        let (old, line) = (self.old, self.lines[line].clone());
        self.kept.iter().filter_map(move |(kept, start)| {
            let stays = intersect(&(*start..start + kept.len()), &line)?;
            let at = kept.start + stays.start - start;
            let begin = old[..at].rfind('\n').map_or(0, |end| end + 1);
            let end = old[at..].find('\n').map_or(old.len(), |length| at + length);
            Some(&old[begin..end])
        })
    }

    /// The new lines that keep a letter of a range of the old text.
    fn lines_that_keep(&self, span: &Span) -> impl Iterator<Item = usize> {
        self.kept
            .iter()
            .filter_map(move |(kept, start)| {
                let stays = intersect(kept, span)?;
                Some(start + stays.start - kept.start..start + stays.end - kept.start)
            })
            .flat_map(move |stays| {
                let has_letters = {
                    let stays = stays.clone();
                    move |line: &usize| {
                        let part = intersect(&stays, &self.lines[*line]);
                        part.is_some_and(|part| self.new[part].contains(char::is_alphanumeric))
                    }
                };
                self.lines_at(&stays).filter(has_letters)
            })
    }

    /// The lines that a range of the new text is in.
    fn lines_at(&self, span: &Span) -> Span {
        let first = self.lines.partition_point(|line| line.end <= span.start);
        first..self.lines.partition_point(|line| line.start < span.end).max(first)
    }
}

/// The bytes that two ranges have in common; `None` if there are none.
fn intersect(one: &Span, other: &Span) -> Option<Span> {
    let both = one.start.max(other.start)..one.end.min(other.end);
    (!both.is_empty()).then_some(both)
}
