//! A plugin as the SDK sees it: what the `plugin!` line makes of an author's functions.

use crate::classes::{ClassScores, Classified, Known, Passed};
pub use crate::declaration::Declared;
use crate::hints::{Event, Hint};
use crate::index::Index;
use crate::intents::Intent;
use crate::lifecycle::{Permission, Reservation, Reserved};
use crate::param::{Scene, TemplateScene};
use crate::post_filter::{PostFilter, Rejected};
use crate::reads::Reads;
use crate::score::Outcome;
use crate::verdicts::Collector;
use crate::{ClusterEvent, PreFilter, PreScore, Queued, Rejection, Verdict, types};

/// A plugin. Implemented by [`plugin!`](crate::plugin!), not by hand.
pub trait Plugin: Sized + 'static {
    /// The name that profiles, events and messages use.
    const NAME: &'static str;
    /// The plugin's own version.
    const VERSION: &'static str;
    /// The arguments, from `pluginConfig[].args`.
    type Args: 'static;
    /// What the plugin keeps of the cluster; [`NoIndex`](crate::index::NoIndex) for most.
    type Index: Index<Self::Args>;
    /// What is worked out once a template.
    type Prepared: 'static;

    /// What the `plugin!` line says, and what each function reads.
    const DECLARED: Declared;
    /// What all of them read. A constant, so that what is done for other facts only is left out of the component.
    const READS: Reads = Self::DECLARED.reads();

    /// Events after which a rejected pod is worth another try; none for any change of what is read.
    fn retry_on() -> Vec<ClusterEvent> {
        Vec::new()
    }

    /// Reads the arguments. An error names the plugin and the field.
    fn arguments(json: &str) -> Result<Self::Args, String>;

    /// Works out what depends on the template alone.
    fn prepare(scene: &TemplateScene<'_, Self>) -> Self::Prepared;

    /// Whether there is nothing to do with pods of this template.
    fn skip(_scene: &Scene<'_, Self>) -> Outcome<bool> {
        Ok(false)
    }

    /// Once a pod, before it may be tried.
    fn pre_enqueue(_scene: &Scene<'_, Self>) -> Verdict {
        Verdict::FITS
    }

    /// Once a pod that waits since `queued`: its place in the order.
    fn queue_sort(_queued: Queued, _scene: &Scene<'_, Self>) -> Outcome<Vec<i64>> {
        Ok(Vec::new())
    }

    /// Once a pod, before nodes are filtered.
    fn pre_filter(_scene: &Scene<'_, Self>) -> PreFilter {
        PreFilter::All
    }

    /// One node.
    fn filter(_scene: &Scene<'_, Self>) -> Verdict {
        Verdict::FITS
    }

    /// All nodes of a call: one by one, where the author has no way for all at once.
    fn filter_nodes(scene: &mut Scene<'_, Self>) -> Outcome<types::Verdicts> {
        let mut verdicts = Collector::for_nodes(scene.nodes.len());
        for &node in scene.nodes {
            scene.node = node as usize;
            verdicts.push(Self::filter(scene));
        }
        Ok(verdicts.finish())
    }

    /// Once a pod, where no node fits.
    fn post_filter(_rejected: &mut Rejected<'_>, _scene: &Scene<'_, Self>) -> Outcome<PostFilter> {
        Ok(PostFilter::Unschedulable { reasons: Vec::new(), clear: false, intents: Vec::new() })
    }

    /// Once a pod, before nodes are scored.
    fn pre_score(_scene: &Scene<'_, Self>) -> Outcome<PreScore> {
        Ok(PreScore::Score)
    }

    /// One node.
    fn score(_scene: &Scene<'_, Self>) -> Outcome<i64> {
        Ok(0)
    }

    /// All nodes of a call, in the same way.
    fn score_nodes(scene: &mut Scene<'_, Self>) -> Outcome<Vec<i64>> {
        let mut scores = Vec::with_capacity(scene.nodes.len());
        for &node in scene.nodes {
            scene.node = node as usize;
            scores.push(Self::score(scene)?);
        }
        Ok(scores)
    }

    /// All raw scores at once.
    fn normalize(_scores: &mut [i64], _scene: &Scene<'_, Self>) -> Outcome<()> {
        Ok(())
    }

    /// Which node is of which class, and what the filter says of classes; `None` where the nodes have to be asked about.
    fn classify(_known: &Known, _scene: &Scene<'_, Self>) -> Outcome<Option<Classified>> {
        Ok(None)
    }

    /// Scores of the classes.
    fn score_classes(_passed: &Passed, _scene: &Scene<'_, Self>) -> Outcome<ClassScores> {
        Ok(ClassScores::default())
    }

    /// A node was chosen.
    fn reserve(_scene: &Scene<'_, Self>) -> Result<Reservation, Rejection> {
        Ok(Reservation::default())
    }

    /// The reservation ends without a bind: what has to be undone.
    fn unreserve(_reserved: &Reserved, _scene: &Scene<'_, Self>) -> Vec<Intent> {
        Vec::new()
    }

    /// Whether the pod may be bound.
    fn permit(_reserved: &Reserved, _scene: &Scene<'_, Self>) -> Permission {
        Permission::APPROVE
    }

    /// What has to be done before the bind.
    fn pre_bind(_reserved: &Reserved, _scene: &Scene<'_, Self>) -> Outcome<Vec<Intent>> {
        Ok(Vec::new())
    }

    /// How the pod is bound; `None` leaves it to others.
    fn bind(_reserved: &Reserved, _scene: &Scene<'_, Self>) -> Outcome<Option<Vec<Intent>>> {
        Ok(None)
    }

    /// The pod is bound.
    fn post_bind(_reserved: &Reserved, _scene: &Scene<'_, Self>) {}

    /// Whether an event can help a pod that was rejected.
    fn queueing_hint(_event: &Event, _scene: &Scene<'_, Self>) -> Outcome<Hint> {
        Ok(Hint::Queue)
    }
}

/// The arguments of a plugin that takes none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoArgs;
