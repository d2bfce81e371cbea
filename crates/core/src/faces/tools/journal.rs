//! The daily log, the user's preferences and today's date.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::write_answer::{AboutFiles, WriteAnswer};
use super::{AnswerOrigins, Ctx, Effect, Tool};
use crate::Result;
use crate::library::vault::{ChangeOptions, Interaction};

#[derive(Debug)]
pub struct LogInteraction;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogArgs {
    /// What it was about, in a few words.
    task_description: String,
    /// What the user asked.
    query: String,
    /// The outcome; `n/a` to log the whole conversation from `full_response`.
    summary: String,
    /// The files that it was about.
    files: Option<Vec<String>>,
    /// The whole answer.
    full_response: Option<String>,
    /// Return the diff and change nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for LogInteraction {
    const NAME: &'static str = "log_interaction";
    const ABOUT: &'static str = "Adds an entry about a conversation to today's daily note. Names of existing notes become \
                                 links.";
    const EFFECT: Effect = Effect::Adds;
    type Args = LogArgs;
    type Output = WriteAnswer;
    const STUB: &'static [&'static str] = &["path", "message", "operation", "kept"];

    fn answer_origins(output: &WriteAnswer) -> AnswerOrigins {
        output.file_origins()
    }

    async fn call(&self, ctx: &Ctx, args: LogArgs) -> Result<WriteAnswer> {
        let interaction = Interaction {
            task_description: args.task_description,
            query: args.query,
            summary: args.summary,
            files: args.files.unwrap_or_default(),
            full_response: args.full_response,
        };
        let (path, outcome) =
            ctx.vault.log_interaction(ChangeOptions::new(Self::NAME, args.dry_run), &interaction)?;
        Ok(WriteAnswer::from_outcome(path.as_str(), &format!("logged in `{path}`"), outcome))
    }
}

#[derive(Debug)]
pub struct SavePreference;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SavePreferenceArgs {
    /// The preference, on one line.
    preference: String,
    /// Return the diff and change nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for SavePreference {
    const NAME: &'static str = "save_preference";
    const ABOUT: &'static str = "Saves a preference of the user as a bullet in the preferences note.";
    const EFFECT: Effect = Effect::Adds;
    type Args = SavePreferenceArgs;
    type Output = WriteAnswer;
    const STUB: &'static [&'static str] = &["path", "message", "operation", "kept"];

    fn answer_origins(output: &WriteAnswer) -> AnswerOrigins {
        output.file_origins()
    }

    async fn call(&self, ctx: &Ctx, args: SavePreferenceArgs) -> Result<WriteAnswer> {
        let outcome =
            ctx.vault.save_preference(ChangeOptions::new(Self::NAME, args.dry_run), &args.preference)?;
        Ok(WriteAnswer::from_outcome(ctx.vault.preferences_note()?.as_str(), "saved the preference", outcome))
    }
}

#[derive(Debug)]
pub struct ListPreferences;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArgs {}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Preferences {
    results: Vec<Preference>,
    total: usize,
    /// The note that they stand in.
    #[serde(skip)]
    of: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Preference {
    /// Its number from 1, which `remove_preference` takes.
    line_number: usize,
    preference: String,
}

impl Tool for ListPreferences {
    const NAME: &'static str = "list_preferences";
    const ABOUT: &'static str = "The user's preferences, numbered from 1.";
    const EFFECT: Effect = Effect::Reads;
    type Args = NoArgs;
    type Output = Preferences;
    const STUB: &'static [&'static str] = &["total"];

    fn answer_origins(output: &Preferences) -> AnswerOrigins {
        if output.results.is_empty() {
            AnswerOrigins::Ours
        } else {
            AnswerOrigins::Files(vec![output.of.clone()])
        }
    }

    async fn call(&self, ctx: &Ctx, _: NoArgs) -> Result<Preferences> {
        let preferences = ctx.vault.preferences()?;
        let numbered = (1..).zip(preferences);
        let results: Vec<_> =
            numbered.map(|(line_number, preference)| Preference { line_number, preference }).collect();
        Ok(Preferences { total: results.len(), results, of: ctx.vault.preferences_note()?.to_string() })
    }
}

#[derive(Debug)]
pub struct RemovePreference;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemovePreferenceArgs {
    /// The preference's number, from 1, as list_preferences gives it.
    line_number: usize,
    /// Return the diff and change nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for RemovePreference {
    const NAME: &'static str = "remove_preference";
    const ABOUT: &'static str = "Removes a preference by its number.";
    const EFFECT: Effect = Effect::Writes;
    type Args = RemovePreferenceArgs;
    type Output = WriteAnswer;
    const STUB: &'static [&'static str] = &["path", "message", "operation", "kept"];

    fn answer_origins(output: &WriteAnswer) -> AnswerOrigins {
        output.file_origins()
    }

    async fn call(&self, ctx: &Ctx, args: RemovePreferenceArgs) -> Result<WriteAnswer> {
        let how = ChangeOptions::new(Self::NAME, args.dry_run);
        let (removed, outcome) = ctx.vault.remove_preference(how, args.line_number)?;
        Ok(WriteAnswer::from_outcome(
            ctx.vault.preferences_note()?.as_str(),
            &format!("removed the preference “{removed}”"),
            outcome,
        ))
    }
}

#[derive(Debug)]
pub struct GetCurrentDate;

#[derive(Debug, Serialize, JsonSchema)]
pub struct CurrentDate {
    /// YYYY-MM-DD, in the user's time zone.
    date: String,
}

impl Tool for GetCurrentDate {
    const NAME: &'static str = "get_current_date";
    const ABOUT: &'static str = "Today's date in the user's time zone, as YYYY-MM-DD.";
    const EFFECT: Effect = Effect::Reads;
    type Args = NoArgs;
    type Output = CurrentDate;
    const STUB: &'static [&'static str] = &["date"];

    fn answer_origins(output: &CurrentDate) -> AnswerOrigins {
        let _ = output;
        AnswerOrigins::Ours
    }

    async fn call(&self, ctx: &Ctx, _: NoArgs) -> Result<CurrentDate> {
        Ok(CurrentDate { date: ctx.vault.clock.now().date().to_string() })
    }
}
