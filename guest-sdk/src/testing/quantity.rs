//! Parses quantities in Kubernetes' notation, as far as tests need it: whole numbers with a suffix.

/// Parses a quantity into the resource's unit: millicores for `cpu`, base units for all others. A value above
/// `i64::MAX` becomes `i64::MAX`, as in the host.
///
/// # Panics
/// Panics if the text isn't a whole number with a suffix that Kubernetes knows, or is finer than the unit.
pub(super) fn parse(resource: &str, text: &str) -> i64 {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number: i64 = digits.parse().unwrap_or_else(|_| panic!("quantity {text:?} of {resource}: no whole number"));
    let milli = match (text.get(digits.len()..).unwrap_or_default(), resource) {
        ("m", "cpu") => return number,
        (suffix, _) => multiplier(suffix).unwrap_or_else(|| panic!("quantity {text:?} of {resource}: unknown suffix")),
    };
    number.saturating_mul(milli).saturating_mul(if resource == "cpu" { 1000 } else { 1 })
}

fn multiplier(suffix: &str) -> Option<i64> {
    Some(match suffix {
        "" => 1,
        "k" => 1000,
        "M" => 1000_i64.pow(2),
        "G" => 1000_i64.pow(3),
        "T" => 1000_i64.pow(4),
        "P" => 1000_i64.pow(5),
        "E" => 1000_i64.pow(6),
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        "Ti" => 1 << 40,
        "Pi" => 1 << 50,
        "Ei" => 1 << 60,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn quantities_are_in_the_unit_of_the_resource() {
        for (resource, text, value) in [
            ("cpu", "500m", 500),
            ("cpu", "2", 2000),
            ("memory", "1Gi", 1 << 30),
            ("memory", "5M", 5_000_000),
            ("nvidia.com/gpu", "8", 8),
        ] {
            assert_eq!(parse(resource, text), value, "{resource} {text}");
        }
    }
}
