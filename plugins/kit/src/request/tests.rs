use super::*;
use crate::testing::request;

#[test]
fn takes_actor_and_workspace_from_the_host() {
    let request = request("GET", "/repos/acme/app")
        .scopes("repo:read")
        .build();
    assert_eq!(
        (request.actor().id, request.actor().login.as_str()),
        (7, "ada")
    );
    assert_eq!(request.workspace().expect("it is there").id, 1);
    assert_eq!(
        request.api_url("/repos/acme/app"),
        "http://127.0.0.1:8080/api/v3/repos/acme/app"
    );
}

#[test]
fn without_an_actor_it_is_unauthorized() {
    assert_eq!(
        request("GET", "/user").without_actor().try_build().err(),
        Some(Fault::Unauthorized)
    );
}

#[test]
fn without_a_workspace_it_is_not_found() {
    let request = request("GET", "/repos/nobody/app")
        .without_workspace()
        .build();
    assert!(matches!(request.workspace(), Err(Fault::NotFound(_))));
}

#[test]
fn an_encoded_slash_stays_in_its_segment() {
    let request = request(
        "GET",
        "/repos/acme/app/branches/feature%2Fx/?per_page=5&sha=a%20b",
    )
    .build();
    assert_eq!(
        request.segments(),
        ["repos", "acme", "app", "branches", "feature/x"]
    );
    assert_eq!(request.query("sha"), Some("a b"));
    assert_eq!(request.query("page"), None);
}

#[test]
fn the_next_address_keeps_the_other_parameters() {
    let request = request("GET", "/repos/acme/app/pulls?state=all&page=2").build();
    assert_eq!(
        request.address_with(&[("after", "a=b")], &["page", "after"]),
        "http://127.0.0.1:8080/api/v3/repos/acme/app/pulls?state=all&after=a%3Db"
    );
}

#[test]
fn knows_githubs_clients() {
    let github = request("GET", "/user")
        .header("accept", "application/vnd.github.v3+json")
        .build();
    assert!(github.accepts_github());
    assert!(
        !request("GET", "/user")
            .header("accept", "*/*")
            .build()
            .accepts_github()
    );
}

#[test]
fn a_character_that_no_name_has_is_refused_in_path_and_query() {
    let path = request("GET", "/repos/acme/a%00b").try_build();
    assert!(matches!(path, Err(Fault::NotFound(_))), "{path:?}");
    let query = request("GET", "/repos/acme/app/pulls?state=open&head=%00").try_build();
    let fault = query.expect_err("it is refused");
    assert_eq!(fault.status().as_u16(), 422);
    assert_eq!(fault.errors()[0].field, "head");
    // Who asks is known first.
    let nobody = request("GET", "/repos/acme/a%00b")
        .without_actor()
        .try_build();
    assert_eq!(nobody.err(), Some(Fault::Unauthorized));
}
