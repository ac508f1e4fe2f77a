//! Parameters of a plugin's functions. Their types say what a function reads.
//!
//! Every type that a plugin's function may take implements [`Param`]. These types are references to the facts of the
//! modules `pod`, `node` and `cluster`; `node::Free`, `node::Pods`, `node::Id`, `node::Ids`, `node::Change` and
//! `pod::Change` by value; [`&Cycle`](crate::Cycle), [`&Time`](crate::Time) and `&pod::Identity`; and references to the
//! plugin's own arguments, prepared state and [index](crate::index).
//!
//! A parameter of any other type does not compile, so a plugin can't read what it does not declare:
//!
//! ```compile_fail,E0277
//! fn filter(node: &String) -> Result<(), String> {
//!     Err(node.clone())
//! }
//!
//! berth_guest::plugin!(name: "Nothing", filter: filter);
//! ```
//!
//! A fact of a node does not compile in a function that runs before there is a node:
//!
//! ```compile_fail,E0277
//! use berth_guest::prelude::*;
//!
//! fn pre_filter(_: &node::Labels) -> PreFilter {
//!     PreFilter::All
//! }
//!
//! berth_guest::plugin!(name: "TooEarly", pre_filter: pre_filter);
//! ```
//!
//! The pod's identity is known where a plugin acts for one pod, from post-filter and reserve on. A filter is asked
//! about all pods of a signature at once, so it does not compile with the identity:
//!
//! ```compile_fail,E0080
//! use berth_guest::prelude::*;
//!
//! fn filter(_: &pod::Identity) -> Result<(), &'static str> {
//!     Ok(())
//! }
//!
//! berth_guest::plugin!(name: "ByName", filter: filter);
//! # fn main() {}
//! ```
//!
//! Neither `skip` nor a queue-sort may depend on nodes:
//!
//! ```compile_fail,E0080
//! use berth_guest::prelude::*;
//!
//! fn skip(nodes: node::Ids<'_>) -> bool {
//!     nodes.is_empty()
//! }
//!
//! berth_guest::plugin!(name: "NoNodes", skip: skip);
//! # fn main() {}
//! ```
//!
//! ```compile_fail,E0080
//! use berth_guest::prelude::*;
//! use berth_guest::Queued;
//!
//! fn queue_sort(queued: Queued, nodes: node::Ids<'_>) -> [i64; 2] {
//!     [nodes.len() as i64, queued.queued]
//! }
//!
//! berth_guest::plugin!(name: "SortByNodes", queue_sort: queue_sort);
//! # fn main() {}
//! ```

use crate::hints::EventChange;
use crate::plugin::Plugin;
use crate::post_filter::Rejected;
use crate::reads::Reads;
use crate::snapshot::Snapshot;
use crate::types::PodIdentity;
use crate::{Attempt, Queued, cluster, pod};

/// The inputs of `prepare`: the arguments, and the facts of the signature's pods and of the cluster.
pub struct SignatureScene<'a, P: Plugin> {
    pub(crate) args: &'a P::Args,
    pub(crate) pod: &'a pod::Facts,
    pub(crate) cluster: &'a cluster::Facts,
}

/// One call of a plugin's function: a pod signature in a cycle, and for filters and scores a node.
pub struct Scene<'a, P: Plugin> {
    pub(crate) signature: SignatureScene<'a, P>,
    pub(crate) prepared: &'a P::Prepared,
    pub(crate) index: &'a P::Index,
    pub(crate) attempt: &'a Attempt,
    /// The pod's namespace, name and uid, in functions that act for one pod.
    pub(crate) identity: &'a PodIdentity,
    pub(crate) snapshot: &'a Snapshot,
    /// The nodes of the call; empty if the call is not about a list of nodes, as in a pre-filter or a reserve.
    pub(crate) nodes: &'a [u32],
    /// The id of the current node. Only meaningful in a filter, score or reserve.
    pub(crate) node: usize,
    /// The node or pod of an event, for a queueing hint.
    pub(crate) event_change: EventChange<'a>,
}

impl<'a, P: Plugin> SignatureScene<'a, P> {
    /// Returns the plugin's arguments.
    pub fn args(&self) -> &'a P::Args {
        self.args
    }

    /// Returns the facts of the signature's pods.
    pub fn pod(&self) -> &'a pod::Facts {
        self.pod
    }
}

