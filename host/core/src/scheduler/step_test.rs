//! Tests of single events. The simulation in `tests/` covers histories of many events.

use super::*;
use crate::cache::{Coverage, NodeId};
use crate::extenders::NoExtenders;
use crate::facts::{NodeFacts, PodFacts};
use crate::model::{Labels, Node, Object, ObjectKey, ObjectKind, ObjectReads, PodSpec, Taint};
use crate::plugins::{Code, Cycle, Declaration, PluginError, PluginId, QueueTimes, Scope, Status, Verdicts};
use crate::queue::SubQueue;

/// A filter that rejects tainted nodes and fails while `broken` is set, a pre-enqueue plugin that gates pods with
/// scheduling gates, and a queue-sort plugin that orders pods by name.
#[derive(Default)]
struct Taints {
    broken: bool,
    down: bool,
    filling: bool,
}

impl Plugins for Taints {
    fn pre_enqueue(&mut self, _: PluginId, cycle: &Cycle<'_>) -> Result<Option<Status>, PluginError> {
        let status = Status { code: Code::UnschedulableAndUnresolvable, reasons: vec!["gated".into()] };
        Ok((!cycle.pod.spec.scheduling_gates.is_empty()).then_some(status))
    }

    fn sort_key(&mut self, _: PluginId, cycle: &Cycle<'_>, _: QueueTimes) -> Result<Box<[i64]>, PluginError> {
        Ok(cycle.pod.key.name.bytes().map(i64::from).collect())
    }

    fn filter(&mut self, _: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        if self.broken {
            return Err(PluginError::failed("Taints".into(), "trapped".into()));
        }
        if self.filling {
            return Err(PluginError::filling("Taints".into(), "is being filled anew".into()));
        }
        if self.down {
            return Err(PluginError::down("Taints".into(), "is being restarted".into()));
        }
        let tainted = |id: &NodeId| cycle.cache.node(*id).is_some_and(|info| !info.node.taints.is_empty());
        let outcomes = vec![Status { code: Code::Unschedulable, reasons: vec!["tainted".into()] }];
        Ok(Verdicts { outcomes, nodes: nodes.iter().map(|id| u16::from(tainted(id))).collect() })
    }
}

struct Bench {
    core: Core,
    plugins: Taints,
    seconds: u64,
}

impl Bench {
    /// Creates a core with its profile and one node `n`.
    fn new() -> Self {
        let mut bench = Self::without_profile();
        bench.swap();
        bench.step(Event::NodeSet(node(false)));
        bench
    }

    fn without_profile() -> Self {
        Self { core: Core::new(Options::default()), plugins: Taints::default(), seconds: 0 }
    }

    fn swap(&mut self) {
        let profiles = Self::profiles();
        self.step(Event::PluginsSwapped(profiles));
    }

    /// As [`Bench::swap`], but runs no cycle.
    fn swap_only(&mut self) {
        self.core.step(Event::PluginsSwapped(Self::profiles()), Timestamp(0), &mut self.plugins, &mut NoExtenders);
    }

    fn profiles() -> Vec<Profile> {
        let declaration = Declaration {
            name: "Taints".into(),
            node: NodeFacts::TAINTS.into(),
            filter_scope: Scope::Node,
            objects: vec![services()],
            ..Declaration::default()
        };
        let (gates, name) = (PodFacts::SCHEDULING_GATES, PodFacts::NAME);
        let reading =
            |pod: PodFacts| Declaration { pod: pod.into(), filter_scope: Scope::Node, ..Declaration::default() };
        let plugin = |id, declaration: Declaration| ProfilePlugin {
            id: PluginId(id),
            declaration: Arc::new(declaration),
            failure_policy: Default::default(),
        };
        let profile = Profile {
            scheduler_name: "ours".into(),
            pre_enqueue: vec![plugin(1, reading(gates))],
            queue_sort: Some(plugin(2, reading(name))),
            filter: vec![plugin(0, declaration)],
            ..Profile::default()
        };
        let other =
            Profile { scheduler_name: "other".into(), queue_sort: profile.queue_sort.clone(), ..Profile::default() };
        vec![profile, other]
    }

