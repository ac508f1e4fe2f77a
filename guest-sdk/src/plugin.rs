//! The trait that the `plugin!` macro implements with an author's functions.

use crate::classes::{ClassScores, Classified, Known, Passed};
pub use crate::declaration::Declared;
use crate::hints::{Event, Hint};
use crate::index::Index;
use crate::intents::Intent;
use crate::lifecycle::{Permission, Reservation, Reserved, Undone};
use crate::param::{Scene, SignatureScene};
use crate::post_filter::{PostFilter, Rejected};
use crate::reads::{Filled, Reads};
use crate::score::Outcome;
use crate::verdicts::Collector;
use crate::{ClusterEvent, PreFilter, PreScore, Queued, Rejection, Verdict, types};

/// A plugin. The macro [`plugin!`](crate::plugin!) implements this trait; you don't implement it by hand.
pub trait Plugin: Sized + 'static {
    /// The name of the plugin in profiles, events and messages.
    const NAME: &'static str;
    /// The plugin's own version.
    const VERSION: &'static str;
    /// The JSON Schema of the arguments.
    const SCHEMA: Option<&'static str> = None;
    /// The type of the arguments, read from `pluginConfig[].args`.
    type Args: 'static;
    /// The plugin's own state of the cluster. Most plugins have [`NoIndex`](crate::index::NoIndex).
    type Index: Index<Self::Args>;
    /// The result of `prepare`, computed once per pod signature.
    type Prepared: 'static;

    /// The keys of the `plugin!` macro, and the facts that each function reads.
    const DECLARED: Declared;
    /// The union of the facts that all functions and the index read. A constant, so that the compiler leaves out the
    /// code for all other facts.
    const READS: Reads = Self::DECLARED.reads();
    /// The part of [`Plugin::READS`] that code at run time needs.
    const FILLED: Filled = Self::READS.filled();

    /// Returns the events after which a rejected pod is worth another attempt. Empty: any change of a fact that the
    /// plugin reads.
    fn retry_on() -> Vec<ClusterEvent> {
        Vec::new()
    }

    /// Reads the arguments. An error names the plugin and the field.
    fn arguments(json: &str) -> Result<Self::Args, String>;

    /// Computes the value that depends only on the facts of the signature's pods, the arguments and cluster facts.
    fn prepare(scene: &SignatureScene<'_, Self>) -> Self::Prepared;

    /// Returns true if the plugin does not apply to pods of this pod signature.
    fn skip(_scene: &Scene<'_, Self>) -> Outcome<bool> {
        Ok(false)
    }

    /// Decides whether the pod may enter the active queue.
    fn pre_enqueue(_scene: &Scene<'_, Self>) -> Verdict {
        Verdict::FITS
    }

    /// Returns the sort key of a pod.
    fn queue_sort(_queued: Queued, _scene: &Scene<'_, Self>) -> Outcome<Vec<i64>> {
        Ok(Vec::new())
    }

    /// Runs before nodes are filtered.
    fn pre_filter(_scene: &Scene<'_, Self>) -> PreFilter {
        PreFilter::All
    }

    /// Filters one node.
    fn filter(_scene: &Scene<'_, Self>) -> Verdict {
        Verdict::FITS
    }

    /// Filters all nodes of a call. Calls [`Plugin::filter`] for each node, unless the author gave `filter_nodes`.
    fn filter_nodes(scene: &mut Scene<'_, Self>) -> Outcome<types::Verdicts> {
        let mut verdicts = Collector::for_nodes(scene.nodes.len());
        for &node in scene.nodes {
            scene.node = node as usize;
            verdicts.push(Self::filter(scene));
        }
        Ok(verdicts.finish())
    }

    /// Runs if the pod fits no node.
    fn post_filter(_rejected: &mut Rejected<'_>, _scene: &Scene<'_, Self>) -> Outcome<PostFilter> {
        Ok(PostFilter::default())
    }

    /// Runs before nodes are scored.
    fn pre_score(_scene: &Scene<'_, Self>) -> Outcome<PreScore> {
        Ok(PreScore::Score)
    }

    /// Scores one node.
    fn score(_scene: &Scene<'_, Self>) -> Outcome<i64> {
        Ok(0)
    }

    /// Scores all nodes of a call. Calls [`Plugin::score`] for each node, unless the author gave `score_nodes`.
    fn score_nodes(scene: &mut Scene<'_, Self>) -> Outcome<Vec<i64>> {
        let mut scores = Vec::with_capacity(scene.nodes.len());
        for &node in scene.nodes {
            scene.node = node as usize;
            scores.push(Self::score(scene)?);
        }
        Ok(scores)
    }

    /// Normalizes the raw scores of all nodes in place.
    fn normalize(_scores: &mut [i64], _scene: &Scene<'_, Self>) -> Outcome<()> {
        Ok(())
    }

    /// Sorts the nodes into classes and filters the classes. `None`: the host has to ask node by node.
    fn classify(_known: &Known, _scene: &Scene<'_, Self>) -> Outcome<Option<Classified>> {
        Ok(None)
    }

    /// Scores the classes.
    fn score_classes(_passed: &Passed, _scene: &Scene<'_, Self>) -> Outcome<ClassScores> {
        Ok(ClassScores::default())
    }

    /// Reserves what the pod needs on the chosen node.
    fn reserve(_scene: &Scene<'_, Self>) -> Result<Reservation, Rejection> {
        Ok(Reservation::default())
    }

    /// Ends a reservation without a bind.
    fn unreserve(_reserved: &Reserved, _scene: &Scene<'_, Self>) -> Undone {
        Undone::default()
    }

    /// Decides whether the pod may be bound.
    fn permit(_reserved: &Reserved, _scene: &Scene<'_, Self>) -> Permission {
        Permission::APPROVE
    }

    /// Returns the intents to execute before the bind.
    fn pre_bind(_reserved: &Reserved, _scene: &Scene<'_, Self>) -> Outcome<Vec<Intent>> {
        Ok(Vec::new())
    }

    /// Returns how the pod is bound. `None` leaves the pod to the next bind plugin or to the host.
    fn bind(_reserved: &Reserved, _scene: &Scene<'_, Self>) -> Outcome<Option<Vec<Intent>>> {
        Ok(None)
    }

    /// Runs after the pod is bound.
    fn post_bind(_reserved: &Reserved, _scene: &Scene<'_, Self>) {}

    /// Returns whether an event can help a pod that this plugin rejected.
    fn queueing_hint(_event: &Event, _scene: &Scene<'_, Self>) -> Outcome<Hint> {
        Ok(Hint::Queue)
    }
}

/// The arguments of a plugin that takes none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoArgs;
