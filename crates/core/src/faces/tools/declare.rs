//! The trait of tools, and its form without types, in which all tools are listed.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wellread_text::{Span, reveal_hidden};

use super::lazy_schema::{LazySchema, SchemaUse};
use super::{Ctx, schema};
use crate::domain::evidence::NewEvidence;
use crate::{Error, Result};

/// What a tool changes: clients derive warnings and permissions from this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Reads only.
    Reads,
    /// Adds to the vault; existing content is neither changed nor hidden.
    Adds,
    /// Changes existing content. It can be undone.
    Writes,
    /// Stores a proposal that waits for the user's decision; the vault stays as it is.
    Proposes,
    /// Carries out the user's decision about an agenda or a finding: a model's call waits for the user. A note that results
    /// can be undone; there is no preview.
    Decides,
}

/// Tools that are switched on and off together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// Tools of the vault: search, read, edit.
    Vault,
    /// Tools that ask a model or the web.
    Research,
    /// Tools that inspect code.
    Code,
    /// Tools that maintain the knowledge base: health, agendas, findings.
    Agenda,
}

impl Group {
    /// All groups.
    pub const ALL: [Self; 4] = [Self::Vault, Self::Research, Self::Code, Self::Agenda];

    /// The group's name in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vault => "vault",
            Self::Research => "research",
            Self::Code => "code",
            Self::Agenda => "agenda",
        }
    }
}

/// The default time limit of a tool.
pub const USUAL_LIMIT: Duration = Duration::from_secs(60);

/// How an error about the arguments of a call begins; the tool's name follows.
pub const UNFIT_ARGUMENTS: &str = "the arguments do not fit ";

/// A tool, declared once. The arguments' and the answer's types are its contract: schemas and documentation come
/// from them.
pub trait Tool: Send + Sync + 'static {
    /// The name by which clients call the tool.
    const NAME: &'static str;
    /// One or two sentences, for a model that chooses a tool and a person who looks it up.
    const ABOUT: &'static str;
    /// The group that the tool is switched on and off with.
    const GROUP: Group = Group::Vault;
    /// What the tool changes.
    const EFFECT: Effect;
    /// Whether it searches the index, which must then be up to date with the files.
    const SEARCHES: bool = false;
    /// Whether its arguments, or words of notes, may be sent to another machine.
    const REACHES: bool = false;
    /// Whether its answers contain nothing but text from the web.
    const OF_THE_WEB: bool = false;
    /// Whether it is a run of its own, which is not repeated.
    const RECIPE: bool = false;
    /// Whether a dry run is quick and sends nothing: then the user sees the diff before confirming.
    const REHEARSES: bool = true;
    /// Whether it may have to ask back what is meant.
    const CLARIFIES: bool = false;
    /// The time limit of a tool that only reads. A change that has begun is always completed.
    const LIMIT: Duration = USUAL_LIMIT;
    /// The arguments.
    type Args: DeserializeOwned + JsonSchema + Send + 'static;
    /// The answer.
    type Output: Serialize + JsonSchema + Send + 'static;
    /// The fields of the answer that later turns of a conversation need; `results.path` is one field of each entry of a
    /// list.
    const STUB: &'static [&'static str];

    /// Whose words the answer repeats, including names: it is as trustworthy as these.
    fn answer_origins(output: &Self::Output) -> AnswerOrigins;

    /// The passages that the answer contains verbatim, each with the JSON pointer of its object.
    fn evidence(_output: &Self::Output) -> Vec<(String, NewEvidence)> {
        Vec::new()
    }

    /// Whether a call would send something to another machine under the current settings.
    fn leaves_machine(_ctx: &Ctx) -> bool {
        Self::REACHES
    }

    /// Whether only the user makes this call; a model's waits for the user.
    fn needs_decision(_ctx: &Ctx, _args: &Self::Args) -> Result<bool> {
        Ok(Self::EFFECT == Effect::Decides)
    }

    /// What the user is asked before the decision is made. Only a tool whose calls may need one has a question.
    fn question(_ctx: &Ctx, _args: &Self::Args) -> Result<String> {
        Ok(Self::NAME.to_owned())
    }

    /// What has to be asked back before the call can be answered; `None` if it is clear what is meant.
    fn clarification(_ctx: &Ctx, _args: &Self::Args) -> Option<String> {
        None
    }

    /// The arguments with the answer to what was asked back.
    fn clarify(args: &Value, _answer: &str) -> Value {
        args.clone()
    }

    /// The arguments with what a dry run chose by itself, so that a later call does what the dry run showed. `shown` is
    /// the dry run's answer.
    fn pin(args: &Value, _shown: &Value) -> Value {
        args.clone()
    }

    /// Runs the tool.
    fn call(&self, ctx: &Ctx, args: Self::Args) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// Whose words an answer repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerOrigins {
    /// Only our own and the user's settings.
    Ours,
    /// Words of these files of the vault.
    Files(Vec<String>),
    /// Words of these passages of files of the vault, given by byte ranges, and the headings above them.
    Passages(Vec<(String, Span)>),
    /// Words of others: of a codebase or a page.
    Outside,
    /// Words of these files and of others.
    FilesAndOutside(Vec<String>),
}

