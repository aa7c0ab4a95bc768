use crate::bindings::app::spin::postgres::postgres as wit;

/// What a guest's statement may begin with. The role already keeps guests from what they may not see; this keeps them
/// from what would stay with the connection, such as `PREPARE`, `LISTEN` or `SET`, and from `COPY`, which speaks another
/// protocol.
const ALLOWED: [&str; 10] = [
    "SELECT",
    "INSERT",
    "UPDATE",
    "DELETE",
    "WITH",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT",
    "RELEASE",
];

/// Refuses a statement that does not begin with an allowed word.
pub(super) fn check(statement: &str) -> Result<(), wit::Error> {
    let word = first_word(statement);
    if ALLOWED
        .iter()
        .any(|allowed| word.eq_ignore_ascii_case(allowed))
    {
        return Ok(());
    }
    Err(wit::Error::QueryFailed(wit::QueryError::Text(format!(
        "a component's statement begins with one of {}; this one with '{}'",
        ALLOWED.join(", "),
        word.chars().take(40).collect::<String>(),
    ))))
}

/// The first word behind blanks, comments and opening parentheses, as Postgres reads them.
fn first_word(statement: &str) -> &str {
    let mut rest = statement;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c', '(']);
        if let Some(comment) = rest.strip_prefix("--") {
            rest = comment
                .find(['\n', '\r'])
                .and_then(|end| comment.get(end..))
                .unwrap_or_default();
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = behind_comment(comment);
        } else {
            break;
        }
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
}

/// What follows a comment that has been opened once; such comments nest.
fn behind_comment(comment: &str) -> &str {
    let (mut rest, mut depth) = (comment, 1usize);
    while depth > 0 {
        let (open, close) = (rest.find("/*"), rest.find("*/"));
        let at = match (open, close) {
            (Some(open), Some(close)) if open < close => {
                depth += 1;
                open
            }
            (_, Some(close)) => {
                depth -= 1;
                close
            }
            (_, None) => return "",
        };
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::{check, first_word};

    #[test]
    fn what_reads_writes_and_brackets_is_allowed() {
        for statement in [
            "select 1",
            "-- a remark\n  WITH x AS (SELECT 1) SELECT * FROM x",
            "/* one /* in */ another */ INSERT INTO t VALUES (1)",
            "(SELECT 1) UNION (SELECT 2)",
            "BEGIN ISOLATION LEVEL REPEATABLE READ",
        ] {
            assert!(check(statement).is_ok(), "{statement}");
        }
    }

    #[test]
    fn what_stays_with_the_connection_is_refused_however_it_is_dressed() {
        for (statement, word) in [
            ("RESET ROLE", "RESET"),
            ("/* SELECT */ SET x = 1", "SET"),
            ("/* /* */ SELECT */ copy t TO STDOUT", "copy"),
            ("--SELECT\rDISCARD ALL", "DISCARD"),
            ("\u{a0}SELECT 1", ""),
            ("/* never closed SELECT", ""),
            ("selectx", "selectx"),
            ("", ""),
        ] {
            assert!(check(statement).is_err(), "{statement}");
            assert_eq!(first_word(statement), word);
        }
    }
}
