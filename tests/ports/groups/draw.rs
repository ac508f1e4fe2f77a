//! Draws cases of Coscheduling with many collisions: few names, sizes around `minMember`, tight nodes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::case::{GroupCase, Step};
use super::key_of;

const NAMESPACES: [&str; 2] = ["a", "b"];

/// A drawn step, with small numbers instead of names.
#[derive(Clone, Debug)]
enum Drawn {
    Pod(DrawnPod),
    Group(DrawnGroup),
    RemoveGroup(usize),
    /// Removes the pod with this index, modulo the number of pods.
    RemovePod(usize),
    /// Removes the scheduling gates of a pod.
    Ungate(usize),
    Wait(u64),
    Run(u32),
    /// Adds a group of which one pod fits no node, so that the others may wait. Then removes one of them.
    RemoveWaiting,
}

#[derive(Clone, Debug)]
struct DrawnPod {
    /// The group; [`GROUPS`] for a pod without a group.
    group: usize,
    cpu: u64,
    priority: i64,
    gated: bool,
    count: usize,
}

#[derive(Clone, Debug)]
struct DrawnGroup {
    group: usize,
    min_member: u64,
    min_cpu: Option<u64>,
    timeout: Option<u64>,
}

/// The number of groups: two names in each namespace, and a group whose PodGroup is rarely created.
const GROUPS: usize = 5;

/// Draws cases.
pub fn cases() -> impl Strategy<Value = GroupCase> {
    let node = (1..=3_u64, 2..=6_u64);
    let resident = (0..3_usize, 0..=GROUPS, 1..=2_u64);
    let arguments = (select(vec![0, 10, 60]), select(vec![0, 0, 5]), select(vec![0, 10, 34, 60, 100]));
    // The groups that most pods belong to exist.
    let groups = (group(Just(0)), group(Just(1)), vec(group(2..GROUPS - 1), 0..=2));
    let cluster = (vec(node, 1..=3), vec(resident, 0..=2), groups);
    (arguments, cluster, vec(step(), 6..=20)).prop_map(|(arguments, (nodes, residents, groups), steps)| {
        let (wait, backoff, percentage) = arguments;
        let mut objects: Vec<Value> = nodes.iter().enumerate().map(|(at, of)| node_object(at, *of)).collect();
        let groups = [&groups.0, &groups.1].into_iter().chain(&groups.2);
        objects.extend(groups.map(|group| group_object(&group.with_time(wait > 0))));
        for (at, (node, group, cpu)) in residents.into_iter().enumerate() {
            // A node has room for its pods, as in a real cluster.
            if node < nodes.len() && cpu <= nodes[node].0 && at == 0 {
                let of = DrawnPod { group, cpu, priority: 0, gated: false, count: 1 };
                let mut pod = pod_object(&format!("r{at}"), &of);
                pod["spec"]["nodeName"] = format!("n{node}").into();
                objects.push(pod);
            }
        }
        GroupCase {
            why: String::new(),
            arguments: json!({
                "permitWaitingTimeSeconds": wait,
                "podGroupBackoffSeconds": backoff,
                "podGroupRejectPercentage": percentage,
            }),
            objects,
            steps: concrete(steps, wait > 0),
        }
    })
}

fn group(group: impl Strategy<Value = usize>) -> impl Strategy<Value = DrawnGroup> {
    let min_cpu = prop_oneof![3 => Just(None), 1 => (1..=10_u64).prop_map(Some)];
    let timeout = prop_oneof![2 => Just(None), 1 => select(vec![0, 5, 30]).prop_map(Some)];
    (group, 1..=4_u64, min_cpu, timeout).prop_map(|(group, min_member, min_cpu, timeout)| DrawnGroup {
        group,
        min_member,
        min_cpu,
        timeout,
    })
}

fn step() -> impl Strategy<Value = Drawn> {
    let gated = prop_oneof![6 => Just(false), 1 => Just(true)];
    let priority = prop_oneof![4 => Just(0), 1 => Just(10)];
    let belongs = prop_oneof![7 => 0..2_usize, 2 => 2..GROUPS, 1 => Just(GROUPS)];
    let cpu = prop_oneof![3 => Just(1_u64), 1 => Just(2)];
    let pod = (belongs, cpu, priority, gated, 1..=4_usize)
        .prop_map(|(group, cpu, priority, gated, count)| Drawn::Pod(DrawnPod { group, cpu, priority, gated, count }));
    prop_oneof![
        6 => pod,
        5 => prop_oneof![4 => Just(0), 1 => Just(1)].prop_map(Drawn::Run),
        3 => select(vec![1, 6, 11, 61]).prop_map(Drawn::Wait),
        1 => group(0..GROUPS - 1).prop_map(Drawn::Group),
        1 => (0..GROUPS).prop_map(Drawn::RemoveGroup),
        2 => (0..20_usize).prop_map(Drawn::RemovePod),
        1 => Just(Drawn::RemoveWaiting),
        1 => (0..20_usize).prop_map(Drawn::Ungate),
    ]
}

