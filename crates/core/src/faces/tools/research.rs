//! The recipes as tools.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{AnswerOrigins, Ctx, Effect, Group, Tool};
use crate::research::{
    self, AskAnswer, AskRecipe, CodeAnswer, CodeRecipe, CodeRequest, Depth, NoteAnswer, NoteRecipe,
    NoteRequest, Recipe as _, SummaryAnswer, SummaryRecipe, SummaryRequest,
};
use crate::{Error, Result};

/// Whether a question or words of a note would be sent to another machine under the current settings.
fn leaves_machine(ctx: &Ctx) -> bool {
    let elsewhere = ctx.research.model.as_ref().is_some_and(|model| !model.identity().is_local);
    elsewhere || ctx.reach.services.iter().any(|service| !service.identity().is_local)
}

/// The tool that answers a question.
#[derive(Debug)]
pub struct AskQuestion;

/// The arguments of [`AskQuestion`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskArgs {
    /// One factual question.
    pub query: String,
}

impl Tool for AskQuestion {
    const NAME: &'static str = "research";
    const ABOUT: &'static str = "Answers one factual question in a paragraph with its source, from the web if a search \
                                 service is configured, and from notes and code. Asks for clarification if the \
                                 question is too broad.";
    const GROUP: Group = Group::Research;
    const EFFECT: Effect = Effect::Reads;
    const SEARCHES: bool = true;
    const REACHES: bool = true;
    const RECIPE: bool = true;
    const CLARIFIES: bool = true;
    const LIMIT: Duration = research::LIMIT;
    type Args = AskArgs;
    type Output = AskAnswer;
    const STUB: &'static [&'static str] = &["kind", "source"];

    fn answer_origins(output: &AskAnswer) -> AnswerOrigins {
        AnswerOrigins::FilesAndOutside(output.files.clone())
    }

    fn leaves_machine(ctx: &Ctx) -> bool {
        leaves_machine(ctx)
    }

    fn clarification(ctx: &Ctx, args: &AskArgs) -> Option<String> {
        AskRecipe.answer_directly(ctx.recipe_context(), &args.query).map(|asked| asked.answer)
    }

    fn clarify(args: &Value, answer: &str) -> Value {
        let query = args["query"].as_str().unwrap_or_default();
        json!({ "query": format!("{query}: {answer}") })
    }

    async fn call(&self, ctx: &Ctx, args: AskArgs) -> Result<AskAnswer> {
        ctx.research.start(&AskRecipe, ctx.recipe_context(), args.query).await
    }
}

/// The tool that researches a note.
#[derive(Debug)]
pub struct ResearchNote;

/// The arguments of [`ResearchNote`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResearchNoteArgs {
    /// The note, relative to the vault; the `.md` is optional.
    pub path: String,
    /// `shallow`: use search results only; `deep`: also read the top pages for each topic.
    #[serde(default)]
    pub depth: Depth,
    /// What to focus on.
    #[serde(default)]
    pub focus: Option<String>,
    /// Research, but return the diff and change nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// The id of a dry run of this note: write exactly what it showed, and research nothing again.
    #[serde(default)]
    pub preview_run: Option<String>,
}

impl Tool for ResearchNote {
    const NAME: &'static str = "research_note";
    const ABOUT: &'static str = "Finds what in a note deserves research, looks it up in the vault, in the codebases \
                                 and on the web, and writes the results into the note's `## Research` section, with \
                                 every sentence checked. Takes minutes.";
    const GROUP: Group = Group::Research;
    const EFFECT: Effect = Effect::Writes;
    const SEARCHES: bool = true;
    const REACHES: bool = true;
    const REHEARSES: bool = false;
    const RECIPE: bool = true;
    const LIMIT: Duration = research::LIMIT;
    type Args = ResearchNoteArgs;
    type Output = NoteAnswer;
    const STUB: &'static [&'static str] = &["path", "topics_researched"];

    fn answer_origins(output: &NoteAnswer) -> AnswerOrigins {
        let cited = output.sources.iter().filter_map(|source| source.path.clone());
        let forgotten = output.forgotten.iter().map(|note| note.path.clone());
        AnswerOrigins::FilesAndOutside(
            cited.chain(forgotten).chain([output.path.clone()]).filter(|path| !path.contains(": ")).collect(),
        )
    }

    fn leaves_machine(ctx: &Ctx) -> bool {
        leaves_machine(ctx)
    }

    async fn call(&self, ctx: &Ctx, args: ResearchNoteArgs) -> Result<NoteAnswer> {
        let ResearchNoteArgs { path, depth, focus, dry_run, preview_run } = args;
        if let Some(run) = preview_run {
            if dry_run {
                return Err(Error::invalid("`preview_run` writes, so it can't be a dry run")
                    .hint("leave out one of the two"));
            }
            return ctx.research.write_previewed_note(ctx.recipe_context(), &path, &run);
        }
        let request = NoteRequest { path, depth, focus, dry_run };
        ctx.research.start(&NoteRecipe, ctx.recipe_context(), request).await
    }
}

