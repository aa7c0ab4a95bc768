//! Stories of the queue, told on a small world in memory; those that retell a case of the field carry its number.

mod checks;
mod gathering;
mod lifecycle;
mod order;
mod texts;
mod world;
