//! Consumable capacity: computes the amount that a request consumes of a device's capacity, and checks that the device
//! has this amount left.

use berth_guest_devices::Quantity;

use crate::api::{Ask, Capacity, RequestPolicy};
use crate::devices::{Amounts, Device};

/// Returns true if the device has enough capacity for the request beside `consumed` (by allocated claims) and
/// `consuming` (by this attempt). Returns false if the request names a capacity that the device does not have, or if
/// the policy of a capacity does not allow the amount.
pub fn suffices(device: &Device, ask: &Ask, consumed: Option<&Amounts>, consuming: Option<&Amounts>) -> bool {
    let capacities = &device.spec.capacity;
    let requested = &ask.capacity.requests;
    let of = |amounts: Option<&Amounts>, name: &str| {
        amounts.and_then(|amounts| amounts.get(name)).copied().unwrap_or_default()
    };
    requested.keys().all(|name| capacities.contains_key(name))
        && capacities.iter().all(|(name, capacity)| {
            let amount = taken(requested.get(name).copied(), capacity);
            let allowed = capacity.request_policy.as_ref().is_none_or(|policy| allows(policy, amount));
            allowed && amount.plus(of(consumed, name)).plus(of(consuming, name)) <= capacity.value
        })
}

/// Returns the amounts that the request consumes, for each capacity of the device.
pub fn consumed(device: &Device, ask: &Ask) -> Amounts {
    let requested = &ask.capacity.requests;
    let capacities = device.spec.capacity.iter();
    capacities.map(|(name, capacity)| (name.clone(), taken(requested.get(name).copied(), capacity))).collect()
}

/// Returns the amount that a request consumes: the requested amount, rounded up to the policy's minimum, step or next
/// valid value. The result can be more than the policy allows. Without a requested amount, returns the policy's default
/// or the whole capacity.
fn taken(requested: Option<Quantity>, capacity: &Capacity) -> Quantity {
    let Some(requested) = requested else {
        return capacity.request_policy.as_ref().and_then(|policy| policy.default).unwrap_or(capacity.value);
    };
    let Some(policy) = &capacity.request_policy else { return requested };
    match &policy.valid_range {
        Some(range) if range.min.is_some() => {
            let minimum = range.min.unwrap_or_default();
            match range.step.map(Quantity::value) {
                _ if requested < minimum => minimum,
                Some(step) if step > 0 => {
                    let over = requested.value().saturating_sub(minimum.value());
                    let steps = over / step + i64::from(over % step != 0);
                    Quantity::from_binary(minimum.value().saturating_add(steps.saturating_mul(step)))
                }
                _ => requested,
            }
        }
        _ => policy.valid_values.iter().copied().find(|valid| requested <= *valid).unwrap_or(requested),
    }
}

fn allows(policy: &RequestPolicy, amount: Quantity) -> bool {
    if policy.default == Some(amount) {
        return true;
    }
    let Some(range) = &policy.valid_range else {
        return policy.valid_values.is_empty() || policy.valid_values.contains(&amount);
    };
    let minimum = range.min.unwrap_or_default().value();
    let on_step = |step: i64| step <= 0 || amount.value().saturating_sub(minimum) % step == 0;
    range.max.is_none_or(|most| amount <= most) && range.step.is_none_or(|step| on_step(step.value()))
}
