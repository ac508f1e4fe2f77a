//! Plugin arguments: a default plugin must accept the arguments, or refuse them with a message. The plugin must not
//! fail in another way.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use berth_apimachinery::objects::{EventReader, Notes};
use berth_conformance::Solo;
use berth_core::cache::Cache;
use berth_core::limits::Limits;
use berth_core::model::Pod;
use berth_core::{Event, model::Node};
use berth_plugin_host::{DiskCache, LoadCause};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::corpus::DICTIONARY;
use crate::target::{Memory, OpenTarget, Target};
use crate::{corpus, json as trees};

/// An input is `{"plugin": FILE, "arguments": {…}}`.
pub const TARGET: Target = Target { name: "arguments", memory: Memory { base: 64 << 20, times: 1_000 }, open };

/// Returns files of `target/plugins/default`, each with arguments that the plugin accepts.
fn accepted_arguments() -> Vec<(&'static str, Value)> {
    let term = json!({"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]});
    let added = json!({
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]},
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": term}],
    });
    let resources = json!([{"name": "cpu", "weight": 1}, {"name": "example.com/gpu", "weight": 3}]);
    let shape = json!([{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]);
    let ratio = json!({"shape": shape});
    let spread = json!([{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]);
    vec![
        ("node-affinity", json!({"addedAffinity": added})),
        (
            "node-resources-fit",
            json!({"ignoredResources": ["example.com/a"], "ignoredResourceGroups": ["example.com"],
            "scoringStrategy": {"type": "RequestedToCapacityRatio", "resources": resources,
                "requestedToCapacityRatio": ratio}}),
        ),
        ("node-resources-fit", json!({"scoringStrategy": {"type": "MostAllocated", "resources": resources}})),
        ("node-resources-balanced-allocation", json!({"resources": resources})),
        ("inter-pod-affinity", json!({"hardPodAffinityWeight": 5, "ignorePreferredTermsOfExistingPods": true})),
        ("pod-topology-spread", json!({"defaultConstraints": spread, "defaultingType": "List"})),
        ("default-preemption", json!({"minCandidateNodesPercentage": 10, "minCandidateNodesAbsolute": 100})),
        ("volume-binding", json!({"bindTimeoutSeconds": 600, "shape": shape})),
        ("dynamic-resources", json!({"filterTimeout": "10s", "bindingTimeout": "600s"})),
        ("node-label", json!({"presentLabels": ["a"], "absentLabels": ["b"], "presentLabelsPreference": ["c"]})),
        ("service-affinity", json!({"affinityLabels": ["zone"], "antiAffinityLabelsPreference": ["zone"]})),
    ]
}

fn open() -> Result<OpenTarget> {
    let solos: Result<BTreeMap<&str, Solo>> =
        accepted_arguments().into_iter().map(|(file, _)| Ok((file, load(file)?))).collect();
    let solos = solos?;
    let (cache, pod) = cluster()?;
    let inputs = proptest::sample::select(accepted_arguments()).prop_flat_map(|(file, arguments)| {
        trees::edited(vec![arguments], DICTIONARY, 5)
            .prop_map(move |arguments| json!({"plugin": file, "arguments": arguments}).to_string().into_bytes())
    });
    let check = move |input: &[u8]| {
        let Ok(input) = serde_json::from_slice::<Value>(input) else { return Ok(false) };
        let plugin = input["plugin"].as_str().unwrap_or_default();
        let solo = solos
            .get(plugin)
            .with_context(|| format!("the plugin {plugin:?} is not in the list of plugins with arguments"))?;
        match solo.ask(&input["arguments"].to_string(), &cache, &pod) {
            Ok(_) => Ok(true),
            Err(error) => {
                let refused = matches!(error.cause, LoadCause::Arguments { .. } | LoadCause::Kinds(_));
                ensure!(refused, "the plugin failed otherwise than with a refusal of its arguments: {error}");
                Ok(false)
            }
        }
    };
    Ok(OpenTarget { inputs: inputs.boxed(), check: Box::new(check) })
}

fn load(file: &str) -> Result<Solo> {
    let path = corpus::path(&format!("target/plugins/default/{file}.wasm"));
    ensure!(path.is_file(), "{} does not exist: run scripts/guests", path.display());
    // The CPU limit is generous, so that a busy machine does not exceed it: only a plugin that hangs does.
    let limits = Limits { call: std::time::Duration::from_secs(5), ..Limits::default() };
    Ok(Solo::load(&path, DiskCache::folder_of_user().as_deref(), limits)?)
}

/// Returns a cache with a few different nodes, and a pod with many constraints.
pub fn cluster() -> Result<(Cache, Arc<Pod>)> {
    let objects = corpus::objects()?;
    let (reader, mut notes) = (EventReader::default(), Notes::default());
    let mut cache = Cache::default();
    for (at, object) in objects.iter().filter(|object| object["kind"] == "Node").enumerate() {
        let mut object = object.clone();
        object["metadata"]["name"] = json!(format!("node-{at}"));
        if let Some(Event::NodeSet(node)) = reader.set(&object, &mut notes)? {
            let node: Arc<Node> = node;
            cache.set_node(node);
        }
    }
    ensure!(cache.node_count() > 1, "the corpus has fewer than two nodes");
    let pod = objects.iter().find(|object| object["kind"] == "Pod").context("the corpus has no pod")?;
    let mut pod = pod.clone();
    pod["spec"]["nodeName"] = json!("");
    Ok((cache, Arc::new(reader.pod(&pod, &mut notes)?)))
}
