//! Follows pods and events through watches. Most tests read a [`Journal`] to see what the scheduler did.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::events::v1::Event as EventObject;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::events;
use crate::history::History;
use crate::objects::NAMESPACE;
use berth_test_kit::wait::{self, Look, PATIENCE};

/// The observed pods of the tests' namespace, and the events about these pods. Two tasks update the journal until it is
/// dropped.
pub struct Journal {
    pods: watch::Receiver<Pods>,
    tasks: [JoinHandle<()>; 2],
}

/// The last observed state of all pods.
#[derive(Debug, Default)]
pub struct Pods {
    /// The pods that exist, by name.
    pub by_name: BTreeMap<String, ObservedPod>,
    /// The history of every pod that was observed since the journal started.
    history: History,
    complete: bool,
}

/// The last observed state of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedPod {
    /// `metadata.uid`
    pub uid: String,
    /// `spec.nodeName`, if any.
    pub node: Option<String>,
    /// `status.phase`
    pub phase: String,
    /// `status.nominatedNodeName`, if any.
    pub nominated: Option<String>,
    /// Status, reason and message of the condition PodScheduled.
    pub scheduled: Option<(String, String, String)>,
}

impl ObservedPod {
    /// Returns the scheduler's reason why the pod has no node, without the parts about claims and preemption.
    pub fn rejection(&self) -> Option<&str> {
        let before = |text, end| str::split_once(text, end).map_or(text, |(start, _)| start);
        let message = self.full_rejection()?;
        Some(before(before(message, " preemption: "), " no new claims to deallocate"))
    }

    /// Returns the scheduler's complete message why the pod has no node.
    pub fn full_rejection(&self) -> Option<&str> {
        let (status, reason, message) = self.scheduled.as_ref()?;
        (status == "False" && reason != "SchedulingGated").then_some(message.as_str())
    }
}

impl Pods {
    /// Returns the pods whose names start with `prefix`.
    pub fn named<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a String, &'a ObservedPod)> {
        self.by_name.iter().filter(move |(name, _)| name.starts_with(prefix))
    }

    /// Returns how many pods whose names start with `prefix` have a node.
    pub fn placed_count(&self, prefix: &str) -> usize {
        self.named(prefix).filter(|(_, seen)| seen.node.is_some()).count()
    }

    fn apply(&mut self, pod: &Pod) {
        let seen = observe(pod);
        let name = pod.metadata.name.clone().unwrap_or_default();
        self.history.record_pod(&name, &seen.uid, seen.node.as_deref());
        self.by_name.insert(name, seen);
    }

    fn remove(&mut self, pod: &Pod) {
        let name = pod.metadata.name.as_deref().unwrap_or_default();
        self.by_name.remove(name);
    }
}

impl Journal {
    /// Starts to follow pods and events. Returns when all existing pods have been seen.
    ///
    /// # Errors
    /// Returns an error if the API server does not list pods.
    pub async fn start(client: &Client) -> Result<Self> {
        let (sender, pods) = watch::channel(Pods::default());
        let events_task = tokio::spawn(follow_events(Api::namespaced(client.clone(), NAMESPACE), sender.clone()));
        let pods_task = tokio::spawn(follow_pods(Api::namespaced(client.clone(), NAMESPACE), sender));
        let journal = Self { pods, tasks: [pods_task, events_task] };
        journal
            .until("pods are listed", |pods| Look::at(pods.complete, || "the first list is not complete".into()))
            .await?;
        Ok(journal)
    }

    /// Calls `look` after every change of a pod or event, until `look` returns [`Look::Yes`].
    ///
    /// # Errors
    /// Returns an error if `look` did not return [`Look::Yes`] within [`PATIENCE`].
    pub async fn until<T>(&self, condition: &str, look: impl FnMut(&Pods) -> Look<T>) -> Result<T> {
        self.until_within(PATIENCE, condition, look).await
    }

