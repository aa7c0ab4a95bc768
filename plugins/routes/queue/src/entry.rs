//! An entry as JSON.

use g1t_domain::MergeMethod;
use g1t_kit::db::{DbError, Row};
use g1t_kit::percent::encode;
use g1t_kit::shape::User;
use g1t_kit::time::rfc3339;
use g1t_kit::{Id, Repository, Request};
use serde_json::{Value, json};

/// An entry, with the candidate it has now.
pub struct Entry {
    /// Its id.
    pub id: String,
    /// Number of its pull request.
    pub number: i64,
    /// Where it is in the queue, or how it left.
    pub state: String,
    /// Branch it is to land on.
    pub base_branch: String,
    /// Who queued it.
    pub queued_by: Option<User>,
    /// Who opened the pull request.
    pub author: Id,
    /// The commit that is tested, if there is one.
    pub candidate: Option<String>,
    json: Value,
}

impl Entry {
    /// From a row of `sql/entries.sql`.
    pub fn from_row(
        request: &Request,
        repository: &Repository,
        row: &Row,
    ) -> Result<Self, DbError> {
        let number: i64 = row.get("number")?;
        let id: String = row.get("id")?;
        let state: String = row.get("state")?;
        let queued_by = User::from_row(row, "queued_by")?;
        let path = format!(
            "/repos/{}/{}",
            encode(&repository.workspace),
            encode(&repository.name)
        );
        let finished: Option<i64> = row.get("finished_at_ms")?;
        let json = json!({
            "id": id,
            "url": request.api_url(&format!("{path}/queue/entries/{id}")),
            "position": row.get::<Option<i64>>("place")?,
            "state": state,
            "reason": row.get::<String>("reason")?,
            "reason_code": row.get::<String>("reason_code")?,
            "base": row.get::<String>("base_branch")?,
            "merge_method": method(&row.get::<String>("method")?),
            "head_sha": row.get::<String>("head_sha")?,
            "pull_request": {
                "number": number,
                "title": row.get::<String>("title")?,
                "head": row.get::<String>("head_branch")?,
                "url": request.api_url(&format!("{path}/pulls/{number}")),
            },
            "queued_by": queued_by.as_ref().map(|user| user.json(request)),
            "queued_at": rfc3339(row.get("queued_at_ms")?),
            "finished_at": finished.map(rfc3339),
            "candidate": candidate(row)?,
        });
        Ok(Self {
            id,
            number,
            state,
            base_branch: row.get("base_branch")?,
            queued_by,
            author: row.get("author_id")?,
            candidate: row.get("candidate_sha")?,
            json,
        })
    }

    /// The JSON, with the reports on its candidate.
    pub fn json(self, checks: &[Check]) -> Value {
        let own = checks
            .iter()
            .filter(|check| Some(&check.sha) == self.candidate.as_ref());
        let checks: Vec<Value> = own.map(|check| check.json.clone()).collect();
        let mut json = self.json;
        json["checks"] = json!(checks);
        json
    }
}

/// The newest build of an entry: what it is, and what it stands on.
fn candidate(row: &Row) -> Result<Value, DbError> {
    let Some(attempt) = row.get::<Option<String>>("attempt_id")? else {
        return Ok(Value::Null);
    };
    let built: Option<i64> = row.get("built_at_ms")?;
    Ok(json!({
        "attempt": attempt,
        "number": row.get::<i32>("attempt_number")?,
        "state": row.get::<String>("attempt_state")?,
        "branch": row.get::<String>("attempt_branch")?,
        "sha": row.get::<Option<String>>("candidate_sha")?,
        "base_sha": row.get::<String>("onto_sha")?,
        "on_top_of": row.get::<Option<i64>>("onto_number")?,
        "detail": row.get::<String>("detail")?,
        "conflict_files": row.get::<Vec<String>>("conflict_files")?,
        "built_at": built.map(rfc3339),
    }))
}

/// One build in an entry's history, from a row of `sql/attempts.sql`.
pub fn attempt(row: &Row) -> Result<Value, DbError> {
    let built: Option<i64> = row.get("built_at_ms")?;
    Ok(json!({
        "attempt": row.get::<String>("id")?,
        "number": row.get::<i32>("number")?,
        "state": row.get::<String>("state")?,
        "branch": row.get::<String>("branch")?,
        "head_sha": row.get::<String>("head_sha")?,
        "sha": row.get::<Option<String>>("candidate_sha")?,
        "base_sha": row.get::<String>("onto_sha")?,
        "on_top_of": row.get::<Option<i64>>("onto_number")?,
        "detail": row.get::<String>("detail")?,
        "conflict_files": row.get::<Vec<String>>("conflict_files")?,
        "created_at": rfc3339(row.get("created_at_ms")?),
        "built_at": built.map(rfc3339),
    }))
}

/// The API's word for a stored merge method.
fn method(column: &str) -> String {
    MergeMethod::parse(column).map_or_else(|_| column.to_owned(), |method| method.word().to_owned())
}

/// A report on a candidate.
pub struct Check {
    /// The commit.
    pub sha: String,
    /// The JSON.
    pub json: Value,
}

impl Check {
    /// From a row of `sql/checks.sql`.
    pub fn from_row(row: &Row) -> Result<Self, DbError> {
        let url: String = row.get("url")?;
        let json = json!({
            "name": row.get::<String>("name")?,
            "state": row.get::<String>("state")?,
            "url": Some(url).filter(|url| !url.is_empty()),
            "reported_at": rfc3339(row.get("reported_at_ms")?),
        });
        Ok(Self {
            sha: row.get("sha")?,
            json,
        })
    }
}
