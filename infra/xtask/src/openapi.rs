//! The OpenAPI description of the API, put together from a head and a fragment beside each route component.
//!
//! The head says what is the same everywhere: how to authenticate, errors, paging. What the host itself answers to a
//! request of any route stands there once, under `x-g1t-every-route`, and is put into every operation of the fragments.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use crate::places::Places;

/// The head, from the repository's root.
const HEAD: &str = "plugins/openapi.json";

/// The folder with a folder for each route component, from the repository's root.
const ROUTES: &str = "plugins/routes";

/// Name of a fragment in a component's folder, and of the whole beside the components.
pub const FILE: &str = "openapi.json";

/// What the host answers to a request of any route.
const EVERY_ROUTE: &str = "x-g1t-every-route";

/// The keys of a path that are operations.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

type Object = Map<String, Value>;

/// A file of the description.
struct Part {
    /// From the repository's root: for messages.
    file: String,
    json: Value,
}

/// The whole description as JSON, of this program's version, which is the workspace's.
///
/// # Errors
/// When a component has no fragment, a file is not JSON of the form that is expected, or two say the same thing; the
/// file is named.
pub fn put_together(places: &Places) -> Result<String> {
    let folder = places.root.join(ROUTES);
    let mut files = Vec::new();
    for entry in
        fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let entry = entry?;
        if entry.path().is_dir() {
            let name = entry.file_name();
            files.push(format!("{ROUTES}/{}/{FILE}", name.to_string_lossy()));
        }
    }
    files.sort();
    let head = read(&places.root, HEAD.to_owned())?;
    let fragments: Vec<Part> = files
        .into_iter()
        .map(|file| read(&places.root, file))
        .collect::<Result<_>>()?;
    Ok(merged(head, fragments, env!("CARGO_PKG_VERSION"))?.to_string())
}

fn read(root: &Path, file: String) -> Result<Part> {
    let text = fs::read_to_string(root.join(&file)).with_context(|| {
        format!("cannot read {file}, which describes what is answered: write it")
    })?;
    let json = serde_json::from_str(&text).with_context(|| format!("{file} is not JSON"))?;
    Ok(Part { file, json })
}

/// The head with all fragments in it.
fn merged(head: Part, fragments: Vec<Part>, version: &str) -> Result<Value> {
    let mut names = Names::default();
    let mut document = object(&head.file, head.json)?;
    let every_route = match document.remove(EVERY_ROUTE) {
        Some(every) => section(&head.file, &mut object(&head.file, every)?, "responses")?,
        None => Object::new(),
    };
    names.take_all(&head.file, &document)?;
    let mut tags = list(document.remove("tags"));
    let mut paths = section(&head.file, &mut document, "paths")?;
    let mut components = section(&head.file, &mut document, "components")?;
    for Part { file, json } in fragments {
        let mut fragment = object(&file, json)?;
        names.take_all(&file, &fragment)?;
        tags.extend(list(fragment.remove("tags")));
        for (path, mut item) in section(&file, &mut fragment, "paths")? {
            add_responses(&mut item, &every_route);
            paths.insert(path, item);
        }
        for (kind, named) in section(&file, &mut fragment, "components")? {
            let all = components
                .entry(kind)
                .or_insert_with(|| Object::new().into());
            if let Some(all) = all.as_object_mut() {
                all.extend(object(&file, named)?);
            }
        }
        if let Some(other) = fragment.keys().next() {
            bail!(
                "{file}: `{other}` belongs into {HEAD}: a fragment has tags, paths and components"
            );
        }
    }
    let mut info = section(&head.file, &mut document, "info")?;
    info.insert("version".to_owned(), version.into());
    document.insert("info".to_owned(), info.into());
    document.insert("tags".to_owned(), tags.into());
    document.insert("paths".to_owned(), paths.into());
    document.insert("components".to_owned(), components.into());
    Ok(document.into())
}

/// Gives every operation of a path the responses it does not name itself.
fn add_responses(item: &mut Value, responses: &Object) {
    for method in METHODS {
        let Some(named) = item
            .get_mut(method)
            .and_then(|operation| operation.get_mut("responses"))
            .and_then(Value::as_object_mut)
        else {
            continue;
        };
        for (status, response) in responses {
            named
                .entry(status.clone())
                .or_insert_with(|| response.clone());
        }
    }
}

/// What is named, and in which file.
#[derive(Default)]
struct Names(BTreeMap<String, String>);

