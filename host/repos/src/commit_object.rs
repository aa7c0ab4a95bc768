//! Commits written byte for byte, so that the same step gives the same id and a replayed commit keeps what its author wrote,
//! whatever its encoding.

use crate::error::Doing;
use crate::store::Work;
use crate::{Error, Person, Result};

/// A commit that is about to be written.
pub(crate) struct CommitObject {
    pub(crate) tree: git2::Oid,
    pub(crate) parents: Vec<git2::Oid>,
    /// As it stands in the object: name, address, time, zone.
    pub(crate) author: Vec<u8>,
    pub(crate) committer: Vec<u8>,
    pub(crate) encoding: Option<Vec<u8>>,
    pub(crate) message: Vec<u8>,
}

impl CommitObject {
    /// Writes it and gives its id.
    pub(crate) fn write(&self, work: &Work) -> Result<git2::Oid> {
        let odb = work.repo.odb().doing("open the objects")?;
        odb.write(git2::ObjectType::Commit, &self.bytes())
            .doing("write a commit")
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("tree {}\n", self.tree).into_bytes();
        for parent in &self.parents {
            bytes.extend_from_slice(format!("parent {parent}\n").as_bytes());
        }
        let encoding = self.encoding.as_ref();
        let lines = [
            ("author", Some(&self.author)),
            ("committer", Some(&self.committer)),
            ("encoding", encoding),
        ];
        for (name, value) in lines {
            if let Some(value) = value {
                bytes.extend_from_slice(name.as_bytes());
                bytes.push(b' ');
                bytes.extend_from_slice(value);
                bytes.push(b'\n');
            }
        }
        bytes.push(b'\n');
        bytes.extend_from_slice(&self.message);
        bytes
    }
}

/// A header line of a commit as it stands there.
pub(crate) fn header(commit: &git2::Commit<'_>, name: &str) -> Option<Vec<u8>> {
    let lines = commit.raw_header_bytes().split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| line.strip_prefix(name.as_bytes())?.strip_prefix(b" "))
        .next()
        .map(<[u8]>::to_vec)
}

/// A person with a moment (milliseconds since 1970) as a commit holds them, in UTC.
///
/// What git cannot write is left out, as git does; an empty name becomes the address.
///
/// # Errors
///
/// [`Error::Invalid`] when neither name nor address is left, or for a time before 1970.
pub(crate) fn signature_line(person: &Person, time_ms: i64) -> Result<Vec<u8>> {
    let (name, email) = (writable(&person.name), writable(&person.email));
    let shown = if name.is_empty() { &email } else { &name };
    if shown.is_empty() {
        return Err(Error::Invalid("a person needs a name or an address".into()));
    }
    if time_ms < 0 {
        return Err(Error::Invalid(format!("time {time_ms} is before 1970")));
    }
    Ok(format!("{shown} <{email}> {} +0000", time_ms / 1_000).into_bytes())
}

fn writable(text: &str) -> String {
    let kept: String = text
        .chars()
        .filter(|c| !matches!(c, '<' | '>') && !c.is_control())
        .collect();
    // Git takes these away at both ends.
    kept.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '.' | ',' | ':' | ';' | '"' | '\\' | '\'')
    })
    .to_owned()
}

/// A message of a first line and the rest; what git cannot write is left out.
pub(crate) fn message(title: &str, body: &str) -> Vec<u8> {
    let title = title
        .replace('\0', "")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let body = body.replace('\0', "").replace("\r\n", "\n");
    let body = body.trim();
    let text = if body.is_empty() {
        format!("{title}\n")
    } else {
        format!("{title}\n\n{body}\n")
    };
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, email: &str) -> String {
        let person = Person {
            name: name.into(),
            email: email.into(),
        };
        String::from_utf8(signature_line(&person, 1_700_000_000_999).unwrap()).unwrap()
    }

    #[test]
    fn a_person_cannot_forge_a_header() {
        assert_eq!(line("Ada", "a@x"), "Ada <a@x> 1700000000 +0000");
        assert_eq!(
            line("Ada <b@y> 1 +0000\nparent 0", "a@x\n>"),
            "Ada b@y 1 +0000parent 0 <a@x> 1700000000 +0000"
        );
        assert_eq!(line("", "a@x"), "a@x <a@x> 1700000000 +0000");
        assert!(
            signature_line(
                &Person {
                    name: " <>".into(),
                    email: String::new()
                },
                0
            )
            .is_err()
        );
    }

    #[test]
    fn a_message_has_one_first_line() {
        assert_eq!(message("Add\n\na file", ""), b"Add a file\n");
        assert_eq!(
            message("Add", "Because.\r\nYes.\n\n"),
            b"Add\n\nBecause.\nYes.\n"
        );
    }
}
