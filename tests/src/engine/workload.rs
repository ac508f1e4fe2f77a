//! Named workloads with the same parameters as those of the load generator (`tests/controlplane/cmd/loadgen`): the
//! pods, and the cluster.

use std::sync::Arc;

use anyhow::Result;
use berth_core::model::Pod;
use serde_json::{Value, json};

use super::objects::{self, NAMESPACES};
use super::{DefaultEngine, Setup};

/// A workload for the engine.
#[derive(Clone, Copy)]
pub struct Workload {
    /// The name of the matching workload in scheduler_perf, if there is one.
    pub name: &'static str,
    /// The number of interleaved pod templates.
    pub templates: usize,
    /// True if each template has a ReplicaSet and a Service.
    owned: bool,
    /// True if each pod has a volume.
    volumes: bool,
    zones: usize,
    /// The number of nodes, of every five, that have a running pod at the start.
    running: usize,
    /// Adds constraints to a pod.
    demand: Option<fn(&mut Value)>,
    /// True if the pods that run at the start have the same constraints as the pods to schedule.
    alike: bool,
}

const USUAL: Workload = Workload {
    name: "SchedulingBasic",
    templates: 1,
    owned: false,
    volumes: false,
    zones: 3,
    running: 5,
    demand: None,
    alike: true,
};

/// All workloads.
pub const WORKLOADS: &[Workload] = &[
    Workload { running: 1, ..USUAL },
    Workload { name: "DefaultTopologySpreading", templates: 10, owned: true, ..USUAL },
    Workload { name: "InterleavedTemplates", templates: 200, owned: true, ..USUAL },
    Workload { name: "TopologySpreading", demand: Some(|pod| spread(pod, "DoNotSchedule")), alike: false, ..USUAL },
    Workload {
        name: "PreferredTopologySpreading",
        demand: Some(|pod| spread(pod, "ScheduleAnyway")),
        alike: false,
        ..USUAL
    },
    Workload {
        name: "SchedulingPodAffinity",
        zones: 1,
        demand: Some(|pod| required(pod, "podAffinity", ZONE)),
        ..USUAL
    },
    Workload { name: "SchedulingPreferredPodAffinity", demand: Some(|pod| preferred(pod, "podAffinity")), ..USUAL },
    Workload {
        name: "SchedulingPodAntiAffinity",
        running: 1,
        demand: Some(|pod| required(pod, "podAntiAffinity", HOST)),
        ..USUAL
    },
    Workload {
        name: "SchedulingPreferredPodAntiAffinity",
        demand: Some(|pod| preferred(pod, "podAntiAffinity")),
        ..USUAL
    },
    Workload { name: "SchedulingNodeAffinity", zones: 1, demand: Some(node_affinity), ..USUAL },
    Workload { name: "SchedulingCSIPVs", volumes: true, ..USUAL },
];

const ZONE: &str = "topology.kubernetes.io/zone";
const HOST: &str = "kubernetes.io/hostname";

fn colored(pod: &mut Value) -> Value {
    pod["metadata"]["labels"]["color"] = json!("blue");
    json!({"matchLabels": {"color": "blue"}})
}

fn spread(pod: &mut Value, unsatisfiable: &str) {
    let selector = colored(pod);
    pod["spec"]["topologySpreadConstraints"] = json!([
        {"maxSkew": 5, "topologyKey": ZONE, "whenUnsatisfiable": unsatisfiable, "labelSelector": selector},
    ]);
}

fn term(pod: &mut Value, key: &str) -> Value {
    json!({"labelSelector": colored(pod), "topologyKey": key, "namespaces": NAMESPACES})
}

fn required(pod: &mut Value, affinity: &str, key: &str) {
    let term = term(pod, key);
    pod["spec"]["affinity"] = json!({affinity: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}});
}

fn preferred(pod: &mut Value, affinity: &str) {
    let term = json!({"weight": 1, "podAffinityTerm": term(pod, HOST)});
    pod["spec"]["affinity"] = json!({affinity: {"preferredDuringSchedulingIgnoredDuringExecution": [term]}});
}

