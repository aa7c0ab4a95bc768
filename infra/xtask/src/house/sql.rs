//! A `.sql` file beside a component holds one statement: it is prepared as one, and a test prepares every file.

use super::sources::Source;

/// Files below `plugins/` with more or less than one statement. Migrations are scripts and may have many.
pub fn check(sources: &[Source]) -> Vec<String> {
    sources
        .iter()
        .filter(|source| source.extension() == "sql" && source.path.starts_with("plugins/"))
        .filter_map(|source| match statements(&source.text) {
            1 => None,
            count => {
                Some(source.complaint(1, &format!("{count} statements, one a file is allowed")))
            }
        })
        .collect()
}

/// How many statements a text has: pieces between semicolons that are not blank, where comments, strings and quoted
/// names hide their semicolons.
fn statements(text: &str) -> usize {
    let mut count = 0;
    let mut in_statement = false;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, kind) = piece(rest, first);
        match kind {
            Piece::Blank => {}
            Piece::End => in_statement = false,
            Piece::Part => {
                count += usize::from(!in_statement);
                in_statement = true;
            }
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    count
}

enum Piece {
    Blank,
    End,
    Part,
}

/// The length in bytes of the piece `rest` begins with, and what it is.
fn piece(rest: &str, first: char) -> (usize, Piece) {
    let until = |open: usize, close: &str| {
        rest.get(open..)
            .and_then(|tail| tail.find(close))
            .map_or(rest.len(), |at| open + at + close.len())
    };
    match first {
        '-' if rest.starts_with("--") => (until(2, "\n"), Piece::Blank),
        '/' if rest.starts_with("/*") => (until(2, "*/"), Piece::Blank),
        '\'' => (until(1, "'"), Piece::Part),
        '"' => (until(1, "\""), Piece::Part),
        '$' => match dollar_quote(rest) {
            Some(mark) => (until(mark.len(), mark), Piece::Part),
            None => (1, Piece::Part),
        },
        ';' => (1, Piece::End),
        other if other.is_whitespace() => (other.len_utf8(), Piece::Blank),
        other => (other.len_utf8(), Piece::Part),
    }
}

/// `$$` or `$name$` at the start; `$1` is a parameter.
fn dollar_quote(rest: &str) -> Option<&str> {
    let name_end = rest.get(1..)?.find('$')? + 1;
    let name = rest.get(1..name_end)?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name.then(|| rest.get(..=name_end)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_semicolons_do_not_count() {
        assert_eq!(
            statements("-- one; two\nselect ';', \"a;b\", $1::text /* ; */ from t where x = $2;\n"),
            1
        );
        assert_eq!(statements("do $body$ begin; end; $body$"), 1);
        assert_eq!(statements("select 'it''s; fine'"), 1);
    }

    #[test]
    fn two_statements_and_none_are_found() {
        assert_eq!(statements("select 1; select 2"), 2);
        assert_eq!(statements("-- nothing\n;"), 0);
    }
}
