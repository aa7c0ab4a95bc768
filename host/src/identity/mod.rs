//! From a token to who it is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use sha2::{Digest, Sha256};
use sqlx::{PgPool, Row};

use crate::limits;

/// What every token begins with.
pub const TOKEN_PREFIX: &str = "g1tw_";
/// Characters of a token: the prefix and 32 random bytes in base64url without padding.
const TOKEN_LENGTH: usize = TOKEN_PREFIX.len() + 43;
/// Entries of the cache; more than that many tokens in a few seconds empties it.
const CACHE_ENTRIES: usize = 10_000;

/// Who asks, as a token says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Number of the user.
    pub id: i64,
    pub login: String,
    /// `person`, `agent` or `system`.
    pub kind: String,
    /// An agent's: the person it acts for.
    pub acts_for: Option<i64>,
    /// Names the token without being it.
    pub token: String,
    pub scopes: Vec<String>,
    /// The only workspace the token is for; none: every workspace of the user.
    pub workspace: Option<i64>,
}

impl Actor {
    /// Whether the token has a scope, by itself or by one that contains it.
    pub fn has_scope(&self, wanted: &str) -> bool {
        let implied: &[&str] = match wanted {
            "repo:read" => &["repo:read", "repo:write", "repo:admin", "workspace:admin"],
            "repo:write" => &["repo:write", "repo:admin", "workspace:admin"],
            "repo:admin" => &["repo:admin", "workspace:admin"],
            "checks:write" => &["checks:write", "workspace:admin"],
            _ => &[],
        };
        self.scopes
            .iter()
            .any(|scope| scope == wanted || implied.contains(&scope.as_str()))
    }
}

/// SHA-256 of a token: what the database keeps.
pub fn hash_token(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

type Cached = HashMap<[u8; 32], (Instant, Arc<Actor>)>;

/// Looks tokens up, remembering good ones for [`limits::TOKEN_CACHE`].
#[derive(Clone)]
pub struct Identity {
    pool: PgPool,
    cache: Arc<Mutex<Cached>>,
}

impl Identity {
    /// Looks tokens up in the database of `pool`.
    pub fn new(pool: PgPool) -> Self {
        Self {
            pool,
            cache: Arc::default(),
        }
    }

    /// Whose token it is; none for one that is unknown, revoked, over, or no token at all.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn actor(&self, token: &str) -> Result<Option<Arc<Actor>>, sqlx::Error> {
        if token.len() != TOKEN_LENGTH || !token.starts_with(TOKEN_PREFIX) {
            return Ok(None);
        }
        let hash = hash_token(token);
        if let Some(actor) = self.cached(&hash) {
            return Ok(Some(actor));
        }
        let sql = include_str!("../sql/token_actor.sql");
        let Some(row) = sqlx::query(sql)
            .bind(hash.as_slice())
            .fetch_optional(&self.pool)
            .await?
        else {
            return Ok(None);
        };
        let actor = Arc::new(Actor {
            id: row.try_get("user_id")?,
            login: row.try_get("login")?,
            kind: row.try_get("kind")?,
            acts_for: row.try_get("acts_for")?,
            token: row.try_get("token_id")?,
            scopes: row.try_get("scopes")?,
            workspace: row.try_get("workspace_id")?,
        });
        sqlx::query(include_str!("../sql/token_used.sql"))
            .bind(&actor.token)
            .execute(&self.pool)
            .await?;
        self.remember(hash, &actor);
        Ok(Some(actor))
    }

    fn cached(&self, hash: &[u8; 32]) -> Option<Arc<Actor>> {
        let cache = self
            .cache
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let (since, actor) = cache.get(hash)?;
        (since.elapsed() < limits::TOKEN_CACHE).then(|| Arc::clone(actor))
    }

    fn remember(&self, hash: [u8; 32], actor: &Arc<Actor>) {
        let mut cache = self
            .cache
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if cache.len() >= CACHE_ENTRIES {
            cache.clear();
        }
        cache.insert(hash, (Instant::now(), Arc::clone(actor)));
    }
}
