//! Prepares a model's text for a note: bounds its length, removes links that were not gathered, checks every sentence,
//! and makes the text inert.

use serde::{Deserialize, Serialize};
use wellread_text::{AllowedLinks, Note, Splice, apply_splices, find_addresses, make_inert};

use super::model_calls::follow_up_request;
use super::note::NoteJob;
use super::{ResearchStage, Work};
use crate::domain::corpus::{VaultPath, address_fragment, normalize_address};
use crate::domain::display::counted;
use crate::domain::evidence::Ledger;
use crate::domain::id::RunId;
use crate::engine::repair::{CheckedText, UncitedPolicy, check_and_repair};
use crate::ports::{Model, ModelRequest};
use crate::trust::citations::{CitationContext, FootnoteLabels, find_anchor};
use crate::{Error, Result};

/// The highest level that a heading inside of a section may have.
const LEVEL: u8 = 3;
/// The most characters of a section. What a model writes beyond is cut off.
pub(super) const LONGEST_SECTION: usize = 40_000;
/// Lowering a heading can make another one visible; a text that needs more rounds was made to.
const ROUNDS: usize = 8;

/// A checked text with evidence ids as citations.
pub(super) struct WriteUp {
    pub checked: CheckedText,
    /// How many invented links were removed.
    pub removed: usize,
    /// Whether the model wrote more than a section may have.
    pub cut: bool,
}

/// How a section cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CitationForm {
    /// By links in parentheses.
    Links,
    /// By footnotes, which are keyed to sources in the frontmatter.
    Footnotes,
}

/// A cleaned text, and how many of its links were removed.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CleanReply {
    text: String,
    removed: usize,
    #[serde(default)]
    cut: bool,
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
        let (mut removed, mut cut) = (clean.removed, clean.cut);
        let repair = async |problems: String| {
            let mended = self.ask_model(model, &follow_up_request(request, &said, problems)).await.ok()?;
            let clean = self.clean_reply(&mended, path).ok()?;
            removed = removed.max(clean.removed);
            cut |= clean.cut;
            Some(clean.text)
        };
        let reader = self.evidence_reader();
        let gate = (&reader, Some(self.second_opinion()));
        let checked = check_and_repair(self.run, gate, clean.text, UncitedPolicy::Goes, repair).await?;
        Ok(WriteUp { checked, removed, cut })
    }

    /// Removes what a section must not contain. Logged, since which notes exist may change.
    fn clean_reply(&self, said: &str, path: &VaultPath) -> Result<CleanReply> {
        let names = self.vault.links.names()?;
        let ledger = self.run.ledger();
        let sources = CitationContext { ledger: &ledger, names: &names, from: path.as_str() };
        self.run.draw("cleaned", || {
            let (text, cut) = cut_to_length(&strip_outer_fence(said), LONGEST_SECTION);
            let (text, removed) = keep_gathered_links(&sources, &strip_invented_fragments(&ledger, &text));
            CleanReply { text: sources.restore_ids(&demote_headings(&text)), removed, cut }
        })
    }

    /// The body of a section: with links instead of evidence ids, and inert whatever titles and addresses contain.
    pub(super) fn render_body(&self, text: &str, path: &VaultPath, form: CitationForm) -> Result<String> {
        let names = self.vault.links.names()?;
        let ledger = self.run.ledger();
        let sources = CitationContext { ledger: &ledger, names: &names, from: path.as_str() };
        let read = |path: &str| self.vault.read(&self.vault.rules.parse_file(path).ok()?).ok();
        let anchor = |path: &str, line: usize| find_anchor(&read(path)?.text, line);
        self.run.draw("body", || {
            let linked = match form {
                CitationForm::Links => sources.replace_ids_with_links(text),
                CitationForm::Footnotes => {
                    let mut labels = FootnoteLabels::default();
                    let cited = sources.replace_ids_with_footnotes(text, &mut labels);
                    format!("{}{}", cited.trim_end(), labels.render_definitions())
                }
            };
            let linked = sources.add_anchors(&linked, &anchor);
            // Last of all: whatever was removed before may have hidden a heading.
            demote_headings(&keep_gathered_links(&sources, &linked).0)
        })
    }
}