fn node_affinity(pod: &mut Value) {
    pod["spec"]["affinity"] = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["zone-0", "zone-1"]}]}],
    }}});
}

impl Workload {
    /// Returns the same workload with this many templates.
    #[must_use]
    pub fn of_templates(self, templates: usize) -> Self {
        Self { templates, ..self }
    }

    /// Returns a pod that runs at the start, and its claim and volume.
    fn runs_before(&self, i: usize, nodes: usize) -> (Value, Vec<Value>) {
        let mut pod = objects::pod(NAMESPACES[1], &format!("before-{i}"), 0);
        pod["spec"]["nodeName"] = json!(objects::node_name(i % nodes));
        if let Some(demand) = self.demand.filter(|_| self.alike) {
            demand(&mut pod);
        }
        let volume = if self.volumes { objects::volume(&mut pod).to_vec() } else { Vec::new() };
        (pod, volume)
    }
}

/// A workload in progress.
pub struct WorkloadRun {
    /// The engine.
    pub engine: DefaultEngine,
    workload: Workload,
    /// The number of pods made so far.
    pods: usize,
}

impl WorkloadRun {
    /// Starts the workload's cluster with this many nodes. `pods_factor` multiplies the number of pods that run at the
    /// start.
    ///
    /// # Errors
    /// As [`DefaultEngine::start`].
    pub fn set(workload: Workload, nodes: usize, pods_factor: usize) -> Result<Self> {
        Self::with(workload, nodes, pods_factor, Setup::default())
    }

    /// Starts the workload's cluster as [`WorkloadRun::set`] does, with another setup of the components.
    ///
    /// # Errors
    /// As [`DefaultEngine::start`].
    pub fn with(workload: Workload, nodes: usize, pods_factor: usize, setup: Setup) -> Result<Self> {
        let before = 0..(nodes * workload.running).div_ceil(5) * pods_factor;
        // The objects are made one by one: a million nodes as JSON would take more memory than the engine under
        // test.
        let pods = before.clone().map(|i| workload.runs_before(i, nodes).0);
        let cluster = (0..nodes).map(|i| objects::node(i, workload.zones)).chain(pods);
        let mut further = Vec::new();
        if workload.volumes {
            further.extend((0..nodes).map(objects::csi_node));
            further.extend(before.flat_map(|i| workload.runs_before(i, nodes).1));
        }
        if workload.owned {
            further.extend((0..workload.templates).flat_map(objects::owners));
        }
        Ok(Self { engine: DefaultEngine::start(cluster, &further, setup)?, workload, pods: 0 })
    }

    /// Returns the next pod, from the workload's templates in turn. The core already knows the pod's volume, if any.
    ///
    /// # Errors
    /// As [`DefaultEngine::set_object`].
    pub fn next_pod(&mut self) -> Result<Arc<Pod>> {
        self.pod_of(self.pods % self.workload.templates)
    }

    /// Returns the first pod of a new template. The core already knows the template's Service and ReplicaSet, if any.
    ///
    /// # Errors
    /// As [`DefaultEngine::set_object`].
    pub fn first_of_signature(&mut self) -> Result<Arc<Pod>> {
        // No other template has this number.
        let template = self.workload.templates + self.pods;
        if self.workload.owned {
            objects::owners(template).iter().try_for_each(|object| self.engine.set_object(object))?;
        }
        self.pod_of(template)
    }

    fn pod_of(&mut self, template: usize) -> Result<Arc<Pod>> {
        let mut pod = objects::pod(NAMESPACES[0], &format!("pod-{}", self.pods), template);
        self.pods += 1;
        if self.workload.owned {
            objects::own(&mut pod, template);
        }
        if let Some(demand) = self.workload.demand {
            demand(&mut pod);
        }
        if self.workload.volumes {
            objects::volume(&mut pod).iter().try_for_each(|object| self.engine.set_object(object))?;
        }
        DefaultEngine::read(&pod)
    }
}
