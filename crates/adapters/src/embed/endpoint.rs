//! Vectors from any server that speaks OpenAI's `/embeddings`.
//!
//! The server is not trusted to count: number, order, dimension and every number are looked at. The key is sent, and
//! shown nowhere.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::json;
use wellread_core::ports::{Embedder, EmbeddingModel, EmbeddingPurpose};
use wellread_core::{Error, ErrorKind, Result};
use wellread_encoder::normalize;

use super::prefixes::Prefixes;
use crate::http::{BlockingClient, ClientIdentity, HttpFailure, HttpResponse};

/// Texts in one request.
const BATCH: usize = 64;
const LARGEST_ANSWER: usize = 64 << 20;
const PATIENCE: Duration = Duration::from_secs(60);
/// After the first attempt.
const RETRIES: u32 = 3;
const LONGEST_WAIT: Duration = Duration::from_secs(20);

pub struct EmbeddingEndpoint {
    client: BlockingClient,
    name: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    prefixes: Prefixes,
    /// Learned from the first answer; all others have to agree.
    dimension: OnceLock<usize>,
}

impl std::fmt::Debug for EmbeddingEndpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = if self.headers.is_empty() { "none" } else { "set" };
        f.debug_struct("Endpoint")
            .field("base", &self.client.base())
            .field("model", &self.name)
            .field("key", &key)
            .finish()
    }
}

#[derive(Deserialize)]
struct EmbeddingsResponse {
    data: Vec<IndexedVector>,
}

#[derive(Deserialize)]
struct IndexedVector {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl EmbeddingEndpoint {
    /// `base` is the address up to and with `/v1`. Nothing is sent yet.
    pub fn new(base: &str, model: &str, key: Option<&str>, identity: &ClientIdentity) -> Result<Self> {
        let client = BlockingClient::for_endpoint(base, PATIENCE, identity)
            .map_err(|error| error.hint("set `embedding.base_url`"))?;
        let mut headers = Vec::new();
        if let Some(key) = key {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| {
                Error::invalid("the key contains a character that can't be sent")
                    .hint("set `embedding.api_key`")
            })?;
            value.set_sensitive(true);
            headers.push((AUTHORIZATION, value));
        }
        let prefixes = Prefixes::for_model(model);
        Ok(Self { client, name: model.to_owned(), headers, prefixes, dimension: OnceLock::new() })
    }

    fn embed_batch(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        let body = json!({ "model": self.name, "input": texts, "encoding_format": "float" }).to_string();
        let answer = self.send(&body)?;
        let vectors: EmbeddingsResponse = serde_json::from_slice(&answer.body).map_err(|error| {
            self.bad_answer_error(format!("the answer is not a list of vectors: {error}"))
        })?;
        let vectors = sort_vectors(vectors.data, texts.len()).map_err(|why| self.bad_answer_error(why))?;
        for vector in &vectors {
            let expected = *self.dimension.get_or_init(|| vector.len());
            if vector.is_empty() || vector.len() != expected {
                let why = format!("a vector has {} numbers, the others have {expected}", vector.len());
                return Err(self.bad_answer_error(why));
            }
        }
        Ok(vectors)
    }

    /// One request, again where the server is busy or the connection broke: asking twice changes nothing there.
    fn send(&self, body: &str) -> Result<HttpResponse> {
        let mut attempt = 0;
        loop {
            let answer =
                self.client.post("embeddings", &self.headers, body.as_bytes().to_vec(), LARGEST_ANSWER);
            let again = match &answer {
                Ok(answer) => answer.status == 429 || answer.status >= 500,
                Err(failure) => matches!(failure, HttpFailure::Cut(_)),
            };
            if !again || attempt == RETRIES {
                return match answer {
                    Ok(answer) if answer.status == 200 => Ok(answer),
                    Ok(answer) => Err(self.refusal_error(&answer)),
                    Err(failure) => Err(self.transport_error(&failure)),
                };
            }
            let asked = answer.ok().and_then(|answer| answer.retry_after);
            let wait = asked.unwrap_or(Duration::from_millis(250) * 2_u32.pow(attempt));
            std::thread::sleep(wait.min(LONGEST_WAIT));
            attempt += 1;
        }
    }

