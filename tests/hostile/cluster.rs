//! A cluster with two kinds of pods: pods of the profile with the hostile component, and pods of the profile without
//! the component. Pods of the second kind have nodes of their own. Time is virtual. The cluster executes the core's
//! actions, or lets them fail.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use berth_apimachinery::objects::{EventReader, Notes};
use berth_core::extenders::NoExtenders;
use berth_core::model::PodKey;
use berth_core::profile::Profile;
use berth_core::profile_spec::ProfileSpec;
use berth_core::{Action, Event, Options, Timestamp};
use berth_engine::Engine;
use berth_plugin_host::{AssembleError, Delivery, Guests, Outbox};
use serde_json::{Value, json};

use crate::answers::{Counts, Heard, is_hostile};
use crate::component::{Component, HOSTILE, OPEN, RESERVED, profiles, sorted_profiles};
use crate::conditions;

/// The number of nodes of each kind, and the initial number of pods of each kind.
const NODES: usize = 5;
const PODS: usize = 8;
/// The number of rounds with changes, and the maximum number of later rounds in which only time passes.
const ROUNDS: usize = 12;
const QUIET_ROUNDS: usize = 80;
/// The maximum number of cycles in a round, so that pods that fail again and again do not prevent other events.
const CYCLES: usize = 60;
/// The maximum real time until an instance of the component is rebuilt.
const PATIENCE: Duration = Duration::from_secs(60);
/// The error message of this cluster's API server.
const REFUSED: &str = "refused by the API server of this test";
/// Parts of error messages that do not come from a plugin.
const EXPLAINED: [&str; 2] = [REFUSED, "preempted before it was bound"];
/// A virtual time that is longer than any pod waits for permission, in milliseconds.
const FOREVER: u64 = 20 * 60 * 1000;

/// Sets of exports that are hostile at the same time; an empty set means all. Sets are small, so that later calls
/// of a cycle are reached.
const POINTS: &[&[&str]] = &[
    &[],
    &["reserve", "unreserve", "permit", "pre-bind", "bind", "post-bind"],
    &["pre-bind", "unreserve"],
    &["post-filter", "filter-what-if", "filter"],
    &["classify", "score-classes", "score", "normalize", "pre-score"],
    &["classify", "score-classes"],
    &["classify"],
    &["pre-enqueue", "hints", "skip", "pre-filter"],
];

/// A pod, as the API server has it.
struct Member {
    object: Value,
    /// True if the pod belongs to the profile without the component.
    reserved: bool,
}

impl Member {
    fn is_placed(&self) -> bool {
        !self.object["spec"]["nodeName"].is_null()
    }
}

/// A core with its plugins, and the requests in progress in its cluster.
pub struct Cluster {
    engine: Engine,
    inbox: Receiver<Delivery>,
    reader: EventReader,
    now: Timestamp,
    draw: fastrand::Rng,
    heard: Heard,
    /// The pods by uid.
    pods: BTreeMap<Box<str>, Member>,
    binding: Vec<(PodKey, Box<str>)>,
    carrying: Vec<(PodKey, u64, Result<(), String>)>,
    /// True if the component was refused at load time. The cluster then has no profiles, so there is nothing to run.
    refused: bool,
    made: usize,
}

impl Cluster {
    /// Starts a cluster that has the component at all extension points except queue-sort.
    pub fn start(component: &Component, seed: u64) -> Result<Self> {
        let mut draw = fastrand::Rng::with_seed(seed);
        let arguments = json!({
            "seed": seed,
            "valid": seed.is_multiple_of(2),
            "points": POINTS[draw.usize(0..POINTS.len())],
            "armed": draw.u8(0..16) == 0,
            "breaks": draw.bool(),
        });
        Self::with(component, profiles(arguments), draw)
    }

    /// Starts a cluster in which the component sorts all pods.
    pub fn sorted(component: &Component, seed: u64) -> Result<Self> {
        Self::with(component, sorted_profiles(seed), fastrand::Rng::with_seed(seed))
    }

