//! Test cases for `berth plugin test`: nodes, pods, and the expected results of a plugin.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use berth_core::cache::Cache;
use berth_core::model::Pod;
use berth_core::plugins::{Code, Status};
use serde::Deserialize;
use serde_json::{Map, Value};

use berth_apimachinery::objects::{NodeObject, NodeParts, Notes, PodObject, PodParts};

/// The maximum size of a file, in bytes.
const MOST_BYTES: u64 = 4 << 20;

/// The content of a file of test cases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    /// The arguments of the plugin.
    #[serde(default)]
    arguments: Map<String, Value>,
    /// Node objects of Kubernetes. `metadata.name` is enough.
    nodes: Vec<Value>,
    /// Pod objects with a `spec.nodeName`, which run already.
    #[serde(default)]
    pods: Vec<Value>,
    /// The test cases.
    pub cases: Vec<Case>,
}

/// A pod, and the expected result for each node.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// The name of the case, for the report.
    pub name: String,
    /// Arguments that replace all arguments of the table.
    arguments: Option<Map<String, Value>>,
    /// A Pod object of Kubernetes.
    #[serde(default)]
    pod: Value,
    /// Expected filter results by node: `fits`, or a code with its reasons, as in `Unschedulable: Insufficient cpu`.
    #[serde(default)]
    pub filter: BTreeMap<String, Verdict>,
    /// Expected raw scores by node; `none` if the plugin gives no score.
    #[serde(default)]
    pub scores: BTreeMap<String, Score>,
}

/// An expected filter result.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(super) enum Verdict {
    Word(Fits),
    Rejected(BTreeMap<CodeName, Reasons>),
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Fits {
    Fits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(super) enum CodeName {
    Unschedulable,
    UnschedulableAndUnresolvable,
    Error,
    Pending,
}

/// One reason or several reasons.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(super) enum Reasons {
    One(String),
    Several(Vec<String>),
}

/// An expected score.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(super) enum Score {
    Number(i64),
    Word(Nothing),
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Nothing {
    None,
}

impl Verdict {
    /// Returns the result as a plugin returns it; `None` if the pod fits.
    pub fn status(&self) -> Result<Option<Status>> {
        let rejected = match self {
            Self::Word(Fits::Fits) => return Ok(None),
            Self::Rejected(rejected) => rejected,
        };
        let mut codes = rejected.iter();
        let (Some((code, reasons)), None) = (codes.next(), codes.next()) else {
            bail!("expected one code per node, as in `Unschedulable: Insufficient cpu`");
        };
        let code = match code {
            CodeName::Unschedulable => Code::Unschedulable,
            CodeName::UnschedulableAndUnresolvable => Code::UnschedulableAndUnresolvable,
            CodeName::Error => Code::Error,
            CodeName::Pending => Code::Pending,
        };
        let reasons = match reasons {
            Reasons::One(reason) => vec![reason.as_str().into()],
            Reasons::Several(reasons) => reasons.iter().map(|reason| reason.as_str().into()).collect(),
        };
        Ok(Some(Status { code, reasons }))
    }
}

impl Table {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self> {
        let mut text = String::new();
        let file = std::fs::File::open(path).with_context(|| format!("opening {}", path.display()))?;
        file.take(MOST_BYTES + 1)
            .read_to_string(&mut text)
            .with_context(|| format!("reading {} as text", path.display()))?;
        ensure!(
            text.len() as u64 <= MOST_BYTES,
            "{} is larger than {MOST_BYTES} bytes; split the cases into several files",
            path.display()
        );
        Self::parse(&text).with_context(|| format!("{} is not a table of test cases", path.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        // With strict booleans, `n` and `y` are text, as in YAML 1.2.
        let table: Self = serde_saphyr::from_str_with_options(text, serde_saphyr::options! { strict_booleans: true })?;
        ensure!(!table.cases.is_empty(), "`cases` is empty; add a case");
        Ok(table)
    }

    /// Returns a cache with the nodes and pods of the table of cases.
    pub fn cluster(&self) -> Result<Cache> {
        let mut cache = Cache::default();
        for (at, node) in self.nodes.iter().enumerate() {
            let mut notes = Notes::default();
            let node: NodeObject = object(node).with_context(|| format!("nodes[{at}]"))?;
            let node = node.into_model(&NodeParts::default(), &mut notes);
            readable(&notes).with_context(|| format!("nodes[{at}]"))?;
            cache.set_node(Arc::new(node));
        }
        for (at, pod) in self.pods.iter().enumerate() {
            let pod = model(pod, &format!("resident-{at}")).with_context(|| format!("pods[{at}]"))?;
            ensure!(
                !pod.node_name.is_empty(),
                "pods[{at}]: has no spec.nodeName; put the pod to schedule into cases[].pod"
            );
            cache.set_pod(Arc::new(pod));
        }
        Ok(cache)
    }

    /// Returns the arguments of a case, as JSON.
    pub fn arguments(&self, case: &Case) -> String {
        Value::Object(case.arguments.clone().unwrap_or_else(|| self.arguments.clone())).to_string()
    }
}

impl Case {
    /// Returns the pod of the case.
    pub fn pod(&self) -> Result<Pod> {
        model(&self.pod, "pod").context("pod")
    }
}

/// Returns a pod. A missing name is `name`, a missing uid is the pod's name, and a missing namespace is `default`.
fn model(pod: &Value, name: &str) -> Result<Pod> {
    let mut pod = if pod.is_null() { Value::Object(Map::new()) } else { pod.clone() };
    if let Some(fields) = pod.as_object_mut() {
        let metadata = fields.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
        if let Some(metadata) = metadata.as_object_mut() {
            let name = metadata.entry("name").or_insert_with(|| name.into()).clone();
            metadata.entry("uid").or_insert(name);
            metadata.entry("namespace").or_insert_with(|| "default".into());
        }
    }
    let mut notes = Notes::default();
    let pod: PodObject = object(&pod)?;
    let pod = pod.into_model(&PodParts::default(), &mut notes);
    readable(&notes)?;
    Ok(pod)
}

/// Reads an object as if the API server had sent it.
fn object<T: serde::de::DeserializeOwned>(value: &Value) -> Result<T> {
    let text = value.to_string();
    let read = serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(&text));
    read.map_err(|error| anyhow::anyhow!("{}: {}", error.path(), error.inner()))
}

/// Refuses an object with fields that can't be read, such as wrong quantities. In a cluster, the scheduler ignores such
/// fields. In a test case, such a field is a mistake.
fn readable(notes: &Notes) -> Result<()> {
    ensure!(notes.is_empty(), "{notes}");
    Ok(())
}

#[cfg(test)]
#[path = "cases_test.rs"]
mod tests;
