//! A file stays small enough to be read in one go.

use super::sources::Source;

/// Lines that are neither blank nor comment, tests apart.
const CODE_LIMIT: usize = 400;

/// All lines of a file, tests in it included.
const TOTAL_LIMIT: usize = 700;

/// Files over a limit.
pub fn check(sources: &[Source]) -> Vec<String> {
    sources
        .iter()
        .filter(|source| source.extension() == "rs")
        .filter_map(too_big)
        .collect()
}

fn too_big(source: &Source) -> Option<String> {
    let total = source.text.lines().count();
    if total > TOTAL_LIMIT {
        return Some(source.complaint(
            total,
            &format!("{total} lines, {TOTAL_LIMIT} are allowed: move the tests out or split"),
        ));
    }
    let code = if is_test(&source.path) {
        0
    } else {
        code_lines(&source.text)
    };
    (code > CODE_LIMIT).then(|| {
        source.complaint(
            total,
            &format!("{code} lines of code, {CODE_LIMIT} are allowed: split by what it does"),
        )
    })
}

/// Files that hold nothing but tests.
fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.starts_with("tests/") || path.contains("/tests/")
}

/// Lines of code before the tests, which stand at the end of a file.
fn code_lines(text: &str) -> usize {
    text.lines()
        .map(str::trim)
        .take_while(|line| *line != "#[cfg(test)]")
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: String) -> Source {
        Source {
            path: path.into(),
            text,
        }
    }

    #[test]
    fn code_is_counted_without_comments_and_tests() {
        let fits = format!(
            "{}{}#[cfg(test)]\n{}",
            "//! why\n\n".repeat(50),
            "x\n".repeat(400),
            "t\n".repeat(100)
        );
        assert!(check(&[file("host/a.rs", fits)]).is_empty());
        assert_eq!(check(&[file("host/a.rs", "x\n".repeat(401))]).len(), 1);
    }

    #[test]
    fn tests_have_the_larger_limit() {
        assert!(check(&[file("host/src/a/tests.rs", "x\n".repeat(700))]).is_empty());
        assert_eq!(
            check(&[file("host/src/a/tests.rs", "x\n".repeat(701))]).len(),
            1
        );
    }
}
