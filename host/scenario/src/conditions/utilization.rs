//! The part of the nodes' allocatable resources that pods request.

use std::collections::BTreeSet;

use berth_apimachinery::objects::{EventReader, Notes};
use berth_core::Event;
use berth_core::model::Resources;
use k8s_openapi::api::core::v1::{Node, Pod};
use serde_json::{Value, json};

use super::Problem;
use super::selection::nodes;
use crate::cluster::View;
use crate::cluster::view::{node_of, phase};
use crate::file::condition::Utilization;

/// Checks the utilization of a resource.
pub fn check(wanted: &Utilization, view: &View) -> Result<Option<Problem>, String> {
    let is_running = |pod: &&Pod| !node_of(pod).is_empty() && !matches!(phase(pod), "Succeeded" | "Failed");
    let used: BTreeSet<&str> = view.pods.values().filter(is_running).map(node_of).collect();
    let name = |node: &Node| node.metadata.name.clone().unwrap_or_default();
    let counted: Vec<&Node> = match &wanted.on {
        Some(wanted) => nodes(view, wanted)?,
        None => view.nodes.values().filter(|node| used.contains(&*name(node))).collect(),
    };
    let names: BTreeSet<String> = counted.iter().map(|node| name(node)).collect();
    let reader = EventReader::default();
    let (mut allocatable, mut requested) = (0_i64, 0_i64);
    for node in &counted {
        allocatable += of_node(node, &wanted.resource, &reader)?;
    }
    for pod in view.pods.values().filter(is_running).filter(|pod| names.contains(node_of(pod))) {
        let json = object("v1", "Pod", serde_json::to_value(pod))?;
        let pod = reader.pod(&json, &mut Notes::default()).map_err(|error| error.to_string())?;
        requested += if wanted.resource == "pods" { 1 } else { amount(&pod.requests.fit, &wanted.resource) };
    }
    if allocatable == 0 {
        let text = format!("no node among the counted ones has the resource {}", wanted.resource);
        return Ok(Some(Problem::new(text)));
    }
    #[expect(clippy::cast_precision_loss, reason = "a percentage")]
    let percent = requested as f64 * 100.0 / allocatable as f64;
    let (min, max) = (wanted.min.unwrap_or(0.0), wanted.max.unwrap_or(f64::INFINITY));
    let text = || {
        let bounds = match (wanted.min, wanted.max) {
            (Some(min), Some(max)) => format!("{min} to {max} %"),
            (Some(min), None) => format!("at least {min} %"),
            (_, max) => format!("at most {} %", max.unwrap_or(100.0)),
        };
        let (resource, count) = (&wanted.resource, counted.len());
        format!("{percent:.1} % of {resource} is requested on {count} nodes, instead of {bounds}")
    };
    Ok((!(min..=max).contains(&percent)).then(|| Problem::new(text())))
}

fn of_node(node: &Node, resource: &str, reader: &EventReader) -> Result<i64, String> {
    let json = object("v1", "Node", serde_json::to_value(node))?;
    match reader.set(&json, &mut Notes::default()).map_err(|error| error.to_string())? {
        Some(Event::NodeSet(node)) => Ok(amount(&node.allocatable, resource)),
        _ => Ok(0),
    }
}

fn amount(of: &Resources, resource: &str) -> i64 {
    match resource {
        "cpu" => of.milli_cpu,
        "memory" => of.memory,
        "ephemeral-storage" => of.ephemeral_storage,
        "pods" => of.pods,
        other => of.scalar(other),
    }
}

/// Returns the object with its type, which the client leaves out.
fn object(version: &str, kind: &str, value: serde_json::Result<Value>) -> Result<Value, String> {
    let mut value = value.map_err(|error| error.to_string())?;
    value["apiVersion"] = json!(version);
    value["kind"] = json!(kind);
    Ok(value)
}
