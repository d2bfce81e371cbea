//! Tools of the suite that are tools of the catalog: whoever calls them goes the whole way that calls of our own tools go.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::domain::id::RunId;
use wellread_core::faces::tools::{AnswerOrigins, AnyTool, Ctx, Effect, Tool, without_types};
use wellread_core::ports::Records;
use wellread_core::ports::event::RunKind;
use wellread_core::research::{ResearchEvent, ResearchStage};
use wellread_core::{Error, Result};
use wellread_testkit::run_fixtures::{began_event, record_run};

pub const SLOW: &str = "slow_compute";
pub const FAILING: &str = "failing_job";

pub fn all(records: &Arc<dyn Records>) -> Vec<Box<dyn AnyTool>> {
    vec![
        without_types(SimpleText),
        without_types(ErrorHandling),
        without_types(WithProgress),
        without_types(CustomHeader),
        without_types(SlowCompute(records.clone())),
        without_types(FailingJob(records.clone())),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoArgs {}

#[derive(Debug, Serialize, JsonSchema)]
struct Said {
    text: String,
}

fn said(text: impl Into<String>) -> Result<Said> {
    Ok(Said { text: text.into() })
}

/// Declares a tool that reads nothing and says something.
macro_rules! fixture {
    ($tool:ty, $name:expr, $args:ty, $recipe:literal, |$self:ident, $ctx:ident, $given:ident| $body:expr) => {
        impl Tool for $tool {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = "For the conformance suite.";
            const EFFECT: Effect = Effect::Reads;
            const RECIPE: bool = $recipe;
            const LIMIT: Duration = Duration::from_secs(120);
            const STUB: &'static [&'static str] = &[];
            type Args = $args;
            type Output = Said;

            fn answer_origins(_: &Said) -> AnswerOrigins {
                AnswerOrigins::Ours
            }

            async fn call(&$self, $ctx: &Ctx, $given: $args) -> Result<Said> {
                $body
            }
        }
    };
}

struct SimpleText;
fixture!(SimpleText, "test_simple_text", NoArgs, false, |self, _ctx, _args| said(
    "This is a simple text response."
));

struct ErrorHandling;
fixture!(ErrorHandling, "test_error_handling", NoArgs, false, |self, _ctx, _args| {
    Err(Error::failed("this tool intentionally returns an error for testing"))
});

struct WithProgress;
fixture!(WithProgress, "test_tool_with_progress", NoArgs, false, |self, ctx, _args| {
    for done in 0..3 {
        (ctx.watch)(ResearchEvent::Stage { stage: ResearchStage::Gather, done, of: 3, about: String::new() });
        // What is said in the instant of the answer is not told any more.
        std::thread::sleep(Duration::from_millis(200));
    }
    said("done")
});

/// What a proxy between client and server may read of a call without its body.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HeaderArgs {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
}

struct CustomHeader;
fixture!(CustomHeader, "test_custom_header", HeaderArgs, false, |self, _ctx, args| said(args.region));

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SlowArgs {
    #[serde(default)]
    seconds: u64,
    #[serde(default)]
    label: String,
}

/// Works until its time is over, or until it is called off.
struct SlowCompute(Arc<dyn Records>);
fixture!(SlowCompute, SLOW, SlowArgs, true, |self, ctx, args| {
    begin_run(&*self.0, ctx);
    for _ in 0..args.seconds * 50 {
        if ctx.stop.is_requested() {
            return Err(Error::failed("it was called off"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    said(format!("computed {}", args.label))
});

struct FailingJob(Arc<dyn Records>);
fixture!(FailingJob, FAILING, NoArgs, true, |self, ctx, _args| {
    begin_run(&*self.0, ctx);
    Err(Error::failed("this job always fails"))
});

/// A run, as research begins one: the task has its id.
fn begin_run(records: &dyn Records, ctx: &Ctx) {
    let run_id = RunId::fresh();
    record_run(records, &run_id, RunKind::Ask, "a fixture", &[began_event(RunKind::Ask, "a fixture")]);
    (ctx.watch)(ResearchEvent::Run { run_id });
}
