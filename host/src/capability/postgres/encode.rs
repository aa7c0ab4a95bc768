use std::str::FromStr;

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use rust_decimal::Decimal;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::{Oid, PgInterval, PgRange};
use sqlx::postgres::{PgArgumentBuffer, PgArguments, PgTypeInfo};
use sqlx::{Arguments, Encode, Postgres, Type, TypeInfo};
use std::ops::Bound;
use uuid::Uuid;

use crate::bindings::app::spin::postgres::postgres as wit;

/// A guest's parameters in the server's form, with the types they are declared as.
pub(super) struct Parameters {
    pub(super) types: Vec<PgTypeInfo>,
    pub(super) arguments: PgArguments,
}

/// NULL of no type: the server takes the type the statement calls for.
struct UntypedNull;

impl Type<Postgres> for UntypedNull {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(0))
    }
}

impl Encode<'_, Postgres> for UntypedNull {
    fn encode_by_ref(&self, _: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        Ok(IsNull::Yes)
    }
}

impl Parameters {
    /// # Errors
    /// `bad-parameter`, naming the parameter by its place from 1, for a date, number or id that is none.
    pub(super) fn new(values: Vec<wit::ParameterValue>) -> Result<Self, wit::Error> {
        let mut all = Self {
            types: Vec::with_capacity(values.len()),
            arguments: PgArguments::default(),
        };
        for (index, value) in values.into_iter().enumerate() {
            all.push(value)
                .map_err(|why| wit::Error::BadParameter(format!("${}: {why}", index + 1)))?;
        }
        Ok(all)
    }

    fn add<'q, T: Encode<'q, Postgres> + Type<Postgres> + 'q>(
        &mut self,
        value: T,
    ) -> Result<(), String> {
        self.types
            .push(value.produces().unwrap_or_else(T::type_info));
        self.arguments.add(value).map_err(|error| error.to_string())
    }

    fn push(&mut self, value: wit::ParameterValue) -> Result<(), String> {
        use wit::ParameterValue as V;
        match value {
            V::Boolean(v) => self.add(v),
            V::Int8(v) => self.add(v),
            V::Int16(v) => self.add(v),
            V::Int32(v) => self.add(v),
            V::Int64(v) => self.add(v),
            V::Floating32(v) => self.add(v),
            V::Floating64(v) => self.add(v),
            V::Str(v) => self.add(text(v)?),
            V::Binary(v) => self.add(v),
            V::Date(v) => self.add(date(v)?),
            V::Time(v) => self.add(time(v)?),
            V::Datetime((y, mo, d, h, mi, s, n)) => {
                self.add(NaiveDateTime::new(date((y, mo, d))?, time((h, mi, s, n))?))
            }
            V::Timestamp(v) => {
                self.add(chrono::DateTime::from_timestamp(v, 0).ok_or("no such moment")?)
            }
            V::Uuid(v) => self.add(Uuid::parse_str(&v).map_err(|error| error.to_string())?),
            V::Jsonb(v) => {
                let value: serde_json::Value =
                    serde_json::from_slice(&v).map_err(|error| error.to_string())?;
                self.add(value)
            }
            V::Decimal(v) => self.add(decimal(&v)?),
            V::RangeInt32(v) => self.add(range(v, Ok)?),
            V::RangeInt64(v) => self.add(range(v, Ok)?),
            V::RangeDecimal(v) => self.add(range(v, |v| decimal(&v))?),
            V::ArrayInt32(v) => self.add(v),
            V::ArrayInt64(v) => self.add(v),
            V::ArrayDecimal(v) => {
                let all: Result<Vec<Option<Decimal>>, String> = v
                    .into_iter()
                    .map(|v| v.map(|v| decimal(&v)).transpose())
                    .collect();
                self.add(all?)
            }
            V::ArrayStr(v) => {
                let all: Result<Vec<Option<String>>, String> =
                    v.into_iter().map(|v| v.map(text).transpose()).collect();
                self.add(all?)
            }
            V::Interval(v) => self.add(PgInterval {
                months: v.months,
                days: v.days,
                microseconds: v.micros,
            }),
            V::DbNull => self.add(UntypedNull),
        }
    }
}

/// Postgres has no text with a zero character; sent as it is, the whole connection would fail in the server.
fn text(value: String) -> Result<String, String> {
    if value.contains('\0') {
        Err("text must not contain the character U+0000".into())
    } else {
        Ok(value)
    }
}

fn date((year, month, day): (i32, u8, u8)) -> Result<NaiveDate, String> {
    NaiveDate::from_ymd_opt(year, month.into(), day.into()).ok_or_else(|| "no such date".into())
}

fn time((hour, minute, second, nano): (u8, u8, u8, u32)) -> Result<NaiveTime, String> {
    NaiveTime::from_hms_nano_opt(hour.into(), minute.into(), second.into(), nano)
        .ok_or_else(|| "no such time".into())
}

fn decimal(value: &str) -> Result<Decimal, String> {
    Decimal::from_str(value).map_err(|error| error.to_string())
}

type Bounds<T> = (
    Option<(T, wit::RangeBoundKind)>,
    Option<(T, wit::RangeBoundKind)>,
);

fn range<T, U>(
    (low, high): Bounds<T>,
    convert: impl Fn(T) -> Result<U, String>,
) -> Result<PgRange<U>, String> {
    let bound = |end: Option<(T, wit::RangeBoundKind)>| {
        Ok::<_, String>(match end {
            None => Bound::Unbounded,
            Some((value, wit::RangeBoundKind::Inclusive)) => Bound::Included(convert(value)?),
            Some((value, wit::RangeBoundKind::Exclusive)) => Bound::Excluded(convert(value)?),
        })
    };
    Ok(PgRange {
        start: bound(low)?,
        end: bound(high)?,
    })
}

/// Lower-case name of a type, as messages show it.
pub(super) fn type_name(info: &PgTypeInfo) -> String {
    info.name().to_lowercase()
}
