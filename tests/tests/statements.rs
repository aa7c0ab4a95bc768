//! Every statement of the guests and of the host fits the schema: a wrong column fails here, not before a user.

use std::path::{Path, PathBuf};

use g1t_tests::Server;
use sqlx::{AssertSqlSafe, Executor};

fn sql_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sql_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "sql") {
            found.push(path);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_statement_can_be_prepared() {
    let server = Server::start().await;
    let pool = server.database.pool().await;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the project");
    let mut files = Vec::new();
    for folder in ["plugins", "host/src"] {
        sql_files(&root.join(folder), &mut files);
    }
    assert!(
        files.len() > 50,
        "only {} statements were found",
        files.len()
    );
    let mut wrong = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("text");
        let prepare = format!("PREPARE statement AS {text}");
        let mut connection = pool.acquire().await.expect("a connection");
        if let Err(error) = connection
            .execute(sqlx::raw_sql(AssertSqlSafe(prepare)))
            .await
        {
            wrong.push(format!("{}: {error}", file.display()));
        }
        connection
            .execute("DEALLOCATE ALL")
            .await
            .expect("a clean connection");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
