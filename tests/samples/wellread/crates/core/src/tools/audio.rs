//! Recordings in notes, made text.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use wellread_text::LinkForm;

use super::{Ctx, Effect, Group, Shown, Tool};
use crate::corpus::VaultPath;
use crate::event::Sent;
use crate::ports::Recording;
use crate::vault::NoteText;
use crate::{Error, Result};

const ENDINGS: [&str; 5] = ["m4a", "webm", "mp3", "wav", "ogg"];
/// In bytes: what the usual endpoints take.
const LARGEST: u64 = 25 * 1024 * 1024;

#[derive(Debug)]
pub struct TranscribeAudio;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TranscribeAudioArgs {
    /// The note that embeds the recordings, relative to the vault; the `.md` may be left out.
    path: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Transcribed {
    results: Vec<Transcript>,
    /// Recordings that could not be transcribed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Untranscribed>,
    /// What to say where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The files whose words the answer repeats.
    #[serde(skip)]
    of: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Transcript {
    file: String,
    transcript: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Untranscribed {
    file: String,
    error: String,
}

impl Tool for TranscribeAudio {
    const NAME: &'static str = "transcribe_audio";
    const ABOUT: &'static str =
        "Writes down what is said in the recordings that a note embeds: m4a, webm, mp3, wav and ogg.";
    const GROUP: Group = Group::Research;
    const EFFECT: Effect = Effect::Reads;
    const REACHES: bool = true;
    const LIMIT: Duration = Duration::from_secs(300);
    type Args = TranscribeAudioArgs;
    type Output = Transcribed;
    const STUB: &'static [&'static str] = &["results.file", "errors.file", "message"];

    fn shows(output: &Transcribed) -> Shown {
        Shown::FilesAndOutside(output.of.clone())
    }

    fn leaves(ctx: &Ctx) -> bool {
        !ctx.reach.speech.endpoint().1
    }

    async fn call(&self, ctx: &Ctx, args: TranscribeAudioArgs) -> Result<Transcribed> {
        let path = ctx.vault.locate(&args.path)?;
        let note = ctx.vault.read(&path)?;
        let embeds = embeds(&note);
        if embeds.is_empty() {
            let message = Some("No audio embeds found".to_owned());
            return Ok(Transcribed {
                results: Vec::new(),
                errors: Vec::new(),
                message,
                of: vec![path.to_string()],
            });
        }
        stays_if_private(ctx, &path)?;
        let (mut results, mut errors, mut of, mut first) =
            (Vec::new(), Vec::new(), vec![path.to_string()], None);
        for embed in embeds {
            match transcript(ctx, &embed, &path).await {
                Ok((file, transcript)) => {
                    of.push(file.to_string());
                    results.push(Transcript { file: embed, transcript });
                }
                Err(error) => {
                    errors.push(Untranscribed { file: embed, error: error.message().to_owned() });
                    first.get_or_insert(error);
                }
            }
        }
        match first {
            Some(error) if results.is_empty() => Err(none_of_them(&error, &errors, &path)),
            _ => Ok(Transcribed { results, errors, message: None, of }),
        }
    }
}

/// The recordings that a note embeds, each once, in its order.
fn embeds(note: &NoteText) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for link in note.parse().links {
        let ending = link.target.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        let is_audio = ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()));
        if link.embed && link.form == LinkForm::Wiki && is_audio && !found.contains(&link.target) {
            found.push(link.target);
        }
    }
    found
}

async fn transcript(ctx: &Ctx, embed: &str, note: &VaultPath) -> Result<(VaultPath, String)> {
    let file = recording(ctx, embed, note)?;
    stays_if_private(ctx, &file)?;
    let size = ctx.vault.files.find(&file)?.map_or(0, |entry| entry.size);
    if size > LARGEST {
        return Err(Error::invalid(format!("`{file}` is larger than {} MiB", LARGEST / 1024 / 1024)));
    }
    let bytes = ctx.vault.files.read(&file)?.bytes;
    let (endpoint, stays) = ctx.reach.speech.endpoint();
    if !endpoint.is_empty() {
        let (about, bytes) = (file.name().to_owned(), bytes.len() as u64);
        ctx.reach.sendings.note(Sent { what: "speech".to_owned(), to: endpoint, about, bytes, stays });
    }
    let recording = Recording { name: file.name().to_owned(), bytes };
    let said = ctx.reach.speech.transcribe(&recording).await?;
    Ok((file, said.look().trim().to_owned()))
}

/// The file that an embed means: the one in the attachments folder first, then as any link is resolved.
fn recording(ctx: &Ctx, embed: &str, note: &VaultPath) -> Result<VaultPath> {
    let folder = ctx.vault.layout.attachments.trim_matches('/');
    if !folder.is_empty()
        && let Ok(path) = ctx.vault.rules.file(&format!("{folder}/{embed}"))
        && ctx.vault.files.find(&path).is_ok_and(|found| found.is_some())
    {
        return Ok(path);
    }
    let names = ctx.vault.links.names()?;
    match names.resolve(embed, note.as_str()).path() {
        Some(path) => ctx.vault.rules.file(path),
        None => Err(Error::not_found(format!("File not found: {embed}"))),
    }
}

fn stays_if_private(ctx: &Ctx, path: &VaultPath) -> Result<()> {
    if TranscribeAudio::leaves(ctx) && ctx.vault.is_private(path) {
        return Err(Error::refused(format!(
            "`{path}` is private, and recordings would be sent to another machine"
        ))
        .at(path.as_str())
        .hint("set `speech.command` or `speech.base_url` to something on this machine"));
    }
    Ok(())
}

fn none_of_them(first: &Error, errors: &[Untranscribed], note: &VaultPath) -> Error {
    let message = format!("no recording could be transcribed: {}", first.message());
    let error = Error::new(first.kind(), message).at(note.as_str()).with("errors", json!(errors));
    match first.hint_text() {
        Some(hint) => error.hint(hint),
        None => error,
    }
}
