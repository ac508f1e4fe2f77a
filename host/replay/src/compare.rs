//! Compares policies on the same history.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::ReplayError;
use crate::history::History;
use crate::measure::{Course, Measures, Sample, Sampler, StillPending, measures};
use crate::world::{Decider, World};

/// What the policies did with the same history. The first column is the base.
pub struct Comparison {
    /// One course for each decider, in order.
    pub columns: Vec<Column>,
}

/// What a policy did.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Column {
    /// The name of the policy.
    pub name: String,
    /// The policy as numbers.
    #[serde(flatten)]
    pub measures: Measures,
    /// The number of pods that this policy placed on another node than the base did, or that only one of the two placed.
    pub placed_elsewhere: u64,
    /// The first of these pods.
    pub moved: Vec<Moved>,
    /// The first of the pods that are pending at the end.
    pub still_pending: Vec<StillPending>,
    /// The default plugins that took no part, because the capture lacks what they read or because they failed.
    pub left_out: Vec<String>,
    /// Warnings about plugins.
    pub warnings: Vec<String>,
    /// The course over time.
    pub samples: Vec<Sample>,
}

/// A pod that two policies placed differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Moved {
    /// `metadata.namespace`
    pub namespace: String,
    /// `metadata.name`
    pub name: String,
    /// The node with the base; absent if the base placed the pod nowhere.
    pub base: Option<String>,
    /// The node with this policy; absent if the policy placed the pod nowhere.
    pub new: Option<String>,
}

/// The largest number of pods in [`Column::moved`].
const MOST_MOVED: usize = 1000;

/// Plays a history with each of the deciders, the base first. `progress` is called with the number of the decider and the
/// number of changes that were applied. `compaction` returns the fewest nodes that run the pods of a cluster with a
/// decider, or `None` if this is not computed.
///
/// # Errors
/// The plugins of a policy can't serve, or read what the capture lacks. The error names the policy.
pub fn compare(
    history: &History,
    deciders: Vec<(String, Decider)>,
    progress: &mut dyn FnMut(usize, usize),
    compaction: &mut dyn FnMut(&Decider, &berth_analysis::ClusterCopy, berth_core::Timestamp) -> Option<u64>,
) -> Result<Comparison, ReplayError> {
    let sampler = Arc::new(Sampler::new(history));
    let mut base: Option<Course> = None;
    let mut columns = Vec::new();
    for (number, (name, decider)) in deciders.into_iter().enumerate() {
        // All policies are compared at the moment at which the base has the most pods.
        let copy_at = base.as_ref().and_then(Course::copy).map(|(sample, _)| sample);
        let mut report = |changes| progress(number, changes);
        let played = World::play(history, decider.clone(), (&sampler, copy_at), &mut report);
        let course = played.map_err(|error| ReplayError::Policy { name: name.clone(), error: Box::new(error) })?;
        let mut measures = measures(&course);
        if let Some((sample, copy)) = course.copy() {
            measures.compaction = compaction(&decider, copy, course.samples[sample].at);
        }
        let (placed_elsewhere, moved) =
            base.as_ref().map_or_else(Default::default, |base| moved(history, base, &course));
        columns.push(Column {
            name,
            measures,
            placed_elsewhere,
            moved,
            still_pending: course.still_pending.clone(),
            left_out: course.left_out.clone(),
            warnings: course.warnings.clone(),
            samples: course.samples.clone(),
        });
        base.get_or_insert(course);
    }
    Ok(Comparison { columns })
}

/// Returns the number of pods that are placed differently, and the first of them.
fn moved(history: &History, base: &Course, new: &Course) -> (u64, Vec<Moved>) {
    let (mut count, mut moved) = (0, Vec::new());
    for (index, recorded) in history.pods.iter().enumerate() {
        let (before, after) = (base.node_of(index), new.node_of(index));
        // The replacements of preempted pods have no counterpart in a world that preempts others.
        if before == after || recorded.replaces {
            continue;
        }
        count += 1;
        if moved.len() < MOST_MOVED {
            let key = &recorded.pod.key;
            let node = |node: Option<&str>| node.map(str::to_owned);
            moved.push(Moved {
                namespace: key.namespace.to_string(),
                name: key.name.to_string(),
                base: node(before),
                new: node(after),
            });
        }
    }
    (count, moved)
}
