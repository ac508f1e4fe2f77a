//! The index of the groups: PodGroups, their members, and the allocatable and requested resources of the nodes.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::prelude::*;

use crate::pod_group::PodGroup;
use crate::{Args, GroupName};

/// A group's namespace and name: `namespace/name`.
pub(crate) type Key = String;

/// Returns the key of a pod's group; `None` if the pod has no group. An empty label names no group.
pub(crate) fn key(namespace: &str, group: &GroupName) -> Option<Key> {
    group.get().filter(|name| !name.is_empty()).map(|name| format!("{namespace}/{name}"))
}

/// The PodGroups, their members and the nodes.
#[derive(Default)]
pub struct Groups {
    pod_groups: BTreeMap<Key, Known>,
    members: BTreeMap<Key, Members>,
    /// The group of each member, by pod id. Pending pods share their ids with pods on nodes.
    group_of: BTreeMap<pod::Id, Key>,
    nodes: BTreeMap<node::Id, Node>,
    /// The end of each group's back-off, in milliseconds since 1970. The state of a group is lost when the component is
    /// replaced, as the original loses it when the scheduler restarts.
    backoffs: RefCell<BTreeMap<Key, i64>>,
    /// The groups that were incomplete when pre-enqueue looked at one of their pods last.
    incomplete: RefCell<BTreeSet<Key>>,
}

/// A PodGroup and its uid.
struct Known {
    /// The host may report the deletion of a PodGroup after the creation of another one with the same name.
    uid: String,
    /// An error if the PodGroup can't be read, for the message of its pods.
    pod_group: Result<PodGroup, String>,
}

/// The members of a group. Pods that wait in permit are among the pods on nodes, because the host adds a pod to its node
/// when the node is chosen.
#[derive(Debug, Default)]
pub(crate) struct Members {
    /// The pods that have a node.
    pub with_node: BTreeMap<pod::Id, MemberWithNode>,
    /// The pods that have no node.
    pub pending: BTreeMap<pod::Id, PendingMember>,
}

/// A member that has a node.
#[derive(Debug)]
pub(crate) struct MemberWithNode {
    pub uid: String,
    pub node: node::Id,
    pub requests: Resources,
}

/// A member that has no node.
#[derive(Debug)]
pub(crate) struct PendingMember {
    pub uid: String,
    /// True if the pod has scheduling gates.
    pub gated: bool,
}

/// The resources of a node.
#[derive(Debug)]
pub(crate) struct Node {
    pub allocatable: Resources,
    pub usage: node::Usage,
}

impl Members {
    /// Returns the number of members.
    pub fn len(&self) -> i64 {
        (self.with_node.len() + self.pending.len()) as i64
    }

    /// Returns the number of members with scheduling gates.
    pub fn gated(&self) -> i64 {
        self.pending.values().filter(|pod| pod.gated).count() as i64
    }

    /// Returns the uids of the members that have a node, without the pod with this uid, sorted.
    pub fn others_with_node(&self, uid: &str) -> Vec<String> {
        sorted(self.with_node.values().map(|pod| &pod.uid).filter(|other| *other != uid))
    }

    /// Returns the uids of the pending members, without the pod with this uid, sorted.
    pub fn others_pending(&self, uid: &str) -> Vec<String> {
        sorted(self.pending.values().map(|pod| &pod.uid).filter(|other| *other != uid))
    }

    fn is_empty(&self) -> bool {
        self.with_node.is_empty() && self.pending.is_empty()
    }
}

fn sorted<'a>(uids: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut uids: Vec<String> = uids.cloned().collect();
    uids.sort_unstable();
    uids
}

/// The members of a group without members.
static NO_MEMBERS: Members = Members { with_node: BTreeMap::new(), pending: BTreeMap::new() };

impl Groups {
    /// Returns the PodGroup; `None` if it does not exist or can't be read.
    pub(crate) fn pod_group(&self, key: &str) -> Option<&PodGroup> {
        self.pod_groups.get(key)?.pod_group.as_ref().ok()
    }

    /// Returns why the PodGroup can't be read; `None` if it does not exist or can be read.
    pub(crate) fn problem(&self, key: &str) -> Option<&str> {
        self.pod_groups.get(key)?.pod_group.as_ref().err().map(String::as_str)
    }

    /// Returns the members of a group.
    pub(crate) fn members(&self, key: &str) -> &Members {
        self.members.get(key).unwrap_or(&NO_MEMBERS)
    }