    /// Handles an event and runs all pending cycles. Returns all actions in a short form.
    fn step(&mut self, event: Event) -> Vec<String> {
        let now = Timestamp(self.seconds * 1000);
        let mut actions = self.core.step(event, now, &mut self.plugins, &mut NoExtenders);
        while self.core.has_work() {
            actions.extend(self.core.step(Event::Cycle, now, &mut self.plugins, &mut NoExtenders));
        }
        actions.iter().map(shortened).collect()
    }
}

fn shortened(action: &Action) -> String {
    match action {
        Action::Bind { pod, node } => format!("bind {} to {node}", pod.name),
        Action::BindByExtender { pod, node, extender } => format!("extender {extender} binds {} to {node}", pod.name),
        Action::Emit(event) => format!("{} {}: {}", event.reason, event.pod.name, event.note),
        Action::SetUnscheduled { pod, reason, .. } => format!("unscheduled {}: {reason}", pod.name),
        Action::Watch(reads) => format!("watch {}", reads.kind),
        Action::StopWatching(kind) => format!("stop watching {kind}"),
        Action::Nominate { pod, node } => format!("nominate {node:?} for {}", pod.name),
        Action::Evict { pod, .. } => format!("evict {}", pod.name),
        Action::ExecuteIntents { pod, intents, .. } => format!("execute {} for {}", intents.len(), pod.name),
        Action::CancelIntents { pod, .. } => format!("cancel for {}", pod.name),
        Action::Change(intents) => format!("change {}", intents.len()),
        Action::Warn { plugin, .. } => format!("warn {plugin}"),
    }
}

fn node(tainted: bool) -> Arc<Node> {
    let taint = Taint { key: "k".into(), value: "".into(), effect: crate::model::Effect::NoSchedule };
    let taints = if tainted { vec![taint] } else { Vec::new() };
    Arc::new(Node { name: "n".into(), uid: "n".into(), taints, ..Node::default() })
}

/// The further kind that the filter reads.
fn services() -> ObjectReads {
    let kind = ObjectKind { api_version: "v1".into(), kind: "Service".into() };
    ObjectReads { kind: Arc::new(kind), ..ObjectReads::default() }
}

fn key(name: &str) -> PodKey {
    PodKey { namespace: "ns".into(), name: name.into(), uid: name.into() }
}

fn pod(name: &str) -> Pod {
    let spec = PodSpec { scheduler_name: "ours".into(), ..PodSpec::default() };
    Pod { key: key(name), spec: Arc::new(spec), ..Pod::default() }
}

fn set(pod: Pod) -> Event {
    Event::PodSet(Arc::new(pod))
}

#[test]
fn a_bound_pod_gets_an_event() {
    let mut bench = Bench::new();
    assert_eq!(bench.step(set(pod("p"))), ["bind p to n"]);
    assert_eq!(bench.step(Event::Bound(key("p"))), ["Scheduled p: Successfully assigned ns/p to n"]);
    assert_eq!(bench.core.in_flight(), 0);
}

#[test]
fn a_failed_binding_is_repeated_after_a_backoff() {
    let mut bench = Bench::new();
    bench.step(set(pod("p")));
    let actions = bench.step(Event::BindFailed(key("p"), "no".into()));
    assert_eq!(actions, ["FailedScheduling p: binding rejected: no", "unscheduled p: SchedulerError"]);
    assert!(bench.core.cache().pod_by_uid("p").is_none(), "the pod is not assumed");
    bench.seconds = 2;
    assert_eq!(bench.step(Event::Tick), ["bind p to n"]);
}

#[test]
fn a_binding_reported_as_failed_that_took_place_is_not_repeated() {
    let mut bench = Bench::new();
    bench.step(set(pod("p")));
    bench.step(set(Pod { node_name: "n".into(), ..pod("p") }));
    assert_eq!(bench.step(Event::BindFailed(key("p"), "timed out".into())), [""; 0]);
    assert!(bench.core.queue().is_empty());
    assert!(bench.core.cache().pod_by_uid("p").is_some());
}

