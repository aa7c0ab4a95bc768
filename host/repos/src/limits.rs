//! Every limit of this crate, with its unit and its reason.

use std::time::Duration;

/// Pieces of git work that may run at once for each core: enough to keep the disk busy while some wait for it, few
/// enough that a burst of requests does not open thousands of repositories.
pub const WORK_PER_CORE: usize = 4;

/// How long a piece of work waits for its turn before it answers that the server is busy.
pub const TURN_WAIT: Duration = Duration::from_secs(15);

/// How long to wait for a repository's lock: longer than judging and storing an ordinary push takes.
pub const LOCK_WAIT: Duration = Duration::from_secs(30);

/// How long a landing waits for it: whoever lands holds a transaction of the database open meanwhile, which the database
/// ends when it does nothing for too long.
pub const LAND_WAIT: Duration = Duration::from_secs(10);

/// How long reading may take.
pub const READ_TIME: Duration = Duration::from_secs(30);

/// How long writing (building a step, moving a ref) may take.
pub const WRITE_TIME: Duration = Duration::from_secs(120);

/// How long reading the facts of a push may take: the pusher waits for it.
pub const FACTS_TIME: Duration = Duration::from_secs(60);

/// How long one `git merge-tree` may take.
pub const MERGE_TREE_TIME: Duration = Duration::from_secs(60);

/// Most bytes that are taken from the output of a git process.
pub const PROCESS_OUTPUT_BYTES: usize = 64 << 20;

/// Most branches in one answer.
pub const BRANCHES: u32 = 1_000;

/// Most commits in one answer, and in the facts of a push.
pub const COMMITS: u32 = 10_000;

/// Most commits in one page of a history.
pub const LOG_COMMITS: u32 = 1_000;

/// Most files in one answer, and in the facts of a push.
pub const FILES: u32 = 50_000;

/// Most files in one page of a difference with its lines.
pub const DIFF_FILES: u32 = 1_000;

/// Largest content whose lines are compared, in bytes: comparing takes far longer than reading.
pub const DIFF_BYTES: i64 = 2 << 20;

/// Most refs that one push may move.
pub const REFS: usize = 1_000;

/// Commits in the facts of all refs of a push together: each may have [`COMMITS`], a thousand of them would not fit.
pub const PUSHED_COMMITS: usize = 100_000;

/// Files in the facts of all refs of a push together.
pub const PUSHED_FILES: usize = 500_000;

/// Most bytes that git takes in one push: more would fill the disk before anybody could judge it.
pub const PUSH_BYTES: u64 = 2 << 30;

/// Where a commit's message is cut in an answer, in bytes.
pub const MESSAGE_BYTES: usize = 64 << 10;

/// Messages in one answer together, in bytes: 10,000 commits of 64 KiB each would not fit into memory many times over.
pub const MESSAGES_BYTES: usize = 16 << 20;

/// Commits that `rebase` replays; more are refused.
pub const REPLAYED_COMMITS: u32 = 1_000;

/// Changed paths of one side up to which a merge is worked out in process.
pub const TRIVIAL_MERGE_PATHS: usize = 200_000;

/// Folders inside each other that are followed in process. Each is a stack frame; trees of real projects have some ten.
pub const TREE_DEPTH: usize = 200;

/// Renames with changed content are looked for among so many removed times added files, as git does by default
/// (`diff.renameLimit` 1000); among more, only identical files are paired.
pub const RENAME_PAIRS: usize = 1_000 * 1_000;

/// Longest name of a ref, in bytes: a file name of 255 bytes with room for `.lock`.
pub const REF_NAME_BYTES: usize = 244;

/// Longest path of a file, in bytes.
pub const PATH_BYTES: usize = 4_096;

/// Age at which what a crashed creation left behind is swept away.
pub const ABANDONED_AGE: Duration = Duration::from_secs(3_600);
