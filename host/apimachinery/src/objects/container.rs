//! Reads containers and their resources.

use berth_core::model::requests::{ResourceList, to_resources};
use berth_core::model::{Container, ContainerKind, ContainerResources, HostPort, Protocol, Resources};

use super::json::{Entries, MaybeQuantity, partial};
use super::notes::Notes;

partial! {
    /// `v1.Container`.
    ContainerData {
        name: Box<str>,
        image: Box<str>,
        ports: Vec<PortData>,
        resources: RequirementsData,
        restart_policy: Box<str>,
        restart_policy_rules: Vec<RestartRuleData>,
    }

    /// `v1.ContainerRestartRule`.
    RestartRuleData {
        action: Box<str>,
    }

    PortData {
        host_port: i64,
        #[serde(rename = "hostIP")]
        host_ip: Box<str>,
        protocol: Box<str>,
    }

    /// `v1.ResourceRequirements`.
    RequirementsData {
        requests: ResourceQuantities,
        limits: ResourceQuantities,
    }

    /// `v1.ContainerStatus`; only the fields that show a resize.
    ContainerStatusData {
        name: Box<str>,
        resources: Option<RequirementsData>,
        allocated_resources: ResourceQuantities,
    }
}

/// `v1.ResourceList` with the quantities as parsed.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct ResourceQuantities(Entries<MaybeQuantity>);

impl ResourceQuantities {
    /// Returns the exact quantities. Leaves out an invalid quantity, and adds the path of the quantity to `notes`.
    pub(super) fn list(self, path: &str, notes: &mut Notes) -> ResourceList {
        let mut list = ResourceList::new();
        for (name, quantity) in self.0.0 {
            match quantity.0 {
                Ok(quantity) => {
                    list.insert(name, quantity);
                }
                Err(e) => notes.add(format_args!("{path}[{name}]"), format_args!("{e}; counted as absent")),
            }
        }
        list
    }

    /// Returns the quantities as integers of the core's model. Leaves out an invalid quantity, and adds the path of the
    /// quantity to `notes`.
    pub(super) fn resources(self, path: &str, notes: &mut Notes) -> Resources {
        to_resources(&self.list(path, notes))
    }
}

/// Converts a container to two forms: the form that plugins read, and the form for the pod's total requests.
pub(super) fn convert(
    container: ContainerData,
    init: bool,
    statuses: &mut Vec<ContainerStatusData>,
    notes: &mut Notes,
) -> (Container, ContainerResources) {
    let restartable = init && container.restart_policy.as_ref() == "Always";
    let kind = match (init, restartable) {
        (false, _) => ContainerKind::Main,
        (true, false) => ContainerKind::Init,
        (true, true) => ContainerKind::RestartableInit,
    };
    let spec = container.resources.requests.list("spec.containers[].resources.requests", notes);
    let exact_limits = container.resources.limits.list("spec.containers[].resources.limits", notes);
    let (requests, limits) = (to_resources(&spec), to_resources(&exact_limits));
    let status = statuses.iter().position(|s| s.name == container.name).map(|at| statuses.swap_remove(at));
    let status = status.unwrap_or_default();
    let resources = ContainerResources {
        spec,
        limits: exact_limits,
        actuated: status.resources.map(|r| r.requests.list("status.containerStatuses[].resources.requests", notes)),
        allocated: status.allocated_resources.list("status.containerStatuses[].allocatedResources", notes),
        restartable,
    };
    let host_ports = container.ports.into_iter().filter_map(PortData::into_host_port).collect();
    (Container { name: container.name, kind, image: container.image, requests, limits, host_ports }, resources)
}

impl PortData {
    /// Returns the host port; `None` if `hostPort` is absent, 0 or not a port number.
    fn into_host_port(self) -> Option<HostPort> {
        let port = u16::try_from(self.host_port).ok().filter(|port| *port > 0)?;
        let ip = if self.host_ip.is_empty() { "0.0.0.0".into() } else { self.host_ip };
        let protocol = match self.protocol.as_ref() {
            "UDP" => Protocol::Udp,
            "SCTP" => Protocol::Sctp,
            _ => Protocol::Tcp,
        };
        Some(HostPort { ip, protocol, port })
    }
}
