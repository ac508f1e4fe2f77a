//! What can be seen of a scheduler that may do all that it has to.

use anyhow::{Context, Result};
use berth_tests::api;
use k8s_openapi::api::events::v1::Event;
use kube::api::ListParams;
use kube::{Api, Client};
use serde_json::{Value, json};

use super::rules::Rule;

/// Something that comes about, in words that follow `and yet`.
pub type Outcome = &'static str;

/// With the requests, each a verb and a resource, without which it does not.
const ALL: [(Outcome, &[(&str, &str)]); 8] = [
    ("it has led", &[("get", "leases"), ("create", "leases")]),
    (
        "a pod is placed on a node, both of which came after it had begun",
        &[("list", "pods"), ("watch", "pods"), ("list", "nodes"), ("watch", "nodes"), ("create", "pods/binding")],
    ),
    ("a pod that fits nowhere is told so in its condition", &[("patch", "pods/status")]),
    ("an event says why that pod fits nowhere", &[("create", "events")]),
    ("an event of its own pod names the plugin that it refused", &[("get", "pods"), ("create", "events")]),
    ("that the plugin was refused again is counted", &[("patch", "events")]),
    ("an event of the Lease says that it led", &[("get", "leases"), ("create", "leases"), ("create", "events")]),
    ("its Lease is given up at the end", &[("update", "leases")]),
];

/// Repeated events.
pub const COUNTED: Outcome = ALL[5].0;

/// What can only be seen when it has ended.
const OF_THE_END: Outcome = ALL[7].0;

/// Those that are to be there while it runs.
pub fn while_it_runs() -> impl Iterator<Item = Outcome> {
    all().filter(|outcome| *outcome != OF_THE_END)
}

/// All of them, in the order in which they come about.
pub fn all() -> impl Iterator<Item = Outcome> {
    ALL.into_iter().map(|(outcome, _)| outcome)
}

/// Those that can't be without this rule.
pub fn that_need(rule: &Rule) -> Vec<Outcome> {
    let needs = |needed: &[(&str, &str)]| needed.contains(&(rule.verb.as_str(), rule.resource.as_str()));
    ALL.into_iter().filter(|(_, needed)| needs(needed)).map(|(outcome, _)| outcome).collect()
}

/// Where to look.
pub struct Scene {
    /// An administrator's.
    pub client: Client,
    /// The Lease, by name.
    pub lease: Value,
    /// The only node that the pod which fits may have.
    pub node: Value,
    /// A pod that fits.
    pub small: Value,
    /// One that does not.
    pub large: Value,
    /// The scheduler's own.
    pub own: Value,
}

impl Scene {
    /// Whether it has come about.
    pub async fn shows(&self, outcome: Outcome) -> Result<bool> {
        let at = ALL.iter().position(|(name, _)| *name == outcome);
        Ok(match at {
            Some(0) => self.read(&self.lease).await?["spec"]["acquireTime"].is_string(),
            Some(1) => self.read(&self.small).await?["spec"]["nodeName"].is_string(),
            Some(2) => {
                self.read(&self.large).await?.pointer("/status/conditions/0/reason") == Some(&json!("Unschedulable"))
            }
            Some(3) => !self.events(&self.large, "FailedScheduling").await?.is_empty(),
            Some(4) => !self.events(&self.own, "PluginRefused").await?.is_empty(),
            Some(5) => self.events(&self.own, "PluginRefused").await?.iter().any(|event| event.series.is_some()),
            Some(6) => !self.events(&self.lease, "LeaderElection").await?.is_empty(),
            _ => {
                let lease = self.read(&self.lease).await?;
                lease.is_object() && lease["spec"]["holderIdentity"].as_str().unwrap_or_default().is_empty()
            }
        })
    }

    /// Null where it is not there.
    async fn read(&self, object: &Value) -> Result<Value> {
        Ok(api::get(&self.client, object).await?.unwrap_or_default())
    }

    /// How often refusals of plugins were told.
    pub async fn refusals(&self) -> Result<usize> {
        let events = self.events(&self.own, "PluginRefused").await?;
        let count = |event: &Event| event.series.as_ref().map_or(1, |series| series.count);
        Ok(events.iter().map(count).sum::<i32>().try_into()?)
    }

    async fn events(&self, object: &Value, reason: &str) -> Result<Vec<Event>> {
        let [name, namespace] = ["name", "namespace"].map(|field| object["metadata"][field].as_str());
        let events: Api<Event> =
            Api::namespaced(self.client.clone(), namespace.context("an object without namespace")?);
        let mut events = events.list(&ListParams::default()).await?.items;
        events.retain(|event| {
            let about = event.regarding.as_ref().and_then(|object| object.name.as_deref());
            about == name && event.reason.as_deref() == Some(reason)
        });
        Ok(events)
    }
}