impl<'a, P: Plugin> Scene<'a, P> {
    /// Returns the plugin's arguments.
    pub fn args(&self) -> &'a P::Args {
        self.signature.args
    }

    /// Returns the result of `prepare` for the pod signature.
    pub fn prepared(&self) -> &'a P::Prepared {
        self.prepared
    }

    /// Returns the facts of the pod.
    pub fn pod(&self) -> &'a pod::Facts {
        self.signature.pod
    }

    /// Returns the nodes' facts, and the row of the current node.
    pub fn snapshot_node(&self) -> (&'a Snapshot, usize) {
        (self.snapshot, self.node)
    }

    /// Returns the plugin's index.
    pub fn index(&self) -> &'a P::Index {
        self.index
    }
}

/// A type that a plugin's function may take as a parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter of a plugin's function",
    label = "this is no fact, not `&Cycle` or `&Time`, and not the `args`, `index` or `prepare` type of the `plugin!` line",
    note = "take facts by reference: `&pod::Labels`, `&node::Taints`, `&cluster::NodeCount`"
)]
pub trait Param<P: Plugin> {
    /// The parameter's type with the lifetime of the call.
    type Item<'a>;
    /// The facts that the parameter reads.
    const READS: Reads;
    /// Returns the parameter's value in this call.
    fn of<'a>(scene: &Scene<'a, P>) -> Self::Item<'a>;
}

/// A parameter that needs no node. Functions that run without a node, such as pre-filter, pre-score and normalize,
/// take only these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter here: there is no node before filter and score",
    label = "only facts of the pod and the cluster, `&Cycle`, arguments and prepared state"
)]
pub trait PodParam<P: Plugin>: Param<P> {}

/// A parameter that is the same for all pods of a pod signature. `prepare` takes only these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter of `prepare`, which runs once for each signature",
    label = "only facts of the pod and the cluster, and arguments"
)]
pub trait SignatureParam<P: Plugin>: PodParam<P> {
    /// Returns the parameter's value for the pod signature.
    fn of_signature<'a>(scene: &SignatureScene<'a, P>) -> Self::Item<'a>;
}

/// A function that runs for a pod and a node: a filter, score or reserve.
pub trait NodeFn<P: Plugin, Out, Params> {
    /// The facts that the function's parameters read.
    const READS: Reads;
    /// Calls the function.
    fn call(&self, scene: &Scene<'_, P>) -> Out;
}

/// A function that runs without a single node: `skip`, a pre-enqueue, a pre-filter, a pre-score, `filter_nodes` or
/// `score_nodes`.
pub trait PodFn<P: Plugin, Out, Params> {
    /// The facts that the function's parameters read.
    const READS: Reads;
    /// Calls the function.
    fn call(&self, scene: &Scene<'_, P>) -> Out;
}

/// A function that runs once per pod signature: `prepare`.
pub trait SignatureFn<P: Plugin, Out, Params> {
    /// The facts that the function's parameters read.
    const READS: Reads;
    /// Calls the function.
    fn call(&self, scene: &SignatureScene<'_, P>) -> Out;
}

/// A normalize: a function of the raw scores and of [`PodParam`]s.
pub trait ScoresFn<P: Plugin, Out, Params> {
    /// The facts that the function's parameters read.
    const READS: Reads;
    /// Calls the function.
    fn call(&self, scores: &mut [i64], scene: &Scene<'_, P>) -> Out;
}

/// A post-filter: a function of the rejected nodes and of [`PodParam`]s.
pub trait RejectedFn<P: Plugin, Out, Params> {
    /// The facts that the function's parameters read.
    const READS: Reads;
    /// Calls the function.
    fn call(&self, rejected: &mut Rejected<'_>, scene: &Scene<'_, P>) -> Out;
}

/// A queue-sort: a function of the time at which the pod began to wait and of [`PodParam`]s.
pub trait SortFn<P: Plugin, Out, Params> {
    /// The facts that the function's parameters read.
    const READS: Reads;
    /// Calls the function.
    fn call(&self, queued: Queued, scene: &Scene<'_, P>) -> Out;
}

/// A function of one parameter of the call, such as a reservation or an event, and of [`PodParam`]s.
pub trait GivenFn<P: Plugin, Given, Out, Params> {
    /// The facts that the function's parameters read.
    const READS: Reads;
    /// Calls the function.
    fn call(&self, given: &Given, scene: &Scene<'_, P>) -> Out;
}

// `F: Fn(A)` lets the compiler infer the parameter's type A from the function. `for<'a> F: Fn(A::Item<'a>)` lets the
// SDK call the function with the call's lifetime.
macro_rules! functions {
    ($($param:ident)*) => {
        impl<P: Plugin, Out, F, $($param: Param<P>),*> NodeFn<P, Out, fn($($param),*)> for F
        where
            F: Fn($($param),*) -> Out + for<'a> Fn($($param::Item<'a>),*) -> Out,
        {
            const READS: Reads = Reads::NONE$(.and($param::READS))*;

            #[inline(always)]
            fn call(&self, _scene: &Scene<'_, P>) -> Out {
                self($($param::of(_scene)),*)
            }
        }

