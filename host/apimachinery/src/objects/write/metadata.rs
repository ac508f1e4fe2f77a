//! Writes `metadata`, taints' effects and times.

use berth_core::model::{Effect, Owner};

use super::fields::Fields;

/// Returns the name, the namespace and the uid of an object as `metadata`.
pub(super) fn metadata(namespace: &str, name: &str, uid: &str) -> Fields {
    Fields::default().text("name", name).text("namespace", namespace).text("uid", uid)
}

/// Returns an owner reference.
pub(super) fn owner(owner: &Owner) -> Fields {
    Fields::default()
        .text("apiVersion", &owner.api_version)
        .text("kind", &owner.kind)
        .text("name", &owner.name)
        .text("uid", &owner.uid)
        .flag("controller", owner.controller)
}

/// Returns a time in seconds since 1970 in RFC 3339; `None` for 0 and for a time outside of the years -9999 to 9999.
pub(super) fn time(seconds: i64) -> Option<String> {
    let time = jiff::Timestamp::from_second(seconds).ok().filter(|_| seconds != 0)?;
    Some(time.to_string())
}

/// Returns the name of a taint's effect.
pub(super) fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::NoSchedule => "NoSchedule",
        Effect::PreferNoSchedule => "PreferNoSchedule",
        Effect::NoExecute => "NoExecute",
    }
}
