//! A possible distribution of one resource over the fields of the API object.

use berth_core::model::requests::ResourceList;
use berth_core::model::{ContainerKind, ContainerResources, RequestInputs};
use berth_quantity::Quantity;

/// The properties that the resources of a pod have in common.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mode {
    /// `spec.resources` is set.
    pub has_pod_level: bool,
    /// `spec.resources.requests` has a resource. Then a container without a request gets no default.
    pub has_pod_level_requests: bool,
    /// The pod's condition PodResizePending has the reason Infeasible.
    pub resize_infeasible: bool,
    /// Quantities can have fractions of the resource's unit.
    pub has_fractions: bool,
}

/// The quantities of one resource. `None` stands for an absent quantity. The lists are in the order of the model's
/// containers.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    /// `resources.requests` of the containers.
    pub requests: Vec<Option<Quantity>>,
    /// The requests of the containers that count as used on the node. They differ from `requests` during a resize.
    pub effective: Vec<Option<Quantity>>,
    /// `resources.limits` of the containers.
    pub limits: Vec<Option<Quantity>>,
    /// `spec.overhead`
    pub overhead: Option<Quantity>,
    /// `spec.resources.requests`
    pub pod_level: Option<Quantity>,
    /// The pod-level request that counts as used on the node.
    pub pod_level_effective: Option<Quantity>,
    /// `spec.resources.limits`
    pub pod_level_limit: Option<Quantity>,
}

/// Returns the resources of a pod, made of one candidate for each resource. The candidates have their resource's name.
pub fn combine(candidates: &[(&str, &Candidate)], kinds: &[ContainerKind], mode: Mode) -> RequestInputs {
    let list = |of: &dyn Fn(&Candidate) -> Option<Quantity>| -> ResourceList {
        candidates.iter().filter_map(|(name, candidate)| Some(((*name).into(), of(candidate)?))).collect()
    };
    let pod_level_resized = candidates.iter().any(|(_, of)| of.pod_level != of.pod_level_effective);
    let mut inputs = RequestInputs {
        pod_level: list(&|of| of.pod_level),
        pod_level_limits: list(&|of| of.pod_level_limit),
        has_pod_level: mode.has_pod_level,
        pod_level_actuated: pod_level_resized.then(|| list(&|of| of.pod_level_effective)),
        overhead: list(&|of| of.overhead),
        resize_infeasible: mode.resize_infeasible,
        ..RequestInputs::default()
    };
    for (at, kind) in kinds.iter().enumerate() {
        let is_resized = candidates.iter().any(|(_, of)| of.requests[at] != of.effective[at]);
        let container = ContainerResources {
            spec: list(&|of| of.requests[at]),
            limits: list(&|of| of.limits[at]),
            actuated: is_resized.then(|| list(&|of| of.effective[at])),
            allocated: ResourceList::new(),
            restartable: *kind == ContainerKind::RestartableInit,
        };
        let containers =
            if *kind == ContainerKind::Main { &mut inputs.containers } else { &mut inputs.init_containers };
        containers.push(container);
    }
    inputs
}
