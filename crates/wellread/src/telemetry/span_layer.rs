//! Hears of the spans of research, whatever the log's level: each is counted when it ends, and kept for sending where anything
//! is sent.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::filter::{FilterFn, LevelFilter, filter_fn};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;
use wellread_core::domain::{id, spans};
use wellread_core::ports::{TraceField, TraceSpan};

use super::span_queue::SpanQueue;
use super::tally::Tally;

pub struct SpanLayer {
    tally: Arc<Tally>,
    outbox: Option<Arc<SpanQueue>>,
}

/// Nothing else is looked at: other spans, of this program and of its libraries, may say anything.
pub fn research_span_filter() -> FilterFn<fn(&Metadata<'_>) -> bool> {
    let ours: fn(&Metadata<'_>) -> bool = |span| span.is_span() && span.target() == spans::TARGET;
    filter_fn(ours).with_max_level_hint(LevelFilter::INFO)
}

impl SpanLayer {
    pub fn new(tally: Arc<Tally>, outbox: Option<Arc<SpanQueue>>) -> Self {
        Self { tally, outbox }
    }
}

/// A span that has not ended.
struct OpenSpan {
    span: TraceSpan,
    begun: Instant,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for SpanLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(held) = context.span(id) else { return };
        let above = held.parent().and_then(|parent| {
            let above = parent.extensions();
            above.get::<OpenSpan>().map(|open| (open.span.trace.clone(), open.span.id.clone()))
        });
        let (trace, parent) = match above {
            Some((trace, parent)) => (trace, Some(parent)),
            None => (id::nonce(), None),
        };
        let mut span = TraceSpan {
            trace,
            id: id::nonce().split_off(16),
            parent,
            name: attributes.metadata().name(),
            begun: SystemTime::now(),
            took: std::time::Duration::ZERO,
            fields: Vec::new(),
            failed: false,
        };
        attributes.record(&mut FieldRecorder(&mut span.fields));
        held.extensions_mut().insert(OpenSpan { span, begun: Instant::now() });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(held) = context.span(id) else { return };
        if let Some(open) = held.extensions_mut().get_mut::<OpenSpan>() {
            values.record(&mut FieldRecorder(&mut open.span.fields));
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(open) = context.span(&id).and_then(|held| held.extensions_mut().remove::<OpenSpan>()) else {
            return;
        };
        let mut span = open.span;
        span.took = open.begun.elapsed();
        span.failed = has_field_value(&span, "outcome", spans::FAILED);
        self.tally.count(&span);
        if let Some(outbox) = &self.outbox {
            outbox.push(span);
        }
    }
}

/// Whether a field of a span is this word.
pub fn has_field_value(span: &TraceSpan, name: &str, word: &str) -> bool {
    span.fields
        .iter()
        .any(|(known, field)| *known == name && matches!(field, TraceField::Text(text) if text == word))
}

/// What a span tells, each name once and what was said last.
struct FieldRecorder<'a>(&'a mut Vec<(&'static str, TraceField)>);

impl FieldRecorder<'_> {
    fn put(&mut self, field: &Field, value: TraceField) {
        self.0.retain(|(known, _)| *known != field.name());
        self.0.push((field.name(), value));
    }
}

impl Visit for FieldRecorder<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, TraceField::Text(value.to_owned()));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, TraceField::Count(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() {
            self.put(field, TraceField::Number(value));
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, TraceField::Truth(value));
    }

    /// A thing that was put in as it is, which may be anything.
    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}
