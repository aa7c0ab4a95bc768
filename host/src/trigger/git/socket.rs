//! The unix socket that hooks ask at.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use g1t_repos::RepoLock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;
use tracing::warn;
use uuid::Uuid;

use super::hook::{Question, Reply};
use super::judged::{self, Push};
use crate::intents;
use crate::runtime::Services;

/// Longest question: refs of one push.
const QUESTION_BYTES: u64 = 2 << 20;
/// Longest a push is judged.
const JUDGE_TIME: Duration = Duration::from_secs(60);

/// Pushes under way, by the id their `git receive-pack` has.
#[derive(Default)]
pub(super) struct Pushes {
    all: Mutex<HashMap<Uuid, UnderWay>>,
}

struct UnderWay {
    push: Arc<Push>,
    /// Of an accepted one.
    lock: Option<RepoLock>,
}

/// A push that is under way until this is dropped.
pub(super) struct Begun {
    pushes: Arc<Pushes>,
    pub(super) push: Arc<Push>,
}

impl Begun {
    /// Ends the push and gives its lock, when it was accepted.
    pub(super) fn end(self) -> Option<RepoLock> {
        self.pushes.all().remove(&self.push.id)?.lock
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.pushes.all().remove(&self.push.id);
    }
}

impl Pushes {
    pub(super) fn begin(self: &Arc<Self>, push: Arc<Push>) -> Begun {
        let under_way = UnderWay {
            push: Arc::clone(&push),
            lock: None,
        };
        self.all().insert(push.id, under_way);
        Begun {
            pushes: Arc::clone(self),
            push,
        }
    }

    fn find(&self, push: Uuid) -> Option<Arc<Push>> {
        self.all().get(&push).map(|found| Arc::clone(&found.push))
    }

    /// Keeps the lock until the push ends. One that has ended meanwhile leaves it with the caller.
    fn accept(&self, push: Uuid, lock: RepoLock) -> Option<RepoLock> {
        match self.all().get_mut(&push) {
            Some(found) => {
                found.lock = Some(lock);
                None
            }
            None => Some(lock),
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Uuid, UnderWay>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
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
        None => not_under_way(),
        Some(push) => match push.judge(services, &question).await {
            Ok((reply, None)) => reply,
            Ok((reply, Some(lock))) => match pushes.accept(push.id, lock) {
                None => reply,
                Some(lock) => {
                    // Its git is gone: what was recorded for it is taken back before anybody else gets the lock.
                    if let Err(error) = intents::forget(&services.pool, push.id).await {
                        warn!(push = %push.id, error = &error as &dyn std::error::Error, "a push is to be settled later");
                    }
                    drop(lock);
                    not_under_way()
                }
            },
            Err(error) => judged::failed(&error),
        },
    };
    stream
        .write_all(serde_json::to_string(&reply)?.as_bytes())
        .await?;
    stream.shutdown().await
}

fn not_under_way() -> Reply {
    Reply {
        accepted: false,
        lines: vec!["g1t: no such push is under way; push again".into()],
    }
}

#[cfg(test)]
mod tests {
    use g1t_repos::Repos;

    use super::*;
    use crate::identity::Actor;
    use crate::trigger::git::smart::Target;

    fn push() -> Arc<Push> {
        let actor = Actor {
            id: 1,
            login: "ada".into(),
            kind: "person".into(),
            token: "tok_1".into(),
            scopes: Vec::new(),
            workspace: None,
            acts_for: None,
        };
        let target = Target {
            repository: 7,
            workspace: 1,
            workspace_name: "acme".into(),
            name: "site".into(),
            default_branch: "main".into(),
            private: true,
            topics: Vec::new(),
            role: 3,
            owner: false,
        };
        Arc::new(Push {
            id: Uuid::now_v7(),
            actor: Arc::new(actor),
            target,
        })
    }

    #[tokio::test]
    async fn a_push_that_ended_while_it_was_judged_leaves_nothing_locked() {
        let folder = tempfile::tempdir().unwrap();
        let repos = Repos::open(folder.path(), None).unwrap();
        let pushes = Arc::new(Pushes::default());

        let accepted = pushes.begin(push());
        let lock = repos.lock(7).await.unwrap();
        assert!(pushes.accept(accepted.push.id, lock).is_none());
        assert!(repos.try_lock(7).is_none(), "locked until it ends");
        assert!(accepted.end().is_some());
        assert!(repos.try_lock(7).is_some());

        let ended = pushes.begin(push());
        let id = ended.push.id;
        assert!(ended.end().is_none());
        let lock = repos.lock(7).await.unwrap();
        drop(pushes.accept(id, lock));
        assert!(
            repos.try_lock(7).is_some(),
            "nobody would ever let go of it"
        );
    }

    #[tokio::test]
    async fn a_push_whose_git_could_not_start_is_not_under_way() {
        let pushes = Arc::new(Pushes::default());
        let begun = pushes.begin(push());
        let id = begun.push.id;
        assert!(pushes.find(id).is_some());
        drop(begun);
        assert!(pushes.find(id).is_none());
    }
}
