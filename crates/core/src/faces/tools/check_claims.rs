//! Checks any text, sentence by sentence, against what it cites or against given sources. No language model is asked.
//!
//! The same gate that checks what a model of ours says judges what anybody wrote: only how the sources are found differs.
//! `wellread verify` and `POST /api/verify` call this tool.

mod cited;
mod sources;

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{LineIndex, OkfFields, Span};

use self::cited::CitationReader;
use self::sources::SourceReader;
use super::{AnswerOrigins, Ctx, Effect, Group, Tool};
use crate::domain::corpus::CorpusName;
use crate::domain::id::RunId;
use crate::domain::verdict::{CitedQuote, GateReport, JudgedSentence, Verdict, VerdictCounts, VerdictReason};
use crate::ports::Corpus;
use crate::research::{self, RunSection, find_run_sections};
use crate::{Error, Result};

/// The longest text that is checked, in bytes.
const LONGEST_TEXT: usize = 16 << 20;

/// The tool that checks a text.
#[derive(Default)]
pub struct CheckClaims {
    /// Folders that were researched without having been added as repositories.
    pub folders: Vec<(CorpusName, Arc<dyn Corpus>)>,
}

/// The arguments of [`CheckClaims`].
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckClaimsArgs {
    /// The text to check.
    #[serde(default)]
    pub text: Option<String>,
    /// A note to check, relative to the vault; with `text`, the note that the text is a version of.
    #[serde(default)]
    pub path: Option<String>,
    /// What to check against: notes, folders of the vault, files of a repository (`name: path`), URLs, or `{name, text}`.
    /// If omitted, each sentence is checked against what it cites.
    #[serde(default)]
    pub sources: Vec<ClaimSource>,
    /// Whether pages that the text cites are fetched. Only the user can ask for this; otherwise pages that earlier research
    /// has read are used.
    #[serde(default)]
    pub fetch: bool,
}

/// A source to check a text against.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ClaimSource {
    /// A note, a folder, a file of a repository, or a URL.
    Named(String),
    /// A text.
    Text {
        /// The name by which it is cited.
        name: String,
        /// The text.
        text: String,
    },
}

/// A verdict for each sentence of a text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClaimReport {
    /// Every sentence, in order.
    pub sentences: Vec<CheckedSentence>,
    /// How many sentences have which verdict.
    pub coverage: VerdictCounts,
    #[serde(skip)]
    origins: ReadOrigins,
}

/// A sentence with its verdict.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckedSentence {
    /// The sentence as written.
    pub text: String,
    /// The line of the text that it begins on, from 1.
    pub line: usize,
    /// Whether its sources bear it out.
    pub verdict: Verdict,
    /// Whether it is a mere transition without a claim.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub connective: bool,
    /// Why it is not borne out, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The same reasons for programs: each has `reason` and what it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub why: Vec<VerdictReason>,
    /// The lines of the sources that support it best, or that say something else.
    pub evidence: Vec<CitedQuote>,
}

/// Whose words a report repeats.
#[derive(Debug, Default)]
struct ReadOrigins {
    files: Vec<String>,
    is_outside: bool,
}

impl ClaimReport {
    /// The report on a text, with the line of each sentence.
    pub fn new(text: &str, report: GateReport) -> Self {
        let lines = LineIndex::new(text);
        let checked = |judged: JudgedSentence| {
            let JudgedSentence { text, span, verdict, connective, why, evidence } = judged;
            let reasons: Vec<String> = why.iter().map(VerdictReason::describe).collect();
            let reason = (!reasons.is_empty()).then(|| reasons.join("; "));
            CheckedSentence {
                text,
                line: lines.line_of(span.start),
                verdict,
                connective,
                reason,
                why,
                evidence,
            }
        };
        let GateReport { sentences, coverage } = report;
        let sentences = sentences.into_iter().map(checked).collect();
        Self { sentences, coverage, origins: ReadOrigins::default() }
    }
}

impl Tool for CheckClaims {
    const NAME: &'static str = "check_claims";
    const ABOUT: &'static str = "Checks each sentence of a text against what it cites (links, footnotes, paths with lines, \
                                 evidence ids), or against given sources, and gives a verdict with place, quote and \
                                 reason. Asks no model.";
    const GROUP: Group = Group::Research;
    const EFFECT: Effect = Effect::Reads;
    const REACHES: bool = true;
    const LIMIT: Duration = research::LIMIT;
    type Args = CheckClaimsArgs;
    type Output = ClaimReport;
    const STUB: &'static [&'static str] = &["coverage", "sentences.line", "sentences.verdict"];

    fn answer_origins(output: &ClaimReport) -> AnswerOrigins {
        let files = output.origins.files.clone();
        if output.origins.is_outside {
            AnswerOrigins::FilesAndOutside(files)
        } else {
            AnswerOrigins::Files(files)
        }
    }

    /// Pages are fetched only if the user makes the call.
    fn leaves_machine(ctx: &Ctx) -> bool {
        ctx.user_decision().is_ok()
    }

    async fn call(&self, ctx: &Ctx, args: CheckClaimsArgs) -> Result<ClaimReport> {
        let (text, path) = match (&args.text, &args.path) {
            (Some(text), None) => (text.clone(), None),
            // A version of the note: its links lead from there.
            (Some(text), Some(path)) => (text.clone(), Some(ctx.vault.locate(path)?.to_string())),
            (None, Some(path)) => {
                let note = ctx.vault.read(&ctx.vault.locate(path)?)?;
                (note.text, Some(note.path.to_string()))
            }
            (None, None) => return Err(Error::invalid("give `text` or `path`")),
        };
        if text.len() > LONGEST_TEXT {
            return Err(Error::invalid(format!("the text is larger than {} MiB", LONGEST_TEXT >> 20)));
        }
        let mut reader = SourceReader::new(ctx, args.fetch)?;
        let given = reader.read_given(&args.sources).await?;
        let mut corpora = ctx.search.library.corpora.clone();
        corpora.extend(self.folders.iter().cloned());
        let from = path.clone().unwrap_or_default();
        let names = ctx.vault.links.names()?;
        let sources = &mut reader;
        let fields = OkfFields::read(&text);
        let mut citations =
            CitationReader { ctx, corpora, names, from, given: &given, sources, fields, cites: 0 };
        let mut judged = Vec::new();
        for (body, run) in split_by_runs(&text, !given.is_empty()) {
            judged.extend(citations.judge(&text[body.clone()], body.start, run.as_ref()).await?.sentences);
        }
        if given.is_empty() && citations.cites == 0 {
            return Err(Error::invalid("the text cites nothing that can be checked").hint(
                "name the sources to check it against: `--source FILE`, or `sources` in a call of the tool",
            ));
        }
        if judged.is_empty() {
            return Err(Error::invalid("the text has no sentence to check"));
        }
        let mut report = ClaimReport::new(&text, GateReport::new(judged));
        report.origins = reader.origins;
        report.origins.files.extend(path.filter(|_| args.text.is_none()));
        Ok(report)
    }
}

/// The parts of a text that are judged: the sections that runs wrote, if there are any and no other sources are given;
/// otherwise all of it.
fn split_by_runs(text: &str, has_sources: bool) -> Vec<(Span, Option<RunId>)> {
    let sections = if has_sources { Vec::new() } else { find_run_sections(text) };
    if sections.is_empty() {
        return vec![(0..text.len(), None)];
    }
    sections.into_iter().map(|RunSection { run, body }| (body, Some(run))).collect()
}
