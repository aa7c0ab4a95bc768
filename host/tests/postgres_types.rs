//! Every type of `spin:postgres`, from a component to the database and back.

#[path = "support/stage.rs"]
#[expect(dead_code, reason = "the stage has more than this story needs")]
mod stage;

use stage::{Ask, Stage};

/// For each type its name in SQL, then what came back; then some that no parameter has.
const BACK: &str = r#"bool: DbDataType::Boolean DbValue::Boolean(true)
"char": DbDataType::Int8 DbValue::Int8(-7)
int2: DbDataType::Int16 DbValue::Int16(-32768)
int4: DbDataType::Int32 DbValue::Int32(-2147483648)
int8: DbDataType::Int64 DbValue::Int64(-9223372036854775808)
float4: DbDataType::Floating32 DbValue::Floating32(1.5)
float8: DbDataType::Floating64 DbValue::Floating64(-0.1)
text: DbDataType::Str DbValue::Str("Grüße, 世界")
bytea: DbDataType::Binary DbValue::Binary([0, 1, 255])
date: DbDataType::Date DbValue::Date((2024, 2, 29))
time: DbDataType::Time DbValue::Time((23, 59, 58, 123456000))
timestamp: DbDataType::Datetime DbValue::Datetime((1999, 12, 31, 23, 59, 59, 999999000))
timestamptz: DbDataType::Timestamp DbValue::Timestamp(-1)
uuid: DbDataType::Uuid DbValue::Uuid("0190f5d0-0000-7000-8000-00000000002a")
jsonb: DbDataType::Jsonb Jsonb({"a":[1,null]})
numeric: DbDataType::Decimal DbValue::Decimal("-12345678901234567890.0001")
int4range: DbDataType::RangeInt32 DbValue::RangeInt32((Some((1, RangeBoundKind::Inclusive)), Some((5, RangeBoundKind::Exclusive))))
int8range: DbDataType::RangeInt64 DbValue::RangeInt64((None, Some((5, RangeBoundKind::Exclusive))))
numrange: DbDataType::RangeDecimal DbValue::RangeDecimal((Some(("0.5", RangeBoundKind::Exclusive)), None))
int4[]: DbDataType::ArrayInt32 DbValue::ArrayInt32([Some(1), None, Some(-1)])
int8[]: DbDataType::ArrayInt64 DbValue::ArrayInt64([Some(9223372036854775807), None])
numeric[]: DbDataType::ArrayDecimal DbValue::ArrayDecimal([Some("1.10"), None])
text[]: DbDataType::ArrayStr DbValue::ArrayStr([Some("a,b"), None])
interval: DbDataType::Interval DbValue::Interval(Interval { micros: 1, days: -2, months: 14 })
'{"a":[1,2]}'::json: DbDataType::Jsonb Jsonb({"a":[1,2]})
'varchar'::varchar: DbDataType::Str DbValue::Str("varchar")
'name'::name: DbDataType::Str DbValue::Str("name")
ARRAY['a',NULL,'ä']::text[]: DbDataType::ArrayStr DbValue::ArrayStr([Some("a"), None, Some("ä")])
'empty'::int8range: Error::ValueConversionFailed("an empty range: ask for it with `isempty(...)`")
'10.0.0.1'::inet: DbDataType::Other("inet") DbValue::Unsupported([2, 32, 0, 4, 10, 0, 0, 1])
'1969-12-31 23:59:59.5+00'::timestamptz: DbDataType::Timestamp DbValue::Timestamp(-1)
'infinity'::timestamptz: Error::ValueConversionFailed("`infinity`, or too far away: select it as text")
'infinity'::date: Error::ValueConversionFailed("`infinity`, or too far away: select it as text")
'NaN'::numeric: Error::ValueConversionFailed("Decimal does not support NaN values")"#;

/// One error a line, then what the connection gives afterwards.
const REFUSED: &str = r#"Error::BadParameter("$1: text must not contain the character U+0000")
Error::BadParameter("$1: no such date")
Error::BadParameter("$1: no such time")
Error::BadParameter("$1: no such date")
Error::BadParameter("$1: no such moment")
Error::BadParameter("$1: invalid character: found `n` at 0")
Error::BadParameter("$1: EOF while parsing an object at line 1 column 1")
Error::BadParameter("$1: Invalid decimal: unknown character")
Error::BadParameter("$1: Invalid decimal: unknown character")
Error::BadParameter("$1: text must not contain the character U+0000")
DbDataType::Int32 DbValue::Int32(1)"#;

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
