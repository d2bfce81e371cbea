//! Prepares a model's text for a note: removes links that were not gathered, checks every sentence, and makes the text
//! inert.

use serde::{Deserialize, Serialize};
use wellread_text::{AllowedLinks, Note, Splice, apply_splices, make_inert};

use super::model_calls::follow_up_request;
use super::{ResearchStage, Work};
use crate::domain::corpus::{VaultPath, normalize_address};
use crate::domain::display::counted;
use crate::domain::evidence::Ledger;
use crate::domain::id::RunId;
use crate::engine::repair::{CheckedText, UncitedPolicy, check_and_repair};
use crate::ports::{Model, ModelRequest};
use crate::trust::citations::{CitationContext, find_anchor};
use crate::{Error, Result};

/// The highest level that a heading inside of a section may have.
const LEVEL: u8 = 3;

/// A checked text with evidence ids as citations.
pub(super) struct WriteUp {
    pub checked: CheckedText,
    /// How many invented links were removed.
    pub removed: usize,
}

/// A cleaned text, and how many of its links were removed.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CleanReply {
    text: String,
    removed: usize,
}

impl<J: Sync> Work<'_, J> {
    /// Has the model write, and checks the result.
    pub(super) async fn write_up(
        &self,
        model: &dyn Model,
        request: &ModelRequest,
        path: &VaultPath,
    ) -> Result<WriteUp> {
        self.begin_stage(ResearchStage::WriteUp, "");
        let said = self.ask_model(model, request).await?;
        let clean = self.clean_reply(&said, path)?;
        if clean.text.trim().is_empty() {
            return Err(Error::failed("the model wrote nothing, so nothing was written")
                .hint("try again, or choose another model with `wellread config set model.research NAME`"));
        }
        self.begin_stage(ResearchStage::Check, "");
        let mut removed = clean.removed;
        let repair = async |problems: String| {
            let mended = self.ask_model(model, &follow_up_request(request, &said, problems)).await.ok()?;
            let clean = self.clean_reply(&mended, path).ok()?;
            removed = removed.max(clean.removed);
            Some(clean.text)
        };
        let reader = self.evidence_reader();
        let checked = check_and_repair(self.run, &reader, clean.text, UncitedPolicy::Goes, repair).await?;
        Ok(WriteUp { checked, removed })
    }

    /// Removes what a section must not contain. Logged, since which notes exist may change.
    fn clean_reply(&self, said: &str, path: &VaultPath) -> Result<CleanReply> {
        let names = self.vault.links.names()?;
        let ledger = self.run.ledger();
        let sources = CitationContext { ledger: &ledger, names: &names, from: path.as_str() };
        self.run.draw("cleaned", || {
            let lowered = demote_headings(&strip_outer_fence(said));
            let (text, removed) = keep_gathered_links(&sources, &lowered);
            CleanReply { text: sources.restore_ids(&text), removed }
        })
    }

    /// The body of a section: with links instead of evidence ids, and inert whatever titles and addresses contain.
    pub(super) fn render_body(&self, text: &str, path: &VaultPath) -> Result<String> {
        let names = self.vault.links.names()?;
        let ledger = self.run.ledger();
        let sources = CitationContext { ledger: &ledger, names: &names, from: path.as_str() };
        let read = |path: &str| self.vault.read(&self.vault.rules.parse_file(path).ok()?).ok();
        let anchor = |path: &str, line: usize| find_anchor(&read(path)?.text, line);
        self.run.draw("body", || {
            let linked = sources.add_anchors(&sources.replace_ids_with_links(text), &anchor);
            keep_gathered_links(&sources, &linked).0
        })
    }
}

/// The refusal to write a text of which the evidence supports nothing.
pub(super) fn nothing_supported_error(moved: usize, run: &RunId) -> Error {
    let sentences = counted(moved, "sentence", "sentences");
    Error::not_found(format!("the evidence supports none of the {sentences} written, so nothing was changed"))
        .hint(format!("`wellread verify {run}` says why for each of them"))
}

/// Removes links to anything that was not gathered, and counts them.
fn keep_gathered_links(sources: &CitationContext<'_>, text: &str) -> (String, usize) {
    let urls = |url: &str| normalize_address(url).is_some_and(|url| has_page(sources.ledger, &url));
    let notes = |target: &str| {
        let found = sources.names.resolve(target, sources.from);
        found.path().is_some_and(|path| path == sources.from || has_note(sources.ledger, path))
    };
    let made = make_inert(text, &AllowedLinks { urls: &urls, notes: &notes });
    (made.text.trim().to_owned(), made.removed.links + made.removed.notes)
}

fn has_page(ledger: &Ledger, url: &str) -> bool {
    let pages = ledger.entries().iter().filter_map(|entry| entry.source.page());
    pages.filter_map(|page| normalize_address(&page.url)).any(|known| known == url)
}

fn has_note(ledger: &Ledger, path: &str) -> bool {
    let files = ledger.entries().iter().filter_map(|entry| entry.source.file());
    files.filter(|(corpus, _)| corpus.repository().is_none()).any(|(_, place)| place.path.as_str() == path)
}

/// The text without a code fence around all of it.
fn strip_outer_fence(text: &str) -> String {
    let text = text.trim();
    let Some(rest) = text.strip_prefix("```") else { return text.to_owned() };
    let Some((info, rest)) = rest.split_once('\n') else { return text.to_owned() };
    let is_wrap = ["", "markdown", "md"].contains(&info.trim().to_lowercase().as_str());
    match rest.trim_end().strip_suffix("```").filter(|inner| is_wrap && !inner.contains("```")) {
        Some(inner) => inner.trim().to_owned(),
        None => text.to_owned(),
    }
}

/// Moves headings below the section's own level, since a higher one would end the section. A first heading that repeats
/// the section's is removed.
fn demote_headings(text: &str) -> String {
    let headings = Note::parse(text).headings;
    let edit = |heading: &wellread_text::Heading| {
        let first = text[..heading.span.start].trim().is_empty();
        let repeats = ["research", "summary"].contains(&heading.text.trim().to_lowercase().as_str());
        let written = if first && repeats {
            "\n".to_owned()
        } else {
            format!("{} {}\n", "#".repeat(LEVEL.into()), heading.text)
        };
        Splice { span: heading.span.clone(), text: written }
    };
    let edits: Vec<Splice> = headings.iter().filter(|heading| heading.level < LEVEL).map(edit).collect();
    apply_splices(text, &edits).map_or_else(|_| text.to_owned(), |text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_around_all_of_it_goes_and_any_other_stays() {
        assert_eq!(strip_outer_fence("```markdown\n### A\n\nb\n```\n"), "### A\n\nb");
        assert_eq!(strip_outer_fence("```rust\nfn a() {}\n```"), "```rust\nfn a() {}\n```");
        assert_eq!(strip_outer_fence("```\na\n```\nb\n```\nc\n```"), "```\na\n```\nb\n```\nc\n```");
    }

    #[test]
    fn headings_stay_below_the_sections_own() {
        assert_eq!(
            demote_headings("## Research\n\n# A\n\nb\n\n#### C\n\nD\n---\n"),
            "### A\n\nb\n\n#### C\n\n### D"
        );
        assert_eq!(demote_headings("### A\n\n```\n# no\n```\n"), "### A\n\n```\n# no\n```");
    }
}
