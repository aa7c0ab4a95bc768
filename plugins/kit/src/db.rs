//! The database `work`: queries with named columns, transactions that are over when their value is.

use std::ops::Deref;
use std::rc::Rc;

use spin_sdk::pg::{self, DbValue, ParameterValue, PgError, QueryError};

use crate::Fault;
use crate::column::Column;

/// SQLSTATEs that this module tells apart (PostgreSQL, appendix A).
mod sqlstate {
    pub const UNIQUE_VIOLATION: &str = "23505";
    pub const FOREIGN_KEY_VIOLATION: &str = "23503";
    pub const CHECK_VIOLATION: &str = "23514";
    pub const SERIALIZATION_FAILURE: &str = "40001";
    pub const DEADLOCK_DETECTED: &str = "40P01";
    pub const LOCK_NOT_AVAILABLE: &str = "55P03";
    pub const QUERY_CANCELED: &str = "57014";
    pub const TOO_MANY_CONNECTIONS: &str = "53300";
}

/// Why the database did not do it, by what the caller can do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DbError {
    /// A row of that key is there already.
    #[error("a row of that key is there already ({0})")]
    Unique(String),
    /// A row that is referred to is missing, or still referred to.
    #[error("a row that is referred to is missing ({0})")]
    Reference(String),
    /// A value that a CHECK refuses.
    #[error("a value is refused by the database ({0})")]
    Check(String),
    /// Somebody else is in the way, or the database cannot be reached: try again.
    #[error("the database is busy ({0})")]
    Busy(String),
    /// A bug: SQL or a type that does not fit.
    #[error("{0}")]
    Bug(String),
}

impl DbError {
    /// True for a row whose key is there already.
    pub fn is_unique(&self) -> bool {
        matches!(self, Self::Unique(_))
    }
}

impl From<pg::Error> for DbError {
    fn from(error: pg::Error) -> Self {
        match error {
            pg::Error::Decode(why) => Self::Bug(why),
            pg::Error::PgError(error) => error.into(),
        }
    }
}

impl From<PgError> for DbError {
    fn from(error: PgError) -> Self {
        match error {
            PgError::ConnectionFailed(why) => Self::Busy(why),
            PgError::QueryFailed(QueryError::DbError(error)) => {
                let text = error.message;
                match error.code.as_str() {
                    sqlstate::UNIQUE_VIOLATION => Self::Unique(text),
                    sqlstate::FOREIGN_KEY_VIOLATION => Self::Reference(text),
                    sqlstate::CHECK_VIOLATION => Self::Check(text),
                    sqlstate::SERIALIZATION_FAILURE
                    | sqlstate::DEADLOCK_DETECTED
                    | sqlstate::LOCK_NOT_AVAILABLE
                    | sqlstate::QUERY_CANCELED
                    | sqlstate::TOO_MANY_CONNECTIONS => Self::Busy(text),
                    code => Self::Bug(format!("SQLSTATE {code}: {text}")),
                }
            }
            PgError::QueryFailed(QueryError::Text(why))
            | PgError::BadParameter(why)
            | PgError::ValueConversionFailed(why)
            | PgError::Other(why) => Self::Bug(why),
        }
    }
}

/// What a caller that does not look closer gets. Texts of the database stay in the log.
impl From<DbError> for Fault {
    fn from(error: DbError) -> Self {
        match error {
            DbError::Unique(_) => Self::conflict(
                "already_exists",
                "something of that name or key is there already",
            ),
            DbError::Busy(_) => Self::busy("the database is busy"),
            DbError::Reference(_) | DbError::Check(_) | DbError::Bug(_) => {
                Self::internal(format!("database: {error}"))
            }
        }
    }
}

/// A row of an answer.
#[derive(Clone, Debug)]
pub struct Row {
    columns: Rc<[String]>,
    values: Vec<DbValue>,
}

impl Row {
    /// A column by its name.
    ///
    /// # Errors
    /// [`DbError::Bug`] when there is no such column or it is of another type.
    pub fn get<T: Column>(&self, column: &str) -> Result<T, DbError> {
        let index = self.columns.iter().position(|name| name == column);
        let value = index.and_then(|index| self.values.get(index));
        let value = value
            .ok_or_else(|| DbError::Bug(format!("no column `{column}` in {:?}", self.columns)))?;
        T::from_value(value)
            .ok_or_else(|| DbError::Bug(format!("column `{column}` is of another type")))
    }

