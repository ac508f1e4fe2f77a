//! Compares the scheduler's cache and queue with the API server.

use std::collections::{BTreeMap, BTreeSet};

use ::kube::api::ListParams;
use ::kube::{Api, Client, Resource};
use anyhow::{Context, Result};
use berth_core::Core;
use k8s_openapi::api::core::v1::{Node, Pod};
use serde::de::DeserializeOwned;

/// The page size of a list: the maximum number of objects in one response.
const PAGE: u32 = 500;

/// A pod (namespace and name) and its node. The node is empty for a pending pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub pod: String,
    pub node: String,
}

/// Nodes and pods at the API server.
#[derive(Debug, Default)]
pub(super) struct Actual {
    pub nodes: BTreeSet<String>,
    /// Unfinished pods by uid, each with its `spec.schedulerName`.
    pub pods: BTreeMap<String, (Place, String)>,
}

/// Nodes and pods in the scheduler's cache and queue.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub nodes: BTreeSet<String>,
    /// Pods on nodes and pods pending for this scheduler, by uid.
    pub pods: BTreeMap<String, Place>,
    /// The uids of assumed pods. The API server may not know their nodes yet.
    pub assumed: BTreeSet<String>,
    /// The scheduler names of this scheduler's profiles.
    pub schedulers: BTreeSet<String>,
}

impl Actual {
    /// Lists nodes and pods from the API server.
    pub async fn list(client: &Client) -> Result<Self> {
        let mut actual = Self::default();
        for_each_listed(Api::<Node>::all(client.clone()), None, |node| {
            actual.nodes.extend(node.metadata.name);
        })
        .await
        .context("listing nodes")?;
        let unfinished = "status.phase!=Succeeded,status.phase!=Failed";
        for_each_listed(Api::<Pod>::all(client.clone()), Some(unfinished), |pod| {
            let text = Option::unwrap_or_default;
            let (namespace, name) = (text(pod.metadata.namespace), text(pod.metadata.name));
            let spec = pod.spec.unwrap_or_default();
            let place = Place { pod: format!("{namespace}/{name}"), node: text(spec.node_name) };
            actual.pods.insert(text(pod.metadata.uid), (place, text(spec.scheduler_name)));
        })
        .await
        .context("listing pods")?;
        Ok(actual)
    }
}

/// Calls `f` with every object that the API server lists, page by page.
async fn for_each_listed<K>(api: Api<K>, fields: Option<&str>, mut f: impl FnMut(K)) -> Result<()>
where
    K: Resource + Clone + std::fmt::Debug + DeserializeOwned,
{
    let mut parameters = ListParams { field_selector: fields.map(str::to_owned), ..ListParams::default() }.limit(PAGE);
    loop {
        let page = api.list(&parameters).await?;
        page.items.into_iter().for_each(&mut f);
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => parameters = parameters.continue_token(&token),
            None => return Ok(()),
        }
    }
}

impl Known {
    /// Reads nodes and pods from the core.
    pub fn of(core: &Core) -> Self {
        let nodes = core.cache().nodes().map(|info| info.node.name.to_string()).collect();
        let mut known = Self { nodes, ..Self::default() };
        for (_, cached) in core.cache().pods() {
            let uid = cached.pod.key.uid.to_string();
            if cached.assumed {
                known.assumed.insert(uid.clone());
            }
            let place = Place { pod: cached.pod.key.to_string(), node: cached.pod.node_name.to_string() };
            known.pods.insert(uid, place);
        }
        for (_, entry) in core.queue().pods() {
            let place = Place { pod: entry.pod.key.to_string(), node: String::new() };
            known.pods.insert(entry.pod.key.uid.to_string(), place);
        }
        known.schedulers = core.profiles().iter().map(|profile| profile.scheduler_name.to_string()).collect();
        known
    }
}

/// Returns a sentence for each difference. Pending pods of other schedulers are no difference, and neither is another
/// node of an assumed pod.
pub(super) fn differences(actual: &Actual, known: &Known) -> BTreeSet<String> {
    let missing = actual.nodes.difference(&known.nodes).map(|node| format!("node {node} is not in the cache"));
    let gone = known.nodes.difference(&actual.nodes);
    let gone = gone.map(|node| format!("node {node} is in the cache but not at the API server"));
    let ours = actual.pods.iter().filter_map(|(uid, (place, scheduler))| {
        let concerns_us = !place.node.is_empty() || known.schedulers.contains(scheduler);
        concerns_us.then_some((uid, place))
    });
    let pods = ours.filter_map(|(uid, place)| match known.pods.get(uid) {
        None => Some(format!("pod {} is neither in the cache nor in the queue", place.pod)),
        Some(known_place) if known_place == place || known.assumed.contains(uid) => None,
        Some(known_place) => {
            let (actual, known) = (state(place), state(known_place));
            Some(format!("pod {} {actual} at the API server, but {known} in the scheduler", place.pod))
        }
    });
    let left = known.pods.iter().filter(|(uid, _)| !actual.pods.contains_key(*uid));
    let left = left
        .map(|(_, place)| format!("pod {} {} in the scheduler, but is not at the API server", place.pod, state(place)));
    missing.chain(gone).chain(pods).chain(left).collect()
}

/// Returns where the pod is, in words that follow the pod's name: `is pending` or `is on node a`.
fn state(place: &Place) -> String {
    if place.node.is_empty() { "is pending".to_owned() } else { format!("is on node {}", place.node) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(pod: &str, node: &str) -> Place {
        Place { pod: format!("default/{pod}"), node: node.to_owned() }
    }

    #[test]
    fn differences_name_each_mismatch_and_ignore_pods_of_other_schedulers() {
        let mut actual = Actual { nodes: ["a", "b"].map(str::to_owned).into(), ..Actual::default() };
        for (pod, node, scheduler) in [
            ("same", "a", "x"),
            ("moved", "a", "x"),
            ("unknown", "", "ours"),
            ("foreign", "", "x"),
            ("new", "b", "x"),
            ("late", "", "ours"),
        ] {
            actual.pods.insert(pod.to_owned(), (place(pod, node), scheduler.to_owned()));
        }
        let mut known = Known { nodes: ["a", "c"].map(str::to_owned).into(), ..Known::default() };
        known.schedulers.insert("ours".to_owned());
        known.assumed.insert("late".to_owned());
        for (pod, node) in [("same", "a"), ("moved", "c"), ("left", ""), ("late", "b")] {
            known.pods.insert(pod.to_owned(), place(pod, node));
        }
        let expected = [
            "node b is not in the cache",
            "node c is in the cache but not at the API server",
            "pod default/left is pending in the scheduler, but is not at the API server",
            "pod default/moved is on node a at the API server, but is on node c in the scheduler",
            "pod default/new is neither in the cache nor in the queue",
            "pod default/unknown is neither in the cache nor in the queue",
        ];
        assert_eq!(differences(&actual, &known).into_iter().collect::<Vec<_>>(), expected);
    }
}