    /// Returns the nodes.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (node::Id, &Node)> {
        self.nodes.iter().map(|(id, node)| (*id, node))
    }

    /// Returns true if the back-off of the group has not ended at this time.
    pub(crate) fn is_backed_off(&self, key: &str, Time(now): Time) -> bool {
        self.backoffs.borrow().get(key).is_some_and(|end| now < *end)
    }

    /// Begins a back-off of this many milliseconds, unless an earlier one has not ended.
    pub(crate) fn back_off(&self, key: &str, Time(now): Time, millis: i64) {
        let mut backoffs = self.backoffs.borrow_mut();
        backoffs.retain(|_, end| now < *end);
        backoffs.entry(key.to_owned()).or_insert(now + millis);
    }

    /// Records whether the group is incomplete. A new record drops those of groups without pods.
    pub(crate) fn set_incomplete(&self, key: &Key, incomplete: bool) {
        let mut groups = self.incomplete.borrow_mut();
        if !incomplete {
            groups.remove(key);
        } else if !groups.contains(key) {
            groups.retain(|other| self.members.contains_key(other));
            groups.insert(key.clone());
        }
    }

    /// Returns true if the group was incomplete when pre-enqueue looked at one of its pods last.
    pub(crate) fn was_incomplete(&self, key: &str) -> bool {
        self.incomplete.borrow().contains(key)
    }

    fn forget(&mut self, pod: pod::Id) {
        let Some(key) = self.group_of.remove(&pod) else { return };
        let Some(members) = self.members.get_mut(&key) else { return };
        members.with_node.remove(&pod);
        members.pending.remove(&pod);
        if members.is_empty() {
            self.members.remove(&key);
        }
    }

    /// Returns the members of the pod's group, to add the pod; `None` if the pod has no group.
    fn members_of(&mut self, pod: pod::Id, namespace: &str, group: &GroupName) -> Option<&mut Members> {
        self.forget(pod);
        let key = key(namespace, group)?;
        self.group_of.insert(pod, key.clone());
        Some(self.members.entry(key).or_default())
    }
}

impl Index<Args> for Groups {
    type Nodes = (node::Allocatable, node::Usage);
    type Pods = (pod::Namespace, GroupName, pod::Uid, pod::Requests);
    type PendingPods = (pod::Namespace, GroupName, pod::Uid, pod::SchedulingGates);

    fn new(_: &Args) -> Groups {
        Groups::default()
    }

    fn node_set(&mut self, node: node::Id, (allocatable, usage): (&node::Allocatable, &node::Usage)) {
        self.nodes.insert(node, Node { allocatable: allocatable.0.clone(), usage: usage.clone() });
    }

    fn node_removed(&mut self, node: node::Id) {
        self.nodes.remove(&node);
    }

    fn pod_set(
        &mut self,
        pod: pod::Id,
        node: node::Id,
        (namespace, group, uid, requests): (&pod::Namespace, &GroupName, &pod::Uid, &pod::Requests),
    ) {
        if let Some(members) = self.members_of(pod, namespace, group) {
            let member = MemberWithNode { uid: uid.to_string(), node, requests: requests.effective.clone() };
            members.with_node.insert(pod, member);
        }
    }

    fn pod_removed(&mut self, pod: pod::Id) {
        self.forget(pod);
    }

    fn pending_pod_set(
        &mut self,
        pod: pod::Id,
        (namespace, group, uid, gates): (&pod::Namespace, &GroupName, &pod::Uid, &pod::SchedulingGates),
    ) {
        if let Some(members) = self.members_of(pod, namespace, group) {
            members.pending.insert(pod, PendingMember { uid: uid.to_string(), gated: !gates.is_empty() });
        }
    }

    fn pending_pod_removed(&mut self, pod: pod::Id) {
        self.forget(pod);
    }

    fn kinds(_: &Args) -> Vec<Kind> {
        vec![PodGroup::kind()]
    }

    fn object_set(&mut self, object: &Object<'_>) {
        let known = Known { uid: object.uid.to_owned(), pod_group: PodGroup::read(object) };
        self.pod_groups.insert(format!("{}/{}", object.namespace, object.name), known);
    }

    fn object_removed(&mut self, object: &Object<'_>) {
        let key = format!("{}/{}", object.namespace, object.name);
        if self.pod_groups.get(&key).is_some_and(|known| known.uid == object.uid) {
            self.pod_groups.remove(&key);
            self.backoffs.get_mut().remove(&key);
        }
    }
}
