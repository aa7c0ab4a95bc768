//! What the rules say about the entries, put into the snapshot: the settings in force, a verdict on every candidate, and
//! whether those that the domain asks about may still merge.

use std::time::Duration;

use g1t_domain::queue::{Admission, AttemptState, Entry, Question, Settings, Verdict, questions};
use g1t_domain::{EntryId, Time};
use g1t_kit::db::Db;
use g1t_kit::pulls::by_id;
use g1t_kit::types::{Decision, Enforcement, Outcome, Ruleset};
use g1t_kit::{Fault, facts, git, judge, time, types};

use crate::load::{EntryRow, Loaded};
use crate::queue::Queue;

/// Files whose paths decide which checks are asked for; the contract's number.
const MOST_FILES: u32 = 50_000;
/// Judged on the candidate when an entry lands, so the pull request's own head is not asked again.
const CHECKS_RULE: &str = "required_status_checks";

/// Fills in what `load` left open.
pub async fn answer(db: &Db, queue: &Queue, loaded: &mut Loaded) -> Result<(), Fault> {
    let rulesets = facts::rulesets(db, &queue.repository).await?;
    let of = facts::repository(&queue.repository);
    if let Some(set) = judge::queue(&of, &queue.base_ref(), &rulesets) {
        loaded.snapshot.settings = settings(&set);
    }
    let rules = Rules {
        db,
        queue,
        rulesets: &rulesets,
    };
    let Loaded { snapshot, rows } = &mut *loaded;
    for entry in &mut snapshot.entries {
        let row = rows.get(&entry.id).ok_or_else(|| unknown(&entry.id))?;
        rules.verdict(entry, row).await?;
    }
    let Some(base_head) = snapshot.base_head.clone() else {
        return Ok(());
    };
    for (id, question) in questions(snapshot) {
        let row = rows.get(&id).ok_or_else(|| unknown(&id))?;
        let Some(entry) = snapshot.entries.iter_mut().find(|entry| entry.id == id) else {
            continue;
        };
        entry.admission = rules
            .admission(entry, row, question, base_head.as_str())
            .await?;
    }
    Ok(())
}

fn unknown(entry: &EntryId) -> Fault {
    Fault::internal(format!("{entry} is not in the snapshot"))
}

fn settings(set: &types::QueueSettings) -> Settings {
    let entries = |number: u32| usize::try_from(number).unwrap_or(1);
    let minutes = |minutes: u32| Duration::from_secs(u64::from(minutes) * 60);
    Settings {
        max_entries_to_build: entries(set.max_entries_to_build),
        check_response_timeout: minutes(set.check_response_timeout_minutes),
        min_entries_to_merge: entries(set.min_entries_to_merge),
        min_entries_to_merge_wait: minutes(set.min_entries_to_merge_wait_minutes),
    }
}

struct Rules<'a> {
    db: &'a Db,
    queue: &'a Queue,
    rulesets: &'a [Ruleset],
}

impl Rules<'_> {
    /// Judges the candidate of an entry that has one. Only reports that began after it was made count.
    async fn verdict(&self, entry: &mut Entry, row: &EntryRow) -> Result<(), Fault> {
        let Some(attempt) = entry.attempts.first_mut() else {
            return Ok(());
        };
        let AttemptState::Built {
            candidate,
            built_at: Time(built_at),
            verdict: said,
        } = &mut attempt.state
        else {
            return Ok(());
        };
        let repository = &self.queue.repository;
        let (onto, sha) = (attempt.onto.to_string(), candidate.to_string());
        let id = repository.git_id();
        let files = git::changes(id, onto.clone(), sha.clone(), MOST_FILES).await?;
        let checks = facts::checks(self.db, repository, &sha, Some(*built_at)).await?;
        let pull = by_id(self.db, repository.id, row.pull_id).await?;
        let now = time::now_ms();
        let branch = &self.queue.branch;
        let mut facts = facts::candidate(repository, branch, (&onto, &sha), checks, files, now);
        // Rules for people or for agents hold by who asked for the merge and by whose change it is.
        facts.actor = self.queuer(row).await?;
        // The candidate contains both by its making.
        let heads = (onto.as_str(), entry.head.as_str());
        let asked = facts::pull_request(self.db, &pull, heads, entry.method.word()).await?;
        facts.pull_request = Some(asked);
        *said = verdict(&judge::judge(&facts, self.rulesets));
        Ok(())
    }

    /// Whoever queued an entry, with the token they did it with.
    async fn queuer(&self, row: &EntryRow) -> Result<types::Actor, Fault> {
        let repository = &self.queue.repository;
        Ok(facts::actor(self.db, row.queued_by, row.token.clone(), repository).await?)
    }

    /// Whether an entry may still merge, by every rule but the queue itself, as whoever queued it.
    async fn admission(
        &self,
        entry: &Entry,
        row: &EntryRow,
        question: Question,
        base_head: &str,
    ) -> Result<Admission, Fault> {
        let Some(head) = &entry.head_now else {
            return Ok(Admission::NotAsked);
        };
        let repository = &self.queue.repository;
        let pull = by_id(self.db, repository.id, row.pull_id).await?;
        let merge = facts::Merge {
            repository,
            actor: self.queuer(row).await?,
            pull: &pull,
            head: head.as_str(),
            base_head,
            method: entry.method.word(),
            now_ms: time::now_ms(),
        };
        let facts = facts::merge(self.db, merge).await?;
        Ok(admission(&judge::judge(&facts, self.rulesets), question))
    }
}

/// What the rules say about a candidate.
fn verdict(decision: &Decision) -> Verdict {
    let why = |outcome| {
        let active = decision.verdicts.iter().filter(move |verdict| {
            verdict.enforcement == Enforcement::Active && verdict.outcome == outcome
        });
        active
            .map(|verdict| verdict.why.clone())
            .collect::<Vec<String>>()
    };
    match decision.outcome {
        Outcome::Fail => Verdict::Fail(why(Outcome::Fail)),
        Outcome::Waiting => Verdict::Waiting(why(Outcome::Waiting)),
        Outcome::Pass if asks_for_checks(decision) => Verdict::Pass,
        Outcome::Pass => Verdict::NothingRequired,
    }
}

fn asks_for_checks(decision: &Decision) -> bool {
    decision.verdicts.iter().any(|verdict| {
        verdict.enforcement == Enforcement::Active
            && (verdict.rule == CHECKS_RULE || verdict.rule.starts_with("plugin:"))
    })
}

/// What the rules say about merging; what the asker may bypass does not stand in the way.
fn admission(decision: &Decision, question: Question) -> Admission {
    let counts = |verdict: &&types::Verdict| {
        let is_for_head = question == Question::Landing && verdict.rule == CHECKS_RULE;
        verdict.enforcement == Enforcement::Active && !verdict.bypassable && !is_for_head
    };
    let why = |outcome| {
        let unmet = decision.verdicts.iter().filter(counts);
        let unmet: Vec<&str> = unmet
            .filter(|verdict| verdict.outcome == outcome)
            .map(|verdict| verdict.why.as_str())
            .collect();
        Some(unmet.join(" ")).filter(|why| !why.is_empty())
    };
    match (why(Outcome::Fail), why(Outcome::Waiting)) {
        (Some(failed), _) => Admission::Fail(failed),
        (None, Some(waiting)) => Admission::Waiting(waiting),
        (None, None) => Admission::Pass,
    }
}

#[cfg(test)]
mod tests;
