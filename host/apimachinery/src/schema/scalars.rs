//! Scalars that Kubernetes accepts in several forms and stores in one form: quantities and times. Also base64.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimeParser;

/// The kind of a quantity's suffix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Suffix {
    Decimal,
    Binary,
    Exponent,
}

const DECIMAL: [(&str, i32); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
const BINARY: [(&str, u32); 6] = [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];
const NANO: i128 = 1_000_000_000;
/// The largest quantity, in billionths: a 63-bit integer part.
const MOST: i128 = i64::MAX as i128 * NANO;
const WRONG: &str = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// Returns the form in which the API server stores a quantity: `0.5` becomes `500m`, `1024Ki` becomes `1Mi`.
///
/// # Errors
/// The API server's message, if `text` is not a quantity.
pub fn canonical_quantity(text: &str) -> Result<String, &'static str> {
    let spelling = spelled(text)?;
    // The API server writes the object to etcd and reads it again: it writes 632.8125Ki as 648000, and reads 648k.
    spelled(&spelling)
}

/// Returns the result of Go's `Quantity.String` for a parsed text.
fn spelled(text: &str) -> Result<String, &'static str> {
    if text.is_empty() {
        return Ok("0".into());
    }
    let parts = Parts::of(text)?;
    let (nano, suffix) = parts.value()?;
    if nano == 0 {
        return Ok("0".into());
    }
    // Kubernetes also keeps the text 10E, and computes with it as if it were 0.
    if nano.abs() < MOST && parts.is_kept() {
        return Ok(text.to_owned());
    }
    let small = nano.abs() < 1024 * NANO;
    Ok(match suffix {
        Suffix::Binary if !small && nano % NANO == 0 => in_binary(nano / NANO),
        Suffix::Exponent => in_decimal(nano, true),
        _ => in_decimal(nano, false),
    })
}

/// Returns a quantity in billionths, for comparisons; 0 for a text that is not a quantity.
pub fn nano(text: &str) -> i128 {
    Parts::of(text).and_then(|parts| parts.value()).map_or(0, |(nano, _)| nano)
}

/// The parts of a quantity's text: sign, digits before and after the point, and suffix.
struct Parts<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    suffix: Suffix,
    /// The exponent of the suffix: base 2 for a binary suffix, base 10 otherwise.
    power: i32,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Result<Self, &'static str> {
        let (negative, rest) = match text.as_bytes() {
            [b'-', ..] => (true, &text[1..]),
            [b'+', ..] => (false, &text[1..]),
            _ => (false, text),
        };
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, suffix) = rest.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.len() + fraction.len() == 0 || fraction.contains('.') || number.len() > 64 {
            return Err(WRONG);
        }
        let (suffix, power) = suffix_of(suffix)?;
        Ok(Self { negative, whole, fraction, suffix, power })
    }

    /// Returns the value in billionths, rounded away from zero, and the suffix kind.
    fn value(&self) -> Result<(i128, Suffix), &'static str> {
        let digits: i128 = format!("{}{}", self.whole, self.fraction).parse().map_err(|_| WRONG)?;
        let (digits, power) = match self.suffix {
            Suffix::Binary => {
                (digits.checked_shl(self.power as u32).filter(|v| v >> self.power == digits).ok_or(WRONG)?, 0)
            }
            _ => (digits, self.power),
        };
        let nano = scaled(digits, power - self.fraction.len() as i32 + 9);
        let nano = nano.min(MOST);
        Ok((if self.negative { -nano } else { nano }, self.suffix))
    }

    /// Returns true if Go's `ParseQuantity` treats the text as canonical. Its check is incomplete, so 1.500 and +3
    /// are kept.
    fn is_kept(&self) -> bool {
        let whole = self.whole.trim_start_matches('0');
        let (whole, fraction) = (if whole.is_empty() { "0" } else { whole }, self.fraction);
        let digits = (whole.len() + fraction.len()) as i32;
        if self.suffix == Suffix::Binary {
            let fits = 15 - digits - self.power * 3 / 10 > 0;
            return fits && fraction.is_empty() && whole.parse::<i64>().is_ok_and(|value| value % 8 != 0);
        }
        let scale = self.power - fraction.len() as i32;
        let ends_in_zeros = format!("{whole}{fraction}").ends_with("000");
        digits <= 18 && scale >= -9 && scale % 3 == 0 && !ends_in_zeros && whole != "0"
    }
}

