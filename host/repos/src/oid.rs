//! Object ids.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// An object id: 40 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Oid(pub(crate) git2::Oid);

impl Oid {
    /// What git writes for a ref that does not exist: zeros only.
    pub fn zero() -> Oid {
        Oid(git2::Oid::ZERO_SHA1)
    }

    /// True for [`Oid::zero`].
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
}

impl FromStr for Oid {
    type Err = Error;

    /// # Errors
    ///
    /// [`Error::Invalid`] for anything but 40 lower-case hex digits: abbreviations and revision expressions are not ids.
    fn from_str(text: &str) -> Result<Oid, Error> {
        let is_hex = text.len() == 40
            && text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_hex {
            let shown: String = text.chars().take(60).collect();
            return Err(Error::Invalid(format!(
                "{shown:?} is not an object id: give 40 lower-case hex digits"
            )));
        }
        git2::Oid::from_str(text)
            .map(Oid)
            .map_err(|error| Error::Invalid(format!("{text} is not an object id: {error}")))
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lower_case_ids_are_taken() {
        let whole = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(whole.parse::<Oid>().unwrap().to_string(), whole);
        for refused in [
            "",
            "abc",
            "HEAD",
            "--help",
            &whole.to_uppercase(),
            &format!("{whole}0"),
            &"g".repeat(40),
        ] {
            assert!(refused.parse::<Oid>().is_err(), "{refused:?} was taken");
        }
    }
}
