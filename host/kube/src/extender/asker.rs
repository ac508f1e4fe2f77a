//! Implements the core's trait `Extenders`: sends a question and blocks the core's thread until the answer arrives.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use berth_core::extenders::{self, Extender, Filtered, Scores, Victims};
use berth_core::model::{Pod, PodKey};
use futures::future::join_all;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tracing::warn;

use super::Extenders;
use super::client::Client;
use super::error::CallError;
use super::wire::{
    self, Args, FilterResult, HostPriority, ListMeta, NodeList, PodUid, PreemptionArgs, PreemptionResult,
};

/// Sends the core's questions to extenders. The methods block, so do not call them on a worker thread of the tokio
/// runtime.
#[derive(Debug)]
pub struct Asker {
    extenders: Arc<Extenders>,
    runtime: Handle,
}

/// The names of the nodes in question, and the nodes' full objects if an extender needs them; otherwise `full` is
/// empty.
struct Nodes<'a> {
    names: &'a [&'a str],
    full: Vec<Arc<RawValue>>,
}

impl Asker {
    pub(super) fn new(extenders: Arc<Extenders>, runtime: Handle) -> Self {
        Self { extenders, runtime }
    }

    /// Waits for the answer. Fails when the scheduler ends.
    fn wait<A>(&self, answer: impl Future<Output = Result<A, CallError>>) -> Result<A, String> {
        let mut ending = self.extenders.ending.subscribe();
        self.runtime.block_on(async {
            tokio::select! {
                answer = answer => answer.map_err(|error| error.to_string()),
                // `self.extenders` owns the sender, so `wait_for` can't fail.
                _ = ending.wait_for(|ending| *ending) => Err("the scheduler is ending".to_owned()),
            }
        })
    }

    fn client(&self, extender: usize) -> Result<&Client, String> {
        self.extenders.clients.get(extender).ok_or_else(|| format!("there is no extender {extender}"))
    }

    fn pod(&self, key: &PodKey) -> Result<Arc<RawValue>, String> {
        self.extenders.full_objects.pod(&key.uid).ok_or_else(|| format!("pod {key} is gone"))
    }

    /// Returns the nodes to send. A deleted node is left out of `full`.
    fn nodes<'a>(&self, names: &'a [&'a str], full: bool) -> Nodes<'a> {
        let node = |name: &&str| self.extenders.full_objects.node(name);
        Nodes { names, full: if full { names.iter().filter_map(node).collect() } else { Vec::new() } }
    }
}

/// Sends a question about nodes to one extender.
async fn ask_about_nodes<A: DeserializeOwned>(
    client: &Client,
    verb: &str,
    pod: &RawValue,
    nodes: &Nodes<'_>,
) -> Result<A, CallError> {
    let arguments = match client.is_node_cache_capable() {
        true => Args { pod, nodes: None, node_names: Some(nodes.names) },
        false => {
            let items = nodes.full.iter().map(|node| &**node).collect();
            Args { pod, nodes: Some(NodeList { metadata: ListMeta {}, items }), node_names: None }
        }
    };
    client.call(verb, &arguments).await
}

async fn ask_for_scores(client: &Client, pod: &RawValue, nodes: &Nodes<'_>) -> Result<Vec<HostPriority>, CallError> {
    let scores: Option<Vec<HostPriority>> = ask_about_nodes(client, &client.verbs().prioritize, pod, nodes).await?;
    Ok(scores.unwrap_or_default())
}

impl extenders::Extenders for Asker {
    fn list(&self) -> &[Extender] {
        &self.extenders.list
    }

