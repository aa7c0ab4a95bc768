//! The unix socket that hooks ask at.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use g1t_repos::RepoLock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;
use tracing::warn;
use uuid::Uuid;

use super::hook::{Question, Reply};
use super::judged::{self, Push};
use crate::runtime::Services;

/// Longest question: refs of one push.
const QUESTION_BYTES: u64 = 2 << 20;
/// Longest a push is judged.
const JUDGE_TIME: Duration = Duration::from_secs(60);

/// Pushes under way, by the id their `git receive-pack` has, and the locks of those that were accepted.
#[derive(Default)]
pub(super) struct Pushes {
    waiting: Mutex<HashMap<Uuid, Arc<Push>>>,
    accepted: Mutex<HashMap<Uuid, RepoLock>>,
}

impl Pushes {
    pub(super) fn begin(&self, push: Arc<Push>) {
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(push.id, push);
    }

    /// Ends a push and gives its lock, when it was accepted.
    pub(super) fn end(&self, push: Uuid) -> Option<RepoLock> {
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&push);
        self.accepted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&push)
    }

    fn find(&self, push: Uuid) -> Option<Arc<Push>> {
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&push)
            .cloned()
    }

    fn accept(&self, push: Uuid, lock: RepoLock) {
        self.accepted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(push, lock);
    }
}

/// Answers hooks until `stop`.
pub(super) async fn serve(
    path: &Path,
    services: Arc<Services>,
    pushes: Arc<Pushes>,
    stop: CancellationToken,
) -> std::io::Result<()> {
    // A process that was killed leaves its socket behind.
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    tokio::spawn(async move {
        while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
            match accepted {
                Ok((stream, _)) => {
                    let (services, pushes) = (Arc::clone(&services), Arc::clone(&pushes));
                    tokio::spawn(async move {
                        let answering =
                            tokio::time::timeout(JUDGE_TIME, answer(stream, &services, &pushes));
                        if !matches!(answering.await, Ok(Ok(()))) {
                            warn!("a hook got no answer; its push is refused");
                        }
                    });
                }
                Err(error) => warn!(%error, "a hook could not be heard"),
            }
        }
    });
    Ok(())
}

async fn answer(
    mut stream: UnixStream,
    services: &Services,
    pushes: &Pushes,
) -> std::io::Result<()> {
    let mut text = String::new();
    (&mut stream)
        .take(QUESTION_BYTES)
        .read_to_string(&mut text)
        .await?;
    let question: Question = serde_json::from_str(&text)?;
    let push = question.push.parse().ok().and_then(|id| pushes.find(id));
    let reply = match push {
        None => Reply {
            accepted: false,
            lines: vec!["g1t: no such push is under way; push again".into()],
        },
        Some(push) => match push.judge(services, &question).await {
            Ok((reply, lock)) => {
                if let Some(lock) = lock {
                    pushes.accept(push.id, lock);
                }
                reply
            }
            Err(error) => judged::failed(&error),
        },
    };
    stream
        .write_all(serde_json::to_string(&reply)?.as_bytes())
        .await?;
    stream.shutdown().await
}
