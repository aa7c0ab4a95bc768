//! The folder of repositories: where each lies, who writes it now, and where its work runs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::{OwnedMutexGuard, Semaphore};

use crate::error::Doing;
use crate::limits::{LOCK_WAIT, TURN_WAIT, WORK_PER_CORE};
use crate::merge::{MergeCounters, MergeCounts};
use crate::{Error, Oid, Result};

/// The repositories of this machine. Cheap to clone.
#[derive(Clone)]
pub struct Repos {
    inner: Arc<Inner>,
}

struct Inner {
    root: PathBuf,
    hooks_dir: Option<PathBuf>,
    turns: Arc<Semaphore>,
    /// Weak, so that a repository nobody writes costs nothing.
    locks: Mutex<HashMap<u64, Weak<tokio::sync::Mutex<()>>>>,
    merges: Arc<MergeCounters>,
}

/// Proof that nobody else in this process moves the branches of one repository. Released when dropped.
#[derive(Debug)]
pub struct RepoLock {
    repository: u64,
    guard: Arc<OwnedMutexGuard<()>>,
}

impl RepoLock {
    /// The repository that is locked.
    pub fn repository(&self) -> u64 {
        self.repository
    }

    /// Keeps the repository locked for as long as somebody has this: for work that may outlive its time limit.
    pub(crate) fn hold(&self) -> Arc<OwnedMutexGuard<()>> {
        Arc::clone(&self.guard)
    }
}

impl Repos {
    /// Repositories under `root`, which is made when it is not there. `hooks_dir` is written into each new repository as
    /// the place of its hooks, so that a push that goes round the host meets the hook as well.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the folder cannot be made.
    pub fn open(root: impl Into<PathBuf>, hooks_dir: Option<PathBuf>) -> Result<Repos> {
        ignore_machine_configuration()?;
        let root = root.into();
        std::fs::create_dir_all(&root)
            .and_then(|()| root.canonicalize())
            .map_err(|source| Error::Io {
                doing: "make the folder",
                path: root.clone(),
                source,
            })
            .map(|root| {
                crate::create::sweep_abandoned(&root);
                let cores = std::thread::available_parallelism().map_or(1, usize::from);
                let inner = Inner {
                    root,
                    hooks_dir,
                    turns: Arc::new(Semaphore::new(cores * WORK_PER_CORE)),
                    locks: Mutex::new(HashMap::new()),
                    merges: Arc::new(MergeCounters::default()),
                };
                Repos {
                    inner: Arc::new(inner),
                }
            })
    }

    /// The folder of a repository, whether it exists or not.
    pub fn path(&self, repository: u64) -> PathBuf {
        self.inner.root.join(format!("{repository}.git"))
    }

    /// True when the repository has been made.
    pub fn exists(&self, repository: u64) -> bool {
        self.path(repository).join("HEAD").is_file()
    }

    /// How many merges were worked out in process and how many git was asked for, since the start.
    pub fn merge_counts(&self) -> MergeCounts {
        self.inner.merges.counts()
    }

    /// Waits until nobody else in this process moves branches of the repository.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] after [`LOCK_WAIT`].
    pub async fn lock(&self, repository: u64) -> Result<RepoLock> {
        self.lock_within(repository, LOCK_WAIT).await
    }

    /// [`Repos::lock`] for somebody who has only so much time.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] after `wait`.
    pub async fn lock_within(&self, repository: u64, wait: Duration) -> Result<RepoLock> {
        let waiting = self.lock_of(repository).lock_owned();
        match tokio::time::timeout(wait, waiting).await {
            Ok(guard) => Ok(RepoLock {
                repository,
                guard: Arc::new(guard),
            }),
            Err(_) => Err(Error::Busy(format!(
                "repository {repository} is being written by somebody else"
            ))),
        }
    }

