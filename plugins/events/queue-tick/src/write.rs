//! Writes what was decided, within the transaction that decided it.

use g1t_domain::queue::{Action, Ejection, EntryState, Note, Onto, Removal, Standing, VoidReason};
use g1t_domain::{AttemptId, EntryId, Oid};
use g1t_kit::db::Transaction;
use g1t_kit::{Fault, ids, params};
use serde_json::json;

use crate::announce::{self, EntryName, Group};
use crate::load::Loaded;
use crate::queue::Queue;
use crate::work::Work;

/// Name of the check run that tells a pull request why the queue took it out.
pub const CHECK_RUN: &str = "g1t / merge queue";

/// Writes every action; gives the git work that follows once this is committed.
pub async fn actions(
    tx: &Transaction,
    queue: &Queue,
    loaded: &Loaded,
    actions: &[Action],
) -> Result<Vec<Work>, Fault> {
    let writer = Writer { tx, queue, loaded };
    let mut pieces = Vec::new();
    for action in actions {
        pieces.extend(writer.write(action).await?);
    }
    Ok(pieces)
}

struct Writer<'a> {
    tx: &'a Transaction,
    queue: &'a Queue,
    loaded: &'a Loaded,
}

impl Writer<'_> {
    async fn write(&self, action: &Action) -> Result<Option<Work>, Fault> {
        match action {
            Action::Intend { entry, head, onto } => {
                return self.intend(entry, head, onto).await.map(Some);
            }
            Action::Build { attempt, .. } => return Ok(Some(Work::Build(attempt.clone()))),
            Action::Void {
                entry,
                attempt,
                why,
            } => self.void(entry, attempt, *why).await?,
            Action::Show { entry, standing } => self.show(entry, standing).await?,
            Action::Gather { entries } => {
                let ids: Vec<String> = entries.iter().map(ToString::to_string).collect();
                self.tx
                    .execute(include_str!("sql/entries_gathered.sql"), params![ids])
                    .await?;
            }
            Action::Land { attempt, .. } => {
                self.tx
                    .execute(
                        include_str!("sql/attempt_landing.sql"),
                        params![attempt.as_str()],
                    )
                    .await?;
                return Ok(Some(Work::Land(attempt.clone())));
            }
            Action::Eject { entry, ejection } => self.eject(entry, ejection).await?,
            Action::Remove { entry, why } => self.remove(entry, why).await?,
            // Decided anew in the last turn, when nothing else is left to do.
            Action::WakeAt(_) => {}
        }
        Ok(None)
    }

    async fn intend(&self, entry: &EntryId, head: &Oid, onto: &Onto) -> Result<Work, Fault> {
        let attempt = AttemptId::new(ids::prefixed("qa"));
        let repository = &self.queue.repository;
        let onto_attempt = onto.attempt.as_ref().map(ToString::to_string);
        let params = params![
            attempt.as_str(),
            repository.workspace_id,
            repository.id,
            entry.as_str(),
            head.as_str(),
            onto.commit.as_str(),
            onto_attempt,
        ];
        self.tx
            .execute(include_str!("sql/attempt_intend.sql"), params)
            .await?;
        self.tx
            .execute(
                include_str!("sql/entry_head.sql"),
                params![entry.as_str(), head.as_str()],
            )
            .await?;
        Ok(Work::Build(attempt))
    }

    async fn void(
        &self,
        entry: &EntryId,
        attempt: &AttemptId,
        why: VoidReason,
    ) -> Result<(), Fault> {
        let name = self.name(entry)?;
        void(self.tx, self.queue, &name, attempt, why).await
    }

    async fn show(&self, entry: &EntryId, standing: &Standing) -> Result<(), Fault> {
        let Standing { state, note } = standing;
        let text = note.text(&self.queue.branch);
        let params = params![entry.as_str(), state_word(*state), note.code(), text];
        let shown = self
            .tx
            .execute(include_str!("sql/entry_show.sql"), params)
            .await?;
        // Which checks are still missing changes with every report: the entry shows it, and nobody is woken for it.
        let is_news = !matches!(note, Note::Checks(_)) || self.was_state(entry) != Some(*state);
        if shown == 1 && is_news {
            let reason = (note.code(), text.as_str());
            announce::changed(
                self.tx,
                self.queue,
                &self.name(entry)?,
                state_word(*state),
                reason,
            )
            .await?;
        }
        Ok(())
    }

    fn was_state(&self, id: &EntryId) -> Option<EntryState> {
        self.loaded
            .snapshot
            .entries
            .iter()
            .find(|entry| entry.id == *id)
            .map(|entry| entry.state)
    }

    async fn eject(&self, entry: &EntryId, ejection: &Ejection) -> Result<(), Fault> {
        let text = ejection.text(&self.queue.branch);
        let code = ejection.code.code();
        let Some(head) = self.finish(entry, "failed", (code, &text)).await? else {
            return Ok(());
        };
        let repository = &self.queue.repository;
        let output = json!({
            "title": text,
            "summary": summary(&self.queue.branch, ejection),
            "text": "",
            "annotations": [],
        });
        let params = params![
            repository.workspace_id,
            repository.id,
            head,
            entry.as_str(),
            output
        ];
        let run: i64 = self
            .tx
            .one(include_str!("sql/failed_run.sql"), params)
            .await?
            .get("id")?;
        let name = self.name(entry)?;
        announce::check_run_completed(self.tx, self.queue, &head, CHECK_RUN, run).await?;
        announce::failed(self.tx, self.queue, &name, ejection).await?;
        Ok(())
    }

    async fn remove(&self, entry: &EntryId, why: &Removal) -> Result<(), Fault> {
        let text = why.text(&self.queue.branch);
        self.finish(entry, "removed", (why.code(), &text)).await?;
        Ok(())
    }

    /// Ends an entry; gives its head, or none when it had ended already.
    async fn finish(
        &self,
        entry: &EntryId,
        state: &str,
        reason: (&str, &str),
    ) -> Result<Option<String>, Fault> {
        let (code, text) = reason;
        let params = params![entry.as_str(), state, code, text];
        let row = self
            .tx
            .optional(include_str!("sql/entry_finish.sql"), params)
            .await?;
        let Some(row) = row else { return Ok(None) };
        announce::changed(self.tx, self.queue, &self.name(entry)?, state, reason).await?;
        Ok(Some(row.get("head_sha")?))
    }

    fn name<'a>(&self, entry: &'a EntryId) -> Result<EntryName<'a>, Fault> {
        Ok(EntryName {
            entry: entry.as_str(),
            number: self.loaded.row(entry)?.number,
        })
    }
}

