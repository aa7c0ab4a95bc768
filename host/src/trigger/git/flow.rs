//! Bytes between a client and git. Whoever keeps the other waiting too long, or sends too much, is cut off.

use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

/// Bytes that are read at once.
const PIECE_BYTES: usize = 64 << 10;
/// Pieces on their way to a client that has not taken them yet.
pub(super) const PIECES: usize = 8;

/// Why the bytes stopped before their end.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stopped {
    #[error("nothing was sent for too long")]
    Silent,
    #[error("more was sent than is taken")]
    TooMuch,
    #[error("the other end is gone")]
    Gone,
    #[error("what was sent could not be read")]
    Unread(#[source] std::io::Error),
}

/// Copies what a client sends to git, at most `most` bytes, and closes git's input at the end.
pub(super) async fn to_git(
    client: &mut (impl AsyncRead + Unpin),
    mut git: impl AsyncWrite + Unpin,
    most: u64,
    silence: Duration,
) -> Result<(), Stopped> {
    let mut piece = vec![0; PIECE_BYTES];
    let mut left = most;
    loop {
        let count = tokio::time::timeout(silence, client.read(&mut piece))
            .await
            .map_err(|_| Stopped::Silent)?
            .map_err(Stopped::Unread)?;
        if count == 0 {
            git.shutdown().await.map_err(|_| Stopped::Gone)?;
            return Ok(());
        }
        left = left.checked_sub(count as u64).ok_or(Stopped::TooMuch)?;
        let read = piece.get(..count).unwrap_or_default();
        // Git takes its time with what it has; how long altogether is limited elsewhere.
        git.write_all(read).await.map_err(|_| Stopped::Gone)?;
    }
}

/// Hands what git says to a client that takes it.
pub(super) async fn to_client(
    git: &mut (impl AsyncRead + Unpin),
    client: &mpsc::Sender<std::io::Result<Bytes>>,
    silence: Duration,
) -> Result<(), Stopped> {
    loop {
        let mut piece = Vec::with_capacity(PIECE_BYTES);
        let count = git
            .take(PIECE_BYTES as u64)
            .read_buf(&mut piece)
            .await
            .map_err(Stopped::Unread)?;
        if count == 0 {
            return Ok(());
        }
        tokio::time::timeout(silence, client.send(Ok(piece.into())))
            .await
            .map_err(|_| Stopped::Silent)?
            .map_err(|_| Stopped::Gone)?;
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::duplex;

    use super::*;

    const SILENCE: Duration = Duration::from_millis(10);

    #[tokio::test]
    async fn what_a_client_sends_is_taken_up_to_the_limit() {
        let (mut git, input) = duplex(1 << 20);
        to_git(&mut &b"12345"[..], input, 5, SILENCE).await.unwrap();
        let mut taken = String::new();
        git.read_to_string(&mut taken).await.unwrap();
        assert_eq!(taken, "12345");
        let (_git, input) = duplex(1 << 20);
        let cut = to_git(&mut &b"123456"[..], input, 5, SILENCE).await;
        assert!(matches!(cut, Err(Stopped::TooMuch)), "{cut:?}");
    }

    #[tokio::test]
    async fn a_client_that_sends_nothing_is_cut_off() {
        let (mut client, _kept_open) = duplex(8);
        let (mut git, input) = duplex(8);
        let cut = to_git(&mut client, input, 5, SILENCE).await;
        assert!(matches!(cut, Err(Stopped::Silent)), "{cut:?}");
        let mut taken = Vec::new();
        git.read_to_end(&mut taken).await.unwrap();
        assert!(taken.is_empty(), "and git's input is closed");
    }

    #[tokio::test]
    async fn a_client_that_takes_nothing_is_cut_off() {
        let (sender, mut taken) = mpsc::channel(1);
        let mut git = tokio::io::repeat(1);
        let cut = to_client(&mut git, &sender, SILENCE).await;
        assert!(matches!(cut, Err(Stopped::Silent)), "{cut:?}");
        assert!(!taken.recv().await.unwrap().unwrap().is_empty());
        drop(taken);
        let cut = to_client(&mut git, &sender, SILENCE).await;
        assert!(matches!(cut, Err(Stopped::Gone)), "{cut:?}");
    }
}
