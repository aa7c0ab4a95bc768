//! A report on a commit (`status.created`, `check_run.created`, `check_run.completed`): the queues that wait for it are
//! looked at. A commit that is nobody's candidate and no queued pull request's head changes nothing.

mod handle;

g1t_kit::event_handler!(handle::handle);