impl AnswerOrigins {
    /// The files of the vault whose words it repeats.
    pub fn files(&self) -> Vec<&str> {
        match self {
            Self::Ours | Self::Outside => Vec::new(),
            Self::Files(files) | Self::FilesAndOutside(files) => files.iter().map(String::as_str).collect(),
            Self::Passages(passages) => passages.iter().map(|(file, _)| file.as_str()).collect(),
        }
    }
}

/// What a tool answered.
#[derive(Debug, Clone)]
pub struct ToolOutput {
    /// The fields, without the envelope.
    pub fields: Value,
    /// Whose words the answer repeats.
    pub shown: AnswerOrigins,
    /// The passages in the answer, each with the JSON pointer of its object.
    pub evidence: Vec<(String, NewEvidence)>,
}

/// A tool's declaration as data.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// See [`Tool::NAME`].
    pub name: &'static str,
    /// See [`Tool::ABOUT`].
    pub about: &'static str,
    /// See [`Tool::GROUP`].
    pub group: Group,
    /// See [`Tool::EFFECT`].
    pub effect: Effect,
    /// See [`Tool::SEARCHES`].
    pub searches: bool,
    /// See [`Tool::REACHES`].
    pub reaches: bool,
    /// See [`Tool::OF_THE_WEB`].
    pub of_the_web: bool,
    /// See [`Tool::RECIPE`].
    pub recipe: bool,
    /// See [`Tool::REHEARSES`].
    pub rehearses: bool,
    /// See [`Tool::CLARIFIES`].
    pub clarifies: bool,
    /// See [`Tool::LIMIT`].
    pub limit: Duration,
    /// See [`Tool::STUB`].
    pub stub: &'static [&'static str],
    /// The schema of the arguments.
    pub input: LazySchema,
    /// The schema of a success; a failure is the same for all tools.
    pub output: LazySchema,
}

/// A tool whose arguments and answer are JSON, for the list of all tools.
pub trait AnyTool: Send + Sync {
    /// The tool's declaration.
    fn declaration(&self) -> &Declaration;

    /// Whether a call would send something to another machine under the current settings.
    fn leaves_machine(&self, ctx: &Ctx) -> bool;

    /// Whether only the user makes a call with these arguments.
    fn needs_decision(&self, ctx: &Ctx, args: &Value) -> Result<bool>;

    /// What has to be asked back before a call can be answered; hidden characters are visible.
    fn clarification(&self, ctx: &Ctx, args: &Value) -> Result<Option<String>>;

    /// The arguments with the answer to what was asked back.
    fn clarify(&self, args: &Value, answer: &str) -> Value;

    /// What the user is asked before a call with these arguments is made; hidden characters are visible.
    fn question(&self, ctx: &Ctx, args: &Value) -> Result<String>;

    /// The arguments with what a dry run chose by itself; see [`Tool::pin`].
    fn pin(&self, args: &Value, shown: &Value) -> Value;

