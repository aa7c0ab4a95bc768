use std::sync::Arc;

use futures::TryStreamExt;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPoolOptions, PgRow, PgTypeInfo};
use sqlx::{AssertSqlSafe, Column, Either, Executor, PgPool, Postgres, SqlSafeStr, Statement};
use tokio::sync::{Mutex, OwnedMutexGuard, mpsc, oneshot};
use tokio::time::Instant;
use tracing::warn;

use super::encode::Parameters;
use super::login::GuestLogins;
use super::{decode, statement};
use crate::bindings::app::spin::postgres::postgres as wit;
use crate::limits;
use crate::manifest::Access;

/// The connections that guests share: one pool for each login.
#[derive(Clone)]
pub struct GuestPool {
    writers: PgPool,
    readers: PgPool,
    /// What the host shows to say whose request a connection serves. A parameter, so that no view of Postgres shows it.
    secret: Arc<[u8]>,
}

const ENTER: &str = "SELECT g1t_enter($1, $2, $3)";

/// Whose request a connection is for: what row-level security goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Number of the workspace; none sees no workspace's rows.
    pub workspace: Option<i64>,
    /// Number of the user; none for the system.
    pub actor: Option<i64>,
}

impl GuestPool {
    /// Connects lazily: a database that is down fails the first request, not the start. Who may only read gets a third of
    /// `connections` beside them.
    pub fn new(logins: GuestLogins, connections: u32) -> Self {
        Self {
            writers: pool(logins.writer, connections),
            readers: pool(logins.reader, connections.div_ceil(3)),
            secret: logins.secret.into(),
        }
    }

    /// A connection for one request.
    ///
    /// # Errors
    /// `connection-failed` when none is free within [`limits::CONNECT_WAIT`] or the server does not answer.
    pub async fn open(&self, scope: Scope, access: Access) -> Result<Session, wit::Error> {
        let pool = match access {
            Access::Read => &self.readers,
            Access::Write => &self.writers,
        };
        let until = Instant::now() + limits::CONNECT_WAIT;
        loop {
            let mut connection = pool.acquire().await.map_err(|error| {
                warn!(%error, "no database connection for a guest");
                wit::Error::ConnectionFailed(
                    "the database is busy or cannot be reached; try again".into(),
                )
            })?;
            let enter = sqlx::query(ENTER)
                .bind(&*self.secret)
                .bind(scope.workspace)
                .bind(scope.actor);
            let Err(error) = within(enter.execute(&mut *connection)).await else {
                return Ok(Session {
                    held: Arc::new(Mutex::new(Held {
                        connection: Some(connection),
                        busy: false,
                    })),
                });
            };
            // Dead without the pool's knowing, as all of them are when the server was started again: the next may live.
            drop(connection.detach());
            if !is_broken(&error) || Instant::now() >= until {
                return Err(error);
            }
        }
    }

    /// Closes every connection, waiting for those in use.
    pub async fn close(&self) {
        tokio::join!(self.writers.close(), self.readers.close());
    }
}

fn pool(options: PgConnectOptions, connections: u32) -> PgPool {
    // Given when the connection is made, so that RESET ALL brings them back.
    let options = options.options([
        // Rolling back where nothing is open is routine here, not a warning.
        ("client_min_messages", "error".to_owned()),
        (
            "statement_timeout",
            limits::STATEMENT.as_millis().to_string(),
        ),
        (
            "idle_in_transaction_session_timeout",
            limits::IDLE_IN_TRANSACTION.as_millis().to_string(),
        ),
    ]);
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(limits::CONNECT_WAIT)
        .test_before_acquire(false)
        .connect_lazy_with(options)
}

struct Held {
    connection: Option<sqlx::pool::PoolConnection<Postgres>>,
    /// A statement is on its way: what the server sends next is not for whoever comes next.
    busy: bool,
}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else {
            return;
        };
        if self.busy {
            drop(connection.detach());
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            drop(connection.detach());
            return;
        };
        runtime.spawn(async move {
            let clean =
                "ROLLBACK; RESET ROLE; RESET ALL; DISCARD TEMP; SELECT pg_advisory_unlock_all()";
            if within(connection.execute(sqlx::raw_sql(clean)))
                .await
                .is_err()
            {
                drop(connection.detach());
            }
        });
    }
}

/// A guest's connection.
#[derive(Clone)]
pub struct Session {
    held: Arc<Mutex<Held>>,
}

/// What a query gives: the columns at once, the rows as they come, and whether all came.
pub struct Answer {
    pub columns: Vec<wit::Column>,
    pub rows: mpsc::Receiver<wit::Row>,
    pub done: oneshot::Receiver<Result<(), wit::Error>>,
}

