//! Converts times to the form that Kubernetes stores, and encodes and checks base64.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimeParser;

/// Converts a time in RFC 3339 to UTC with whole seconds, or with microseconds if `with_micros` is true.
///
/// # Errors
/// A message that says what is wrong with the text.
pub fn canonical_time(text: &str, with_micros: bool) -> Result<String, String> {
    let parsed = DateTimeParser::new().parse_timestamp(text);
    let time: Timestamp = parsed.map_err(|e| format!("parsing time {text:?}: {e}"))?;
    Ok(match with_micros {
        true => micros(time),
        false => seconds(time),
    })
}

/// Formats a time as `metav1.Time`.
pub fn seconds(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Formats a time as `metav1.MicroTime`.
pub fn micros(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
}

/// Standard base64 with padding. As in Go, the bits after the last byte may have any value.
const BASE64: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// Encodes bytes as standard base64 with padding.
pub fn base64(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

/// Returns true if `text` is standard base64 with padding.
pub fn is_base64(text: &str) -> bool {
    BASE64.decode(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_kept_in_utc() {
        assert_eq!(canonical_time("2026-01-02T05:04:05.678+02:00", false).as_deref(), Ok("2026-01-02T03:04:05Z"));
        assert_eq!(canonical_time("2026-01-02T03:04:05Z", true).as_deref(), Ok("2026-01-02T03:04:05.000000Z"));
        assert!(canonical_time("yesterday", false).is_err());
    }

    #[test]
    fn base64_requires_padding() {
        assert!(is_base64("") && is_base64("aGk=") && is_base64("aGVsbG8h"));
        for (plain, encoded) in [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("hello", "aGVsbG8=")] {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
        assert!(is_base64("aGl="), "Go ignores the last bits");
        assert!(!is_base64("aGk") && !is_base64("a===") && !is_base64("a b="));
    }
}
