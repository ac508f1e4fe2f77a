//! The name of this machine.

/// Returns the host name in lower case. In a pod, it is the pod's name.
#[must_use]
pub fn name() -> String {
    match hostname::get().ok().and_then(|name| name.into_string().ok()) {
        Some(name) if !name.is_empty() => name.to_lowercase(),
        _ => "unknown".to_owned(),
    }
}
