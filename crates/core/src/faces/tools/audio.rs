//! Transcribes recordings in notes.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{AnswerOrigins, Ctx, Effect, Group, Tool};
use crate::domain::corpus::VaultPath;
use crate::library::vault::NoteText;
use crate::ports::Recording;
use crate::ports::event::SentRequest;
use crate::{Error, Result};

const ENDINGS: [&str; 5] = ["m4a", "webm", "mp3", "wav", "ogg"];
/// The largest recording in bytes: what the usual endpoints accept.
const MAX_BYTES: u64 = 25 * 1024 * 1024;

#[derive(Debug)]
pub struct TranscribeAudio;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TranscribeAudioArgs {
    /// The note that embeds the recordings, relative to the vault; the `.md` is optional.
    path: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TranscribeAudioAnswer {
    results: Vec<Transcript>,
    /// Recordings that could not be transcribed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<SkippedRecording>,
    /// A message for the user if there are none.
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
pub struct SkippedRecording {
    file: String,
    error: String,
}

impl Tool for TranscribeAudio {
    const NAME: &'static str = "transcribe_audio";
    const ABOUT: &'static str = "Transcribes the recordings that a note embeds: m4a, webm, mp3, wav and ogg.";
    const GROUP: Group = Group::Research;
    const EFFECT: Effect = Effect::Reads;
    const REACHES: bool = true;
    const LIMIT: Duration = Duration::from_secs(300);
    type Args = TranscribeAudioArgs;
    type Output = TranscribeAudioAnswer;
    const STUB: &'static [&'static str] = &["results.file", "errors.file", "message"];

    fn answer_origins(output: &TranscribeAudioAnswer) -> AnswerOrigins {
        AnswerOrigins::FilesAndOutside(output.of.clone())
    }

    fn leaves_machine(ctx: &Ctx) -> bool {
        !ctx.reach.speech.endpoint().1
    }

    async fn call(&self, ctx: &Ctx, args: TranscribeAudioArgs) -> Result<TranscribeAudioAnswer> {
        let path = ctx.vault.locate(&args.path)?;
        let note = ctx.vault.read(&path)?;
        let embeds = find_audio_embeds(&note);
        if embeds.is_empty() {
            let message = Some("No audio embeds found".to_owned());
            return Ok(TranscribeAudioAnswer {
                results: Vec::new(),
                errors: Vec::new(),
                message,
                of: vec![path.to_string()],
            });
        }
        check_private(ctx, &path)?;
        let (mut results, mut errors, mut of, mut first) =
            (Vec::new(), Vec::new(), vec![path.to_string()], None);
        for embed in embeds {
            match transcribe_embed(ctx, &embed, &path).await {
                Ok((file, transcript)) => {
                    of.push(file.to_string());
                    results.push(Transcript { file: embed, transcript });
                }
                Err(error) => {
                    errors.push(SkippedRecording { file: embed, error: error.message().to_owned() });
                    first.get_or_insert(error);
                }
            }
        }
        match first {
            Some(error) if results.is_empty() => Err(none_transcribed_error(&error, &errors, &path)),
            _ => Ok(TranscribeAudioAnswer { results, errors, message: None, of }),
        }
    }
}

/// The recordings that a note embeds, each once, in order.
fn find_audio_embeds(note: &NoteText) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for link in note.parse().links {
        let ending = link.target.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        let is_audio = ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()));
        if link.embed && is_audio && !found.contains(&link.target) {
            found.push(link.target);
        }
    }
    found
}

async fn transcribe_embed(ctx: &Ctx, embed: &str, note: &VaultPath) -> Result<(VaultPath, String)> {
    let file = ctx.vault.locate_embedded(embed, note)?;
    check_private(ctx, &file)?;
    let size = ctx.vault.files.find(&file)?.map_or(0, |entry| entry.size);
    if size > MAX_BYTES {
        return Err(Error::invalid(format!("`{file}` is larger than {} MiB", MAX_BYTES / 1024 / 1024)));
    }
    let bytes = ctx.vault.files.read(&file)?.bytes;
    let (endpoint, stays) = ctx.reach.speech.endpoint();
    if !endpoint.is_empty() {
        let (about, bytes) = (file.name().to_owned(), bytes.len() as u64);
        ctx.reach.sendings.record(SentRequest {
            what: "speech".to_owned(),
            to: endpoint,
            about,
            bytes,
            stays,
        });
    }
    let recording = Recording { name: file.name().to_owned(), bytes };
    let transcript = ctx.reach.speech.transcribe(&recording).await?;
    Ok((file, transcript.expose().trim().to_owned()))
}

fn check_private(ctx: &Ctx, path: &VaultPath) -> Result<()> {
    if TranscribeAudio::leaves_machine(ctx) && ctx.vault.is_private(path) {
        return Err(Error::refused(format!(
            "`{path}` is private, and recordings would be sent to another machine"
        ))
        .with_path(path.as_str())
        .hint("set `speech.command` or `speech.base_url` to something on this machine"));
    }
    Ok(())
}

fn none_transcribed_error(first: &Error, errors: &[SkippedRecording], note: &VaultPath) -> Error {
    let message = format!("no recording could be transcribed: {}", first.message());
    let error =
        Error::new(first.kind(), message).with_path(note.as_str()).with_detail("errors", json!(errors));
    match first.hint_text() {
        Some(hint) => error.hint(hint),
        None => error,
    }
}
