//! The resource requests and limits of a pod and its quality of service class, computed from its containers, its
//! pod-level resources and its overhead.
//!
//! The rules are those of `k8s.io/component-helpers/resource.PodRequests` and of the scheduler's `PodInfo`. The host
//! computes the requests once, so that no plugin has to repeat this arithmetic.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use berth_quantity::Quantity;

use super::resources::Resources;

/// An exact `v1.ResourceList`.
pub type ResourceList = BTreeMap<Box<str>, Quantity>;

/// The CPU request that scores assume for a container without one: 100 millicores.
const DEFAULT_CPU: Quantity = Quantity::from_milli(100);
/// The memory request that scores assume for a container without one: 200 MiB.
const DEFAULT_MEMORY: Quantity = Quantity::from_value(200 * 1024 * 1024);

/// The quality of service class of a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum QosClass {
    /// Every container has equal requests and limits of cpu and memory.
    Guaranteed,
    /// Neither of the other classes.
    Burstable,
    /// No container has a request or a limit of cpu or memory.
    #[default]
    BestEffort,
}

/// The fields of a container that its requests depend on.
#[derive(Clone, Debug, Default)]
pub struct ContainerResources {
    /// `resources.requests`
    pub spec: ResourceList,
    /// `resources.limits`
    pub limits: ResourceList,
    /// `status.containerStatuses[].resources.requests`, if `resources` is set.
    pub actuated: Option<ResourceList>,
    /// `status.containerStatuses[].allocatedResources`
    pub allocated: ResourceList,
    /// An init container with `restartPolicy: Always`.
    pub restartable: bool,
}

/// The fields of a pod that its requests depend on.
#[derive(Clone, Debug, Default)]
pub struct RequestInputs {
    /// `spec.containers`
    pub containers: Vec<ContainerResources>,
    /// `spec.initContainers`, in order.
    pub init_containers: Vec<ContainerResources>,
    /// `spec.resources.requests`
    pub pod_level: ResourceList,
    /// `spec.resources.limits`
    pub pod_level_limits: ResourceList,
    /// `spec.resources` is set.
    pub has_pod_level: bool,
    /// `status.resources.requests`, if `status.resources` is set.
    pub pod_level_actuated: Option<ResourceList>,
    /// `status.allocatedResources`
    pub pod_level_allocated: ResourceList,
    /// `spec.overhead`
    pub overhead: ResourceList,
    /// The pod's condition PodResizePending has the reason Infeasible.
    pub resize_infeasible: bool,
}

/// The requests of a pod (`pod-requests` in the contract).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodRequests {
    /// Requests from the spec. They have to fit on the node.
    pub fit: Resources,
    /// Requests that count as used on the node: during a resize, the maximum of the desired, the actuated and the
    /// allocated requests.
    pub effective: Resources,
    /// `effective` CPU in millicores, with 100 millicores for each container without a request. With pod-level
    /// requests, the default only applies if the pod has no CPU request at either level.
    pub non_zero_milli_cpu: i64,
    /// `effective` memory in bytes, with 200 MiB for each container without a request. With pod-level requests, the
    /// default only applies if the pod has no memory request at either level.
    pub non_zero_memory: i64,
    /// CPU of the containers from the spec in millicores, with 100 millicores for each container without a request,
    /// plus the overhead. Pod-level requests don't count. NodeResourcesFit scores a pod by this amount, because
    /// kube-scheduler v1.36 does not pass the feature gate of pod-level resources to the score.
    pub scored_milli_cpu: i64,
    /// Memory of the containers in bytes, computed as `scored_milli_cpu`, with 200 MiB for each container without a
    /// request.
    pub scored_memory: i64,
    /// The names of all resources that the pod requests in the spec, including those that [`Resources`] leaves out.
    pub named: Vec<Box<str>>,
}

