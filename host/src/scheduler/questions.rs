//! Answers questions about the running scheduler: on a copy of the cluster, with plugin instances of its own. The
//! scheduling thread only makes the copy.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use berth_admin::SchedulerView;
use berth_admin::api::{
    HistoryRange, PodQuestion, PolicyChanges, QuestionError, Questions as Asked, SchedulingControl, SchedulingRequest,
    SchedulingState,
};
use berth_analysis::preview::{PolicyChange, Preview};
use berth_analysis::whatif::{
    Answer, EXTENDERS_NOT_ASKED, Policy, Question, WhatIfError, WhatIfInputs, WhatIfLimits, rules_wanted, whatif,
};
use berth_analysis::{
    ClusterCopy, ClusterFollower, ClusterListing, ClusterView, HiddenNames, KnownPod, NodePods, PluginListing,
    PodAnswer, PodRef, QueueListing, QueueQuestion, Sandbox, enabled_plugins,
};
use berth_core::decision::PolicyPlugin;
use berth_core::{Core, Timestamp};
use berth_replay::patient;
use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{ApiResource, DynamicObject};
use kube::{Api, Client};
use serde_json::Value;
use tokio::sync::Semaphore;

use super::Observer;
use crate::history::{self, ANSWER_TIME, LastMoment, MOST_QUESTIONS, MOST_WHATIFS, Recording, Serving, blocking};

/// The largest number of pods that a question about a change schedules.
const MOST_PODS: usize = 10_000;

/// The time without a question after which the plugin instances are dropped, to free their memory.
const IDLE: Duration = Duration::from_secs(120);

/// The time between two looks at the profiles that serve.
const POLL: Duration = Duration::from_millis(20);

/// The time that a question waits for the scheduling thread.
const PATIENCE: Duration = Duration::from_secs(10);

/// Answers questions about a scheduler. The value does not keep the scheduler running.
pub struct Questions {
    client: Client,
    observer: Observer,
    kept: Arc<Mutex<Kept>>,
    /// A question holds a permit until its answer is computed, also if the caller has gone.
    places: Arc<Semaphore>,
    whatifs: Arc<Semaphore>,
    /// The moment of the past that was asked about last.
    past: Arc<LastMoment>,
}

/// The sandbox of the last question.
#[derive(Default)]
struct Kept {
    sandbox: Option<(Vec<ProfileIdentity>, Sandbox)>,
    /// The number of questions so far.
    questions: u64,
}

/// A profile's revision and its components.
type ProfileIdentity = (Arc<str>, Vec<PolicyPlugin>);

/// What the scheduling thread knows.
struct Known {
    copy: ClusterCopy,
    profiles: Vec<ProfileIdentity>,
    pod: KnownPod,
}

impl Known {
    fn of(core: &Core, namespace: &str, uid: &str) -> Self {
        let profiles = core.profiles().iter();
        Self {
            copy: ClusterCopy::of(core),
            profiles: profiles.map(|profile| (Arc::clone(&profile.revision), profile.components.clone())).collect(),
            pod: KnownPod::of(core, namespace, uid),
        }
    }
}

impl Questions {
    /// Returns a value that answers questions about the scheduler that `observer` sees. `client` reads single pods.
    #[must_use]
    pub fn new(client: Client, observer: Observer) -> Self {
        let [places, whatifs] = [MOST_QUESTIONS, MOST_WHATIFS].map(|most| Arc::new(Semaphore::new(most)));
        Self { client, observer, kept: Arc::default(), places, whatifs, past: Arc::default() }
    }