impl Names {
    /// Takes every name that a part gives to something.
    fn take_all(&mut self, file: &str, part: &Object) -> Result<()> {
        for tag in part
            .get("tags")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            self.take(file, format!("the tag {}", tag["name"]))?;
        }
        let paths = part.get("paths").and_then(Value::as_object);
        for (path, item) in paths.into_iter().flatten() {
            self.take(file, format!("the path {}", without_names(path)))?;
            for operation in METHODS.iter().filter_map(|method| item.get(method)) {
                let Some(id) = operation["operationId"].as_str() else {
                    bail!("{file}: an operation of {path} has no operationId");
                };
                self.take(file, format!("the operationId {id}"))?;
            }
        }
        let components = part.get("components").and_then(Value::as_object);
        for (kind, named) in components.into_iter().flatten() {
            for name in named.as_object().into_iter().flat_map(Map::keys) {
                self.take(file, format!("components/{kind}/{name}"))?;
            }
        }
        Ok(())
    }

    fn take(&mut self, file: &str, name: String) -> Result<()> {
        if let Some(other) = self.0.get(&name) {
            bail!(
                "{file}: {name} is in {other} already: leave one of them out, or name it otherwise"
            );
        }
        self.0.insert(name, file.to_owned());
        Ok(())
    }
}

/// Paths that differ in the names of their parameters only are one path.
fn without_names(path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        if segment.starts_with('{') {
            "{}"
        } else {
            segment
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

fn object(file: &str, json: Value) -> Result<Object> {
    match json {
        Value::Object(object) => Ok(object),
        other => bail!("{file}: an object is expected where {other} stands"),
    }
}

/// Takes a section out of a part.
fn section(file: &str, part: &mut Object, name: &str) -> Result<Object> {
    let section = part
        .remove(name)
        .with_context(|| format!("{file}: `{name}` is missing"))?;
    object(file, section)
}

fn list(json: Option<Value>) -> Vec<Value> {
    match json {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn head() -> Part {
        Part {
            file: "head.json".into(),
            json: json!({
                "openapi": "3.1.0", "info": { "title": "t" },
                "paths": { "/healthz": { "get": { "operationId": "isAlive", "responses": { "200": {} } } } },
                "components": { "schemas": { "Problem": {} } },
                "x-g1t-every-route": { "responses": { "401": { "description": "no token" } } },
            }),
        }
    }

    fn fragment(path: &str, id: &str, schema: &str) -> Part {
        Part {
            file: format!("{id}.json"),
            json: json!({
                "tags": [{ "name": id }],
                "paths": { path: { "get": { "operationId": id, "responses": { "200": {} } } } },
                "components": { "schemas": { schema: {} } },
            }),
        }
    }

    fn refusal(fragments: Vec<Part>) -> String {
        merged(head(), fragments, "1.2.3")
            .expect_err("they say the same")
            .to_string()
    }

    #[test]
    fn fragments_come_together_under_the_head() {
        let fragments = vec![fragment("/a", "readA", "A"), fragment("/b", "readB", "B")];
        let document = merged(head(), fragments, "1.2.3").unwrap();
        assert_eq!(document["info"]["version"], "1.2.3");
        let names = |part: &Value| {
            part.as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&document["paths"]), ["/a", "/b", "/healthz"]);
        assert_eq!(
            names(&document["components"]["schemas"]),
            ["A", "B", "Problem"]
        );
        assert_eq!(
            document["tags"],
            json!([{ "name": "readA" }, { "name": "readB" }])
        );
        assert!(document.get(EVERY_ROUTE).is_none());
    }

    #[test]
    fn what_the_host_answers_is_in_every_operation_of_a_component() {
        let document = merged(head(), vec![fragment("/a", "readA", "A")], "1.2.3").unwrap();
        let statuses = |path: &str| {
            let responses = document["paths"][path]["get"]["responses"].as_object();
            responses.unwrap().keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(statuses("/a"), ["200", "401"]);
        assert_eq!(statuses("/healthz"), ["200"]);
    }

    #[test]
    fn saying_something_twice_is_refused_with_both_files() {
        let cases = [
            (fragment("/b", "readA", "B"), "the operationId readA"),
            (fragment("/b", "readB", "A"), "components/schemas/A"),
            (fragment("/x/{name}", "readB", "B"), "the path /x/{}"),
            (fragment("/healthz", "readB", "B"), "the path /healthz"),
        ];
        for (second, expected) in cases {
            let mut first = fragment("/x/{id}", "readA", "A");
            first.json["tags"] = json!([]);
            let told = refusal(vec![first, second]);
            assert!(told.contains(expected), "{told}");
            assert!(told.contains(".json already"), "{told}");
        }
    }

    #[test]
    fn a_fragment_has_nothing_of_the_head() {
        let mut wrong = fragment("/a", "readA", "A");
        wrong.json["servers"] = json!([]);
        assert!(refusal(vec![wrong]).contains("readA.json: `servers` belongs into"));
        let mut unnamed = fragment("/a", "readA", "A");
        unnamed.json["paths"]["/a"]["get"]["operationId"] = Value::Null;
        assert!(refusal(vec![unnamed]).contains("has no operationId"));
        let mut empty = fragment("/a", "readA", "A");
        empty.json = json!({ "paths": {} });
        assert!(refusal(vec![empty]).contains("`components` is missing"));
    }
}
