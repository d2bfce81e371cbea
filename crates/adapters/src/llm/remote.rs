//! A model behind an endpoint: asks, hears the answer as it comes, and asks again where that may help.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use wellread_core::domain::display::render_duration;
use wellread_core::ports::{
    Delta, DeltaHandler, Model, ModelFailure, ModelIdentity, ModelRequest, Reply, ReplyFormat,
    ReplyFormatMode, ToolSpec,
};
use wellread_core::{Error, Result};

use super::refusal::{AttemptFailure, RefusalContext, UnsupportedParams};
use super::reply_builder::{ReplyBuilder, broken_failure};
use super::retry_policy::{MOST_ATTEMPTS, RetryPolicy};
use super::{ModelService, ModelWireFormat, anthropic, openai};
use crate::http::{AsyncClient, HttpFailure};

const LARGEST_REFUSAL: usize = 64 << 10;
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

pub struct RemoteModel {
    pub(super) service: ModelService,
    line: AsyncClient,
    headers: Vec<(HeaderName, HeaderValue)>,
    pub(super) pace: RetryPolicy,
    dislikes: Mutex<UnsupportedParams>,
}

impl std::fmt::Debug for RemoteModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RemoteModel").field(&self.service).finish()
    }
}

impl RemoteModel {
    /// Looks at the address and the key. Nothing is sent yet.
    pub fn new(service: ModelService) -> Result<Self> {
        let hint = "set `model.base_url`";
        let line =
            AsyncClient::new(&service.base_url, &service.identity).map_err(|error| error.hint(hint))?;
        let line = match (service.wire, line.base().strip_suffix("/v1")) {
            (ModelWireFormat::Anthropic, Some(above)) => {
                AsyncClient::new(above, &service.identity).map_err(|error| error.hint(hint))?
            }
            _ => line,
        };
        let mut headers = Vec::new();
        if service.wire == ModelWireFormat::Anthropic {
            let version = HeaderValue::from_static(anthropic::VERSION);
            headers.push((HeaderName::from_static("anthropic-version"), version));
        }
        if let Some(key) = &service.key {
            let (name, value) = match service.wire {
                ModelWireFormat::OpenAi => (AUTHORIZATION, format!("Bearer {key}")),
                ModelWireFormat::Anthropic => (HeaderName::from_static("x-api-key"), key.clone()),
            };
            let mut value = HeaderValue::from_str(&value).map_err(|_| {
                Error::invalid("the model's key contains a character that can't be sent")
                    .hint(&service.key_hint)
            })?;
            value.set_sensitive(true);
            headers.push((name, value));
        }
        Ok(Self { service, line, headers, pace: RetryPolicy::default(), dislikes: Mutex::default() })
    }

    #[must_use]
    pub fn with_retry_policy(mut self, pace: RetryPolicy) -> Self {
        self.pace = pace;
        self
    }

    /// Whether somebody answers at the address, whatever he says. No key is sent.
    pub async fn probe(&self) -> Result<(), ModelFailure> {
        let path = if self.service.wire == ModelWireFormat::OpenAi { "models" } else { "v1/models" };
        let answered =
            timeout(PROBE_TIMEOUT, self.line.get(path)).await.unwrap_or(Err(HttpFailure::TimedOut));
        answered.map(|_| ()).map_err(|failure| self.unreachable_failure(&failure.to_string()))
    }

    async fn answer(&self, request: &ModelRequest, heard: DeltaHandler<'_>) -> Result<Reply, ModelFailure> {
        let by_schema = request.shape.as_ref().is_some_and(|shape| shape.by == ReplyFormatMode::Schema);
        if by_schema && self.service.wire == ModelWireFormat::Anthropic {
            return Err(ModelFailure::Unsupported { what: "constrained replies".to_owned() });
        }
        let deadline = Instant::now() + request.limit;
        let late = |_| {
            self.unreachable_failure(&format!("no complete answer within {}", render_duration(request.limit)))
        };
        timeout_at(deadline, self.answer_with_retries(request, heard, deadline)).await.map_err(late)?
    }

