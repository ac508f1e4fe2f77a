//! The control plane of the end-to-end tests: its API server authorizes with RBAC, and knows users beside the
//! administrator.

use anyhow::Result;
use berth_test_kit::ControlPlane;
use berth_test_kit::control_plane::{Authorization, Options};

use crate::authority::Authority;

/// The token of the user `system:kube-scheduler`.
pub const SCHEDULER_TOKEN: &str = "scheduler-token";

/// Starts a control plane. Client certificates are beside its kubeconfig (see [`crate::authority`]): of `root`, a
/// member of system:masters, and of `jane`, who has no permissions.
///
/// # Errors
/// As [`ControlPlane::start`].
pub async fn start_control_plane() -> Result<ControlPlane> {
    let authority = Authority::new()?;
    let options = Options {
        authorization: Authorization::Rbac,
        // No controllers run here: nothing creates service accounts, and nothing removes the not-ready taint from
        // new nodes.
        disabled_admission_plugins: vec!["ServiceAccount", "TaintNodesByCondition"],
        tokens: vec![(SCHEDULER_TOKEN, "system:kube-scheduler")],
        client_authority: Some(authority.pem()),
        flags: Vec::new(),
    };
    let plane = ControlPlane::start(&options).await?;
    authority.issue(plane.folder(), "root", "system:masters")?;
    authority.issue(plane.folder(), "jane", "nobodies")?;
    Ok(plane)
}