    async fn answer(&self, question: PodQuestion) -> Result<PodAnswer, QuestionError> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| QuestionError::Busy)?;
        let PodQuestion { namespace, name, .. } = &question;
        let Some(object) = self.pod(namespace, name).await? else { return self.recorded(namespace, name).await };
        let uid = object["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
        let known = {
            let (namespace, uid) = (namespace.clone(), uid.clone());
            self.inspect(move |core| Known::of(core, &namespace, &uid)).await?
        };
        let pod = PodRef { namespace: namespace.clone(), name: name.clone(), uid };
        let (kept, observer, now) = (Arc::clone(&self.kept), self.observer.clone(), self.observer.now());
        let answered = tokio::task::spawn_blocking(move || {
            let _place = place;
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.questions += 1;
            let sandbox = kept.sandbox(&known, &observer, now)?;
            let failed = |error: berth_analysis::ExplainError| QuestionError::NotFound(error.to_string());
            let why_not = question.why_not.as_deref();
            let all_nodes = question.all_nodes;
            let question = berth_analysis::PodQuestion { pod, object: &object, known: known.pod, why_not, all_nodes };
            PodAnswer::of(sandbox, question).map_err(failed)
        });
        let answer = answered.await.map_err(|error| QuestionError::Failed(error.to_string()))?;
        self.drop_when_idle();
        answer
    }

    async fn answer_whatif(&self, question: Question) -> Result<Answer, QuestionError> {
        let place = Arc::clone(&self.whatifs).try_acquire_owned().map_err(|_| QuestionError::Busy)?;
        let rules = tokio::time::timeout(PATIENCE, self.rules()).await;
        let rules = rules.map_err(|_| QuestionError::Failed("the API server did not answer in time".to_owned()))??;
        let copy = self.inspect(ClusterCopy::of).await?;
        let (observer, now) = (self.observer.clone(), self.observer.now());
        let answered = tokio::task::spawn_blocking(move || {
            let _place = place;
            let configuration = question.configuration.as_deref();
            let changed = configuration.map(|text| berth_config::parse(text, "configuration")).transpose();
            let changed = changed.map_err(|error| QuestionError::Invalid(error.to_string()))?;
            let (components, specs) = (observer.components(), observer.serving_profiles());
            let policy = |specs| Policy { components: &components, specs };
            let has_extenders = match &changed {
                Some(configuration) => !configuration.extenders.is_empty(),
                None => !observer.extenders().is_empty(),
            };
            let inputs = WhatIfInputs {
                copy: &copy,
                rules: &rules,
                policy: policy(changed.as_ref().map_or(&specs, |configuration| &configuration.profiles)),
                policy_before: changed.is_some().then(|| policy(&specs)),
                now,
                limits: WhatIfLimits { most_pods: MOST_PODS, ..WhatIfLimits::default() },
                object_of: &|_| None,
            };
            let began = Instant::now();
            let answer = whatif(&question, &inputs, &mut |_| began.elapsed() < ANSWER_TIME);
            let mut answer = answer.map_err(|error| match error {
                // With a configuration of the caller, the plugins that it names can be the reason.
                WhatIfError::Sandbox(_) if changed.is_none() => QuestionError::Failed(error.to_string()),
                error => QuestionError::Invalid(error.to_string()),
            })?;
            answer.notes.extend(has_extenders.then(|| EXTENDERS_NOT_ASKED.to_owned()));
            Ok(answer)
        });
        answered.await.map_err(|error| QuestionError::Failed(error.to_string()))?
    }

    async fn answer_preview(&self, change: PolicyChange) -> Result<Preview, QuestionError> {
        let observer = self.observer.clone();
        let judge = move || {
            let began = Instant::now();
            let recording = recording(&observer)?;
            Ok(recording.preview(&serving(&observer), &change, &mut || began.elapsed() < ANSWER_TIME)?)
        };
        blocking(&self.whatifs, judge).await
    }

    /// Changes the profiles, and returns when they serve.
    async fn take_up(&self, change: PolicyChange) -> Result<(), QuestionError> {
        let invalid = |error: &dyn std::error::Error| QuestionError::Invalid(error.to_string());
        let before = self.observer.serving_profiles();
        let observer = self.observer.clone();
        let checked = tokio::task::spawn_blocking(move || serving(&observer).changed(&change));
        let checked = checked.await.map_err(|error| QuestionError::Failed(error.to_string()))?;
        let specs = checked.map_err(|error| invalid(&error))?;
        self.observer.set_profiles(specs.clone());
        let serves = async {
            while self.observer.serving_profiles() != specs {
                if let Some(error) = self.observer.refused_profiles() {
                    return Err(invalid(&error));
                }
                tokio::time::sleep(POLL).await;
            }
            Ok(())
        };
        let late = || QuestionError::Failed(format!("the profiles did not serve within {} s", PATIENCE.as_secs()));
        let served = tokio::time::timeout(PATIENCE, serves).await.unwrap_or_else(|_| Err(late()));
        served.inspect_err(|_| self.observer.set_profiles(before))
    }

    /// Reads the objects that a change of the cluster depends on, and that the scheduler does not watch.
    async fn rules(&self) -> Result<ClusterCopy, QuestionError> {
        let failed = |error: kube::Error| QuestionError::Failed(format!("reading the cluster: {error}"));
        let wanted = rules_wanted();
        let (mut objects, mut refused) = (Vec::new(), Vec::new());
        for reads in &wanted {
            match berth_kube::list_objects(&self.client, &reads.kind).await {
                Ok(listed) => objects.extend(listed),
                Err(kube::Error::Api(status)) if status.code == 403 => {
                    tracing::warn!(kind = %reads.kind, error = status.message, "answering without a kind; listing it failed");
                    refused.push((Arc::clone(&reads.kind), status.message.as_str().into()));
                }
                Err(error) => return Err(failed(error)),
            }
        }
        let read = ClusterCopy::read(&objects, &wanted);
        let (mut rules, _) = read.map_err(|error| QuestionError::Failed(error.to_string()))?;
        rules.kinds.retain(|reads| !refused.iter().any(|(kind, _)| *kind == reads.kind));
        rules.refused = refused;
        Ok(rules)
    }

    /// Returns the answer about a pod that does not exist any more.
    async fn recorded(&self, namespace: &str, name: &str) -> Result<PodAnswer, QuestionError> {
        let (of, named) = (namespace.to_owned(), name.to_owned());
        let gone = self.inspect(move |core| PodAnswer::of_a_gone_pod(core, &of, &named)).await?;
        gone.ok_or_else(|| {
            QuestionError::NotFound(format!(
                "pods \"{name}\" not found in the namespace \"{namespace}\", and no attempt of such a pod is recorded"
            ))
        })
    }

    async fn pod(&self, namespace: &str, name: &str) -> Result<Option<Value>, QuestionError> {
        let api: Api<DynamicObject> =
            Api::namespaced_with(self.client.clone(), namespace, &ApiResource::erase::<Pod>(&()));
        let found =
            api.get_opt(name).await.map_err(|error| QuestionError::Failed(format!("reading the pod: {error}")))?;
        found.map(serde_json::to_value).transpose().map_err(|error| QuestionError::Failed(error.to_string()))
    }

    async fn inspect<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Core) -> T + Send + 'static,
    ) -> Result<T, QuestionError> {
        within_patience(self.observer.inspect(look)).await
    }

    /// Drops the sandbox and the kept moment after [`IDLE`] without a further question.
    fn drop_when_idle(&self) {
        let (kept, past) = (Arc::clone(&self.kept), Arc::clone(&self.past));
        tokio::spawn(async move {
            let count = || kept.lock().unwrap_or_else(PoisonError::into_inner).questions;
            let before = count();
            tokio::time::sleep(IDLE).await;
            if count() == before {
                kept.lock().unwrap_or_else(PoisonError::into_inner).sandbox = None;
                past.drop_kept();
            }
        });
    }
}

