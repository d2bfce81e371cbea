//! Notices when a request was answered before its body was read.
//!
//! Whatever is left of such a body would be taken for the next request, so the connection ends. The client has to hear of that: it
//! may have sent its next request already, and would lose it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::body::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

/// A body that notes when its end is reached.
pub struct NotedBody {
    body: Incoming,
    is_read: Arc<AtomicBool>,
}

/// Whether a body was read to its end.
pub struct BodyState(Arc<AtomicBool>);

impl NotedBody {
    pub fn new(body: Incoming) -> (Self, BodyState) {
        let is_read = Arc::new(AtomicBool::new(body.is_end_stream()));
        (Self { body, is_read: is_read.clone() }, BodyState(is_read))
    }
}

impl BodyState {
    pub fn is_read(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl Body for NotedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(polled, Poll::Ready(None)) || self.body.is_end_stream() {
            self.is_read.store(true, Ordering::Release);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
