//! Stories about repositories on disk. Real git is asked what is right.

mod creating;
mod merge_corpus;
mod merge_random;
mod pushing;
mod reading;
mod refs;
mod steps;
mod world;
