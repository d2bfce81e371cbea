//! An endpoint for recordings that speaks as OpenAI's does.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use wellread_core::domain::untrusted::Untrusted;
use wellread_core::ports::{BoxFuture, Recording, Speech};
use wellread_core::{Error, ErrorKind, Result};

use super::form::form;
use super::transcript::parse_transcript;
use super::unavailable_error;
use crate::http::{AsyncClient, ClientIdentity};

/// As long as an hour of speech may take it.
const PATIENCE: Duration = Duration::from_secs(280);
const LARGEST_ANSWER: usize = 8 * 1024 * 1024;

/// What the user set.
pub struct SpeechService {
    /// Up to and with `/v1`.
    pub base_url: String,
    pub model: String,
    pub key: Option<String>,
    /// What to do where the key is missing or wrong.
    pub key_hint: String,
    pub identity: ClientIdentity,
}

pub struct SpeechEndpoint {
    line: AsyncClient,
    model: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    key_hint: String,
}

impl SpeechEndpoint {
    pub fn new(service: SpeechService) -> Result<Self> {
        let mut headers = Vec::new();
        if let Some(key) = service.key {
            headers.push((AUTHORIZATION, crate::web::secret_header(&format!("Bearer {key}"))?));
        }
        let line = AsyncClient::new(&service.base_url, &service.identity)?;
        Ok(Self { line, model: service.model, headers, key_hint: service.key_hint })
    }

    async fn post_recording(&self, recording: &Recording, diarize: bool) -> Result<(u16, Vec<u8>)> {
        let mut fields = vec![("model", self.model.as_str()), ("response_format", "verbose_json")];
        if diarize {
            fields.push(("diarize", "true"));
        }
        let (kind, body) = form(&fields, &recording.name, media_type(&recording.name), &recording.bytes);
        let kind = HeaderValue::from_str(&kind).map_err(|_| Error::failed("the form has no content type"))?;
        let sent = async {
            let pieces = self.line.post_with_type(kind, "audio/transcriptions", &self.headers, body).await?;
            let status = pieces.status;
            Ok((status, pieces.read_all(LARGEST_ANSWER).await?))
        };
        let late = || unavailable_error(format!("{} did not answer in time", self.line.origin()));
        let answer = tokio::time::timeout(PATIENCE, sent).await.map_err(|_| late())?;
        answer.map_err(|failure: crate::http::HttpFailure| {
            unavailable_error(format!("{} {failure}", self.line.origin()))
        })
    }
}

impl Speech for SpeechEndpoint {
    fn endpoint(&self) -> (String, bool) {
        (self.line.origin(), self.line.is_local())
    }

    fn transcribe<'a>(&'a self, recording: &'a Recording) -> BoxFuture<'a, Result<Untrusted>> {
        Box::pin(async move {
            let (mut status, mut body) = self.post_recording(recording, true).await?;
            // Not every endpoint knows how to tell speakers apart, and some take no field that they do not know.
            if status == 400 || status == 422 {
                (status, body) = self.post_recording(recording, false).await?;
            }
            let at = self.line.origin();
            match status {
                200..=299 => {}
                401 | 403 => {
                    let message = format!("{at} rejected the key (status {status})");
                    return Err(Error::new(ErrorKind::NotSetUp, message).hint(&self.key_hint));
                }
                413 => return Err(Error::invalid(format!("`{}` is too large for {at}", recording.name))),
                429 => {
                    return Err(
                        unavailable_error(format!("{at} has reached its rate limit")).hint("try again later")
                    );
                }
                _ => return Err(unavailable_error(format!("{at} answered with status {status}"))),
            }
            let said = parse_transcript(&body);
            said.map(Untrusted::from_outside)
                .ok_or_else(|| unavailable_error(format!("{at} returned no transcript")))
        })
    }
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).as_deref() {
        Some("m4a") => "audio/mp4",
        Some("webm") => "audio/webm",
        Some("mp3") => "audio/mpeg",
        Some("wav") => "audio/wav",
        Some("ogg") => "audio/ogg",
        _ => "application/octet-stream",
    }
}