impl NoteJob {
    /// Adds to a notice that the section was there without the mark of a run: it may have been the user's.
    pub(super) fn with_replaced_section(&self, heading: &str, notice: Option<String>) -> Option<String> {
        let replaces = self.before.as_ref().is_some_and(|before| !before.has_mark());
        let told = replaces.then(|| match self.dry_run {
            true => format!("`{heading}` is there without the mark of a run, and all of it would be replaced"),
            false => format!(
                "`{heading}` was there without the mark of a run, and was replaced; `wellread undo` brings it back"
            ),
        });
        let all: Vec<String> = told.into_iter().chain(notice).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

/// Adds to a notice that the model's text was cut.
pub(super) fn with_cut_notice(notice: Option<String>, cut: bool) -> Option<String> {
    let said =
        cut.then(|| format!("the model wrote more than {LONGEST_SECTION} characters; the rest was cut off"));
    match (notice, said) {
        (Some(notice), Some(said)) => Some(format!("{notice}; {said}")),
        (notice, said) => notice.or(said),
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
    let urls = |url: &str| is_gathered(sources.ledger, url);
    let notes = |target: &str| {
        let found = sources.names.resolve(target, sources.from);
        found.path().is_some_and(|path| path == sources.from || has_note(sources.ledger, path))
    };
    let made = make_inert(text, &AllowedLinks { urls: &urls, notes: &notes });
    (made.text.trim().to_owned(), made.removed.links + made.removed.notes)
}

/// Whether an address was gathered, its fragment included. An address without one leads to the whole page.
fn is_gathered(ledger: &Ledger, written: &str) -> bool {
    let fragment = address_fragment(written);
    pages_at(ledger, written).any(|known| fragment.is_none() || fragment == address_fragment(known))
}

/// The gathered addresses of the page that an address leads to, whatever its fragment.
fn pages_at<'a>(ledger: &'a Ledger, written: &str) -> impl Iterator<Item = &'a str> {
    let url = normalize_address(written);
    let pages = ledger.entries().iter().filter_map(|entry| entry.source.page());
    pages.map(|page| page.url.as_str()).filter(move |known| url.is_some() && normalize_address(known) == url)
}

/// Removes from gathered addresses the fragments that the model made up: nobody has seen that the page has such a part.
fn strip_invented_fragments(ledger: &Ledger, text: &str) -> String {
    let mut edits = Vec::new();
    for address in find_addresses(text) {
        if is_gathered(ledger, &address.url) || pages_at(ledger, &address.url).next().is_none() {
            continue;
        }
        let written = &text[address.span.clone()];
        let (Some(start), Some(hash)) = (written.rfind(&address.url), address.url.find('#')) else {
            continue;
        };
        let start = address.span.start + start;
        edits.push(Splice { span: start + hash..start + address.url.len(), text: String::new() });
    }
    apply_splices(text, &edits).unwrap_or_else(|_| text.to_owned())
}

/// The text up to a number of characters, and whether there was more. It is cut after a paragraph, or else after a word.
fn cut_to_length(text: &str, most: usize) -> (String, bool) {
    let Some((limit, _)) = text.char_indices().nth(most) else { return (text.to_owned(), false) };
    let head = &text[..limit];
    let end = head.rfind("\n\n").or_else(|| head.rfind(char::is_whitespace)).unwrap_or(limit);
    (head[..end].trim_end().to_owned(), true)
}

fn has_note(ledger: &Ledger, path: &str) -> bool {
    let files = ledger.entries().iter().filter_map(|entry| entry.source.file());
    files.filter(|(corpus, _)| corpus.repository().is_none()).any(|(_, place)| place.path.as_str() == path)
}

/// The text without a code fence around all of it. Every line ends with `\n`: some programs end a line at a lone carriage
/// return, and would see headings where others see none.
fn strip_outer_fence(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
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
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let lowered = demote_headings_once(&text);
        if lowered == text {
            break;
        }
        text = lowered;
    }
    text
}

fn demote_headings_once(text: &str) -> String {
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

    #[test]
    fn no_heading_leaves_the_section_however_it_is_hidden() {
        let no = |_: &str| false;
        for said in [
            "a\n\n\u{200b}# Evil\n",
            "a\n\n<div>\n# Evil\n</div>\n",
            "a\n\n%%\n# Evil\n%%\n",
            "a\r# Evil\rb",
            "a\n\n<!-- x\n# Evil\n-->\n# Evil",
            "a\n\n\u{2060}Evil\n\u{200b}===\n",
            "a\n\n<b>\n\n## Evil ##\n",
        ] {
            let text = strip_outer_fence(said);
            let inert = make_inert(&text, &AllowedLinks { urls: &no, notes: &no }).text;
            let body = demote_headings(&inert);
            let levels: Vec<u8> = Note::parse(&body).headings.iter().map(|heading| heading.level).collect();
            assert!(levels.iter().all(|level| *level >= LEVEL), "{said:?}: {body:?}");
            assert!(!body.contains('\r'), "{body:?}");
        }
    }

    #[test]
    fn a_long_text_is_cut_after_a_paragraph() {
        assert_eq!(cut_to_length("short", 10), ("short".to_owned(), false));
        assert_eq!(cut_to_length("One two.\n\nThree four five", 20), ("One two.".to_owned(), true));
        assert_eq!(cut_to_length("One two three", 6), ("One".to_owned(), true));
        assert_eq!(cut_to_length("äöüäöü", 4), ("äöüä".to_owned(), true));
    }
}
