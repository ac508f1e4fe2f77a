//! Berth's side of the comparison: the core asks the default components.

mod hints;
mod listener;
mod preempting;
mod queue;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use berth_apimachinery::objects::{EventReader, Notes};
use berth_config::v1alpha1::BerthConfiguration;
use berth_config::{DEFAULT_PLUGINS, Provided};
use berth_core::cache::NodeId;
use berth_core::cluster_event::ClusterEvent;
use berth_core::cycle::Failure;
use berth_core::extenders::NoExtenders;
use berth_core::limits::Limits;
use berth_core::model::{ObjectReads, Pod, PodSpec};
use berth_core::profile::Profile;
use berth_core::profile_spec::{Enabled, NamedBy, PointSpecs, ProfileSpec};
use berth_core::{Action, Event, Timestamp};
use berth_engine::Engine;
use berth_plugin_host::{BuiltIn, ComponentSet, Delivery, Guests, LoaderOptions};
use berth_test_kit::released;

use serde_json::Value;

use self::hints::Events;
use self::listener::Listener;
use crate::answer::{Answer, Answers, Cycle, Verdict};
use crate::cache_mode::CacheMode;
use crate::case::{Case, Change, PROFILE};
use crate::preemption::{NotAttempted, PreemptionResult};

/// The time of all cycles. No compared plugin reads the time.
pub const NOW: Timestamp = Timestamp(1_767_225_600_000);

/// The default components, compiled once.
pub struct Berth {
    stock: ComponentSet,
}

/// A core with a cluster and its plugins.
struct Cluster {
    engine: Engine,
    mode: CacheMode,
    plugins: Vec<&'static str>,
    /// The profiles by name.
    profiles: BTreeMap<Box<str>, Profile>,
    reader: EventReader,
    events: Events,
    /// True if a waiting pod has a nominated node.
    has_nominated_pods: bool,
    /// The number of questions to plugins outside the core.
    asked: u32,
}

impl Berth {
    /// Loads the components of the binary.
    ///
    /// # Errors
    /// Returns an error if one of them is not a valid component.
    pub fn load() -> Result<Self> {
        Self::with(berth::default_plugins().to_vec())
    }

    /// Loads the default plugins that were built for an earlier version of the contract, as if they were in the binary.
    ///
    /// # Errors
    /// Returns an error if they can't be read, or one of them is not a valid component.
    pub fn load_released(version: &str) -> Result<Self> {
        let files = released::files(&released::components(version)?.join("default"))?;
        let leaked = |file: &PathBuf| -> Result<BuiltIn> {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok(BuiltIn { file: name.leak(), bytes: std::fs::read(file)?.leak() })
        };
        Self::with(files.iter().map(leaked).collect::<Result<_>>()?)
    }

    fn with(built_in: Vec<BuiltIn>) -> Result<Self> {
        Ok(Self {
            stock: ComponentSet::load(&LoaderOptions {
                built_in,
                grants: berth::grant_policy(&BerthConfiguration::default())?,
                ..LoaderOptions::default()
            })?,
        })
    }

    /// Returns the components.
    pub fn components(&self) -> &ComponentSet {
        &self.stock
    }

    /// Returns Berth's answers for each pod, before the first change and after each change.
    ///
    /// # Errors
    /// Returns an error if the case can't be read, or Berth refuses the configuration.
    pub fn ask(&self, case: &Case, mode: CacheMode) -> Result<Answers> {
        let mut cluster = Cluster::new(&self.stock, case, mode)?;
        for object in &case.objects {
            cluster.apply(&Change::Set(object.clone()))?;
        }
        let pods: Vec<Pod> = case.pods.iter().map(pod).collect::<Result<_>>()?;
        let mut steps = vec![cluster.ask_all(&pods)?];
        let mut hints = Vec::new();
        for change in &case.changes {
            let events = cluster.apply(change)?;
            let of_pods: Result<_> = pods.iter().map(|pod| cluster.hints(pod, &events)).collect();
            hints.push(of_pods?);
            steps.push(cluster.ask_all(&pods)?);
        }
        let waiting: Vec<Pod> = case.queue().map(pod).collect::<Result<_>>()?;
        Ok(Answers { steps, hints, order: cluster.order(&waiting)? })
    }
}