impl Session {
    /// Runs a statement and says how many rows it touched.
    pub async fn execute(
        &self,
        statement: String,
        parameters: Vec<wit::ParameterValue>,
    ) -> Result<u64, wit::Error> {
        statement::check(&statement)?;
        let Parameters { types, arguments } = Parameters::new(parameters)?;
        let mut held = self.held.lock().await;
        let Held { connection, busy } = &mut *held;
        let connection = connection.as_mut().ok_or_else(gone)?;
        *busy = true;
        let result = within(async {
            let statement = prepare(connection, statement, &types).await?;
            connection.execute(statement.query_with(arguments)).await
        })
        .await;
        *busy = !settled(&result);
        result.map(|done| done.rows_affected())
    }

    /// Starts a query. Rows are read from the server as the guest takes them.
    pub async fn query(
        &self,
        statement: String,
        parameters: Vec<wit::ParameterValue>,
    ) -> Result<Answer, wit::Error> {
        statement::check(&statement)?;
        let Parameters { types, arguments } = Parameters::new(parameters)?;
        let mut held = Arc::clone(&self.held).lock_owned().await;
        let Held { connection, busy } = &mut *held;
        *busy = true;
        let connection = connection.as_mut().ok_or_else(gone)?;
        let prepared = within(prepare(connection, statement, &types)).await;
        *busy = !settled(&prepared);
        let prepared = prepared?;
        let columns = prepared
            .columns()
            .iter()
            .map(|column| wit::Column {
                name: column.name().to_owned(),
                data_type: decode::data_type(column.type_info()),
            })
            .collect();
        let (row_sender, rows) = mpsc::channel(limits::ROWS_BUFFERED);
        let (done_sender, done) = oneshot::channel();
        tokio::spawn(async move {
            let result = pump(&mut held, &prepared, arguments, &row_sender).await;
            // Rows end only once the outcome can be read: a guest asks for it right after the last row.
            done_sender.send(result).ok();
            drop(row_sender);
            drop(held);
        });
        Ok(Answer {
            columns,
            rows,
            done,
        })
    }
}

async fn pump(
    held: &mut OwnedMutexGuard<Held>,
    prepared: &sqlx::postgres::PgStatement,
    arguments: PgArguments,
    rows: &mpsc::Sender<wit::Row>,
) -> Result<(), wit::Error> {
    let Held { connection, busy } = &mut **held;
    let connection = connection.as_mut().ok_or_else(gone)?;
    *busy = true;
    let mut stream = connection.fetch_many(prepared.query_with(arguments));
    let mut bytes = 0usize;
    let result = loop {
        let next: Option<Either<_, PgRow>> = match within(stream.try_next()).await {
            Ok(next) => next,
            Err(error) => break Err(error),
        };
        let Some(next) = next else { break Ok(()) };
        let Either::Right(row) = next else { continue };
        let row = match decode::row(&row) {
            Ok(row) => row,
            Err(error) => break Err(error),
        };
        bytes = bytes.saturating_add(decode::size(&row));
        if bytes > limits::RESULT_BYTES {
            break Err(wit::Error::QueryFailed(wit::QueryError::Text(format!(
                "the rows are larger than {} MiB; ask for fewer",
                limits::RESULT_BYTES >> 20
            ))));
        }
        if rows.send(row).await.is_err() {
            // The guest dropped the stream: nobody reads the rest.
            break Err(wit::Error::Other("the rows were dropped".into()));
        }
    };
    drop(stream);
    *busy = !settled(&result);
    result
}

/// True when it was the connection that failed, or the server that ended it, and not the statement.
fn is_broken(error: &wit::Error) -> bool {
    match error {
        wit::Error::QueryFailed(wit::QueryError::DbError(error)) => ["08", "57P"]
            .iter()
            .any(|class| error.code.starts_with(class)),
        _ => true,
    }
}

/// True when the server has said all it will say, so that the connection can be used again.
fn settled<T>(result: &Result<T, wit::Error>) -> bool {
    match result {
        Ok(_) => true,
        Err(wit::Error::QueryFailed(wit::QueryError::DbError(_))) => true,
        Err(_) => false,
    }
}

async fn prepare(
    connection: &mut sqlx::PgConnection,
    statement: String,
    types: &[PgTypeInfo],
) -> Result<sqlx::postgres::PgStatement, sqlx::Error> {
    connection
        .prepare_with(AssertSqlSafe(statement).into_sql_str(), types)
        .await
}

/// Bounds a wait for the server, and turns its error into the guest's.
async fn within<T>(work: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, wit::Error> {
    match tokio::time::timeout(limits::STATEMENT_WALL, work).await {
        Ok(result) => result.map_err(|error| super::decode::error(&error)),
        Err(_) => Err(wit::Error::Other(format!(
            "the database did not answer within {} s",
            limits::STATEMENT_WALL.as_secs()
        ))),
    }
}

fn gone() -> wit::Error {
    wit::Error::ConnectionFailed("this connection was closed".into())
}
