//! Skills for bots: an intent and a message in, a text out. Each is registered under its intent's name.

use crate::faces::tools::Ctx;
use crate::ports::BoxFuture;
use crate::research::AskRecipe;
use crate::{Error, Result};

/// A request to a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// The intent's name.
    pub name: String,
    /// The query that the bot extracted, if any.
    pub query: Option<String>,
    /// The user's words.
    pub raw_text: String,
}

impl Intent {
    /// The query or, without one, the user's words.
    pub fn query_text(&self) -> &str {
        self.query.as_deref().filter(|query| !query.trim().is_empty()).unwrap_or(&self.raw_text)
    }
}

/// The user who asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asker {
    /// The user's id at the bot's service.
    pub user_id: String,
    /// The time zone as an IANA name: `Europe/Paris`.
    pub user_tz: String,
}

/// An intent that bots can ask for.
pub trait Skill: Send + Sync {
    /// The skill's name.
    fn name(&self) -> &'static str;

    /// What the skill does, in a sentence.
    fn about(&self) -> &'static str;

    /// Answers a request with a text.
    fn handle<'a>(
        &'a self,
        ctx: &'a Ctx,
        asker: &'a Asker,
        intent: &'a Intent,
    ) -> BoxFuture<'a, Result<String>>;
}

/// Every skill, by its name.
pub struct Skills(Vec<Box<dyn Skill>>);

impl Default for Skills {
    fn default() -> Self {
        Self(vec![Box::new(AskSkill)])
    }
}

impl Skills {
    /// The names and descriptions of all skills.
    pub fn list_skills(&self) -> Vec<(&'static str, &'static str)> {
        self.0.iter().map(|skill| (skill.name(), skill.about())).collect()
    }

    /// The skill for an intent; otherwise the error lists those that exist.
    pub fn find_skill(&self, intent: &str) -> Result<&dyn Skill> {
        let found = self.0.iter().find(|skill| skill.name() == intent);
        found.map(AsRef::as_ref).ok_or_else(|| {
            let names: Vec<&str> = self.0.iter().map(|skill| skill.name()).collect();
            Error::not_found(format!("there is no skill `{intent}`"))
                .hint(format!("choose one of: {}", names.join(", ")))
        })
    }
}

/// Answers a question.
struct AskSkill;

impl Skill for AskSkill {
    fn name(&self) -> &'static str {
        "research"
    }

    fn about(&self) -> &'static str {
        "Answers one factual question in a paragraph with its source"
    }

    fn handle<'a>(&'a self, ctx: &'a Ctx, _: &'a Asker, intent: &'a Intent) -> BoxFuture<'a, Result<String>> {
        Box::pin(async move {
            Ok(ctx
                .research
                .start(&AskRecipe, ctx.recipe_context(), intent.query_text().to_owned())
                .await?
                .answer)
        })
    }
}