#[test]
fn an_unschedulable_pod_waits_for_facts_that_its_plugin_reads_and_is_reported_once() {
    let mut bench = Bench::new();
    bench.step(Event::NodeSet(node(true)));
    let first = bench.step(set(pod("p")));
    assert_eq!(first, ["FailedScheduling p: 0/1 nodes are available: 1 tainted.", "unscheduled p: Unschedulable"]);
    bench.seconds = 400;
    let flushed = bench.step(Event::Tick);
    assert_eq!(flushed, ["FailedScheduling p: 0/1 nodes are available: 1 tainted."], "the condition says so already");
    bench.seconds = 500;
    assert_eq!(bench.step(Event::NodeSet(node(false))), ["bind p to n"]);
}

#[test]
fn a_pod_waits_for_the_first_node() {
    let mut bench = Bench::without_profile();
    bench.swap();
    let actions = bench.step(set(pod("p")));
    assert_eq!(actions[0], "FailedScheduling p: no nodes available to schedule pods");
    bench.seconds = 5;
    assert_eq!(bench.step(Event::NodeSet(node(false))), ["bind p to n"]);
}

#[test]
fn pods_that_come_before_their_profile_are_not_lost() {
    let mut bench = Bench::without_profile();
    bench.step(Event::NodeSet(node(false)));
    assert_eq!(bench.step(set(pod("p"))), [""; 0]);
    bench.step(set(pod("q")));
    bench.step(Event::PodRemoved(key("q")));
    let now = Timestamp(0);
    bench.swap();
    assert!(bench.core.cache().pod_by_uid("p").is_some_and(|cached| cached.assumed));
    assert!(bench.core.cache().pod_by_uid("q").is_none());
    assert!(bench.core.next_wakeup().is_none_or(|at| at > now));
}

#[test]
fn pods_whose_profile_goes_wait_until_it_is_back() {
    let mut bench = Bench::without_profile();
    bench.swap();
    bench.step(set(pod("p")));
    bench.step(Event::PluginsSwapped(Vec::new()));
    bench.seconds = 5;
    bench.step(Event::Tick);
    assert_eq!(bench.step(Event::NodeSet(node(false))), [""; 0]);
    bench.swap();
    assert!(bench.core.cache().pod_by_uid("p").is_some_and(|cached| cached.assumed));
}

#[test]
fn pods_that_get_no_attempt() {
    let other = Arc::new(PodSpec { scheduler_name: "another".into(), ..PodSpec::default() });
    for (name, pod) in [
        ("another scheduler's", Pod { spec: other, ..pod("p") }),
        ("being deleted", Pod { deleting: true, ..pod("p") }),
        ("finished", Pod { finished: true, ..pod("p") }),
        ("assigned", Pod { node_name: "elsewhere".into(), ..pod("p") }),
    ] {
        let mut bench = Bench::new();
        assert_eq!(bench.step(set(pod)), [""; 0], "{name}");
        assert!(bench.core.queue().is_empty(), "{name}");
    }
}

#[test]
fn a_pod_is_scheduled_after_its_gates_are_removed() {
    let mut bench = Bench::new();
    let gated = Arc::new(PodSpec { scheduling_gates: vec!["g".into()], ..PodSpec::clone(&pod("p").spec) });
    assert_eq!(bench.step(set(Pod { spec: gated, ..pod("p") })), [""; 0]);
    assert_eq!(bench.core.queue().len(SubQueue::Gated), 1);
    assert_eq!(bench.step(set(pod("p"))), ["bind p to n"]);
}

#[test]
fn pods_are_tried_in_the_order_of_their_keys() {
    let mut bench = Bench::without_profile();
    for name in ["b", "c", "a"] {
        bench.step(set(pod(name)));
    }
    bench.step(Event::NodeSet(node(false)));
    let now = Timestamp(0);
    bench.swap_only();
    let actions = std::iter::from_fn(|| {
        bench.core.has_work().then(|| bench.core.step(Event::Cycle, now, &mut bench.plugins, &mut NoExtenders))
    });
    let bound: Vec<String> = actions.flatten().map(|action| shortened(&action)).collect();
    assert_eq!(bound, ["bind a to n", "bind b to n", "bind c to n"]);
}

/// Each profile schedules the pods that name it, with its own plugins.
#[test]
fn several_profiles_schedule_their_own_pods() {
    let mut bench = Bench::new();
    bench.step(Event::NodeSet(node(true)));
    let others = Arc::new(PodSpec { scheduler_name: "other".into(), ..PodSpec::default() });
    assert_eq!(bench.step(set(pod("p"))).len(), 2, "its profile has a filter");
    assert_eq!(bench.step(set(Pod { spec: others, ..pod("q") })), ["bind q to n"], "its profile has none");
}

