//! Reads the judge's cases, for every test that plays them: natively here, through the component in the host's tests.
//!
//! A case says only what matters to it and is filled up from `base.json`: objects member by member, lists whole, their
//! items from the template of the list's name. A rule's `parameters` are written as JSON and handed on as text. `expect` is a
//! part of the decision: what it does not mention is not compared, except that there are exactly as many verdicts.

use std::path::Path;

use serde_json::{Map, Value};

/// A change, its rulesets, and what the judge has to say.
pub struct Case {
    /// File and name, for messages.
    pub name: String,
    /// `facts` of the contract, as JSON of the generated types.
    pub facts: Value,
    /// `list<ruleset>` of the contract.
    pub rulesets: Value,
    /// What a plugin answers when it is asked: `extension.answer` of the contract.
    pub plugin_says: Value,
    expect: Value,
}

impl Case {
    /// Says where a decision differs from what is expected.
    pub fn differences(&self, decision: &Value) -> Vec<String> {
        let mut differences = Vec::new();
        compare("decision", &self.expect, decision, &mut differences);
        differences
    }
}

/// Reads every case of the folder `rules-wasm/cases`.
pub fn cases(folder: &Path) -> Vec<Case> {
    let base = read(&folder.join("base.json"));
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension().is_some_and(|ending| ending == "json") && !path.ends_with("base.json")
        })
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let stem = file
            .file_stem()
            .and_then(|stem| stem.to_str())
            .expect("a name");
        let Value::Array(listed) = read(&file) else {
            panic!("{} is a list of cases", file.display());
        };
        cases.extend(listed.into_iter().map(|case| filled(stem, case, &base)));
    }
    cases
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a readable file");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn filled(stem: &str, case: Value, base: &Value) -> Case {
    let Value::Object(mut said) = case else {
        panic!("{stem}: a case is an object");
    };
    let mut take = |part: &str| {
        said.remove(part)
            .unwrap_or_else(|| Value::Object(Map::new()))
    };
    let name = format!("{stem}: {}", take("name").as_str().expect("a name"));
    let mut facts = over(&base["facts"], take("facts"));
    for list in ["files", "reviews", "code_owners", "checks"] {
        facts[list] = each(facts[list].take(), |item| over(&base[list], item));
    }
    if facts["pull_request"].is_object() {
        facts["pull_request"] = over(&base["pull_request"], facts["pull_request"].take());
        number(&mut facts["pull_request"], "author");
        number(&mut facts["pull_request"], "last_pusher");
    }
    for review in facts["reviews"].as_array_mut().expect("a list") {
        number(review, "reviewer");
    }
    let case = Case {
        rulesets: each(take("rulesets"), |ruleset| filled_ruleset(ruleset, base)),
        plugin_says: over(&base["plugin_says"], take("plugin_says")),
        expect: take("expect"),
        facts,
        name,
    };
    let left: Vec<_> = said.keys().collect();
    assert!(left.is_empty(), "{}: unknown {left:?}", case.name);
    case
}

/// Cases name people; their numbers follow from the names: the same login, the same number.
fn number(of: &mut Value, who: &str) {
    let number = number_of(of[who].as_str().expect("a login"));
    let id = &mut of[format!("{who}_id")];
    if id.is_null() {
        *id = number.into();
    }
}

fn number_of(login: &str) -> u64 {
    let bytes = login.to_lowercase().into_bytes();
    bytes
        .iter()
        .take(6)
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn filled_ruleset(ruleset: Value, base: &Value) -> Value {
    let mut ruleset = over(&base["ruleset"], ruleset);
    ruleset["bypass"] = each(ruleset["bypass"].take(), |entry| {
        over(&base["bypass"], entry)
    });
    ruleset["rules"] = each(ruleset["rules"].take(), |rule| {
        let mut rule = over(&base["rule"], rule);
        if !rule["parameters"].is_string() {
            rule["parameters"] = Value::String(rule["parameters"].to_string());
        }
        rule
    });
    ruleset
}

fn each(list: Value, fill: impl Fn(Value) -> Value) -> Value {
    match list {
        Value::Array(items) => items.into_iter().map(fill).collect(),
        other => panic!("not a list: {other}"),
    }
}

/// `patch` filled up from `base`. Only what the base has may be said, so that a misspelt member is seen.
fn over(base: &Value, patch: Value) -> Value {
    match (base, patch) {
        (Value::Object(base), Value::Object(patch)) if !base.is_empty() => {
            let mut whole = base.clone();
            for (key, value) in patch {
                let old = base.get(&key).unwrap_or_else(|| panic!("no member {key}"));
                whole.insert(key, over(old, value));
            }
            Value::Object(whole)
        }
        (_, patch) => patch,
    }
}

fn compare(path: &str, expected: &Value, found: &Value, differences: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            for (key, value) in expected {
                let inner = found.get(key).unwrap_or(&Value::Null);
                compare(&format!("{path}.{key}"), value, inner, differences);
            }
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            for (position, (value, inner)) in expected.iter().zip(found).enumerate() {
                compare(&format!("{path}[{position}]"), value, inner, differences);
            }
        }
        (expected, found) if expected == found => {}
        (expected, found) => {
            differences.push(format!("{path}: expected {expected}, found {found}"))
        }
    }
}
