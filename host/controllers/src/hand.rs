//! The cluster's other hands: which controllers there are, and how a look at one object is asked of them.

use jiff::Timestamp;

use super::cluster::Cluster;
use super::kinds::Kind;
use super::kubelet::Kubelet;
use super::metadata::Key;
use super::write::Plan;
use super::{
    collector, daemonset, deployment, disruption, job, namespace, node_lifecycle, pod_claims, replicas, resource_claim,
    statefulset, volumes,
};

/// A controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hand {
    /// Runs, ends and removes one pod, or collects it when its node is gone.
    Kubelet,
    /// Keeps one node's Ready condition and taints.
    NodeLifecycle,
    /// Keeps one namespace's account, or empties it.
    Namespace,
    /// Keeps one ReplicaSet's or ReplicationController's pods.
    Replicas(Kind),
    /// Keeps one Deployment's ReplicaSets.
    Deployment,
    /// Keeps one StatefulSet's pods and claims.
    StatefulSet,
    /// Keeps one DaemonSet's pods.
    DaemonSet,
    /// Runs and counts one Job's pods.
    Job,
    /// Lets go one pod that was kept for a Job that is no more.
    JobOrphan,
    /// Makes the claims that one pod brings along.
    PodClaims,
    /// Frees one ResourceClaim from consumers that ended.
    ResourceClaim,
    /// Brings one PersistentVolumeClaim to its volume.
    VolumeClaim,
    /// Keeps one PersistentVolume's phase.
    Volume,
    /// Keeps one PodDisruptionBudget's status.
    Disruption,
    /// Collects one object of this kind, or lets it go.
    Collector(Kind),
}

/// A look at one object by one controller.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Task {
    /// The controller.
    pub hand: Hand,
    /// The object.
    pub key: Key,
}

/// Which tasks go before which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Tasks that look at many objects: few, paused after each run, and first.
    Workload,
    /// Tasks for one object: many.
    Single,
}

impl Hand {
    /// The lane of this controller's tasks.
    pub fn lane(self) -> Lane {
        match self {
            Hand::Replicas(_)
            | Hand::Deployment
            | Hand::StatefulSet
            | Hand::DaemonSet
            | Hand::Job
            | Hand::Disruption => Lane::Workload,
            _ => Lane::Single,
        }
    }

    /// The task of this controller for this object.
    pub fn task(self, key: Key) -> Task {
        Task { hand: self, key }
    }
}

/// Decides what a task leads to. It reads the cluster and the clock, and changes nothing.
pub fn plan(task: &Task, cluster: &Cluster, kubelet: &Kubelet, now: Timestamp) -> Plan {
    let key = &task.key;
    match task.hand {
        Hand::Kubelet => kubelet.plan(cluster, key, now),
        Hand::NodeLifecycle => node_lifecycle::plan(cluster, key, now),
        Hand::Namespace => namespace::plan(cluster, key),
        Hand::Replicas(kind) => replicas::plan(cluster, kind, key, now),
        Hand::Deployment => deployment::plan(cluster, key, now),
        Hand::StatefulSet => statefulset::plan(cluster, key, now),
        Hand::DaemonSet => daemonset::plan(cluster, key, now),
        Hand::Job => job::plan(cluster, key, now),
        Hand::JobOrphan => job::release_orphan(cluster, key),
        Hand::PodClaims => pod_claims::plan(cluster, key),
        Hand::ResourceClaim => resource_claim::plan(cluster, key),
        Hand::VolumeClaim => volumes::claim::plan(cluster, key),
        Hand::Volume => volumes::volume::plan(cluster, key),
        Hand::Disruption => disruption::plan(cluster, key, now),
        Hand::Collector(kind) => collector::plan(cluster, kind, key),
    }
}
