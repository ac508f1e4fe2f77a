//! NodeDeclaredFeatures: allows only nodes that declare the features a pod needs.
//!
//! Reads `status.declaredFeatures` of the node, and the pod's fields that need a feature which not all kubelets
//! have: actions of container restart rules, `spec.hostNetwork` and `spec.hostUsers`. As in kube-scheduler v1.36.

use berth_guest::prelude::*;

/// The features that the pod needs. Computed once for each pod signature.
pub struct Needed(Vec<&'static str>);

const RESTART_ALL_CONTAINERS: &str = "RestartAllContainersOnContainerExits";
const USER_NAMESPACES_HOST_NETWORK: &str = "UserNamespacesHostNetworkSupport";

fn prepare(actions: &pod::RestartActions, host_network: &pod::HostNetwork, users: &pod::UserNamespace) -> Needed {
    let restarts_all = actions.iter().any(|action| action == "RestartAllContainers");
    let needs = [(RESTART_ALL_CONTAINERS, restarts_all), (USER_NAMESPACES_HOST_NETWORK, host_network.0 && users.0)];
    Needed(needs.into_iter().filter(|(_, needed)| *needed).map(|(feature, _)| feature).collect())
}

fn pre_filter(needed: &Needed) -> PreFilter {
    if needed.0.is_empty() { PreFilter::Skip } else { PreFilter::All }
}

fn filter(needed: &Needed, declared: &node::DeclaredFeatures) -> Verdict {
    if needed.0.iter().all(|feature| declared.iter().any(|declared| declared == feature)) {
        Verdict::FITS
    } else {
        Verdict::unresolvable("node(s) didn't match Pod's required features")
    }
}

berth_guest::plugin!(
    name: "NodeDeclaredFeatures", prepare: prepare => Needed, pre_filter: pre_filter, filter: filter,
);

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, PodBuilder, node, pod};

    use super::*;

    fn needing(actions: &[&str], host_network: bool, user_namespace: bool) -> PodBuilder {
        let mut pod = pod();
        pod.0.restart_actions = actions.iter().map(|action| (*action).to_owned()).collect();
        (pod.0.host_network, pod.0.user_namespace) = (host_network, user_namespace);
        pod
    }

    #[test]
    fn the_node_must_declare_the_pods_features() {
        let mut host = Host::<Plugin>::new();
        for (name, features) in [
            ("none", &[][..]),
            ("restarts", &["Other", RESTART_ALL_CONTAINERS]),
            ("users", &[USER_NAMESPACES_HOST_NETWORK]),
            ("both", &[RESTART_ALL_CONTAINERS, USER_NAMESPACES_HOST_NETWORK]),
        ] {
            host.node(features.iter().fold(node(name), |node, feature| node.declared_feature(feature)));
        }
        let all = &["none", "restarts", "users", "both"][..];
        for (pod, fits) in [
            (needing(&[], false, false), all),
            (needing(&["Restart"], true, false), all),
            (needing(&["Restart"], false, true), all),
            (needing(&["Restart", "RestartAllContainers"], false, false), &["restarts", "both"]),
            (needing(&[], true, true), &["users", "both"]),
            (needing(&["RestartAllContainers"], true, true), &["both"]),
        ] {
            assert_eq!(host.fits(&pod), fits, "{:?}", pod.0);
        }
        let verdict = host.verdict(&needing(&[], true, true), "none").unwrap();
        assert_eq!(verdict.code, berth_guest::types::Code::UnschedulableAndUnresolvable);
        assert_eq!(verdict.reasons, ["node(s) didn't match Pod's required features"]);
    }
}
