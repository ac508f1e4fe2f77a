//! Requests and responses of extenders: `k8s.io/kube-scheduler/extender/v1`.
//!
//! The Go types have no JSON tags, so the JSON names are the Go names, and a missing value is null.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use super::folded::folded;

/// `ExtenderArgs`, for the verbs filter and prioritize.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Args<'a> {
    pub pod: &'a RawValue,
    pub nodes: Option<NodeList<'a>>,
    pub node_names: Option<&'a [&'a str]>,
}

/// `v1.NodeList` without its kind.
#[derive(Serialize)]
pub(super) struct NodeList<'a> {
    pub metadata: ListMeta,
    pub items: Vec<&'a RawValue>,
}

/// The empty metadata of a list.
#[derive(Serialize)]
pub(super) struct ListMeta {}

/// `ExtenderPreemptionArgs`.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct PreemptionArgs<'a> {
    pub pod: &'a RawValue,
    pub node_name_to_victims: Option<BTreeMap<&'a str, Victims<&'a RawValue>>>,
    pub node_name_to_meta_victims: Option<BTreeMap<&'a str, Victims<PodUid<'a>>>>,
}

/// `Victims` or `MetaVictims`.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Victims<P> {
    pub pods: Vec<P>,
    #[serde(rename = "NumPDBViolations")]
    pub violations: i64,
}

/// `MetaPod`.
#[derive(Serialize)]
pub(super) struct PodUid<'a> {
    #[serde(rename = "UID")]
    pub uid: &'a str,
}

/// `ExtenderBindingArgs`.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct BindingArgs<'a> {
    pub pod_name: &'a str,
    pub pod_namespace: &'a str,
    #[serde(rename = "PodUID")]
    pub pod_uid: &'a str,
    pub node: &'a str,
}

folded! {
    /// `ExtenderFilterResult`.
    FilterResult {
        /// The nodes that pass, as full objects.
        nodes: Option<Nodes> = "nodes",
        /// The names of the nodes that pass, from an extender that is `nodeCacheCapable`.
        node_names: Option<Vec<Box<str>>> = "nodenames",
        /// The reason for each node that fails.
        failed: BTreeMap<Box<str>, Box<str>> = "failednodes",
        /// The reason for each node that fails and that preemption can't help.
        unresolvable: BTreeMap<Box<str>, Box<str>> = "failedandunresolvablenodes",
        /// The extender's error; empty if there is none.
        error: String = "error",
    }
}

folded! {
    /// `v1.NodeList`. Only the names are read.
    Nodes {
        items: Vec<Node> = "items",
    }
}

folded! {
    /// `v1.Node`.
    Node {
        metadata: Metadata = "metadata",
    }
}

folded! {
    /// `metadata`.
    Metadata {
        name: Box<str> = "name",
    }
}

folded! {
    /// `HostPriority`.
    HostPriority {
        /// The node's name.
        host: Box<str> = "host",
        /// The score; 0 to 10 for an extender that follows the API.
        score: i64 = "score",
    }
}

folded! {
    /// `ExtenderPreemptionResult`.
    PreemptionResult {
        /// The victims by node name.
        victims: BTreeMap<Box<str>, MetaVictims> = "nodenametometavictims",
    }
}

folded! {
    /// `MetaVictims`.
    MetaVictims {
        pods: Vec<MetaPod> = "pods",
        violations: i64 = "numpdbviolations",
    }
}

folded! {
    /// `MetaPod`.
    MetaPod {
        uid: Box<str> = "uid",
    }
}

