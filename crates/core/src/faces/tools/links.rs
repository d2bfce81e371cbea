//! Backlinks and outgoing links of a note.

use schemars::JsonSchema;
use serde::Deserialize;

use super::paged::{Paged, hundred};
use super::{AnswerOrigins, Ctx, Effect, Tool};
use crate::Result;
use crate::domain::display::counted;

#[derive(Debug)]
pub struct FindBacklinks;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindBacklinksArgs {
    /// The note's name or its path, with or without `.md`.
    #[serde(alias = "note_name")]
    path: String,
    /// Maximum number of entries to return.
    #[serde(default = "hundred")]
    limit: usize,
    /// Number of entries to skip.
    #[serde(default)]
    offset: usize,
}

impl Tool for FindBacklinks {
    const NAME: &'static str = "find_backlinks";
    const ABOUT: &'static str = "Lists every note that links to a note, in any form: with alias, heading or block \
                                 reference, as an embed, in the frontmatter, or as a Markdown link.";
    const EFFECT: Effect = Effect::Reads;
    type Args = FindBacklinksArgs;
    type Output = Paged<String>;
    const STUB: &'static [&'static str] = &["total", "results"];

    fn answer_origins(output: &Paged<String>) -> AnswerOrigins {
        AnswerOrigins::Files(output.results.clone())
    }

    async fn call(&self, ctx: &Ctx, args: FindBacklinksArgs) -> Result<Paged<String>> {
        let found = ctx.vault.backlinks_by_name(&args.path)?;
        let mut page =
            Paged::new(found.from.iter().map(ToString::to_string).collect(), args.limit, args.offset);
        if found.to.is_none() {
            page.notice = Some(match page.total {
                0 => format!("there is no note `{}`, and nothing links to it", args.path),
                _ => format!("there is no note `{}`, but these notes link to it", args.path),
            });
        }
        if !found.skipped.is_empty() {
            let unread = counted(found.skipped.len(), "note", "notes");
            let unread = format!("{unread} could not be read: see `wellread status`");
            page.notice = Some(page.notice.map_or(unread.clone(), |notice| format!("{notice}; {unread}")));
        }
        Ok(page)
    }
}

#[derive(Debug)]
pub struct FindOutlinks;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindOutlinksArgs {
    /// The note, relative to the vault; the `.md` is optional.
    path: String,
    /// Maximum number of entries to return.
    #[serde(default = "hundred")]
    limit: usize,
    /// Number of entries to skip.
    #[serde(default)]
    offset: usize,
}

impl Tool for FindOutlinks {
    const NAME: &'static str = "find_outlinks";
    const ABOUT: &'static str = "Lists the names that a note links to, sorted and without duplicates; aliases and headings are dropped.";
    const EFFECT: Effect = Effect::Reads;
    type Args = FindOutlinksArgs;
    type Output = Paged<String>;
    const STUB: &'static [&'static str] = &["total", "results"];

    fn answer_origins(output: &Paged<String>) -> AnswerOrigins {
        output.of.clone().map_or(AnswerOrigins::Ours, |note| AnswerOrigins::Files(vec![note]))
    }

    async fn call(&self, ctx: &Ctx, args: FindOutlinksArgs) -> Result<Paged<String>> {
        let path = ctx.vault.locate(&args.path)?;
        let page = Paged::new(ctx.vault.outlinks(&path)?, args.limit, args.offset);
        Ok(Paged { of: Some(path.to_string()), ..page })
    }
}
