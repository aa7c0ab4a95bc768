//! A migrated database for one story.

use std::str::FromStr;

use g1t_events::{RepositoryId, WorkspaceId};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool};
use uuid::Uuid;

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../migrations");

pub struct Database {
    pub pool: PgPool,
    name: String,
    admin: PgConnectOptions,
}

impl Database {
    pub async fn create() -> Self {
        let url = std::env::var("G1T_TEST_DATABASE_URL")
            .expect("run the tests by `cargo xtask test`, or set G1T_TEST_DATABASE_URL");
        let admin = PgConnectOptions::from_str(&url)
            .expect("G1T_TEST_DATABASE_URL is an address of Postgres");
        let name = format!("g1t_events_{}", Uuid::now_v7().simple());
        execute(&admin, format!("CREATE DATABASE {name}")).await;
        let options = admin.clone().database(&name);
        let pool = PgPoolOptions::new()
            .max_connections(8)
            .connect_with(options)
            .await
            .expect("the new database");
        MIGRATIONS.run(&pool).await.expect("migrated");
        Self { pool, name, admin }
    }

    /// A workspace with a repository, as little of them as events need.
    pub async fn workspace_and_repository(&self) -> (WorkspaceId, RepositoryId) {
        sqlx::query_as(
            "WITH made AS (SELECT create_workspace('acme', (SELECT id FROM users WHERE login = 'g1t')) AS id)
             INSERT INTO repositories (workspace_id, name) SELECT id, 'shop' FROM made RETURNING workspace_id, id",
        )
        .fetch_one(&self.pool)
        .await
        .expect("a workspace and a repository")
    }

    /// Not done when a story fails: the database stays to be looked at.
    pub async fn remove(self) {
        execute(
            &self.admin,
            format!("DROP DATABASE {} WITH (FORCE)", self.name),
        )
        .await;
    }
}

async fn execute(admin: &PgConnectOptions, sql: String) {
    let mut connection = PgConnection::connect_with(admin)
        .await
        .expect("the test server");
    sqlx::raw_sql(AssertSqlSafe(sql))
        .execute(&mut connection)
        .await
        .expect("allowed");
    connection.close().await.expect("closed");
}