impl PodRequests {
    /// Computes the requests of a pod.
    #[must_use]
    pub fn of(pod: &RequestInputs) -> Self {
        let fit = pod.sum(false, &ResourceList::new());
        let effective = pod.sum(true, &ResourceList::new());
        let non_zero = pod.sum(true, &pod.defaults(&effective));
        let scored = pod.containers_alone();
        let quantity = |list: &ResourceList, name: &str| list.get(name).copied().unwrap_or_default();
        Self {
            non_zero_milli_cpu: quantity(&non_zero, "cpu").milli(),
            non_zero_memory: quantity(&non_zero, "memory").value(),
            scored_milli_cpu: quantity(&scored, "cpu").milli(),
            scored_memory: quantity(&scored, "memory").value(),
            named: fit.keys().cloned().collect(),
            fit: to_resources(&fit),
            effective: to_resources(&effective),
        }
    }
}

impl RequestInputs {
    /// Returns the pod's resource limits: containers and restartable init containers are added up, init containers count
    /// with their maximum, pod-level limits take precedence, and the overhead is added to each limit that is not 0. The
    /// rules are those of `k8s.io/component-helpers/resource.PodLimits`.
    #[must_use]
    pub fn limits(&self) -> Resources {
        let limits = |container: &ContainerResources| container.limits.clone();
        let mut sum = self.sum_of(limits, limits);
        let pod_level = self.pod_level_limits.iter().filter(|(name, _)| is_pod_level(name));
        sum.extend(pod_level.map(|(name, quantity)| (name.clone(), *quantity)));
        for (name, quantity) in &self.overhead {
            if let Some(limit) = sum.get_mut(name).filter(|limit| !limit.is_zero()) {
                *limit = limit.plus(*quantity);
            }
        }
        to_resources(&sum)
    }

    /// Returns the quality of service class, with the rules of Kubernetes' `qos.ComputePodQOS`.
    #[must_use]
    pub fn qos(&self) -> QosClass {
        let (mut requests, mut limits, mut is_limited) = (ResourceList::new(), ResourceList::new(), true);
        if self.has_pod_level {
            add(&mut requests, &of_qos(&self.pod_level));
            add(&mut limits, &of_qos(&self.pod_level_limits));
        } else {
            for container in self.containers.iter().chain(&self.init_containers) {
                add(&mut requests, &of_qos(&container.spec));
                let own = of_qos(&container.limits);
                is_limited &= own.len() == QOS_RESOURCES.len();
                add(&mut limits, &own);
            }
        }
        match () {
            () if requests.is_empty() && limits.is_empty() => QosClass::BestEffort,
            () if is_limited && limits.len() == QOS_RESOURCES.len() && requests == limits => QosClass::Guaranteed,
            () => QosClass::Burstable,
        }
    }

    /// Returns the defaults for missing requests. With pod-level requests, only a resource that has no request at
    /// either level gets a default.
    fn defaults(&self, requests: &ResourceList) -> ResourceList {
        let pod_level = self.pod_level.keys().any(|name| is_pod_level(name));
        [("cpu", DEFAULT_CPU), ("memory", DEFAULT_MEMORY)]
            .into_iter()
            .filter(|(name, _)| !pod_level || !requests.contains_key(*name))
            .map(|(name, quantity)| (name.into(), quantity))
            .collect()
    }

    fn containers_alone(&self) -> ResourceList {
        let defaults = [("cpu".into(), DEFAULT_CPU), ("memory".into(), DEFAULT_MEMORY)].into();
        let mut sum = self.sum_containers(false, &defaults);
        add(&mut sum, &self.overhead);
        sum
    }

    fn sum(&self, use_status: bool, defaults: &ResourceList) -> ResourceList {
        let mut sum = self.sum_containers(use_status, defaults);
        let pod_level = self.effective_pod_level(use_status);
        for (name, quantity) in self.pod_level.iter().filter(|(name, _)| is_pod_level(name)) {
            let quantity = pod_level.as_ref().map_or(*quantity, |list| list.get(name).copied().unwrap_or_default());
            sum.insert(name.clone(), quantity);
        }
        add(&mut sum, &self.overhead);
        sum
    }

    fn effective_pod_level(&self, use_status: bool) -> Option<ResourceList> {
        let actuated = self.pod_level_actuated.as_ref().filter(|_| use_status)?;
        Some(self.in_resize(&self.pod_level, actuated, &self.pod_level_allocated))
    }

