//! The HTTP trigger: limits, who asks, which component answers.

mod answer;
mod dispatch;
mod server;

pub use answer::{Answer, AnswerBody, Problem, full};
pub use dispatch::{Api, token};
pub use server::{Server, ServerSettings};
