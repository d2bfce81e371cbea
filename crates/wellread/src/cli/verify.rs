//! `wellread verify` and `wellread recheck`: the gate again, and what became of everything that was cited.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use wellread_core::domain::display::counted;
use wellread_core::domain::verdict::{CitedQuote, VerdictReason};
use wellread_core::trust::recheck::RecheckState;
use wellread_core::{Error, ErrorKind, Result};

use super::Invocation;
use crate::answers::{self, RecheckAnswer, RecheckRequest, VerifyAnswer, VerifyTarget};
use crate::app::App;
use crate::output::success;
use crate::progress::ProgressBar;

/// Check every sentence of a run's answer, a note or a file against its evidence, without a model
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A sentence is supported, contradicted, unknown or uncited. A note or file is checked against the evidence that it \
cites, or against the files that `--source` names.\n\nExample:\n  wellread verify 01kbd4\n  wellread verify Bees.md\n  \
wellread verify draft.md --source paper.txt --source data.csv"
)]
pub struct VerifyArgs {
    /// A run's id, a note in the vault, or a file
    what: String,
    /// A file to check against; can be given several times
    #[arg(long = "source", value_name = "FILE")]
    sources: Vec<String>,
}

/// Check everything that was ever cited again: is it unchanged, moved, changed or gone
#[derive(Debug, clap::Args)]
#[command(
    after_help = "In a git repository, the history of the cited lines is followed first, through renames; then the text is searched \
for in its file, and then in the others. Text in several places is reported as ambiguous.\n\n\
Example:\n  wellread recheck\n  wellread recheck --since 2026-01-31\n  wellread recheck --since 4f2a9c1 --json"
)]
pub struct RecheckArgs {
    /// Only what was cited since this date, or from files that changed since this commit
    #[arg(long, value_name = "DATE|COMMIT")]
    since: Option<String>,
}

const LARGEST_FILE: u64 = 16 * 1024 * 1024;

