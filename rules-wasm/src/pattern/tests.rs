use super::parse::PatternError;
use super::states::Pattern;
use super::*;

#[track_caller]
fn expect_match(pattern: &str, text: &str) {
    assert!(
        Pattern::new(pattern).expect(pattern).matches(text),
        "{pattern} should match {text}"
    );
}

#[track_caller]
fn expect_no_match(pattern: &str, text: &str) {
    assert!(
        !Pattern::new(pattern).expect(pattern).matches(text),
        "{pattern} should not match {text}"
    );
}

#[test]
fn a_star_stays_within_its_segment() {
    expect_match("*", "main");
    expect_match("release-*", "release-");
    expect_match("release-*", "release-1.2");
    expect_match("*-fix-*", "a-fix-fix-b");
    expect_no_match("*", "feature/a");
    expect_no_match("feature/*", "feature/a/b");
    expect_match("feature/*", "feature/a");
    expect_match("*/*", "feature/a");
}

#[test]
fn two_stars_cross_segments() {
    expect_match("**", "a/b/c");
    expect_match("release/**", "release/1/2/3");
    expect_no_match("release/**", "release");
    expect_match("a/**/b", "a/b");
    expect_match("a/**/b", "a/x/y/b");
    expect_no_match("a/**/b", "a/xb");
    expect_no_match("a/**/b", "ab");
    expect_match("**/b", "b");
    expect_match("**/b", "x/y/b");
    expect_no_match("**/b", "xb");
    expect_match("a**b", "a/x/b");
    expect_match("a***b", "a/x/b");
    expect_match("**/**/b", "b");
    expect_match("qa/**/*", "qa/foo");
    expect_match("qa/**/*", "qa/foo/bar/hello-world");
}

#[test]
fn one_character_and_sets_never_match_a_slash() {
    expect_match("v?", "v1");
    expect_no_match("v?", "v");
    expect_no_match("a?b", "a/b");
    expect_match("v[0-9]", "v7");
    expect_no_match("v[0-9]", "vx");
    expect_match("v[!0-9]", "vx");
    expect_match("v[^0-9]", "vx");
    expect_no_match("v[!0-9]", "v7");
    expect_no_match("a[!x]b", "a/b");
    expect_match("[]x]", "]");
    expect_match("[a-]", "-");
    expect_match("[\\]]", "]");
    expect_match("[abc-e]", "d");
    expect_no_match("[z-a]", "m");
}

#[test]
fn a_backslash_takes_the_meaning_away() {
    expect_match("a\\*", "a*");
    expect_no_match("a\\*", "ab");
    expect_match("a\\[b", "a[b");
    expect_match("größe?", "größe1");
}

#[test]
fn letters_are_compared_as_they_are() {
    expect_no_match("Main", "main");
    expect_no_match("main", "main2");
    expect_no_match("main", "mai");
    expect_no_match("main", "");
}

#[test]
fn what_is_no_pattern_is_refused_with_its_reason() {
    let cases = [
        ("", PatternError::Empty),
        ("a[b", PatternError::OpenBracket),
        ("[]", PatternError::OpenBracket),
        ("[a-", PatternError::OpenBracket),
        ("a\\", PatternError::LoneBackslash),
    ];
    for (pattern, error) in cases {
        assert_eq!(Pattern::new(pattern).err(), Some(error), "{pattern}");
    }
    let longest = "a".repeat(crate::limits::PATTERN_CHARS);
    assert!(Pattern::new(&longest).is_ok());
    assert_eq!(
        Pattern::new(&format!("{longest}a")).err(),
        Some(PatternError::TooLong)
    );
}

/// A slow matcher that is plainly right, to compare with.
fn plainly_matches(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', b'*', rest @ ..] => {
            (0..=text.len()).any(|from| plainly_matches(rest, &text[from..]))
        }
        [b'*', rest @ ..] => (0..=text.len())
            .take_while(|end| !text[..*end].contains(&b'/'))
            .any(|end| plainly_matches(rest, &text[end..])),
        [b'?', rest @ ..] => {
            matches!(text, [letter, ..] if *letter != b'/') && plainly_matches(rest, &text[1..])
        }
        [letter, rest @ ..] => text.first() == Some(letter) && plainly_matches(rest, &text[1..]),
    }
}

fn words(alphabet: &[u8], longest: usize) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last
            .iter()
            .flat_map(|word| {
                alphabet
                    .iter()
                    .map(move |letter| [word.as_slice(), &[*letter]].concat())
            })
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

