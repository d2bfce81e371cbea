//! `wellread verify` and `wellread recheck`: the gate on any text, and what became of everything that was cited.

mod local_sources;

use std::io::Read;
use std::process::ExitCode;

use serde_json::json;
use wellread_core::domain::display::counted;
use wellread_core::domain::verdict::{CitedQuote, Verdict};
use wellread_core::faces::tools::{
    self, CheckClaimsArgs, CheckedSentence, ClaimReport, ClaimSource, RecheckAnswer,
};
use wellread_core::trust::recheck::RecheckState;
use wellread_core::{Error, Result};

use self::local_sources::LocalSources;
pub use self::local_sources::read_file;
use super::Invocation;
use crate::answers::{self, VerifyTarget};
use crate::config::Config;
use crate::output::success;
use crate::private_files::PrivateFiles;
use crate::progress::ProgressBar;

/// Check every sentence of a text, a note, a file or a run's answer against its sources, without a language model
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A sentence is quoted, supported, contradicted, unknown or uncited (not checked). It is checked against what it \
cites: `[[Note]]:12`, `[[Note#Heading]]`, `[Title](URL)`, `path:line`, a footnote or an evidence id. With `--source`, only \
those sources count, and each sentence is searched for in them.\n\nA cited page is not fetched: the copy that earlier research \
stored is used, a `--source URL`, or with `--fetch` the page itself.\n\nExit status: 0 every sentence passed, 6 some did not \
(see `--fail-on`), 2 bad input, 3 not found.\n\nExample:\n  wellread verify Bees.md\n  wellread verify 01kbd4\n  \
wellread verify draft.md --source paper.pdf --source Bees\n  git show :docs/report.md | wellread verify - --path docs/report.md --fail-on contradicted"
)]
pub struct VerifyArgs {
    /// A run's id, a note in the vault, a file, or `-` for standard input
    what: String,
    /// A file, note, folder or URL to check against; can be given several times
    #[arg(long = "source", value_name = "FILE|NOTE|FOLDER|URL")]
    sources: Vec<String>,
    /// The note or file of the vault that a text from standard input is a version of: its links lead from there
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Fetch the pages that the text cites
    #[arg(long)]
    fetch: bool,
    /// As if there were no private notes: for a report that goes to a model or to other people
    #[arg(long)]
    without_private: bool,
    /// The mildest verdict that makes the exit status 6
    #[arg(long, value_enum, value_name = "VERDICT", default_value_t = FailOn::Unknown)]
    fail_on: FailOn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    /// The source says something else
    Contradicted,
    /// The source does not support it, or can't be read
    Unknown,
    /// It makes a claim and cites nothing
    Uncited,
    /// None: only report
    Never,
}

impl FailOn {
    fn refuses(self, sentence: &CheckedSentence) -> bool {
        match sentence.verdict {
            Verdict::Quoted | Verdict::Supported => false,
            Verdict::Contradicted => self != Self::Never,
            Verdict::Unknown => matches!(self, Self::Unknown | Self::Uncited),
            Verdict::Uncited => self == Self::Uncited && !sentence.connective,
        }
    }
}

/// The exit status if a sentence did not pass.
const NOT_PASSED: u8 = 6;

/// Check everything that was ever cited again: is it unchanged, moved, changed or gone
#[derive(Debug, clap::Args)]
#[command(
    after_help = "In a git repository, the history of the cited lines is followed first, through renames; then the text is searched \
for in its file, and then in the others. Text in several places is reported as ambiguous.\n\nIf `okf.fields` is on, all notes with \
Open Knowledge Format fields are looked at, too, unless there is a `--since`: which are stale, and which sources are gone. With \
`--update`, whatever is set, each is checked like `wellread verify` does (of a researched note, what research wrote), and `verified` is set where every cited sentence \
passes; one `wellread undo` takes all of it back.\n\n\
Example:\n  wellread recheck\n  wellread recheck --update\n  wellread recheck --since 2026-01-31\n  wellread recheck --since 4f2a9c1 --json"
)]
pub struct RecheckArgs {
    /// Only what was cited since this date, or from files that changed since this commit
    #[arg(long, value_name = "DATE|COMMIT")]
    since: Option<String>,
    /// Set `verified` in notes with Open Knowledge Format fields whose citations all hold
    #[arg(long, conflicts_with = "since")]
    update: bool,
}

pub fn verify(invocation: &Invocation, args: &VerifyArgs) -> Result<ExitCode> {
    let app = invocation.open_app()?;
    let private = match args.without_private {
        true => Some(PrivateFiles::open(&app, &Config::load(&invocation.flags)?)?),
        false => None,
    };
    let ctx = if args.without_private { app.ctx.without_private() } else { app.ctx.clone() };
    let disk = LocalSources { app: &app, vault: &ctx.vault, hidden: private.as_ref() };
    let sources: Vec<Vec<ClaimSource>> =
        args.sources.iter().map(|source| disk.read_source(source)).collect::<Result<_>>()?;
    let target = resolve_target(&disk, args, sources.concat())?;
    if args.without_private && matches!(target, VerifyTarget::Run(_)) {
        return Err(Error::invalid("`--without-private` is for a text, a note or a file")
            .hint("a run's answer may quote private notes: check it without the option"));
    }
    let ctx = ctx.with_decision(super::BY_COMMAND);
    let report = super::build_runtime()?.block_on(answers::verify(&app, ctx, target))?;
    let refused = report.sentences.iter().filter(|sentence| args.fail_on.refuses(sentence)).count();
    if invocation.output.json {
        let mut answer = json!(report);
        answer["passed"] = json!(refused == 0);
        invocation.output.object(&success(answer))?;
    } else {
        invocation.output.text(&render_report(&report))?;
    }
    Ok(if refused == 0 { ExitCode::SUCCESS } else { ExitCode::from(NOT_PASSED) })
}

