//! What a pod asks of a node: its containers' requests made into one.
//!
//! The rules are those of `k8s.io/component-helpers/resource.PodRequests` and of the scheduler's `PodInfo`: the API's
//! own arithmetic, done once by the host so that no plugin repeats it.

use std::collections::BTreeMap;

use super::quantity::Quantity;
use super::resources::Resources;

/// A `v1.ResourceList`, exact.
pub type ResourceList = BTreeMap<Box<str>, Quantity>;

/// Cpu that a container without a request counts with in scores: 100 millicores.
const DEFAULT_CPU: Quantity = Quantity::from_milli(100);
/// Memory that a container without a request counts with in scores: 200 MiB.
const DEFAULT_MEMORY: Quantity = Quantity::from_value(200 * 1024 * 1024);

/// The part of one container that its requests depend on.
#[derive(Clone, Debug, Default)]
pub struct ContainerResources {
    /// `resources.requests`
    pub spec: ResourceList,
    /// `status.containerStatuses[].resources.requests`, where `resources` is there.
    pub actuated: Option<ResourceList>,
    /// `status.containerStatuses[].allocatedResources`
    pub allocated: ResourceList,
    /// An init container with `restartPolicy: Always`.
    pub restartable: bool,
}

/// The part of a pod that its requests depend on.
#[derive(Clone, Debug, Default)]
pub struct RequestInputs {
    /// `spec.containers`
    pub containers: Vec<ContainerResources>,
    /// `spec.initContainers`, in order.
    pub init_containers: Vec<ContainerResources>,
    /// `spec.resources.requests`
    pub pod_level: ResourceList,
    /// `status.resources.requests`, where `status.resources` is there.
    pub pod_level_actuated: Option<ResourceList>,
    /// `status.allocatedResources`
    pub pod_level_allocated: ResourceList,
    /// `spec.overhead`
    pub overhead: ResourceList,
    /// The pod's condition PodResizePending has the reason Infeasible.
    pub resize_infeasible: bool,
}

/// What a pod asks of a node (`pod-requests` in the contract).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PodRequests {
    /// From the spec: what must fit.
    pub fit: Resources,
    /// With a resize in progress: what counts as used.
    pub effective: Resources,
    /// `effective` cpu, containers without a request counted with 100 millicores.
    pub non_zero_milli_cpu: i64,
    /// `effective` memory, containers without a request counted with 200 MiB.
    pub non_zero_memory: i64,
    /// Cpu of the containers alone, from the spec, those without a request counted with 100 millicores, and the overhead.
    /// NodeResourcesFit scores a pod by this: kube-scheduler v1.36 does not hand the gate of pod-level resources to it.
    pub scored_milli_cpu: i64,
    /// The same of memory, with 200 MiB.
    pub scored_memory: i64,
    /// The resources that the spec names at all.
    pub named: Vec<Box<str>>,
}

impl PodRequests {
    /// Sums the containers up.
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
    /// Where pod-level requests are set, only what neither level names gets a default.
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
        let mut sum = ResourceList::new();
        for container in &self.containers {
            add(&mut sum, &self.of_container(container, use_status, defaults));
        }
        let mut restartable = ResourceList::new();
        let mut initializing = ResourceList::new();
        for container in &self.init_containers {
            let own = self.of_container(container, use_status && container.restartable, defaults);
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

    /// The greatest of what is wanted, running and admitted; what is wanted does not count where it can't be had.
    fn in_resize(&self, spec: &ResourceList, actuated: &ResourceList, allocated: &ResourceList) -> ResourceList {
        let mut most = actuated.clone();
        raise(&mut most, allocated);
        if !self.resize_infeasible {
            raise(&mut most, spec);
        }
        most
    }
}

/// Resources that `spec.resources` may set for the whole pod.
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

/// In integers, each resource in its unit. Names that are neither native nor scalar resources are left out, as the
/// scheduler's `Resource` does.
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

/// Extended resources, hugepages, prefixed native resources and attachable volumes.
fn is_scalar(name: &str) -> bool {
    name.contains('/') && !name.starts_with("requests.")
        || name.starts_with("hugepages-")
        || name.starts_with("attachable-volumes-")
}

#[cfg(test)]
#[path = "requests_test.rs"]
mod tests;