    fn with(component: &Component, profiles: Vec<ProfileSpec>, mut draw: fastrand::Rng) -> Result<Self> {
        let (sender, inbox) = channel();
        let outbox: Outbox = Arc::new(move |delivery| sender.send(delivery).is_ok());
        let verify_every = if draw.bool() { 1 } else { 0 };
        let options = Options { seed: draw.u64(..), verify_every, ..Options::default() };
        let guests = Guests::new(component.limits(), outbox)?;
        let mut cluster = Self {
            engine: Engine::new(options, guests),
            inbox,
            reader: EventReader::default(),
            now: Timestamp(1_767_225_600_000),
            draw,
            heard: Heard::default(),
            pods: BTreeMap::new(),
            binding: Vec::new(),
            carrying: Vec::new(),
            refused: false,
            made: 0,
        };
        let set = match component.stock().set(profiles) {
            Ok(set) => set,
            Err(error) => {
                names_the_plugin(&error)?;
                cluster.refused = true;
                return Ok(cluster);
            }
        };
        let reads: Vec<_> = set
            .profiles()
            .iter()
            .flat_map(Profile::plugins)
            .flat_map(|plugin| plugin.declaration.objects.clone())
            .collect();
        cluster.tell(Event::ObjectsWanted(reads))?;
        // The host does not accept a component that fails while it is filled. The earlier profiles would continue
        // to serve, but here there are none.
        match cluster.engine.accept(Delivery::Swap(set), cluster.now) {
            Some(swapped) => cluster.tell(swapped)?,
            None => cluster.refused = true,
        }
        Ok(cluster)
    }

    /// Adds, changes and removes pods and nodes for some rounds.
    pub fn live(&mut self) -> Result<()> {
        if self.refused {
            return Ok(());
        }
        for i in 0..NODES {
            self.set_node("hostile", i)?;
            self.set_node("kept", i)?;
        }
        for _ in 0..PODS {
            self.new_pod(OPEN)?;
            self.new_pod(RESERVED)?;
        }
        for _ in 0..ROUNDS {
            self.change()?;
            self.round(1_000)?;
        }
        Ok(())
    }

    /// Lets time pass until all pods of the profile without the component are placed. Then removes all other pods, and
    /// checks that none of them is in flight, in the queue or nominated.
    pub fn end(mut self) -> Result<Counts> {
        if self.refused {
            return Ok(Counts::refused());
        }
        let mut quiet = 0;
        while self.pods.values().any(|pod| pod.reserved && !pod.is_placed()) {
            let waiting: Vec<&str> =
                self.pods.iter().filter(|(_, pod)| pod.reserved && !pod.is_placed()).map(|(uid, _)| &**uid).collect();
            ensure!(quiet < QUIET_ROUNDS, "not placed: {waiting:?}");
            quiet += 1;
            self.round(11_000)?;
        }
        let open: Vec<PodKey> = self.pods.values().filter(|pod| !pod.reserved).map(|pod| key(&pod.object)).collect();
        for pod in open {
            self.remove(&pod)?;
        }
        for _ in 0..8 {
            self.round(FOREVER)?;
        }
        ensure!(
            self.engine.core().in_flight() == 0,
            "{} pods are in flight at the end",
            self.engine.core().in_flight()
        );
        ensure!(self.engine.core().queue().is_empty(), "pods that are gone wait at the end");
        ensure!(self.engine.core().nominations().is_empty(), "pods that are gone are promised room at the end");
        self.check()?;
        Ok(self.heard.counts)
    }

