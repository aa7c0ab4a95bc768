//! Messages of the commits that landing a pull request makes.
//!
//! Nothing of the text may switch CI off: a marker such as `[skip ci]` in a title would end up on the candidate, no
//! check would ever start there, and the entry could only time out (MQ-28). Markers are taken out of what is written
//! here. `rebase` and `fast-forward` keep each commit's own message, since those commits are the author's.

use crate::ids::PullNumber;
use crate::merge_method::MergeMethod;

#[cfg(test)]
mod tests;

/// A name and an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// As shown.
    pub name: String,
    /// What tells two people apart.
    pub email: String,
}

/// What a message is made of.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// The pull request's number.
    pub number: PullNumber,
    /// Its title.
    pub title: &'a str,
    /// Its body; may be empty.
    pub body: &'a str,
    /// Where it comes from, as people write it: `workspace/branch`.
    pub head: &'a str,
    /// Who opened it: author of a squash.
    pub author: &'a Person,
    /// Authors of its commits, oldest first, repetitions and all.
    pub authors: &'a [Person],
    /// First line that whoever merges asked for, instead of ours.
    pub asked_title: Option<&'a str>,
    /// Rest that whoever merges asked for, instead of ours.
    pub asked_body: Option<&'a str>,
}

/// A commit's message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// First line.
    pub title: String,
    /// What follows after an empty line; may be empty.
    pub body: String,
}

/// The message of the commit that `method` makes. Empty for `rebase` and `fast-forward`, which make none of their own.
///
/// | method | first line | rest |
/// |---|---|---|
/// | merge | `Merge pull request #N from <head>` | the title |
/// | squash | the title with `(#N)` | the body, then `Co-authored-by` for every other author |
#[must_use]
pub fn message(method: MergeMethod, subject: &Subject<'_>) -> Message {
    match method {
        MergeMethod::Merge => merge(subject),
        MergeMethod::Squash => squash(subject),
        MergeMethod::Rebase | MergeMethod::FastForward => Message::default(),
    }
}

fn merge(subject: &Subject<'_>) -> Message {
    let ours = format!(
        "Merge pull request {} from {}",
        subject.number, subject.head
    );
    let title = subject
        .asked_title
        .map(one_line)
        .filter(|title| !title.is_empty())
        .unwrap_or_else(|| one_line(&ours));
    let body = match subject.asked_body {
        Some(asked) => paragraphs(asked),
        None => one_line(subject.title),
    };
    Message { title, body }
}

fn squash(subject: &Subject<'_>) -> Message {
    let asked = subject
        .asked_title
        .map(one_line)
        .filter(|title| !title.is_empty());
    let title = asked.unwrap_or_else(|| numbered(&one_line(subject.title), subject.number));
    let mut body = paragraphs(subject.asked_body.unwrap_or(subject.body));
    let trailers = co_authors(subject, &body);
    if !trailers.is_empty() {
        if !body.is_empty() {
            body.push_str("\n\n");
        }
        body.push_str(&trailers.join("\n"));
    }
    Message { title, body }
}

/// `title (#N)`, once.
fn numbered(title: &str, number: PullNumber) -> String {
    let mark = format!("({number})");
    match title {
        "" => format!("Pull request {mark}"),
        title if title.ends_with(&mark) => title.to_owned(),
        title => format!("{title} {mark}"),
    }
}

/// A trailer for every author but the pull request's own; each address once, in the order of the commits. Those the
/// body names already are left out.
fn co_authors(subject: &Subject<'_>, body: &str) -> Vec<String> {
    let mut seen = vec![subject.author.email.to_lowercase()];
    let mut trailers = Vec::new();
    for author in subject.authors {
        let email = author.email.to_lowercase();
        // A line break in a name would let it write any trailer.
        let trailer = format!(
            "Co-authored-by: {} <{}>",
            one_line(&author.name),
            one_line(&author.email)
        );
        if !seen.contains(&email) && !body.contains(&trailer) {
            seen.push(email);
            trailers.push(trailer);
        }
    }
    trailers
}

/// One line: control characters are spaces, runs of spaces are one, no marker.
fn one_line(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    without_markers(&plain)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Lines as they are, without trailing blanks, control characters, markers, and empty lines at both ends.
fn paragraphs(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .filter(|line| !is_skip_trailer(line))
        .map(|line| {
            let plain: String = line
                .chars()
                .filter(|c| !c.is_control() || *c == '\t')
                .collect();
            without_markers(&plain).trim_end().to_owned()
        })
        .collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// Texts that make one CI system or another skip a commit, in lower case.
///
/// GitHub Actions, GitLab, CircleCI, Travis, Buildkite, AppVeyor, Azure Pipelines.
const SKIP_MARKERS: [&str; 17] = [
    "[skip ci]",
    "[ci skip]",
    "[no ci]",
    "[skip-ci]",
    "[ci-skip]",
    "[skip actions]",
    "[actions skip]",
    "[skip action]",
    "[skip checks]",
    "[skip travis]",
    "[travis skip]",
    "[skip circle]",
    "[skip appveyor]",
    "[skip azurepipelines]",
    "[azurepipelines skip]",
    "[skip azp]",
    "***no_ci***",
];

/// `skip-checks: true`, a trailer that GitHub Actions knows.
fn is_skip_trailer(line: &str) -> bool {
    let line = line.trim().to_ascii_lowercase();
    line.strip_prefix("skip-checks:")
        .is_some_and(|value| value.trim() == "true")
}

fn without_markers(text: &str) -> String {
    let mut text = text.to_owned();
    // Taking one out may put the halves of another together.
    while let Some((start, marker)) = find_marker(&text) {
        text.replace_range(start..start + marker.len(), "");
    }
    text
}

fn find_marker(text: &str) -> Option<(usize, &'static str)> {
    // ASCII only, so that a place in the lower-case text is the same place in the text.
    let lower = text.to_ascii_lowercase();
    SKIP_MARKERS
        .iter()
        .find_map(|marker| lower.find(marker).map(|start| (start, *marker)))
}
