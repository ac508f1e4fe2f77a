//! Tests what-if queries: the default plugins answer as if the changes were real, and keep their state.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::host::{Host, options};
use berth_core::cache::{Cache, NodeId};
use berth_core::model::{HostPort, Node, Pod, PodKey, PodRequests, PodSpec, Protocol, Resources};
use berth_core::plugins::{Cycle, PodSignatureId, Status, Verdicts, WhatIf};
use berth_core::profile::ProfilePlugin;
use berth_core::{Plugins, Timestamp};
use berth_plugin_host::{BuiltIn, LoaderOptions};

const NODES: u32 = 6;

/// Reads the default plugins from the folder that `scripts/guests` writes.
fn default_plugins() -> Vec<BuiltIn> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/plugins/default");
    let entries = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}; run scripts/guests first", folder.display()));
    let files = entries.map(|entry| entry.expect("an entry").path());
    let wasm = files.filter(|file| file.extension().is_some_and(|extension| extension == "wasm"));
    let built_in = |file: PathBuf| {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        BuiltIn { file: name.leak(), bytes: std::fs::read(&file).expect("a component").leak() }
    };
    wasm.map(built_in).collect()
}

/// Starts a host with the default plugins and a cluster.
fn host() -> Host {
    let built_in = default_plugins();
    assert!(!built_in.is_empty(), "no default plugins: run scripts/guests first");
    let options = LoaderOptions { built_in, ..options(None) };
    let mut host = Host::start(options, vec![berth_config::default_profile("default-scheduler")]);
    host.until("the default plugins serve", |host| host.swaps > 0);
    fill(&mut host.cache);
    host
}

fn fill(cache: &mut Cache) {
    let mut random = fastrand::Rng::with_seed(5);
    for number in 0..NODES {
        let name: Box<str> = format!("node-{number}").into();
        let allocatable = Resources { milli_cpu: 4000, memory: 8 << 30, pods: 4, ..Resources::default() };
        cache.set_node(Arc::new(Node { name: name.clone(), uid: name, allocatable, ..Node::default() }));
    }
    for number in 0..12 {
        let node = format!("node-{}", random.u32(..NODES));
        let pod = pod(&format!("resident-{number}"), &mut random);
        cache.set_pod(Arc::new(Pod { node_name: node.into(), ..pod }));
    }
}

fn pod(name: &str, random: &mut fastrand::Rng) -> Pod {
    let scalars = if random.bool() { vec![("example.com/gpu".into(), 1)] } else { Vec::new() };
    let amount = Resources { milli_cpu: random.i64(1..=4) * 500, memory: 1 << 30, scalars, ..Resources::default() };
    let requests = PodRequests {
        fit: amount.clone(),
        non_zero_milli_cpu: amount.milli_cpu,
        non_zero_memory: amount.memory,
        scored_milli_cpu: amount.milli_cpu,
        scored_memory: amount.memory,
        named: vec!["cpu".into(), "memory".into()],
        effective: amount,
    };
    let port = HostPort { ip: "0.0.0.0".into(), protocol: Protocol::Tcp, port: random.u16(80..83) };
    let host_ports = if random.bool() { vec![port] } else { Vec::new() };
    Pod {
        key: PodKey { namespace: "ns".into(), name: name.into(), uid: name.into() },
        requests: Arc::new(requests),
        spec: Arc::new(PodSpec { host_ports, ..PodSpec::default() }),
        ..Pod::default()
    }
}

/// Returns the cycle of a pod in this cluster.
fn cycle<'a>(id: u32, pod: &'a Pod, cache: &'a Cache) -> Cycle<'a> {
    Cycle { id: u64::from(id), time: Timestamp(1_000_000), seed: 7, signature: PodSignatureId(id), pod, cache }
}

fn statuses_of(verdicts: &Verdicts) -> Vec<Option<Status>> {
    let outcome = |answer: &u16| verdicts.outcomes.get(usize::from(*answer).checked_sub(1)?).cloned();
    verdicts.nodes.iter().map(outcome).collect()
}

fn filter(host: &mut Host, plugin: &ProfilePlugin, id: u32, pod: &Pod, nodes: &[NodeId]) -> Vec<Option<Status>> {
    let cycle = cycle(id, pod, &host.cache);
    statuses_of(&host.guests.filter(plugin.id, &cycle, nodes).expect("it answers"))
}

/// Makes the changes of each case, one case after the other, and returns the answers of filter. The cases have the
/// ids of the cluster `of`; pods that were removed and added again have other ids here.
fn filter_after_real_changes(
    host: &mut Host,
    plugin: &ProfilePlugin,
    id: u32,
    pod: &Pod,
    cases: &[WhatIf],
    of: &Cache,
) -> Vec<Option<Status>> {
    let mut statuses = Vec::new();
    for case in cases {
        let name = host.cache.node(case.node).expect("a node").node.name.clone();
        let removed: Vec<Arc<Pod>> =
            case.removed.iter().map(|pod| Arc::clone(&of.pod(*pod).expect("a pod").pod)).collect();
        removed.iter().for_each(|pod| host.cache.remove_pod(&pod.key.uid));
        for pod in &case.added {
            host.cache.assume(Arc::new(Pod { node_name: name.clone(), ..Pod::clone(pod) }));
        }
        statuses.extend(filter(host, plugin, id, pod, &[case.node]));
        case.added.iter().for_each(|pod| host.cache.remove_pod(&pod.key.uid));
        removed.into_iter().for_each(|pod| host.cache.set_pod(pod));
    }
    statuses
}

/// Returns cases about the nodes of `cache`, some about the same node.
fn cases(cache: &Cache, random: &mut fastrand::Rng) -> Vec<WhatIf> {
    let case = |number: u32, random: &mut fastrand::Rng| {
        let node = NodeId(random.u32(..NODES));
        let there = &cache.node(node).expect("a node").pods;
        let removed = there.iter().copied().filter(|_| random.bool()).collect();
        let added = (0..random.u32(..3)).map(|at| Arc::new(pod(&format!("nominated-{number}-{at}"), random))).collect();
        WhatIf { node, added, removed }
    };
    (0..8).map(|number| case(number, random)).collect()
}

#[test]
fn what_if_queries_answer_as_for_real_changes_and_leave_no_state() {
    let (mut asked, mut changed) = (host(), host());
    let mut random = fastrand::Rng::with_seed(11);
    let all: Vec<NodeId> = (0..NODES).map(NodeId).collect();
    let mut seen = [0; 2];
    let filters = asked.profiles[0].filter.clone();
    for id in 0..60 {
        let pod = pod("p", &mut random);
        let cases = cases(&asked.cache, &mut random);
        for (plugin, same) in filters.iter().zip(&changed.profiles[0].filter.clone()) {
            let name = &plugin.declaration.name;
            let cycle = cycle(id, &pod, &asked.cache);
            let verdicts = asked.guests.filter_what_if(plugin.id, &cycle, &cases).expect("it answers");
            let expected = filter_after_real_changes(&mut changed, same, id, &pod, &cases, &asked.cache);
            assert_eq!(statuses_of(&verdicts), expected, "{name} about pod {id}");
            expected.iter().for_each(|verdict| seen[usize::from(verdict.is_some())] += 1);
            let (now, truly) = (filter(&mut asked, plugin, id, &pod, &all), filter(&mut changed, same, id, &pod, &all));
            assert_eq!(now, truly, "{name} after what-ifs about pod {id}");
        }
    }
    assert!(seen.iter().all(|count| *count > 100), "fits and rejections: {seen:?}");
}
