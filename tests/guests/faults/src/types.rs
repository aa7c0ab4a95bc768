//! Every type of `spin:postgres`, to the database and back.

use spin_sdk::pg::RangeBoundKind::{Exclusive, Inclusive};
use spin_sdk::pg::{Connection, DbValue, Interval, ParameterValue};

use crate::Said;
use crate::database::{open, text};

/// For each type: its name in SQL, what is sent, what came back. One a line.
pub async fn round_trip() -> Said {
    let connection = open().await?;
    let mut lines = Vec::new();
    for (name, value) in values() {
        let statement = format!("SELECT $1::{name} AS v");
        lines.push(format!(
            "{name}: {}",
            one(&connection, statement, value).await?
        ));
        let statement = format!("SELECT $1::{name} AS v");
        match one(&connection, statement, ParameterValue::DbNull)
            .await?
            .as_str()
        {
            null if null.ends_with("::DbNull") => {}
            other => return Err(format!("NULL of {name} came back as {other}")),
        }
    }
    for (name, literal) in [
        ("json", "'{\"a\":[1,2]}'"),
        ("varchar", "'varchar'"),
        ("name", "'name'"),
        ("text[]", "ARRAY['a',NULL,'ä']"),
        ("int8range", "'empty'"),
        ("inet", "'10.0.0.1'"),
        ("timestamptz", "'1969-12-31 23:59:59.5+00'"),
        ("timestamptz", "'infinity'"),
        ("date", "'infinity'"),
        ("numeric", "'NaN'"),
    ] {
        let statement = format!("SELECT {literal}::{name} AS v");
        let got = asked(&connection, statement, Vec::new())
            .await
            .unwrap_or_else(|error| error);
        lines.push(format!("{literal}::{name}: {got}"));
    }
    Ok(lines.join("\n"))
}

/// Each value that is none of its type: the error it gets. One a line.
pub async fn bad_parameters() -> Said {
    let connection = open().await?;
    let mut lines = Vec::new();
    for value in [
        ParameterValue::Str("a\0b".into()),
        ParameterValue::Date((2026, 2, 30)),
        ParameterValue::Time((24, 0, 0, 0)),
        ParameterValue::Datetime((2026, 13, 1, 0, 0, 0, 0)),
        ParameterValue::Timestamp(i64::MAX),
        ParameterValue::Uuid("no uuid".into()),
        ParameterValue::Jsonb(b"{".to_vec()),
        ParameterValue::Decimal("one".into()),
        ParameterValue::ArrayDecimal(vec![Some("one".into())]),
        ParameterValue::ArrayStr(vec![Some("a\0b".into())]),
    ] {
        let sent = format!("{value:?}");
        match asked(&connection, "SELECT $1 AS v".into(), vec![value]).await {
            Ok(got) => return Err(format!("{sent} was taken: {got}")),
            Err(error) => lines.push(error),
        }
    }
    // The connection is as good as before.
    lines.push(
        one(
            &connection,
            "SELECT $1::int4 AS v".into(),
            ParameterValue::Int32(1),
        )
        .await?,
    );
    Ok(lines.join("\n"))
}

async fn one(
    connection: &Connection,
    statement: String,
    value: ParameterValue,
) -> Result<String, String> {
    asked(connection, statement, vec![value]).await
}

/// The type and the value of the only column of the only row.
async fn asked(
    connection: &Connection,
    statement: String,
    values: Vec<ParameterValue>,
) -> Result<String, String> {
    let rows = connection.query(statement, values).await.map_err(text)?;
    let kind = match rows.columns() {
        [column] => format!("{:?}", column.data_type),
        columns => return Err(format!("{} columns", columns.len())),
    };
    let rows = rows.collect().await.map_err(text)?;
    match rows.as_slice() {
        [row] => Ok(format!("{kind} {}", shown(&row[0]))),
        rows => Err(format!("{} rows", rows.len())),
    }
}

/// Bytes of JSON as text; all else as it is.
fn shown(value: &DbValue) -> String {
    match value {
        DbValue::Jsonb(bytes) => format!("Jsonb({})", String::from_utf8_lossy(bytes)),
        other => format!("{other:?}"),
    }
}

fn values() -> Vec<(&'static str, ParameterValue)> {
    use ParameterValue as V;
    vec![
        ("bool", V::Boolean(true)),
        ("\"char\"", V::Int8(-7)),
        ("int2", V::Int16(i16::MIN)),
        ("int4", V::Int32(i32::MIN)),
        ("int8", V::Int64(i64::MIN)),
        ("float4", V::Floating32(1.5)),
        ("float8", V::Floating64(-0.1)),
        ("text", V::Str("Grüße, 世界".into())),
        ("bytea", V::Binary(vec![0, 1, 255])),
        ("date", V::Date((2024, 2, 29))),
        ("time", V::Time((23, 59, 58, 123_456_000))),
        (
            "timestamp",
            V::Datetime((1999, 12, 31, 23, 59, 59, 999_999_000)),
        ),
        ("timestamptz", V::Timestamp(-1)),
        (
            "uuid",
            V::Uuid("0190f5d0-0000-7000-8000-00000000002a".into()),
        ),
        ("jsonb", V::Jsonb(br#"{"a": [1, null]}"#.to_vec())),
        ("numeric", V::Decimal("-12345678901234567890.0001".into())),
        (
            "int4range",
            V::RangeInt32((Some((1, Inclusive)), Some((5, Exclusive)))),
        ),
        ("int8range", V::RangeInt64((None, Some((5, Exclusive))))),
        (
            "numrange",
            V::RangeDecimal((Some(("0.5".into(), Exclusive)), None)),
        ),
        ("int4[]", V::ArrayInt32(vec![Some(1), None, Some(-1)])),
        ("int8[]", V::ArrayInt64(vec![Some(i64::MAX), None])),
        (
            "numeric[]",
            V::ArrayDecimal(vec![Some("1.10".into()), None]),
        ),
        ("text[]", V::ArrayStr(vec![Some("a,b".into()), None])),
        (
            "interval",
            V::Interval(Interval {
                micros: 1,
                days: -2,
                months: 14,
            }),
        ),
    ]
}