#[test]
fn agrees_with_the_plain_matcher_on_every_short_pattern() {
    let texts = words(b"ab/", 4);
    for pattern in words(b"ab/*?", 4)
        .into_iter()
        .filter(|word| !word.is_empty())
    {
        let text_of_pattern = String::from_utf8(pattern.clone()).expect("ascii");
        // "**/" at the start of a segment also matches nothing, and three stars are two: not in the plain matcher.
        if text_of_pattern.contains("**/") || text_of_pattern.contains("***") {
            continue;
        }
        let ready = Pattern::new(&text_of_pattern).expect("a pattern");
        for text in &texts {
            let text_as_str = std::str::from_utf8(text).expect("ascii");
            assert_eq!(
                ready.matches(text_as_str),
                plainly_matches(&pattern, text),
                "{text_of_pattern} on {text_as_str}"
            );
        }
    }
}

#[test]
fn a_hostile_pattern_costs_no_more_than_its_length_times_the_text() {
    let pattern = Pattern::new(&format!("{}**", "**a*".repeat(60))).expect("a pattern");
    let text = format!("{}/", "a".repeat(4000));
    assert!(
        !Pattern::new(&format!("{}b", "*a".repeat(120)))
            .expect("a pattern")
            .matches(&text)
    );
    assert!(pattern.matches(&text));
}

#[test]
fn refs_are_covered_by_short_names_full_names_and_words() {
    let cases = [
        ("~ALL", "refs/tags/v1", true),
        ("~DEFAULT_BRANCH", "refs/heads/trunk", true),
        ("~DEFAULT_BRANCH", "refs/heads/main", false),
        ("~DEFAULT_BRANCH", "refs/tags/trunk", false),
        ("main", "refs/heads/main", true),
        ("refs/heads/main", "refs/heads/main", true),
        ("refs/heads/*", "refs/heads/main", true),
        ("refs/heads/*", "refs/heads/a/b", false),
        ("refs/heads/**", "refs/heads/a/b", true),
        ("v*", "refs/tags/v1", true),
        ("notes/*", "refs/notes/commits", true),
        ("heads/main", "refs/heads/main", false),
    ];
    for (pattern, ref_name, covered) in cases {
        assert_eq!(
            covers_ref(pattern, ref_name, "trunk"),
            Ok(covered),
            "{pattern} on {ref_name}"
        );
    }
    assert_eq!(
        covers_ref("~MAIN", "refs/heads/main", "main"),
        Err(PatternError::UnknownWord)
    );
}

#[test]
fn repositories_are_covered_by_own_name_or_with_their_workspace() {
    assert_eq!(covers_repository("api-*", "acme", "api-core"), Ok(true));
    assert_eq!(covers_repository("acme/api", "acme", "api"), Ok(true));
    assert_eq!(covers_repository("other/api", "acme", "api"), Ok(false));
    assert_eq!(covers_repository("~ALL", "acme", "api"), Ok(true));
}

#[test]
fn file_patterns_name_files_anywhere_paths_from_the_top_and_folders() {
    let cases = [
        ("Cargo.lock", "Cargo.lock", true),
        ("Cargo.lock", "a/b/Cargo.lock", true),
        ("Cargo.lock", "a/Cargo.lock/x", false),
        ("*.pem", "keys/old/a.pem", true),
        ("*.pem", "a.pem.txt", false),
        ("docs/*.md", "docs/a.md", true),
        ("docs/*.md", "x/docs/a.md", false),
        ("docs/*.md", "docs/a/b.md", false),
        ("docs/**", "docs/a/b.md", true),
        ("/Makefile", "Makefile", true),
        ("/Makefile", "sub/Makefile", false),
        ("docs/api/", "docs/api/a/b", true),
        ("docs/api/", "x/docs/api/a", false),
        ("docs/api/", "docs/api", false),
        ("vendor/", "vendor/a", true),
        ("vendor/", "x/vendor/a/b", true),
        ("vendor/", "vendor", false),
        ("vendor/", "myvendor/a", false),
        ("/vendor/", "vendor/a", true),
        ("/vendor/", "x/vendor/a", false),
        ("**/secret/**", "secret/a", true),
        ("**/secret/**", "a/b/secret/c", true),
        ("a/**/", "a/b/c", true),
        ("**/", "a/b", true),
        ("v[0-9]/", "x/v1/a", true),
        ("**", "a/b", true),
    ];
    for (pattern, path, matches) in cases {
        assert_eq!(
            FilePattern::new(pattern).expect(pattern).matches_path(path),
            matches,
            "{pattern} on {path}"
        );
    }
}