    fn refusal_error(&self, answer: &HttpResponse) -> Error {
        let base = self.client.base();
        let said = self.render_server_message(&answer.body);
        match answer.status {
            401 | 403 => Error::refused(format!("{base} rejected the key")).hint("set `embedding.api_key`"),
            404 => Error::not_found(format!("{base} has no embeddings, or no model {}{said}", self.name))
                .hint("check `embedding.base_url`, which ends with /v1, and `embedding.model`"),
            429 | 500.. => Error::new(
                ErrorKind::Unavailable,
                format!("{base} is busy or failing: status {}{said}", answer.status),
            )
            .hint("try again later"),
            300..=399 => Error::refused(format!("{base} redirects, and redirects are not followed"))
                .hint("set `embedding.base_url` to the address that it redirects to"),
            status => self.bad_answer_error(format!("status {status}{said}")),
        }
    }

    /// The server's own words about it, if there are any.
    fn render_server_message(&self, body: &[u8]) -> String {
        let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
        let places = ["/error/message", "/message", "/error", "/detail"];
        let said = places.iter().find_map(|place| body.pointer(place)?.as_str());
        said.map(|said| format!(", it says: {}", self.redact_key(said.chars().take(300).collect())))
            .unwrap_or_default()
    }

    /// Servers repeat what they were sent, the key at times.
    fn redact_key(&self, text: String) -> String {
        let keys = self.headers.iter().filter_map(|(_, value)| value.to_str().ok()?.strip_prefix("Bearer "));
        keys.filter(|key| !key.is_empty()).fold(text, |text, key| text.replace(key, "…"))
    }

    fn transport_error(&self, failure: &HttpFailure) -> Error {
        match failure {
            HttpFailure::TooLarge => self.bad_answer_error("the answer is too large"),
            _ => Error::new(
                ErrorKind::Unavailable,
                format!("no vectors from {}: {failure}", self.client.base()),
            )
            .hint("is the server running? its address is the setting `embedding.base_url`"),
        }
    }

    fn bad_answer_error(&self, why: impl std::fmt::Display) -> Error {
        Error::failed(format!("no vectors from {}: {}", self.client.base(), self.redact_key(why.to_string())))
    }
}

impl Embedder for EmbeddingEndpoint {
    fn is_local(&self) -> bool {
        self.client.is_local()
    }

    /// Asks the server for one vector where none came yet: it is the only way to learn how long they are.
    fn model(&self) -> Result<EmbeddingModel> {
        let dimension = match self.dimension.get() {
            Some(dimension) => *dimension,
            None => self.embed_batch(&["length".to_owned()])?.first().map_or(0, Vec::len),
        };
        Ok(EmbeddingModel { name: self.name.clone(), hash: self.client.base().to_owned(), dimension })
    }

    fn embed(&self, texts: &[&str], purpose: EmbeddingPurpose) -> Result<Vec<Vec<f32>>> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            // Some servers refuse a text that is empty.
            let written = |text: &&str| {
                format!("{}{}", self.prefixes.for_purpose(purpose), if text.is_empty() { " " } else { text })
            };
            vectors.extend(self.embed_batch(&batch.iter().map(written).collect::<Vec<_>>())?);
        }
        Ok(vectors)
    }
}

/// Each text's vector in its place, of length one.
fn sort_vectors(data: Vec<IndexedVector>, count: usize) -> Result<Vec<Vec<f32>>, String> {
    if data.len() != count {
        return Err(format!("{} vectors came for {count} texts", data.len()));
    }
    let mut places: Vec<Option<Vec<f32>>> = vec![None; count];
    for (at, IndexedVector { index, mut embedding }) in data.into_iter().enumerate() {
        let index = index.unwrap_or(at);
        let Some(place @ None) = places.get_mut(index) else {
            return Err(format!("the vector of text {index} came twice or was not requested"));
        };
        if !embedding.iter().all(|number| number.is_finite()) {
            return Err(format!("the vector of text {index} contains something that is not a number"));
        }
        normalize(&mut embedding);
        *place = Some(embedding);
    }
    Ok(places.into_iter().flatten().collect())
}
