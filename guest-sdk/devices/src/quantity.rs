//! `resource.Quantity`: an amount in Kubernetes' notation, such as `1500m`, `4Gi` or `1e3`.

use std::cmp::Ordering;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

const NANO: i128 = 1_000_000_000;
/// The largest quantity, in whole units. Larger quantities are capped.
const MOST: i128 = i64::MAX as i128;
const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
/// Decimal suffixes, with their powers of ten.
const DECIMAL: [(&str, i32); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];

/// An amount. Equality and order compare the amount, not the notation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quantity {
    /// The amount in units of 10⁻⁹.
    nano: i128,
    /// True if it is formatted with binary suffixes (`Ki`, `Mi`, …).
    binary: bool,
}

impl Quantity {
    /// Makes a quantity of whole units that is formatted with binary suffixes.
    pub fn binary(units: i64) -> Quantity {
        Quantity { nano: i128::from(units) * NANO, binary: true }
    }

    /// Makes a quantity of whole units.
    pub fn whole(units: i64) -> Quantity {
        Quantity { nano: i128::from(units) * NANO, binary: false }
    }

    /// Parses a quantity. The error is the message of Kubernetes.
    pub fn parse(text: &str) -> Result<Quantity, &'static str> {
        const FORMAT: &str =
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
        const SUFFIX: &str = "unable to parse quantity's suffix";
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let end = unsigned.find(|digit: char| !digit.is_ascii_digit() && digit != '.').unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at(end);
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && part.is_empty()) || part.contains('.') {
            return Err(FORMAT);
        }
        let (multiplier, exponent, binary) = match BINARY.iter().position(|known| *known == suffix) {
            Some(at) => (1 << (10 * (at + 1)), 0, true),
            None => (1, decimal(suffix).ok_or(SUFFIX)?, false),
        };
        let nano = scaled(whole, part, exponent + 9, multiplier).min(MOST * NANO);
        Ok(Quantity { nano: if text.starts_with('-') { -nano } else { nano }, binary })
    }

    /// Returns the sum, in the format of `self`.
    #[must_use]
    pub fn plus(self, other: Quantity) -> Quantity {
        Quantity { nano: self.nano.saturating_add(other.nano), binary: self.binary }
    }

    /// Returns the difference, in the format of `self`.
    #[must_use]
    pub fn minus(self, other: Quantity) -> Quantity {
        Quantity { nano: self.nano.saturating_sub(other.nano), binary: self.binary }
    }

    /// Returns true if the quantity is zero.
    pub fn is_zero(self) -> bool {
        self.nano == 0
    }

    /// Returns the sign: -1, 0 or 1.
    pub fn sign(self) -> i64 {
        self.nano.signum() as i64
    }

    /// Returns the amount in whole units, rounded away from zero.
    pub fn value(self) -> i64 {
        let rest = i128::from(self.nano % NANO != 0) * self.nano.signum();
        let units = self.nano / NANO + rest;
        i64::try_from(units).unwrap_or(if units < 0 { i64::MIN } else { i64::MAX })
    }

    /// Returns the amount in whole units; `None` if it is not a whole number or does not fit.
    pub fn exact(self) -> Option<i64> {
        (self.nano % NANO == 0).then(|| i64::try_from(self.nano / NANO).ok()).flatten()
    }

    /// Returns the approximate amount, in units.
    pub fn approximate(self) -> f64 {
        self.nano as f64 / NANO as f64
    }
}

/// Returns the power of ten of a decimal suffix or an exponent.
fn decimal(suffix: &str) -> Option<i32> {
    if let Some((_, power)) = DECIMAL.iter().find(|(known, _)| *known == suffix) {
        return Some(*power);
    }
    let digits = suffix.strip_prefix(['e', 'E'])?;
    digits.parse().ok().filter(|power: &i32| power.abs() < 100)
}

