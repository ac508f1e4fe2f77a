//! Berth's side: the default components, asked by the core.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use berth::config::{self, DEFAULT_PLUGINS, Provided};
use berth::kube::SpecTable;
use berth::kube::objects::{FurtherKind, NodeObject, Notes, Observed, PodObject, Slim};
use berth::wasm::{Delivery, Enabled, Guests, Limits, LoaderOptions, NamedBy, PointSpecs, ProfileSpec, Stock};
use berth_core::cache::{Cache, NodeId};
use berth_core::cycle::{Failure, Said, Witness};
use berth_core::model::{ObjectKind, ObjectReads, Pod, PodKey, PodSpec};
use berth_core::plugins::{Code, PreFilterResult, PreScoreResult, Verdicts};
use berth_core::profile::{Profile, ProfilePlugin};
use berth_core::{Action, Core, Event, Options, Timestamp, plugins};
use serde_json::Value;

use crate::answer::{Answer, Cycle, Score, Status, Verdict, left_out};
use crate::case::{Case, Change, PROFILE};

/// The cycles' time; no plugin that is compared reads it.
const NOW: Timestamp = Timestamp(1_767_225_600_000);

/// Plugins that say nothing of nodes. They are not compared here.
const ABOUT_THE_QUEUE: [&str; 2] = ["SchedulingGates", "PrioritySort"];

/// The default components, compiled once.
pub struct Berth {
    stock: Stock,
}

/// A core that was told of a cluster, with its plugins.
struct Cluster {
    core: Core,
    guests: Guests,
    plugins: Vec<&'static str>,
    /// Of the kinds beyond nodes and pods that a plugin reads, as far as it does.
    further: BTreeMap<Arc<ObjectKind>, FurtherKind>,
}

impl Berth {
    /// Those in the library.
    ///
    /// # Errors
    /// One of them is no component.
    pub fn load() -> Result<Self> {
        Ok(Self { stock: Stock::load(&LoaderOptions::default())? })
    }

    /// kube-scheduler's default plugins that Berth does not have yet.
    pub fn lacking() -> Vec<&'static str> {
        let lacking = DEFAULT_PLUGINS.iter().filter(|plugin| plugin.provided == Provided::NotYet);
        lacking.map(|plugin| plugin.name).collect()
    }

    /// What Berth says at first and after each change, for each pod. Answers are kept from one to the next, as in a
    /// scheduler that runs, and asked for twice: once as they were kept.
    ///
    /// # Errors
    /// The case can't be read, or Berth refuses the configuration.
    pub fn ask(&self, case: &Case) -> Result<Vec<Vec<Answer>>> {
        let mut cluster = Cluster::new(&self.stock, case)?;
        for object in &case.objects {
            cluster.tell(&Change::Set(object.clone()))?;
        }
        let pods: Vec<Pod> = case.pods.iter().map(pod).collect::<Result<_>>()?;
        let mut steps = vec![cluster.ask_all(&pods)?];
        for change in &case.changes {
            cluster.tell(change)?;
            steps.push(cluster.ask_all(&pods)?);
        }
        Ok(steps)
    }
}

impl Cluster {
    fn new(stock: &Stock, case: &Case) -> Result<Self> {
        let text = case.configuration(&Berth::lacking()).to_string();
        let mut specs = config::parse(&text, "configuration")?.profiles;
        let about_nodes = |name: &str| !ABOUT_THE_QUEUE.contains(&name);
        let plugins =
            DEFAULT_PLUGINS.iter().filter(|plugin| plugin.provided == Provided::Component && about_nodes(plugin.name));
        let plugins: Vec<&str> = plugins.map(|plugin| plugin.name).collect();
        let whole = specs.first().context("no profile")?.clone();
        specs.extend(plugins.iter().map(|name| alone(name, &whole)));
        let mut guests = Guests::new(Arc::new(Limits::default()), Arc::new(|_| true))?;
        let mut core = Core::new(Options { verify_every: 0, ..Options::default() });
        let set = stock.set(specs)?;
        let reads: Vec<ObjectReads> =
            set.profiles().iter().flat_map(Profile::plugins).flat_map(|p| p.declaration.objects.clone()).collect();
        let mut further = BTreeMap::new();
        for action in core.step(Event::ObjectsWanted(reads), NOW, &mut guests) {
            if let Action::Watch(reads) = action {
                further.insert(Arc::clone(&reads.kind), FurtherKind::new(&reads));
                core.step(Event::ObjectsListed(reads), NOW, &mut guests);
            }
        }
        let swapped = guests.accept(Delivery::Swap(set), NOW, core.cache()).context("the plugins were not taken")?;
        core.step(swapped, NOW, &mut guests);
        Ok(Self { core, guests, plugins, further })
    }

