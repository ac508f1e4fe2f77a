//! The state that the server reports. The state exists before the scheduler, so that probes get answers at once.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use berth_analysis::preview::{PolicyChange, Preview};
use berth_analysis::{
    ClusterFollower, ClusterListing, HiddenNames, NodePods, PluginListing, PodAnswer, QueueListing, QueueQuestion,
    whatif,
};
use berth_core::Timestamp;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use super::metrics::{CoreState, Format, Metrics, Snapshot};
use crate::api::{HistoryRange, PodQuestion, QuestionError, Questions};
use crate::view::{SchedulerView, inspect};
use crate::vitals::Vitals;

/// The time that a scrape waits for the scheduling thread. After this time, the scrape leaves out the
/// core's metrics.
const PATIENCE: Duration = Duration::from_secs(2);

/// Vitals, metrics, configuration and scheduler of this process.
#[derive(Default)]
pub struct Subject {
    pub(super) vitals: Arc<Vitals>,
    metrics: Arc<Metrics>,
    scheduler: OnceLock<Box<dyn SchedulerView>>,
    questions: OnceLock<Arc<dyn Questions>>,
    /// Returns the effective configuration. `None` before the configuration is known.
    configuration: RwLock<Option<Configuration>>,
}

/// A function that returns the effective configuration, as a KubeSchedulerConfiguration.
type Configuration = Arc<dyn Fn() -> serde_json::Result<Value> + Send + Sync>;

impl Subject {
    /// Returns a subject without a scheduler.
    #[must_use]
    pub fn new(vitals: Arc<Vitals>, metrics: Arc<Metrics>) -> Self {
        Self { vitals, metrics, ..Self::default() }
    }

    /// Sets the scheduler. Later calls have no effect.
    pub fn observe(&self, scheduler: impl SchedulerView + 'static) {
        let _ = self.scheduler.set(Box::new(scheduler));
    }

    /// Sets what answers the questions of `/berth/v1`. Later calls have no effect.
    pub fn answer_questions(&self, questions: Arc<dyn Questions>) {
        let _ = self.questions.set(questions);
    }

    /// Sets the function that returns the effective configuration, as a KubeSchedulerConfiguration, for `/configz`. The
    /// function is called for each request.
    pub fn show_configuration(&self, configuration: impl Fn() -> serde_json::Result<Value> + Send + Sync + 'static) {
        *self.configuration.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(configuration));
    }

    /// Returns the effective configuration, or null before the configuration is known.
    ///
    /// # Errors
    /// The configuration can't be written as JSON.
    pub(super) fn configuration(&self) -> serde_json::Result<Value> {
        let configuration = self.configuration.read().unwrap_or_else(PoisonError::into_inner).clone();
        configuration.map_or(Ok(Value::Null), |configuration| configuration())
    }

    pub(super) async fn metrics(&self, format: Format) -> Result<String, std::fmt::Error> {
        let snapshot = match self.scheduler.get() {
            None => Snapshot::default(),
            Some(scheduler) => {
                let core = tokio::time::timeout(PATIENCE, inspect(&**scheduler, CoreState::of)).await;
                Snapshot { core: core.ok().and_then(Result::ok), plugins: scheduler.plugins() }
            }
        };
        self.metrics.encode(&snapshot, format)
    }
}

impl Subject {
    fn questions(&self) -> Result<&dyn Questions, QuestionError> {
        let starting = || QuestionError::Failed("the scheduler is starting; ask again in a moment".to_owned());
        self.questions.get().map(|questions| &**questions).ok_or_else(starting)
    }
}

/// Before the scheduler exists, every question fails.
impl Questions for Subject {
    fn explain(&self, question: PodQuestion) -> BoxFuture<'_, Result<PodAnswer, QuestionError>> {
        async { self.questions()?.explain(question).await }.boxed()
    }

    fn queue(&self, question: QueueQuestion) -> BoxFuture<'_, Result<QueueListing, QuestionError>> {
        async { self.questions()?.queue(question).await }.boxed()
    }

    fn cluster(
        &self,
        follower: ClusterFollower,
    ) -> BoxFuture<'_, Result<(ClusterFollower, ClusterListing), QuestionError>> {
        async { self.questions()?.cluster(follower).await }.boxed()
    }

    fn node_pods(&self, node: String) -> BoxFuture<'_, Result<NodePods, QuestionError>> {
        async { self.questions()?.node_pods(node).await }.boxed()
    }

    fn plugins(&self) -> BoxFuture<'_, Result<PluginListing, QuestionError>> {
        async { self.questions()?.plugins().await }.boxed()
    }

    fn whatif(&self, question: whatif::Question) -> BoxFuture<'_, Result<whatif::Answer, QuestionError>> {
        async { self.questions()?.whatif(question).await }.boxed()
    }

    fn preview(&self, change: PolicyChange) -> BoxFuture<'_, Result<Preview, QuestionError>> {
        async { self.questions()?.preview(change).await }.boxed()
    }

    fn history(&self, at: Option<Timestamp>) -> BoxFuture<'_, Result<HistoryRange, QuestionError>> {
        async move { self.questions()?.history(at).await }.boxed()
    }

    fn at(&self, at: Timestamp) -> BoxFuture<'_, Result<Arc<dyn Questions>, QuestionError>> {
        async move { self.questions()?.at(at).await }.boxed()
    }

    fn names(&self, namespace: String) -> BoxFuture<'_, Result<HiddenNames, QuestionError>> {
        async { self.questions()?.names(namespace).await }.boxed()
    }
}
