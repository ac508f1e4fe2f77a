//! Writes containers and their statuses.

use berth_core::model::{Container, ContainerKind, ContainerResources, HostPort, Protocol};

use super::fields::Fields;

/// Returns a container of `spec.containers` or `spec.initContainers`.
pub(super) fn container(container: &Container, resources: &ContainerResources) -> Fields {
    let requirements =
        Fields::default().quantities("requests", &resources.spec).quantities("limits", &resources.limits);
    Fields::default()
        .text("name", &container.name)
        .text("image", &container.image)
        .list("ports", container.host_ports.iter().map(port))
        .object("resources", requirements)
        .optional("restartPolicy", (container.kind == ContainerKind::RestartableInit).then_some("Always"))
}

/// Returns the status of a container, which the pod only needs during a resize.
pub(super) fn status(container: &Container, resources: &ContainerResources) -> Option<Fields> {
    let actuated = resources.actuated.as_ref()?;
    let resources = Fields::default().quantities("requests", actuated);
    Some(Fields::default().text("name", &container.name).with("resources", resources))
}

fn port(port: &HostPort) -> Fields {
    let protocol = match port.protocol {
        Protocol::Tcp => "TCP",
        Protocol::Udp => "UDP",
        Protocol::Sctp => "SCTP",
    };
    // An absent address is 0.0.0.0 in the model.
    let ip = if &*port.ip == "0.0.0.0" { "" } else { &*port.ip };
    Fields::default().with("hostPort", port.port).text("hostIP", ip).with("protocol", protocol)
}
