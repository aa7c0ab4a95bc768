use std::ops::Bound;

use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use rust_decimal::Decimal;
use sqlx::postgres::types::{PgInterval, PgRange};
use sqlx::postgres::{PgDatabaseError, PgRow, PgTypeInfo, PgTypeKind, PgValueFormat, PgValueRef};
use sqlx::{Decode, Postgres, Row, TypeInfo, ValueRef};
use uuid::Uuid;

use super::encode::type_name;
use crate::bindings::app::spin::postgres::postgres as wit;

/// The contract's word for a column's type.
pub(super) fn data_type(info: &PgTypeInfo) -> wit::DbDataType {
    use wit::DbDataType as T;
    match info.name() {
        "BOOL" => T::Boolean,
        "\"CHAR\"" => T::Int8,
        "INT2" => T::Int16,
        "INT4" => T::Int32,
        "INT8" => T::Int64,
        "FLOAT4" => T::Floating32,
        "FLOAT8" => T::Floating64,
        "TEXT" | "VARCHAR" | "CHAR" | "NAME" | "UNKNOWN" => T::Str,
        "BYTEA" => T::Binary,
        "DATE" => T::Date,
        "TIME" => T::Time,
        "TIMESTAMP" => T::Datetime,
        "TIMESTAMPTZ" => T::Timestamp,
        "UUID" => T::Uuid,
        "JSONB" | "JSON" => T::Jsonb,
        "NUMERIC" => T::Decimal,
        "INT4RANGE" => T::RangeInt32,
        "INT8RANGE" => T::RangeInt64,
        "NUMRANGE" => T::RangeDecimal,
        "INT4[]" => T::ArrayInt32,
        "INT8[]" => T::ArrayInt64,
        "NUMERIC[]" => T::ArrayDecimal,
        "TEXT[]" | "VARCHAR[]" | "NAME[]" => T::ArrayStr,
        "INTERVAL" => T::Interval,
        _ if matches!(info.kind(), PgTypeKind::Enum(_)) => T::Str,
        _ => T::Other(type_name(info)),
    }
}

/// One row in the contract's form.
///
/// # Errors
/// `value-conversion-failed`, naming the column's type, for bytes that do not read as their type.
pub(super) fn row(row: &PgRow) -> Result<wit::Row, wit::Error> {
    (0..row.len())
        .map(|index| {
            let value = row.try_get_raw(index).map_err(|error| conversion(&error))?;
            db_value(value)
        })
        .collect()
}

fn db_value(value: PgValueRef<'_>) -> Result<wit::DbValue, wit::Error> {
    use wit::DbDataType as T;
    use wit::DbValue as V;
    if value.is_null() {
        return Ok(V::DbNull);
    }
    let kind = data_type(&value.type_info());
    Ok(match kind {
        T::Boolean => V::Boolean(get(value)?),
        T::Int8 => V::Int8(get(value)?),
        T::Int16 => V::Int16(get(value)?),
        T::Int32 => V::Int32(get(value)?),
        T::Int64 => V::Int64(get(value)?),
        T::Floating32 => V::Floating32(get(value)?),
        T::Floating64 => V::Floating64(get(value)?),
        // An enum's label has the bytes of its text.
        T::Str => {
            V::Str(String::from_utf8(raw(&value)?.to_vec()).map_err(|error| conversion(&error))?)
        }
        T::Binary => V::Binary(get(value)?),
        T::Date => V::Date(date(day(&value)?)?),
        T::Time => V::Time(time(get(value)?)?),
        T::Datetime => V::Datetime(datetime(moment(&value)?)?),
        T::Timestamp => V::Timestamp(moment(&value)?.and_utc().timestamp()),
        T::Uuid => V::Uuid(get::<Uuid>(value)?.to_string()),
        T::Jsonb => V::Jsonb(get::<serde_json::Value>(value)?.to_string().into_bytes()),
        T::Decimal => V::Decimal(get::<Decimal>(value)?.to_string()),
        T::RangeInt32 => V::RangeInt32(range(bounds(value)?, |v: i32| v)),
        T::RangeInt64 => V::RangeInt64(range(bounds(value)?, |v: i64| v)),
        T::RangeDecimal => V::RangeDecimal(range(bounds(value)?, |v: Decimal| v.to_string())),
        T::ArrayInt32 => V::ArrayInt32(get(value)?),
        T::ArrayInt64 => V::ArrayInt64(get(value)?),
        T::ArrayDecimal => V::ArrayDecimal(
            get::<Vec<Option<Decimal>>>(value)?
                .into_iter()
                .map(|v| v.map(|v| v.to_string()))
                .collect(),
        ),
        T::ArrayStr => V::ArrayStr(get(value)?),
        T::Interval => {
            let PgInterval {
                months,
                days,
                microseconds,
            } = get(value)?;
            V::Interval(wit::Interval {
                micros: microseconds,
                days,
                months,
            })
        }
        T::Other(_) => V::Unsupported(raw(&value)?.to_vec()),
    })
}

fn get<'r, T: Decode<'r, Postgres>>(value: PgValueRef<'r>) -> Result<T, wit::Error> {
    T::decode(value).map_err(|error| conversion(&error))
}

fn raw<'a>(value: &'a PgValueRef<'_>) -> Result<&'a [u8], wit::Error> {
    debug_assert!(matches!(
        value.format(),
        PgValueFormat::Binary | PgValueFormat::Text
    ));
    value.as_bytes().map_err(|error| conversion(&error))
}

/// Postgres counts from here.
const EPOCH: NaiveDateTime = NaiveDate::from_ymd_opt(2000, 1, 1)
    .expect("a day")
    .and_time(NaiveTime::MIN);

