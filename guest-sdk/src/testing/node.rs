//! Nodes for tests.

use super::quantity;
use crate::types::{Condition, ConditionStatus, HostPort, Label, NodeInfo, Protocol, Resources, Taint, TaintEffect};

/// Makes a node that has room for 110 pods, no other resources, and no labels, taints or other facts.
///
/// ```
/// use berth_guest::testing::node;
///
/// let node = node("node-a").label("zone", "a").cpu("4").memory("16Gi").used("cpu", "500m");
/// ```
pub fn node(name: &str) -> NodeBuilder {
    NodeBuilder {
        name: name.into(),
        labels: Vec::new(),
        annotations: Vec::new(),
        taints: Vec::new(),
        unschedulable: false,
        allocatable: Resources { pods: 110, ..Resources::default() },
        used: Resources::default(),
        images: Vec::new(),
        used_ports: Vec::new(),
        conditions: Vec::new(),
        declared_features: Vec::new(),
        capacity: Resources::default(),
        info: NodeInfo::default(),
        fields: String::new(),
    }
}

/// Builds a node.
#[derive(Clone, Debug)]
pub struct NodeBuilder {
    pub(super) name: String,
    pub(super) labels: Vec<Label>,
    pub(super) annotations: Vec<Label>,
    pub(super) taints: Vec<Taint>,
    pub(super) unschedulable: bool,
    pub(super) allocatable: Resources,
    pub(super) used: Resources,
    pub(super) images: Vec<(String, i64)>,
    pub(super) used_ports: Vec<HostPort>,
    pub(super) conditions: Vec<Condition>,
    pub(super) declared_features: Vec<String>,
    pub(super) capacity: Resources,
    pub(super) info: NodeInfo,
    pub(super) fields: String,
}

impl NodeBuilder {
    /// Adds a label (`metadata.labels`).
    #[must_use]
    pub fn label(mut self, key: &str, value: &str) -> Self {
        self.labels.push(Label { key: key.into(), value: value.into() });
        self
    }

    /// Adds an annotation (`metadata.annotations`).
    #[must_use]
    pub fn annotation(mut self, key: &str, value: &str) -> Self {
        self.annotations.push(Label { key: key.into(), value: value.into() });
        self
    }

    /// Adds a taint (`spec.taints`).
    #[must_use]
    pub fn taint(mut self, key: &str, value: &str, effect: TaintEffect) -> Self {
        self.taints.push(Taint { key: key.into(), value: value.into(), effect });
        self
    }

    /// Cordons the node (`spec.unschedulable`).
    #[must_use]
    pub fn unschedulable(mut self) -> Self {
        self.unschedulable = true;
        self
    }

    /// Sets `status.allocatable` of cpu, such as `4`.
    ///
    /// # Panics
    /// Panics if the quantity is invalid.
    #[must_use]
    pub fn cpu(self, quantity: &str) -> Self {
        self.allocatable("cpu", quantity)
    }

    /// Sets `status.allocatable` of memory, such as `16Gi`.
    ///
    /// # Panics
    /// Panics if the quantity is invalid.
    #[must_use]
    pub fn memory(self, quantity: &str) -> Self {
        self.allocatable("memory", quantity)
    }

    /// Sets `status.allocatable` of any resource. For the resource `pods`, the quantity is the maximum number of pods.
    ///
    /// # Panics
    /// Panics if the quantity is invalid.
    #[must_use]
    pub fn allocatable(mut self, resource: &str, quantity: &str) -> Self {
        quantity::set(&mut self.allocatable, resource, quantity);
        self
    }

    /// Sets the sum of the requests of the node's pods. For the resource `pods`, the quantity is the number of pods on
    /// the node.
    ///
    /// # Panics
    /// Panics if the quantity is invalid.
    #[must_use]
    pub fn used(mut self, resource: &str, quantity: &str) -> Self {
        quantity::set(&mut self.used, resource, quantity);
        self
    }

    /// Adds an image (`status.images`), with its size in bytes.
    #[must_use]
    pub fn image(mut self, name: &str, size: i64) -> Self {
        self.images.push((name.into(), size));
        self
    }

    /// Adds a host port that one of the node's pods uses.
    #[must_use]
    pub fn used_port(mut self, ip: &str, protocol: Protocol, port: u16) -> Self {
        self.used_ports.push(HostPort { ip: ip.into(), protocol, port });
        self
    }

    /// Adds a condition (`status.conditions`).
    #[must_use]
    pub fn condition(mut self, kind: &str, status: ConditionStatus) -> Self {
        self.conditions.push(Condition { kind: kind.into(), status });
        self
    }

    /// Adds the name of a feature (`status.declaredFeatures`).
    #[must_use]
    pub fn declared_feature(mut self, name: &str) -> Self {
        self.declared_features.push(name.into());
        self
    }
    /// Sets `status.capacity` of any resource. The function does not change `status.allocatable`.
    ///
    /// # Panics
    /// Panics if the quantity is invalid.
    #[must_use]
    pub fn capacity(mut self, resource: &str, quantity: &str) -> Self {
        quantity::set(&mut self.capacity, resource, quantity);
        self
    }

    /// Sets `status.nodeInfo`.
    #[must_use]
    pub fn info(mut self, info: NodeInfo) -> Self {
        self.info = info;
        self
    }

    /// Sets the node's fields for types that [`node_field!`](crate::node_field!) defines, as JSON in the structure of
    /// the node: `{"spec": {"podCIDR": "10.0.0.0/24"}}`.
    #[must_use]
    pub fn fields(mut self, json: &str) -> Self {
        self.fields = json.into();
        self
    }
}