    /// Makes one random change of the cluster, or none.
    fn change(&mut self) -> Result<()> {
        match self.draw.u8(0..8) {
            0 | 1 => self.new_pod(OPEN),
            2 => self.new_pod(RESERVED),
            3 => {
                let at = self.draw.usize(0..NODES);
                self.set_node("hostile", at)
            }
            4 => {
                let spec = json!({"of": self.draw.u8(..)});
                let metadata = json!({"name": "c", "namespace": "default", "uid": "c"});
                self.tell_of(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "spec": spec}))
            }
            5 => {
                let open: Vec<PodKey> =
                    self.pods.values().filter(|pod| !pod.reserved).map(|pod| key(&pod.object)).collect();
                let Some(pod) = open.get(self.draw.usize(0..open.len().max(1))) else { return Ok(()) };
                self.remove(pod)
            }
            6 => {
                let at = self.draw.usize(0..NODES);
                self.tell(Event::NodeRemoved(format!("hostile-{at}").into()))?;
                let lost = format!("hostile-{at}");
                let on_it = |pod: &&Member| pod.object["spec"]["nodeName"] == *lost;
                let pods: Vec<PodKey> = self.pods.values().filter(on_it).map(|pod| key(&pod.object)).collect();
                pods.iter().try_for_each(|pod| self.remove(pod))
            }
            _ => Ok(()),
        }
    }

    fn set_node(&mut self, kind: &str, at: usize) -> Result<()> {
        let name = format!("{kind}-{at}");
        let reserved = kind == "kept";
        // Any pod with the component may be nominated to any node. The nodes of the other profile have room for
        // these pods and their own.
        let resources = if reserved {
            json!({"cpu": "64", "memory": "256Gi", "pods": "500"})
        } else {
            json!({"cpu": "2", "memory": "8Gi", "pods": "10"})
        };
        let changes = self.draw.u8(..).to_string();
        let taints = if reserved { json!([{"key": "kept", "effect": "NoSchedule"}]) } else { json!([]) };
        self.tell_of(&json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "uid": format!("uid-{name}"), "labels": {
                "kubernetes.io/hostname": name, "kind": kind, "changes": changes}},
            "spec": {"taints": taints},
            "status": {"capacity": resources, "allocatable": resources, "conditions": [{"type": "Ready", "status": "True"}]},
        }))
    }

    fn new_pod(&mut self, profile: &str) -> Result<()> {
        let name = format!("{profile}-{}", self.made);
        self.made += 1;
        let reserved = profile == RESERVED;
        let mut object = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}"),
                         "labels": {"app": format!("app-{}", self.draw.u8(0..3))}},
            "spec": {"schedulerName": profile, "priority": self.draw.i32(0..3),
                     "containers": [{"name": "c", "image": "i",
                         "resources": {"requests": {"cpu": self.draw.choice(["100m", "700m"]), "memory": "64Mi"}}}]},
            "status": {"phase": "Pending"},
        });
        if reserved {
            object["spec"]["nodeSelector"] = json!({"kind": "kept"});
            object["spec"]["tolerations"] = json!([{"key": "kept", "operator": "Exists"}]);
        }
        self.tell_of(&object)?;
        self.pods.insert(key(&object).uid, Member { object, reserved });
        Ok(())
    }

    fn remove(&mut self, pod: &PodKey) -> Result<()> {
        self.pods.remove(&pod.uid);
        self.tell(Event::PodRemoved(pod.clone()))
    }

    /// Runs a round of cycles, answers the core's requests as the API server, and lets time pass.
    fn round(&mut self, milliseconds: u64) -> Result<()> {
        for _ in 0..CYCLES {
            if !self.engine.core().has_work() {
                break;
            }
            self.tell(Event::Cycle)?;
            self.take_deliveries()?;
        }
        for (pod, node) in std::mem::take(&mut self.binding) {
            self.answer_bind(pod, &node)?;
        }
        for (pod, step, outcome) in std::mem::take(&mut self.carrying) {
            let refused = self.draw.u8(0..4) == 0;
            self.tell(match outcome {
                Err(why) => Event::IntentsFailed(pod, step, why),
                Ok(()) if refused => Event::IntentsFailed(pod, step, REFUSED.to_owned()),
                Ok(()) => Event::IntentsExecuted(pod, step),
            })?;
        }
        self.now = self.now.after(Duration::from_millis(milliseconds));
        self.tell(Event::Tick)?;
        self.engine.update_plugins(self.now);
        self.take_deliveries()?;
        self.check()
    }

    fn answer_bind(&mut self, pod: PodKey, node: &str) -> Result<()> {
        let Some(member) = self.pods.get_mut(&pod.uid) else {
            return self.tell(Event::BindFailed(pod, REFUSED.to_owned()));
        };
        if self.draw.u8(0..8) == 0 {
            return self.tell(Event::BindFailed(pod, REFUSED.to_owned()));
        }
        ensure!(!member.is_placed(), "pod {pod} is bound twice");
        ensure!(
            !member.reserved || node.starts_with("kept-"),
            "pod {pod} is bound to node {node}, which is none of its own"
        );
        member.object["spec"]["nodeName"] = json!(node);
        let object = member.object.clone();
        self.tell(Event::Bound(pod))?;
        self.tell_of(&object)
    }

    /// Takes the deliveries of other threads. Waits for an instance that is being rebuilt, so that two runs with the
    /// same seed differ only where a call exceeds its limit of real time in one of them.
    fn take_deliveries(&mut self) -> Result<()> {
        loop {
            let (_, guests) = self.engine.parts();
            let delivery = if guests.is_rebuilding() {
                self.inbox.recv_timeout(PATIENCE).context("the component was not rebuilt")?
            } else {
                let Ok(delivery) = self.inbox.try_recv() else { return Ok(()) };
                delivery
            };
            if let Some(event) = self.engine.accept(delivery, self.now) {
                self.tell(event)?;
            }
        }
    }

    fn tell_of(&mut self, object: &Value) -> Result<()> {
        match self.reader.set(object, &mut Notes::default())? {
            Some(event) => self.tell(event),
            None => Ok(()),
        }
    }

    fn tell(&mut self, event: Event) -> Result<()> {
        let actions = self.engine.step(event, self.now, &mut NoExtenders, &mut self.heard);
        actions.into_iter().try_for_each(|action| self.perform(action))
    }

    fn perform(&mut self, action: Action) -> Result<()> {
        match action {
            Action::Bind { pod, node } => self.binding.push((pod, node)),
            Action::ExecuteIntents { pod, step, intents } => {
                self.carrying.push((pod, step, conditions::evaluate(&intents)));
            }
            Action::CancelIntents { step, .. } => self.carrying.retain(|(_, other, _)| *other != step),
            Action::Watch(reads) => {
                self.reader.watch(&reads);
                self.tell(Event::ObjectsListed(reads))?;
            }
            Action::StopWatching(kind) => self.tell(Event::WatchStopped(kind))?,
            Action::Nominate { pod, node } => {
                if let Some(member) = self.pods.get_mut(&pod.uid) {
                    member.object["status"]["nominatedNodeName"] = json!(node);
                    let object = member.object.clone();
                    self.tell_of(&object)?;
                }
            }
            Action::Evict { pod, .. } => {
                let open = self.pods.get(&pod.uid).is_some_and(|member| !member.reserved);
                match open && self.draw.u8(0..4) != 0 {
                    true => self.remove(&pod)?,
                    false => self.tell(Event::EvictionFailed(pod))?,
                }
            }
            Action::SetUnscheduled { pod, reason: "SchedulerError", message } => {
                let named = message.contains("plugin ") || EXPLAINED.iter().any(|words| message.contains(words));
                self.fault(named, || format!("pod {pod} is told of an error that names no plugin: {message}"));
            }
            Action::Warn { plugin, message } => {
                // A warning about a pod of the open profile is expected too: the combined answers of several
                // plugins may differ between two cycles.
                let named = is_hostile(&plugin) || message.contains("pod default/open-");
                self.fault(named, || format!("a warning of {plugin}, where the component is at fault: {message}"));
            }
            Action::BindByExtender { pod, .. } => {
                self.fault(false, || format!("pod {pod} goes to an extender, of which there is none"));
            }
            Action::Change(intents) => intents.iter().for_each(|intent| {
                self.fault(intent.is_change(), || format!("a change that is none: {intent:?}"));
            }),
            Action::SetUnscheduled { .. } | Action::Emit(_) => {}
        }
        Ok(())
    }

    fn fault(&mut self, as_wanted: bool, what: impl FnOnce() -> String) {
        if !as_wanted {
            self.heard.faults.push(what());
        }
    }

    fn check(&self) -> Result<()> {
        ensure!(self.heard.faults.is_empty(), "{}", self.heard.faults.join("\n"));
        Ok(())
    }
}

fn names_the_plugin(error: &AssembleError) -> Result<()> {
    let text = error.to_string();
    ensure!(text.contains(HOSTILE), "a component was refused without its name: {text}");
    Ok(())
}

fn key(pod: &Value) -> PodKey {
    let text = |field: &str| pod["metadata"][field].as_str().unwrap_or_default().into();
    PodKey { namespace: text("namespace"), name: text("name"), uid: text("uid") }
}
