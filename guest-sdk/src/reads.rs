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
    /// True if the function reads the cycle's id, time or seed. The answer may then differ from cycle to cycle.
    pub cycle: bool,
    /// True if the function reads the result of `prepare`, which depends on all facts that `prepare` reads.
    pub prepared: bool,
    /// True if the function reads more than facts: the plugin's index, a node's id, or the list of the nodes that the
    /// call is about.
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

    /// Reads the plugin's index, a node's id, or the list of the nodes that the call is about.
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

    /// Returns the union with the facts that a function reads. `None` means that the plugin does not have the function.
    #[must_use]
    pub(crate) const fn and_of(self, function: Option<Reads>) -> Reads {
        match function {
            Some(reads) => self.and(reads),
            None => self,
        }
    }

    /// Returns the union of `self` and `other`.
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