        impl<P: Plugin, Out, F, $($param: PodParam<P>),*> PodFn<P, Out, fn($($param),*)> for F
        where
            F: Fn($($param),*) -> Out + for<'a> Fn($($param::Item<'a>),*) -> Out,
        {
            const READS: Reads = Reads::NONE$(.and($param::READS))*;

            fn call(&self, _scene: &Scene<'_, P>) -> Out {
                self($($param::of(_scene)),*)
            }
        }

        impl<P: Plugin, Out, F, $($param: SignatureParam<P>),*> SignatureFn<P, Out, fn($($param),*)> for F
        where
            F: Fn($($param),*) -> Out + for<'a> Fn($($param::Item<'a>),*) -> Out,
        {
            const READS: Reads = Reads::NONE$(.and($param::READS))*;

            fn call(&self, _scene: &SignatureScene<'_, P>) -> Out {
                self($($param::of_signature(_scene)),*)
            }
        }

        impl<P: Plugin, Out, F, $($param: PodParam<P>),*> ScoresFn<P, Out, fn($($param),*)> for F
        where
            F: Fn(&mut [i64] $(, $param)*) -> Out + for<'a> Fn(&mut [i64] $(, $param::Item<'a>)*) -> Out,
        {
            const READS: Reads = Reads::NONE$(.and($param::READS))*;

            fn call(&self, scores: &mut [i64], _scene: &Scene<'_, P>) -> Out {
                self(scores $(, $param::of(_scene))*)
            }
        }

        impl<P: Plugin, Out, F, $($param: PodParam<P>),*> RejectedFn<P, Out, fn($($param),*)> for F
        where
            F: Fn(&mut Rejected<'_> $(, $param)*) -> Out + for<'a> Fn(&mut Rejected<'_> $(, $param::Item<'a>)*) -> Out,
        {
            const READS: Reads = Reads::NONE$(.and($param::READS))*;

            fn call(&self, rejected: &mut Rejected<'_>, _scene: &Scene<'_, P>) -> Out {
                self(rejected $(, $param::of(_scene))*)
            }
        }

        impl<P: Plugin, Out, F, $($param: PodParam<P>),*> SortFn<P, Out, fn($($param),*)> for F
        where
            F: Fn(Queued $(, $param)*) -> Out + for<'a> Fn(Queued $(, $param::Item<'a>)*) -> Out,
        {
            const READS: Reads = Reads::NONE$(.and($param::READS))*;

            fn call(&self, queued: Queued, _scene: &Scene<'_, P>) -> Out {
                self(queued $(, $param::of(_scene))*)
            }
        }

        impl<P: Plugin, Given, Out, F, $($param: PodParam<P>),*> GivenFn<P, Given, Out, fn($($param),*)> for F
        where
            F: Fn(&Given $(, $param)*) -> Out + for<'a> Fn(&Given $(, $param::Item<'a>)*) -> Out,
        {
            const READS: Reads = Reads::NONE$(.and($param::READS))*;

            fn call(&self, given: &Given, _scene: &Scene<'_, P>) -> Out {
                self(given $(, $param::of(_scene))*)
            }
        }
    };
}

functions!();
functions!(A);
functions!(A B);
functions!(A B C);
functions!(A B C D);
functions!(A B C D E);
functions!(A B C D E G);
functions!(A B C D E G H);
functions!(A B C D E G H I);
