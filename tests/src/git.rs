use std::path::Path;
use std::process::{Command, Output};

use crate::Server;

/// A pack without objects.
const EMPTY_PACK: &[u8] = b"PACK\0\0\0\x02\0\0\0\0\x02\x9d\x08\x82\x3b\xd8\xa8\xea\xb5\x10\xad\x6a\xc7\x5c\x82\x3c\xfd\x3e\xd3\x1e";

/// What a client sends to move refs, each by old id, new id and name, without new objects.
pub fn receive_body(moves: &[(&str, &str, &str)]) -> Vec<u8> {
    let mut body = Vec::new();
    for (old, new, name) in moves {
        let line = format!("{old} {new} {name}\0 report-status side-band-64k");
        body.extend(format!("{:04x}{line}", line.len() + 4).bytes());
    }
    body.extend(b"0000");
    let deletes = |(_, new, _): &(&str, &str, &str)| new.bytes().all(|digit| digit == b'0');
    if !moves.iter().all(deletes) {
        body.extend(EMPTY_PACK);
    }
    body
}

/// A clone that pushes to the repository `acme/site` of a server.
pub struct WorkTree {
    folder: tempfile::TempDir,
    remote: String,
}

impl WorkTree {
    /// A new repository with one commit on main, which is pushed.
    pub fn begin(server: &Server) -> Self {
        let tree = Self::empty(server);
        tree.git(&["init", "--quiet", "--initial-branch=main"]);
        tree.commit("README", "hello\n");
        tree.push("main").expect("an unprotected main takes a push");
        tree
    }

    /// A folder that is no repository yet.
    pub fn empty(server: &Server) -> Self {
        let remote = server
            .url
            .replace("http://", &format!("http://x:{}@", server.token));
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            remote: format!("{remote}/acme/site.git"),
        }
    }

    /// The server is somewhere else now.
    pub fn follow(&mut self, server: &Server) {
        let remote = server
            .url
            .replace("http://", &format!("http://x:{}@", server.token));
        self.remote = format!("{remote}/acme/site.git");
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    fn run(&self, args: &[&str]) -> Output {
        let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
        Command::new("git")
            .args(who)
            .args(args)
            .current_dir(self.path())
            .env("GIT_TERMINAL_PROMPT", "0")
            .output()
            .expect("git runs")
    }

    /// Runs git, which must succeed; gives what it prints.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned()
    }

    /// Writes a file and commits it; gives the commit.
    #[track_caller]
    pub fn commit(&self, file: &str, text: &str) -> String {
        std::fs::write(self.path().join(file), text).expect("a file");
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "-m", &format!("Change {file}")]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// A branch from main with one file of its own, pushed; gives its head.
    #[track_caller]
    pub fn branch(&self, name: &str) -> String {
        self.git(&["checkout", "--quiet", "-B", name, "main"]);
        let head = self.commit(name, "new\n");
        self.push(name).expect("a branch takes a push");
        self.git(&["checkout", "--quiet", "main"]);
        head
    }

    /// A branch with a history of its own; gives its head.
    #[track_caller]
    pub fn orphan(&self, name: &str) -> String {
        self.git(&["checkout", "--quiet", "--orphan", name]);
        let head = self.commit(name, "from nowhere\n");
        self.git(&["checkout", "--quiet", "main"]);
        head
    }

    /// Pushes a refspec; the error is what git printed.
    pub fn push(&self, refspec: &str) -> Result<(), String> {
        let output = self.run(&["push", "--quiet", &self.remote, refspec]);
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    /// Refs of the server that match a pattern, as `git ls-remote` prints them.
    #[track_caller]
    pub fn remote_refs(&self, pattern: &str) -> String {
        self.git(&["ls-remote", &self.remote, pattern])
    }

    /// Fetches a branch of the server; gives its commit.
    #[track_caller]
    pub fn fetch(&self, branch: &str) -> String {
        self.git(&["fetch", "--quiet", &self.remote, branch]);
        self.git(&["rev-parse", "FETCH_HEAD"])
    }
}
