//! Events that no try could handle: shown, and sent again.

use std::process::ExitCode;

use anyhow::Context;
use g1t_events::Event;
use g1t_events::dead_letters::{DeadLetter, DeadLetterId, list, resend};
use sqlx::PgPool;

use super::app::queue;
use super::options::{DeadLettersArgs, DeadLettersCommand};

/// Dead letters read at once.
const PAGE: i64 = 100;
/// How times are shown.
const TIME: &str = "%Y-%m-%d %H:%M:%S";

/// Runs `dead-letters`.
pub async fn run(args: DeadLettersArgs) -> anyhow::Result<ExitCode> {
    let pool = PgPool::connect(&args.database.database_url)
        .await
        .context("the database cannot be reached")?;
    match args.command {
        DeadLettersCommand::List { all } => {
            let letters = letters(&pool, all).await?;
            for letter in &letters {
                println!("{}", line(letter));
            }
            println!("{} dead letters", letters.len());
        }
        DeadLettersCommand::Resend { ids, sqs_queue_url } => {
            let queue = queue(&pool, sqs_queue_url).await;
            let ids = if ids.is_empty() {
                // Oldest first: the order they happened in.
                let waiting = letters(&pool, false).await?;
                waiting.iter().rev().map(|letter| letter.id).collect()
            } else {
                ids.into_iter().map(DeadLetterId).collect::<Vec<_>>()
            };
            for id in &ids {
                let letter = resend(&pool, &*queue, *id).await?;
                println!("sent again: {}", line(&letter));
            }
            println!("{} sent again", ids.len());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Dead letters, newest first: those that wait to be sent again, or all.
async fn letters(pool: &PgPool, all: bool) -> Result<Vec<DeadLetter>, sqlx::Error> {
    let mut found = Vec::new();
    let mut before = None;
    loop {
        let page = list(pool, None, before, PAGE).await?;
        let Some(last) = page.last() else {
            return Ok(found);
        };
        before = Some(last.id);
        found.extend(
            page.into_iter()
                .filter(|letter| all || letter.resent_at.is_none()),
        );
    }
}

fn line(letter: &DeadLetter) -> String {
    let what = match Event::from_body(&letter.body) {
        Ok(event) => format!("{} {}", event.kind.as_str(), event.subject),
        Err(_) => "unreadable".to_owned(),
    };
    let resent = match letter.resent_at {
        Some(at) => format!(" (sent again {})", at.format(TIME)),
        None => String::new(),
    };
    format!(
        "{:>6}  {}  {what}: {}{resent}",
        letter.id.0,
        letter.died_at.format(TIME),
        letter.reason
    )
}
