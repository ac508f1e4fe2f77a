//! Generates nodes.

use berth_core::facts::NodeFacts;
use berth_core::model::{
    Condition, ConditionStatus, Effect, Labels, Node, NodeImage, NodeSystemInfo, Resources, Taint,
};

use super::maker::Maker;

/// The facts that come from the node's object and may change during its life.
pub(super) const CHANGEABLE: NodeFacts = NodeFacts::LABELS
    .union(NodeFacts::ANNOTATIONS)
    .union(NodeFacts::TAINTS)
    .union(NodeFacts::UNSCHEDULABLE)
    .union(NodeFacts::ALLOCATABLE)
    .union(NodeFacts::IMAGES)
    .union(NodeFacts::CONDITIONS)
    .union(NodeFacts::DECLARED_FEATURES)
    .union(NodeFacts::CAPACITY)
    .union(NodeFacts::INFO)
    .union(NodeFacts::FIELDS);

const MEBIBYTE: i64 = 1 << 20;

impl Maker {
    /// Returns a node with this name and a new uid.
    pub fn node(&mut self, name: &str) -> Node {
        let uid = format!("{:016x}", self.rng.u64(..)).into();
        let mut node = Node { name: name.into(), uid, ..Node::default() };
        self.change_node(&mut node, CHANGEABLE);
        node
    }

    /// Generates these facts again. They may stay the same.
    pub fn change_node(&mut self, node: &mut Node, facts: NodeFacts) {
        for fact in facts.iter() {
            match fact {
                NodeFacts::LABELS => node.labels = self.node_labels(&node.name),
                NodeFacts::ANNOTATIONS => node.annotations = self.labels(15),
                NodeFacts::TAINTS => node.taints = self.taints(),
                NodeFacts::UNSCHEDULABLE => node.unschedulable = self.chance(20),
                NodeFacts::ALLOCATABLE => {
                    node.allocatable = Resources { pods: self.rng.i64(0..=12), ..self.resources(8_000, 16_384) };
                }
                NodeFacts::CAPACITY => {
                    node.capacity = Resources { pods: self.rng.i64(0..=12), ..self.resources(8_000, 16_384) };
                }
                NodeFacts::INFO => node.info = self.node_info().into(),
                NodeFacts::FIELDS => node.fields = self.named_fields(&self.words.node_fields.clone()),
                NodeFacts::IMAGES => node.images = self.some(5, Self::node_image),
                NodeFacts::CONDITIONS => node.conditions = self.conditions(),
                NodeFacts::DECLARED_FEATURES => {
                    node.declared_features = self.some(2, |maker| maker.one(&["FeatureA", "FeatureB"]).into());
                }
                _ => {}
            }
        }
    }

    fn node_labels(&mut self, name: &str) -> Labels {
        let mut labels = self.labels(60);
        if self.chance(90) {
            let labelled = labels.iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
            labels = labelled.chain([("kubernetes.io/hostname".to_owned(), name.to_owned())]).collect();
        }
        labels
    }

    /// Returns taints, at most one for each key and effect, as the API server requires.
    fn taints(&mut self) -> Vec<Taint> {
        if self.chance(50) {
            return Vec::new();
        }
        let mut taints: Vec<Taint> = Vec::new();
        for taint in self.some(3, Self::taint) {
            if !taints.iter().any(|other| other.key == taint.key && other.effect == taint.effect) {
                taints.push(taint);
            }
        }
        taints
    }

    fn taint(&mut self) -> Taint {
        Taint { key: self.key(), value: self.value(), effect: self.effect() }
    }

    pub fn effect(&mut self) -> Effect {
        self.one(&[Effect::NoSchedule, Effect::PreferNoSchedule, Effect::NoExecute])
    }

    fn node_info(&mut self) -> NodeSystemInfo {
        NodeSystemInfo {
            architecture: self.one(&["amd64", "arm64"]).into(),
            operating_system: self.one(&["linux", "linux", "windows"]).into(),
            os_image: self.one(&["Debian GNU/Linux 13 (trixie)", ""]).into(),
            kernel_version: self.one(&["6.12.1", "6.18.0"]).into(),
            kubelet_version: self.one(&["v1.35.0", "v1.36.0"]).into(),
            container_runtime_version: self.one(&["containerd://2.1.4", "cri-o://1.36.0"]).into(),
        }
    }

    /// Returns an image. Its size depends only on its name.
    fn node_image(&mut self) -> NodeImage {
        let name = self.image();
        let size = 30 + 7 * name.bytes().map(i64::from).sum::<i64>() % 900;
        NodeImage { names: vec![name], size: size * MEBIBYTE }
    }

    fn conditions(&mut self) -> Vec<Condition> {
        let kinds = ["Ready", "MemoryPressure", "DiskPressure"];
        let mut condition = |kind: &str| Condition {
            kind: kind.into(),
            status: self.one(&[ConditionStatus::True, ConditionStatus::False, ConditionStatus::Unknown]),
        };
        kinds.into_iter().map(&mut condition).collect()
    }
}
