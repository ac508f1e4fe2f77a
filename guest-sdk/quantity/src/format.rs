//! Writes a quantity in Kubernetes' canonical form.

use std::fmt;

use super::{BINARY_SUFFIXES, DECIMAL_SUFFIXES, NANO, Notation, Quantity};

impl fmt::Display for Quantity {
    /// Writes the amount with the largest suffix of its notation that leaves a whole number (`String` in Kubernetes).
    /// A quantity in binary notation gets a decimal suffix if it is less than 1024 or not a whole number.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_binary = self.notation == Notation::Binary && self.nano.abs() >= 1024 * NANO && self.nano % NANO == 0;
        let (number, suffix) = if is_binary { binary(self.nano / NANO) } else { decimal(self.nano) };
        match self.notation {
            Notation::Exponent if !suffix.is_empty() => write!(to, "{number}e{}", power(suffix)),
            _ => write!(to, "{number}{suffix}"),
        }
    }
}

/// Returns a number of units as a smaller number with a binary suffix.
fn binary(mut number: i128) -> (i128, &'static str) {
    let mut suffix = "";
    for larger in BINARY_SUFFIXES {
        if number % 1024 != 0 {
            break;
        }
        (number, suffix) = (number / 1024, larger);
    }
    (number, suffix)
}

/// Returns a number of billionths as a smaller number with a decimal suffix.
fn decimal(mut number: i128) -> (i128, &'static str) {
    if number == 0 {
        return (0, "");
    }
    let mut suffix = DECIMAL_SUFFIXES[0].0;
    for (larger, _) in &DECIMAL_SUFFIXES[1..] {
        if number % 1000 != 0 {
            break;
        }
        (number, suffix) = (number / 1000, larger);
    }
    (number, suffix)
}

/// Returns the power of ten of a decimal suffix.
fn power(suffix: &str) -> i32 {
    DECIMAL_SUFFIXES.iter().find(|(known, _)| *known == suffix).map_or(0, |(_, power)| *power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_written_in_canonical_form() {
        for (text, canonical) in [
            ("0", "0"),
            ("1", "1"),
            ("1000", "1k"),
            ("1500m", "1500m"),
            ("0.5", "500m"),
            (".5", "500m"),
            ("1.", "1"),
            ("1e3", "1e3"),
            ("1E3", "1e3"),
            ("1e-3", "1e-3"),
            ("5e0", "5"),
            ("1E", "1E"),
            ("1024Ki", "1Mi"),
            ("1536Mi", "1536Mi"),
            ("0.5Gi", "512Mi"),
            ("1.1Gi", "1181116006400m"),
            ("1Ki", "1Ki"),
            ("1023", "1023"),
            ("0.1n", "1n"),
            ("-5Mi", "-5Mi"),
            ("+5", "5"),
            ("99999999999999999999G", "9223372036854775807"),
            ("9223372036854775807", "9223372036854775807"),
            ("0.000000000000000000000000000001", "1n"),
        ] {
            let quantity: Quantity = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(quantity.to_string(), canonical, "{text}");
        }
    }
}
