//! `wellread inbox`: what research has found, and what becomes of it.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;
use wellread_core::Result;
use wellread_core::agendas::inbox::{FindingEdits, Inbox};
use wellread_core::domain::display::counted;
use wellread_core::domain::id::FindingId;
use wellread_core::ports::FindingFilter;
use wellread_core::ports::agenda::{Finding, FindingStatus};
use wellread_core::research::render_finding;

use super::{BY_COMMAND, Invocation};
use crate::app::App;
use crate::output::{Output, success};

/// Show what research has found; accept it into a note, or dismiss it
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "A finding becomes a note only when you accept it, with its source, its reason and its evidence; `wellread verify NOTE` \
checks it again at any time.\n\nExample:\n  wellread inbox\n  wellread inbox show 7fk2m0x9qz3b1d\n  wellread inbox accept \
7fk2m0x9qz3b1d --title 'Oxalic acid in winter'\n  wellread inbox dismiss 7fk2m0x9qz3b1d --suppress\n  wellread inbox undo 7fk2m0x9qz3b1d"
)]
pub struct InboxArgs {
    #[command(subcommand)]
    what: Option<InboxCommand>,
    /// Only findings with this status: new, accepted, dismissed or all
    #[arg(long, default_value = "new", value_parser = parse_status)]
    status: StatusFilter,
    /// How many to list
    #[arg(short = 'n', long, default_value_t = 20)]
    limit: usize,
}

type StatusFilter = std::result::Result<FindingStatus, AllStatuses>;

/// Whatever the status.
#[derive(Debug, Clone, Copy)]
pub struct AllStatuses;

#[derive(Debug, clap::Subcommand)]
enum InboxCommand {
    /// Show one finding with its evidence
    Show { id: String },
    /// Accept a finding: turn it into a note, once
    Accept {
        id: String,
        /// Use this title for the note
        #[arg(long)]
        title: Option<String>,
        /// Use your own words instead of the summary
        #[arg(long)]
        summary: Option<String>,
        /// Put the note in this folder instead of the configured one
        #[arg(long)]
        folder: Option<String>,
    },
    /// Dismiss a finding permanently
    Dismiss {
        id: String,
        /// Stop proposing its topic
        #[arg(long)]
        suppress: bool,
    },
    /// Undo an acceptance and remove its note, unless the note was edited since
    Undo { id: String },
    /// List the topics that are no longer proposed
    Suppressed {
        /// Allow this topic to be proposed again
        #[arg(long, value_name = "TOPIC")]
        allow: Option<String>,
    },
}