impl Kept {
    /// Returns the sandbox with the copy of the cluster. Creates a new one if other profiles or components serve now.
    fn sandbox(&mut self, known: &Known, observer: &Observer, now: Timestamp) -> Result<&mut Sandbox, QuestionError> {
        let kept = self.sandbox.take().filter(|(profiles, _)| *profiles == known.profiles);
        let sandbox = match kept {
            Some((_, mut sandbox)) => {
                sandbox.update(&known.copy, now);
                sandbox
            }
            None => {
                let specs = observer.serving_profiles();
                let sandbox = Sandbox::new(&observer.components(), specs, &known.copy, now);
                let mut sandbox = sandbox.map_err(|error| QuestionError::Failed(error.to_string()))?;
                sandbox.set_extenders(observer.extenders().to_vec());
                sandbox
            }
        };
        Ok(&mut self.sandbox.insert((known.profiles.clone(), sandbox)).1)
    }
}

/// Returns the capture of a scheduler.
fn recording(observer: &Observer) -> Result<Recording, QuestionError> {
    let none = || "the scheduler keeps no history; start it with --capture DIR".to_owned();
    let own = observer.capture().ok_or_else(|| QuestionError::NotFound(none()))?;
    let files = own.list();
    let files =
        files.map_err(|error| QuestionError::Failed(format!("can't list the files of the capture: {error}")))?;
    let components = observer.components();
    let limits = patient(components.limits());
    Ok(Recording::new(files, components.with_limits(limits)))
}

/// Returns the policy that serves.
fn serving(observer: &Observer) -> Serving {
    Serving::new(observer.serving_profiles(), observer.components(), &observer.plugins())
}

/// Waits for the answer of the scheduling thread.
async fn within_patience<T>(answer: impl Future<Output = Result<T>>) -> Result<T, QuestionError> {
    let late = || anyhow!("the scheduling thread did not answer within {} s", PATIENCE.as_secs());
    let answered = tokio::time::timeout(PATIENCE, answer).await.unwrap_or_else(|_| Err(late()));
    answered.map_err(|error| QuestionError::Failed(error.to_string()))
}