    fn filter(&mut self, extender: usize, pod: &Pod, nodes: &[&str]) -> Result<Filtered, String> {
        let (client, pod) = (self.client(extender)?, self.pod(&pod.key)?);
        let sent = self.nodes(nodes, !client.is_node_cache_capable());
        let result: FilterResult = self.wait(ask_about_nodes(client, &client.verbs().filter, &pod, &sent))?;
        if !result.error.is_empty() {
            return Err(result.error);
        }
        let full = result.nodes.map(|nodes| nodes.items.into_iter().map(|node| node.metadata.name).collect());
        let names = result.node_names.filter(|_| client.is_node_cache_capable());
        let passed: Vec<Box<str>> = names.or(full).unwrap_or_default();
        let sent_names: HashSet<&str> = nodes.iter().copied().collect();
        if let Some(other) = passed.iter().find(|name| !sent_names.contains(&***name)) {
            let url = &self.extenders.list[extender].name;
            return Err(format!(
                "extender {url:?} claims a filtered node {other:?} which is not found in the input node list"
            ));
        }
        let reasons = |of: BTreeMap<Box<str>, Box<str>>| of.into_iter().map(|(node, why)| (node, why.into())).collect();
        Ok(Filtered { nodes: passed, failed: reasons(result.failed), unresolvable: reasons(result.unresolvable) })
    }

    fn prioritize(&mut self, extenders: &[usize], pod: &Pod, nodes: &[&str]) -> Vec<Result<Scores, String>> {
        let clients: Result<Vec<&Client>, String> = extenders.iter().map(|at| self.client(*at)).collect();
        let (clients, pod) = match (clients, self.pod(&pod.key)) {
            (Ok(clients), Ok(pod)) => (clients, pod),
            (Err(why), _) | (_, Err(why)) => return vec![Err(why); extenders.len()],
        };
        let sent = self.nodes(nodes, clients.iter().any(|client| !client.is_node_cache_capable()));
        let asked = clients.iter().map(|client| ask_for_scores(client, &pod, &sent));
        let answers = self.wait(async { Ok(join_all(asked).await) });
        let read = |answer: Result<Vec<HostPriority>, CallError>| {
            let scores = answer.map_err(|error| error.to_string())?;
            Ok(scores.into_iter().map(|HostPriority { host, score }| (host, score)).collect())
        };
        match answers {
            Ok(answers) => answers.into_iter().map(read).collect(),
            Err(why) => vec![Err(why); extenders.len()],
        }
    }

    fn process_preemption(
        &mut self,
        extender: usize,
        pod: &Pod,
        candidates: &[Victims<PodKey>],
    ) -> Result<Vec<Victims<Box<str>>>, String> {
        let (client, pod) = (self.client(extender)?, self.pod(&pod.key)?);
        let verb = &client.verbs().preempt;
        let result: PreemptionResult = match client.is_node_cache_capable() {
            true => {
                let meta = candidates.iter().map(|candidate| (&*candidate.node, uids(candidate))).collect();
                let (pod, victims) = (&*pod, None);
                let args = PreemptionArgs { pod, node_name_to_victims: victims, node_name_to_meta_victims: Some(meta) };
                self.wait(client.call(verb, &args))?
            }
            false => {
                let full: Vec<Vec<Arc<RawValue>>> = candidates
                    .iter()
                    .map(|candidate| candidate.pods.iter().map(|key| self.pod(key)).collect::<Result<Vec<_>, String>>())
                    .collect::<Result<_, String>>()?;
                let victims = candidates.iter().zip(&full).map(|(candidate, pods)| {
                    let pods = pods.iter().map(|pod| &**pod).collect();
                    (&*candidate.node, wire::Victims { pods, violations: candidate.violations })
                });
                let (pod, victims) = (&*pod, Some(victims.collect()));
                let args = PreemptionArgs { pod, node_name_to_victims: victims, node_name_to_meta_victims: None };
                self.wait(client.call(verb, &args))?
            }
        };
        let victims = result.victims.into_iter().map(|(node, victims)| Victims {
            node,
            pods: victims.pods.into_iter().map(|pod| pod.uid).collect(),
            violations: victims.violations,
        });
        Ok(victims.collect())
    }

    fn ignored(&mut self, extender: usize, pod: &Pod, error: &str) {
        let url = self.extenders.list.get(extender).map_or("", |extender| &extender.name);
        warn!(address = %url, pod = %pod.key, %error, "an ignorable extender failed; scheduling the pod without it");
    }
}

fn uids(candidate: &Victims<PodKey>) -> wire::Victims<PodUid<'_>> {
    let pods = candidate.pods.iter().map(|pod| PodUid { uid: &pod.uid }).collect();
    wire::Victims { pods, violations: candidate.violations }
}
