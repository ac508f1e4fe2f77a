//! The facts that a function reads, derived from the types of its parameters. The plugin's declaration is the union
//! over its functions.

use crate::types::{ClusterFacts, NodeFacts, PodFacts};

/// The largest number of names in one list.
const MOST: usize = 32;

/// A list of label keys, annotation keys or paths that a compiler can join: an array, because a constant can't
/// allocate. Each name occurs once.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    list: [&'static str; MOST],
    len: usize,
}

impl Names {
    /// No names.
    pub const NONE: Names = Names { list: [""; MOST], len: 0 };

    /// A single name.
    pub const fn one(name: &'static str) -> Names {
        Names::NONE.with(name)
    }

    /// Returns true if there are no names.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the names of both lists.
    ///
    /// # Panics
    /// Panics if there are more than 32 names. The macro `plugin!` evaluates this at compile time, so it is a compile
    /// error.
    #[must_use]
    pub const fn and(mut self, other: Names) -> Names {
        let mut at = 0;
        while at < other.len {
            self = self.with(other.at(at));
            at += 1;
        }
        self
    }

    /// Returns the names as the contract's declaration has them.
    pub fn declared(&self) -> Vec<String> {
        self.list.iter().take(self.len).map(|name| (*name).to_owned()).collect()
    }

    #[allow(clippy::indexing_slicing, reason = "`get` is not available in a constant, and the index is in bounds")]
    const fn at(&self, at: usize) -> &'static str {
        self.list[at]
    }

    #[allow(clippy::panic, reason = "at compile time: its message is for the plugin's author")]
    #[allow(clippy::indexing_slicing, reason = "`get_mut` is not available in a constant")]
    const fn with(mut self, name: &'static str) -> Names {
        let mut at = 0;
        while at < self.len {
            if same(self.at(at), name) {
                return self;
            }
            at += 1;
        }
        assert!(
            self.len < MOST,
            "a plugin reads at most 32 label keys, 32 annotation keys and 32 fields of a pod or node: name a path above \
             several fields, or read all labels"
        );
        self.list[self.len] = name;
        self.len += 1;
        self
    }
}

