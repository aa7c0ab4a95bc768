//! The first person: somebody has to be able to make the first workspace.

use base64::Engine as _;
use sqlx::{PgPool, Row};
use uuid::Uuid;

use crate::identity::{TOKEN_PREFIX, hash_token};

/// Login of the first person.
pub const LOGIN: &str = "owner";

/// Makes the first person and a token, when there is no person yet. The token is in nobody's hands but the caller's: the
/// database has its hash only. So `keep` gets it before it counts: a crash in between leaves a token that is none, and the
/// next start makes another.
pub async fn first_owner(
    pool: &PgPool,
    keep: impl FnOnce(&str) -> anyhow::Result<()>,
) -> anyhow::Result<Option<String>> {
    let mut tx = pool.begin().await?;
    // Two hosts that start at once must not both find nobody.
    sqlx::query("LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE")
        .execute(&mut *tx)
        .await?;
    let sql = "INSERT INTO users (login, name, kind) SELECT $1, 'First owner', 'person'
               WHERE NOT EXISTS (SELECT FROM users WHERE kind = 'person') RETURNING id";
    let Some(row) = sqlx::query(sql)
        .bind(LOGIN)
        .fetch_optional(&mut *tx)
        .await?
    else {
        return Ok(None);
    };
    let user: i64 = row.try_get("id")?;
    let token = new_token();
    sqlx::query("INSERT INTO tokens (id, user_id, hash, note, scopes) VALUES ($1, $2, $3, 'first token', $4)")
        .bind(format!("tok_{}", Uuid::now_v7()))
        .bind(user)
        .bind(hash_token(&token).as_slice())
        .bind(vec!["workspace:admin".to_owned(), "workspace:create".to_owned()])
        .execute(&mut *tx)
        .await?;
    keep(&token)?;
    tx.commit().await?;
    Ok(Some(token))
}

/// A token nobody can guess: 256 random bits from the system, through two random UUIDs and their hash.
fn new_token() -> String {
    use sha2::{Digest, Sha256};
    let mut hasher = Sha256::new();
    // Each UUID has 122 random bits; four of them carry more than the 256 that come out.
    for _ in 0..4 {
        hasher.update(Uuid::new_v4().as_bytes());
    }
    let bytes: [u8; 32] = hasher.finalize().into();
    format!(
        "{TOKEN_PREFIX}{}",
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
    )
}
