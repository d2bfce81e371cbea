//! The health report of the knowledge base.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{AnswerOrigins, Ctx, Effect, Group, Tool};
use crate::Result;
use crate::engine::log::notes_in_evidence;
use crate::insight::health::{Health, HealthInputs, examine};

#[derive(Debug)]
pub struct KbHealth;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbHealthArgs {
    /// Maximum number of entries to return in each list.
    #[serde(default = "twenty")]
    limit: usize,
    /// Exclude private notes, as if they did not exist.
    #[serde(default)]
    without_private: bool,
}

fn twenty() -> usize {
    20
}

impl Tool for KbHealth {
    const NAME: &'static str = "kb_health";
    const ABOUT: &'static str = "Reports on the health of the whole vault: orphans, dead ends, dead links, clusters, \
                                 unused notes, duplicates, contradictions, stale notes, and missing links and aliases, \
                                 with reasons. With `without_private`, a model on another machine may see it.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Reads;
    const LIMIT: Duration = Duration::from_secs(120);
    type Args = KbHealthArgs;
    type Output = Health;
    const STUB: &'static [&'static str] =
        &["notes", "links", "orphans", "deadLinks.path", "clusters.name", "stale.path", "notice"];

    fn answer_origins(output: &Health) -> AnswerOrigins {
        AnswerOrigins::Files(output.files())
    }

    async fn call(&self, ctx: &Ctx, args: KbHealthArgs) -> Result<Health> {
        let records = &*ctx.research.runs.records;
        let drawn_on = match args.without_private {
            true => notes_in_evidence(records, &ctx.vault.without_private())?,
            false => notes_in_evidence(records, &ctx.vault)?,
        };
        let inputs = HealthInputs {
            vault: &ctx.vault,
            search: &ctx.search,
            drawn_on: &drawn_on,
            without_private: args.without_private,
        };
        Ok(examine(&inputs)?.health.with_limit(args.limit))
    }
}