/// Returns true if the texts are equal. `==` is not available in a constant.
#[allow(clippy::indexing_slicing, reason = "`get` is not available in a constant, and the index is in bounds")]
const fn same(one: &str, two: &str) -> bool {
    let (one, two) = (one.as_bytes(), two.as_bytes());
    if one.len() != two.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != two[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Defines what a plugin reads of pods or nodes, and the part of it that code at run time needs.
macro_rules! object_reads {
    ($(#[$doc:meta])* $reads:ident, $filled:ident, $facts:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $reads {
            /// Groups of typed fields.
            pub facts: $facts,
            /// Keys of labels.
            pub label_keys: Names,
            /// Keys of annotations.
            pub annotation_keys: Names,
            /// Paths of further fields.
            pub fields: Names,
        }

        impl $reads {
            /// Reads nothing.
            pub const NONE: $reads = $reads::of($facts::empty());

            /// Reads groups of typed fields.
            pub const fn of(facts: $facts) -> $reads {
                $reads { facts, label_keys: Names::NONE, annotation_keys: Names::NONE, fields: Names::NONE }
            }

            /// Reads the label with this key.
            pub const fn label(key: &'static str) -> $reads {
                $reads { label_keys: Names::one(key), ..$reads::NONE }
            }

            /// Reads the annotation with this key.
            pub const fn annotation(key: &'static str) -> $reads {
                $reads { annotation_keys: Names::one(key), ..$reads::NONE }
            }

            /// Reads the field with this path.
            pub const fn field(path: &'static str) -> $reads {
                $reads { fields: Names::one(path), ..$reads::NONE }
            }

            /// Returns the union of `self` and `other`.
            #[must_use]
            pub const fn and(self, other: $reads) -> $reads {
                $reads {
                    facts: self.facts.union(other.facts),
                    label_keys: self.label_keys.and(other.label_keys),
                    annotation_keys: self.annotation_keys.and(other.annotation_keys),
                    fields: self.fields.and(other.fields),
                }
            }

            /// Returns true if nothing is read.
            pub const fn is_empty(&self) -> bool {
                let filled = self.filled();
                filled.facts.is_empty() && !filled.fields
            }

            /// Returns the fields of the contract's record that the host fills.
            pub const fn filled(&self) -> $filled {
                let mut facts = self.facts;
                if !self.label_keys.is_empty() {
                    facts = facts.union($facts::LABELS);
                }
                if !self.annotation_keys.is_empty() {
                    facts = facts.union($facts::ANNOTATIONS);
                }
                $filled { facts, fields: !self.fields.is_empty() }
            }
        }

        /// The fields of the contract's record that the host fills for a plugin. Smaller than the declaration, because
        /// code at run time needs no names.
        #[derive(Clone, Copy, Debug)]
        pub struct $filled {
            /// The groups of typed fields. Has the group of all labels or annotations also if the plugin reads some
            /// keys.
            pub facts: $facts,
            /// True if the plugin reads further fields, which come as JSON.
            pub fields: bool,
        }
    };
}

object_reads! {
    /// What a parameter, a function or a plugin reads of pods.
    PodReads, FilledPod, PodFacts
}
object_reads! {
    /// What a parameter, a function or a plugin reads of nodes.
    NodeReads, FilledNode, NodeFacts
}

/// The facts that a parameter, a function or a plugin reads.
#[derive(Clone, Copy, Debug)]
pub struct Reads {
    /// Facts of the pod that is being scheduled.
    pub pod: PodReads,
    /// Facts of nodes.
    pub node: NodeReads,
    /// Facts of the pods on nodes; `None` if the plugin reads no pods on nodes.
    pub resident: Option<PodReads>,
    /// Facts of the pending pods; `None` if the plugin reads no pending pods.
    pub pending: Option<PodReads>,
    /// Facts of the cluster.
    pub cluster: ClusterFacts,
    /// True if the function reads the cycle's id or seed. The answer may then differ from cycle to cycle.
    pub cycle: bool,
    /// True if the function reads the time.
    pub time: bool,
    /// True if the function reads the pod's namespace, name and uid outside of the pod signature.
    pub identity: bool,
    /// True if the function reads the result of `prepare`, which depends on all facts that `prepare` reads.
    pub prepared: bool,
    /// True if the function reads more than facts: the plugin's index, a node's id, or the list of the nodes that the
    /// call is about.
    pub beyond: bool,
    /// True if the function reads the nodes of the call: facts of a node, its id, or the list of nodes.
    pub nodes: bool,
}

/// The part of [`Reads`] that code at run time needs. A constant, so that the compiler leaves out the code for all
/// other facts.
#[derive(Clone, Copy, Debug)]
pub struct Filled {
    /// Facts of the pod that is being scheduled.
    pub pod: FilledPod,
    /// Facts of nodes.
    pub node: FilledNode,
    /// Facts of the pods on nodes; `None` if the host sends none.
    pub resident: Option<FilledPod>,
    /// Facts of the pending pods; `None` if the host sends none.
    pub pending: Option<FilledPod>,
    /// Facts of the cluster.
    pub cluster: ClusterFacts,
}

impl Reads {
    /// Reads nothing.
    pub const NONE: Reads = Reads {
        pod: PodReads::NONE,
        node: NodeReads::NONE,
        resident: None,
        pending: None,
        cluster: ClusterFacts::empty(),
        cycle: false,
        time: false,
        identity: false,
        prepared: false,
        beyond: false,
        nodes: false,
    };

    /// Reads the result of `prepare`.
    pub const PREPARED: Reads = Reads { prepared: true, ..Reads::NONE };

    /// Reads the plugin's index.
    pub const INDEX: Reads = Reads { beyond: true, ..Reads::NONE };

    /// Reads a node's id, or the list of the nodes that the call is about.
    pub const NODES: Reads = Reads { beyond: true, nodes: true, ..Reads::NONE };

    /// Reads facts of the pod that is being scheduled.
    pub const fn pod(pod: PodReads) -> Reads {
        Reads { pod, ..Reads::NONE }
    }

    /// Reads facts of nodes.
    pub const fn node(node: NodeReads) -> Reads {
        Reads { node, nodes: true, ..Reads::NONE }
    }

    /// Reads facts of the pods on nodes.
    pub const fn resident(pods: PodReads) -> Reads {
        Reads { resident: Some(pods), nodes: true, ..Reads::NONE }
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
            pod: self.pod.and(other.pod),
            node: self.node.and(other.node),
            resident: joined(self.resident, other.resident),
            pending: joined(self.pending, other.pending),
            cluster: self.cluster.union(other.cluster),
            cycle: self.cycle || other.cycle,
            time: self.time || other.time,
            identity: self.identity || other.identity,
            prepared: self.prepared || other.prepared,
            beyond: self.beyond || other.beyond,
            nodes: self.nodes || other.nodes,
        }
    }

    /// Returns the part that code at run time needs.
    pub const fn filled(&self) -> Filled {
        Filled {
            pod: self.pod.filled(),
            node: self.node.filled(),
            resident: filled(&self.resident),
            pending: filled(&self.pending),
            cluster: self.cluster,
        }
    }
}

const fn joined(one: Option<PodReads>, two: Option<PodReads>) -> Option<PodReads> {
    match (one, two) {
        (Some(one), Some(two)) => Some(one.and(two)),
        (Some(pods), None) | (None, Some(pods)) => Some(pods),
        (None, None) => None,
    }
}

const fn filled(pods: &Option<PodReads>) -> Option<FilledPod> {
    match pods {
        Some(pods) => Some(pods.filled()),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unions_have_each_name_once() {
        const READS: PodReads = PodReads::label("app")
            .and(PodReads::of(PodFacts::OWNERS))
            .and(PodReads::label("tier"))
            .and(PodReads::label("app"))
            .and(PodReads::field("spec.a"));
        assert_eq!(READS.label_keys.declared(), ["app", "tier"]);
        assert_eq!((READS.annotation_keys.declared(), READS.fields.declared()), (vec![], vec!["spec.a".to_owned()]));
        assert_eq!(READS.filled().facts, PodFacts::OWNERS | PodFacts::LABELS);
        assert!(READS.filled().fields && !READS.is_empty() && PodReads::NONE.is_empty());
    }

    #[test]
    #[should_panic(expected = "a plugin reads at most 32 label keys")]
    fn more_names_than_a_list_holds_are_refused() {
        let _ = (0..33).map(|name| Names::one(name.to_string().leak())).fold(Names::NONE, Names::and);
    }

    #[test]
    fn pods_without_facts_are_read_too() {
        const READS: Reads = Reads::NONE.and(Reads::resident(PodReads::NONE));
        assert!(READS.resident.is_some() && READS.pending.is_none());
        assert!(READS.and(Reads::resident(PodReads::label("a"))).filled().resident.is_some());
    }
}