impl Cluster {
    fn new(stock: &ComponentSet, case: &Case, mode: CacheMode) -> Result<Self> {
        let text = case.configuration().to_string();
        let mut specs = berth_config::parse(&text, "configuration")?.profiles;
        let plugins = DEFAULT_PLUGINS.iter().filter(|plugin| plugin.provided == Provided::Component);
        let plugins: Vec<&str> = plugins.map(|plugin| plugin.name).collect();
        let whole = specs.first().context("no profile")?.clone();
        specs.extend(plugins.iter().map(|name| alone(name, &whole)));
        let guests = Guests::new(Arc::new(Limits::default()), Arc::new(|_| true))?;
        let mut engine = Engine::new(mode.options(), guests);
        let set = stock.set(specs)?;
        let reads: Vec<ObjectReads> =
            set.profiles().iter().flat_map(Profile::plugins).flat_map(|p| p.declaration.objects.clone()).collect();
        let (mut reader, mut events) = (EventReader::default(), Events::default());
        for action in engine.step(Event::ObjectsWanted(reads), NOW, &mut NoExtenders, &mut ()) {
            if let Action::Watch(reads) = action {
                reader.watch(&reads);
                events.of(&Event::ObjectsListed(reads.clone()));
                engine.step(Event::ObjectsListed(reads), NOW, &mut NoExtenders, &mut ());
            }
        }
        let profiles = set.profiles().iter().map(|profile| (profile.scheduler_name.clone(), profile.clone())).collect();
        let swapped = engine.accept(Delivery::Swap(set), NOW).context("the plugins were not accepted")?;
        engine.step(swapped, NOW, &mut NoExtenders, &mut ());
        let has_nominated_pods = case.has_nominated_pods();
        Ok(Self { engine, mode, plugins, profiles, reader, events, has_nominated_pods, asked: 0 })
    }

    /// Tells the core about a change. Returns the queue's events.
    fn apply(&mut self, change: &Change) -> Result<Vec<ClusterEvent>> {
        let event = match change {
            Change::Set(object) => self.reader.set(object, &mut Notes::default())?,
            Change::Remove(object) => self.reader.removed(object)?,
        };
        let Some(event) = event else { return Ok(Vec::new()) };
        let events = self.events.of(&event);
        self.step(event);
        Ok(events)
    }

    fn step(&mut self, event: Event) -> Vec<Action> {
        self.engine.step(event, NOW, &mut NoExtenders, &mut ())
    }

    fn ask_all(&mut self, pods: &[Pod]) -> Result<Vec<Answer>> {
        let answers = pods.iter().map(|pod| self.ask(pod)).collect();
        let wrong: Vec<(&str, &str)> = self.engine.core().distrusted().collect();
        ensure!(wrong.is_empty(), "kept answers were wrong: {wrong:?}");
        answers
    }

    fn ask(&mut self, pod: &Pod) -> Result<Answer> {
        let mut answer = Answer { cycle: self.explain(pod, PROFILE)?.1, ..Answer::default() };
        // kube-scheduler's plugins, asked alone, do not know about nominated pods. A real cycle could also schedule
        // one of the nominated pods first.
        if self.has_nominated_pods {
            answer.preemption = Some(PreemptionResult::NotAttempted(NotAttempted::NominatedPods));
            return Ok(answer);
        }
        if let Cycle::FitsNowhere(message) = &answer.cycle {
            answer.preemption = Some(self.preempt(pod, message)?);
        }
        for plugin in self.plugins.clone() {
            let (verdict, _) = self.explain(pod, plugin)?;
            if self.mode == CacheMode::Cached {
                let (again, _) = self.explain(pod, plugin)?;
                ensure!(verdict == again, "{plugin}: answered first {verdict:?}, then {again:?}");
            }
            let pre_enqueue_rejection = self.pre_enqueue_rejection(pod, plugin)?;
            answer.plugins.insert(plugin.to_owned(), Verdict { pre_enqueue_rejection, ..verdict });
        }
        Ok(answer)
    }

    /// Returns the answers of a profile's last plugin, and the result of the profile.
    fn explain(&mut self, pod: &Pod, profile: &str) -> Result<(Verdict, Cycle)> {
        let spec = PodSpec { scheduler_name: profile.into(), ..PodSpec::clone(&pod.spec) };
        let pod = Arc::new(Pod { spec: Arc::new(spec), ..pod.clone() });
        let mut listener = Listener::default();
        let outcome = self.engine.explain(&pod, NOW, &mut NoExtenders, &mut listener);
        let outcome = outcome.with_context(|| format!("there is no profile {profile}"))?;
        let mut verdict = listener.verdict(self.engine.core().cache());
        if let Err(Failure::Plugin(error)) = &outcome {
            verdict.failed = Some(error.message.clone());
        }
        let name = |node: NodeId| {
            self.engine.core().cache().node(node).map_or_else(String::new, |info| info.node.name.to_string())
        };
        let cycle = match outcome {
            Ok(totals) => Cycle::Fits(totals.into_iter().map(|(node, total)| (name(node), total)).collect()),
            Err(Failure::Plugin(_)) => Cycle::Failed,
            Err(failure) => Cycle::FitsNowhere(failure.to_string()),
        };
        Ok((verdict, cycle))
    }
}

fn pod(object: &Value) -> Result<Pod> {
    Ok(EventReader::default().pod(object, &mut Notes::default())?)
}

/// Returns a profile with one plugin, for all extension points. The plugin has the same arguments as in `whole`.
fn alone(name: &str, whole: &ProfileSpec) -> ProfileSpec {
    let enabled = Enabled { name: name.into(), weight: 1, named_by: NamedBy::MultiPoint };
    ProfileSpec { scheduler_name: name.into(), points: PointSpecs::everywhere(vec![enabled]), ..whole.clone() }
}
