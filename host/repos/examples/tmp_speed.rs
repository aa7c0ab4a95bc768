use std::time::Instant;
use g1t_repos::*;
#[tokio::main]
async fn main() {
    let repos = Repos::open("/tmp/spd/repos", None).unwrap();
    let person = || Person { name: "g1t".into(), email: "g@x".into() };
    let main = match repos.resolve(1, "main").await.unwrap() { Some(m) => m, None => repos.resolve(1, "master").await.unwrap().unwrap() };
    let mut heads = Vec::new();
    for n in 1..=60 { heads.push(repos.resolve(1, &format!("h{n}")).await.unwrap().unwrap()); }
    for round in 0..3 {
    let start = Instant::now();
    let mut onto = main;
    for head in &heads {
        let step = Step { onto, head: *head, method: MergeMethod::Merge, title: format!("t{round}"), body: String::new(), author: person(), committer: person(), time_ms: 1_700_000_000_000, branch: Some("g1t-queue/1-1".into()) };
        match repos.build_queue_step(1, step).await.unwrap() { Built::Candidate(c) => onto = c, other => panic!("{other:?}") }
    }
    let ours = start.elapsed();
    let start = Instant::now();
    for head in &heads { repos.merge_check(1, main, *head).await.unwrap(); }
    let checks = start.elapsed();
    let start = Instant::now();
    for head in &heads {
        let out = std::process::Command::new("git").args(["-C", "/tmp/spd/repos/1.git", "merge-tree", "--write-tree", &onto.to_string(), &head.to_string()]).output().unwrap();
        assert!(out.status.success());
    }
    println!("60 candidates: {ours:?}; 60 checks {checks:?}, 60 git merge-tree: {:?}; {:?}", start.elapsed(), repos.merge_counts());
    }
}
