//! `git receive-pack` processes that outlive their server.
//!
//! One whose hook was answered may still move a ref after its server was killed, and until then nobody can say what came
//! of its push. Each gets an open file as its error stream, and with it a shared lock on that file, which ends with the
//! process, however it ends. The next server waits until nobody has the lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::PathBuf;
use std::time::Duration;

/// How often the lock is tried.
const TRY: Duration = Duration::from_millis(20);

/// All receivers of one data folder.
#[derive(Clone, Debug)]
pub struct Receivers {
    path: PathBuf,
}

impl Receivers {
    /// Receivers that hold a lock on `path`, which is made when it is not there.
    pub fn new(path: PathBuf) -> std::io::Result<Self> {
        OpenOptions::new().create(true).append(true).open(&path)?;
        Ok(Self { path })
    }

    /// The error stream of a new one. It takes nothing: what git says there is for nobody.
    pub(super) fn mark(&self) -> std::io::Result<File> {
        let file = File::open(&self.path)?;
        // Only a server that starts asks for it alone, and it lets go at once.
        file.lock_shared()?;
        Ok(file)
    }

    /// Waits until none is left; false when some are after `patience`.
    pub async fn ended(&self, patience: Duration) -> std::io::Result<bool> {
        let file = File::open(&self.path)?;
        let waiting = async {
            loop {
                match file.try_lock() {
                    Ok(()) => return Ok(true),
                    Err(TryLockError::WouldBlock) => tokio::time::sleep(TRY).await,
                    Err(TryLockError::Error(error)) => return Err(error),
                }
            }
        };
        tokio::time::timeout(patience, waiting)
            .await
            .unwrap_or(Ok(false))
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[tokio::test]
    async fn a_process_that_still_runs_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let receivers = Receivers::new(folder.path().join("receivers")).unwrap();
        assert!(receivers.ended(Duration::ZERO).await.unwrap(), "none yet");
        let mut running = Command::new("cat")
            .stdin(Stdio::piped())
            .stderr(receivers.mark().unwrap())
            .spawn()
            .unwrap();
        assert!(!receivers.ended(Duration::from_millis(50)).await.unwrap());
        // As when its server is killed: its input ends.
        drop(running.stdin.take());
        assert!(receivers.ended(Duration::from_secs(60)).await.unwrap());
        running.wait().unwrap();
    }
}
