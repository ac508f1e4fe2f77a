//! Runs the cases against the in-memory API server, without and with faults.

use std::collections::BTreeMap;

use crate::cases::{World, node, pod, typed};
use berth_core::Event;
use berth_kube::connect_to;
use berth_sim::{Options, Server, WatchFault};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cases_pass_against_the_embedded_api_server() {
    let server = Server::start(Options::default()).await.expect("a server");
    crate::cases::run_all(&connect_to(&server.kubeconfig()).await.expect("a client")).await;
    server.shutdown().await.expect("an orderly end");
}

/// The cluster's state: pods by name, with uid and label `round`; nodes by name, with `unschedulable`.
#[derive(Debug, Default, PartialEq, Eq)]
struct View {
    pods: BTreeMap<String, (String, String)>,
    nodes: BTreeMap<String, bool>,
}

impl View {
    fn apply(&mut self, event: &Event) {
        match event {
            Event::PodSet(pod) => {
                let seen = (pod.key.uid.to_string(), pod.labels.get("round").unwrap_or_default().to_owned());
                self.pods.insert(pod.key.name.to_string(), seen);
            }
            Event::PodRemoved(key) => {
                if self.pods.get(&*key.name).is_some_and(|(uid, _)| **uid == *key.uid) {
                    self.pods.remove(&*key.name);
                }
            }
            Event::NodeSet(node) => {
                self.nodes.insert(node.name.to_string(), node.unschedulable);
            }
            Event::NodeRemoved(name) => {
                self.nodes.remove(&**name);
            }
            other => panic!("{other:?}"),
        }
    }

    async fn of(world: &World) -> Self {
        let pods = world.pods.list(&ListParams::default()).await.expect("listed").items.into_iter().map(|pod| {
            let round = pod.metadata.labels.unwrap_or_default().remove("round").unwrap_or_default();
            (pod.metadata.name.unwrap_or_default(), (pod.metadata.uid.unwrap_or_default(), round))
        });
        let nodes = world.nodes.list(&ListParams::default()).await.expect("listed").items.into_iter();
        let nodes = nodes.map(|node| {
            let cordoned = node.spec.and_then(|spec| spec.unschedulable).unwrap_or_default();
            (node.metadata.name.unwrap_or_default(), cordoned)
        });
        Self { pods: pods.collect(), nodes: nodes.collect() }
    }
}

/// A small random generator. The same seed gives the same numbers.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Makes one random change: creates, patches or deletes an object. Ignores a change that fails.
async fn churn(world: &World, chance: &mut Chance, round: u64) {
    let name = format!("churn-{}", chance.below(12));
    let now = DeleteParams::default().grace_period(0);
    let label = Patch::Merge(json!({"metadata": {"labels": {"round": round.to_string()}}}));
    let cordon = Patch::Merge(json!({"spec": {"unschedulable": round.is_multiple_of(2)}}));
    let (post, patch) = (PostParams::default(), PatchParams::default());
    let _ = match chance.below(7) {
        0 | 1 => world.pods.create(&post, &typed(&pod(&name))).await.err(),
        2 => world.pods.patch(&name, &patch, &label).await.err(),
        3 => world.pods.delete(&name, &now).await.err(),
        4 => world.nodes.create(&post, &typed(&node(&name))).await.err(),
        5 => world.nodes.patch(&name, &patch, &cordon).await.err(),
        _ => world.nodes.delete(&name, &now).await.err(),
    };
}

fn fault(server: &Server, chance: &mut Chance, severe: &mut u32) {
    let plural = ["pods", "nodes"][usize::try_from(chance.below(2)).expect("small")];
    match chance.below(12) {
        0 | 1 => server.faults().open_watches(plural, WatchFault::CutMidLine),
        2 => server.faults().open_watches(plural, WatchFault::End),
        3 => server.faults().next_watch(plural, WatchFault::Empty),
        // The informer doubles its pause after each of these faults, so the test injects few of them.
        4 if *severe > 0 => {
            *severe -= 1;
            server.compact();
            server.faults().open_watches(plural, [WatchFault::Gone, WatchFault::CutMidLine][*severe as usize % 2]);
        }
        5 if *severe > 0 => {
            *severe -= 1;
            server.faults().next_watch(plural, WatchFault::GoneStatus);
            server.faults().open_watches(plural, WatchFault::End);
        }
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_object_is_lost_when_watches_break() {
    for seed in 0..6 {
        let server = Server::start(Options::default()).await.expect("a server");
        let client = connect_to(&server.kubeconfig()).await.expect("a client");
        let mut world = World::start(&client).await;
        let (mut chance, mut severe) = (Chance(seed), 2);
        for round in 0..400 {
            churn(&world, &mut chance, round).await;
            fault(&server, &mut chance, &mut severe);
        }
        // The objects `end` are created last; when their events arrive, the events of all earlier changes have arrived.
        world.create_node("end").await;
        let end = world.create_pod("end").await;
        let mut seen = View::default();
        while !(seen.nodes.contains_key("end") && seen.pods.get("end").is_some_and(|(uid, _)| **uid == *end.uid)) {
            world
                .wait("the end", |event| {
                    seen.apply(event);
                    Some(())
                })
                .await;
        }
        // The end of a list, which reports removed objects, may follow the last object.
        let expected = View::of(&world).await;
        while seen != expected {
            world
                .wait("the removal of missing objects", |event| {
                    seen.apply(event);
                    Some(())
                })
                .await;
        }
        server.shutdown().await.expect("an orderly end");
    }
}
