//! Words that must not be in the repository: paths of one machine, and marks of unfinished work.

use super::sources::Source;

/// Roots of paths that exist on one machine only. Written in pieces, for this file is checked like all others.
const PATHS: [&str; 4] = [
    concat!("/wo", "rk/"),
    concat!("/tm", "p/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
];

/// Marks of unfinished work; what is open is an issue.
const MARKS: [&str; 5] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("to", "do!("),
    concat!("unimpl", "emented!("),
    concat!("db", "g!("),
];

/// Lines with such a word.
pub fn check(sources: &[Source]) -> Vec<String> {
    let ours = sources.iter().filter(|source| !is_copied(&source.path));
    ours.flat_map(|source| {
        let lines = source.text.lines().enumerate();
        lines.filter_map(|(number, line)| Some(source.complaint(number + 1, &fault(line)?)))
    })
    .collect()
}

/// Files others wrote or a tool makes.
fn is_copied(path: &str) -> bool {
    path.starts_with("wit/deps/") || path.ends_with(".lock") || path.ends_with("package-lock.json")
}

fn fault(line: &str) -> Option<String> {
    if let Some(path) = PATHS.iter().find(|path| starts_a_path(line, path)) {
        return Some(format!(
            "`{path}` is a path of one machine: take it from an argument or a temporary folder"
        ));
    }
    let mark = MARKS.iter().find(|mark| has_word(line, mark))?;
    Some(format!(
        "`{mark}` marks unfinished work: finish it, or write an issue and leave it out"
    ))
}

/// `word` as the beginning of a path, not as a part of a longer one.
fn starts_a_path(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(|before: char| before.is_alphanumeric() || "._-}*/".contains(before))
    })
}

fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let end = at + word.len();
        let inside = |c: char| c.is_alphanumeric() || c == '_';
        !line[..at].ends_with(inside) && (word.ends_with('(') || !line[end..].starts_with(inside))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_one_machine_is_found_and_a_route_is_not() {
        assert!(fault(concat!("open(\"/tm", "p/x\")")).is_some());
        assert!(fault(concat!("GET api/wo", "rk/pulls")).is_none());
        assert!(fault(concat!("${X}/tm", "p/y")).is_none());
    }

    #[test]
    fn a_mark_is_found_as_a_word() {
        assert!(fault(concat!("// TO", "DO later")).is_some());
        assert!(fault(concat!("let TO", "DOS = 1")).is_none());
        assert!(fault(concat!("    to", "do!()")).is_some());
    }
}
