use super::*;
use crate::shape::tests::pull;

fn nothing() -> Body {
    Body {
        title: None,
        body: None,
        state: None,
        base: None,
        draft: None,
    }
}

#[track_caller]
fn refused(pull: &Pull, body: Body) -> String {
    wanted(pull, body).err().expect("it is refused").to_string()
}

#[test]
fn what_is_not_named_stays() {
    let before = pull(PullState::Draft);
    let wanted = wanted(&before, nothing()).expect("nothing is asked for");
    assert_eq!(
        (wanted.title, wanted.base, wanted.state),
        (before.title, before.base_branch, PullState::Draft)
    );
}

#[test]
fn a_closed_one_is_reopened_and_a_draft_made_ready() {
    let reopened = wanted(
        &pull(PullState::Closed),
        Body {
            state: Some("open".into()),
            ..nothing()
        },
    );
    assert_eq!(reopened.map(|wanted| wanted.state), Ok(PullState::Open));
    let ready = wanted(
        &pull(PullState::Draft),
        Body {
            draft: Some(false),
            ..nothing()
        },
    );
    assert_eq!(ready.map(|wanted| wanted.state), Ok(PullState::Open));
}

#[test]
fn a_merged_one_stays_merged() {
    let merged = pull(PullState::Merged);
    for state in ["open", "closed"] {
        let why = refused(
            &merged,
            Body {
                state: Some(state.into()),
                ..nothing()
            },
        );
        assert!(why.contains("stays merged"), "{why}");
    }
    let renamed = wanted(
        &merged,
        Body {
            title: Some("Better words".into()),
            ..nothing()
        },
    );
    assert_eq!(renamed.map(|wanted| wanted.state), Ok(PullState::Merged));
}

#[test]
fn bad_fields_are_named_together() {
    let body = Body {
        title: Some("x".repeat(257)),
        body: Some("x".repeat(262_145)),
        ..nothing()
    };
    let why = refused(&pull(PullState::Open), body);
    assert!(
        why.contains("256 characters") && why.contains("262144 bytes"),
        "{why}"
    );
    assert!(
        refused(
            &pull(PullState::Open),
            Body {
                title: Some("  ".into()),
                ..nothing()
            }
        )
        .contains("title")
    );
    assert!(
        refused(
            &pull(PullState::Open),
            Body {
                state: Some("gone".into()),
                ..nothing()
            }
        )
        .contains("`closed`")
    );
}

#[test]
fn only_an_open_one_is_pointed_at_another_base() {
    let body = || Body {
        base: Some("release".into()),
        ..nothing()
    };
    assert!(refused(&pull(PullState::Closed), body()).contains("only an open pull request"));
    assert_eq!(
        wanted(&pull(PullState::Open), body()).map(|wanted| wanted.base),
        Ok("release".to_owned())
    );
}

#[test]
fn each_change_is_published_as_what_it_is() {
    let open = pull(PullState::Open);
    assert_eq!(kinds(&open, &open), [""; 0]);
    assert_eq!(kinds(&pull(PullState::Closed), &open), ["pull.reopened"]);
    let elsewhere = Pull {
        base_branch: "release".into(),
        title: "New".into(),
        ..open.clone()
    };
    assert_eq!(kinds(&open, &elsewhere), ["pull.retargeted", "pull.edited"]);
    assert_eq!(kinds(&pull(PullState::Draft), &open), ["pull.edited"]);
    assert_eq!(kinds(&open, &pull(PullState::Closed)), [""; 0]);
}
