//! The functions that the expansion of `plugin!` calls. They run the author's functions, with the parameters found by
//! type.

use crate::Queued;
use crate::param::{GivenFn, NodeFn, PodFn, RejectedFn, ScoresFn, SignatureFn, SortFn};
pub use crate::param::{Param, PodParam, Scene, SignatureParam, SignatureScene};
use crate::plugin::Plugin;
use crate::post_filter::Rejected;
pub use crate::reads::{NodeReads, PodReads, Reads};
pub use crate::snapshot::Snapshot;

/// Returns what a filter or score reads.
pub const fn node_reads<P: Plugin, Out, Params, F: NodeFn<P, Out, Params>>(_: &F) -> Reads {
    F::READS
}

/// Returns what a pre-filter or pre-score reads.
pub const fn pod_reads<P: Plugin, Out, Params, F: PodFn<P, Out, Params>>(_: &F) -> Reads {
    F::READS
}

/// Returns what a `prepare` reads.
pub const fn signature_reads<P: Plugin, Out, Params, F: SignatureFn<P, Out, Params>>(_: &F) -> Reads {
    F::READS
}

/// Returns what a normalize reads.
pub const fn scores_reads<P: Plugin, Out, Params, F: ScoresFn<P, Out, Params>>(_: &F) -> Reads {
    F::READS
}

/// Returns what a post-filter reads.
pub const fn rejected_reads<P: Plugin, Out, Params, F: RejectedFn<P, Out, Params>>(_: &F) -> Reads {
    F::READS
}

/// Returns what a queue-sort reads.
pub const fn sort_reads<P: Plugin, Out, Params, F: SortFn<P, Out, Params>>(_: &F) -> Reads {
    F::READS
}

/// Returns what a function reads that also takes a reservation or an event.
pub const fn given_reads<P: Plugin, Given, Out, Params, F: GivenFn<P, Given, Out, Params>>(_: &F) -> Reads {
    F::READS
}

/// Returns `reads` unchanged, after checking that the function can run for all pods of a signature at once.
///
/// # Panics
/// Panics if the function takes `&pod::Identity`. The macro evaluates this at compile time, so it is a compile error.
#[allow(clippy::panic, reason = "at compile time: its message is for the plugin's author")]
pub const fn without_identity(reads: Reads) -> Reads {
    assert!(
        !reads.identity,
        "only post_filter, reserve, unreserve, permit, pre_bind, bind and post_bind act for one pod and can take \
         &pod::Identity. In other functions, read the facts &pod::Name, &pod::Namespace and &pod::Uid"
    );
    reads
}

/// Returns `reads` unchanged, after checking that the function can run outside of any cycle.
///
/// # Panics
/// Panics if the function takes `&Cycle`, `&Time` or `&pod::Identity`. The macro evaluates this at compile time, so it
/// is a compile error.
#[allow(clippy::panic, reason = "at compile time: its message is for the plugin's author")]
pub const fn without_cycle(reads: Reads) -> Reads {
    assert!(
        !reads.cycle && !reads.time,
        "skip, pre_enqueue, queue_sort and queueing_hint run outside of cycles: they can't take &Cycle or &Time"
    );
    without_identity(reads)
}

/// Returns what a `skip` reads, after checking it.
///
/// # Panics
/// Panics if the function reads nodes, or what [`without_cycle`] refuses. The macro evaluates this at compile time, so
/// it is a compile error.
#[allow(clippy::panic, reason = "at compile time: its message is for the plugin's author")]
pub const fn skip_reads<P: Plugin, Out, Params, F: PodFn<P, Out, Params>>(_: &F) -> Reads {
    assert!(!F::READS.nodes, "skip can't read nodes: its answer holds for all nodes, and until the pod changes");
    without_cycle(F::READS)
}

/// Calls a filter or score.
#[inline(always)]
pub fn node<P: Plugin, Out, Params>(function: &impl NodeFn<P, Out, Params>, scene: &Scene<'_, P>) -> Out {
    function.call(scene)
}

/// Calls a pre-filter or pre-score.
pub fn pod<P: Plugin, Out, Params>(function: &impl PodFn<P, Out, Params>, scene: &Scene<'_, P>) -> Out {
    function.call(scene)
}

/// Calls a post-filter.
pub fn rejected<P: Plugin, Out, Params>(
    function: &impl RejectedFn<P, Out, Params>,
    rejected: &mut Rejected<'_>,
    scene: &Scene<'_, P>,
) -> Out {
    function.call(rejected, scene)
}

/// Calls a queue-sort.
pub fn sort<P: Plugin, Out, Params>(
    function: &impl SortFn<P, Out, Params>,
    queued: Queued,
    scene: &Scene<'_, P>,
) -> Out {
    function.call(queued, scene)
}

/// Calls a `prepare`.
pub fn signature<P: Plugin, Out, Params>(
    function: &impl SignatureFn<P, Out, Params>,
    scene: &SignatureScene<'_, P>,
) -> Out {
    function.call(scene)
}

/// Calls a normalize.
pub fn scores<P: Plugin, Out, Params>(
    function: &impl ScoresFn<P, Out, Params>,
    scores: &mut [i64],
    scene: &Scene<'_, P>,
) -> Out {
    function.call(scores, scene)
}

/// Calls a function that also takes a reservation or an event.
pub fn given<P: Plugin, Given, Out, Params>(
    function: &impl GivenFn<P, Given, Out, Params>,
    given: &Given,
    scene: &Scene<'_, P>,
) -> Out {
    function.call(given, scene)
}
