//! Quantities in Kubernetes' notation.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// The number of nano units in a unit. Kubernetes knows no finer parts.
const NANO: i128 = 1_000_000_000;
/// The largest quantity, in nano units. Larger quantities are capped.
const MOST: i128 = i64::MAX as i128 * NANO;

/// An amount of storage. Exact to the nano unit, so that amounts that differ by less than a byte are distinct.
///
/// ```
/// use berth_guest_volumes::Quantity;
///
/// let read = |text| Quantity::parse(text).map(Quantity::value);
/// assert_eq!(["1Gi", "1.5k", "1e3", "1500m"].map(read), [Some(1 << 30), Some(1500), Some(1000), Some(2)]);
/// assert!(Quantity::parse("1500m") < Quantity::parse("2"));
/// assert_eq!(["", "Gi", "1gi", "1.2.3"].map(read), [None; 4]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity(i128);

impl Quantity {
    /// Parses a decimal number with a suffix (`Ki` to `Ei`, `n` to `E`) or an exponent.
    pub fn parse(text: &str) -> Option<Quantity> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
        let (number, suffix) = digits.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return None;
        }
        let (ten, two) = scale(suffix)?;
        // Collects as many digits as fit 128 bits after the shift by the power of two. Further digits are counted in
        // `left_out`, and any of them that is not 0 rounds the value up.
        let fraction = fraction.trim_end_matches('0');
        let (mut value, mut left_out, mut is_more) = (0_i128, 0_i32, false);
        for digit in whole.bytes().chain(fraction.bytes()).map(|digit| i128::from(digit - b'0')) {
            if left_out == 0 && value < (i128::MAX >> two) / 10 {
                value = value * 10 + digit;
            } else {
                left_out = left_out.saturating_add(1);
                is_more |= digit != 0;
            }
        }
        let value = (value + i128::from(is_more)) << two;
        let power = ten.saturating_add(9).saturating_add(left_out).saturating_sub(i32::try_from(fraction.len()).ok()?);
        let value = scaled(value, power).min(MOST);
        Some(Quantity(if negative { -value } else { value }))
    }

    /// Returns the amount as a whole number, rounded up.
    pub fn value(self) -> i64 {
        // Fits an `i64`: `parse` caps the value on both sides.
        (self.0.div_euclid(NANO) + i128::from(self.0.rem_euclid(NANO) != 0)) as i64
    }
}

/// Returns the powers of ten and of two of a suffix.
fn scale(suffix: &str) -> Option<(i32, u32)> {
    const DECIMAL: [(&str, i32); 10] =
        [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
    const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    if let Some((_, ten)) = DECIMAL.iter().find(|(known, _)| *known == suffix) {
        return Some((*ten, 0));
    }
    if let Some(at) = BINARY.iter().position(|known| *known == suffix) {
        return Some((0, 10 * (at as u32 + 1)));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    Some((exponent.parse().ok()?, 0))
}

/// Multiplies by a power of ten, and rounds up.
fn scaled(value: i128, power: i32) -> i128 {
    let factor = 10_i128.checked_pow(power.unsigned_abs());
    match factor {
        _ if value == 0 => 0,
        Some(factor) if power < 0 => value / factor + i128::from(value % factor != 0),
        Some(factor) => value.saturating_mul(factor),
        None if power < 0 => 1,
        None => i128::MAX,
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Quantity, D::Error> {
        from.deserialize_any(QuantityVisitor)
    }
}

#[derive(Clone, Copy)]
struct QuantityVisitor;

impl Visitor<'_> for QuantityVisitor {
    type Value = Quantity;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a quantity, as in \"10Gi\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Quantity, E> {
        Quantity::parse(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Quantity, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Quantity, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Quantity, E> {
        self.visit_str(&number.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_whole_and_rounded_up() {
        for (text, value) in [
            ("0", 0),
            ("10Gi", 10 << 30),
            ("1.5Gi", 3 << 29),
            (".5k", 500),
            ("5.", 5),
            ("1n", 1),
            ("1e-30", 1),
            ("-1.5", -1),
            ("+3", 3),
            ("1E", 1_000_000_000_000_000_000),
            ("1E2", 100),
            ("7Ei", 7 << 60),
            ("8Ei", i64::MAX),
            ("1e999999999", i64::MAX),
            ("99999999999999999999999999999999999999999999", i64::MAX),
            ("1.0000000000000000000000000000000000000000000", 1),
            ("1000000000000000000000000000000000000000000000e-42", 1000),
            ("99999999.999999999999999999999999999999Ki", 102_400_000_000),
        ] {
            assert_eq!(Quantity::parse(text).map(Quantity::value), Some(value), "{text}");
        }
        for text in ["1Zi", "e3", "-", "1e", "1e1.5", "0x1", " 1", "1 "] {
            assert_eq!(Quantity::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn quantities_that_differ_by_a_fraction_are_different() {
        let ascending = ["1n", "999m", "1", "1.000000001", "1Ki", "1025", "1M", "1Mi", "1G"];
        assert!(ascending.map(Quantity::parse).is_sorted_by(|less, more| less < more));
        assert_eq!(Quantity::parse("1Gi"), Quantity::parse("1024Mi"));
    }
}