#[derive(Debug)]
pub struct SummarizeFile;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SummarizeFileArgs {
    /// The note, relative to the vault; the `.md` is optional.
    path: String,
    /// What to focus on.
    #[serde(default)]
    focus: Option<String>,
    /// Summarize, but return the diff and change nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for SummarizeFile {
    const NAME: &'static str = "summarize_file";
    const ABOUT: &'static str = "Summarizes a note and writes the summary into its `## Summary` section, with every \
                                 sentence checked against the note.";
    const GROUP: Group = Group::Research;
    const EFFECT: Effect = Effect::Writes;
    const REACHES: bool = true;
    const REHEARSES: bool = false;
    const RECIPE: bool = true;
    const LIMIT: Duration = research::LIMIT;
    type Args = SummarizeFileArgs;
    type Output = SummaryAnswer;
    const STUB: &'static [&'static str] = &["path"];

    fn answer_origins(output: &SummaryAnswer) -> AnswerOrigins {
        AnswerOrigins::Files(vec![output.path.clone()])
    }

    fn leaves_machine(ctx: &Ctx) -> bool {
        ctx.research.model.as_ref().is_some_and(|model| !model.identity().is_local)
    }

    async fn call(&self, ctx: &Ctx, args: SummarizeFileArgs) -> Result<SummaryAnswer> {
        let SummarizeFileArgs { path, focus, dry_run } = args;
        let request = SummaryRequest { path, focus, dry_run };
        ctx.research.start(&SummaryRecipe, ctx.recipe_context(), request).await
    }
}

#[derive(Debug)]
pub struct CodeDeepResearch;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeDeepResearchArgs {
    /// One question about the code.
    question: String,
    /// A path pattern, such as `src/**`; only matching files are read. `name:src/**` also names the repository.
    #[serde(default)]
    scope: Option<String>,
    /// How many steps, 1 to 20; defaults to the setting `code.steps`.
    #[serde(default)]
    #[schemars(range(min = 1, max = 20), extend("default" = 10))]
    budget: Option<u32>,
    /// Whether the answer lists its steps.
    #[serde(default)]
    debug: bool,
    /// The repository's name; if omitted and there are several, the one that the question is about.
    #[serde(default)]
    repository: Option<String>,
}

impl Tool for CodeDeepResearch {
    const NAME: &'static str = "code_deep_research";
    const ABOUT: &'static str = "Investigates a codebase step by step and briefly answers one question about it, with \
                                 file and lines for every statement. Takes up to two minutes.";
    const GROUP: Group = Group::Code;
    const EFFECT: Effect = Effect::Reads;
    const SEARCHES: bool = true;
    const REACHES: bool = true;
    const RECIPE: bool = true;
    const LIMIT: Duration = research::LIMIT;
    type Args = CodeDeepResearchArgs;
    type Output = CodeAnswer;
    const STUB: &'static [&'static str] = &["run_id", "confidence", "citations.path"];

    fn answer_origins(_: &CodeAnswer) -> AnswerOrigins {
        AnswerOrigins::Outside
    }

    fn leaves_machine(ctx: &Ctx) -> bool {
        ctx.research.model.as_ref().is_some_and(|model| !model.identity().is_local)
    }

    async fn call(&self, ctx: &Ctx, args: CodeDeepResearchArgs) -> Result<CodeAnswer> {
        let CodeDeepResearchArgs { question, scope, budget, debug, repository } = args;
        let request = CodeRequest { question, repository, scope, budget, debug };
        ctx.research.start(&CodeRecipe, ctx.recipe_context(), request).await
    }
}
