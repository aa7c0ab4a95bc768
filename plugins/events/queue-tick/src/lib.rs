//! Looks at one merge queue (`queue.tick`) until nothing is left to do.
//!
//! A turn has three steps. Under the lock of the queue's row the snapshot is loaded, the domain decides, and every intent
//! is written and committed. Then the git work of each intent is done, which is safe to repeat. Then what came of it is
//! recorded, on condition that the attempt is still in the state it was decided in.
//!
//! So the process may die between any two statements: the next tick finds the intent and goes on from there. Two ticks of
//! one queue at the same moment wait for each other while deciding, do the same git work at worst, and record it once.

mod announce;
mod handle;
mod load;
mod queue;
mod rules;
mod work;
mod write;

g1t_kit::event_handler!(handle::handle);
