//! Quantities, compared with 128-bit integers: values, order, and the form that the API server stores.

use anyhow::{Result, ensure};
use berth_quantity::{Quantity, canonical};
use proptest::prelude::*;

use crate::edits;
use crate::target::{Memory, OpenTarget, Target};

/// An input is one quantity per line, at most two lines.
pub const TARGET: Target = Target { name: "quantities", memory: Memory { base: 64 << 10, times: 16 }, open };

const NANO: i128 = 1_000_000_000;
/// The largest quantity, in billionths.
const MAX: i128 = i64::MAX as i128 * NANO;

const SUFFIXES: &[&str] = &[
    "",
    "n",
    "u",
    "m",
    "k",
    "M",
    "G",
    "T",
    "P",
    "E",
    "Ki",
    "Mi",
    "Gi",
    "Ti",
    "Pi",
    "Ei",
    "e0",
    "e3",
    "E3",
    "e-3",
    "e9",
    "e+2",
    "e18",
    "e-18",
    "e99",
    "e-99",
    "e2147483647",
    "e-2147483648",
    "e2147483648",
    "x",
    "ki",
    " ",
];

fn open() -> Result<OpenTarget> {
    let one = ("[-+]?", "[0-9]{0,24}", "(\\.[0-9]{0,20})?", proptest::sample::select(SUFFIXES));
    let one = one.prop_map(|(sign, whole, fraction, suffix)| format!("{sign}{whole}{fraction}{suffix}"));
    let two = (one.clone(), one.clone()).prop_map(|(one, two)| format!("{one}\n{two}").into_bytes());
    let edited = (one, edits::edits(SUFFIXES, 4)).prop_map(|(text, edits)| {
        let mut bytes = text.into_bytes();
        edits.iter().for_each(|edit| edit.apply(&mut bytes));
        bytes
    });
    Ok(OpenTarget { inputs: prop_oneof![3 => two, 1 => edited].boxed(), check: Box::new(check) })
}

fn check(input: &[u8]) -> Result<bool> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(false) };
    let mut values = Vec::new();
    for text in text.lines().take(2) {
        let read = text.parse::<Quantity>();
        let stored = canonical(text);
        let expected = Exact::parse(text);
        ensure!(read.is_ok() == expected.is_some(), "{text:?} is read as {read:?}, expected {expected:?}");
        ensure!(
            stored.is_ok() == read.is_ok() || text.is_empty(),
            "{text:?} is read as {read:?}, stored as {stored:?}"
        );
        let (Ok(read), Ok(stored), Some(expected)) = (read, stored, expected) else { continue };
        let Some(nano) = expected.nano() else { continue };
        // Kubernetes limits quantities to 63 bits before the decimal point.
        let limited = nano.clamp(-MAX, MAX);
        let expected = (rounded(limited, NANO / 1000), rounded(limited, NANO));
        ensure!((read.milli(), read.value()) == expected, "{text:?}: {read:?}, expected {nano} billionths");
        let again = stored.parse::<Quantity>();
        let kept = again.as_ref().map(|again| (again.milli(), again.value()));
        ensure!(kept == Ok(expected), "{text:?} is stored as {stored:?}, which is {again:?}");
        ensure!(canonical(&stored).as_ref() == Ok(&stored), "the stored form {stored:?} is not canonical");
        values.push((nano, read));
    }
    // Quantities above the limit are equal, so their order is not compared.
    values.retain(|(nano, _)| nano.abs() <= MAX);
    if let [(one, one_read), (two, two_read)] = values[..] {
        ensure!(one.cmp(&two) == one_read.cmp(&two_read), "{text:?} are in the wrong order: {one_read:?} {two_read:?}");
    }
    Ok(!values.is_empty())
}

/// Rounds away from zero, within 64 bits.
fn rounded(nano: i128, unit: i128) -> i64 {
    let whole = nano / unit + if nano % unit == 0 { 0 } else { nano.signum() };
    whole.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

/// A decimal number times a power of two, exactly.
#[derive(Debug)]
struct Exact {
    negative: bool,
    digits: String,
    ten: i64,
    two: u32,
}

impl Exact {
    /// Reads the grammar of `resource.Quantity`, without using Berth's code.
    fn parse(text: &str) -> Option<Self> {
        let (negative, text) = match text.chars().next()? {
            '-' => (true, &text[1..]),
            '+' => (false, &text[1..]),
            _ => (false, text),
        };
        let number: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let suffix = &text[number.len()..];
        let parts: Vec<&str> = number.splitn(3, '.').collect();
        let (whole, fraction) = match parts[..] {
            [whole] => (whole, ""),
            [whole, fraction] => (whole, fraction),
            _ => return None,
        };
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() {
            return None;
        }
        let (power, two) = match suffix {
            "n" => (-9, 0),
            "u" => (-6, 0),
            "m" => (-3, 0),
            "" => (0, 0),
            "k" => (3, 0),
            "M" => (6, 0),
            "G" => (9, 0),
            "T" => (12, 0),
            "P" => (15, 0),
            "E" => (18, 0),
            "Ki" => (0, 10),
            "Mi" => (0, 20),
            "Gi" => (0, 30),
            "Ti" => (0, 40),
            "Pi" => (0, 50),
            "Ei" => (0, 60),
            exponent if exponent.starts_with(['e', 'E']) => (i64::from(exponent[1..].parse::<i32>().ok()?), 0),
            _ => return None,
        };
        Some(Self { negative, digits, ten: power - fraction.len() as i64, two })
    }

    /// Returns the value in billionths, rounded away from zero, or `None` if it exceeds 128 bits.
    fn nano(&self) -> Option<i128> {
        // Trailing zeros become part of the power of ten.
        let digits = self.digits.trim_end_matches('0');
        let ten = self.ten + 9 + (self.digits.len() - digits.len()) as i64;
        let digits = digits.trim_start_matches('0');
        if digits.is_empty() {
            return Some(0);
        }
        let mantissa = digits.parse::<i128>().ok()?.checked_mul(1 << self.two)?;
        let power = 10_i128.checked_pow(u32::try_from(ten.unsigned_abs()).ok()?);
        let nano = match power {
            Some(power) if ten >= 0 => mantissa.checked_mul(power)?,
            Some(power) => mantissa / power + i128::from(mantissa % power != 0),
            None if ten < 0 => 1,
            None => return None,
        };
        Some(if self.negative { -nano } else { nano })
    }
}