/// Ends an attempt; nothing happens when it is over already.
pub async fn void(
    tx: &Transaction,
    queue: &Queue,
    name: &EntryName<'_>,
    attempt: &AttemptId,
    why: VoidReason,
) -> Result<(), Fault> {
    let params = params![attempt.as_str(), why.code()];
    let Some(row) = tx
        .optional(include_str!("sql/attempt_void.sql"), params)
        .await?
    else {
        return Ok(());
    };
    let Some(candidate) = row.get::<Option<String>>("candidate_sha")? else {
        return Ok(());
    };
    let (branch, onto): (String, String) = (row.get("branch")?, row.get("onto_sha")?);
    let group = Group {
        attempt: attempt.as_str(),
        number: row.get("number")?,
        branch: &branch,
        candidate: &candidate,
        onto: &onto,
    };
    let reason = if why == VoidReason::EntryLeft {
        "dequeued"
    } else {
        "invalidated"
    };
    announce::destroyed(tx, queue, name, &group, reason).await?;
    Ok(())
}

/// The stored word of a state.
pub fn state_word(state: EntryState) -> &'static str {
    match state {
        EntryState::Waiting => "waiting",
        EntryState::Testing => "testing",
        EntryState::Passed => "passed",
    }
}

/// What the failed check run says: what was tested, on what, with whom, and what brings the pull request back (MQ-37).
fn summary(base: &str, ejection: &Ejection) -> String {
    let mut lines = Vec::new();
    if let Some(candidate) = &ejection.candidate {
        lines.push(format!("Tested commit: `{candidate}`"));
    }
    if let Some(onto) = &ejection.onto {
        lines.push(format!("Built on: `{onto}`"));
    }
    if !ejection.ahead.is_empty() {
        let ahead: Vec<String> = ejection.ahead.iter().map(ToString::to_string).collect();
        lines.push(format!("Together with: {}", ahead.join(", ")));
    }
    lines.extend(ejection.details.iter().map(|detail| format!("- {detail}")));
    lines.push(String::new());
    lines.push(ejection.remedy(base));
    lines.join("\n")
}

#[cfg(test)]
mod tests;
