//! Parses the text of a quantity.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use super::{BINARY_SUFFIXES, DECIMAL_SUFFIXES, MAX, Notation, Quantity};

/// The maximum number of characters of an invalid text that an error repeats.
const QUOTED: usize = 64;

/// The rule that an invalid quantity breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// The text is not a decimal number with letters or an exponent after it.
    Format,
    /// Kubernetes does not know the suffix, or the exponent has no digits.
    Suffix,
}

impl Invalid {
    /// Returns the message of Kubernetes.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::Format => {
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            Self::Suffix => "unable to parse quantity's suffix",
        }
    }
}

/// A text that is not a quantity, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantityError {
    text: Box<str>,
    /// The rule that the text breaks.
    pub invalid: Invalid,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.invalid {
            Invalid::Format => "it is not a number with a suffix",
            Invalid::Suffix => "the suffix is unknown",
        };
        write!(to, "{:?} is not a quantity: {why} (examples: 100m, 1.5, 128Mi, 2e3)", self.text)
    }
}

impl Error for QuantityError {}

impl FromStr for Quantity {
    type Err = QuantityError;

    /// Parses a decimal number with a suffix (`Ki` to `Ei`, `n` to `E`) or an exponent. The amount is rounded away
    /// from zero to a billionth and limited to 63 bits in units, as in Kubernetes.
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let error = |invalid| QuantityError { text: text.chars().take(QUOTED).collect(), invalid };
        Parts::of(text).map(|parts| parts.quantity()).map_err(error)
    }
}

/// The parts of a quantity's text.
pub(crate) struct Parts<'a> {
    negative: bool,
    /// The digits before the decimal point.
    pub(crate) whole: &'a str,
    /// The digits after the decimal point.
    pub(crate) fraction: &'a str,
    pub(crate) notation: Notation,
    /// The power of ten of a decimal suffix or an exponent.
    pub(crate) ten: i32,
    /// The power of two of a binary suffix.
    pub(crate) two: u32,
}

impl<'a> Parts<'a> {
    pub(crate) fn of(text: &'a str) -> Result<Self, Invalid> {
        let (negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') || !is_suffix(suffix) {
            return Err(Invalid::Format);
        }
        let (notation, ten, two) = scale(suffix).ok_or(Invalid::Suffix)?;
        Ok(Self { negative, whole, fraction, notation, ten, two })
    }

    pub(crate) fn quantity(&self) -> Quantity {
        let nano = amount(self.whole, self.fraction.trim_end_matches('0'), self.ten, self.two);
        Quantity { nano: if self.negative { -nano } else { nano }, notation: self.notation }
    }
}

