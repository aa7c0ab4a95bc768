use std::time::{Duration, Instant};

use anyhow::bail;
use serde_json::Value;

use super::stage::Stage;
use super::story::short;

/// Longest the queue may do nothing that can be seen.
const STILL: Duration = Duration::from_secs(1_800);

/// How it ended: numbers, in the order things happened.
#[derive(Default)]
pub(super) struct Ended {
    pub(super) landed: Vec<i64>,
    pub(super) ejected: Vec<i64>,
}

/// Shows the queue's table as it changes, until nothing is in it.
pub(super) async fn until_empty(stage: &Stage) -> anyhow::Result<Ended> {
    let mut shown = String::new();
    let mut ended = Ended::default();
    let mut changed = Instant::now();
    loop {
        let queue = stage.queue().await?;
        let table = table(&queue);
        if table != shown {
            println!("\n{table}");
            shown = table;
            changed = Instant::now();
        }
        note(&queue, &mut ended);
        if entries(&queue, "entries").is_empty() {
            return Ok(ended);
        }
        if changed.elapsed() > STILL {
            bail!("the queue has not moved for {} s", STILL.as_secs());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn entries<'a>(queue: &'a Value, key: &str) -> &'a [Value] {
    queue[key].as_array().map_or(&[], Vec::as_slice)
}

fn number(entry: &Value) -> i64 {
    entry["pull_request"]["number"].as_i64().unwrap_or_default()
}

fn note(queue: &Value, ended: &mut Ended) {
    for entry in entries(queue, "recent").iter().rev() {
        let number = number(entry);
        let list = match entry["state"].as_str() {
            Some("landed") => &mut ended.landed,
            Some("failed") => &mut ended.ejected,
            _ => continue,
        };
        if !list.contains(&number) {
            list.push(number);
            if entry["state"] == "failed" {
                println!(
                    "  #{number} leaves the queue: {}",
                    entry["reason"].as_str().unwrap_or("no reason given")
                );
            }
        }
    }
}

fn table(queue: &Value) -> String {
    let mut lines = vec![format!(
        "  {:<5} {:<8} {:<9} {:<9} {}",
        "pull", "state", "candidate", "on", "why"
    )];
    for entry in entries(queue, "entries") {
        let sha = |key: &str| short(entry["candidate"][key].as_str().unwrap_or("-")).to_owned();
        lines.push(format!(
            "  #{:<4} {:<8} {:<9} {:<9} {}",
            number(entry),
            entry["state"].as_str().unwrap_or("?"),
            sha("sha"),
            sha("base_sha"),
            entry["reason"].as_str().unwrap_or_default()
        ));
    }
    if lines.len() == 1 {
        lines.push("  (empty)".to_owned());
    }
    lines.join("\n")
}
