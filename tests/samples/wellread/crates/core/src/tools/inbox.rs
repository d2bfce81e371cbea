//! Findings as tools: looked at, accepted into a note, dismissed.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Ctx, Effect, Group, Shown, Tool};
use crate::Result;
use crate::agenda::{Finding, FindingStatus};
use crate::id::{AgendaId, FindingId};
use crate::inbox::{Edited, Inbox, Listed, TakenBack};
use crate::ports::WhichFindings;

/// How many are listed where nobody says how many.
const LISTED: usize = 20;

fn inbox(ctx: &Ctx) -> Inbox<'_> {
    Inbox { research: &ctx.research, vault: &ctx.vault }
}

/// Pages speak in a finding, and notes where it bears on them.
fn shown<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Shown {
    let notes = findings.into_iter().flat_map(|finding| {
        let cited = finding.evidence.iter().filter_map(|entry| entry.url.split_once(".md:"));
        let cited = cited.map(|(stem, _)| format!("{stem}.md"));
        let near = finding.nearest.iter().filter(|nearest| !nearest.contains("://")).cloned();
        let named = finding.related_notes.iter().cloned().chain(finding.note_path.clone());
        named.chain(cited).chain(near).collect::<Vec<_>>()
    });
    Shown::FilesAndOutside(notes.collect())
}

#[derive(Debug)]
pub struct ListFindings;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFindingsArgs {
    /// Only those that stand like this.
    #[serde(default)]
    status: Option<FindingStatus>,
    /// Only those of this agenda.
    #[serde(default)]
    agenda: Option<String>,
    /// How many at the most, newest first.
    #[serde(default)]
    limit: Option<u32>,
}

impl Tool for ListFindings {
    const NAME: &'static str = "list_findings";
    const ABOUT: &'static str =
        "The inbox: what research has found, newest first, each with its summary and evidence.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Reads;
    type Args = ListFindingsArgs;
    type Output = Listed;
    const STUB: &'static [&'static str] = &["findings.id", "findings.title", "findings.status"];

    fn shows(output: &Listed) -> Shown {
        shown(&output.findings)
    }

    async fn call(&self, ctx: &Ctx, args: ListFindingsArgs) -> Result<Listed> {
        let agenda = args.agenda.as_deref().map(AgendaId::parse).transpose()?;
        let which = WhichFindings { status: args.status, agenda, ..WhichFindings::default() };
        inbox(ctx).findings(&which, args.limit.map_or(LISTED, |limit| limit as usize))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindingArgs {
    /// The finding's id.
    id: String,
}

#[derive(Debug)]
pub struct ShowFinding;

impl Tool for ShowFinding {
    const NAME: &'static str = "show_finding";
    const ABOUT: &'static str =
        "One finding: what it says, what the gate says of each sentence, and the words that it rests on.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Reads;
    type Args = FindingArgs;
    type Output = Finding;
    const STUB: &'static [&'static str] = &["id", "title", "status", "url"];

    fn shows(output: &Finding) -> Shown {
        shown([output])
    }

    async fn call(&self, ctx: &Ctx, args: FindingArgs) -> Result<Finding> {
        inbox(ctx).finding(&FindingId::parse(&args.id)?)
    }
}

#[derive(Debug)]
pub struct AcceptFinding;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptFindingArgs {
    /// The finding's id.
    id: String,
    /// Another title for the note.
    #[serde(default)]
    title: Option<String>,
    /// The user's own words instead of the summary.
    #[serde(default)]
    summary: Option<String>,
    /// Another folder than the one that is set.
    #[serde(default)]
    folder: Option<String>,
}

impl Tool for AcceptFinding {
    const NAME: &'static str = "accept_finding";
    const ABOUT: &'static str = "Accepts a finding, at the user's word only: it becomes a fleeting note with its source, its reason and \
                                 its evidence. Once, however often it is asked.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Decides;
    const REHEARSES: bool = false;
    type Args = AcceptFindingArgs;
    type Output = Finding;
    const STUB: &'static [&'static str] = &["id", "status", "notePath"];

    fn shows(output: &Finding) -> Shown {
        shown([output])
    }

    async fn call(&self, ctx: &Ctx, args: AcceptFindingArgs) -> Result<Finding> {
        let AcceptFindingArgs { id, title, summary, folder } = args;
        inbox(ctx).accept(&FindingId::parse(&id)?, &Edited { title, summary, folder })
    }
}

#[derive(Debug)]
pub struct DismissFinding;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DismissFindingArgs {
    /// The finding's id.
    id: String,
    /// Propose its topic no more.
    #[serde(default)]
    suppress_topic: bool,
}

impl Tool for DismissFinding {
    const NAME: &'static str = "dismiss_finding";
    const ABOUT: &'static str = "Dismisses a finding for good, at the user's word only; its topic is not proposed any more where that is \
                                 wanted.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Decides;
    const REHEARSES: bool = false;
    type Args = DismissFindingArgs;
    type Output = Finding;
    const STUB: &'static [&'static str] = &["id", "status"];

    fn shows(output: &Finding) -> Shown {
        shown([output])
    }

    async fn call(&self, ctx: &Ctx, args: DismissFindingArgs) -> Result<Finding> {
        inbox(ctx).dismiss(&FindingId::parse(&args.id)?, args.suppress_topic)
    }
}

#[derive(Debug)]
pub struct UndoAccept;

impl Tool for UndoAccept {
    const NAME: &'static str = "undo_accept";
    const ABOUT: &'static str =
        "Takes an acceptance back: the note goes, unless it was edited since, and the finding is new again.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Decides;
    const REHEARSES: bool = false;
    type Args = FindingArgs;
    type Output = TakenBack;
    const STUB: &'static [&'static str] = &["id", "status"];

    fn shows(output: &TakenBack) -> Shown {
        shown([&output.finding])
    }

    async fn call(&self, ctx: &Ctx, args: FindingArgs) -> Result<TakenBack> {
        inbox(ctx).undo(&FindingId::parse(&args.id)?)
    }
}
