//! Stories of events on their way, told against every queue client by the same functions.

mod conformance;
mod consumer;
mod dead_letters;
mod relay;
mod support;
