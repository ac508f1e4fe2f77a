//! Kubernetes' resource quantities: amounts such as `1500m`, `4Gi` or `1e3`.
//!
//! - In: the text of a `resource.Quantity`.
//! - Out: a [`Quantity`], rounded to a billionth of a unit. The quantity is rounded to an integer only when it is read
//!   as an integer, so a sum is rounded once, as in Kubernetes.
//! - Never: no panic and no unbounded work for any text.
//!
//! The host and the plugins use this crate, so that they agree on every amount. Without the feature `serde`, the crate
//! has no dependencies.

mod canonical;
mod format;
mod parse;
#[cfg(feature = "serde")]
mod serialized;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

pub use self::canonical::canonical;
pub use self::parse::{Invalid, QuantityError};

/// The number of billionths in a unit.
const NANO: i128 = 1_000_000_000;
/// The largest amount of a parsed quantity, in billionths. Kubernetes replaces larger amounts by this one.
const MAX: i128 = i64::MAX as i128 * NANO;
/// The binary suffixes. The suffix at index `n` is a factor of 1024 to the power of `n + 1`.
const BINARY_SUFFIXES: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
/// The decimal suffixes with their powers of ten, in ascending order.
const DECIMAL_SUFFIXES: [(&str, i32); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];

/// An amount (`resource.Quantity`). Equality, order and hash compare the amount, not the notation.
///
/// ```
/// use berth_quantity::Quantity;
///
/// let parse = |text: &str| text.parse::<Quantity>();
/// assert_eq!(parse("1.5k").map(Quantity::value), Ok(1500));
/// assert_eq!(parse("1Gi"), parse("1024Mi"));
/// assert!(parse("1gi").is_err());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Quantity {
    /// The amount in billionths of a unit.
    nano: i128,
    notation: Notation,
}

/// The notation in which a quantity is written (`Format` in Kubernetes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Notation {
    /// A decimal suffix (`m`, `k`, `M`, …) or none.
    #[default]
    Decimal,
    /// A binary suffix (`Ki`, `Mi`, …).
    Binary,
    /// An exponent (`e3`).
    Exponent,
}

impl Quantity {
    /// Returns a quantity of `units`, written with decimal suffixes.
    #[must_use]
    pub const fn from_value(units: i64) -> Self {
        Self { nano: units as i128 * NANO, notation: Notation::Decimal }
    }

    /// Returns a quantity of `units`, written with binary suffixes.
    #[must_use]
    pub const fn from_binary(units: i64) -> Self {
        Self { nano: units as i128 * NANO, notation: Notation::Binary }
    }

    /// Returns a quantity of `thousandths`, written with decimal suffixes.
    #[must_use]
    pub const fn from_milli(thousandths: i64) -> Self {
        Self { nano: thousandths as i128 * (NANO / 1000), notation: Notation::Decimal }
    }

    /// Returns the amount in units, rounded away from zero, saturated (`Value` in Kubernetes).
    #[must_use]
    pub fn value(self) -> i64 {
        self.rounded(NANO)
    }

    /// Returns the amount in thousandths, rounded away from zero, saturated (`MilliValue` in Kubernetes).
    #[must_use]
    pub fn milli(self) -> i64 {
        self.rounded(NANO / 1000)
    }

    /// Returns the amount in units; `None` if the amount is not a whole number or does not fit an `i64` (`AsInt64` in
    /// Kubernetes).
    #[must_use]
    pub fn exact(self) -> Option<i64> {
        (self.nano % NANO == 0).then(|| i64::try_from(self.nano / NANO).ok()).flatten()
    }

    /// Returns the approximate amount in units (`AsApproximateFloat64` in Kubernetes).
    #[must_use]
    pub fn approximate(self) -> f64 {
        self.nano as f64 / NANO as f64
    }

    /// Returns the sign: -1, 0 or 1.
    #[must_use]
    pub fn sign(self) -> i64 {
        self.nano.signum() as i64
    }

    /// Returns true if the amount is zero.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.nano == 0
    }

    /// Returns the sum, saturated, with the notation of `self`.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { nano: self.nano.saturating_add(other.nano), ..self }
    }

    /// Returns the difference, saturated, with the notation of `self`.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self { nano: self.nano.saturating_sub(other.nano), ..self }
    }

    /// Returns the number of `parts` (in billionths), rounded away from zero, saturated.
    fn rounded(self, parts: i128) -> i64 {
        let quotient = self.nano / parts + i128::from(self.nano % parts != 0) * self.nano.signum();
        i64::try_from(quotient).unwrap_or(if quotient < 0 { i64::MIN } else { i64::MAX })
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nano == other.nano
    }
}

impl Eq for Quantity {}

impl Hash for Quantity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.nano.hash(state);
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nano.cmp(&other.nano)
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Quantity {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn quantities_that_differ_by_a_fraction_are_different() {
        let ascending = ["-1", "0", "1n", "999m", "1", "1.000000001", "1Ki", "1025", "1M", "1Mi", "1G"];
        assert!(ascending.map(parse).is_sorted_by(|less, more| less < more));
        assert_eq!(parse("200M"), parse("0.2G"));
    }

    #[test]
    fn sums_round_once() {
        assert_eq!(parse("500u").plus(parse("500u")).milli(), 1);
        assert_eq!(parse("1Gi").plus(parse("1Gi")).to_string(), "2Gi");
        assert_eq!(parse("1").minus(parse("3")).sign(), -1);
    }

    #[test]
    fn only_whole_numbers_are_exact() {
        assert_eq!((parse("1500m").exact(), parse("2k").exact()), (None, Some(2000)));
    }
}