pub fn run(invocation: &Invocation, args: &InboxArgs) -> Result<ExitCode> {
    let app = invocation.open_app()?;
    let (inbox, output) = (open_inbox(&app), invocation.output);
    match &args.what {
        None => list(output, &inbox, args)?,
        Some(InboxCommand::Show { id }) => show(output, &inbox.finding(&FindingId::parse(id)?)?)?,
        Some(InboxCommand::Accept { id, title, summary, folder }) => {
            let edited =
                FindingEdits { title: title.clone(), summary: summary.clone(), folder: folder.clone() };
            let finding = inbox.accept(BY_COMMAND, &FindingId::parse(id)?, &edited)?;
            invocation.log_decision(&app, "accept_finding", Some(finding.id.as_str()));
            let path = finding.note_path.clone().unwrap_or_default();
            let done = format!("accepted: `{path}`; `wellread inbox undo {id}` undoes it");
            print_decision(output, &finding, &done)?;
        }
        Some(InboxCommand::Dismiss { id, suppress }) => {
            let finding = inbox.dismiss(BY_COMMAND, &FindingId::parse(id)?, *suppress)?;
            invocation.log_decision(&app, "dismiss_finding", Some(finding.id.as_str()));
            let topic = if *suppress {
                format!("; “{}” will not be proposed again", finding.query)
            } else {
                String::new()
            };
            print_decision(output, &finding, &format!("dismissed{topic}"))?;
        }
        Some(InboxCommand::Undo { id }) => {
            let id = FindingId::parse(id)?;
            let back = inbox.undo(BY_COMMAND, &id)?;
            invocation.log_decision(&app, "undo_accept", Some(id.as_str()));
            if output.json {
                output.object(&success(json!(back)))?;
            } else {
                let remark = back.message.map(|message| format!("; {message}")).unwrap_or_default();
                output.text(&format!("undone: the finding is new again{remark}"))?;
            }
        }
        Some(InboxCommand::Suppressed { allow }) => {
            let topics = match allow {
                Some(topic) => {
                    let left = inbox.allow_topic(BY_COMMAND, topic)?;
                    invocation.log_decision(&app, "allow_topic", Some(topic));
                    left
                }
                None => inbox.suppressed_topics()?,
            };
            if output.json {
                output.object(&success(json!(topics)))?;
            } else if topics.topics.is_empty() {
                output.notice("no topic is suppressed");
            } else {
                let line = |topic: &wellread_core::ports::agenda::SuppressedTopic| {
                    format!("{}  {}\n", topic.at.strftime("%Y-%m-%d"), topic.topic)
                };
                output.text(&topics.topics.iter().map(line).collect::<String>())?;
            }
        }
    }
    invocation.report_damaged_records(&app);
    Ok(ExitCode::SUCCESS)
}

fn open_inbox(app: &Arc<App>) -> Inbox<'_> {
    Inbox { research: &app.ctx.research, vault: &app.ctx.vault }
}

fn list(output: Output, inbox: &Inbox<'_>, args: &InboxArgs) -> Result<()> {
    let which = FindingFilter { status: args.status.ok(), ..FindingFilter::default() };
    let listed = inbox.findings(&which, args.limit)?;
    if output.json {
        return output.object(&success(json!(listed)));
    }
    let counts = listed.counts;
    if args.limit == 0 {
        output.notice("none shown: `-n` sets how many");
    } else if listed.findings.is_empty() {
        let all = counts.new + counts.accepted + counts.dismissed;
        output.notice(&match args.status {
            _ if all == 0 => {
                "no findings yet: `wellread agenda new` proposes research, and its findings appear here"
                    .to_owned()
            }
            Ok(status) => {
                let status = status.name();
                format!("no finding is {status}; `wellread inbox --status all` shows everything")
            }
            Err(AllStatuses) => "there are no findings".to_owned(),
        });
    } else {
        let line = |finding: &Finding| {
            format!("{}  {:<9}  {}\n    {}\n", finding.id, finding.status.name(), finding.title, finding.url)
        };
        output.text(&listed.findings.iter().map(line).collect::<String>())?;
    }
    output.notice(&format!(
        "{} new, {} accepted, {} dismissed; {} waiting for approval",
        counts.new,
        counts.accepted,
        counts.dismissed,
        counted(counts.pending, "agenda is", "agendas are")
    ));
    if counts.set_aside > 0 {
        let given_up = counted(counts.set_aside, "task was", "tasks were");
        output.notice(&format!("{given_up} given up: `wellread agenda list` shows why"));
    }
    Ok(())
}

fn print_decision(output: Output, finding: &Finding, words: &str) -> Result<()> {
    if output.json { output.object(&success(json!(finding))) } else { output.text(words) }
}

fn show(output: Output, finding: &Finding) -> Result<()> {
    if output.json { output.object(&success(json!(finding))) } else { output.text(&render_finding(finding)) }
}

fn parse_status(name: &str) -> std::result::Result<StatusFilter, String> {
    if name == "all" {
        return Ok(Err(AllStatuses));
    }
    let found = FindingStatus::ALL.into_iter().find(|status| status.name() == name);
    found.map(Ok).ok_or_else(|| {
        format!("choose one of: {}, all", FindingStatus::ALL.map(FindingStatus::name).join(", "))
    })
}
