//! A synthetic cluster, for trials without a real one.

use std::sync::Arc;

use berth_core::cache::Cache;
use berth_core::model::{
    Condition, ConditionStatus, Effect, Labels, Node, NodeImage, Pod, PodKey, PodRequests, PodSpec, Resources, Taint,
    Toleration, TolerationOperator,
};

/// The number of nodes in a trial that only checks whether a plugin answers.
pub const SMALL: usize = 50;

const ZONES: [&str; 3] = ["zone-a", "zone-b", "zone-c"];
const GPU: &str = "example.com/gpu";

/// Returns a cluster of `count` nodes of several kinds. Every second node has a pod.
pub fn cluster(count: usize) -> Cache {
    let mut cache = Cache::default();
    for number in 0..count {
        cache.set_node(Arc::new(node(number)));
        if number % 2 == 0 {
            cache.set_pod(Arc::new(Pod {
                node_name: name(number),
                ..pod(&format!("resident-{number}"), resources(250, 256, 0), PodSpec::default())
            }));
        }
    }
    cache
}

/// Returns three pods: a small one, one that tolerates taints, and one that requests a GPU.
pub fn pods() -> Vec<Arc<Pod>> {
    let tolerant = PodSpec {
        tolerations: vec![Toleration {
            key: "".into(),
            operator: TolerationOperator::Exists,
            value: "".into(),
            effect: None,
        }],
        node_selector: [("topology.kubernetes.io/zone", ZONES[0])].into_iter().collect(),
        ..PodSpec::default()
    };
    [
        pod("small", resources(100, 128, 0), PodSpec::default()),
        pod("tolerant", resources(500, 512, 0), tolerant),
        pod("gpu", resources(1_000, 1_024, 1), PodSpec::default()),
    ]
    .map(Arc::new)
    .into()
}

fn name(number: usize) -> Box<str> {
    format!("node-{number}").into()
}

fn node(number: usize) -> Node {
    let name = name(number);
    let taint = Taint { key: "dedicated".into(), value: "batch".into(), effect: Effect::NoSchedule };
    Node {
        uid: format!("00000000-0000-0000-0000-{number:012}").into(),
        labels: labels(&name, number),
        taints: if number.is_multiple_of(7) { vec![taint] } else { Vec::new() },
        unschedulable: number % 19 == 18,
        allocatable: Resources { pods: 110, ..resources(8_000, 32_768, if number.is_multiple_of(5) { 4 } else { 0 }) },
        images: vec![
            NodeImage { names: vec!["registry.example.com/base:1".into()], size: 80 << 20 },
            NodeImage { names: vec![format!("registry.example.com/app-{}:1", number % 10).into()], size: 400 << 20 },
        ],
        conditions: vec![Condition { kind: "Ready".into(), status: ConditionStatus::True }],
        name,
        ..Node::default()
    }
}

/// Returns 15 labels, as nodes of cloud providers have.
fn labels(name: &str, number: usize) -> Labels {
    let fixed = [
        ("kubernetes.io/hostname", name.to_owned()),
        ("kubernetes.io/arch", "amd64".to_owned()),
        ("kubernetes.io/os", "linux".to_owned()),
        ("topology.kubernetes.io/zone", ZONES[number % ZONES.len()].to_owned()),
        ("topology.kubernetes.io/region", "region-1".to_owned()),
        ("node.kubernetes.io/instance-type", format!("standard-{}", 2 << (number % 4))),
    ];
    let more = (0..9).map(|at| (format!("example.com/label-{at}"), format!("value-{}", (number + at) % 13)));
    fixed.into_iter().map(|(key, value)| (key.to_owned(), value)).chain(more).collect()
}

fn resources(milli_cpu: i64, mebibytes: i64, gpus: i64) -> Resources {
    let scalars = if gpus > 0 { vec![(GPU.into(), gpus)] } else { Vec::new() };
    Resources { milli_cpu, memory: mebibytes << 20, scalars, ..Resources::default() }
}

fn pod(name: &str, requests: Resources, spec: PodSpec) -> Pod {
    let mut named: Vec<Box<str>> = vec!["cpu".into(), "memory".into()];
    named.extend(requests.scalars.iter().map(|(name, _)| Box::from(&**name)));
    Pod {
        key: PodKey { namespace: "default".into(), name: name.into(), uid: format!("uid-of-{name}").into() },
        labels: Arc::new([("app", name)].into_iter().collect()),
        requests: Arc::new(PodRequests {
            non_zero_milli_cpu: requests.milli_cpu,
            non_zero_memory: requests.memory,
            scored_milli_cpu: requests.milli_cpu,
            scored_memory: requests.memory,
            effective: requests.clone(),
            fit: requests,
            named,
        }),
        spec: Arc::new(PodSpec { scheduler_name: "default-scheduler".into(), ..spec }),
        ..Pod::default()
    }
}
