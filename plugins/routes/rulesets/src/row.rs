//! A ruleset as the database has it, and as JSON.

use g1t_kit::Request;
use g1t_kit::db::{DbError, Row};
use g1t_kit::facts::Stored;
use g1t_kit::shape::node_id;
use g1t_kit::time::rfc3339;
use serde_json::{Value, json};

use crate::place::Place;

/// A ruleset with its times.
pub struct Ruleset {
    /// What was written.
    pub stored: Stored,
    created_at_ms: i64,
    updated_at_ms: i64,
}

impl Ruleset {
    /// From a row of `sql/list.sql` and the like.
    pub fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            stored: Stored {
                id: row.get("id")?,
                name: row.get("name")?,
                of_workspace: row.get("of_workspace")?,
                target: row.get("target")?,
                enforcement: row.get("enforcement")?,
                include: row.get("include")?,
                exclude: row.get("exclude")?,
                repositories: row.get("repositories")?,
                bypass: row.get("bypass")?,
                rules: row.get("rules")?,
            },
            created_at_ms: row.get("created_at_ms")?,
            updated_at_ms: row.get("updated_at_ms")?,
        })
    }

    /// GitHub's ruleset, as it is seen from a place: a repository shows its workspace's too.
    pub fn json(&self, request: &Request, place: &Place) -> Value {
        let stored = &self.stored;
        let (source_type, source) = source(stored.of_workspace, place);
        let mut conditions = json!({
            "ref_name": { "include": stored.include, "exclude": stored.exclude },
        });
        if stored.of_workspace {
            let include = &stored.repositories;
            conditions["repository_name"] = json!({ "include": include, "exclude": [] });
        }
        let url = request.api_url(&format!("{}/{}", place.path(), stored.id));
        let html = format!("{}/{source}/rules/{}", request.public_url(), stored.id);
        let mut json = json!({
            "id": stored.id,
            "node_id": node_id("Ruleset", stored.id),
            "name": stored.name,
            "target": stored.target,
            "source_type": source_type,
            "source": source,
            "enforcement": stored.enforcement,
            "conditions": conditions,
            "rules": stored.rules,
            "created_at": rfc3339(self.created_at_ms),
            "updated_at": rfc3339(self.updated_at_ms),
            "_links": { "self": { "href": url }, "html": { "href": html } },
        });
        if place.may_change() {
            json["bypass_actors"] = stored.bypass.clone();
        }
        json
    }
}

/// GitHub's words for what a ruleset belongs to.
pub fn source(of_workspace: bool, place: &Place) -> (&'static str, String) {
    match place {
        Place::Repository(repository) if !of_workspace => ("Repository", repository.full_name()),
        Place::Repository(_) | Place::Workspace { .. } => {
            ("Organization", place.workspace().to_owned())
        }
    }
}
