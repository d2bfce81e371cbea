//! Findings: list, show, accept into a note, dismiss.

use schemars::JsonSchema;
use serde::Deserialize;

use super::declare::one_line;
use super::{AnswerOrigins, Ctx, Effect, Group, Tool};
use crate::Result;
use crate::agendas::inbox::{FindingEdits, FindingList, Inbox, ReopenedFinding};
use crate::domain::id::{AgendaId, FindingId};
use crate::ports::FindingFilter;
use crate::ports::agenda::{Finding, FindingStatus};

/// How many findings are listed by default.
const DEFAULT_LIMIT: usize = 20;

fn inbox(ctx: &Ctx) -> Inbox<'_> {
    Inbox { research: &ctx.research, vault: &ctx.vault }
}

/// A finding repeats words of pages, and of the notes that it relates to.
fn finding_origins<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> AnswerOrigins {
    let notes = findings.into_iter().flat_map(|finding| {
        let cited = finding.evidence.iter().filter_map(|entry| entry.url.split_once(".md:"));
        let cited = cited.map(|(stem, _)| format!("{stem}.md"));
        let near = finding.nearest.iter().filter(|nearest| !nearest.contains("://")).cloned();
        let named = finding.related_notes.iter().cloned().chain(finding.note_path.clone());
        named.chain(cited).chain(near).collect::<Vec<_>>()
    });
    AnswerOrigins::FilesAndOutside(notes.collect())
}

/// The question with what it is about: the finding's title and address.
fn question_about(asked: &str, ctx: &Ctx, id: &str) -> Result<String> {
    let finding = inbox(ctx).finding(&FindingId::parse(id)?)?;
    let (title, url) = (one_line(&finding.title), one_line(&finding.url));
    Ok(format!("{asked}\n{title}\n{url}\n({}, {})\n", finding.id, finding.status.name()))
}

#[derive(Debug)]
pub struct ListFindings;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFindingsArgs {
    /// Only entries with this status.
    #[serde(default)]
    status: Option<FindingStatus>,
    /// Only findings of this agenda.
    #[serde(default)]
    agenda: Option<String>,
    /// Maximum number to return, newest first.
    #[serde(default)]
    limit: Option<u32>,
}

impl Tool for ListFindings {
    const NAME: &'static str = "list_findings";
    const ABOUT: &'static str =
        "Lists the inbox: findings of research, newest first, each with its summary and evidence.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Reads;
    type Args = ListFindingsArgs;
    type Output = FindingList;
    const STUB: &'static [&'static str] = &["findings.id", "findings.title", "findings.status"];

    fn answer_origins(output: &FindingList) -> AnswerOrigins {
        finding_origins(&output.findings)
    }

    async fn call(&self, ctx: &Ctx, args: ListFindingsArgs) -> Result<FindingList> {
        let agenda = args.agenda.as_deref().map(AgendaId::parse).transpose()?;
        let which = FindingFilter { status: args.status, agenda, ..FindingFilter::default() };
        inbox(ctx).findings(&which, args.limit.map_or(DEFAULT_LIMIT, |limit| limit as usize))
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
        "Shows one finding: its text, the gate's verdict on each sentence, and the quotes that support it.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Reads;
    type Args = FindingArgs;
    type Output = Finding;
    const STUB: &'static [&'static str] = &["id", "title", "status", "url"];

    fn answer_origins(output: &Finding) -> AnswerOrigins {
        finding_origins([output])
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
    /// A different title for the note.
    #[serde(default)]
    title: Option<String>,
    /// The user's own words instead of the summary.
    #[serde(default)]
    summary: Option<String>,
    /// A folder to use instead of the configured one.
    #[serde(default)]
    folder: Option<String>,
}

impl Tool for AcceptFinding {
    const NAME: &'static str = "accept_finding";
    const ABOUT: &'static str = "Accepts a finding, once the user has confirmed it: it becomes a fleeting note with its \
                                 source, reason and evidence. Repeated calls create one note.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Decides;
    const REHEARSES: bool = false;
    type Args = AcceptFindingArgs;
    type Output = Finding;
    const STUB: &'static [&'static str] = &["id", "status", "notePath"];

    fn answer_origins(output: &Finding) -> AnswerOrigins {
        finding_origins([output])
    }

    fn question(ctx: &Ctx, args: &AcceptFindingArgs) -> Result<String> {
        let mut asked = question_about("Accept this finding? It becomes a note.", ctx, &args.id)?;
        for (name, given) in [("title", &args.title), ("summary", &args.summary), ("folder", &args.folder)] {
            asked.extend(given.iter().map(|given| format!("with the {name}: {}\n", one_line(given))));
        }
        Ok(asked)
    }

    async fn call(&self, ctx: &Ctx, args: AcceptFindingArgs) -> Result<Finding> {
        let AcceptFindingArgs { id, title, summary, folder } = args;
        let by = ctx.user_decision()?;
        inbox(ctx).accept(by, &FindingId::parse(&id)?, &FindingEdits { title, summary, folder })
    }
}

#[derive(Debug)]
pub struct DismissFinding;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DismissFindingArgs {
    /// The finding's id.
    id: String,
    /// Stop proposing its topic.
    #[serde(default)]
    suppress_topic: bool,
}

impl Tool for DismissFinding {
    const NAME: &'static str = "dismiss_finding";
    const ABOUT: &'static str = "Dismisses a finding permanently, once the user has confirmed it; optionally stops \
                                 proposing its topic.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Decides;
    const REHEARSES: bool = false;
    type Args = DismissFindingArgs;
    type Output = Finding;
    const STUB: &'static [&'static str] = &["id", "status"];

    fn answer_origins(output: &Finding) -> AnswerOrigins {
        finding_origins([output])
    }

    fn question(ctx: &Ctx, args: &DismissFindingArgs) -> Result<String> {
        let topic = if args.suppress_topic { " Its topic will not be proposed again." } else { "" };
        question_about(&format!("Dismiss this finding for good?{topic}"), ctx, &args.id)
    }

    async fn call(&self, ctx: &Ctx, args: DismissFindingArgs) -> Result<Finding> {
        inbox(ctx).dismiss(ctx.user_decision()?, &FindingId::parse(&args.id)?, args.suppress_topic)
    }
}

#[derive(Debug)]
pub struct UndoAccept;

impl Tool for UndoAccept {
    const NAME: &'static str = "undo_accept";
    const ABOUT: &'static str = "Undoes an acceptance, once the user has confirmed it: the note is removed, unless it was edited since, and the finding is new again.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Decides;
    const REHEARSES: bool = false;
    type Args = FindingArgs;
    type Output = ReopenedFinding;
    const STUB: &'static [&'static str] = &["id", "status"];

    fn answer_origins(output: &ReopenedFinding) -> AnswerOrigins {
        finding_origins([&output.finding])
    }

    fn question(ctx: &Ctx, args: &FindingArgs) -> Result<String> {
        question_about("Undo the acceptance of this finding? Its note is removed.", ctx, &args.id)
    }

    async fn call(&self, ctx: &Ctx, args: FindingArgs) -> Result<ReopenedFinding> {
        inbox(ctx).undo(ctx.user_decision()?, &FindingId::parse(&args.id)?)
    }
}
