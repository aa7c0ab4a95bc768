//! Values of the database as Rust's, both ways.

use serde_json::Value;
use spin_sdk::pg::{DbValue, ParameterValue};

/// A type that a column can be read as.
pub trait Column: Sized {
    /// The value; none when it is of another type.
    fn from_value(value: &DbValue) -> Option<Self>;
}

macro_rules! columns {
    ($($ty:ty: $($pattern:pat => $read:expr),+;)+) => {
        $(impl Column for $ty {
            fn from_value(value: &DbValue) -> Option<Self> {
                match value {
                    $($pattern => $read,)+
                    _ => None,
                }
            }
        })+
    };
}

columns! {
    bool: DbValue::Boolean(value) => Some(*value);
    i32: DbValue::Int32(value) => Some(*value), DbValue::Int16(value) => Some((*value).into());
    i64: DbValue::Int64(value) => Some(*value), DbValue::Int32(value) => Some((*value).into());
    f64: DbValue::Floating64(value) => Some(*value), DbValue::Floating32(value) => Some((*value).into());
    String: DbValue::Str(value) | DbValue::Uuid(value) | DbValue::Decimal(value) => Some(value.clone());
    Vec<u8>: DbValue::Binary(value) => Some(value.clone());
    Vec<String>: DbValue::ArrayStr(values) => values.iter().cloned().collect();
    Vec<i64>: DbValue::ArrayInt64(values) => values.iter().copied().collect();
    Value: DbValue::Jsonb(bytes) => serde_json::from_slice(bytes).ok();
}

impl<T: Column> Column for Option<T> {
    fn from_value(value: &DbValue) -> Option<Self> {
        match value {
            DbValue::DbNull => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

/// A value that a statement takes. Written by [`params!`](crate::params).
pub trait Param {
    /// The parameter.
    fn param(&self) -> ParameterValue;
}

macro_rules! plain_params {
    ($($ty:ty),+) => {
        $(impl Param for $ty {
            fn param(&self) -> ParameterValue {
                self.to_owned().into()
            }
        })+
    };
}

plain_params!(bool, i32, i64, f64, String, Vec<u8>, Vec<String>, Vec<i64>);

impl Param for str {
    fn param(&self) -> ParameterValue {
        ParameterValue::Str(self.to_owned())
    }
}

impl Param for [String] {
    fn param(&self) -> ParameterValue {
        self.to_vec().into()
    }
}

impl Param for Value {
    fn param(&self) -> ParameterValue {
        ParameterValue::Jsonb(self.to_string().into_bytes())
    }
}

impl Param for uuid::Uuid {
    fn param(&self) -> ParameterValue {
        ParameterValue::Uuid(self.to_string())
    }
}

impl Param for [u8; 32] {
    fn param(&self) -> ParameterValue {
        ParameterValue::Binary(self.to_vec())
    }
}

impl<T: Param> Param for Option<T> {
    fn param(&self) -> ParameterValue {
        self.as_ref().map_or(ParameterValue::DbNull, Param::param)
    }
}

impl<T: Param + ?Sized> Param for &T {
    fn param(&self) -> ParameterValue {
        (**self).param()
    }
}

/// Parameters of a statement, by reference: `params![id, name, Some(7_i64)]`.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        ::std::vec![$($crate::Param::param(&$value)),*]
    };
}