folded! {
    /// `ExtenderBindingResult`.
    BindingResult {
        /// The extender's error; empty if there is none.
        error: String = "error",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sent(args: &impl Serialize) -> serde_json::Value {
        let text = serde_json::to_string(args).expect("arguments as JSON");
        serde_json::from_str(&text).expect("it is JSON")
    }

    #[test]
    fn arguments_are_written_as_go_writes_them() {
        let pod = RawValue::from_string(r#"{"metadata":{"name":"p"}}"#.into()).expect("it is JSON");
        let nodes = NodeList { metadata: ListMeta {}, items: vec![&pod] };
        assert_eq!(
            sent(&Args { pod: &pod, nodes: Some(nodes), node_names: None }),
            json!({"Pod": {"metadata": {"name": "p"}}, "NodeNames": null,
                "Nodes": {"metadata": {}, "items": [{"metadata": {"name": "p"}}]}})
        );
        assert_eq!(
            sent(&Args { pod: &pod, nodes: None, node_names: Some(&["a"]) }),
            json!({"Pod": {"metadata": {"name": "p"}}, "Nodes": null, "NodeNames": ["a"]})
        );
        let victims = Victims { pods: vec![PodUid { uid: "u" }], violations: 1 };
        let meta = Some([("a", victims)].into());
        assert_eq!(
            sent(&PreemptionArgs { pod: &pod, node_name_to_victims: None, node_name_to_meta_victims: meta }),
            json!({"Pod": {"metadata": {"name": "p"}}, "NodeNameToVictims": null,
                "NodeNameToMetaVictims": {"a": {"Pods": [{"UID": "u"}], "NumPDBViolations": 1}}})
        );
        assert_eq!(
            sent(&BindingArgs { pod_name: "p", pod_namespace: "ns", pod_uid: "u", node: "a" }),
            json!({"PodName": "p", "PodNamespace": "ns", "PodUID": "u", "Node": "a"})
        );
    }

    #[test]
    fn answers_are_read_in_any_case() {
        let passed = |text: &str| {
            let FilterResult { nodes, node_names, failed, error, .. } = serde_json::from_str(text).expect("it is one");
            let nodes = nodes.map(|nodes| nodes.items.into_iter().map(|node| node.metadata.name).collect::<Vec<_>>());
            (nodes.or(node_names).unwrap_or_default().join(" "), failed.len(), error)
        };
        for (text, expected) in [
            (r#"{"NodeNames":["a","b"],"FailedNodes":{"c":"no"},"Error":""}"#, ("a b", 1, "")),
            (r#"{"nodeNames":["a"],"failedNodes":null,"else":[1,{}]}"#, ("a", 0, "")),
            (r#"{"nodes":{"items":[{"metadata":{"name":"a","uid":"u"},"spec":{}}]}}"#, ("a", 0, "")),
            (r#"{"Nodes":{"metadata":{},"items":null},"error":"broken"}"#, ("", 0, "broken")),
            ("null", ("", 0, "")),
        ] {
            let (names, failed, error) = passed(text);
            assert_eq!((names.as_str(), failed, error.as_str()), expected, "{text}");
        }
        let scores: Vec<HostPriority> =
            serde_json::from_str(r#"[{"Host":"a","Score":3},{"host":"b","score":10},{}]"#).expect("a list");
        assert_eq!(
            scores.iter().map(|score| (&*score.host, score.score)).collect::<Vec<_>>(),
            [("a", 3), ("b", 10), ("", 0)]
        );
        let result: PreemptionResult = serde_json::from_str(
            r#"{"NodeNameToMetaVictims":{"a":{"Pods":[{"UID":"u"}],"NumPDBViolations":2},"b":null}}"#,
        )
        .expect("a result");
        assert_eq!((result.victims["a"].pods[0].uid.as_ref(), result.victims["a"].violations), ("u", 2));
        assert_eq!(result.victims["b"], MetaVictims::default());
    }

    #[test]
    fn an_answer_of_another_structure_is_refused() {
        assert!(serde_json::from_str::<FilterResult>(r#""ok""#).is_err());
        assert!(serde_json::from_str::<FilterResult>(r#"{"NodeNames":"a"}"#).is_err());
        assert!(serde_json::from_str::<Vec<HostPriority>>(r#"[{"Host":"a","Score":1.5}]"#).is_err());
        assert!(serde_json::from_str::<Vec<HostPriority>>("{}").is_err());
    }
}