/// Read here and not by the library, which panics at `infinity` and at years beyond its own.
fn day(value: &PgValueRef<'_>) -> Result<NaiveDate, wit::Error> {
    let days = i32::from_be_bytes(fixed(value)?);
    TimeDelta::try_days(days.into())
        .and_then(|since| EPOCH.checked_add_signed(since))
        .map(|moment| moment.date())
        .ok_or_else(no_such_moment)
}

/// See [`day`].
fn moment(value: &PgValueRef<'_>) -> Result<NaiveDateTime, wit::Error> {
    let micros = i64::from_be_bytes(fixed(value)?);
    EPOCH
        .checked_add_signed(TimeDelta::microseconds(micros))
        .ok_or_else(no_such_moment)
}

fn no_such_moment() -> wit::Error {
    conversion(&"`infinity`, or too far away: select it as text")
}

/// The bytes of a value that always has so many. All results are asked for in the binary form.
fn fixed<const LENGTH: usize>(value: &PgValueRef<'_>) -> Result<[u8; LENGTH], wit::Error> {
    raw(value)?
        .try_into()
        .map_err(|_| conversion(&"not in the binary form"))
}

/// A range that has bounds: the contract has no form for the empty one, which would look like one without any.
fn bounds<'r, T>(value: PgValueRef<'r>) -> Result<PgRange<T>, wit::Error>
where
    PgRange<T>: Decode<'r, Postgres>,
{
    const EMPTY: u8 = 1;
    if raw(&value)?.first().is_some_and(|flags| flags & EMPTY != 0) {
        return Err(conversion(
            &"an empty range: ask for it with `isempty(...)`",
        ));
    }
    get(value)
}

fn byte(value: u32) -> Result<u8, wit::Error> {
    u8::try_from(value).map_err(|error| conversion(&error))
}

fn date(value: NaiveDate) -> Result<(i32, u8, u8), wit::Error> {
    Ok((value.year(), byte(value.month())?, byte(value.day())?))
}

fn time(value: NaiveTime) -> Result<(u8, u8, u8, u32), wit::Error> {
    Ok((
        byte(value.hour())?,
        byte(value.minute())?,
        byte(value.second())?,
        value.nanosecond(),
    ))
}

/// Year, month, day, hour, minute, second, nanosecond.
type DateAndTime = (i32, u8, u8, u8, u8, u8, u32);

fn datetime(value: NaiveDateTime) -> Result<DateAndTime, wit::Error> {
    let (year, month, day) = date(value.date())?;
    let (hour, minute, second, nano) = time(value.time())?;
    Ok((year, month, day, hour, minute, second, nano))
}

type Bounds<T> = (
    Option<(T, wit::RangeBoundKind)>,
    Option<(T, wit::RangeBoundKind)>,
);

fn range<T, U>(range: PgRange<T>, convert: impl Fn(T) -> U) -> Bounds<U> {
    let end = |bound| match bound {
        Bound::Unbounded => None,
        Bound::Included(value) => Some((convert(value), wit::RangeBoundKind::Inclusive)),
        Bound::Excluded(value) => Some((convert(value), wit::RangeBoundKind::Exclusive)),
    };
    (end(range.start), end(range.end))
}

fn conversion(error: &dyn std::fmt::Display) -> wit::Error {
    wit::Error::ValueConversionFailed(error.to_string())
}

/// About how many bytes a row takes on its way to a guest.
pub(super) fn size(row: &wit::Row) -> usize {
    use wit::DbValue as V;
    row.iter()
        .map(|value| {
            size_of::<V>()
                + match value {
                    V::Str(v) | V::Uuid(v) | V::Decimal(v) => v.len(),
                    V::Binary(v) | V::Jsonb(v) | V::Unsupported(v) => v.len(),
                    V::ArrayInt32(v) => v.len() * 8,
                    V::ArrayInt64(v) => v.len() * 16,
                    V::ArrayDecimal(v) | V::ArrayStr(v) => v
                        .iter()
                        .map(|v| size_of::<String>() + v.as_ref().map_or(0, String::len))
                        .sum(),
                    _ => 0,
                }
        })
        .sum()
}

/// The contract's error for a driver's. Nothing of the driver's own text reaches the guest but what the server said.
pub(super) fn error(error: &sqlx::Error) -> wit::Error {
    match error {
        sqlx::Error::Database(database) => match database.try_downcast_ref::<PgDatabaseError>() {
            Some(database) => db_error(database),
            None => wit::Error::Other("the database refused".into()),
        },
        sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed => {
            wit::Error::ConnectionFailed("the database is busy; try again".into())
        }
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::WorkerCrashed => {
            wit::Error::ConnectionFailed(
                "the connection to the database was lost; try again".into(),
            )
        }
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => conversion(error),
        sqlx::Error::Encode(why) => wit::Error::BadParameter(why.to_string()),
        other => wit::Error::Other(other.to_string()),
    }
}

fn db_error(error: &PgDatabaseError) -> wit::Error {
    let mut extras = Vec::new();
    let named = [
        ("hint", error.hint()),
        ("schema", error.schema()),
        ("table", error.table()),
        ("column", error.column()),
        ("constraint", error.constraint()),
        ("where", error.r#where()),
    ];
    for (name, value) in named {
        if let Some(value) = value {
            extras.push((name.to_owned(), value.to_owned()));
        }
    }
    wit::Error::QueryFailed(wit::QueryError::DbError(wit::DbError {
        as_text: format!("{}: {}", error.code(), error.message()),
        severity: format!("{:?}", error.severity()).to_uppercase(),
        code: error.code().to_owned(),
        message: error.message().to_owned(),
        detail: error.detail().map(str::to_owned),
        extras,
    }))
}
