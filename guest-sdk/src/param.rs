//! Parameters: how a plugin's plain functions are called, and how their types say what they read.
//!
//! Every type that may stand in a plugin's function implements [`Param`]; an author needs to know only which those
//! are: `&pod::…`, `&node::…`, `&cluster::…`, [`node::Id`](crate::node::Id), [`node::Ids`](crate::node::Ids),
//! [`&Cycle`](crate::Cycle), and references to the plugin's own arguments, prepared state and [index](crate::index).
//!
//! Anything else is no parameter, so what a plugin reads without declaring it does not compile:
//!
//! ```compile_fail,E0277
//! fn filter(node: &String) -> Result<(), String> {
//!     Err(node.clone())
//! }
//!
//! berth_guest::plugin!(name: "Nothing", filter: filter);
//! ```
//!
//! Nor does a fact of a node before there is a node:
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

use crate::hints::Happening;
use crate::plugin::Plugin;
use crate::post_filter::Rejected;
use crate::reads::Reads;
use crate::snapshot::Snapshot;
use crate::{Cycle, Queued, cluster, pod};

/// What is known of a template: all that `prepare` may read.
pub struct TemplateScene<'a, P: Plugin> {
    pub(crate) args: &'a P::Args,
    pub(crate) pod: &'a pod::Facts,
    pub(crate) cluster: &'a cluster::Facts,
}

/// One call of a plugin's function: a template in a cycle and, for filters and scores, a node.
pub struct Scene<'a, P: Plugin> {
    pub(crate) template: TemplateScene<'a, P>,
    pub(crate) prepared: &'a P::Prepared,
    pub(crate) index: &'a P::Index,
    pub(crate) cycle: &'a Cycle,
    pub(crate) snapshot: &'a Snapshot,
    /// Those that the call is about; none in a pre-filter.
    pub(crate) nodes: &'a [u32],
    /// Index of the node; of no meaning before filter and score.
    pub(crate) node: usize,
    /// Of a queueing hint.
    pub(crate) happening: Happening<'a>,
}

impl<'a, P: Plugin> TemplateScene<'a, P> {
    /// The plugin's arguments.
    pub fn args(&self) -> &'a P::Args {
        self.args
    }
}

impl<'a, P: Plugin> Scene<'a, P> {
    /// The plugin's arguments.
    pub fn args(&self) -> &'a P::Args {
        self.template.args
    }

    /// What `prepare` made of the template.
    pub fn prepared(&self) -> &'a P::Prepared {
        self.prepared
    }

    /// What the plugin keeps of the cluster.
    pub fn index(&self) -> &'a P::Index {
        self.index
    }
}

/// A type that may be a parameter of a plugin's filter or score.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter of a plugin's function",
    label = "this is no fact, no `&Cycle`, and not the `args`, `index` or `prepare` type of the `plugin!` line",
    note = "facts are taken by reference: `&pod::Labels`, `&node::Taints`, `&cluster::NodeCount`"
)]
pub trait Param<P: Plugin> {
    /// The type with the call's own lifetime.
    type Item<'a>;
    /// What it reads.
    const READS: Reads;
    /// Takes it out of the call.
    fn of<'a>(scene: &Scene<'a, P>) -> Self::Item<'a>;
}

/// A parameter that needs no node: for pre-filter, pre-score and normalize.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter here: there is no node before filter and score",
    label = "only facts of the pod and the cluster, `&Cycle`, arguments and prepared state"
)]
pub trait PodParam<P: Plugin>: Param<P> {}

/// A parameter that stays the same for a template: for `prepare`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter of `prepare`, which runs once a template",
    label = "only facts of the pod and the cluster, and arguments"
)]
pub trait TemplateParam<P: Plugin>: PodParam<P> {
    /// Takes it out of the template.
    fn of_template<'a>(scene: &TemplateScene<'a, P>) -> Self::Item<'a>;
}

/// A filter or score: a function of any of the facts.
pub trait NodeFn<P: Plugin, Out, Params> {
    /// What its parameters read.
    const READS: Reads;
    /// Calls it.
    fn call(&self, scene: &Scene<'_, P>) -> Out;
}

/// A function of the pod and the cluster: a pre-filter, a pre-score, or one that answers about all nodes at once.
pub trait PodFn<P: Plugin, Out, Params> {
    /// What its parameters read.
    const READS: Reads;
    /// Calls it.
    fn call(&self, scene: &Scene<'_, P>) -> Out;
}

/// A `prepare`: a function of a template.
pub trait TemplateFn<P: Plugin, Out, Params> {
    /// What its parameters read.
    const READS: Reads;
    /// Calls it.
    fn call(&self, scene: &TemplateScene<'_, P>) -> Out;
}

/// A normalize: a function of the scores, and of the pod and the cluster.
pub trait ScoresFn<P: Plugin, Out, Params> {
    /// What its parameters read.
    const READS: Reads;
    /// Calls it.
    fn call(&self, scores: &mut [i64], scene: &Scene<'_, P>) -> Out;
}

/// A post-filter: a function of how the nodes were rejected, and of the pod and the cluster.
pub trait RejectedFn<P: Plugin, Out, Params> {
    /// What its parameters read.
    const READS: Reads;
    /// Calls it.
    fn call(&self, rejected: &mut Rejected<'_>, scene: &Scene<'_, P>) -> Out;
}

/// A queue-sort: a function of since when the pod waits, and of the pod and the cluster.
pub trait SortFn<P: Plugin, Out, Params> {
    /// What its parameters read.
    const READS: Reads;
    /// Calls it.
    fn call(&self, queued: Queued, scene: &Scene<'_, P>) -> Out;
}

/// A function of something that the call brings, a reservation or an event, and of the pod and the cluster.
pub trait GivenFn<P: Plugin, Given, Out, Params> {
    /// What its parameters read.
    const READS: Reads;
    /// Calls it.
    fn call(&self, given: &Given, scene: &Scene<'_, P>) -> Out;
}

// `F: Fn(A)` lets the compiler find the parameter's type A in the function; `for<'a> F: Fn(A::Item<'a>)` lets it be called
// with whatever lifetime the call has.
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

        impl<P: Plugin, Out, F, $($param: TemplateParam<P>),*> TemplateFn<P, Out, fn($($param),*)> for F
        where
            F: Fn($($param),*) -> Out + for<'a> Fn($($param::Item<'a>),*) -> Out,
        {
            const READS: Reads = Reads::NONE$(.and($param::READS))*;

            fn call(&self, _scene: &TemplateScene<'_, P>) -> Out {
                self($($param::of_template(_scene)),*)
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

impl<P: Plugin> Param<P> for &Cycle {
    type Item<'a> = &'a Cycle;
    const READS: Reads = Reads { cycle: true, ..Reads::NONE };

    fn of<'a>(scene: &Scene<'a, P>) -> &'a Cycle {
        scene.cycle
    }
}

impl<P: Plugin> PodParam<P> for &Cycle {}