    fn sum_containers(&self, use_status: bool, defaults: &ResourceList) -> ResourceList {
        self.sum_of(
            |container| self.of_container(container, use_status, defaults),
            |container| self.of_container(container, use_status && container.restartable, defaults),
        )
    }

    /// Returns the sum over containers and restartable init containers, or the maximum while init containers run if
    /// that is more. The arguments return the resources of a container and of an init container.
    fn sum_of(
        &self,
        of_container: impl Fn(&ContainerResources) -> ResourceList,
        of_init_container: impl Fn(&ContainerResources) -> ResourceList,
    ) -> ResourceList {
        let mut sum = ResourceList::new();
        for container in &self.containers {
            add(&mut sum, &of_container(container));
        }
        let mut restartable = ResourceList::new();
        let mut initializing = ResourceList::new();
        for container in &self.init_containers {
            let own = of_init_container(container);
            if container.restartable {
                add(&mut sum, &own);
                add(&mut restartable, &own);
                raise(&mut initializing, &restartable);
            } else {
                let mut during = own;
                add(&mut during, &restartable);
                raise(&mut initializing, &during);
            }
        }
        raise(&mut sum, &initializing);
        sum
    }

    fn of_container(&self, container: &ContainerResources, use_status: bool, defaults: &ResourceList) -> ResourceList {
        let mut requests = match &container.actuated {
            Some(actuated) if use_status => self.in_resize(&container.spec, actuated, &container.allocated),
            _ => container.spec.clone(),
        };
        for (name, quantity) in defaults {
            requests.entry(name.clone()).or_insert(*quantity);
        }
        requests
    }

    /// Returns for each resource the maximum of the desired, the actuated and the allocated request. The desired
    /// requests of an infeasible resize don't count.
    fn in_resize(&self, spec: &ResourceList, actuated: &ResourceList, allocated: &ResourceList) -> ResourceList {
        let mut most = actuated.clone();
        raise(&mut most, allocated);
        if !self.resize_infeasible {
            raise(&mut most, spec);
        }
        most
    }
}

/// The resources that the quality of service class depends on.
const QOS_RESOURCES: [&str; 2] = ["cpu", "memory"];

/// Returns those of the quantities that the quality of service class depends on.
fn of_qos(list: &ResourceList) -> ResourceList {
    let counts = |name: &str, quantity: &Quantity| QOS_RESOURCES.contains(&name) && quantity.sign() > 0;
    list.iter().filter(|(name, quantity)| counts(name, quantity)).map(|(name, of)| (name.clone(), *of)).collect()
}

/// Returns whether `spec.resources` may set the resource for the whole pod.
fn is_pod_level(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || name.starts_with("hugepages-")
}

fn add(sum: &mut ResourceList, more: &ResourceList) {
    for (name, quantity) in more {
        let entry = sum.entry(name.clone()).or_default();
        *entry = entry.plus(*quantity);
    }
}

fn raise(to: &mut ResourceList, other: &ResourceList) {
    for (name, quantity) in other {
        let entry = to.entry(name.clone()).or_insert(*quantity);
        *entry = (*entry).max(*quantity);
    }
}

/// Converts the list to integers, each resource in its unit. Names that are neither native nor scalar resources are
/// left out, as in the scheduler's `Resource`.
#[must_use]
pub fn to_resources(list: &ResourceList) -> Resources {
    let mut resources = Resources::default();
    for (name, quantity) in list {
        match name.as_ref() {
            "cpu" => resources.milli_cpu = quantity.milli(),
            "memory" => resources.memory = quantity.value(),
            "ephemeral-storage" => resources.ephemeral_storage = quantity.value(),
            "pods" => resources.pods = quantity.value(),
            name if is_scalar(name) => resources.scalars.push((name.into(), quantity.value())),
            _ => {}
        }
    }
    resources
}

/// Returns whether the name is an extended resource, a hugepage size, a prefixed native resource or an attachable
/// volume.
fn is_scalar(name: &str) -> bool {
    name.contains('/') && !name.starts_with("requests.")
        || name.starts_with("hugepages-")
        || name.starts_with("attachable-volumes-")
}

#[cfg(test)]
#[path = "requests_test.rs"]
mod tests;
