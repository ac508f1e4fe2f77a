//! The list of controllers, and the function that runs one of them for one object.

use jiff::Timestamp;

use super::cluster::Cluster;
use super::kinds::{Kind, Kinds};
use super::kubelet::Kubelet;
use super::metadata::Key;
use super::write::Plan;
use super::{
    collector, cron_job, daemonset, deployment, disruption, job, namespace, node_lifecycle, pod_claims, replicas,
    resource_claim, resource_quota, statefulset, taint_eviction, volumes,
};

/// A controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Controller {
    /// Runs, finishes and removes a pod, or collects the pod when its node is gone.
    Kubelet,
    /// Maintains a node's Ready condition and taints.
    NodeLifecycle,
    /// Deletes a pod that does not tolerate the NoExecute taints of its node.
    TaintEviction,
    /// Creates the default ServiceAccount and `kube-root-ca.crt` of a namespace, or empties a terminating namespace.
    Namespace,
    /// Maintains the pods of a ReplicaSet or ReplicationController.
    Replicas(Kind),
    /// Maintains the ReplicaSets of a Deployment.
    Deployment,
    /// Maintains the pods and volume claims of a StatefulSet.
    StatefulSet,
    /// Maintains the pods of a DaemonSet.
    DaemonSet,
    /// Runs and counts the pods of a Job.
    Job,
    /// Creates the Jobs of a CronJob.
    CronJob,
    /// Removes the tracking finalizer of a pod whose Job is gone.
    JobOrphan,
    /// Creates the resource claims for a pod's claim templates, and the volume claims for its ephemeral volumes.
    PodClaims,
    /// Removes finished and deleted pods from the consumers of a ResourceClaim, and deletes a ResourceClaim generated
    /// for a finished pod.
    ResourceClaim,
    /// Binds a PersistentVolumeClaim to an existing or new volume, and maintains the phase of the claim.
    VolumeClaim,
    /// Maintains the phase of a PersistentVolume, and deletes a released volume with the reclaim policy `Delete`.
    Volume,
    /// Maintains the status of a PodDisruptionBudget.
    Disruption,
    /// Counts the use of a namespace for a ResourceQuota.
    ResourceQuota,
    /// Garbage-collects an object of this kind.
    Collector(Kind),
}

/// A run of one controller for one object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Task {
    /// The controller.
    pub controller: Controller,
    /// The object.
    pub key: Key,
}

/// The priority of a task in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// Tasks that read many objects. These tasks are few, run first, and pause after each run.
    Workload,
    /// Tasks that read few objects. These tasks are many, and have no pause.
    Single,
}

/// The names of the controllers.
pub const NAMES: [&str; 17] = [
    "kubelet",
    "node-lifecycle",
    "taint-eviction",
    "namespace",
    "replicaset",
    "replicationcontroller",
    "deployment",
    "statefulset",
    "daemonset",
    "job",
    "cronjob",
    "pod-claims",
    "resourceclaim",
    "persistentvolume",
    "disruption",
    "resourcequota",
    "garbage-collector",
];

impl Controller {
    /// Returns the name, one of [`NAMES`].
    pub fn name(self) -> &'static str {
        match self {
            Controller::Kubelet => "kubelet",
            Controller::NodeLifecycle => "node-lifecycle",
            Controller::TaintEviction => "taint-eviction",
            Controller::Namespace => "namespace",
            Controller::Replicas(Kind::ReplicationController) => "replicationcontroller",
            Controller::Replicas(_) => "replicaset",
            Controller::Deployment => "deployment",
            Controller::StatefulSet => "statefulset",
            Controller::DaemonSet => "daemonset",
            Controller::Job | Controller::JobOrphan => "job",
            Controller::CronJob => "cronjob",
            Controller::PodClaims => "pod-claims",
            Controller::ResourceClaim => "resourceclaim",
            Controller::VolumeClaim | Controller::Volume => "persistentvolume",
            Controller::Disruption => "disruption",
            Controller::ResourceQuota => "resourcequota",
            Controller::Collector(_) => "garbage-collector",
        }
    }

    /// Returns the priority of this controller's tasks.
    pub fn priority(self) -> Priority {
        match self {
            Controller::Replicas(_)
            | Controller::Deployment
            | Controller::StatefulSet
            | Controller::DaemonSet
            | Controller::Job
            | Controller::CronJob
            | Controller::Disruption
            | Controller::ResourceQuota => Priority::Workload,
            _ => Priority::Single,
        }
    }

    /// Returns the task of this controller for this object.
    pub fn task(self, key: Key) -> Task {
        Task { controller: self, key }
    }
}

/// Returns the plan of a task. Reads the cluster state and the time, and changes nothing.
pub fn plan(task: &Task, cluster: &Cluster, kinds: &Kinds, kubelet: &Kubelet, now: Timestamp) -> Plan {
    let key = &task.key;
    match task.controller {
        Controller::Kubelet => kubelet.plan(cluster, key, now),
        Controller::NodeLifecycle => node_lifecycle::plan(cluster, &kubelet.nodes, key, now),
        Controller::TaintEviction => taint_eviction::plan(cluster, key, now),
        Controller::Namespace => namespace::plan(cluster, key),
        Controller::Replicas(kind) => replicas::plan(cluster, kind, key, now),
        Controller::Deployment => deployment::plan(cluster, key, now),
        Controller::StatefulSet => statefulset::plan(cluster, key, now),
        Controller::DaemonSet => daemonset::plan(cluster, key, now),
        Controller::Job => job::plan(cluster, key, now),
        Controller::CronJob => cron_job::plan(cluster, key, now),
        Controller::JobOrphan => job::release_orphan(cluster, key),
        Controller::PodClaims => pod_claims::plan(cluster, key),
        Controller::ResourceClaim => resource_claim::plan(cluster, key),
        Controller::VolumeClaim => volumes::claim::plan(cluster, key),
        Controller::Volume => volumes::volume::plan(cluster, key),
        Controller::Disruption => disruption::plan(cluster, key, now),
        Controller::ResourceQuota => resource_quota::plan(cluster, kinds, key, now),
        Controller::Collector(kind) => collector::plan(cluster, kind, key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_controller_has_a_known_name() {
        let all = [
            Controller::Kubelet,
            Controller::NodeLifecycle,
            Controller::TaintEviction,
            Controller::Namespace,
            Controller::Replicas(Kind::ReplicaSet),
            Controller::Replicas(Kind::ReplicationController),
            Controller::Deployment,
            Controller::StatefulSet,
            Controller::DaemonSet,
            Controller::Job,
            Controller::CronJob,
            Controller::PodClaims,
            Controller::ResourceClaim,
            Controller::Volume,
            Controller::Disruption,
            Controller::ResourceQuota,
            Controller::Collector(Kind::Pod),
        ];
        assert_eq!(all.map(Controller::name), NAMES);
        assert_eq!((Controller::JobOrphan.name(), Controller::VolumeClaim.name()), ("job", "persistentvolume"));
    }
}
