use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

use crate::Server;

/// A step that the server will stop at.
///
/// A trigger in the test's database makes the server wait for a lock the test holds. So the server has no test hooks, and
/// the step is exactly the one named.
pub struct Step {
    holder: PgConnection,
    table: String,
}

impl Step {
    /// The server will wait before `operation` (such as `DELETE`) on `table`.
    pub async fn before(server: &Server, operation: &str, table: &str) -> Self {
        let mut holder = PgConnection::connect(&server.database.url)
            .await
            .expect("Postgres answers");
        let sql = format!(
            "CREATE FUNCTION test_wait() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
             BEGIN PERFORM pg_advisory_xact_lock(4242); RETURN coalesce(NEW, OLD); END $$;
             CREATE TRIGGER test_wait BEFORE {operation} ON {table} FOR EACH ROW EXECUTE FUNCTION test_wait();
             SELECT pg_advisory_lock(4242)"
        );
        holder
            .execute(sqlx::raw_sql(AssertSqlSafe(sql)))
            .await
            .expect("a trigger");
        Self {
            holder,
            table: table.to_owned(),
        }
    }

    /// Waits until the server is there.
    pub async fn reached(&mut self) {
        let since = Instant::now();
        let sql =
            "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 4242";
        while sqlx::query(sql)
            .fetch_optional(&mut self.holder)
            .await
            .expect("locks")
            .is_none()
        {
            assert!(
                since.elapsed() < Duration::from_secs(60),
                "the step was never reached"
            );
        }
    }

    /// Lets the server go on, and never wait there again.
    pub async fn release(mut self) {
        let sql = format!(
            "SELECT pg_advisory_unlock(4242); DROP TRIGGER test_wait ON {}; DROP FUNCTION test_wait()",
            self.table
        );
        self.holder
            .execute(sqlx::raw_sql(AssertSqlSafe(sql)))
            .await
            .expect("no trigger");
    }

    /// Takes the step's trigger away, and what waited there with it.
    pub async fn clear(mut self) {
        let sql = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 4242;
             DROP TRIGGER test_wait ON {}; DROP FUNCTION test_wait(); SELECT pg_advisory_unlock(4242)",
            self.table
        );
        self.holder
            .execute(sqlx::raw_sql(AssertSqlSafe(sql)))
            .await
            .expect("no trigger");
    }
}
