//! Suggests to free host ports.

use std::sync::Arc;

use berth_core::model::Pod;
use serde_json::Value;

use super::change::{Change, ChangeKind, ObjectRef, PatchOperation};
use super::confirm::{Confirmer, then_fit};
use super::suggestion::Suggestion;

const PLUGIN: &str = "NodePorts";

/// The number of other pods whose deletion is tried.
const MOST_PODS: usize = 4;

/// Suggests the removal of a host port, or the deletion of a pod that uses it.
pub(super) fn suggest_ports(confirmer: &mut Confirmer<'_>) -> Vec<Suggestion> {
    let ports = host_ports(&confirmer.object);
    let all: Vec<PatchOperation> = ports.iter().map(|(path, _)| PatchOperation::remove(path.clone())).collect();
    if ports.is_empty() || confirmer.fits(&all).is_none() {
        return Vec::new();
    }
    let mut suggestions = Vec::new();
    for (path, port) in &ports {
        let patch = vec![PatchOperation::remove(path.clone())];
        suggestions.extend(confirmer.confirmed(ChangeKind::RemoveHostPort, PLUGIN, patch, |fit| {
            format!("Remove the host port {port}; {}.", then_fit(fit))
        }));
    }
    suggestions.extend(deletion(confirmer, &ports));
    suggestions
}

/// Returns the pointers of the pod's host ports, with the ports.
fn host_ports(object: &Value) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for list in ["containers", "initContainers"] {
        for (container, value) in object["spec"][list].as_array().into_iter().flatten().enumerate() {
            for (at, port) in value["ports"].as_array().into_iter().flatten().enumerate() {
                if let Some(number) = port["hostPort"].as_u64().filter(|port| *port > 0) {
                    found.push((format!("/spec/{list}/{container}/ports/{at}/hostPort"), number));
                }
            }
        }
    }
    found
}

fn deletion(confirmer: &mut Confirmer<'_>, ports: &[(String, u64)]) -> Option<Suggestion> {
    let uses =
        |pod: &Pod| pod.spec.host_ports.iter().any(|used| ports.iter().any(|(_, port)| *port == u64::from(used.port)));
    let mut users: Vec<Arc<Pod>> =
        confirmer.cache().pods().map(|(_, cached)| &cached.pod).filter(|pod| uses(pod)).cloned().collect();
    users.sort_by(|one, other| (one.spec.priority, &one.key).cmp(&(other.spec.priority, &other.key)));
    users.into_iter().take(MOST_PODS).find_map(|pod| {
        let fit = confirmer.fits_without(&pod)?;
        let change = Change::delete(ObjectRef::pod(&pod.key.namespace, &pod.key.name));
        let text = format!(
            "Delete or move pod {}, which uses the host port on node {}; {}.",
            pod.key,
            pod.node_name,
            then_fit(&fit)
        );
        Some(confirmer.suggestion(change, PLUGIN, text, &fit))
    })
}
