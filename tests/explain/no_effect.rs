//! Explanations change no decision of the scheduler that is explained.

use std::sync::Arc;

use berth_analysis::{ClusterCopy, PodStatus, Sandbox, explain};
use berth_core::extenders::NoExtenders;
use berth_core::model::{ObjectReads, Pod};
use berth_core::profile::Profile;
use berth_core::{Action, Event, Options};
use berth_engine::Engine;
use berth_plugin_host::{Delivery, Guests};
use serde_json::json;

use crate::stock::{NOW, components, copy, node_object, pod, pod_object, specs};

/// The number of pods that are scheduled. After half of them, the questions are asked.
const PODS: usize = 60;

/// A scheduler with 20 nodes.
struct Scheduler {
    engine: Engine,
    /// All actions.
    history: Vec<String>,
}

impl Scheduler {
    fn new() -> Self {
        let guests = Guests::new(Arc::clone(components().limits()), Arc::new(|_| true)).expect("a thread");
        let engine = Engine::new(Options { seed: 7, ..Options::default() }, guests);
        let mut scheduler = Self { engine, history: Vec::new() };
        let set = components().set(specs()).expect("the default profile serves");
        let plugins = set.profiles().iter().flat_map(Profile::plugins);
        let wanted: Vec<ObjectReads> = plugins.flat_map(|plugin| plugin.declaration.wanted()).collect();
        for action in scheduler.step(Event::ObjectsWanted(wanted)) {
            if let Action::Watch(reads) = action {
                scheduler.step(Event::ObjectsListed(reads));
            }
        }
        let swapped = scheduler.engine.accept(Delivery::Swap(set), NOW).expect("the plugins are accepted");
        scheduler.step(swapped);
        let nodes: Vec<_> = (0..20).map(|n| node_object(&format!("n{n}"), json!({}))).collect();
        for node in copy(&nodes).nodes {
            scheduler.step(Event::NodeSet(node));
        }
        scheduler
    }

    fn step(&mut self, event: Event) -> Vec<Action> {
        let actions = self.engine.step(event, NOW, &mut NoExtenders, &mut ());
        self.history.extend(actions.iter().map(|action| format!("{action:?}")));
        actions
    }

    /// Adds a pod and lets the scheduler try it.
    fn add(&mut self, pod: &Arc<Pod>) {
        self.step(Event::PodSet(Arc::clone(pod)));
        for action in self.step(Event::Cycle) {
            if let Action::Bind { pod: key, node } = action {
                self.step(Event::Bound(key));
                self.step(Event::PodSet(Arc::new(Pod { node_name: node, ..Pod::clone(pod) })));
            }
        }
    }

    /// Explains pods that fit, and each tenth time one that does not.
    fn explain(&self, questions: usize) {
        let mut sandbox = Sandbox::new(components(), specs(), &ClusterCopy::of(self.engine.core()), NOW)
            .expect("the default profile serves");
        for question in 0..questions {
            let cpu = if question % 10 == 0 { "64" } else { "100m" };
            let container = json!({"name": "c", "image": "app:1", "resources": {"requests": {"cpu": cpu}}});
            let object = pod_object(&format!("asked-{question}"), json!({"spec": {"containers": [container]}}));
            let explained = explain(&mut sandbox, &object, PodStatus::default()).expect("a valid pod");
            assert_eq!(explained.fitting == 0, cpu == "64", "{explained:?}");
            if question % 100 == 0 {
                sandbox.update(&ClusterCopy::of(self.engine.core()), NOW);
            }
        }
    }
}

fn history(questions: usize) -> Vec<String> {
    let mut scheduler = Scheduler::new();
    for number in 0..PODS {
        if number == PODS / 2 {
            scheduler.explain(questions);
        }
        scheduler.add(&pod(&pod_object(&format!("p{number}"), json!({}))));
    }
    let bound = scheduler.history.iter().filter(|action| action.starts_with("Bind")).count();
    assert_eq!(bound, PODS, "the history binds too few pods");
    scheduler.history
}

#[test]
fn a_thousand_explanations_change_no_later_decision() {
    assert_eq!(history(0), history(1000));
}