    fn tell(&mut self, change: &Change) -> Result<()> {
        let event = match change {
            Change::Set(object) => self.set(object)?,
            Change::Remove(object) => self.removed(object)?,
        };
        if let Some(event) = event {
            self.core.step(event, NOW, &mut self.guests);
        }
        Ok(())
    }

    /// `None` of a kind that no plugin reads.
    fn set(&self, object: &Value) -> Result<Option<Event>> {
        Ok(match kind(object) {
            "Node" => {
                let mut notes = Notes::default();
                Some(Event::NodeSet(Arc::new(read::<NodeObject>(object)?.into_model(&mut notes))))
            }
            "Pod" => Some(Event::PodSet(Arc::new(pod(object)?))),
            _ => match self.further.get(&object_kind(object)) {
                Some(kind) => Some(Event::ObjectSet(Arc::new(kind.read(serde_json::from_value(object.clone())?)))),
                None => None,
            },
        })
    }

    fn removed(&self, object: &Value) -> Result<Option<Event>> {
        let text = |field: &str| -> Box<str> { object["metadata"][field].as_str().unwrap_or_default().into() };
        Ok(match kind(object) {
            "Node" => Some(Event::NodeRemoved(text("name"))),
            "Pod" => {
                Some(Event::PodRemoved(PodKey { namespace: text("namespace"), name: text("name"), uid: text("uid") }))
            }
            _ => match self.further.get(&object_kind(object)) {
                Some(kind) => Some(Event::ObjectRemoved(kind.key(&serde_json::from_value(object.clone())?))),
                None => None,
            },
        })
    }

    fn ask_all(&mut self, pods: &[Pod]) -> Result<Vec<Answer>> {
        pods.iter().map(|pod| self.ask(pod)).collect()
    }

    fn ask(&mut self, pod: &Pod) -> Result<Answer> {
        let mut answer = Answer { cycle: self.explain(pod, PROFILE)?.1, ..Answer::default() };
        for plugin in self.plugins.clone() {
            let (verdict, _) = self.explain(pod, plugin)?;
            let (again, _) = self.explain(pod, plugin)?;
            ensure!(verdict == again, "{plugin}: said first {verdict:?}, then, as it was kept, {again:?}");
            answer.plugins.insert(plugin.to_owned(), verdict);
        }
        Ok(answer)
    }

    /// What the last plugin of a profile says, and what the profile comes to.
    fn explain(&mut self, pod: &Pod, profile: &str) -> Result<(Verdict, Cycle)> {
        let spec = PodSpec { scheduler_name: profile.into(), ..PodSpec::clone(&pod.spec) };
        let pod = Arc::new(Pod { spec: Arc::new(spec), ..pod.clone() });
        let mut listener = Listener::default();
        let outcome = self.core.explain(&pod, NOW, &mut self.guests, &mut listener);
        let outcome = outcome.with_context(|| format!("there is no profile {profile}"))?;
        let mut verdict = listener.verdict(self.core.cache());
        if let Err(Failure::Plugin(error)) = &outcome {
            verdict.failed = Some(error.message.clone());
        }
        let name =
            |node: NodeId| self.core.cache().node(node).map_or_else(String::new, |info| info.node.name.to_string());
        let cycle = match outcome {
            Ok(totals) => Cycle::Fits(totals.into_iter().map(|(node, total)| (name(node), total)).collect()),
            Err(Failure::Plugin(_)) => Cycle::Failed,
            Err(failure) => Cycle::FitsNowhere(failure.to_string()),
        };
        Ok((verdict, cycle))
    }
}

