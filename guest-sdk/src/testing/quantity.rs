//! Parses quantities into the units of the contract.

use berth_quantity::Quantity;

use crate::types::{Resources, Scalar};

/// Parses a quantity into the resource's unit: millicores for `cpu`, base units (such as bytes) for all other
/// resources. As in Berth, the amount is rounded away from zero and limited to the range of `i64`.
///
/// # Panics
/// Panics if `text` is not a quantity.
pub(super) fn parse(resource: &str, text: &str) -> i64 {
    let quantity: Quantity = text.parse().unwrap_or_else(|error| panic!("resource {resource}: {error}"));
    if resource == "cpu" { quantity.milli() } else { quantity.value() }
}

/// Sets the quantity of a resource. For the resource `pods`, the quantity is a number of pods.
///
/// # Panics
/// Panics if `text` is not a quantity.
pub(super) fn set(resources: &mut Resources, resource: &str, text: &str) {
    let quantity = parse(resource, text);
    match resource {
        "cpu" => resources.milli_cpu = quantity,
        "memory" => resources.memory = quantity,
        "ephemeral-storage" => resources.ephemeral_storage = quantity,
        "pods" => resources.pods = quantity,
        _ => resources.scalars.push(Scalar { name: resource.into(), quantity }),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn quantities_are_in_the_unit_of_the_resource() {
        for (resource, text, value) in [
            ("cpu", "500m", 500),
            ("cpu", "2", 2000),
            ("cpu", "0.5", 500),
            ("memory", "1Gi", 1 << 30),
            ("memory", "5M", 5_000_000),
            ("memory", "1.5", 2),
            ("nvidia.com/gpu", "8", 8),
        ] {
            assert_eq!(parse(resource, text), value, "{resource} {text}");
        }
    }
}