    /// Runs the tool with JSON arguments.
    fn call<'a>(
        &'a self,
        ctx: &'a Ctx,
        args: Value,
    ) -> Pin<Box<dyn Future<Output = Result<ToolOutput>> + Send + 'a>>;
}

/// The tool in the form without types, for a list.
pub fn tool<T: Tool>(tool: T) -> Box<dyn AnyTool> {
    let declaration = Declaration {
        name: T::NAME,
        about: T::ABOUT,
        group: T::GROUP,
        effect: T::EFFECT,
        searches: T::SEARCHES,
        reaches: T::REACHES,
        of_the_web: T::OF_THE_WEB,
        recipe: T::RECIPE,
        rehearses: T::REHEARSES,
        clarifies: T::CLARIFIES,
        limit: T::LIMIT,
        stub: T::STUB,
        input: LazySchema::shared::<T::Args>(SchemaUse::Arguments, schema::input::<T::Args>),
        output: LazySchema::shared::<T::Output>(SchemaUse::Answer, schema::output::<T::Output>),
    };
    Box::new(ErasedTool { tool, declaration })
}

struct ErasedTool<T> {
    tool: T,
    declaration: Declaration,
}

impl<T: Tool> AnyTool for ErasedTool<T> {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn leaves_machine(&self, ctx: &Ctx) -> bool {
        T::leaves_machine(ctx)
    }

    fn needs_decision(&self, ctx: &Ctx, args: &Value) -> Result<bool> {
        T::needs_decision(ctx, &self.parse_arguments(args.clone())?)
    }

    fn clarification(&self, ctx: &Ctx, args: &Value) -> Result<Option<String>> {
        let asked = T::clarification(ctx, &self.parse_arguments(args.clone())?);
        Ok(asked.map(|asked| reveal_hidden(&asked)))
    }

    fn clarify(&self, args: &Value, answer: &str) -> Value {
        T::clarify(args, answer)
    }

    fn question(&self, ctx: &Ctx, args: &Value) -> Result<String> {
        let asked = T::question(ctx, &self.parse_arguments(args.clone())?)?;
        Ok(reveal_hidden(&asked))
    }

    fn pin(&self, args: &Value, shown: &Value) -> Value {
        T::pin(args, shown)
    }

    fn call<'a>(
        &'a self,
        ctx: &'a Ctx,
        args: Value,
    ) -> Pin<Box<dyn Future<Output = Result<ToolOutput>> + Send + 'a>> {
        Box::pin(async move {
            let args = self.parse_arguments(args)?;
            let output = self.tool.call(ctx, args).await?;
            let (shown, evidence) = (T::answer_origins(&output), T::evidence(&output));
            let fields = serde_json::to_value(output);
            let fields = fields.map_err(|error| Error::failed(format!("could not answer: {error}")))?;
            Ok(ToolOutput { fields, shown, evidence })
        })
    }
}

impl<T: Tool> ErasedTool<T> {
    fn parse_arguments(&self, args: Value) -> Result<T::Args> {
        let args = match args {
            Value::Null => json!({}),
            // A parameter that is null was left out.
            Value::Object(fields) => fields.into_iter().filter(|(_, value)| !value.is_null()).collect(),
            other => {
                return Err(
                    self.arguments_error(&format!("they must be a JSON object, not {}", json_kind(&other)))
                );
            }
        };
        serde_json::from_value(args.clone()).map_err(|error| {
            let why = error.to_string();
            // The error says what is wrong, but not with which parameter.
            let named =
                ["invalid type", "invalid value", "unknown variant"].iter().any(|kind| why.starts_with(kind));
            let culprit = named.then(|| schema::find_mismatch(&self.declaration.input, &args)).flatten();
            self.arguments_error(culprit.as_deref().unwrap_or(&why))
        })
    }

    fn arguments_error(&self, why: &str) -> Error {
        Error::invalid(format!("{UNFIT_ARGUMENTS}{}: {why}", T::NAME))
            .hint(format!("its parameters: {}", schema::render_parameters(&self.declaration.input)))
    }
}

/// A text that others wrote on one bounded line, for a question to the user.
pub fn one_line(text: &str) -> String {
    const LONGEST: usize = 200;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
