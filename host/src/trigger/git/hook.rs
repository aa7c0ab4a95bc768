//! The pre-receive hook: runs inside git, in a process of its own. It only carries: what git says to the host, what the
//! host answers to git. No host, no answer, no push.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};

/// Variable with the path of the host's socket.
pub const SOCKET_VARIABLE: &str = "G1T_HOOK_SOCKET";
/// Variable with the id of the push, which the host gave to `git receive-pack`.
pub const PUSH_VARIABLE: &str = "G1T_PUSH_ID";
/// Most bytes of an answer that are shown.
const ANSWER_BYTES: u64 = 64 << 10;

/// What the hook asks.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Question {
    pub push: String,
    /// `GIT_OBJECT_DIRECTORY`: the quarantine; empty when the push brings no objects.
    pub objects: String,
    /// `GIT_ALTERNATE_OBJECT_DIRECTORIES`.
    pub alternates: String,
    /// `<old> <new> <ref>` lines, as git gives them.
    pub updates: String,
}

/// What the host answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Reply {
    pub accepted: bool,
    /// Lines for whoever pushes; git puts `remote: ` before each.
    pub lines: Vec<String>,
}

/// The whole of the hook.
pub fn hook_main() -> ExitCode {
    match ask() {
        Ok(reply) => {
            let mut out = std::io::stderr().lock();
            for line in &reply.lines {
                writeln!(out, "{line}").ok();
            }
            if reply.accepted {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            let mut out = std::io::stderr().lock();
            writeln!(
                out,
                "g1t: the push could not be judged ({error}); nothing was stored, try again"
            )
            .ok();
            ExitCode::FAILURE
        }
    }
}

fn ask() -> std::io::Result<Reply> {
    let variable = |name: &str| {
        std::env::var(name).map_err(|_| std::io::Error::other(format!("{name} is not set")))
    };
    let mut updates = String::new();
    std::io::stdin().read_to_string(&mut updates)?;
    let question = Question {
        push: variable(PUSH_VARIABLE)?,
        // A push that only deletes brings no objects, and git sets up no quarantine for it.
        objects: variable("GIT_OBJECT_DIRECTORY").unwrap_or_default(),
        alternates: variable("GIT_ALTERNATE_OBJECT_DIRECTORIES").unwrap_or_default(),
        updates,
    };
    let mut socket = UnixStream::connect(variable(SOCKET_VARIABLE)?)?;
    socket.write_all(serde_json::to_string(&question)?.as_bytes())?;
    socket.shutdown(std::net::Shutdown::Write)?;
    let mut answer = String::new();
    socket.take(ANSWER_BYTES).read_to_string(&mut answer)?;
    Ok(serde_json::from_str(&answer)?)
}
