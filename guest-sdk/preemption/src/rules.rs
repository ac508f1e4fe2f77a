//! The decisions in which preemption plugins differ.

use berth_guest::types::Status;
use berth_guest::{node, pod};

/// The decisions in which preemption plugins differ, for one pod that no node fits: the preemptor.
pub trait Rules {
    /// What the plugin itself counts while pods of a node are removed and restored hypothetically: `()` for nothing.
    type Account;

    /// Returns true if the preemptor has to wait for a pod that is being deleted on its nominated node, instead of
    /// preempting more pods.
    fn awaits_victims(&self, nominated: node::Id) -> bool;

    /// Returns the pods on the node that may be evicted.
    fn potential_victims(&self, node: node::Id) -> Vec<pod::Id>;

    /// Returns the reason against a node without potential victims.
    fn no_victims(&self, node: node::Id) -> String;

    /// Returns the account of a node from which no pod is removed.
    fn account(&self) -> Self::Account;

    /// Removes a pod from the account.
    fn remove(&self, _account: &mut Self::Account, _pod: pod::Id) {}

    /// Restores a removed pod.
    fn restore(&self, _account: &mut Self::Account, _pod: pod::Id) {}

    /// Returns why the plugin itself rejects the preemptor on a node without all potential victims. `None` if the
    /// plugin accepts the preemptor. The function is only called if the filters of the other plugins pass.
    fn rejects(&self, _account: &Self::Account) -> Option<Status> {
        None
    }

    /// Returns true if the plugin itself can't keep the pod that was restored last. The function is only called if the
    /// filters of the other plugins pass.
    fn must_evict(&self, _account: &Self::Account) -> bool {
        false
    }

    /// Returns the index of the node that is examined first, modulo the number of nodes on which preemption may help.
    fn offset(&self) -> u64 {
        0
    }

    /// Returns the number of candidates at which the search stops, if preemption may help on `nodes` nodes.
    fn enough(&self, nodes: usize) -> usize {
        nodes
    }
}
