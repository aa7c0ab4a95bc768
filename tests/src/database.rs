use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, PgPool};

/// A database of one test's own; dropped with it.
pub struct Database {
    pub url: String,
    name: String,
    admin: String,
}

/// What the harness needs from its environment, or the way to get it.
pub(crate) fn variable(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("{name} is not set: run the tests by `cargo xtask test`"))
}

impl Database {
    /// An empty database.
    pub async fn create() -> Self {
        let admin = variable("G1T_TEST_DATABASE_URL");
        let name = format!("story_{}", uuid::Uuid::now_v7().simple());
        let mut connection = PgConnection::connect(&admin)
            .await
            .expect("Postgres answers");
        let create = format!("CREATE DATABASE {name}");
        connection
            .execute(AssertSqlSafe(create))
            .await
            .expect("a new database");
        let (server, query) = admin.split_once('?').unwrap_or((&admin, ""));
        let (server, _) = server
            .rsplit_once('/')
            .expect("the address names a database");
        let url = format!("{server}/{name}?{query}");
        Self { url, name, admin }
    }

    /// A pool, for looking behind the API.
    pub async fn pool(&self) -> PgPool {
        let options = PgConnectOptions::from_str(&self.url).expect("an address");
        PgPool::connect_with(options)
            .await
            .expect("Postgres answers")
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let (admin, name) = (self.admin.clone(), self.name.clone());
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            let Ok(runtime) = runtime else { return };
            runtime.block_on(async {
                if let Ok(mut connection) = PgConnection::connect(&admin).await {
                    let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
                    connection.execute(AssertSqlSafe(drop)).await.ok();
                }
            });
        });
        dropped.join().ok();
    }
}
