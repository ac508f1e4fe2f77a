//! The scheduler of a capture, as it was at the end of the capture.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use berth_admin::api::{ClusterPoints, HistoryRange, PodQuestion, QuestionError, Questions};
use berth_analysis::preview::{PolicyChange, Preview};
use berth_analysis::whatif::Policy;
use berth_analysis::{
    ClusterFollower, ClusterListing, ClusterPoint, HiddenNames, NodePods, PluginCost, PluginListing, PodAnswer,
    QueueListing, QueueQuestion, enabled_plugins, whatif,
};
use berth_capture::CaptureReader;
use berth_core::Timestamp;
use berth_plugin_host::ComponentSet;
use berth_replay::Moment;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{OnceCell, Semaphore};

use super::{ANSWER_TIME, LastMoment, MOST_QUESTIONS, MOST_WHATIFS, Past, Recording, Serving, blocking};

/// Answers questions about the scheduler of a capture. The present is the end of the capture.
pub struct RecordedScheduler {
    recording: Recording,
    end: Past,
    at: Timestamp,
    past: Arc<LastMoment>,
    /// The policy at the end, after the first question about it.
    serving: OnceCell<Arc<ServingPlugins>>,
    points: OnceCell<Vec<ClusterPoint>>,
    places: Arc<Semaphore>,
    whatifs: Arc<Semaphore>,
}

impl RecordedScheduler {
    /// Plays the last of these files back to its end. The files are in the order of their times. The components have the
    /// limits of a replay ([`berth_replay::patient`]).
    ///
    /// # Errors
    /// There is no file, or it can't be played back.
    pub fn open(files: Vec<PathBuf>, components: ComponentSet) -> Result<Self> {
        let recording = Recording::new(files, components);
        let file = recording.files.last().context("the capture has no file")?;
        let reader = CaptureReader::open(file).with_context(|| file.display().to_string())?;
        let moment = Moment::play(reader, Arc::clone(&recording.components), None, &mut || true);
        let moment = moment.with_context(|| file.display().to_string())?;
        let moment = moment.ok_or_else(|| anyhow!("{}: the replay was interrupted", file.display()))?;
        let at = moment.at();
        let [places, whatifs] = [MOST_QUESTIONS, MOST_WHATIFS].map(|most| Arc::new(Semaphore::new(most)));
        let (past, serving) = (Arc::default(), OnceCell::new());
        Ok(Self { recording, end: Past::new(moment), at, past, serving, points: OnceCell::new(), places, whatifs })
    }

    /// Returns the policy that served at the end.
    async fn serving(&self) -> Result<Arc<ServingPlugins>, QuestionError> {
        let all = Arc::clone(&self.recording.components);
        let read = || self.end.look(move |moment| Ok(Arc::new(ServingPlugins::of(moment, &all)?)));
        self.serving.get_or_try_init(read).await.cloned()
    }

    /// Returns the end of the capture.
    #[must_use]
    pub fn end(&self) -> Timestamp {
        self.at
    }
}

/// The policy that served, and its plugins.
struct ServingPlugins {
    serving: Serving,
    listing: PluginListing,
}

impl ServingPlugins {
    /// Returns the policy that served at a moment, with all other components, which a change can enable.
    fn of(moment: &Moment, all: &ComponentSet) -> Result<Self, QuestionError> {
        let none = || QuestionError::NotFound(format!("the scheduler had no plugins yet at {}", moment.at()));
        let Policy { components, specs } = moment.policy().ok_or_else(none)?;
        let components = components.components().fold(all.clone(), |all, serving| all.with(Arc::clone(serving)));
        let (plugins, refused) = components.status(specs.to_vec());
        let mut listing = PluginListing::of(&plugins, &enabled_plugins(moment.core()), moment.at());
        // The calls of the capture are not measured, and those that `status` makes are tests.
        listing.plugins.iter_mut().for_each(|plugin| plugin.cost = PluginCost::default());
        listing.refused_profiles = refused.map(|error| error.to_string());
        Ok(Self { serving: Serving::new(specs.to_vec(), components, &plugins), listing })
    }
}

impl ClusterPoints for RecordedScheduler {
    fn points(&self) -> BoxFuture<'_, Result<Vec<ClusterPoint>, QuestionError>> {
        let play = || {
            let (recording, end) = (self.recording.clone(), self.at);
            blocking(&self.whatifs, move || recording.points(end))
        };
        async move { self.points.get_or_try_init(play).await.cloned() }.boxed()
    }
}

impl Questions for RecordedScheduler {
    fn explain(&self, question: PodQuestion) -> BoxFuture<'_, Result<PodAnswer, QuestionError>> {
        self.end.explain(question)
    }

    fn queue(&self, question: QueueQuestion) -> BoxFuture<'_, Result<QueueListing, QuestionError>> {
        self.end.queue(question)
    }

    fn cluster(
        &self,
        follower: ClusterFollower,
    ) -> BoxFuture<'_, Result<(ClusterFollower, ClusterListing), QuestionError>> {
        self.end.cluster(follower)
    }

    fn node_pods(&self, node: String) -> BoxFuture<'_, Result<NodePods, QuestionError>> {
        self.end.node_pods(node)
    }

    fn plugins(&self) -> BoxFuture<'_, Result<PluginListing, QuestionError>> {
        async move { Ok(self.serving().await?.listing.clone()) }.boxed()
    }

    fn whatif(&self, _: whatif::Question) -> BoxFuture<'_, Result<whatif::Answer, QuestionError>> {
        let message = "this server answers no question about a change; run berth whatif --replay PATH";
        async move { Err(QuestionError::Invalid(message.to_owned())) }.boxed()
    }

    fn preview(&self, change: PolicyChange) -> BoxFuture<'_, Result<Preview, QuestionError>> {
        let recording = self.recording.clone();
        async move {
            let plugins = self.serving().await?;
            let judge = move || {
                let began = Instant::now();
                Ok(recording.preview(&plugins.serving, &change, &mut || began.elapsed() < ANSWER_TIME)?)
            };
            blocking(&self.whatifs, judge).await
        }
        .boxed()
    }

    fn names(&self, namespace: String) -> BoxFuture<'_, Result<HiddenNames, QuestionError>> {
        self.end.names(namespace)
    }

    fn history(&self, at: Option<Timestamp>) -> BoxFuture<'_, Result<HistoryRange, QuestionError>> {
        let (recording, end) = (self.recording.clone(), self.at);
        blocking(&self.places, move || recording.range(end, at)).boxed()
    }

    fn at(&self, at: Timestamp) -> BoxFuture<'_, Result<Arc<dyn Questions>, QuestionError>> {
        let (recording, past) = (self.recording.clone(), Arc::clone(&self.past));
        blocking(&self.places, move || past.at(&recording, at)).boxed()
    }
}
