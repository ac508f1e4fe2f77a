//! Requests: valid ones of every verb, with changes.

use anyhow::{Context, Result};
use berth_sim::kinds::KINDS;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::corpus::{self, DICTIONARY};
use crate::edits::{self, Edit};
use crate::json as trees;

/// An HTTP request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The path with the query.
    pub path: String,
    /// Additional headers, by name.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Request {
    /// Creates a GET request without a body.
    pub fn get(path: &str) -> Self {
        Self { method: "GET".into(), path: path.into(), headers: Vec::new(), body: String::new() }
    }

    /// Returns true if the request can be a watch. The answer to a watch does not end by itself.
    pub fn may_watch(&self) -> bool {
        self.path.contains("watch")
    }
}

const METHODS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT", "TRACE", "X"];

const SUBRESOURCES: &[&str] = &[
    "",
    "",
    "",
    "/status",
    "/scale",
    "/binding",
    "/eviction",
    "/resize",
    "/ephemeralcontainers",
    "/finalize",
    "/log",
    "/x",
];

const QUERIES: &[&str] = &[
    "",
    "",
    "",
    "watch=1",
    "watch=true&resourceVersion=1",
    "watch=1&resourceVersion=0&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
    "watch=1&resourceVersion=99999999999999999999&timeoutSeconds=0",
    "limit=1",
    "limit=-1",
    "limit=1&continue=abc",
    "resourceVersion=1&resourceVersionMatch=Exact",
    "resourceVersion=x",
    "labelSelector=a%3Db",
    "labelSelector=a%20in%20(b,",
    "fieldSelector=metadata.name%3Drich",
    "fieldSelector=spec.nodeName!%3D",
    "dryRun=All",
    "dryRun=x",
    "fieldManager=me&force=true",
    "fieldValidation=Strict",
    "pretty=true",
    "propagationPolicy=Foreground",
    "gracePeriodSeconds=-1",
    "timeoutSeconds=x",
];

const ACCEPTS: &[&str] = &[
    "application/json",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    "application/vnd.kubernetes.protobuf",
    "text/html",
    "*/*;q=x",
];

const CONTENT_TYPES: &[&str] = &[
    "application/json",
    "application/yaml",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/json-patch+json",
    "application/apply-patch+yaml",
    "application/vnd.kubernetes.protobuf",
    "text/plain",
    "",
];

/// Strings that occur in paths.
const PATH_DICTIONARY: &[&str] = &[
    "/",
    "//",
    "..",
    "%2f",
    "%00",
    "%ff",
    "%",
    "?",
    "&",
    "=",
    "#",
    "é",
    "api",
    "apis",
    "v1",
    "namespaces",
    "default",
    "pods",
    "watch",
    "rich",
    "openapi",
    "v3",
    "version",
];

/// A collection's path, and an object that can be created in it.
#[derive(Clone, Debug)]
struct Sample {
    path: String,
    object: Value,
}

/// Returns a strategy for requests. The requests are about few objects, so that one request finds the objects of
/// another request.
pub fn requests() -> Result<BoxedStrategy<Request>> {
    let mut samples = samples()?;
    let others = KINDS.iter().map(|kind| {
        let prefix = if kind.group.is_empty() { "/api".to_owned() } else { format!("/apis/{}", kind.group) };
        let scope = if kind.namespaced { "/namespaces/default" } else { "" };
        let path = format!("{prefix}/{}{scope}/{}", kind.version, kind.plural);
        Sample { path, object: json!({"metadata": {"name": "rich"}, "spec": {}}) }
    });
    samples.extend(others);
    let sample = (any::<Index>(), any::<bool>()).prop_map(move |(of, pods)| {
        // Half of the requests are about pods, because pods have the most rules.
        samples[if pods { 0 } else { of.index(samples.len()) }].clone()
    });
    let query = select(QUERIES);
    let accept = select(ACCEPTS);
    let tree = trees::edits(DICTIONARY, 5);
    let made = (sample, 0..12_u8, select(SUBRESOURCES), query, accept, tree, select(CONTENT_TYPES), select(METHODS));
    let made = made.prop_map(|(sample, verb, subresource, query, accept, edits, content_type, method)| {
        request(&sample, verb, subresource, query, accept, &edits, content_type, method)
    });
    let bytes = || prop_oneof![5 => Just(Vec::new()), 1 => edits::edits(PATH_DICTIONARY, 3)];
    Ok((made, bytes(), bytes())
        .prop_map(|(request, path, body)| Request {
            path: edited(&request.path, &path),
            body: edited(&request.body, &body),
            ..request
        })
        .boxed())
}

fn edited(text: &str, edits: &[Edit]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    edits.iter().for_each(|edit| edit.apply(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[allow(clippy::too_many_arguments, reason = "each argument is drawn separately")]
fn request(
    Sample { path, object }: &Sample,
    verb: u8,
    subresource: &str,
    query: &str,
    accept: &str,
    edits: &[trees::Edit],
    content_type: &str,
    method: &str,
) -> Request {
    let name = object["metadata"]["name"].as_str().unwrap_or("rich");
    let item = format!("{path}/{name}{subresource}");
    let mut edited_object = object.clone();
    edits.iter().for_each(|edit| edit.apply(&mut edited_object));
    let mut patch = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"nodeName": "rich"}});
    edits.iter().for_each(|edit| edit.apply(&mut patch));
    let mut binding = json!({"metadata": {"name": name}, "target": {"kind": "Node", "name": "rich"}});
    edits.iter().skip(1).for_each(|edit| edit.apply(&mut binding));
    let json = "application/json";
    let (method, path, content_type, body) = match verb {
        0..4 => ("POST", path.clone(), json, object.to_string()),
        4 => ("POST", path.clone(), json, edited_object.to_string()),
        5 => ("PUT", item, json, edited_object.to_string()),
        6 => ("PATCH", item, content_type, patch.to_string()),
        7 => ("POST", item, json, binding.to_string()),
        8 => ("DELETE", item, json, String::new()),
        9 => ("GET", path.clone(), json, String::new()),
        10 => ("DELETE", path.clone(), json, r#"{"propagationPolicy":"Background"}"#.into()),
        _ => (method, item, content_type, edited_object.to_string()),
    };
    let path = if query.is_empty() { path } else { format!("{path}?{query}") };
    let headers =
        [("Accept", accept), ("Content-Type", content_type)].into_iter().filter(|(_, value)| !value.is_empty());
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Request { method: method.into(), path, headers, body }
}

/// Returns objects that the server accepts, each with its collection. The first is a pod.
fn samples() -> Result<Vec<Sample>> {
    let trees = corpus::trees(&["host/sim/tests/api_server/objects.yaml"])?;
    let items = trees.iter().filter_map(Value::as_array).flatten();
    let sample = |item: &Value| {
        let path = item["path"].as_str().context("an object in objects.yaml has no path")?.to_owned();
        Ok(Sample { path, object: item["object"].clone() })
    };
    items.map(sample).collect()
}