    /// The lock, when nobody has it at this moment.
    pub fn try_lock(&self, repository: u64) -> Option<RepoLock> {
        let guard = self.lock_of(repository).try_lock_owned().ok()?;
        Some(RepoLock {
            repository,
            guard: Arc::new(guard),
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.inner.root
    }

    pub(crate) fn hooks_dir(&self) -> Option<&Path> {
        self.inner.hooks_dir.as_deref()
    }

    fn lock_of(&self, repository: u64) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self
            .inner
            .locks
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(&repository).and_then(Weak::upgrade) {
            return lock;
        }
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::new(tokio::sync::Mutex::new(()));
        locks.insert(repository, Arc::downgrade(&lock));
        lock
    }

    /// Runs `work` on an existing repository, on a thread that may block.
    ///
    /// Work that takes longer than `limit` is answered with [`Error::Busy`]; it keeps its turn until it notices, so that
    /// slow work cannot pile up.
    pub(crate) async fn work<T, F>(&self, repository: u64, limit: Duration, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Work) -> Result<T> + Send + 'static,
    {
        let path = self.path(repository);
        let merges = Arc::clone(&self.inner.merges);
        self.blocking(limit, move |deadline| {
            let repo = match git2::Repository::open_bare(&path) {
                Ok(repo) => repo,
                Err(error) if error.code() == git2::ErrorCode::NotFound => {
                    return Err(Error::NoRepository(repository));
                }
                Err(error) => return Err(error).doing("open the repository"),
            };
            work(&Work {
                repo,
                path,
                deadline,
                merges,
                runtime: Handle::current(),
            })
        })
        .await
    }

    /// Runs `work` on a thread that may block, when it is its turn.
    pub(crate) async fn blocking<T, F>(&self, limit: Duration, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(Instant) -> Result<T> + Send + 'static,
    {
        let turn =
            tokio::time::timeout(TURN_WAIT, Arc::clone(&self.inner.turns).acquire_owned()).await;
        let Ok(Ok(turn)) = turn else {
            return Err(Error::Busy("too much git work is waiting".into()));
        };
        let running = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work(Instant::now() + limit)
        });
        match tokio::time::timeout(limit, running).await {
            Ok(ended) => ended.map_err(Error::Stopped)?,
            Err(_) => Err(took_too_long()),
        }
    }
}

/// One piece of work on one repository, on a thread that may block.
pub(crate) struct Work {
    pub(crate) repo: git2::Repository,
    pub(crate) path: PathBuf,
    pub(crate) deadline: Instant,
    pub(crate) merges: Arc<MergeCounters>,
    /// Drives the git processes that the work starts.
    pub(crate) runtime: Handle,
}

impl Work {
    /// Stops work whose time is over. Called in every loop over outside data.
    pub(crate) fn check_time(&self) -> Result<()> {
        if Instant::now() > self.deadline {
            Err(took_too_long())
        } else {
            Ok(())
        }
    }

    /// The commit of an id; a tag object is followed.
    pub(crate) fn commit(&self, id: Oid) -> Result<git2::Commit<'_>> {
        let object = match self.repo.find_object(id.0, None) {
            Ok(object) => object,
            Err(error) if error.code() == git2::ErrorCode::NotFound => {
                return Err(Error::NoObject(id));
            }
            Err(error) => return Err(error).doing("read an object"),
        };
        let kind = object.kind().map_or("object", |kind| kind.str());
        object
            .peel_to_commit()
            .map_err(|_| Error::Invalid(format!("{id} is a {kind}: give the id of a commit")))
    }

    /// The commit of an id, none when the id is of something else.
    pub(crate) fn peeled(&self, id: git2::Oid) -> Option<git2::Oid> {
        let object = self.repo.find_object(id, None).ok()?;
        object.peel_to_commit().ok().map(|commit| commit.id())
    }

    /// Where a ref points; none when it does not exist.
    pub(crate) fn ref_target(&self, full: &str) -> Result<Option<git2::Oid>> {
        match self.repo.refname_to_id(full) {
            Ok(id) => Ok(Some(id)),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error).doing("read a ref"),
        }
    }

    /// True when `ancestor` is `descendant` or is contained in it.
    pub(crate) fn contains(&self, descendant: git2::Oid, ancestor: git2::Oid) -> Result<bool> {
        if descendant == ancestor {
            return Ok(true);
        }
        self.repo
            .graph_descendant_of(descendant, ancestor)
            .doing("walk the history")
    }
}

fn took_too_long() -> Error {
    Error::Busy("git took longer than it may".into())
}

/// Makes the library read no configuration but the repository's own: results must not depend on the machine.
fn ignore_machine_configuration() -> Result<()> {
    static DONE: Once = Once::new();
    let mut result = Ok(());
    DONE.call_once(|| {
        let levels = [
            git2::ConfigLevel::ProgramData,
            git2::ConfigLevel::System,
            git2::ConfigLevel::XDG,
            git2::ConfigLevel::Global,
        ];
        for level in levels {
            // SAFETY: the search paths are global to the library and not guarded by it. `Once` admits one thread, the
            // others wait here, and nothing of the library is used before a `Repos` exists.
            let set = unsafe { git2::opts::set_search_path(level, "") };
            if let Err(error) = set {
                result = Err(error).doing("leave out the machine's configuration");
            }
        }
    });
    result
}
