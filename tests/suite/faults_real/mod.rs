//! Faults of a control plane, of schedulers and of plugins. Most tests check what proxies in front of the API server
//! have recorded.

pub mod api_server;
mod candidates;
pub mod control_plane;
pub mod exchange;
pub mod half_open;
pub mod leader;
pub mod paused;
pub mod watches;

/// Flags for leader election with a Lease of 2 s.
const ELECTION: [&str; 3] =
    ["--leader-elect-lease-duration=2s", "--leader-elect-renew-deadline=1500ms", "--leader-elect-retry-period=250ms"];

/// Returns how often faults that depend on timing are repeated: `FAULT_ROUNDS`, or 5 if unset.
fn rounds() -> anyhow::Result<usize> {
    use anyhow::Context;
    match std::env::var("FAULT_ROUNDS") {
        Ok(text) => text.parse().with_context(|| format!("FAULT_ROUNDS is {text:?}, which is not a number")),
        Err(_) => Ok(5),
    }
}
