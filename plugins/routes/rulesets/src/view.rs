//! Reading rulesets.

use g1t_kit::db::Db;
use g1t_kit::types::{AppliesTo, Enforcement, Requirement, Source};
use g1t_kit::{Fault, Id, Page, Reply, Repository, Request, facts, judge, params};
use serde_json::{Value, json};

use crate::place::Place;
use crate::row::{Ruleset, source};

/// Every ruleset of a place; of a repository also its workspace's, unless `includes_parents=false`.
pub async fn list(db: &Db, request: &Request, place: &Place) -> Result<Reply, Fault> {
    let page = Page::of(request)?;
    let with_parents = request.query("includes_parents") != Some("false");
    let params = params![
        place.workspace_id(),
        place.repository_id(),
        with_parents,
        page.after_id()?,
        page.limit(),
        page.offset()
    ];
    let mut shown = Vec::new();
    for row in db.query(include_str!("sql/list.sql"), params).await? {
        let ruleset = Ruleset::from_row(&row)?;
        shown.push((ruleset.stored.id, ruleset.json(request, place)));
    }
    let (shown, next) = page.cut(shown, |(id, _)| id.to_string());
    let shown: Vec<Value> = shown.into_iter().map(|(_, json)| json).collect();
    Reply::list(request, &shown, next)
}

/// One ruleset; of a repository also one of its workspace.
pub async fn one(db: &Db, request: &Request, place: &Place, id: Id) -> Result<Reply, Fault> {
    let params = params![place.workspace_id(), place.repository_id(), id];
    let row = db.optional(include_str!("sql/one.sql"), params).await?;
    let row = row.ok_or_else(|| no_ruleset(id))?;
    Reply::ok(&Ruleset::from_row(&row)?.json(request, place))
}

/// Every rule that holds for a branch, whether or not it exists yet.
pub async fn branch(
    db: &Db,
    request: &Request,
    repository: &Repository,
    branch: &str,
) -> Result<Reply, Fault> {
    let page = Page::of(request)?;
    let rulesets = facts::rulesets(db, repository).await?;
    let name = format!("refs/heads/{branch}");
    let requirements = judge::requirements(&facts::repository(repository), &name, &rulesets);
    let place = Place::Repository(repository.clone());
    let active = requirements
        .iter()
        .filter(|requirement| requirement.enforcement == Enforcement::Active);
    // What has no number of its own goes by its place in the list.
    let first = page.after_id()?.unwrap_or_else(|| page.offset());
    let skipped = usize::try_from(first).unwrap_or(usize::MAX);
    let limit = usize::try_from(page.limit()).unwrap_or(usize::MAX);
    let rules: Vec<Value> = active
        .skip(skipped)
        .take(limit)
        .map(|one| requirement(one, &place))
        .collect();
    let (rules, next) = page.cut(rules, |_| first.saturating_add(page.per_page()).to_string());
    Reply::list(request, &rules, next)
}

fn requirement(requirement: &Requirement, place: &Place) -> Value {
    let of_workspace = requirement.source == Source::Workspace;
    let (source_type, source) = source(of_workspace, place);
    let mut json = json!({
        "type": requirement.rule.kind,
        "ruleset_source_type": source_type,
        "ruleset_source": source,
        "ruleset_id": requirement.ruleset_id,
    });
    // GitHub leaves parameters out where a rule has none.
    match serde_json::from_str::<Value>(&requirement.rule.parameters) {
        Ok(Value::Object(fields)) if !fields.is_empty() => json["parameters"] = fields.into(),
        Ok(_) | Err(_) => {}
    }
    match requirement.rule.applies_to {
        AppliesTo::Everyone => {}
        AppliesTo::People => json["applies_to"] = json!("people"),
        AppliesTo::Agents => json["applies_to"] = json!("agents"),
    }
    json
}

/// There is none of that number here.
pub fn no_ruleset(id: impl std::fmt::Display) -> Fault {
    Fault::not_found(format!("The ruleset {id}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use g1t_kit::types::Rule;

    fn of(parameters: &str, applies_to: AppliesTo) -> Value {
        let place = Place::Workspace {
            id: 1,
            name: "acme".into(),
            is_owner: true,
        };
        let one = Requirement {
            ruleset_id: 7,
            ruleset_name: "main".into(),
            source: Source::Workspace,
            enforcement: Enforcement::Active,
            rule: Rule {
                kind: "deletion".into(),
                parameters: parameters.into(),
                applies_to,
            },
        };
        requirement(&one, &place)
    }

    #[test]
    fn a_rule_without_parameters_shows_none() {
        let rule = of("{}", AppliesTo::Everyone);
        let expected = json!({
            "type": "deletion", "ruleset_source_type": "Organization", "ruleset_source": "acme", "ruleset_id": 7,
        });
        assert_eq!(rule, expected);
    }

    #[test]
    fn a_rule_shows_its_parameters_and_whom_it_concerns() {
        let rule = of(r#"{"a":1}"#, AppliesTo::Agents);
        assert_eq!(rule["parameters"], json!({ "a": 1 }));
        assert_eq!(rule["applies_to"], "agents");
    }
}
