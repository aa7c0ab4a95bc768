//! Progress on the terminal: what is done, why, and how long it took.

use std::time::{Duration, Instant};

use anyhow::Result;

/// One line about something that is not worth its own timing.
pub fn note(text: &str) {
    println!("    {text}");
}

/// Steps of one command, timed.
#[derive(Default)]
pub struct Steps {
    done: Vec<(String, Duration)>,
}

impl Steps {
    /// Announces `name` and `why`, runs the step and keeps its time.
    ///
    /// # Errors
    /// The step's own.
    pub fn run<T>(&mut self, name: &str, why: &str, step: impl FnOnce() -> Result<T>) -> Result<T> {
        println!("==> {name}: {why}");
        let start = Instant::now();
        let result = step();
        let took = start.elapsed();
        let outcome = if result.is_ok() { "done" } else { "FAILED" };
        println!("    {name} {outcome} in {}", seconds(took));
        self.done.push((name.to_owned(), took));
        result
    }

    /// The table of all steps so far, one line each.
    pub fn print_times(&self) {
        let width = self
            .done
            .iter()
            .map(|(name, _)| name.len())
            .max()
            .unwrap_or(0);
        for (name, took) in &self.done {
            println!("    {name:width$}  {:>8}", seconds(*took));
        }
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}
