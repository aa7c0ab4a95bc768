use std::path::Path;

use super::{Access, Manifest, Pattern};

const HEAD: &str = "[judge]\nsource = \"judge.wasm\"\n";

fn parse(rest: &str) -> Result<Manifest, String> {
    let text = format!("{HEAD}{rest}");
    Manifest::parse(Path::new("app.toml"), Path::new("parts"), &text)
        .map_err(|error| error.to_string())
}

#[test]
fn a_component_gets_what_it_is_granted_and_nothing_else() {
    let manifest = parse(
        "[component.a]\nsource = \"a.wasm\"\nroutes = [\"GET /user\"]\ngrants = { database = \"read\" }\n",
    )
    .unwrap();
    let a = &manifest.components[0];
    assert_eq!(a.grants.database, Some(Access::Read));
    assert_eq!(a.grants.git, None);
    assert!(!a.grants.judge);
    assert_eq!(a.source, Path::new("parts/a.wasm"));
    assert_eq!(a.limits.concurrent, 1);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let cases = [
        (
            "[component.a]\nsource = \"a.wasm\"\n",
            "app.toml:3: 'a' has neither routes nor events",
        ),
        (
            "[component.a]\nsource = \"a.wasm\"\nroutes = [\"FETCH /user\"]\n",
            "app.toml:5: 'FETCH' is not one of",
        ),
        (
            "[component.a]\nsource = \"a.wasm\"\ngrant = {}\n",
            "app.toml:5: unknown field `grant`",
        ),
        (
            "[component.a]\nsource = \"a.wasm\"\nroutes = [\"GET /a\"]\nlimits = { memory_mib = 100000 }\n",
            "app.toml:6: memory_mib must be from 1 to 256",
        ),
        (
            "[component.a]\nsource = \"a\"\nroutes = [\"GET /a\"]\ngrants = { outbound = [\"https://example.com\"] }\n",
            "app.toml:6: unknown field `outbound`",
        ),
        (
            "[component.a]\nsource = \"a\"\nroutes = [\"GET /a\"]\ngrants = { database = \"write\" }\nlimits = { concurrent = 4 }\n",
            "app.toml:7: concurrent must be 1",
        ),
    ];
    for (text, expected) in cases {
        let error = parse(text).expect_err(text);
        assert!(
            error.contains(expected),
            "{error}\n  does not say: {expected}"
        );
    }
}

#[test]
fn the_more_literal_route_wins() {
    let manifest = parse(
        "[component.a]\nsource = \"a\"\nroutes = [\"GET /q/{branch}\", \"GET /q/entries\"]\n\
         [component.b]\nsource = \"b\"\nroutes = [\"GET /q/{rest...}\", \"DELETE /q/entries/{id}\"]\n",
    )
    .unwrap();
    let name =
        |method: &str, path: &str| manifest.route(method, path).map(|(c, _)| c.name.as_str());
    assert_eq!(name("GET", "/q/main"), Ok("a"));
    assert_eq!(name("GET", "/q/feature/x"), Ok("b"));
    assert_eq!(name("DELETE", "/q/entries/1"), Ok("b"));
    assert_eq!(name("DELETE", "/q/main"), Err(vec!["GET", "GET"]));
    assert_eq!(name("GET", "/other"), Err(vec![]));
}

#[test]
fn the_workspace_of_a_path_is_found() {
    let pattern = Pattern::parse("GET /repos/{workspace}/{repo}").unwrap();
    assert_eq!(
        pattern
            .matches_path("/repos/acme/site")
            .unwrap()
            .workspace
            .as_deref(),
        Some("acme")
    );
    assert_eq!(pattern.matches_path("/repos/acme"), None);
    assert_eq!(pattern.matches_path("/repos//site"), None);
    assert_eq!(pattern.matches_path("/repos/acme/site/x"), None);
}
