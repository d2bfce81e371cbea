//! The skills for bots: an intent and what was said in, a text out.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::ErrorKind;
use wellread_core::domain::rights::Right;
use wellread_core::faces::skills::{Asker, Intent, Skills};

use crate::server::ServerContext;
use crate::server::body::{Json, PathParam};
use crate::server::route::{ApiAnswer, ApiResult, Route};

/// What a person is told where something went wrong that they can do nothing about.
const UNAVAILABLE: &str = "I couldn't look that up right now; please try again in a few minutes.";

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/skills", "The available skills", skills).answers::<SkillList>(),
        Route::post("/api/skills/{intent}", "Passes a message to a skill, for bots", skill)
            .needs(&[Right::Research])
            .with_body::<SkillRequest>()
            .answers::<SkillAnswer>()
            .fails(&[404]),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct SkillList {
    skills: Vec<SkillEntry>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SkillEntry {
    name: &'static str,
    description: &'static str,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SkillRequest {
    /// The id of the user, as the bot knows it.
    #[serde(default)]
    user_id: Option<String>,
    /// What the bot extracted from the message.
    #[serde(default)]
    query: Option<String>,
    /// The message.
    #[serde(default)]
    raw_text: Option<String>,
    /// The user's time zone, such as `Europe/Paris`.
    #[serde(default)]
    user_tz: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SkillAnswer {
    text: String,
}

async fn skills() -> ApiAnswer<SkillList> {
    let skills = Skills::default().list_skills().into_iter();
    ApiAnswer(SkillList {
        skills: skills.map(|(name, description)| SkillEntry { name, description }).collect(),
    })
}

async fn skill(
    State(site): State<Arc<ServerContext>>,
    PathParam(intent): PathParam,
    Json(request): Json<SkillRequest>,
) -> ApiResult<SkillAnswer> {
    let SkillRequest { user_id, query, raw_text, user_tz } = request;
    let asker = Asker { user_id: user_id.unwrap_or_default(), user_tz: user_tz.unwrap_or_default() };
    let intent = Intent { name: intent, query, raw_text: raw_text.unwrap_or_default() };
    let runtime = tokio::runtime::Handle::current();
    let _seat = site.turns.acquire_seat().await?;
    let said = site.run_blocking(move |site| {
        let skills = Skills::default();
        let skill = skills.find_skill(&intent.name)?;
        site.app.wait_for_complete_index(&site.app.ctx.stop)?;
        runtime.block_on(site.turns.run_until_shutdown(skill.handle(&site.app.ctx, &asker, &intent)))
    });
    match said.await {
        Ok(text) => Ok(ApiAnswer(SkillAnswer { text })),
        // What the one who asked can do something about is told; the rest is for the log.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::Failed
                    | ErrorKind::Denied
                    | ErrorKind::BadReply
                    | ErrorKind::Unavailable
                    | ErrorKind::NotSetUp
            ) =>
        {
            tracing::warn!("a skill failed: {error}");
            Ok(ApiAnswer(SkillAnswer { text: UNAVAILABLE.to_owned() }))
        }
        Err(error) => Err(error.into()),
    }
}
