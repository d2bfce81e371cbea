//! Locates the code that a text is about.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{AnswerOrigins, Ctx, Effect, Group, Tool};
use crate::Result;
use crate::code::codebase::Codebase;
use crate::code::locate::{LocateAnswer, locate};

/// Longer than usual, since a large repository may have to be indexed first.
const LIMIT: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct Locate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LocateArgs {
    /// The text of an issue, an error message or a stack trace, verbatim.
    text: String,
    /// The repository's name; optional if there is only one.
    #[serde(default)]
    repository: Option<String>,
    /// A path pattern, such as `src/**`; only matching files are read. `name:src/**` also names the repository.
    #[serde(default)]
    scope: Option<String>,
    /// Maximum number of files to return.
    #[serde(default = "ten")]
    limit: usize,
}

fn ten() -> usize {
    10
}

impl Tool for Locate {
    const NAME: &'static str = "locate";
    const ABOUT: &'static str = "Finds the files and symbols of a repository that an issue text or a stack trace \
                                 points to, ranked, each with its reasons.";
    const GROUP: Group = Group::Code;
    const EFFECT: Effect = Effect::Reads;
    const SEARCHES: bool = true;
    const LIMIT: Duration = LIMIT;
    type Args = LocateArgs;
    type Output = LocateAnswer;
    const STUB: &'static [&'static str] = &["files.path", "files.score", "notice"];

    fn answer_origins(_: &LocateAnswer) -> AnswerOrigins {
        AnswerOrigins::Outside
    }

    async fn call(&self, ctx: &Ctx, args: LocateArgs) -> Result<LocateAnswer> {
        let codebase =
            Codebase::select(&ctx.search.library, args.repository.as_deref(), args.scope.as_deref())?;
        locate(&ctx.search, &codebase, &args.text, args.limit)
    }
}