impl PolicyChanges for Questions {
    fn change_policy(&self, change: PolicyChange) -> BoxFuture<'_, Result<(), QuestionError>> {
        self.take_up(change).boxed()
    }

    fn reload_plugin(&self, plugin: String) -> BoxFuture<'_, Result<(), QuestionError>> {
        async move {
            let late = || QuestionError::Failed(format!("{plugin} was not reloaded within {} s", PATIENCE.as_secs()));
            let reloaded = tokio::time::timeout(PATIENCE, self.observer.reload(&plugin)).await;
            reloaded.map_err(|_| late())?.map_err(QuestionError::Invalid)
        }
        .boxed()
    }
}

impl SchedulingControl for Questions {
    fn scheduling(&self, request: SchedulingRequest) -> BoxFuture<'_, Result<SchedulingState, QuestionError>> {
        async move {
            let state = within_patience(self.observer.scheduling(request)).await?;
            if request == SchedulingRequest::DecideOne && !state.paused {
                return Err(QuestionError::Invalid("pause the scheduling before you make single decisions".to_owned()));
            }
            Ok(state)
        }
        .boxed()
    }
}

impl Asked for Questions {
    fn explain(&self, question: PodQuestion) -> BoxFuture<'_, Result<PodAnswer, QuestionError>> {
        self.answer(question).boxed()
    }

    fn queue(&self, question: QueueQuestion) -> BoxFuture<'_, Result<QueueListing, QuestionError>> {
        let now = self.observer.now();
        self.inspect(move |core| QueueListing::of(core, &question, now)).boxed()
    }

    fn cluster(
        &self,
        mut follower: ClusterFollower,
    ) -> BoxFuture<'_, Result<(ClusterFollower, ClusterListing), QuestionError>> {
        let (now, position) = (self.observer.now(), follower.position());
        async move {
            let cycle_time = self.observer.cycle_time();
            let view = self.inspect(move |core| ClusterView::of(core, position)).await?;
            let followed = tokio::task::spawn_blocking(move || {
                let mut listing = follower.next(view, now);
                listing.cycles_micros = u64::try_from(cycle_time.as_micros()).ok();
                (follower, listing)
            });
            followed.await.map_err(|error| QuestionError::Failed(error.to_string()))
        }
        .boxed()
    }

    fn node_pods(&self, node: String) -> BoxFuture<'_, Result<NodePods, QuestionError>> {
        async move {
            let name = node.clone();
            let pods = self.inspect(move |core| NodePods::of(core, &name)).await?;
            pods.ok_or_else(|| QuestionError::NotFound(format!("nodes \"{node}\" not found")))
        }
        .boxed()
    }

    fn plugins(&self) -> BoxFuture<'_, Result<PluginListing, QuestionError>> {
        async move {
            let uses = self.inspect(enabled_plugins).await?;
            let mut listing = PluginListing::of(&self.observer.plugins(), &uses, self.observer.now());
            listing.refused_profiles = self.observer.refused_profiles().map(|error| error.to_string());
            Ok(listing)
        }
        .boxed()
    }

    fn whatif(&self, question: Question) -> BoxFuture<'_, Result<Answer, QuestionError>> {
        self.answer_whatif(question).boxed()
    }

    fn preview(&self, change: PolicyChange) -> BoxFuture<'_, Result<Preview, QuestionError>> {
        self.answer_preview(change).boxed()
    }

    fn names(&self, namespace: String) -> BoxFuture<'_, Result<HiddenNames, QuestionError>> {
        self.inspect(move |core| history::names(core, &namespace)).boxed()
    }

    fn history(&self, at: Option<Timestamp>) -> BoxFuture<'_, Result<HistoryRange, QuestionError>> {
        let observer = self.observer.clone();
        blocking(&self.places, move || recording(&observer)?.range(observer.now(), at)).boxed()
    }

    fn at(&self, at: Timestamp) -> BoxFuture<'_, Result<Arc<dyn Asked>, QuestionError>> {
        let (observer, past) = (self.observer.clone(), Arc::clone(&self.past));
        let play = move || past.at(&recording(&observer)?, at);
        async move {
            let played = blocking(&self.places, play).await;
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).questions += 1;
            self.drop_when_idle();
            played
        }
        .boxed()
    }
}
