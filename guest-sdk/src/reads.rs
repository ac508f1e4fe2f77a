//! What a function reads: collected from its parameters' types, turned into the plugin's declaration.

use crate::types::{ClusterFacts, NodeFacts, PodFacts};

/// The facts that a parameter, a function or a plugin reads.
#[derive(Clone, Copy, Debug)]
pub struct Reads {
    /// Of the pod to be placed.
    pub pod: PodFacts,
    /// Of nodes.
    pub node: NodeFacts,
    /// Of the pods on nodes.
    pub resident: PodFacts,
    /// Of the cluster.
    pub cluster: ClusterFacts,
    /// The cycle's id, time or seed: the answer differs from cycle to cycle.
    pub cycle: bool,
    /// What `prepare` made, and so all that `prepare` reads.
    pub prepared: bool,
    /// More than the template and one node: the plugin's index, or which other nodes are asked about.
    pub beyond: bool,
}

impl Reads {
    /// Nothing.
    pub const NONE: Reads = Reads {
        pod: PodFacts::empty(),
        node: NodeFacts::empty(),
        resident: PodFacts::empty(),
        cluster: ClusterFacts::empty(),
        cycle: false,
        prepared: false,
        beyond: false,
    };

    /// What `prepare` made.
    pub const PREPARED: Reads = Reads { prepared: true, ..Reads::NONE };

    /// The plugin's index, a node's number, or which nodes are asked about.
    pub const BEYOND: Reads = Reads { beyond: true, ..Reads::NONE };

    /// Facts of the pod to be placed.
    pub const fn pod(facts: PodFacts) -> Reads {
        Reads { pod: facts, ..Reads::NONE }
    }

    /// Facts of nodes.
    pub const fn node(facts: NodeFacts) -> Reads {
        Reads { node: facts, ..Reads::NONE }
    }

    /// Facts of the cluster.
    pub const fn cluster(facts: ClusterFacts) -> Reads {
        Reads { cluster: facts, ..Reads::NONE }
    }

    /// Together with what a function reads, where there is one.
    #[must_use]
    pub(crate) const fn and_of(self, function: Option<Reads>) -> Reads {
        match function {
            Some(reads) => self.and(reads),
            None => self,
        }
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Reads) -> Reads {
        Reads {
            pod: self.pod.union(other.pod),
            node: self.node.union(other.node),
            resident: self.resident.union(other.resident),
            cluster: self.cluster.union(other.cluster),
            cycle: self.cycle || other.cycle,
            prepared: self.prepared || other.prepared,
            beyond: self.beyond || other.beyond,
        }
    }
}