fn suffix_of(suffix: &str) -> Result<(Suffix, i32), &'static str> {
    if let Some((_, power)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Ok((Suffix::Decimal, *power));
    }
    if let Some((_, power)) = BINARY.iter().find(|(name, _)| *name == suffix) {
        return Ok((Suffix::Binary, *power as i32));
    }
    let exponent = suffix.strip_prefix(['e', 'E']).ok_or(WRONG)?;
    let power: i32 = exponent.parse().map_err(|_| WRONG)?;
    Ok((Suffix::Exponent, power.clamp(-200, 200)))
}

/// Returns `digits` times ten to the `power`, rounded up, saturating.
fn scaled(digits: i128, power: i32) -> i128 {
    let Some(factor) = 10i128.checked_pow(power.unsigned_abs()) else {
        return if power > 0 && digits > 0 { i128::MAX } else { i128::from(digits > 0) };
    };
    match power >= 0 {
        true => digits.saturating_mul(factor),
        false => digits / factor + i128::from(digits % factor > 0),
    }
}

fn in_binary(mut value: i128) -> String {
    let mut suffix = "";
    for (name, _) in BINARY {
        if value % 1024 != 0 {
            break;
        }
        value /= 1024;
        suffix = name;
    }
    format!("{value}{suffix}")
}

fn in_decimal(mut value: i128, exponent: bool) -> String {
    let mut power = -9;
    while value % 1000 == 0 && power < 18 {
        value /= 1000;
        power += 3;
    }
    let suffix = DECIMAL.iter().find(|(_, p)| *p == power).map_or("", |(name, _)| name);
    match exponent && power != 0 {
        true => format!("{value}e{power}"),
        false => format!("{value}{suffix}"),
    }
}

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
    fn quantities_have_one_spelling() {
        for (text, expected) in [
            ("1", "1"),
            ("0.5", "500m"),
            ("1000m", "1"),
            ("1500m", "1500m"),
            ("0.0015", "1500u"),
            ("1024Ki", "1Mi"),
            ("1000Ki", "1000Ki"),
            ("512", "512"),
            ("1.5Gi", "1536Mi"),
            ("0.5Ki", "512"),
            ("1e3", "1e3"),
            ("1000", "1k"),
            ("12000000", "12M"),
            ("0.0000000001", "1n"),
            ("-2", "-2"),
            ("+3", "+3"),
            ("1.500", "1.500"),
            ("1.5000", "1500m"),
            ("1e0", "1e0"),
            ("2E3", "2E3"),
            ("12e1", "120"),
            ("632.8125Ki", "648k"),
            ("0Mi", "0"),
            ("", "0"),
            ("100E", "9223372036854775807"),
        ] {
            assert_eq!(canonical_quantity(text).as_deref(), Ok(expected), "{text}");
        }
        for text in ["a", "1x", "1.2.3", "--1", "1e", "Ki", ".", "1 Gi", "1mi"] {
            assert!(canonical_quantity(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_kept_in_utc() {
        assert_eq!(canonical_time("2026-01-02T05:04:05.678+02:00", false).as_deref(), Ok("2026-01-02T03:04:05Z"));
        assert_eq!(canonical_time("2026-01-02T03:04:05Z", true).as_deref(), Ok("2026-01-02T03:04:05.000000Z"));
        assert!(canonical_time("yesterday", false).is_err());
    }

    #[test]
    fn base64_wants_its_padding() {
        assert!(is_base64("") && is_base64("aGk=") && is_base64("aGVsbG8h"));
        for (plain, encoded) in [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("hello", "aGVsbG8=")] {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
        assert!(is_base64("aGl="), "Go ignores the last bits");
        assert!(!is_base64("aGk") && !is_base64("a===") && !is_base64("a b="));
    }
}
