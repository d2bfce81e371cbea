//! Notes that are similar to a note, by their words and by their meaning.

use wellread_text::{ChunkKind, Note, chunk_note, extract_phrases, query_terms};

use super::{Hit, NearnessLines, PreparedQuery, SearchAnswer, SearchMode, SearchRequest, Searcher};
use crate::domain::corpus::{CorpusName, VaultPath};
use crate::library::indexing::{embedding_scope, embedding_text};
use crate::library::vault::{NoteText, Vault};
use crate::ports::{EmbeddingModel, EmbeddingPurpose, PassageScope};
use crate::{Error, Result};

/// A note is compared by so many of its key phrases, and by the vectors of so many of its passages.
const KEY_PHRASES: usize = 8;
const PASSAGES: usize = 12;
/// The most similar notes: for each of them, links are looked up.
pub const MAX_SIMILAR: usize = 50;

/// A note that is similar to another.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarNote {
    /// Its most similar passage.
    pub hit: Hit,
    /// Whether one of the two notes links to the other.
    pub linked: bool,
}

/// What a search for similar notes answers with.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarNotes {
    /// The notes, the most similar first; the note itself is not among them.
    pub notes: Vec<SimilarNote>,
    /// The mode that was used in the end.
    pub mode: SearchMode,
    /// A notice for the user.
    pub notice: Option<String>,
}

impl Searcher {
    /// The notes that are similar to a note of the vault. The request says how and where to search; it has no query.
    pub fn find_similar(
        &self,
        vault: &Vault,
        path: &VaultPath,
        request: &SearchRequest,
    ) -> Result<SimilarNotes> {
        if !request.query.trim().is_empty() {
            return Err(Error::invalid("similar notes are found by a note, not by words")
                .hint("leave out the words; tags, paths and exclusions may stay"));
        }
        if request.limit == 0 {
            return Err(Error::invalid("ask for at least one result"));
        }
        if request.filter.corpora.as_ref().is_some_and(|corpora| !corpora.contains(&CorpusName::Vault)) {
            return Err(Error::invalid("similar notes are found among notes, not in repositories"));
        }
        let note = vault.read(path)?;
        let mut request = SearchRequest {
            query: describe_note(&note),
            // One more, since the note itself is among them.
            limit: request.limit.min(MAX_SIMILAR) + 1,
            per_file: 1,
            ..request.clone()
        };
        if request.query.is_empty() {
            return Err(Error::invalid(format!("`{path}` has no text to compare")).with_path(path.as_str()));
        }
        request.filter.corpora = Some(vec![CorpusName::Vault]);
        let question = self.prepare_comparison(vault, &note, &request)?;
        let SearchAnswer { hits, mode, notice } = self.find_prepared(&request, question)?;
        let linking = vault.backlinks(path)?.from;
        let mut notes = Vec::new();
        let others = hits.into_iter().filter(|hit| hit.place.path != *path);
        for hit in others.take(request.limit - 1) {
            let linked = linking.contains(&hit.place.path)
                || vault.backlinks(&hit.place.path).is_ok_and(|found| found.from.contains(path));
            notes.push(SimilarNote { hit, linked });
        }
        Ok(SimilarNotes { notes, mode, notice })
    }

    /// The note as a query. A private note is not sent to a model on another machine.
    fn prepare_comparison(
        &self,
        vault: &Vault,
        note: &NoteText,
        request: &SearchRequest,
    ) -> Result<PreparedQuery> {
        let mut question =
            PreparedQuery { terms: query_terms(&request.query), ..PreparedQuery::without_words() };
        if request.mode == SearchMode::Keyword {
            return Ok(question);
        }
        let stays_here = embedding_scope(&*self.embedder) == PassageScope::All;
        if !stays_here && vault.is_private(&note.path) {
            question.notice = Some(
                "compared by words only: the note is private, and the embedding model is elsewhere"
                    .to_owned(),
            );
            return Ok(question);
        }
        match self.embed_note(note) {
            Ok(meaning) => {
                question.mode = request.mode;
                question.meaning = Some(meaning);
                question.nearness = Some(NearnessLines::fixed(self.embedder.related_from()));
            }
            Err(error) => question.notice = Some(format!("compared by words only: {}", error.message())),
        }
        Ok(question)
    }

    /// The mean of the vectors of a note's passages.
    fn embed_note(&self, note: &NoteText) -> Result<(EmbeddingModel, Vec<f32>)> {
        let model = self.embedder.model()?;
        let text = note.text.as_str();
        let chunks = chunk_note(text, &Note::parse(text));
        let texts: Vec<String> = chunks
            .iter()
            .filter(|chunk| chunk.kind != ChunkKind::Frontmatter)
            .take(PASSAGES)
            .map(|chunk| embedding_text(chunk.kind, &chunk.context, &text[chunk.span.clone()]))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = self.embedder.embed(&texts, EmbeddingPurpose::Passage)?;
        let mut mean = vec![0.0_f32; vectors.first().map_or(0, Vec::len)];
        for vector in &vectors {
            mean.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
        }
        let length = mean.iter().map(|value| value * value).sum::<f32>().sqrt();
        if !length.is_normal() {
            return Err(Error::failed("the note has no text that the model can read"));
        }
        mean.iter_mut().for_each(|value| *value /= length);
        Ok((model, mean))
    }
}

/// The words that a note is compared by: its name and its key phrases. Empty for a note without words.
fn describe_note(note: &NoteText) -> String {
    let phrases = extract_phrases(&note.text, &[], &|_| 1.0);
    let phrases = phrases.into_iter().take(KEY_PHRASES).map(|phrase| phrase.text.replace('"', " "));
    let text: Vec<String> = phrases.collect();
    if text.is_empty() { String::new() } else { format!("{} {}", note.path.stem(), text.join(" ")) }
}
