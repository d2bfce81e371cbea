//! Skills for bots: an intent and what was said in, a text out. Each is registered under its intent's name.

use crate::ports::Waiting;
use crate::tools::Ctx;
use crate::{Error, Result};

/// What somebody wants of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    pub name: String,
    /// What the bot made out of it.
    pub query: Option<String>,
    /// What was said.
    pub raw_text: String,
}

impl Intent {
    /// What it is about: the query, or all that was said.
    pub fn asked(&self) -> &str {
        self.query.as_deref().filter(|query| !query.trim().is_empty()).unwrap_or(&self.raw_text)
    }
}

/// Who asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asker {
    pub user_id: String,
    /// An IANA name, as `Europe/Paris`.
    pub user_tz: String,
}

pub trait Skill: Send + Sync {
    fn name(&self) -> &'static str;

    /// In a sentence.
    fn about(&self) -> &'static str;

    fn handle<'a>(
        &'a self,
        ctx: &'a Ctx,
        asker: &'a Asker,
        intent: &'a Intent,
    ) -> Waiting<'a, Result<String>>;
}

/// Every skill, by its name.
pub struct Skills(Vec<Box<dyn Skill>>);

impl Default for Skills {
    fn default() -> Self {
        Self(vec![Box::new(QuickResearch)])
    }
}

impl Skills {
    pub fn list_skills(&self) -> Vec<(&'static str, &'static str)> {
        self.0.iter().map(|skill| (skill.name(), skill.about())).collect()
    }

    /// The skill for an intent; where there is none, the error says which there are.
    pub fn named(&self, intent: &str) -> Result<&dyn Skill> {
        let found = self.0.iter().find(|skill| skill.name() == intent);
        found.map(AsRef::as_ref).ok_or_else(|| {
            let names: Vec<&str> = self.0.iter().map(|skill| skill.name()).collect();
            Error::not_found(format!("there is no skill `{intent}`"))
                .hint(format!("there are: {}", names.join(", ")))
        })
    }
}

/// The quick answer.
struct QuickResearch;

impl Skill for QuickResearch {
    fn name(&self) -> &'static str {
        "research"
    }

    fn about(&self) -> &'static str {
        "Answers one factual question in a paragraph with its source"
    }

    fn handle<'a>(&'a self, ctx: &'a Ctx, _: &'a Asker, intent: &'a Intent) -> Waiting<'a, Result<String>> {
        Box::pin(async move { Ok(ctx.research.ask(ctx.around(), intent.asked()).await?.answer) })
    }
}
