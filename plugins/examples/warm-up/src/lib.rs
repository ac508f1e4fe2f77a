//! warm-up: an agent on the chosen node prepares the node for a pod before the pod is bound.
//!
//! A pod names a dataset in the annotation `warm-up.example.com/dataset`. The plugin writes the name to the node's
//! annotation `warm-up.example.com/wanted`. The node's agent answers with the dataset's name in the annotation
//! `warm-up.example.com/ready`, or with the reason of a failure in `warm-up.example.com/failed`. Nodes with an agent
//! have the label `warm-up.example.com/agent`.

use std::time::Duration;

use berth_guest::hints::{Event, Hint};
use berth_guest::intents::{Intent, ObjectReference, quoted};
use berth_guest::lifecycle::{Reservation, Reserved};
use berth_guest::prelude::*;
use berth_guest::schemars::{self, JsonSchema};
use berth_guest::{ClusterEvent, EventActions};
use serde::Deserialize;

const AGENT: &str = "warm-up.example.com/agent";
const DATASET: &str = "warm-up.example.com/dataset";

/// Arguments, from `pluginConfig[].args`.
#[derive(Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Args {
    /// The maximum time that pre-bind waits for the agent, in seconds.
    timeout_seconds: u32,
}

impl Default for Args {
    fn default() -> Args {
        Args { timeout_seconds: 300 }
    }
}

fn filter(pod: &pod::Annotations, node: &node::Labels) -> Verdict {
    if pod.get(DATASET).is_none() || node.get(AGENT).is_some() {
        return Verdict::FITS;
    }
    Verdict::unresolvable("node(s) had no agent to warm them up")
}

/// Stores the name of the dataset for pre-bind, because the pod may change after reserve. Empty means no dataset.
fn reserve(pod: &pod::Annotations) -> Reservation {
    Reservation::of(pod.get(DATASET).unwrap_or_default())
}

fn pre_bind(reserved: &Reserved, args: &Args) -> Vec<Intent> {
    if reserved.state.is_empty() {
        return Vec::new();
    }
    let dataset = quoted(&String::from_utf8_lossy(&reserved.state));
    let node = ObjectReference::new("v1", "Node", &reserved.node_name);
    let patch = format!(r#"{{"metadata":{{"annotations":{{"warm-up.example.com/wanted":{dataset}}}}}}}"#);
    let until = format!(
        "'warm-up.example.com/failed' in object.metadata.annotations \
         ? object.metadata.annotations['warm-up.example.com/failed'] \
         : object.metadata.annotations['warm-up.example.com/ready'] == {dataset}"
    );
    let timeout = Duration::from_secs(args.timeout_seconds.into());
    vec![Intent::patch(node.clone(), patch), Intent::wait_until(node, until, timeout)]
}

/// Retries a rejected pod only after events of nodes with an agent, because the filter rejects all other nodes.
fn queueing_hint(_: &Event, node: node::Change<'_, node::Labels>) -> Hint {
    Hint::queue_if(node.after.is_some_and(|labels| labels.contains_key(AGENT)))
}

berth_guest::plugin!(
    name: "warm-up",
    args: Args,
    schema: "arguments.schema.json",
    filter: filter,
    reserve: reserve,
    pre_bind: pre_bind,
    queueing_hint: queueing_hint,
    retry_on: [ClusterEvent::new("Node", EventActions::ADD | EventActions::UPDATE_LABELS)],
);

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, node, pod};

    use super::*;

    fn host() -> Host<Plugin> {
        let mut host = Host::with_args(r#"{"timeoutSeconds": 5}"#).unwrap();
        host.node(node("with").label(AGENT, ""));
        host.node(node("without"));
        host
    }

    #[test]
    fn a_pod_with_a_dataset_needs_an_agent() {
        let mut host = host();
        assert_eq!(host.fits(&pod()), ["with", "without"]);
        assert_eq!(host.fits(&pod().annotation(DATASET, "images")), ["with"]);
    }

    #[test]
    fn pre_bind_annotates_the_node_and_waits() {
        let mut host = host();
        let state = host.reserve(&pod().annotation(DATASET, "images"), "with").unwrap().state;
        let intents = host.pre_bind(&pod(), "with", &state);
        let [Intent::Patch(patch), Intent::WaitUntil(wait)] = intents.as_slice() else { panic!("{intents:?}") };
        assert_eq!(patch.patch, r#"{"metadata":{"annotations":{"warm-up.example.com/wanted":"images"}}}"#);
        assert_eq!((patch.object.name.as_str(), wait.object.name.as_str(), wait.timeout_ms), ("with", "with", 5_000));
        let nothing = host.reserve(&pod(), "without").unwrap().state;
        assert!(host.pre_bind(&pod(), "without", &nothing).is_empty());
    }

    #[test]
    fn only_a_node_with_an_agent_causes_a_retry() {
        let mut host = host();
        let [with, without] = [node("new").label(AGENT, ""), node("new").label("zone", "a")];
        assert_eq!(host.node_hint(EventActions::ADD, [None, Some(&with)], &pod()), Hint::Queue);
        assert_eq!(host.node_hint(EventActions::ADD, [None, Some(&without)], &pod()), Hint::Skip);
    }
}