/// The profile of one plugin by itself, with the arguments that it has in the whole one.
fn alone(name: &str, whole: &ProfileSpec) -> ProfileSpec {
    let enabled = Enabled { name: name.into(), weight: 1, named_by: NamedBy::MultiPoint };
    ProfileSpec { scheduler_name: name.into(), points: PointSpecs::everywhere(vec![enabled]), ..whole.clone() }
}

/// What the plugin of a profile of one said, by node id.
#[derive(Default)]
struct Listener {
    pre_filter: Option<PreFilterResult>,
    verdicts: Vec<(NodeId, Option<plugins::Status>)>,
    scores: Option<Vec<(NodeId, Score)>>,
}

impl Witness for Listener {
    fn said(&mut self, _: &ProfilePlugin, answer: Said<'_>) {
        match answer {
            Said::PreFilter(result) => self.pre_filter = Some(result.clone()),
            Said::Verdicts(nodes, verdicts) => {
                let status = |at: usize| of_node(verdicts, at).cloned();
                self.verdicts = nodes.iter().enumerate().map(|(at, node)| (*node, status(at))).collect();
            }
            Said::PreScore(PreScoreResult::Score | PreScoreResult::Skip) => {}
            Said::Scores { nodes, raw, normalized } => {
                let scores =
                    raw.iter().zip(normalized).map(|(raw, normalized)| Score { raw: *raw, normalized: *normalized });
                self.scores = Some(nodes.iter().copied().zip(scores).collect());
            }
        }
    }
}

fn of_node(verdicts: &Verdicts, at: usize) -> Option<&plugins::Status> {
    verdicts.outcomes.get(usize::from(verdicts.nodes[at]).checked_sub(1)?)
}

impl Listener {
    fn verdict(self, cache: &Cache) -> Verdict {
        let name = |node: NodeId| cache.node(node).map_or_else(String::new, |info| info.node.name.to_string());
        let said = self.verdicts.into_iter().filter_map(|(node, status)| Some((name(node), status_of(&status?))));
        let mut rejected: BTreeMap<String, Status> = said.collect();
        let nodes = || cache.nodes().map(|info| info.node.name.to_string());
        match &self.pre_filter {
            Some(PreFilterResult::Reject(status)) => rejected.extend(nodes().map(|node| (node, status_of(status)))),
            Some(PreFilterResult::Narrow(left)) => {
                let out = nodes().filter(|node| !left.iter().any(|left| **left == **node));
                rejected.extend(out.map(|node| (node, left_out())));
            }
            Some(PreFilterResult::All | PreFilterResult::Skip) | None => {}
        }
        Verdict {
            skips: self.pre_filter == Some(PreFilterResult::Skip),
            rejected,
            scores: self.scores.map(|scores| scores.into_iter().map(|(node, score)| (name(node), score)).collect()),
            failed: None,
        }
    }
}

fn status_of(status: &plugins::Status) -> Status {
    let code = match status.code {
        Code::Unschedulable => "Unschedulable",
        Code::UnschedulableAndUnresolvable => "UnschedulableAndUnresolvable",
        Code::Error => "Error",
        Code::Pending => "Pending",
    };
    Status { code: code.into(), reasons: status.reasons.iter().map(|reason| reason.to_string()).collect() }
}

fn pod(object: &Value) -> Result<Pod> {
    let mut notes = Notes::default();
    Ok(read::<PodObject>(object)?.into_model(&SpecTable::default(), &mut notes))
}

/// As an informer reads it.
fn read<T: Slim>(object: &Value) -> Result<T> {
    let observed: Observed<T> = serde_json::from_str(&object.to_string())?;
    Ok(observed.object?)
}

fn kind(object: &Value) -> &str {
    object["kind"].as_str().unwrap_or_default()
}

fn object_kind(object: &Value) -> ObjectKind {
    ObjectKind { api_version: object["apiVersion"].as_str().unwrap_or_default().into(), kind: kind(object).into() }
}
