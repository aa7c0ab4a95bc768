use super::*;
use spin_sdk::pg::DbError as Reported;

fn reported(code: &str) -> PgError {
    PgError::QueryFailed(QueryError::DbError(Reported {
        as_text: "db error".into(),
        severity: "ERROR".into(),
        code: code.into(),
        message: "duplicate key value violates unique constraint \"secret_name\"".into(),
        detail: None,
        extras: Vec::new(),
    }))
}

#[test]
fn faults_follow_the_sqlstate() {
    let cases = [
        ("23505", 409),
        ("40001", 503),
        ("40P01", 503),
        ("57014", 503),
        ("23514", 500),
        ("42P01", 500),
    ];
    for (code, status) in cases {
        let fault = Fault::from(DbError::from(reported(code)));
        assert_eq!(fault.status().as_u16(), status, "SQLSTATE {code}");
        assert!(
            !fault.to_string().contains("secret_name"),
            "SQLSTATE {code} leaks: {fault}"
        );
    }
}

#[test]
fn a_database_that_cannot_be_reached_is_busy() {
    let error = DbError::from(PgError::ConnectionFailed("no route".into()));
    assert_eq!(Fault::from(error).status().as_u16(), 503);
}

#[test]
fn a_column_is_got_by_name_and_type() {
    let row = Row::of(&[("id", DbValue::Int64(4)), ("note", DbValue::DbNull)]);
    assert_eq!(row.get::<i64>("id"), Ok(4));
    assert_eq!(row.get::<Option<String>>("note"), Ok(None));
    assert!(matches!(row.get::<String>("note"), Err(DbError::Bug(_))));
    assert!(matches!(row.get::<i64>("missing"), Err(DbError::Bug(_))));
}
