//! gang: starts the pods of a group together. Each pod waits in permit, with its node reserved, until the number of the
//! group's pods that have a node is the group's size. A pod that waits longer than the timeout is rejected.
//!
//! A pod names its group in the annotation `gang.example.com/name` and the group's size in `gang.example.com/size`.
//! The annotation `gang.example.com/timeout-seconds` sets the maximum wait for the other pods, in seconds (default 60).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use berth_guest::index::Index;
use berth_guest::lifecycle::{Permission, Reserved};
use berth_guest::plugin::NoArgs;
use berth_guest::prelude::*;

const NAME: &str = "gang.example.com/name";
const SIZE: &str = "gang.example.com/size";
const TIMEOUT: &str = "gang.example.com/timeout-seconds";

berth_guest::pod_annotation! {
    /// The name of the pod's group.
    pub GangName = NAME
}
berth_guest::pod_annotation! {
    /// The number of pods of the group.
    pub GangSize = SIZE
}
berth_guest::pod_annotation! {
    /// The maximum wait for the other pods, in seconds.
    pub Timeout = TIMEOUT
}

/// A group's namespace and name.
type Gang = (String, String);

/// The pods that belong to a group and have a node. Pods that wait for permission are included, because the host adds a
/// pod to its node when the node is chosen.
#[derive(Default)]
pub struct Gangs {
    /// The group and the uid of each pod, by pod id.
    pods: BTreeMap<pod::Id, (Gang, String)>,
    /// The uids of the pods of each group.
    uids: BTreeMap<Gang, BTreeSet<String>>,
}

impl Index for Gangs {
    type Nodes = ();
    type Pods = (pod::Namespace, GangName, pod::Uid);
    type PendingPods = ();

    fn new(_: &NoArgs) -> Gangs {
        Gangs::default()
    }

    fn pod_set(&mut self, pod: pod::Id, _: node::Id, (namespace, name, uid): (&pod::Namespace, &GangName, &pod::Uid)) {
        self.pod_removed(pod);
        if let Some(name) = name.get() {
            let gang = (namespace.to_string(), name.to_owned());
            self.uids.entry(gang.clone()).or_default().insert(uid.to_string());
            self.pods.insert(pod, (gang, uid.to_string()));
        }
    }

    fn pod_removed(&mut self, pod: pod::Id) {
        let Some((gang, uid)) = self.pods.remove(&pod) else { return };
        if let Some(uids) = self.uids.get_mut(&gang) {
            uids.remove(&uid);
            if uids.is_empty() {
                self.uids.remove(&gang);
            }
        }
    }
}

/// Returns the number in an annotation. `key` is the annotation's key, for the error.
fn number(key: &str, text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("annotation {key} is {text:?}; it must be a whole number"))
}

/// Takes the pod's identity, not the facts of its name and uid: all pods of a group share a pod signature.
fn permit(
    _: &Reserved,
    pod: &pod::Identity,
    name: &GangName,
    size: &GangSize,
    timeout: &Timeout,
    gangs: &Gangs,
) -> Result<Permission, String> {
    let Some(name) = name.get() else { return Ok(Permission::APPROVE) };
    let size = number(SIZE, size.get().unwrap_or_default())? as usize;
    let timeout = Duration::from_secs(number(TIMEOUT, timeout.get().unwrap_or("60"))?.into());
    let all = gangs.uids.get(&(pod.namespace.clone(), name.to_owned()));
    let others: Vec<String> = all.into_iter().flatten().filter(|other| **other != pod.uid).cloned().collect();
    if others.len() + 1 < size {
        return Ok(Permission::wait(timeout));
    }
    Ok(Permission::APPROVE.approving(others))
}

berth_guest::plugin!(name: "gang", index: Gangs, permit: permit);

#[cfg(test)]
mod tests {
    use berth_guest::lifecycle::Decision;
    use berth_guest::testing::{Host, PodBuilder, node, pod};

    use super::*;

    fn member(uid: &str) -> PodBuilder {
        pod().uid(uid).annotation(NAME, "training").annotation(SIZE, "3")
    }

    #[test]
    fn the_last_member_approves_all_members() {
        let mut host = Host::<Plugin>::new();
        host.node(node("a"));
        for (uid, seconds) in [("one", 5), ("two", 7)] {
            let member = member(uid).annotation(TIMEOUT, &seconds.to_string());
            host.resident(&member, "a");
            assert_eq!(host.permit(&member, "a", b""), Permission::wait(Duration::from_secs(seconds)), "{uid}");
        }
        host.resident(&member("three"), "a");
        let all = Permission::APPROVE.approving(["one", "two"]);
        assert_eq!(host.permit(&member("three"), "a", b""), all);
    }

    #[test]
    fn the_members_of_a_group_share_a_pod_signature() {
        let host = Host::<Plugin>::new();
        let reads = &host.declaration().pod;
        assert!(reads.facts.is_empty(), "{reads:?}");
        assert_eq!(reads.annotation_keys, [NAME, SIZE, TIMEOUT]);
    }

    #[test]
    fn a_deleted_member_does_not_count() {
        let mut host = Host::<Plugin>::new();
        host.node(node("a"));
        let two = ["one", "two"].map(|uid| host.resident(&member(uid), "a"));
        host.remove_resident(two[0]);
        let decision = host.permit(&member("three"), "a", b"").decision;
        assert_eq!(decision, Decision::Wait(Duration::from_secs(60)));
    }

    #[test]
    fn groups_differ_by_name_and_namespace() {
        let mut host = Host::<Plugin>::new();
        host.node(node("a"));
        host.resident(&member("one").namespace("other"), "a");
        host.resident(&pod().uid("two").annotation(NAME, "serving"), "a");
        assert!(matches!(host.permit(&member("three"), "a", b"").decision, Decision::Wait(_)));
        assert_eq!(host.permit(&pod(), "a", b""), Permission::APPROVE);
    }

    #[test]
    fn an_invalid_size_is_refused() {
        let mut host = Host::<Plugin>::new();
        host.node(node("a"));
        let denied = host.permit(&pod().annotation(NAME, "training").annotation(SIZE, "many"), "a", b"");
        assert_eq!(
            denied,
            Permission::deny("annotation gang.example.com/size is \"many\"; it must be a whole number".to_owned())
        );
    }
}