/// What the word names: standard input, a note or file where it is one, else a run.
fn resolve_target(
    disk: &LocalSources<'_>,
    args: &VerifyArgs,
    sources: Vec<ClaimSource>,
) -> Result<VerifyTarget> {
    let (what, fetch) = (args.what.as_str(), args.fetch);
    let of_text = |text, path| {
        VerifyTarget::Text(CheckClaimsArgs { text: Some(text), path, sources: sources.clone(), fetch })
    };
    if what == "-" {
        let mut text = String::new();
        let read = std::io::stdin().lock().read_to_string(&mut text);
        read.map_err(|error| Error::invalid(format!("standard input can't be read: {error}")))?;
        return Ok(of_text(text, args.path.clone()));
    }
    if args.path.is_some() {
        return Err(Error::invalid("`--path` is for a text from standard input"));
    }
    let missing = match disk.vault.locate(what) {
        Ok(path) => {
            let path = Some(path.to_string());
            return Ok(VerifyTarget::Text(CheckClaimsArgs { text: None, path, sources, fetch }));
        }
        Err(error) => error,
    };
    if let Some((_, text)) = disk.read_file_if_seen(what)? {
        return Ok(of_text(text, None));
    }
    let run = wellread_core::engine::log::find_run(&*disk.app.records, what).map_err(|_| {
        Error::not_found(format!("there is no run, note or file `{what}`"))
            .hint(missing.hint_text().unwrap_or("`wellread runs` lists the runs").to_owned())
    })?;
    if !sources.is_empty() || fetch {
        return Err(
            Error::invalid("a run is judged by its own evidence").hint("leave out `--source` and `--fetch`")
        );
    }
    Ok(VerifyTarget::Run(run.id.to_string()))
}

fn render_report(report: &ClaimReport) -> String {
    let mut shown = String::new();
    let one_line = |text: &str| text.replace(|c: char| c.is_control(), " ");
    for sentence in &report.sentences {
        let CheckedSentence { text, line, verdict, reason, evidence, .. } = sentence;
        shown += &format!("{:<13} {} (line {line})\n", verdict.name(), one_line(text));
        for CitedQuote { path, start_line, end_line, quote, .. } in evidence {
            let lines = if start_line == end_line { String::new() } else { format!("-{end_line}") };
            shown += &format!("              {}:{start_line}{lines}", one_line(path));
            // What it is compared with is shown where the two differ.
            shown +=
                &if verdict.is_borne_out() { "\n".to_owned() } else { format!(": {}\n", one_line(quote)) };
        }
        if let Some(reason) = reason {
            shown += &format!("              {}\n", one_line(reason));
        }
        if *verdict == Verdict::Uncited && !sentence.connective {
            shown += "              not checked: it cites nothing\n";
        }
    }
    let c = &report.coverage;
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

pub fn recheck(invocation: &Invocation, args: &RecheckArgs) -> Result<ExitCode> {
    let app = invocation.open_app()?;
    let bar = ProgressBar::new(invocation.output, "citations");
    // A terminal or a script gets all of them.
    let request = tools::RecheckArgs { since: args.since.clone(), limit: usize::MAX, offset: 0 };
    let rechecked = answers::recheck(&app, &request, &|done, total| bar.update(done, total))?;
    bar.clear();
    let has_fields = args.since.is_none() && Config::load(&invocation.flags)?.okf().is_some();
    let okf = match args.update || has_fields {
        true => Some(super::build_runtime()?.block_on(answers::recheck_okf_notes(&app, args.update))?),
        false => None,
    };
    if invocation.output.json {
        let mut answer = json!(RecheckAnswer::from_citations(&rechecked, &request));
        if let Some(okf) = okf {
            answer["okf"] = json!(okf);
        }
        invocation.output.object(&success(answer))?;
        return Ok(ExitCode::SUCCESS);
    }
    let other = rechecked.iter().filter(|citation| citation.state != RecheckState::Holds);
    let mut shown: String = other.map(|citation| citation.render_text() + "\n").collect();
    let counts = RecheckAnswer::from_citations(&rechecked, &request).counts;
    let counts: Vec<String> = counts.iter().map(|(standing, count)| format!("{count} {standing}")).collect();
    shown += &match counts.len() {
        0 => "nothing has been cited yet\n".to_owned(),
        _ => format!("{}: {}\n", counted(rechecked.len(), "citation", "citations"), counts.join(", ")),
    };
    shown += &okf.map(|okf| okf.render_text()).unwrap_or_default();
    let printable = shown.replace(|c: char| c.is_control() && !matches!(c, '\n' | '\t'), "\u{fffd}");
    invocation.output.text(&printable)?;
    Ok(ExitCode::SUCCESS)
}
