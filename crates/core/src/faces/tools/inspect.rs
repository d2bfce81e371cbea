//! Inspects code: what a file defines, where a name is defined, how definitions are connected.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::{AnswerOrigins, Ctx, Effect, Group, Tool, USUAL_LIMIT};
use crate::Result;
use crate::code::codebase::Codebase;
use crate::code::graph::{Direction, EdgeKind};
use crate::code::inspect::{
    ExpandArgs, FileOutline, FindSymbolArgs, FoundSymbols, GraphExpansion, Inspection, Inspector,
    OutlineArgs, PackArgs, PackResult, TraceArgs, TracedPath,
};
use crate::domain::evidence::NewEvidence;

/// What an action found, as a tool's answer.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct InspectToolAnswer<T> {
    pub found: T,
    /// The evidence, each piece with the JSON pointer of its object.
    #[serde(skip)]
    evidence: Vec<(String, NewEvidence)>,
}

impl<T: JsonSchema> JsonSchema for InspectToolAnswer<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Inspects the named repository, or the only one.
fn inspect_repository<T>(
    ctx: &Ctx,
    repository: Option<&str>,
    look: impl FnOnce(&Inspector<'_>) -> Result<Inspection<T>>,
) -> Result<Inspection<T>> {
    let codebase = Codebase::select(&ctx.search.library, repository, None)?;
    look(&Inspector {
        codebase: &codebase,
        search: &ctx.search,
        servers: &ctx.research.servers,
        limit: ctx.research.code.action_time,
    })
}

macro_rules! looks {
    ($tool:ident, $name:literal, $about:literal, $args:ident, $found:ty, [$($stub:literal),*], $call:expr) => {
        #[derive(Debug)]
        pub struct $tool;

        impl Tool for $tool {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = $about;
            const GROUP: Group = Group::Code;
            const EFFECT: Effect = Effect::Reads;
            const SEARCHES: bool = true;
            const LIMIT: Duration = USUAL_LIMIT;
            type Args = $args;
            type Output = InspectToolAnswer<$found>;
            const STUB: &'static [&'static str] = &[$($stub),*];

            fn answer_origins(_: &Self::Output) -> AnswerOrigins {
                AnswerOrigins::Outside
            }

            fn evidence(output: &Self::Output) -> Vec<(String, NewEvidence)> {
                output.evidence.clone()
            }

            async fn call(&self, ctx: &Ctx, args: Self::Args) -> Result<Self::Output> {
                let call: fn(&Ctx, $args) -> Result<Inspection<$found>> = $call;
                let Inspection { found, evidence, .. } = call(ctx, args)?;
                Ok(InspectToolAnswer { found, evidence })
            }
        }
    };
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutlineToolArgs {
    /// The file, relative to its repository.
    #[serde(alias = "file_path")]
    path: String,
    /// The repository's name; optional if there is only one.
    #[serde(default)]
    repository: Option<String>,
}

looks!(
    Outline,
    "outline",
    "Lists what a source file defines: each definition with kind, lines, signature and comment, nested as in the file.",
    OutlineToolArgs,
    FileOutline,
    ["path"],
    |ctx, args| {
        let request = OutlineArgs { file_path: args.path };
        inspect_repository(ctx, args.repository.as_deref(), |inspect| inspect.outline(&request))
    }
);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindSymbolToolArgs {
    /// A name, `Class.method` or `path::Class.method`.
    #[serde(alias = "name")]
    symbol: String,
    /// `function`, `method`, `class`, `struct`, `enum`, `interface`, `trait`, `module`, `constant`, `variable`, `type`,
    /// `macro` or `field`
    #[serde(default)]
    kind: Option<String>,
    /// The repository's name; optional if there is only one.
    #[serde(default)]
    repository: Option<String>,
}

looks!(
    FindSymbol,
    "find_symbol",
    "Finds where a symbol is defined. Lists all matching definitions or, if there are none, similar names.",
    FindSymbolToolArgs,
    FoundSymbols,
    ["definitions.path", "definitions.qualified_name", "definitions.start_line"],
    |ctx, args| {
        let request = FindSymbolArgs { name: args.symbol, kind: args.kind };
        inspect_repository(ctx, args.repository.as_deref(), |inspect| inspect.find_symbol(&request))
    }
);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpandToolArgs {
    /// A name, `Class.method`, `path::Class.method`, or `path::<module>` for code outside any definition.
    symbol: String,
    /// How many steps to follow, 1 to 6.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 6))]
    depth: usize,
    /// `in`: incoming edges; `out`: outgoing edges; `both`
    #[serde(default)]
    direction: Direction,
    /// Any of `calls`, `imports`, `contains`, `implements`; all by default.
    #[serde(default)]
    kinds: Option<Vec<EdgeKind>>,
    /// Maximum number of edges to return.
    #[serde(default = "forty")]
    limit: usize,
    /// How many edges to skip.
    #[serde(default)]
    offset: usize,
    /// The repository's name; optional if there is only one.
    #[serde(default)]
    repository: Option<String>,
}

fn forty() -> usize {
    40
}

fn one() -> usize {
    1
}

looks!(
    GraphExpand,
    "graph_expand",
    "Shows what calls, imports, contains or implements a symbol, and what the symbol itself calls, imports, contains \
     or implements; each edge with its line and how certain it is.",
    ExpandToolArgs,
    GraphExpansion,
    ["notice"],
    |ctx, args| {
        let ExpandToolArgs { symbol, depth, direction, kinds, limit, offset, repository } = args;
        let request = ExpandArgs { symbol, depth, direction, kinds, limit, offset };
        inspect_repository(ctx, repository.as_deref(), |inspect| inspect.graph_expand(&request))
    }
);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackToolArgs {
    /// The symbols to start from.
    symbols: Vec<String>,
    /// Maximum number of tokens.
    #[serde(default = "default_token_budget")]
    token_budget: usize,
    /// The question it is for: spans that match it come first.
    #[serde(default)]
    question: Option<String>,
    /// The repository's name; optional if there is only one.
    #[serde(default)]
    repository: Option<String>,
}

fn default_token_budget() -> usize {
    2_000
}

looks!(
    GraphPack,
    "graph_pack",
    "Returns the most relevant spans of code around some symbols, within a token budget.",
    PackToolArgs,
    PackResult,
    ["tokens", "left_out"],
    |ctx, args| {
        let PackToolArgs { symbols, token_budget, question, repository } = args;
        let request = PackArgs { symbols, token_budget, question };
        inspect_repository(ctx, repository.as_deref(), |inspect| inspect.graph_pack(&request))
    }
);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceToolArgs {
    /// The symbol to start from.
    from: String,
    /// The symbol to reach.
    to: String,
    /// The repository's name; optional if there is only one.
    #[serde(default)]
    repository: Option<String>,
}

looks!(
    GraphTrace,
    "graph_trace",
    "Shows how one symbol reaches another: a path, each hop with its file and line.",
    TraceToolArgs,
    TracedPath,
    ["found", "notice"],
    |ctx, args| {
        let TraceToolArgs { from, to, repository } = args;
        let request = TraceArgs { from, to };
        inspect_repository(ctx, repository.as_deref(), |inspect| inspect.graph_trace(&request))
    }
);