    /// A row for tests.
    pub fn of(columns: &[(&str, DbValue)]) -> Self {
        Self {
            columns: columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
            values: columns.iter().map(|(_, value)| value.clone()).collect(),
        }
    }
}

/// An open connection outside a transaction, or within one by way of [`Transaction`].
pub struct Db(pg::Connection);

impl Db {
    /// Opens the database. The host has set the request's workspace and actor on it.
    ///
    /// # Errors
    /// [`DbError::Busy`] when there is none to be had.
    pub async fn open() -> Result<Self, DbError> {
        Ok(Self(pg::Connection::open("work").await?))
    }

    /// Every row of a query.
    ///
    /// # Errors
    /// As [`DbError`] says.
    pub async fn query(&self, sql: &str, params: Vec<ParameterValue>) -> Result<Vec<Row>, DbError> {
        let (columns, rows, result) = self.0.query(sql, params).await?.into_inner();
        let columns: Rc<[String]> = columns.into_iter().map(|column| column.name).collect();
        let rows = rows.collect().await;
        // The stream ends early when the query fails on its way: only this says whether all rows came.
        result.await?;
        Ok(rows
            .into_iter()
            .map(|values| Row {
                columns: Rc::clone(&columns),
                values,
            })
            .collect())
    }

    /// The first row of a query, if any.
    ///
    /// # Errors
    /// As [`DbError`] says.
    pub async fn optional(
        &self,
        sql: &str,
        params: Vec<ParameterValue>,
    ) -> Result<Option<Row>, DbError> {
        Ok(self.query(sql, params).await?.into_iter().next())
    }

    /// The first row of a query that always gives one.
    ///
    /// # Errors
    /// As [`DbError`] says; [`DbError::Bug`] when there is no row.
    pub async fn one(&self, sql: &str, params: Vec<ParameterValue>) -> Result<Row, DbError> {
        let row = self.optional(sql, params).await?;
        row.ok_or_else(|| {
            DbError::Bug(format!(
                "no row: {}",
                sql.lines().next().unwrap_or_default()
            ))
        })
    }

    /// Does a statement that gives no rows; says how many it touched.
    ///
    /// # Errors
    /// As [`DbError`] says.
    pub async fn execute(&self, sql: &str, params: Vec<ParameterValue>) -> Result<u64, DbError> {
        Ok(self.0.execute(sql, params).await?)
    }

    /// Begins a transaction, READ COMMITTED. Dropping it without [`Transaction::commit`] drops the connection, and the
    /// host rolls back.
    ///
    /// # Errors
    /// As [`DbError`] says.
    pub async fn begin(self) -> Result<Transaction, DbError> {
        self.execute("BEGIN", Vec::new()).await?;
        Ok(Transaction(self))
    }

    /// Begins a transaction that sees one state of the database throughout.
    ///
    /// # Errors
    /// As [`DbError`] says; later statements give [`DbError::Busy`] when somebody else changed what they change.
    pub async fn begin_snapshot(self) -> Result<Transaction, DbError> {
        self.execute("BEGIN ISOLATION LEVEL REPEATABLE READ", Vec::new())
            .await?;
        Ok(Transaction(self))
    }
}

/// A transaction: functions that have to be inside one ask for this. Reads as a [`Db`].
pub struct Transaction(Db);

impl Transaction {
    /// Makes it all happen, and gives the connection back.
    ///
    /// # Errors
    /// As [`DbError`] says; nothing has happened then.
    pub async fn commit(self) -> Result<Db, DbError> {
        self.0.execute("COMMIT", Vec::new()).await?;
        Ok(self.0)
    }

    /// Undoes it all, and gives the connection back.
    ///
    /// # Errors
    /// As [`DbError`] says.
    pub async fn rollback(self) -> Result<Db, DbError> {
        self.0.execute("ROLLBACK", Vec::new()).await?;
        Ok(self.0)
    }
}

impl Deref for Transaction {
    type Target = Db;

    fn deref(&self) -> &Db {
        &self.0
    }
}

#[cfg(test)]
mod tests;