    async fn answer_with_retries(
        &self,
        request: &ModelRequest,
        heard: DeltaHandler<'_>,
        deadline: Instant,
    ) -> Result<Reply, ModelFailure> {
        let (mut asked, mut failed) = (0, 0);
        loop {
            asked += 1;
            let dislikes = *self.dislikes.lock().unwrap_or_else(PoisonError::into_inner);
            let mut gathered = ReplyBuilder::new(request, heard);
            let trouble = match self.attempt(request, dislikes, &mut gathered).await {
                Ok(()) => return Ok(gathered.finish(request, asked)),
                Err(trouble) => trouble,
            };
            let wait = match trouble {
                AttemptFailure::Final(failure) => return Err(failure),
                AttemptFailure::Dislikes(learned) => {
                    *self.dislikes.lock().unwrap_or_else(PoisonError::into_inner) = learned;
                    Duration::ZERO
                }
                AttemptFailure::Passing(failure, said) => {
                    failed += 1;
                    let wait = self.pace.delay(failed, said);
                    if failed == MOST_ATTEMPTS || Instant::now() + wait >= deadline {
                        return Err(failure);
                    }
                    tracing::debug!(attempt = failed, ?wait, ?failure, "asking the model again");
                    wait
                }
            };
            if gathered.streamed {
                heard(Delta::Again);
            }
            sleep(wait).await;
        }
    }

    async fn attempt(
        &self,
        request: &ModelRequest,
        dislikes: UnsupportedParams,
        gathered: &mut ReplyBuilder<'_>,
    ) -> Result<(), AttemptFailure> {
        let (path, body) = match self.service.wire {
            ModelWireFormat::OpenAi => {
                ("chat/completions", openai::body(&self.service.model, request, dislikes))
            }
            ModelWireFormat::Anthropic => {
                ("v1/messages", anthropic::body(&self.service.model, request, dislikes))
            }
        };
        let sent = self.line.post(path, &self.headers, body.to_string().into_bytes()).await;
        let mut pieces = sent.map_err(|failure| self.classify_failure(&failure))?;
        let (status, wait) = (pieces.status, pieces.retry_after);
        let refusal = self.refusal_context(request, dislikes, wait);
        if !(200..300).contains(&status) {
            let body = timeout(self.pace.idle, pieces.read_rest(LARGEST_REFUSAL)).await.unwrap_or_default();
            return Err(refusal.classify_status(status, &body));
        }
        self.read_answer(&mut pieces, gathered, &refusal).await
    }

    fn refusal_context<'a>(
        &'a self,
        request: &'a ModelRequest,
        dislikes: UnsupportedParams,
        wait: Option<Duration>,
    ) -> RefusalContext<'a> {
        RefusalContext {
            base: self.line.base(),
            model: &self.service.model,
            key: self.service.key.as_deref(),
            key_hint: &self.service.key_hint,
            request,
            dislikes,
            wait,
        }
    }

    pub(super) fn classify_failure(&self, failure: &HttpFailure) -> AttemptFailure {
        match failure {
            HttpFailure::Local(why) => AttemptFailure::Final(broken_failure(why)),
            HttpFailure::TimedOut => {
                let idle = render_duration(self.pace.idle);
                AttemptFailure::Passing(
                    self.unreachable_failure(&format!("nothing more arrived for {idle}")),
                    None,
                )
            }
            failure => AttemptFailure::Passing(self.unreachable_failure(&failure.to_string()), None),
        }
    }

    fn unreachable_failure(&self, why: &str) -> ModelFailure {
        ModelFailure::Unreachable { message: format!("no answer from {}: {why}", self.line.base()) }
    }
}

impl Model for RemoteModel {
    fn identity(&self) -> ModelIdentity {
        ModelIdentity {
            name: self.service.model.clone(),
            endpoint: self.line.origin(),
            is_local: self.line.is_local(),
            price: self.service.price,
        }
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        heard: DeltaHandler<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>> {
        Box::pin(self.answer(request, heard))
    }
}

/// The tool that a shape is asked for by.
pub(super) fn answer_tool(shape: &ReplyFormat) -> ToolSpec {
    let about = "Takes the answer. Call it once, with all of it.".to_owned();
    ToolSpec { name: shape.name.clone(), about, input: shape.schema.clone() }
}

/// Arguments as a service takes them back: what was no object is put into one.
pub(super) fn to_object(arguments: &Value) -> Value {
    if arguments.is_object() { arguments.clone() } else { json!({ "arguments": arguments }) }
}