#[test]
fn pods_wait_for_a_plugin_that_is_down_and_are_tried_when_it_is_back() {
    let mut bench = Bench::new();
    bench.plugins.down = true;
    let actions = bench.step(set(pod("p")));
    assert_eq!(actions, ["FailedScheduling p: plugin Taints: is being restarted", "unscheduled p: SchedulerError"]);
    bench.plugins.down = false;
    assert_eq!(bench.step(Event::PluginRecovered("Taints".into())), ["bind p to n"]);
}

#[test]
fn a_plugin_that_is_being_filled_delays_pods_and_nothing_is_reported() {
    let mut bench = Bench::new();
    bench.plugins.filling = true;
    assert_eq!(bench.step(set(pod("p"))), [""; 0]);
    assert!(bench.core.ended().is_empty(), "no attempt failed");
    bench.plugins.filling = false;
    assert_eq!(bench.step(Event::PluginRecovered("Taints".into())), ["bind p to n"]);
}

#[test]
fn a_pod_for_which_a_plugin_failed_comes_after_other_pods() {
    let mut bench = Bench::new();
    bench.plugins.broken = true;
    let actions = bench.step(set(pod("p")));
    assert_eq!(actions, ["FailedScheduling p: plugin Taints: trapped", "unscheduled p: SchedulerError"]);
    (bench.plugins.broken, bench.plugins.down) = (false, true);
    bench.step(set(pod("q")));
    bench.plugins.down = false;
    assert_eq!(bench.step(Event::PluginRecovered("Taints".into())), ["bind q to n"]);
    bench.seconds += 2;
    assert_eq!(bench.step(Event::Tick), ["bind p to n"]);
}

#[test]
fn a_pod_deleted_while_it_is_bound_is_forgotten() {
    let mut bench = Bench::new();
    bench.step(set(pod("p")));
    bench.step(Event::PodRemoved(key("p")));
    assert_eq!(bench.core.in_flight(), 0);
    assert!(bench.core.cache().pod_by_uid("p").is_none());
    assert_eq!(bench.step(Event::BindFailed(key("p"), "not found".into())), [""; 0]);
}

#[test]
fn a_pod_updated_during_its_binding_is_requeued_in_its_new_version() {
    let mut bench = Bench::new();
    bench.step(set(pod("p")));
    let labels: Labels = [("l", "new".to_owned())].into_iter().collect();
    let updated = Pod { labels: labels.into(), ..pod("p") };
    assert_eq!(bench.step(set(updated.clone())), [""; 0], "its binding goes on");
    assert_eq!(bench.core.in_flight(), 1);
    bench.step(Event::BindFailed(key("p"), "no".into()));
    let waiting = bench.core.queue().get("p").map(|entry| entry.pod.labels.clone());
    assert_eq!(waiting, Some(updated.labels));
    bench.seconds = 2;
    assert_eq!(bench.step(Event::Tick), ["bind p to n"]);
}

#[test]
fn a_step_reports_the_attempts_that_it_ended() {
    let mut bench = Bench::new();
    bench.plugins.down = true;
    bench.step(set(pod("p")));
    let ended = |bench: &Bench| bench.core.ended().last().map(|attempt| (attempt.outcome, attempt.number));
    assert_eq!(ended(&bench), Some((Outcome::Error, 1)));
    bench.plugins.down = false;
    bench.step(Event::PluginRecovered("Taints".into()));
    assert_eq!((ended(&bench), bench.core.in_flight()), (None, 1));
    bench.step(Event::BindFailed(key("p"), "etcd is away".into()));
    assert_eq!(ended(&bench), Some((Outcome::Error, 2)));
}

#[test]
fn a_kind_is_watched_once_and_its_objects_help_those_that_wait_for_them() {
    let mut bench = Bench::new();
    assert_eq!(bench.step(Event::ObjectsWanted(vec![services()])), ["watch v1 Service"]);
    assert!(bench.step(Event::ObjectsWanted(vec![services()])).is_empty());
    bench.step(Event::NodeSet(node(true)));
    bench.step(set(pod("a")));
    let object = |kind| {
        let key = ObjectKey { kind, namespace: "ns".into(), name: "web".into() };
        Event::ObjectSet(Arc::new(Object { key, ..Object::default() }))
    };
    bench.seconds += 100;
    let other = ObjectKind { api_version: "v1".into(), kind: "Secret".into() };
    assert!(bench.step(object(Arc::new(other))).is_empty());
    assert!(!bench.step(object(services().kind)).is_empty());
}

