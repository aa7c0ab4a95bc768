//! Writes what was found, in one transaction with the note that the event is done.

use g1t_kit::db::{Db, Transaction};
use g1t_kit::events::Event;
use g1t_kit::outbox::{NewEvent, publish};
use g1t_kit::pulls::{Merged, Place, Pull, record_closed, record_merged, tick_queues};
use g1t_kit::types::{File, FileStatus};
use g1t_kit::{Fault, Id, Repository, inbox, params};
use serde_json::json;

use crate::handle::{Cause, Seen};
use crate::look::{Change, Standing};

const HANDLER: &str = "on-git-push";

/// Writes every change; nothing when the event was handled before.
pub async fn all(
    db: Db,
    event: &Event,
    repository: &Repository,
    cause: &Cause,
    seen: &Seen,
) -> Result<(), Fault> {
    let tx = db.begin().await?;
    // An event that comes again is not done; writing what was seen twice changes nothing.
    if seen.failed.is_none() && !inbox::begin_once(&tx, event, HANDLER).await? {
        return Ok(());
    }
    let recorder = Recorder {
        tx: &tx,
        repository,
        cause,
    };
    for (pull, change) in &seen.changes {
        recorder.record(pull, change).await?;
    }
    if let Cause::Push { branch, .. } = cause {
        tx.execute(
            include_str!("sql/repository_pushed.sql"),
            params![repository.id],
        )
        .await?;
        recorder.tick_queue_of(branch).await?;
    }
    tx.commit().await?;
    Ok(())
}

struct Recorder<'a> {
    tx: &'a Transaction,
    repository: &'a Repository,
    cause: &'a Cause,
}

impl Recorder<'_> {
    async fn record(&self, pull: &Pull, change: &Change) -> Result<(), Fault> {
        let place = self.place(pull);
        match change {
            Change::Closed(reason) => {
                record_closed(self.tx, place, reason, self.pusher()).await?;
            }
            Change::MergeFinished(intent) => {
                let merged = Merged {
                    sha: intent.sha.clone(),
                    by: Some(intent.actor),
                    method: intent.method.word(),
                };
                record_merged(self.tx, place, &merged).await?;
            }
            Change::MergedByPush(base) => {
                let merged = Merged {
                    sha: base.clone(),
                    by: self.pusher(),
                    method: "push",
                };
                record_merged(self.tx, place, &merged).await?;
            }
            Change::Unknown => {
                self.tx
                    .execute(include_str!("sql/pull_unknown.sql"), params![pull.id])
                    .await?;
            }
            Change::Standing(standing) => self.stand(pull, standing).await?,
        }
        Ok(())
    }

    async fn stand(&self, pull: &Pull, standing: &Standing) -> Result<(), Fault> {
        let count = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        let files = standing
            .files
            .as_ref()
            .map(|files| i32::try_from(files.len()).unwrap_or(i32::MAX));
        let params = params![
            pull.id,
            standing.head,
            standing.base,
            count(standing.ahead),
            count(standing.behind),
            standing.mergeable.word(),
            standing.conflicts,
            files,
            self.cause.pusher_of(&pull.head_branch, &standing.head),
        ];
        if self
            .tx
            .execute(include_str!("sql/pull_update.sql"), params)
            .await?
            == 0
        {
            // Merged or closed meanwhile: nothing of this is of interest any more.
            return Ok(());
        }
        if let Some(files) = &standing.files {
            self.files(pull, files).await?;
            self.overlaps(pull).await?;
        }
        if standing.head != pull.head_sha {
            self.updated(pull, standing).await?;
            tick_queues(self.tx, self.place(pull)).await?;
        }
        Ok(())
    }

    async fn updated(&self, pull: &Pull, standing: &Standing) -> Result<(), Fault> {
        let data = json!({
            "number": pull.number,
            "head": pull.head_branch,
            "head_sha": standing.head,
            "base": pull.base_branch,
            "before": pull.head_sha,
            "after": standing.head,
            "mergeable": standing.mergeable.word(),
        });
        self.publish("pull.updated", pull.subject(), data).await
    }

    async fn files(&self, pull: &Pull, files: &[File]) -> Result<(), Fault> {
        self.tx
            .execute(include_str!("sql/files_clear.sql"), params![pull.id])
            .await?;
        let paths: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
        // An array of the interface cannot be told apart from one with empty texts; empty means none.
        let previous: Vec<String> = files
            .iter()
            .map(|file| file.previous_path.clone().unwrap_or_default())
            .collect();
        let statuses: Vec<String> = files
            .iter()
            .map(|file| status_word(file.status).to_owned())
            .collect();
        let params = params![
            self.repository.workspace_id,
            self.repository.id,
            pull.id,
            paths,
            previous,
            statuses
        ];
        self.tx
            .execute(include_str!("sql/files_put.sql"), params)
            .await?;
        Ok(())
    }

    async fn overlaps(&self, pull: &Pull) -> Result<(), Fault> {
        let params = params![self.repository.workspace_id, self.repository.id, pull.id];
        for row in self
            .tx
            .query(include_str!("sql/overlaps_new.sql"), params)
            .await?
        {
            let (number, other): (i64, i64) = (row.get("number")?, row.get("other_number")?);
            let files: Vec<String> = row.get("files")?;
            let data = json!({ "numbers": [number, other], "files": files });
            self.publish("overlap.detected", pull.subject(), data)
                .await?;
        }
        Ok(())
    }

    async fn tick_queue_of(&self, branch: &str) -> Result<(), Fault> {
        let row = self
            .tx
            .one(
                include_str!("sql/has_queue.sql"),
                params![self.repository.id, branch],
            )
            .await?;
        if row.get("has_entries")? {
            let event =
                NewEvent::queue_tick(self.repository.workspace_id, self.repository.id, branch);
            publish(self.tx, event).await?;
        }
        Ok(())
    }

    async fn publish(
        &self,
        kind: &str,
        subject: String,
        data: serde_json::Value,
    ) -> Result<(), Fault> {
        let event = NewEvent::new(self.repository.workspace_id, kind, subject, data)
            .repository(self.repository.id);
        let event = match self.pusher() {
            Some(pusher) => event.actor(pusher),
            None => event,
        };
        publish(self.tx, event).await?;
        Ok(())
    }

    fn pusher(&self) -> Option<Id> {
        match self.cause {
            Cause::Push { pusher, .. } => *pusher,
            Cause::Pull(_) => None,
        }
    }

    fn place(&self, pull: &Pull) -> Place {
        Place {
            workspace: self.repository.workspace_id,
            repository: self.repository.id,
            pull: pull.id,
        }
    }
}

fn status_word(status: FileStatus) -> &'static str {
    match status {
        FileStatus::Added => "added",
        FileStatus::Modified => "modified",
        FileStatus::Removed => "removed",
        FileStatus::Renamed => "renamed",
        FileStatus::ModeChanged => "mode_changed",
    }
}
