//! What a model writes, made fit to be written into a note: its links those that were gathered, its sentences checked, and
//! all of it inert.

use serde::{Deserialize, Serialize};
use wellread_text::{Allowed, Note, Splice, inert, splice};

use super::asking::once_more;
use super::{Around, Progress, Research, Stage};
use crate::checking::{Checked, Uncited, checked};
use crate::citing::Sources;
use crate::corpus::{VaultPath, normal_address};
use crate::evidence::Ledger;
use crate::ports::{Model, ModelRequest};
use crate::run::Run;
use crate::{Error, Result};

/// The highest level that a heading inside of a section may have.
const LEVEL: u8 = 3;

/// A text that may be written, with ids for citations.
pub(super) struct WrittenUp {
    pub checked: Checked,
    /// How many links were made up and taken out.
    pub removed: usize,
}

/// What was left of a text, and how many of its links were taken out.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Clean {
    text: String,
    removed: usize,
}

impl Research {
    /// Has the model write, and checks what it wrote.
    pub(super) async fn written_up(
        &self,
        around: Around<'_>,
        run: &Run,
        model: &dyn Model,
        request: &ModelRequest,
        path: &VaultPath,
    ) -> Result<WrittenUp> {
        (around.watch)(Progress::Stage { stage: Stage::WriteUp, done: 0, of: 1, about: String::new() });
        let said = self.said(run, model, request).await?;
        let clean = self.cleaned(around, run, &said, path)?;
        if clean.text.trim().is_empty() {
            return Err(Error::failed("the model wrote nothing: an empty synthesis is not written")
                .hint("try again, or choose another model with `wellread config set model.research NAME`"));
        }
        (around.watch)(Progress::Stage { stage: Stage::Check, done: 0, of: 1, about: String::new() });
        let mut removed = clean.removed;
        let repair = async |problems: String| {
            let mended = self.said(run, model, &once_more(request, &said, problems)).await.ok()?;
            let clean = self.cleaned(around, run, &mended, path).ok()?;
            removed = removed.max(clean.removed);
            Some(clean.text)
        };
        let checked = checked(run, &self.places(around), clean.text, Uncited::Goes, repair).await?;
        Ok(WrittenUp { checked, removed })
    }

    /// The text without what a section must not hold. Which notes exist is asked once.
    fn cleaned(&self, around: Around<'_>, run: &Run, said: &str, path: &VaultPath) -> Result<Clean> {
        let names = around.vault.links.names()?;
        let ledger = run.ledger();
        let sources = Sources { ledger: &ledger, names: &names, from: path.as_str() };
        run.draw("cleaned", || {
            let lowered = lowered(&unwrapped(said));
            let (text, removed) = self.inert(&sources, &lowered);
            Clean { text: sources.with_ids(&text), removed }
        })
    }

    /// The body of a section: with links instead of ids, and inert whatever titles and addresses hold.
    pub(super) fn body(&self, around: Around<'_>, run: &Run, text: &str, path: &VaultPath) -> Result<String> {
        let names = around.vault.links.names()?;
        let ledger = run.ledger();
        let sources = Sources { ledger: &ledger, names: &names, from: path.as_str() };
        run.draw("body", || self.inert(&sources, &sources.with_links(text)).0)
    }

    /// The text with links to nothing but what was gathered, and how many others there were.
    fn inert(&self, sources: &Sources<'_>, text: &str) -> (String, usize) {
        let urls = |url: &str| normal_address(url).is_some_and(|url| is_page_of(sources.ledger, &url));
        let notes = |target: &str| {
            let found = sources.names.resolve(target, sources.from);
            found.path().is_some_and(|path| path == sources.from || is_note_of(sources.ledger, path))
        };
        let made = inert(text, &Allowed { urls: &urls, notes: &notes });
        (made.text.trim().to_owned(), made.removed.links + made.removed.notes)
    }
}

fn is_page_of(ledger: &Ledger, url: &str) -> bool {
    let pages = ledger.entries().iter().filter_map(|entry| entry.source.page());
    pages.filter_map(|page| normal_address(&page.url)).any(|known| known == url)
}

fn is_note_of(ledger: &Ledger, path: &str) -> bool {
    let files = ledger.entries().iter().filter_map(|entry| entry.source.file());
    files.filter(|(corpus, _)| corpus.repository().is_none()).any(|(_, place)| place.path.as_str() == path)
}

/// A text without the one fence around all of it.
fn unwrapped(text: &str) -> String {
    let text = text.trim();
    let Some(rest) = text.strip_prefix("```") else { return text.to_owned() };
    let Some((info, rest)) = rest.split_once('\n') else { return text.to_owned() };
    let is_wrap = ["", "markdown", "md"].contains(&info.trim().to_lowercase().as_str());
    match rest.trim_end().strip_suffix("```").filter(|inner| is_wrap && !inner.contains("```")) {
        Some(inner) => inner.trim().to_owned(),
        None => text.to_owned(),
    }
}

/// The text with its headings below the section's own: a higher one would end the section. A first heading that only
/// repeats the section's goes.
fn lowered(text: &str) -> String {
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
    splice(text, &edits).map_or_else(|_| text.to_owned(), |text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_around_all_of_it_goes_and_any_other_stays() {
        assert_eq!(unwrapped("```markdown\n### A\n\nb\n```\n"), "### A\n\nb");
        assert_eq!(unwrapped("```rust\nfn a() {}\n```"), "```rust\nfn a() {}\n```");
        assert_eq!(unwrapped("```\na\n```\nb\n```\nc\n```"), "```\na\n```\nb\n```\nc\n```");
    }

    #[test]
    fn headings_stay_below_the_sections_own() {
        assert_eq!(lowered("## Research\n\n# A\n\nb\n\n#### C\n\nD\n---\n"), "### A\n\nb\n\n#### C\n\n### D");
        assert_eq!(lowered("### A\n\n```\n# no\n```\n"), "### A\n\n```\n# no\n```");
    }
}
