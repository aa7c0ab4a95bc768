use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A connection that ends when the other side takes nothing for too long: its answer holds what it was made with, such
/// as an instance and a database connection.
pub(super) struct Patient<T> {
    inner: T,
    patience: Duration,
    /// Since a write could not go on.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<T> Patient<T> {
    pub(super) fn new(inner: T, patience: Duration) -> Self {
        Self {
            inner,
            patience,
            waiting: None,
        }
    }

    /// Passes on what came of a write; a wait that is too long is an error.
    fn wrote<R>(&mut self, cx: &mut Context<'_>, came: Poll<Result<R>>) -> Poll<Result<R>> {
        if came.is_ready() {
            self.waiting = None;
            return came;
        }
        let waiting = self
            .waiting
            .get_or_insert_with(|| Box::pin(sleep(self.patience)));
        ready!(waiting.as_mut().poll(cx));
        Poll::Ready(Err(Error::new(
            ErrorKind::TimedOut,
            "the client reads nothing",
        )))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Patient<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Patient<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let came = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.wrote(cx, came)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let came = Pin::new(&mut self.inner).poll_write_vectored(cx, pieces);
        self.wrote(cx, came)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    #[tokio::test]
    async fn who_reads_nothing_is_given_up_and_who_reads_slowly_is_not() {
        let patience = Duration::from_millis(200);
        let (ours, _theirs) = duplex(16);
        let given_up = Patient::new(ours, patience).write_all(&[0; 64]).await;
        assert_eq!(given_up.unwrap_err().kind(), ErrorKind::TimedOut);

        let (ours, mut theirs) = duplex(16);
        let reading = async move {
            let mut all = [0; 64];
            for part in all.chunks_mut(8) {
                tokio::time::sleep(patience / 4).await;
                theirs.read_exact(part).await.unwrap();
            }
        };
        let mut ours = Patient::new(ours, patience);
        let (wrote, ()) = tokio::join!(ours.write_all(&[0; 64]), reading);
        wrote.unwrap();
    }
}
