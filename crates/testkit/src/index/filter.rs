//! Whether a filter lets a passage through.

use wellread_core::ports::{IndexedFile, PassageFilter, PassageScope, StoredPassage};

use super::StoredFile;

pub(super) fn passes_filter(
    filter: &PassageFilter,
    kept: &StoredPassage,
    stored: &StoredFile,
    file: &IndexedFile,
) -> bool {
    let PassageFilter { corpora, folder, tag, fields, modified_from, modified_before, language, path, scope } =
        filter;
    let below = |value: &str, above: &str| {
        value == above || value.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
    };
    corpora.as_ref().is_none_or(|corpora| corpora.contains(&kept.corpus))
        && folder
            .as_deref()
            .map(|folder| folder.trim_matches('/'))
            .is_none_or(|folder| folder.is_empty() || below(kept.path.folder(), folder))
        && tag
            .as_deref()
            .map(|tag| tag.trim_start_matches('#'))
            .is_none_or(|tag| file.tags.iter().any(|own| below(own, tag)))
        && fields.iter().all(|field| file.fields.contains(field))
        && modified_from.is_none_or(|from| stored.stamp.modified >= from)
        && modified_before.is_none_or(|before| stored.stamp.modified < before)
        && language.as_deref().is_none_or(|language| file.language == Some(language))
        && passes_scope(*scope, file)
        && path.as_ref().is_none_or(|(corpus, path)| (corpus, path) == (&kept.corpus, &kept.path))
}

pub(super) fn passes_scope(scope: PassageScope, file: &IndexedFile) -> bool {
    scope == PassageScope::All || !file.private
}