    /// Waits as [`Journal::until`] does, for up to `patience`.
    ///
    /// # Errors
    /// Returns an error if `look` did not return [`Look::Yes`] in time.
    pub async fn until_within<T>(
        &self,
        patience: Duration,
        condition: &str,
        mut look: impl FnMut(&Pods) -> Look<T>,
    ) -> Result<T> {
        wait::begin(condition);
        let mut pods = self.pods.clone();
        let mut found = String::new();
        let yes = async {
            loop {
                match look(&pods.borrow_and_update()) {
                    Look::Yes(answer) => return Ok(answer),
                    Look::NotYet(now) => found = now,
                }
                pods.changed().await.context("the journal's watch of pods has ended")?;
            }
        };
        let in_time = tokio::time::timeout(patience, yes).await;
        in_time.unwrap_or_else(|_| bail!("timed out after {patience:?} waiting until {condition}; last seen: {found}"))
    }

    /// Waits until exactly `count` pods whose names start with `prefix` have a node. Returns the node of each pod.
    ///
    /// # Errors
    /// Returns an error if another number of pods had a node when [`PATIENCE`] was over. The error names up to five
    /// pods without a node, with the scheduler's reasons.
    pub async fn until_placed(&self, prefix: &str, count: usize) -> Result<BTreeMap<String, String>> {
        self.until(&format!("{count} pods {prefix}* have a node"), |pods| {
            let placed: BTreeMap<String, String> =
                pods.named(prefix).filter_map(|(name, seen)| Some((name.clone(), seen.node.clone()?))).collect();
            if placed.len() == count {
                Look::Yes(placed)
            } else {
                Look::NotYet(describe_unplaced(pods, prefix, placed.len()))
            }
        })
        .await
    }

    /// Waits until the pod has a node. Returns the node's name.
    ///
    /// # Errors
    /// Returns an error if the pod had no node within [`PATIENCE`]. The error has the pod's last observed state.
    pub async fn until_pod_placed(&self, name: &str) -> Result<String> {
        self.until(&format!("pod {name} has a node"), |pods| {
            let seen = pods.by_name.get(name);
            match seen.and_then(|seen| seen.node.clone()) {
                Some(node) => Look::Yes(node),
                None => Look::NotYet(format!("{seen:?}")),
            }
        })
        .await
    }

    /// Waits until the pod is rejected. Returns the message of its condition.
    ///
    /// # Errors
    /// Returns an error if the pod was not rejected in time, or if a violation was found.
    pub async fn until_pod_rejected(&self, name: &str) -> Result<String> {
        self.until(&format!("pod {name} is rejected"), |pods| {
            let seen = pods.by_name.get(name);
            match seen.and_then(ObservedPod::rejection) {
                Some(message) => Look::Yes(message.to_owned()),
                None => Look::NotYet(format!("{seen:?}")),
            }
        })
        .await
    }

    /// Waits until there is no pod with this name.
    ///
    /// # Errors
    /// Returns an error if the pod still existed after [`PATIENCE`].
    pub async fn until_gone(&self, name: &str) -> Result<()> {
        let look = |pods: &Pods| Look::at(!pods.by_name.contains_key(name), || "the pod still exists".into());
        self.until(&format!("pod {name} is gone"), look).await
    }

    /// Waits until the scheduler's message why the pod has no node equals `message`, without the parts about claims and
    /// preemption.
    ///
    /// # Errors
    /// Returns an error if the pod had another message after [`PATIENCE`], or was placed.
    pub async fn until_rejected(&self, name: &str, message: &str) -> Result<()> {
        let condition = format!("pod {name} is rejected with {message:?}");
        let placed = self
            .until(&condition, |pods| {
                let seen = pods.by_name.get(name);
                match seen.and_then(|seen| seen.node.clone()) {
                    Some(node) => Look::Yes(Some(node)),
                    None if seen.and_then(ObservedPod::rejection) == Some(message) => Look::Yes(None),
                    None => Look::NotYet(format!("{seen:?}")),
                }
            })
            .await?;
        ensure!(placed.is_none(), "pod {name} should be rejected with {message:?}, but is on node {placed:?}");
        Ok(())
    }