impl DrawnGroup {
    /// Returns the group without a `scheduleTimeoutSeconds` of 0, if that is not allowed.
    fn with_time(&self, may_be_zero: bool) -> Self {
        Self { timeout: self.timeout.filter(|timeout| may_be_zero || *timeout > 0), ..self.clone() }
    }
}

/// Returns steps with objects. The last step runs cycles.
fn concrete(drawn: Vec<Drawn>, may_be_zero: bool) -> Vec<Step> {
    let mut pods: Vec<Value> = Vec::new();
    let mut steps = Vec::new();
    for step in drawn {
        match step {
            Drawn::Pod(of) => {
                for _ in 0..of.count {
                    let pod = pod_object(&format!("p{}", pods.len()), &of);
                    pods.push(pod.clone());
                    steps.push(Step::Set(pod));
                }
            }
            Drawn::Group(of) => steps.push(Step::Set(group_object(&of.with_time(may_be_zero)))),
            Drawn::RemoveGroup(group) => {
                let of = DrawnGroup { group, min_member: 1, min_cpu: None, timeout: None };
                steps.push(Step::Remove(group_object(&of)));
            }
            Drawn::RemovePod(at) if !pods.is_empty() => steps.push(Step::Remove(pods[at % pods.len()].clone())),
            Drawn::Ungate(at) if !pods.is_empty() => {
                let at = at % pods.len();
                let is_removed =
                    |step: &Step| matches!(step, Step::Remove(object) if key_of(object) == key_of(&pods[at]));
                if !pods[at]["spec"]["schedulingGates"].is_null() && !steps.iter().any(is_removed) {
                    pods[at]["spec"].as_object_mut().map(|spec| spec.remove("schedulingGates"));
                    steps.push(Step::Set(pods[at].clone()));
                }
            }
            Drawn::RemovePod(_) | Drawn::Ungate(_) => {}
            Drawn::RemoveWaiting => {
                let group = DrawnGroup { group: 0, min_member: 3, min_cpu: None, timeout: Some(30) };
                steps.push(Step::Set(group_object(&group)));
                let first = pods.len();
                for cpu in [1, 1, 9] {
                    let of = DrawnPod { group: 0, cpu, priority: 0, gated: false, count: 1 };
                    let pod = pod_object(&format!("p{}", pods.len()), &of);
                    pods.push(pod.clone());
                    steps.push(Step::Set(pod));
                }
                steps.extend([Step::Run(0), Step::Remove(pods[first].clone())]);
            }
            Drawn::Wait(seconds) => steps.push(Step::Wait(seconds)),
            Drawn::Run(failing) => steps.push(Step::Run(failing)),
        }
    }
    steps.push(Step::Run(0));
    steps
}

fn node_object(at: usize, (cpu, pods): (u64, u64)) -> Value {
    let amounts = json!({"cpu": cpu.to_string(), "memory": "32Gi", "pods": pods.to_string()});
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": format!("n{at}"), "uid": format!("n{at}")},
        "status": {"allocatable": amounts, "capacity": amounts},
    })
}

/// Returns the namespace and the name of a group.
fn group_name(group: usize) -> (&'static str, String) {
    (NAMESPACES[group % NAMESPACES.len()], format!("g{}", group / NAMESPACES.len()))
}

fn group_object(of: &DrawnGroup) -> Value {
    let (namespace, name) = group_name(of.group);
    let mut spec = json!({"minMember": of.min_member});
    if let Some(cpu) = of.min_cpu {
        spec["minResources"] = json!({"cpu": cpu.to_string()});
    }
    if let Some(timeout) = of.timeout {
        spec["scheduleTimeoutSeconds"] = timeout.into();
    }
    // Some groups have equal times.
    let created = format!("2026-01-01T00:00:0{}Z", of.group % 3);
    json!({
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {"namespace": namespace, "name": name, "uid": format!("{namespace}/{name}"), "creationTimestamp": created},
        "spec": spec,
    })
}

fn pod_object(name: &str, of: &DrawnPod) -> Value {
    let mut metadata = json!({"name": name, "namespace": NAMESPACES[0]});
    if of.group < GROUPS {
        let (namespace, group) = group_name(of.group);
        metadata["namespace"] = namespace.into();
        metadata["labels"] = json!({"scheduling.x-k8s.io/pod-group": group});
    }
    metadata["uid"] = format!("{}/{name}", metadata["namespace"].as_str().unwrap_or_default()).into();
    let requests = json!({"cpu": of.cpu.to_string()});
    let mut spec = json!({
        "schedulerName": "default-scheduler",
        "priority": of.priority,
        "containers": [{"name": "c", "image": "app:1", "resources": {"requests": requests}}],
    });
    if of.gated {
        spec["schedulingGates"] = json!([{"name": "example.com/gate"}]);
    }
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
}
