//! Every type of `spin:postgres`, from a component to the database and back.

#[path = "support/stage.rs"]
#[expect(dead_code, reason = "the stage has more than this story needs")]
mod stage;

use stage::{Ask, Stage};

const BACK: &str = "";

const REFUSED: &str = "";

async fn said(path: &str) -> String {
    let stage = Stage::open().await;
    let ask = Ask { path, body: "" };
    stage.ask("patient", None, ask).await.text()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_type_comes_back_as_it_was_sent_and_null_as_null() {
    assert_eq!(said("/types").await, BACK);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_is_none_of_its_type_is_refused_and_the_connection_works_on() {
    assert_eq!(said("/bad-parameters").await, REFUSED);
}