/// Returns true if the text has the form of a suffix: `[eEinumkKMGTP]*[-+]?[0-9]*`.
fn is_suffix(text: &str) -> bool {
    let exponent = text.trim_start_matches(|letter| "eEinumkKMGTP".contains(letter));
    exponent.strip_prefix(['+', '-']).unwrap_or(exponent).bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the notation of a suffix, its power of ten and its power of two.
fn scale(suffix: &str) -> Option<(Notation, i32, u32)> {
    if let Some((_, ten)) = DECIMAL_SUFFIXES.iter().find(|(known, _)| *known == suffix) {
        return Some((Notation::Decimal, *ten, 0));
    }
    if let Some(at) = BINARY_SUFFIXES.iter().position(|known| *known == suffix) {
        return Some((Notation::Binary, 0, 10 * (at as u32 + 1)));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    Some((Notation::Exponent, exponent.parse().ok()?, 0))
}

/// Returns `whole.fraction × 10^ten × 2^two` in billionths, rounded up, at most [`MAX`].
fn amount(whole: &str, fraction: &str, ten: i32, two: u32) -> i128 {
    // Digits are collected while the number fits 128 bits after the shift. Digits beyond that count only for the
    // magnitude and the rounding.
    let limit = (i128::MAX >> two) / 10;
    let (mut number, mut beyond, mut inexact) = (0_i128, 0_i32, false);
    for digit in whole.bytes().chain(fraction.bytes()).map(|digit| i128::from(digit - b'0')) {
        if beyond == 0 && number < limit {
            number = number * 10 + digit;
        } else {
            beyond = beyond.saturating_add(1);
            inexact |= digit != 0;
        }
    }
    let number = (number + i128::from(inexact)) << two;
    let decimals = i32::try_from(fraction.len()).unwrap_or(i32::MAX);
    let power = ten.saturating_add(9).saturating_add(beyond).saturating_sub(decimals);
    scaled(number, power).min(MAX)
}

/// Returns `number × 10^power`, rounded up, saturated.
fn scaled(number: i128, power: i32) -> i128 {
    match 10_i128.checked_pow(power.unsigned_abs()) {
        _ if number == 0 => 0,
        Some(factor) if power < 0 => number / factor + i128::from(number % factor != 0),
        Some(factor) => number.saturating_mul(factor),
        None if power < 0 => 1,
        None => i128::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_rounded_away_from_zero() {
        const MILLION: i64 = 1_000_000;
        for (text, milli, value) in [
            ("0", 0, 0),
            ("1", 1000, 1),
            ("+3", 3000, 3),
            ("5.", 5000, 5),
            (".5", 500, 1),
            ("0.1", 100, 1),
            ("100m", 100, 1),
            ("1500u", 2, 1),
            ("1n", 1, 1),
            ("0.0000000001", 1, 1),
            ("1.5", 1500, 2),
            ("-1.5", -1500, -2),
            ("-2", -2000, -2),
            ("-100m", -100, -1),
            ("2e3", 2 * MILLION, 2000),
            ("2E3", 2 * MILLION, 2000),
            ("15e-1", 1500, 2),
            ("1k", MILLION, 1000),
            (".5k", MILLION / 2, 500),
            ("1E2", 100_000, 100),
            ("128Mi", (128 << 20) * 1000, 128 << 20),
            ("1.5Gi", (3 << 29) * 1000, 3 << 29),
            ("10Gi", (10 << 30) * 1000, 10 << 30),
        ] {
            let quantity: Quantity = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((quantity.milli(), quantity.value()), (milli, value), "{text}");
        }
    }

    #[test]
    fn all_digits_count_for_the_magnitude_and_the_rounding() {
        for (text, value) in [
            ("1E", 1_000_000_000_000_000_000),
            ("7Ei", 7 << 60),
            ("8Ei", i64::MAX),
            ("0e90", 0),
            ("1e90", i64::MAX),
            ("1e-90", 1),
            ("1e-30", 1),
            ("1e1000", i64::MAX),
            ("1e999999999", i64::MAX),
            ("99999999999999999999999999999999999999999999", i64::MAX),
            ("-1e90", -i64::MAX),
            ("1.0000000000000000000000000000000000000000000", 1),
            ("1.000000000000000000000000000000000000000000000000Mi", 1 << 20),
            (".0000000000000000001Pi", 1),
            ("0.0000000000000000000001Ei", 1),
            ("1000000000000000000000000000000000000000000000e-42", 1000),
            ("99999999.999999999999999999999999999999Ki", 102_400_000_000),
        ] {
            assert_eq!(text.parse().map(Quantity::value), Ok(value), "{text}");
        }
    }

    #[test]
    fn invalid_text_is_refused_with_the_reason_of_kubernetes() {
        let invalid = |text: &str| text.parse::<Quantity>().map_err(|error| error.invalid);
        for text in [
            "", "m", "Mi", "Three", "-", "--1", "e3", "NaN", "١", " 1", "1 ", "1.2.3", "1x", "1Zi", "1gi", "1,3G",
            "1 Gi", "1Gi ", "1e1.5", "0x1",
        ] {
            assert_eq!(invalid(text), Err(Invalid::Format), "{text:?}");
        }
        for text in ["1ki", "200K", "1e", "1E+", "1mM", "1Mi3", "1-3"] {
            assert_eq!(invalid(text), Err(Invalid::Suffix), "{text:?}");
        }
        let error = "1ki".parse::<Quantity>().map_err(|error| error.to_string());
        let message = "\"1ki\" is not a quantity: the suffix is unknown (examples: 100m, 1.5, 128Mi, 2e3)";
        assert_eq!(error, Err(message.to_owned()));
    }

    #[test]
    fn long_text_is_cut_in_the_error() {
        let error = "é".repeat(1000).parse::<Quantity>().map_err(|error| error.to_string().chars().count());
        assert!(error.is_err_and(|length| length < 200));
    }
}
