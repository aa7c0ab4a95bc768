//! Pieces of the sentences that verdicts are made of.
//!
//! Paths, check names and logins come from outside and end up in terminals (`remote:` lines), so control characters are
//! spelled out and long names are cut.

use crate::limits::{LISTED_NAMES, QUOTED_CHARS};

/// A name between backquotes, safe to print.
pub(crate) fn quote(name: &str) -> String {
    let mut quoted = String::from("`");
    for (position, letter) in name.chars().enumerate() {
        if position == QUOTED_CHARS {
            quoted.push_str("...");
            break;
        }
        if letter.is_control() || is_direction_mark(letter) {
            quoted.extend(letter.escape_default());
        } else {
            quoted.push(letter);
        }
    }
    quoted.push('`');
    quoted
}

/// Marks that make a terminal or a page show text in another order than it has.
fn is_direction_mark(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `a`, `a and b`, `a, b and c`, `a, b, c and 4 more`: the first few names, in the order given.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(quote).collect();
    join(&quoted, "and")
}

/// As [`list`], for a choice: `a, b or c`.
pub(crate) fn choice<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(quote).collect();
    let (last, others) = match quoted.split_last() {
        None => return String::new(),
        Some((last, [])) => return last.clone(),
        Some(split) => split,
    };
    format!("{} or {last}", others.join(", "))
}

fn join(names: &[String], word: &str) -> String {
    let shown = names.len().min(LISTED_NAMES);
    let (head, rest) = names.split_at(shown);
    match (head, rest.len()) {
        ([], _) => String::new(),
        ([only], 0) => only.clone(),
        ([first @ .., last], 0) => format!("{} {word} {last}", first.join(", ")),
        (head, more) => format!("{} {word} {more} more", head.join(", ")),
    }
}

/// `1 approval`, `2 approvals`.
pub(crate) fn count(number: usize, one: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {one}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_a_few_and_count_the_rest() {
        assert_eq!(list([]), "");
        assert_eq!(list(["a"]), "`a`");
        assert_eq!(list(["a", "b"]), "`a` and `b`");
        assert_eq!(list(["a", "b", "c"]), "`a`, `b` and `c`");
        assert_eq!(list(["a", "b", "c", "d", "e"]), "`a`, `b`, `c` and 2 more");
        assert_eq!(choice(["a", "b", "c"]), "`a`, `b` or `c`");
    }

    #[test]
    fn names_cannot_forge_lines_or_turn_text_around() {
        assert_eq!(quote("a\nremote: ok"), "`a\\nremote: ok`");
        assert_eq!(quote("\u{1b}[2J"), "`\\u{1b}[2J`");
        assert_eq!(quote("\u{202e}txt"), "`\\u{202e}txt`");
        assert_eq!(quote("größe.txt"), "`größe.txt`");
    }

    #[test]
    fn long_names_are_cut() {
        let quoted = quote(&"x".repeat(4000));
        assert_eq!(quoted.chars().count(), QUOTED_CHARS + 5);
        assert!(quoted.ends_with("...`"));
    }

    #[test]
    fn counts_agree_with_their_noun() {
        assert_eq!(count(1, "approval"), "1 approval");
        assert_eq!(count(0, "approval"), "0 approvals");
    }
}
