//! This machine's name.

/// The host's name; in a pod that is the pod's name.
#[must_use]
pub fn name() -> String {
    match hostname::get().ok().and_then(|name| name.into_string().ok()) {
        Some(name) if !name.is_empty() => name.to_lowercase(),
        _ => "unknown".to_owned(),
    }
}
