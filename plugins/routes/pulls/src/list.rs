//! Listing pull requests.

use g1t_kit::db::Db;
use g1t_kit::pulls::Pull;
use g1t_kit::{Fault, Page, Reply, Repository, Request, params};
use serde_json::Value;

use crate::shape::summary;

/// Pull requests of a repository, by GitHub's parameters `state`, `head`, `base`, `sort` and `direction`.
pub async fn list(db: &Db, request: &Request, repository: &Repository) -> Result<Reply, Fault> {
    let page = Page::of(request)?;
    let state = word(request, "state", &["open", "closed", "all"])?.unwrap_or("open");
    let sort = word(
        request,
        "sort",
        &["created", "updated", "popularity", "long-running"],
    )?
    .unwrap_or("created");
    let direction = word(request, "direction", &["asc", "desc"])?.unwrap_or(match sort {
        "created" => "desc",
        _ => "asc",
    });
    let (owner, head) = request.query("head").map_or((None, None), label);
    if owner.is_some_and(|owner| !owner.eq_ignore_ascii_case(&repository.workspace)) {
        // Heads are branches of this very repository.
        return Reply::list(request, &Vec::<Value>::new(), None);
    }
    let by_update = sort == "updated";
    let (after, after_number) = after(&page)?;
    let params = params![
        repository.id,
        state,
        head,
        request.query("base").map(str::to_owned),
        if by_update { "updated" } else { "created" },
        direction == "asc",
        after,
        after_number,
        page.offset(),
        page.limit(),
    ];
    let rows = db.query(include_str!("sql/list.sql"), params).await?;
    let pulls = rows
        .iter()
        .map(Pull::from_row)
        .collect::<Result<Vec<_>, _>>()?;
    let (pulls, next) = page.cut(pulls, |pull| {
        let key = if by_update {
            pull.updated_at_ms
        } else {
            pull.number
        };
        format!("{key}:{}", pull.number)
    });
    let items: Vec<Value> = pulls
        .iter()
        .map(|pull| summary(request, repository, pull))
        .collect();
    Reply::list(request, &items, next)
}

/// Key and number of the last row of the page before.
fn after(page: &Page) -> Result<(Option<i64>, Option<i64>), Fault> {
    let Some(key) = page.after() else {
        return Ok((None, None));
    };
    let numbers = key
        .split_once(':')
        .and_then(|(key, number)| Some((key.parse().ok()?, number.parse().ok()?)));
    let (key, number) = numbers.ok_or_else(|| {
        Fault::field(
            "Page",
            "after",
            "this is no cursor of this list; take it from a `Link` header",
        )
    })?;
    Ok((Some(key), Some(number)))
}

/// GitHub writes a head as `owner:branch`; a branch's name alone is taken too.
fn label(label: &str) -> (Option<&str>, Option<&str>) {
    match label.split_once(':') {
        Some((owner, branch)) => (Some(owner), Some(branch)),
        None => (None, Some(label)),
    }
}

fn word<'a>(request: &'a Request, name: &str, words: &[&str]) -> Result<Option<&'a str>, Fault> {
    match request.query(name) {
        Some(word) if !words.contains(&word) => Err(Fault::field(
            "PullRequest",
            name,
            format!("give one of: {}", words.join(", ")),
        )),
        word => Ok(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use g1t_kit::testing::request;

    #[test]
    fn a_label_names_its_owner_and_branch() {
        assert_eq!(label("acme:fix/it"), (Some("acme"), Some("fix/it")));
        assert_eq!(label("fix/it"), (None, Some("fix/it")));
    }

    #[test]
    fn a_word_that_is_none_is_refused_with_those_that_are() {
        let asked = request("GET", "/repos/acme/app/pulls?state=merged").build();
        let fault = word(&asked, "state", &["open", "closed", "all"])
            .expect_err("it is GitHub's word for nothing");
        assert!(fault.to_string().contains("open, closed, all"), "{fault}");
    }
}
