//! A connection whose other end has to go on reading. One that takes nothing for too long has failed.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

const LONGEST_STALL: Duration = Duration::from_secs(30);

pub struct StallGuard<T> {
    stream: T,
    /// Set while something waits to be written.
    since: Option<Pin<Box<Sleep>>>,
}

impl<T> StallGuard<T> {
    pub fn new(stream: T) -> Self {
        Self { stream, since: None }
    }

    fn check_stall<R>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<R>>) -> Poll<io::Result<R>> {
        if written.is_ready() {
            self.since = None;
            return written;
        }
        let since = self.since.get_or_insert_with(|| Box::pin(sleep(LONGEST_STALL)));
        ready!(since.as_mut().poll(cx));
        since.as_mut().reset(Instant::now() + LONGEST_STALL);
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for StallGuard<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for StallGuard<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.check_stall(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.check_stall(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.check_stall(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_takes_nothing_is_given_up_and_a_slow_one_is_not() {
        let (near, mut far) = tokio::io::duplex(16);
        let mut near = StallGuard::new(near);
        let written = tokio::spawn(async move { near.write_all(&[7; 64]).await.map(|()| near) });
        let mut piece = [0; 16];
        for _ in 0..3 {
            tokio::time::sleep(LONGEST_STALL - Duration::from_secs(1)).await;
            tokio::io::AsyncReadExt::read_exact(&mut far, &mut piece).await.unwrap();
        }
        let mut near = written.await.unwrap().unwrap();
        let stalled = near.write_all(&[7; 64]).await.unwrap_err();
        assert_eq!(stalled.kind(), io::ErrorKind::TimedOut);
    }
}