/// Returns `whole.part × 10^power × multiplier`, rounded up and capped. Digits after the nineteenth count only for
/// the rounding.
fn scaled(whole: &str, part: &str, power: i32, multiplier: i128) -> i128 {
    const ENOUGH: i128 = 1_000_000_000_000_000_000;
    let too_much = MOST * NANO;
    let mut power = i64::from(power) - i64::try_from(part.len()).unwrap_or(i64::MAX);
    let (mut number, mut rest) = (0_i128, false);
    for digit in whole.bytes().chain(part.bytes()).map(|digit| i128::from(digit - b'0')) {
        if number < ENOUGH {
            number = number * 10 + digit;
        } else {
            power += 1;
            rest |= digit != 0;
        }
    }
    number *= multiplier;
    while power > 0 && number > 0 && number < too_much {
        (number, power) = (number * 10, power - 1);
    }
    while power < 0 && number > 0 {
        rest |= number % 10 != 0;
        (number, power) = (number / 10, power + 1);
    }
    number.min(too_much) + i128::from(rest)
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Quantity) -> bool {
        self.nano == other.nano
    }
}

impl Eq for Quantity {}

impl Ord for Quantity {
    fn cmp(&self, other: &Quantity) -> Ordering {
        self.nano.cmp(&other.nano)
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Quantity) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Quantity {
    /// Formats the quantity in Kubernetes' canonical form.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nano == 0 {
            return to.write_str("0");
        }
        if self.binary && self.nano.abs() >= 1024 * NANO {
            let mut number = self.value();
            let mut suffix = "";
            for larger in BINARY {
                if number % 1024 != 0 {
                    break;
                }
                (number, suffix) = (number / 1024, larger);
            }
            return write!(to, "{number}{suffix}");
        }
        let mut number = self.nano;
        let mut suffix = DECIMAL[0].0;
        for (larger, _) in &DECIMAL[1..] {
            if number % 1000 != 0 {
                break;
            }
            (number, suffix) = (number / 1000, larger);
        }
        write!(to, "{number}{suffix}")
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Quantity, D::Error> {
        from.deserialize_any(QuantityVisitor)
    }
}

struct QuantityVisitor;

impl Visitor<'_> for QuantityVisitor {
    type Value = Quantity;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a quantity as in 2 or \"4Gi\"")
    }

    fn visit_u64<E: Error>(self, units: u64) -> Result<Quantity, E> {
        Ok(Quantity::whole(i64::try_from(units).unwrap_or(i64::MAX)))
    }

    fn visit_i64<E: Error>(self, units: i64) -> Result<Quantity, E> {
        Ok(Quantity::whole(units))
    }

    fn visit_f64<E: Error>(self, units: f64) -> Result<Quantity, E> {
        self.visit_str(&units.to_string())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Quantity, E> {
        Quantity::parse(text).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_and_written_in_canonical_form() {
        for (text, canonical) in [
            ("0", "0"),
            ("1", "1"),
            ("1000", "1k"),
            ("1500m", "1500m"),
            ("0.5", "500m"),
            (".5", "500m"),
            ("1.", "1"),
            ("1e3", "1k"),
            ("1E3", "1k"),
            ("1E", "1E"),
            ("1024Ki", "1Mi"),
            ("1536Mi", "1536Mi"),
            ("0.5Gi", "512Mi"),
            ("1.1Gi", "1181116007"),
            ("1Ki", "1Ki"),
            ("1023", "1023"),
            ("0.1n", "1n"),
            ("-5Mi", "-5Mi"),
            ("+5", "5"),
            ("99999999999999999999G", "9223372036854775807"),
            ("9223372036854775807", "9223372036854775807"),
            ("0.000000000000000000000000000001", "1n"),
        ] {
            assert_eq!(Quantity::parse(text).map(|quantity| quantity.to_string()).as_deref(), Ok(canonical), "{text}");
        }
        for text in ["", "Mi", "Three", "1,3G", "200K", "1.2.3", "--1", "1e", "1e1000", "1 Gi"] {
            assert!(Quantity::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn quantities_are_compared_by_value() {
        let read = |text| Quantity::parse(text).unwrap();
        assert_eq!(read("200M"), read("0.2G"));
        assert!(read("50Mi") > read("50M"));
        assert_eq!(read("1500m").value(), 2);
        assert_eq!(read("-1500m").value(), -2);
        assert_eq!((read("1500m").exact(), read("2k").exact()), (None, Some(2000)));
        assert_eq!(read("1Gi").plus(read("1Gi")).to_string(), "2Gi");
        assert_eq!(read("1").minus(read("3")).sign(), -1);
    }
}
