//! The facts that a function reads, derived from the types of its parameters. The plugin's declaration is the union
//! over its functions.

use crate::types::{ClusterFacts, NodeFacts, PodFacts};

/// The facts that a parameter, a function or a plugin reads.
#[derive(Clone, Copy, Debug)]
pub struct Reads {
    /// Facts of the pod that is being scheduled.
    pub pod: PodFacts,
    /// Facts of nodes.
    pub node: NodeFacts,
    /// Facts of the pods on nodes.
    pub resident: PodFacts,
    /// Facts of the cluster.
    pub cluster: ClusterFacts,
    /// True if it reads the cycle's id, time or seed. The answer then differs from cycle to cycle.
    pub cycle: bool,
    /// True if it reads the result of `prepare`, and so everything that `prepare` reads.
    pub prepared: bool,
    /// True if it reads more than the template and the facts of one node: the plugin's index, a node's id, or which
    /// other nodes the call is about.
    pub beyond: bool,
}

impl Reads {
    /// Reads nothing.
    pub const NONE: Reads = Reads {
        pod: PodFacts::empty(),
        node: NodeFacts::empty(),
        resident: PodFacts::empty(),
        cluster: ClusterFacts::empty(),
        cycle: false,
        prepared: false,
        beyond: false,
    };

    /// Reads the result of `prepare`.
    pub const PREPARED: Reads = Reads { prepared: true, ..Reads::NONE };

    /// Reads the plugin's index, a node's id, or which nodes the call is about.
    pub const BEYOND: Reads = Reads { beyond: true, ..Reads::NONE };

    /// Reads facts of the pod that is being scheduled.
    pub const fn pod(facts: PodFacts) -> Reads {
        Reads { pod: facts, ..Reads::NONE }
    }

    /// Reads facts of nodes.
    pub const fn node(facts: NodeFacts) -> Reads {
        Reads { node: facts, ..Reads::NONE }
    }

    /// Reads facts of the cluster.
    pub const fn cluster(facts: ClusterFacts) -> Reads {
        Reads { cluster: facts, ..Reads::NONE }
    }

    /// Returns the union with what a function reads, if the plugin has the function.
    #[must_use]
    pub(crate) const fn and_of(self, function: Option<Reads>) -> Reads {
        match function {
            Some(reads) => self.and(reads),
            None => self,
        }
    }

    /// Returns the union of both.
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
