//! Every limit of the host, with its unit and its reason. Those a component may set for itself in `plugins/app.toml` are
//! defaults here.

use std::time::Duration;

/// Instances alive at once in the engine of routes and handlers: requests in flight, events, and idle ones kept for reuse.
/// Whoever finds none waits for an idle one to be given up, at most `REQUEST_WAIT`.
pub const APP_INSTANCES: u32 = 128;
/// Core instances in that pool: a component of ours has two to four.
pub const APP_CORE_INSTANCES: u32 = 1024;
/// Memories in that pool. Each reserves 4 GiB of address space, none of it resident.
pub const APP_MEMORIES: u32 = 256;
/// Tables in that pool.
pub const APP_TABLES: u32 = 512;
/// Fibers in that pool: one for every call in flight, and one for every async task of a guest.
pub const APP_STACKS: u32 = 512;
/// Memory of one store of the app engine, in bytes, when the manifest says nothing.
pub const APP_MEMORY_BYTES: usize = 128 << 20;
/// Most that the manifest may give one component, in bytes: the pool's slots have this size.
pub const APP_MEMORY_BYTES_MOST: usize = 256 << 20;
/// All wasm memory of the process together, in bytes: many guests growing at once must not take the machine down.
pub const PROCESS_MEMORY_BYTES: usize = 8 << 30;
/// Elements of a table: a component of ours has some thousands of functions.
pub const TABLE_ELEMENTS: usize = 100_000;
/// How often the epoch of the app engine moves: the grain of its time limits.
pub const APP_TICK: Duration = Duration::from_millis(10);
/// Wall time of one request or event, when the manifest says nothing.
pub const APP_DEADLINE: Duration = Duration::from_secs(30);
/// Time to make an instance. Routes instantiate in well under a millisecond.
pub const INSTANTIATE_DEADLINE: Duration = Duration::from_secs(2);
/// Bytes the host lifts out of a guest in one call.
pub const APP_HOSTCALL_BYTES: usize = 16 << 20;
/// The same for a component that has changes judged: facts of 10,000 commits and 50,000 files take about 20 MB, and as many
/// of messages may come with them.
pub const JUDGED_HOSTCALL_BYTES: usize = 64 << 20;
/// Resources (connections, bodies, headers) that one store may hold.
pub const RESOURCES: usize = 10_000;
/// An instance is dropped after this many requests, so that what a guest leaks stays bounded.
pub const REUSES: usize = 128;
/// How long an idle instance is kept for the next request.
pub const IDLE: Duration = Duration::from_secs(1);
/// How long a guest may work on after its answer's head is out (streaming the body).
pub const POST_RETURN: Duration = Duration::from_secs(60);

/// Decisions at once, and so instances in the rules engine's pool: judging is pure computing, more than cores is no use.
pub const RULES_INSTANCES: u32 = 16;
/// Memory of one decision, in bytes. Facts of 10,000 commits and 50,000 files take about 20 MB.
pub const RULES_MEMORY_BYTES: usize = 256 << 20;
/// How often the epoch of the rules engine moves.
pub const RULES_TICK: Duration = Duration::from_millis(5);
/// Computing time of one decision by our own judge.
pub const RULES_DEADLINE: Duration = Duration::from_millis(2_000);
/// Fuel of one decision: runs out before the deadline does on an idle machine, so that the verdict does not depend on load.
pub const RULES_FUEL: u64 = 4_000_000_000;
/// Bytes the host lifts out of the judge: verdicts, not facts.
pub const RULES_HOSTCALL_BYTES: usize = 8 << 20;

/// Facts and rulesets that are kept with a decision for judging it again, in bytes of JSON; of larger ones the digest alone
/// is kept. Some hundred commits and a thousand files; Postgres compresses them to a fraction.
pub const KEPT_FACTS_BYTES: usize = 1 << 20;

