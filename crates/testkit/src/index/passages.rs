//! Passages by their words, and files by their links.

use std::collections::HashMap;

use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::ports::{
    PassageFilter, PassageId, PassageScore, Passages, StoredPassage, WORD_WEIGHTS, WordMatches,
};
use wellread_text::{ChunkKind, QueryTerm, TermForm, link_key, name_key};

use super::filter::passes_filter;
use super::{MemoryIndex, StoredFile};

impl Passages for MemoryIndex {
    fn find_matching(
        &self,
        terms: &[QueryTerm],
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<WordMatches> {
        let state = self.state();
        let mut found = WordMatches { unknown: (0..terms.len()).collect(), ..WordMatches::default() };
        let forms = terms.iter().map(|term| term.forms.len()).sum::<usize>();
        let most = WORD_WEIGHTS.iter().sum::<f32>() * forms as f32;
        let name = name_key(terms);
        for (kept, _, file, at) in
            state.passages().filter(|(kept, stored, file, _)| passes_filter(filter, kept, stored, file))
        {
            let passage = &file.passages[at];
            let columns = [&file.title, &passage.heading, &file.folders, &passage.words, &passage.parts];
            let fit = |form: &TermForm| {
                let weighted = WORD_WEIGHTS.iter().zip(columns);
                weighted
                    .filter(|(_, column)| matches_form(column, form))
                    .map(|(weight, _)| weight)
                    .sum::<f32>()
            };
            let held = |form: &TermForm| columns.iter().any(|column| matches_form(column, form));
            found.unknown.retain(|&at| !terms[at].forms.iter().any(held));
            let score: f32 = terms.iter().flat_map(|term| &term.forms).map(fit).sum();
            if score > 0.0 {
                found.passages.push(PassageScore { id: kept.id, score: score / most });
                if terms.iter().all(|term| term.whole_forms().iter().any(held)) {
                    found.complete.insert(kept.id);
                }
                if file.names.contains(&name) {
                    found.named.insert(kept.id);
                }
            }
        }
        found.passages.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
        found.passages.truncate(limit);
        let kept = |id: &PassageId| found.passages.iter().any(|scored| scored.id == *id);
        found.complete.retain(kept);
        found.named.retain(kept);
        Ok(found)
    }

    fn list_names(&self, first_letter: char, filter: &PassageFilter) -> Result<Vec<String>> {
        let state = self.state();
        let mut names: Vec<String> = Vec::new();
        for (kept, stored, file, at) in state.passages() {
            if passes_filter(&corpora_only(filter), &kept, stored, file) {
                let words = file.title.split(' ').chain(file.passages[at].heading.split(' '));
                names.extend(words.filter(|word| word.starts_with(first_letter)).map(str::to_owned));
            }
        }
        names.sort();
        names.dedup();
        Ok(names)
    }

    fn list_files(&self, filter: &PassageFilter, limit: usize) -> Result<Vec<PassageId>> {
        let state = self.state();
        let mut files: Vec<(&StoredFile, &VaultPath, PassageId)> = Vec::new();
        for ((corpus, path), stored) in &state.files {
            let own = state.passages().filter(|(kept, ..)| (&kept.corpus, &kept.path) == (corpus, path));
            let own: Vec<StoredPassage> = own
                .filter(|(kept, stored, file, _)| passes_filter(filter, kept, stored, file))
                .map(|(kept, ..)| kept)
                .collect();
            let with_text = own.iter().find(|passage| passage.kind != ChunkKind::Frontmatter);
            if let Some(passage) = with_text.or(own.first()) {
                files.push((stored, path, passage.id));
            }
        }
        files
            .sort_by(|one, other| other.0.stamp.modified.cmp(&one.0.stamp.modified).then(one.1.cmp(other.1)));
        Ok(files.into_iter().take(limit).map(|(.., id)| id).collect())
    }

    fn load_passages(&self, ids: &[PassageId]) -> Result<Vec<StoredPassage>> {
        let state = self.state();
        let mut all: HashMap<PassageId, StoredPassage> =
            state.passages().map(|(kept, ..)| (kept.id, kept)).collect();
        Ok(ids.iter().filter_map(|id| all.remove(id)).collect())
    }

    fn find_linking_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>> {
        let state = self.state();
        let links = |file: &StoredFile| {
            file.file.as_ref().is_some_and(|file| file.links.iter().any(|link| keys.contains(link)))
        };
        let files = state.files.iter().filter(|((name, _), file)| name == corpus && links(file));
        Ok(files.map(|((_, path), _)| path.clone()).collect())
    }

    fn find_named_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>> {
        let state = self.state();
        let files = state.files.keys().filter(|(name, _)| name == corpus).map(|(_, path)| path);
        Ok(files.filter(|path| keys.contains(&link_key(path.as_str()))).cloned().collect())
    }
}

/// The part of a filter that is about whole corpora.
fn corpora_only(filter: &PassageFilter) -> PassageFilter {
    PassageFilter { corpora: filter.corpora.clone(), scope: filter.scope, ..PassageFilter::default() }
}

pub(super) fn matches_form(column: &str, form: &TermForm) -> bool {
    let words: Vec<&str> = column.split(' ').collect();
    match form {
        TermForm::Word(word) => words.contains(&word.as_str()),
        TermForm::Phrase(phrase) => words.windows(phrase.len()).any(|part| part == phrase.as_slice()),
        TermForm::Prefix(start) => words.iter().any(|word| word.starts_with(start.as_str())),
    }
}
