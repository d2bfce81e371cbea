//! Whether a filter lets a passage through.

use wellread_core::ports::{IndexedFile, IndexedPassage, PassageFilter, PassageScope, StoredPassage};
use wellread_text::TermForm;

use super::StoredFile;
use super::passages::matches_form;

pub(super) fn passes_filter(
    filter: &PassageFilter,
    kept: &StoredPassage,
    stored: &StoredFile,
    file: &IndexedFile,
) -> bool {
    let PassageFilter { corpora, folder, tags, paths, fields, language, path, scope, excluded, .. } = filter;
    let below = |value: &str, above: &str| {
        value == above || value.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
    };
    let tagged = |tag: &String| {
        let tag = tag.trim_start_matches('#');
        file.tags.iter().any(|own| below(own, tag))
    };
    corpora.as_ref().is_none_or(|corpora| corpora.contains(&kept.corpus))
        && folder
            .as_deref()
            .map(|folder| folder.trim_matches('/'))
            .is_none_or(|folder| folder.is_empty() || below(kept.path.folder(), folder))
        && tags.iter().all(tagged)
        && !excluded.tags.iter().any(tagged)
        && paths.iter().all(|pattern| pattern.matches(&kept.path))
        && !excluded.paths.iter().any(|pattern| pattern.matches(&kept.path))
        && !excluded.terms.iter().any(|term| term.whole_forms().iter().any(|form| has_form(file, form)))
        && fields.iter().all(|field| file.fields.contains(field))
        && filter.modified_from.is_none_or(|from| stored.stamp.modified >= from)
        && filter.modified_before.is_none_or(|before| stored.stamp.modified < before)
        && language.as_deref().is_none_or(|language| file.language == Some(language))
        && passes_scope(*scope, file)
        && path.as_ref().is_none_or(|(corpus, path)| (corpus, path) == (&kept.corpus, &kept.path))
}

/// Whether a file has a form in its title, a heading or its text.
fn has_form(file: &IndexedFile, form: &TermForm) -> bool {
    let in_passage =
        |passage: &IndexedPassage| matches_form(&passage.heading, form) || matches_form(&passage.words, form);
    matches_form(&file.title, form) || file.passages.iter().any(in_passage)
}

pub(super) fn passes_scope(scope: PassageScope, file: &IndexedFile) -> bool {
    scope == PassageScope::All || !file.private
}