/// Connections that guests of this process hold at once.
pub const GUEST_CONNECTIONS: u32 = 24;
/// Connections of the host itself: identity, hooks, relay, queue.
pub const HOST_CONNECTIONS: u32 = 12;
/// How long a guest waits for a connection before it is told that the database is busy.
pub const CONNECT_WAIT: Duration = Duration::from_secs(5);
/// Longest statement of a guest; Postgres ends it.
pub const STATEMENT: Duration = Duration::from_secs(10);
/// Longest wait of a guest for the database to say anything: behind `STATEMENT`, for a server that is gone.
pub const STATEMENT_WALL: Duration = Duration::from_secs(15);
/// Longest an open transaction of a guest may do nothing. A guest that lands holds one while it waits for the repository
/// and while git moves the branch.
pub const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(20);
const _: () = assert!(
    g1t_repos::limits::LAND_WAIT.as_secs() * 2 <= IDLE_IN_TRANSACTION.as_secs(),
    "a landing that waits would lose its transaction"
);
/// Bytes of rows that one query may bring: more is an error that names this limit.
pub const RESULT_BYTES: usize = 64 << 20;
/// Rows on their way to a guest that has not read them yet.
pub const ROWS_BUFFERED: usize = 64;

/// Body of an API request, in bytes. Pushes do not pass here.
pub const BODY_BYTES: u64 = 10 << 20;
/// Bodies of all API requests that are being read or worked on, in bytes; the next waits for `REQUEST_WAIT`.
pub const BODIES_BYTES: usize = 256 << 20;
/// Longest that a body may take to arrive.
pub const BODY_TIME: Duration = Duration::from_secs(120);
/// Head of a request, in bytes.
pub const HEAD_BYTES: usize = 64 << 10;
/// Requests that guests work on at once; the next waits for `REQUEST_WAIT`.
pub const REQUESTS: usize = 100;
/// How long a request waits for its turn before it gets 503.
pub const REQUEST_WAIT: Duration = Duration::from_secs(5);
/// Open connections; the next waits in the kernel's queue.
pub const CONNECTIONS: usize = 1_000;
/// Time to send a request's head, between two parts of its body, and for a client to take more of an answer.
pub const CLIENT_SILENCE: Duration = Duration::from_secs(30);
/// Requests of the API that one token may make in an hour, when the settings say nothing: ten times GitHub's, for CI systems
/// and agents that poll.
pub const REQUESTS_PER_HOUR: u32 = 50_000;
/// Tokens whose requests are counted at once; their windows take some 10 MB.
pub const RATED_TOKENS: usize = 100_000;
/// Clones and fetches at once: each is a git process that may hold a large part of a repository in memory.
pub const FETCHES: usize = 32;
/// Pushes at once, apart from fetches so that many readers keep no writer out.
pub const PUSHES: usize = 16;
/// How long git over HTTP waits for its turn before it gets 503.
pub const TRANSFER_WAIT: Duration = Duration::from_secs(10);
/// Longest a clone, a fetch or a push may take.
pub const TRANSFER_TIME: Duration = Duration::from_secs(3_600);
/// How long a client of git may send nothing, or take nothing: longer than it compresses between two pieces.
pub const TRANSFER_SILENCE: Duration = Duration::from_secs(120);
/// What a client may send to ask for objects, in bytes and unpacked: ids of commits, fifty bytes each.
pub const FETCH_BYTES: u64 = 32 << 20;
/// What a client may send to push, in bytes and unpacked: what git itself takes, and the lines that name the refs.
pub const PUSH_BYTES: u64 = g1t_repos::limits::PUSH_BYTES + (2 << 20);
/// What git may answer to a push, in bytes: a line for each ref and what the hook says.
pub const PUSH_REPORT_BYTES: u64 = 4 << 20;
/// How long accepting connections rests after the system gave none.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How long a token's actor is remembered. A revoked token works at most this much longer.
pub const TOKEN_CACHE: Duration = Duration::from_secs(3);
/// How long a starting server waits for a `git receive-pack` of an earlier one: it ends within moments, because nobody
/// gives it anything more to read.
pub const RECEIVERS_END: Duration = Duration::from_secs(30);
/// How often ref moves are looked for that were never settled: rows are there only after something failed.
pub const SETTLE_EVERY: Duration = Duration::from_secs(2);
/// How long a shut-down waits for what runs.
pub const SHUT_DOWN: Duration = Duration::from_secs(20);
/// Bytes of a guest's standard output and error that are logged for one call.
pub const GUEST_LOG_BYTES: usize = 16 << 10;