pub fn verify(invocation: &Invocation, args: &VerifyArgs) -> Result<ExitCode> {
    let app = invocation.open_app()?;
    let sources = args.sources.iter().map(|source| read_text(&app, source)).collect::<Result<Vec<_>>>()?;
    let judged = resolve_target(&app, &args.what, sources)?;
    let verified = answers::verify(&app, &judged)?;
    if invocation.output.json {
        invocation.output.object(&success(json!(verified)))?;
    } else {
        invocation.output.text(&render_verdicts(&verified))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What the word names: a file or note where it is one, else a run.
fn resolve_target(app: &App, what: &str, sources: Vec<(String, String)>) -> Result<VerifyTarget> {
    match read_text(app, what) {
        Ok((path, text)) => Ok(VerifyTarget::Text { text, path: Some(path), sources }),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Err(error) => {
            let run = wellread_core::engine::log::find_run(&*app.records, what).map_err(|_| {
                Error::not_found(format!("there is no run, note or file `{what}`"))
                    .hint(error.hint_text().unwrap_or("`wellread runs` lists the runs").to_owned())
            })?;
            if !sources.is_empty() {
                return Err(
                    Error::invalid("a run is judged by its own evidence").hint("leave out `--source`")
                );
            }
            Ok(VerifyTarget::Run(run.id.to_string()))
        }
    }
}

/// A note of the vault, or a file beside it.
fn read_text(app: &App, named: &str) -> Result<(String, String)> {
    match app.ctx.vault.locate(named) {
        Ok(path) => return Ok((path.to_string(), app.ctx.vault.read(&path)?.text)),
        Err(error) if Path::new(named).is_file() => drop(error),
        Err(error) => {
            return Err(Error::not_found(error.message()).hint(error.hint_text().unwrap_or_default()));
        }
    }
    let unreadable = |why: String| Error::invalid(format!("`{named}` can't be read: {why}")).with_path(named);
    let size = std::fs::metadata(named).map_err(|error| unreadable(error.to_string()))?.len();
    if size > LARGEST_FILE {
        return Err(unreadable(format!("it is larger than {} MiB", LARGEST_FILE >> 20)));
    }
    let text = std::fs::read_to_string(named).map_err(|error| unreadable(error.to_string()))?;
    Ok((named.to_owned(), text))
}

fn render_verdicts(verified: &VerifyAnswer) -> String {
    let mut shown = String::new();
    for sentence in &verified.sentences {
        let text = sentence.text.replace(|c: char| c.is_control(), " ");
        shown += &format!("{:<13} {text}\n", sentence.verdict.name());
        for CitedQuote { path, start_line, end_line, .. } in &sentence.evidence {
            shown += &format!("              {path}:{start_line}-{end_line}\n");
        }
        for why in &sentence.why {
            shown += &format!("              {}\n", render_reason(why));
        }
    }
    let c = &verified.coverage;
    shown += &format!(
        "{}: {} quoted, {} supported, {} contradicted, {} unknown, {} uncited\n",
        counted(c.sentences, "sentence", "sentences"),
        c.quoted,
        c.supported,
        c.contradicted,
        c.unknown,
        c.uncited
    );
    shown
}

/// A reason in words: its name, and what it is about.
fn render_reason(why: &VerdictReason) -> String {
    use VerdictReason as Why;
    let (name, about): (&str, Vec<&str>) = match why {
        Why::UnknownId { id } => ("unknown id", vec![id]),
        Why::OtherRun { id } => ("other run", vec![id]),
        Why::NotShown { id } => ("not shown", vec![id]),
        Why::PlaceChanged { id } => ("place changed", vec![id]),
        Why::PlaceGone { id } => ("place gone", vec![id]),
        Why::PlaceUnreachable { id, because } => ("place unreachable", vec![id, because]),
        Why::QuotationNotFound { quotation } => ("quotation not found", vec![quotation]),
        Why::QuotationDiffers { quotation, source } => ("quotation differs", vec![quotation, source]),
        Why::NumberMissing { number } => ("number missing", vec![number]),
        Why::NumberDiffers { number, source } => ("number differs", vec![number, source]),
        Why::DateMissing { date } => ("date missing", vec![date]),
        Why::DateDiffers { date, source } => ("date differs", vec![date, source]),
        Why::NameMissing { name } => ("name missing", vec![name]),
        Why::IdentifierMissing { identifier } => ("identifier missing", vec![identifier]),
        Why::NothingInCommon => ("nothing in common", Vec::new()),
        Why::OtherSubject { written, source } => ("belongs to something else", vec![written, source]),
        Why::NegationDiffers { .. } => ("negation differs", Vec::new()),
        Why::DirectionDiffers { written, source, .. } => ("direction differs", vec![written, source]),
        Why::Overstated { word } => ("claims more than the source", vec![word]),
        Why::Outdated => ("no longer so in the source", Vec::new()),
        Why::RolesSwapped { one, other } => ("roles differ", vec![one, other]),
        Why::OtherLanguage => ("source in another language", Vec::new()),
        Why::Lowered { because } => ("lowered", vec![because]),
    };
    let about = about.join(" / ").replace(|c: char| c.is_control(), " ");
    if about.is_empty() { name.to_owned() } else { format!("{name}: {about}") }
}

pub fn recheck(invocation: &Invocation, args: &RecheckArgs) -> Result<ExitCode> {
    let config = invocation.load_config()?;
    let app = invocation.open_app()?;
    let bar = ProgressBar::new(invocation.output, "citations");
    let request = RecheckRequest { since: args.since.clone() };
    let rechecked = answers::recheck(&app, &config, &request, &|done, total| bar.update(done, total))?;
    bar.clear();
    if invocation.output.json {
        invocation.output.object(&success(json!(RecheckAnswer::from_citations(&rechecked))))?;
        return Ok(ExitCode::SUCCESS);
    }
    let other = rechecked.iter().filter(|citation| citation.state != RecheckState::Holds);
    let mut shown: String = other.map(|citation| citation.render_text() + "\n").collect();
    let counts = RecheckAnswer::from_citations(&rechecked).counts;
    let counts: Vec<String> = counts.iter().map(|(standing, count)| format!("{count} {standing}")).collect();
    shown += &match counts.len() {
        0 => "nothing has been cited yet\n".to_owned(),
        _ => format!("{}: {}\n", counted(rechecked.len(), "citation", "citations"), counts.join(", ")),
    };
    let printable = shown.replace(|c: char| c.is_control() && !matches!(c, '\n' | '\t'), "\u{fffd}");
    invocation.output.text(&printable)?;
    Ok(ExitCode::SUCCESS)
}
