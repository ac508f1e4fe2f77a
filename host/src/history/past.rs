//! A moment of the past of a scheduler: answers questions about it.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use berth_admin::api::{HistoryRange, PodQuestion, QuestionError, Questions};
use berth_analysis::preview::{PolicyChange, Preview};
use berth_analysis::{
    ClusterFollower, ClusterListing, ClusterView, HiddenNames, NodePods, PastPodQuestion, PluginListing, PodAnswer,
    QueueListing, QueueQuestion, whatif,
};
use berth_core::{Core, Timestamp};
use berth_replay::Moment;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::Semaphore;

use super::{MOST_QUESTIONS, blocking};

/// Returns the names of all nodes, and of all pods outside of this namespace.
pub(crate) fn names(core: &Core, namespace: &str) -> HiddenNames {
    let copy = berth_analysis::ClusterCopy::of(core);
    let others: Vec<_> = copy.pods.iter().chain(&copy.pending).map(|pod| &pod.key).collect();
    let others: Vec<_> = others.into_iter().filter(|key| *key.namespace != *namespace).collect();
    HiddenNames {
        nodes: copy.nodes.iter().map(|node| node.name.to_string()).collect(),
        pods: others.iter().map(ToString::to_string).collect(),
        namespaces: others.iter().map(|key| key.namespace.to_string()).collect(),
    }
}

/// A scheduler as it was at a moment of its capture.
pub struct Past {
    moment: Arc<Mutex<Moment>>,
    places: Arc<Semaphore>,
}

impl Past {
    /// Answers questions about this moment.
    pub fn new(moment: Moment) -> Self {
        Self { moment: Arc::new(Mutex::new(moment)), places: Arc::new(Semaphore::new(MOST_QUESTIONS)) }
    }

    /// Returns whether the capture has reached the moment. Before, steps up to the moment can follow.
    pub fn is_complete(&self) -> bool {
        self.moment.lock().unwrap_or_else(PoisonError::into_inner).end().is_none()
    }

    /// Runs `look` on the moment, on a thread that may block.
    pub(super) fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Moment) -> Result<T, QuestionError> + Send + 'static,
    ) -> BoxFuture<'_, Result<T, QuestionError>> {
        let moment = Arc::clone(&self.moment);
        // A panic leaves the moment as it was: looking changes nothing.
        blocking(&self.places, move || look(&moment.lock().unwrap_or_else(PoisonError::into_inner))).boxed()
    }
}

fn only_about_the_present<T>() -> BoxFuture<'static, Result<T, QuestionError>> {
    let message = "this question is about the present only; leave out `at`";
    async move { Err(QuestionError::Invalid(message.to_owned())) }.boxed()
}

impl Questions for Past {
    fn explain(&self, question: PodQuestion) -> BoxFuture<'_, Result<PodAnswer, QuestionError>> {
        self.look(move |moment| {
            let PodQuestion { namespace, name, why_not, all_nodes } = &question;
            let asked = PastPodQuestion { namespace, name, why_not: why_not.as_deref(), all_nodes: *all_nodes };
            let answer = PodAnswer::of_the_past(moment.core(), asked, || {
                let policy = moment.policy().context("the scheduler had no plugins yet")?;
                anyhow::Ok(moment.sandbox(policy)?)
            });
            let answer = answer.map_err(|error| QuestionError::Failed(format!("{error:#}")))?;
            let at = moment.at();
            let none = || format!("pods \"{name}\" not found in the namespace \"{namespace}\" at {at}");
            answer.ok_or_else(|| QuestionError::NotFound(none()))
        })
    }

    fn queue(&self, question: QueueQuestion) -> BoxFuture<'_, Result<QueueListing, QuestionError>> {
        self.look(move |moment| Ok(QueueListing::of(moment.core(), &question, moment.at())))
    }

    fn cluster(
        &self,
        mut follower: ClusterFollower,
    ) -> BoxFuture<'_, Result<(ClusterFollower, ClusterListing), QuestionError>> {
        self.look(move |moment| {
            let view = ClusterView::of(moment.core(), follower.position());
            let listing = follower.next(view, moment.at());
            Ok((follower, listing))
        })
    }

    fn node_pods(&self, node: String) -> BoxFuture<'_, Result<NodePods, QuestionError>> {
        self.look(move |moment| {
            let none = || QuestionError::NotFound(format!("nodes \"{node}\" not found at {}", moment.at()));
            NodePods::of(moment.core(), &node).ok_or_else(none)
        })
    }

    fn plugins(&self) -> BoxFuture<'_, Result<PluginListing, QuestionError>> {
        only_about_the_present()
    }

    fn whatif(&self, _: whatif::Question) -> BoxFuture<'_, Result<whatif::Answer, QuestionError>> {
        only_about_the_present()
    }

    fn preview(&self, _: PolicyChange) -> BoxFuture<'_, Result<Preview, QuestionError>> {
        only_about_the_present()
    }

    fn names(&self, namespace: String) -> BoxFuture<'_, Result<HiddenNames, QuestionError>> {
        self.look(move |moment| Ok(names(moment.core(), &namespace)))
    }

    fn history(&self, _: Option<Timestamp>) -> BoxFuture<'_, Result<HistoryRange, QuestionError>> {
        only_about_the_present()
    }

    fn at(&self, _: Timestamp) -> BoxFuture<'_, Result<Arc<dyn Questions>, QuestionError>> {
        only_about_the_present()
    }
}
