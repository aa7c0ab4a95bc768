//! Crates of the workspace import each other in one direction.
//!
//! | crate | may import |
//! |---|---|
//! | `rules-wasm`, `plugins/domain`, `host/repos`, `host/events`, `infra/xtask` | nothing of ours |
//! | `plugins/kit` | `plugins/domain` |
//! | components below `plugins`, `tests/guests` | `plugins/kit`, `plugins/domain` |
//! | `rules-wasm/component` | `rules-wasm` |
//! | `host` | `host/repos`, `host/events` |
//! | `tests` | anything |
//!
//! Dependencies of tests are free: they are not part of what is shipped.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

/// Crates that compute and touch nothing, so they stay provable: no database, no engine, no runtime, no clock.
const PURE: [&str; 2] = ["rules-wasm", "plugins/domain"];

/// What a pure crate must not reach for.
const IMPURE: [&str; 9] = [
    "sqlx",
    "tokio",
    "futures",
    "wasmtime",
    "tracing",
    "rand",
    "getrandom",
    "reqwest",
    "spin-sdk",
];

/// Dependencies that go against the direction.
pub fn check(metadata: &Value) -> Vec<String> {
    let root = metadata["workspace_root"].as_str().unwrap_or_default();
    let packages = metadata["packages"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    packages
        .iter()
        .flat_map(|package| of_package(package, root))
        .collect()
}

fn of_package(package: &Value, root: &str) -> Vec<String> {
    let manifest = package["manifest_path"].as_str().unwrap_or_default();
    let Some(folder) = Path::new(manifest)
        .parent()
        .and_then(|path| below(path, root))
    else {
        return Vec::new();
    };
    let dependencies = package["dependencies"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let shipped = dependencies
        .iter()
        .filter(|dependency| dependency["kind"] != "dev");
    let mut complaints = Vec::new();
    for dependency in shipped {
        let name = dependency["name"].as_str().unwrap_or_default();
        if PURE.contains(&folder.as_str()) && IMPURE.contains(&name) {
            complaints.push(format!(
                "{folder}/Cargo.toml: {name} does not belong into a pure crate"
            ));
        }
        let Some(ours) = dependency["path"]
            .as_str()
            .and_then(|path| below(Path::new(path), root))
        else {
            continue;
        };
        if let Some(allowed) = allowed(&folder)
            && !allowed.contains(ours.as_str())
        {
            complaints.push(format!(
                "{folder}/Cargo.toml: imports {ours}, against the direction in CONTRIBUTING.md"
            ));
        }
    }
    complaints
}

/// What a crate may import; `None` is anything.
fn allowed(folder: &str) -> Option<BTreeSet<&'static str>> {
    let list: &[&str] = match folder {
        "tests" => return None,
        "host" => &["host/repos", "host/events"],
        "plugins/kit" => &["plugins/domain"],
        "rules-wasm/component" => &["rules-wasm"],
        "plugins/domain" => &[],
        component
            if component.starts_with("plugins/") || component.starts_with("tests/guests/") =>
        {
            &["plugins/kit", "plugins/domain"]
        }
        _ => &[],
    };
    Some(list.iter().copied().collect())
}

fn below(path: &Path, root: &str) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?;
    Some(inside.to_string_lossy().replace('\\', "/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn workspace(folder: &str, dependency: Value) -> Value {
        json!({
            "workspace_root": "/r",
            "packages": [{ "manifest_path": format!("/r/{folder}/Cargo.toml"), "dependencies": [dependency] }],
        })
    }

    fn ours(folder: &str) -> Value {
        json!({ "name": "x", "path": format!("/r/{folder}"), "kind": null })
    }

    #[test]
    fn the_host_imports_no_plugin_and_no_rule() {
        assert_eq!(check(&workspace("host", ours("rules-wasm"))).len(), 1);
        assert_eq!(check(&workspace("host", ours("plugins/domain"))).len(), 1);
        assert!(check(&workspace("host", ours("host/repos"))).is_empty());
    }

    #[test]
    fn a_component_imports_kit_and_domain_only() {
        assert!(check(&workspace("plugins/routes/pulls", ours("plugins/kit"))).is_empty());
        assert_eq!(
            check(&workspace(
                "plugins/routes/pulls",
                ours("plugins/routes/queue")
            ))
            .len(),
            1
        );
    }

    #[test]
    fn a_pure_crate_has_no_database_and_its_tests_may() {
        let sqlx = |kind: Value| json!({ "name": "sqlx", "kind": kind });
        assert_eq!(
            check(&workspace("plugins/domain", sqlx(Value::Null))).len(),
            1
        );
        assert!(check(&workspace("plugins/domain", sqlx(json!("dev")))).is_empty());
    }
}
