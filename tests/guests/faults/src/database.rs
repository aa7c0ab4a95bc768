//! The database, as a component has it.

use spin_sdk::pg::{Connection, DbValue, Error};

use crate::Said;

pub async fn open() -> Result<Connection, String> {
    Connection::open("work").await.map_err(text)
}

/// An error as the test reads it.
pub fn text(error: Error) -> String {
    use spin_sdk::pg::{PgError, QueryError};
    match error {
        Error::PgError(PgError::QueryFailed(QueryError::DbError(error))) => {
            format!("{}: {}", error.code, error.message)
        }
        Error::PgError(error) => format!("{error:?}"),
        Error::Decode(error) => error,
    }
}

/// Waits in the database, as an async call.
pub async fn sleep(seconds: u32) -> Said {
    let connection = open().await?;
    let statement = format!("SELECT 1 FROM pg_sleep({seconds})");
    let rows = connection.query(statement, []).await.map_err(text)?;
    rows.collect().await.map(|_| "slept".into()).map_err(text)
}

/// Waits in the database in a synchronous call, during which nothing else of the instance can run.
pub fn sleep_holding_the_store(seconds: u32) -> Said {
    let error = |error| text(Error::PgError(error));
    let connection = spin_sdk::pg::wit::postgres::Connection::open("work").map_err(error)?;
    connection
        .execute(&format!("SELECT pg_sleep({seconds})"), &[])
        .map(|_| "slept".into())
        .map_err(error)
}

/// Runs one statement a line on one connection. Gives that, which is open, and the first column of the last one's rows.
pub async fn run(statements: &str) -> Result<(Connection, String), String> {
    let connection = open().await?;
    let mut lines = Vec::new();
    for statement in statements.lines() {
        lines.clear();
        let rows = connection.query(statement, []).await.map_err(text)?;
        for row in rows.collect().await.map_err(text)? {
            lines.push(match &row[0] {
                DbValue::Str(value) => value.clone(),
                other => format!("{other:?}"),
            });
        }
    }
    Ok((connection, lines.join("\n")))
}

/// Takes rows one by one; says how many and their sum.
pub async fn count_rows(wanted: i64) -> Said {
    let connection = open().await?;
    let statement = "SELECT n FROM generate_series(1, $1::bigint) n";
    let mut rows = connection
        .query(statement, [wanted.into()])
        .await
        .map_err(text)?;
    let (mut count, mut sum) = (0i64, 0i64);
    while let Some(row) = rows.next().await {
        count += 1;
        sum += row.get::<i64>("n").ok_or("a row without its number")?;
    }
    rows.result().await.map_err(text)?;
    Ok(format!("{count} rows, sum {sum}"))
}

/// Takes one row of many, drops the rest, and asks again on the same connection.
pub async fn drop_rows(of: i64) -> Said {
    let connection = open().await?;
    let statement = "SELECT n FROM generate_series(1, $1::bigint) n";
    let mut rows = connection
        .query(statement, [of.into()])
        .await
        .map_err(text)?;
    let first = rows.next().await.and_then(|row| row.get::<i64>("n"));
    drop(rows);
    let again = connection
        .query("SELECT 7::bigint AS n", [])
        .await
        .map_err(text)?
        .collect()
        .await
        .map_err(text)?;
    let second = again.first().and_then(|row| row.get::<i64>("n"));
    Ok(format!("{first:?} {second:?}"))
}