    /// Calls `look` with the current state of all pods.
    pub fn now<T>(&self, look: impl FnOnce(&Pods) -> T) -> T {
        look(&self.pods.borrow())
    }

    /// Returns the node of every pod that ever had a node, by the pod's uid.
    pub fn nodes(&self) -> HashMap<String, String> {
        self.now(|pods| pods.history.nodes().clone())
    }

    /// Checks that no pod has changed its node, and that no event reports a pod placed twice or on another node.
    /// Events that have not arrived yet are not checked.
    ///
    /// # Errors
    /// Returns an error that describes each violation.
    pub fn check(&self) -> Result<()> {
        let violations = self.now(|pods| pods.history.violations().join("; "));
        ensure!(violations.is_empty(), "{violations}");
        Ok(())
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

async fn follow_pods(api: Api<Pod>, pods: watch::Sender<Pods>) {
    let mut events = watcher::watcher(api, watcher::Config::default()).default_backoff().boxed();
    let mut listed: Option<Vec<Pod>> = None;
    loop {
        let event = match events.try_next().await {
            Ok(Some(event)) => event,
            Ok(None) => return,
            // The watcher lists or watches again, after a pause.
            Err(_) => continue,
        };
        match event {
            Event::Init => listed = Some(Vec::new()),
            Event::InitApply(pod) => listed.get_or_insert_default().push(pod),
            Event::InitDone => pods.send_modify(|pods| {
                pods.by_name.clear();
                listed.take().iter().flatten().for_each(|pod| pods.apply(pod));
                pods.complete = true;
            }),
            Event::Apply(pod) => pods.send_modify(|pods| pods.apply(&pod)),
            Event::Delete(pod) => pods.send_modify(|pods| pods.remove(&pod)),
        }
    }
}

/// Records the events `Scheduled`.
async fn follow_events(api: Api<EventObject>, pods: watch::Sender<Pods>) {
    let mut events = watcher::watcher(api, watcher::Config::default()).default_backoff().applied_objects().boxed();
    while let Some(event) = events.next().await {
        // The watcher lists or watches again after an error.
        let Ok(event) = event else { continue };
        if event.reason.as_deref() == Some("Scheduled") {
            let times = event.series.as_ref().map_or(1, |series| series.count);
            let regarding = event.regarding.clone().unwrap_or_default();
            let [name, uid, id] =
                [regarding.name, regarding.uid, event.metadata.name.clone()].map(Option::unwrap_or_default);
            let node = events::text(&event).rsplit_once(" to ").map_or("", |(_, node)| node);
            pods.send_modify(|pods| pods.history.record_event(&name, &uid, &id, node, times));
        }
    }
}

fn observe(pod: &Pod) -> ObservedPod {
    let status = pod.status.clone().unwrap_or_default();
    let conditions = status.conditions.unwrap_or_default();
    let condition = conditions.into_iter().find(|condition| condition.type_ == "PodScheduled");
    let node = pod.spec.as_ref().and_then(|spec| spec.node_name.clone());
    ObservedPod {
        uid: pod.metadata.uid.clone().unwrap_or_default(),
        node: node.filter(|node| !node.is_empty()),
        phase: status.phase.unwrap_or_default(),
        nominated: status.nominated_node_name.filter(|node| !node.is_empty()),
        scheduled: condition.map(|condition| {
            (condition.status, condition.reason.unwrap_or_default(), condition.message.unwrap_or_default())
        }),
    }
}

fn describe_unplaced(pods: &Pods, prefix: &str, placed: usize) -> String {
    let without: Vec<String> = pods
        .named(prefix)
        .filter(|(_, seen)| seen.node.is_none())
        .map(|(name, seen)| format!("{name} ({})", seen.rejection().unwrap_or("no attempt yet")))
        .collect();
    let some = without.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    format!("{placed} pods have a node, {} pods have none: {some} …", without.len())
}
