//! Single amounts of the model's resources.

use berth_core::model::Resources;
use berth_quantity::Quantity;

/// Returns the resources by name. The model does not distinguish a native resource of 0 from an absent one, so such a
/// resource is left out.
pub fn amounts(resources: &Resources) -> impl Iterator<Item = (&str, Quantity)> {
    let native = [
        ("cpu", resources.milli_cpu),
        ("memory", resources.memory),
        ("ephemeral-storage", resources.ephemeral_storage),
        ("pods", resources.pods),
    ];
    let native = native.into_iter().filter(|(_, amount)| *amount != 0);
    let scalars = resources.scalars.iter().map(|(name, amount)| (&**name, *amount));
    native.chain(scalars).map(|(name, amount)| (name, quantity(name, amount)))
}

/// Returns the amount of a resource in its unit: millicores of cpu, and units of other resources. `None` for an absent
/// resource, and for a native resource of 0.
pub fn amount(resources: &Resources, name: &str) -> Option<i64> {
    let native = |amount: i64| (amount != 0).then_some(amount);
    match name {
        "cpu" => native(resources.milli_cpu),
        "memory" => native(resources.memory),
        "ephemeral-storage" => native(resources.ephemeral_storage),
        "pods" => native(resources.pods),
        _ => resources.scalars.iter().find(|(other, _)| **other == *name).map(|(_, amount)| *amount),
    }
}

/// Returns the quantity of an amount in the unit of the resource.
pub fn quantity(name: &str, amount: i64) -> Quantity {
    match name {
        "cpu" => Quantity::from_milli(amount),
        _ => Quantity::from_value(amount),
    }
}

/// Returns the fifths of the resource's unit, from 0 to 4. A user who writes `0.1Gi` gets such fractions of a byte.
pub fn fractions(name: &str) -> impl Iterator<Item = Quantity> {
    // Only native resources in bytes have fractions: an API server rounds cpu up to millicores, and refuses fractions
    // of other resources.
    let count = if matches!(name, "memory" | "ephemeral-storage") { 5 } else { 1 };
    (0..count).map(|fifths| Quantity::from_milli(fifths * 200))
}