#[test]
fn a_kind_without_readers_is_dropped_and_listed_again_for_a_new_reader() {
    let mut bench = Bench::new();
    let stopped = || Event::WatchStopped(services().kind);
    let object = |name: &str| {
        let key = ObjectKey { kind: services().kind, namespace: "ns".into(), name: name.into() };
        Event::ObjectSet(Arc::new(Object { key, ..Object::default() }))
    };
    let names = |bench: &Bench| -> Vec<String> {
        let objects = bench.core.cache().objects().iter();
        objects.map(|(_, cached)| cached.object.key.name.to_string()).collect()
    };
    let coverage = |bench: &Bench| bench.core.cache().objects().coverage(&[services()]);
    bench.step(Event::ObjectsWanted(vec![services()]));
    bench.step(object("old"));
    bench.step(Event::ObjectsListed(services()));
    let swap = bench.step(Event::PluginsSwapped(Bench::profiles()));
    assert_eq!((swap, names(&bench)), (Vec::new(), vec!["old".to_owned()]), "the kind is still read");

    assert_eq!(bench.step(Event::PluginsSwapped(Vec::new())), ["stop watching v1 Service"]);
    assert_eq!((names(&bench), coverage(&bench)), (Vec::new(), Coverage::Underway));
    assert_eq!(bench.step(Event::PluginsSwapped(Vec::new())), [""; 0], "it stops once");
    bench.step(object("late"));
    assert_eq!(names(&bench), [""; 0], "the watch is stopping");

    // The kind is read again while events of the first watch can still arrive.
    assert_eq!(bench.step(Event::ObjectsWanted(vec![services()])), ["watch v1 Service"]);
    bench.step(object("later"));
    bench.step(Event::ObjectsListed(services()));
    bench.step(Event::ObjectsRefused(services().kind, "forbidden".into()));
    assert_eq!((names(&bench), coverage(&bench)), (Vec::new(), Coverage::Underway), "these are of the first watch");
    bench.step(stopped());
    bench.step(object("new"));
    bench.step(Event::ObjectsListed(services()));
    assert_eq!((names(&bench), coverage(&bench)), (vec!["new".to_owned()], Coverage::Complete));
}

/// Records the answers of the plugins.
#[derive(Default)]
struct AnswerRecorder(Vec<String>);

impl crate::cycle::AnswerObserver for AnswerRecorder {
    fn answered(&mut self, plugin: &ProfilePlugin, answer: crate::cycle::PluginAnswer<'_>) {
        self.0.push(format!("{}: {answer:?}", plugin.declaration.name));
    }
}

#[test]
fn an_explanation_gives_the_result_of_a_cycle_and_reserves_nothing() {
    let mut bench = Bench::new();
    let asked = Arc::new(pod("p"));
    for (tainted, expected) in [(false, Ok(vec![(NodeId(0), 0)])), (true, Err("0/1 nodes are available: 1 tainted."))] {
        bench.step(Event::NodeSet(node(tainted)));
        for _ in ["fresh", "kept"] {
            let mut recorder = AnswerRecorder::default();
            let outcome = bench
                .core
                .explain(&asked, Timestamp(0), &mut bench.plugins, &mut NoExtenders, &mut recorder)
                .expect("a profile");
            assert_eq!(outcome.map_err(|failure| failure.to_string()), expected.clone().map_err(str::to_owned));
            assert_eq!(recorder.0.len(), 1, "{:?}", recorder.0);
            assert_eq!(recorder.0[0].contains("nodes: [1]"), tainted, "{:?}", recorder.0);
        }
    }
    assert_eq!(bench.core.in_flight(), 0);
    let stranger = Arc::new(Pod { spec: Arc::default(), ..pod("q") });
    assert!(
        bench
            .core
            .explain(&stranger, Timestamp(0), &mut bench.plugins, &mut NoExtenders, &mut AnswerRecorder::default())
            .is_none()
    );
}
