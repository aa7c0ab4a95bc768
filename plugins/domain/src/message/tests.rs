use super::*;

fn person(name: &str) -> Person {
    Person {
        name: name.to_owned(),
        email: format!("{}@example.org", name.to_lowercase()),
    }
}

/// What `method` writes for a pull request of Ada's with this title and body.
fn written(method: MergeMethod, title: &str, body: &str, authors: &[Person]) -> Message {
    message(
        method,
        &Subject {
            number: PullNumber(12),
            title,
            body,
            head: "acme/fast-path",
            author: &person("Ada"),
            authors,
            asked_title: None,
            asked_body: None,
        },
    )
}

#[track_caller]
fn expect(message: &Message, title: &str, body: &str) {
    assert_eq!(
        (message.title.as_str(), message.body.as_str()),
        (title, body)
    );
}

#[test]
fn a_merge_commit_says_where_it_came_from() {
    let made = written(MergeMethod::Merge, "Add a fast path", "Closes #4", &[]);
    expect(
        &made,
        "Merge pull request #12 from acme/fast-path",
        "Add a fast path",
    );
}

#[test]
fn a_squash_carries_the_number_once() {
    expect(
        &written(MergeMethod::Squash, "Add a fast path", "Closes #4\r\n", &[]),
        "Add a fast path (#12)",
        "Closes #4",
    );
    expect(
        &written(MergeMethod::Squash, "Add a fast path (#12)", "", &[]),
        "Add a fast path (#12)",
        "",
    );
}

#[test]
fn a_squash_names_everyone_else_once() {
    let ada_again = Person {
        name: "Ada L.".to_owned(),
        email: "ADA@example.org".to_owned(),
    };
    let authors = [
        person("Ada"),
        person("Grace"),
        ada_again,
        person("Grace"),
        person("Linus"),
    ];
    let made = written(MergeMethod::Squash, "Add a fast path", "Why not.", &authors);
    expect(
        &made,
        "Add a fast path (#12)",
        "Why not.\n\nCo-authored-by: Grace <grace@example.org>\nCo-authored-by: Linus <linus@example.org>",
    );
}

#[test]
fn a_name_cannot_write_a_trailer_of_its_own() {
    let sly = Person {
        name: "Mallory\nReviewed-by: Ada".to_owned(),
        email: "m@example.org".to_owned(),
    };
    let made = written(MergeMethod::Squash, "Tidy up", "", &[sly]);
    expect(
        &made,
        "Tidy up (#12)",
        "Co-authored-by: Mallory Reviewed-by: Ada <m@example.org>",
    );
}

#[test]
fn rebase_and_fast_forward_keep_each_commit_s_own_message() {
    for method in [MergeMethod::Rebase, MergeMethod::FastForward] {
        assert_eq!(
            written(method, "Add a fast path", "Closes #4", &[person("Grace")]),
            Message::default()
        );
    }
}

#[test]
fn mq_28_no_marker_reaches_the_candidate() {
    expect(
        &written(MergeMethod::Squash, "Fix typo [Skip CI] in docs", "", &[]),
        "Fix typo in docs (#12)",
        "",
    );
    expect(
        &written(MergeMethod::Merge, "[no ci] Fix", "", &[]),
        "Merge pull request #12 from acme/fast-path",
        "Fix",
    );
    let body = "First.\n\nskip-checks: true\n***NO_CI***\nLast [ci skip] line";
    expect(
        &written(MergeMethod::Squash, "Fix", body, &[]),
        "Fix (#12)",
        "First.\n\n\nLast  line",
    );
}

#[test]
fn mq_28_a_marker_cannot_be_put_together_from_halves() {
    expect(
        &written(MergeMethod::Squash, "Fix [skip [skip ci]ci]", "", &[]),
        "Fix (#12)",
        "",
    );
}

#[test]
fn a_title_that_is_only_a_marker_still_has_words() {
    expect(
        &written(MergeMethod::Squash, "[skip ci]", "", &[]),
        "Pull request (#12)",
        "",
    );
}

#[test]
fn what_was_asked_for_is_written_instead() {
    let ada = person("Ada");
    let mut subject = Subject {
        number: PullNumber(12),
        title: "Add a fast path",
        body: "Closes #4",
        head: "acme/fast-path",
        author: &ada,
        authors: &[],
        asked_title: Some("Release 2 [skip ci]\nand more"),
        asked_body: Some(""),
    };
    for method in [MergeMethod::Merge, MergeMethod::Squash] {
        expect(&message(method, &subject), "Release 2 and more", "");
    }
    subject.asked_title = Some("  ");
    subject.asked_body = None;
    expect(
        &message(MergeMethod::Squash, &subject),
        "Add a fast path (#12)",
        "Closes #4",
    );
}
