//! The text of a quantity as the API server stores it.

use super::parse::Parts;
use super::{Invalid, MAX, Notation};

/// Returns the text that the API server stores for a quantity: `0.5` becomes `500m`, `1024Ki` becomes `1Mi`. An empty
/// text is 0, as in Kubernetes.
///
/// # Errors
/// The rule that the text breaks, if it is not a quantity.
pub fn canonical(text: &str) -> Result<String, Invalid> {
    let written = written(text)?;
    // The API server writes the object to etcd and reads it again. It writes 632.8125Ki as 648000, and then 648k.
    self::written(&written)
}

/// Returns the result of Go's `ParseQuantity` and `String`.
fn written(text: &str) -> Result<String, Invalid> {
    if text.is_empty() {
        return Ok("0".into());
    }
    let parts = Parts::of(text)?;
    let quantity = parts.quantity();
    if quantity.is_zero() {
        return Ok("0".into());
    }
    Ok(if quantity.nano.abs() < MAX && is_kept(&parts) { text.to_owned() } else { quantity.to_string() })
}

/// Returns true if Go's `ParseQuantity` takes the text for canonical and keeps the text. Go's check is incomplete, so
/// Go also keeps `1.500` and `+3`.
fn is_kept(parts: &Parts<'_>) -> bool {
    let whole = parts.whole.trim_start_matches('0');
    let (whole, fraction) = (if whole.is_empty() { "0" } else { whole }, parts.fraction);
    let digits = whole.len() + fraction.len();
    if parts.notation == Notation::Binary {
        // Go estimates that 10 bits take 3 digits.
        let fits = digits + parts.two as usize * 3 / 10 < 15;
        return fits && fraction.is_empty() && whole.parse::<i64>().is_ok_and(|value| value % 8 != 0);
    }
    let scale = i64::from(parts.ten) - fraction.len() as i64;
    let ends_in_zeros = whole.bytes().chain(fraction.bytes()).rev().take(3).eq(*b"000");
    digits <= 18 && scale >= -9 && scale % 3 == 0 && !ends_in_zeros && whole != "0"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_stored_in_one_form() {
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
            assert_eq!(canonical(text).as_deref(), Ok(expected), "{text}");
        }
        for text in ["a", "1x", "1.2.3", "--1", "1e", "Ki", ".", "1 Gi", "1mi"] {
            assert!(canonical(text).is_err(), "{text}");
        }
    }
}
