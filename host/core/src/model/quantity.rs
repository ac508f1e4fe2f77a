//! `resource.Quantity`: Kubernetes' notation of amounts.
//!
//! A quantity is exact to a billionth and is rounded up only when it is read as an integer. Sums are therefore
//! rounded once, as in the API machinery.

use std::str::FromStr;

const NANO: i128 = 1_000_000_000;

/// An amount, in billionths of its unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity(i128);

/// The reason why a text is not a quantity.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{text:?} is not a quantity: {why} (examples: 100m, 1.5, 128Mi, 2e3)")]
pub struct QuantityError {
    text: Box<str>,
    why: &'static str,
}

impl Quantity {
    /// Returns a quantity of `n` thousandths.
    #[must_use]
    pub const fn from_milli(n: i64) -> Self {
        Self(n as i128 * (NANO / 1000))
    }

    /// Returns a quantity of `n` units.
    #[must_use]
    pub const fn from_value(n: i64) -> Self {
        Self(n as i128 * NANO)
    }

    /// Returns the amount in thousandths, rounded away from zero, saturated (`MilliValue`).
    #[must_use]
    pub fn milli(self) -> i64 {
        saturate(divide_away(self.0, NANO / 1000))
    }

    /// Returns the amount in units, rounded away from zero, saturated (`Value`).
    #[must_use]
    pub fn value(self) -> i64 {
        saturate(divide_away(self.0, NANO))
    }

    /// Returns the sum, saturated.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

fn divide_away(n: i128, by: i128) -> i128 {
    let quotient = n / by;
    if n % by == 0 { quotient } else { quotient + n.signum() }
}

fn saturate(n: i128) -> i64 {
    i64::try_from(n).unwrap_or(if n < 0 { i64::MIN } else { i64::MAX })
}

impl FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let fail = |why| QuantityError { text: text.chars().take(64).collect(), why };
        let (negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() {
            return Err(fail("no digits"));
        }
        if fraction.contains('.') {
            return Err(fail("two decimal points"));
        }
        let scale = Scale::of_suffix(suffix).ok_or_else(|| fail("unknown suffix"))?;
        let magnitude = scale.apply(whole, fraction);
        Ok(Self(if negative { -magnitude } else { magnitude }))
    }
}

/// The factor of a suffix.
enum Scale {
    /// A power of ten, relative to the unit.
    Ten(i32),
    /// A power of 1024.
    Binary(u32),
}

impl Scale {
    fn of_suffix(suffix: &str) -> Option<Self> {
        Some(match suffix {
            "n" => Self::Ten(-9),
            "u" => Self::Ten(-6),
            "m" => Self::Ten(-3),
            "" => Self::Ten(0),
            "k" => Self::Ten(3),
            "M" => Self::Ten(6),
            "G" => Self::Ten(9),
            "T" => Self::Ten(12),
            "P" => Self::Ten(15),
            "E" => Self::Ten(18),
            "Ki" => Self::Binary(1),
            "Mi" => Self::Binary(2),
            "Gi" => Self::Binary(3),
            "Ti" => Self::Binary(4),
            "Pi" => Self::Binary(5),
            "Ei" => Self::Binary(6),
            _ => Self::Ten(suffix.strip_prefix(['e', 'E'])?.parse().ok()?),
        })
    }

    /// Returns the number in billionths, rounded up, saturated.
    fn apply(&self, whole: &str, fraction: &str) -> i128 {
        match *self {
            Self::Ten(power) => digits(whole, fraction, power.saturating_add(9)),
            Self::Binary(power) => binary(whole, fraction.trim_end_matches('0'), 1 << (10 * power)),
        }
    }
}

/// Returns the number times the factor, in billionths, rounded up, saturated.
fn binary(whole: &str, fraction: &str, factor: i128) -> i128 {
    // All decimals count, because the factor makes them larger. If 128 bits can't hold all, 18 decimals are used.
    let all = i32::try_from(fraction.len()).unwrap_or(i32::MAX);
    let exact = digits(whole, fraction, all).checked_mul(factor).map(|n| (n, all));
    let Some((n, decimals)) = exact.or_else(|| Some((digits(whole, fraction, 18).checked_mul(factor)?, 18))) else {
        return i128::MAX;
    };
    match 10i128.checked_pow((decimals - 9).unsigned_abs()) {
        Some(power) if decimals < 9 => n.saturating_mul(power),
        Some(power) => n / power + i128::from(n % power != 0),
        None => i128::from(n != 0),
    }
}

/// Returns the decimal number `whole.fraction × 10^shift` as an integer, rounded up, saturated.
fn digits(whole: &str, fraction: &str, shift: i32) -> i128 {
    let wanted = i64::from(shift) + whole.len() as i64;
    let mut rest = whole.bytes().chain(fraction.bytes());
    let mut result: i128 = 0;
    for _ in 0..wanted.max(0) {
        let digit = rest.next();
        if digit.is_none() && (result == 0 || result == i128::MAX) {
            break;
        }
        result = result.saturating_mul(10).saturating_add(digit.map_or(0, |byte| i128::from(byte - b'0')));
    }
    let above = rest.any(|byte| byte != b'0');
    result.saturating_add(i128::from(above))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations() {
        for (text, milli, value) in [
            ("0", 0, 0),
            ("1", 1000, 1),
            ("100m", 100, 1),
            ("0.1", 100, 1),
            (".5", 500, 1),
            ("1500u", 2, 1),
            ("1n", 1, 1),
            ("0.0000000001", 1, 1),
            ("1.5", 1500, 2),
            ("2e3", 2_000_000, 2000),
            ("2E3", 2_000_000, 2000),
            ("15e-1", 1500, 2),
            ("1k", 1_000_000, 1000),
            ("128Mi", 134_217_728_000, 134_217_728),
            ("1.5Gi", 1_610_612_736_000, 1_610_612_736),
            (".0000000000000000001Pi", 1, 1),
            ("0.0000000000000000000001Ei", 1, 1),
            ("1.000000000000000000000000000000000000000000000000Mi", 1_048_576_000, 1_048_576),
            ("-2", -2000, -2),
            ("-100m", -100, -1),
            ("8Ei", i64::MAX, i64::MAX),
            ("1e90", i64::MAX, i64::MAX),
            ("0e90", 0, 0),
            ("1e-90", 1, 1),
        ] {
            let quantity: Quantity = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!((quantity.milli(), quantity.value()), (milli, value), "{text}");
        }
    }

    #[test]
    fn invalid_quantities() {
        for text in ["", "m", "1.2.3", "1x", "1 Gi", "1e", "1ki", "--1", "1Gi ", "NaN", "١"] {
            assert!(text.parse::<Quantity>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn sums_round_once() {
        let half: Quantity = "500u".parse().expect("a quantity");
        assert_eq!(half.plus(half).milli(), 1);
    }
}
