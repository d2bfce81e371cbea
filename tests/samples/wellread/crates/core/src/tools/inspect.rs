//! Looking into code by hand: what a file defines, where a name is defined, what hangs together.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::{Ctx, Effect, Group, Shown, Tool, USUAL_LIMIT};
use crate::Result;
use crate::codebase::Codebase;
use crate::evidence::Found;
use crate::graph::{Direction, EdgeKind, Expanded, Traced};
use crate::inspect::{
    ExpandArgs, FindSymbolArgs, FoundSymbols, Inspect, OutlineArgs, Outlined, PackArgs, Seen, Spans,
    TraceArgs,
};

/// What was seen, told as a `T`.
#[derive(Debug)]
pub struct Looked<T> {
    seen: Seen,
    told_as: PhantomData<fn() -> T>,
}

impl<T> Looked<T> {
    fn of(seen: Seen) -> Self {
        Self { seen, told_as: PhantomData }
    }

    /// Each piece by the JSON pointer of the object that it stands in.
    fn evidence(&self) -> Vec<(String, Found)> {
        self.seen.evidence.clone()
    }
}

impl<T> Serialize for Looked<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        Value::serialize(&self.seen.fields, serializer)
    }
}

impl<T: JsonSchema> JsonSchema for Looked<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Looks into the repository that is meant.
fn inspect(
    ctx: &Ctx,
    repository: Option<&str>,
    scope: Option<&str>,
    look: impl FnOnce(&Inspect<'_>) -> Result<Seen>,
) -> Result<Seen> {
    let codebase = Codebase::chosen(&ctx.search.library, repository, scope)?;
    look(&Inspect {
        codebase: &codebase,
        search: &ctx.search,
        servers: &ctx.research.servers,
        limit: ctx.research.code.action_time,
    })
}

macro_rules! looks {
    ($tool:ident, $name:literal, $about:literal, $args:ident, $told_as:ty, [$($stub:literal),*], $call:expr) => {
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
            type Output = Looked<$told_as>;
            const STUB: &'static [&'static str] = &[$($stub),*];

            fn shows(_: &Self::Output) -> Shown {
                Shown::Outside
            }

            fn evidence(output: &Self::Output) -> Vec<(String, Found)> {
                output.evidence()
            }

            async fn call(&self, ctx: &Ctx, args: Self::Args) -> Result<Self::Output> {
                let call: fn(&Ctx, $args) -> Result<Seen> = $call;
                call(ctx, args).map(Looked::of)
            }
        }
    };
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutlineOf {
    /// The file, relative to its repository.
    file_path: String,
    /// The repository's name; it may be left out where there is only one.
    #[serde(default)]
    repository: Option<String>,
}

looks!(
    Outline,
    "outline",
    "What a source file defines: each definition with kind, lines, signature and comment, nested as in the file.",
    OutlineOf,
    Outlined,
    ["path"],
    |ctx, args| {
        let asked = OutlineArgs { file_path: args.file_path };
        inspect(ctx, args.repository.as_deref(), None, |inspect| inspect.outline(&asked))
    }
);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SymbolOf {
    /// A name, `Class.method` or `path::Class.method`.
    name: String,
    /// `function`, `method`, `class`, `struct`, `enum`, `interface`, `trait`, `module`, `constant`, `variable`, `type`,
    /// `macro` or `field`
    #[serde(default)]
    kind: Option<String>,
    /// The repository's name; it may be left out where there is only one.
    #[serde(default)]
    repository: Option<String>,
}

looks!(
    FindSymbol,
    "find_symbol",
    "Where a name of the code is defined. All definitions that fit are listed; where none does, what comes near.",
    SymbolOf,
    FoundSymbols,
    ["definitions.path", "definitions.qualified_name", "definitions.start_line"],
    |ctx, args| {
        let asked = FindSymbolArgs { name: args.name, kind: args.kind };
        inspect(ctx, args.repository.as_deref(), None, |inspect| inspect.find_symbol(&asked))
    }
);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpandOf {
    /// A name, `Class.method`, `path::Class.method`, or `path::<module>` for code outside any definition.
    symbol: String,
    /// How many steps away, 1 to 6.
    #[serde(default = "one")]
    depth: usize,
    /// `in`: what leads to it; `out`: where it leads; `both`
    #[serde(default)]
    direction: Direction,
    /// Some of `calls`, `imports`, `contains`, `implements`; all where left out.
    #[serde(default)]
    kinds: Option<Vec<EdgeKind>>,
    /// The repository's name; it may be left out where there is only one.
    #[serde(default)]
    repository: Option<String>,
}

fn one() -> usize {
    1
}

looks!(
    GraphExpand,
    "graph_expand",
    "What calls, imports, contains or implements a symbol, and what it does so to; each edge with its line and how sure it is.",
    ExpandOf,
    Expanded,
    ["notice"],
    |ctx, args| {
        let ExpandOf { symbol, depth, direction, kinds, repository } = args;
        let asked = ExpandArgs { symbol, depth, direction, kinds };
        inspect(ctx, repository.as_deref(), None, |inspect| inspect.graph_expand(&asked))
    }
);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackOf {
    /// Where to begin.
    symbols: Vec<String>,
    /// How much, at the most.
    #[serde(default = "tokens")]
    token_budget: usize,
    /// What it is for: spans that speak of it come first.
    #[serde(default)]
    question: Option<String>,
    /// The repository's name; it may be left out where there is only one.
    #[serde(default)]
    repository: Option<String>,
}

fn tokens() -> usize {
    2_000
}

looks!(
    GraphPack,
    "graph_pack",
    "The most telling spans of code around some symbols, as many as fit a budget of tokens.",
    PackOf,
    Spans,
    ["tokens", "left_out"],
    |ctx, args| {
        let PackOf { symbols, token_budget, question, repository } = args;
        let asked = PackArgs { symbols, token_budget, question };
        inspect(ctx, repository.as_deref(), None, |inspect| inspect.graph_pack(&asked))
    }
);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceOf {
    /// The symbol to begin with.
    from: String,
    /// The symbol to arrive at.
    to: String,
    /// The repository's name; it may be left out where there is only one.
    #[serde(default)]
    repository: Option<String>,
}

looks!(
    GraphTrace,
    "graph_trace",
    "How one symbol of the code reaches another: a path, each hop with its file and line.",
    TraceOf,
    Traced,
    ["found", "notice"],
    |ctx, args| {
        let TraceOf { from, to, repository } = args;
        let asked = TraceArgs { from, to };
        inspect(ctx, repository.as_deref(), None, |inspect| inspect.graph_trace(&asked))
    }
);
