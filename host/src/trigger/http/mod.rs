//! The HTTP trigger: limits, who asks, which component answers.

mod answer;
mod body;
mod description;
mod dispatch;
mod patient;
mod rate;
mod server;

pub use answer::{Answer, AnswerBody, Problem, full};
pub use description::{Description, DescriptionError};
pub use dispatch::{Api, ApiParts, token};
pub use server::{Server, ServerSettings};
