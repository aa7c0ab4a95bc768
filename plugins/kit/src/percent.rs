//! Percent encoding of paths and queries (RFC 3986).

use std::fmt::Write as _;

/// Decodes `%XX`; what is no such escape stays, bytes that are no UTF-8 become U+FFFD.
pub fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        let escaped = (first == b'%')
            .then(|| after.get(..2).and_then(hex_pair))
            .flatten();
        match escaped {
            Some(byte) => {
                decoded.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                decoded.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// As [`decode`], with `+` for a space as forms write it.
pub fn decode_form(text: &str) -> String {
    decode(&text.replace('+', " "))
}

/// Encodes everything but unreserved characters.
pub fn encode(text: &str) -> String {
    encode_but(text, b"")
}

/// Encodes everything but unreserved characters and `/`: a branch or a file in a path.
pub fn encode_path(text: &str) -> String {
    encode_but(text, b"/")
}

fn encode_but(text: &str, kept: &[u8]) -> String {
    let mut encoded = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || kept.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

fn hex_pair(pair: &[u8]) -> Option<u8> {
    let digit = |byte: &u8| {
        char::from(*byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    match pair {
        [high, low] => Some(digit(high)? * 16 + digit(low)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_escapes_and_keeps_what_is_none() {
        assert_eq!(decode("feature%2Fx%20y"), "feature/x y");
        assert_eq!(decode("100%"), "100%");
        assert_eq!(decode("%zz%4"), "%zz%4");
        assert_eq!(decode("%C3%A9"), "é");
        assert_eq!(decode_form("a+b%2B"), "a b+");
    }

    #[test]
    fn encoding_is_undone_by_decoding() {
        let text = "refs/heads/é +&=?#";
        assert_eq!(decode(&encode(text)), text);
        assert_eq!(encode_path("feature/é"), "feature/%C3%A9");
    }
}
