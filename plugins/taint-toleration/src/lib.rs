//! TaintToleration: keeps pods off nodes with taints that they don't tolerate, and prefers nodes without such
//! taints.
//!
//! Reads `spec.tolerations` of the pod and `spec.taints` of the node, as kube-scheduler v1.36 does. The operators
//! `Lt` and `Gt` tolerate no taint, because kube-scheduler supports them only with an alpha feature.

use berth_guest::hints::{Event, Hint};
use berth_guest::prelude::*;
use berth_guest::{ClusterEvent, EventActions};

fn may_go(pod: &pod::Tolerations, node: &node::Taints) -> bool {
    node.iter().all(|taint| !taint.forbids() || pod.tolerate(taint))
}

fn filter(pod: &pod::Tolerations, node: &node::Taints) -> Verdict {
    if may_go(pod, node) { Verdict::FITS } else { Verdict::unresolvable("node(s) had untolerated taint(s)") }
}

/// Returns the number of untolerated `PreferNoSchedule` taints. Normalization reverses the score.
fn score(pod: &pod::Tolerations, node: &node::Taints) -> i64 {
    let avoided = |taint: &&Taint| taint.effect == TaintEffect::PreferNoSchedule && !pod.tolerate(taint);
    node.iter().filter(avoided).count() as i64
}

/// Queues the pod if it tolerates the node's taints now and did not before.
fn queueing_hint(_: &Event, pod: &pod::Tolerations, node: node::Change<'_, node::Taints>) -> Hint {
    let may_go = |node: Option<&node::Taints>| node.is_some_and(|node| may_go(pod, node));
    Hint::queue_if(may_go(node.after) && !may_go(node.before))
}

berth_guest::plugin!(
    name: "TaintToleration",
    filter: filter,
    score: score,
    normalization: DefaultReversed,
    queueing_hint: queueing_hint,
    retry_on: [ClusterEvent::new("Node", EventActions::ADD | EventActions::UPDATE_TAINTS)],
);

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, NodeBuilder, PodBuilder, node, pod};
    use berth_guest::types::TolerationOperator::{Equal, Exists, GreaterThan, LessThan};

    use super::*;
    use TaintEffect::{NoExecute, NoSchedule, PreferNoSchedule};

    fn fits(pod: &PodBuilder, node: NodeBuilder) -> bool {
        let mut host = Host::<Plugin>::new();
        host.node(node);
        !host.fits(pod).is_empty()
    }

    #[test]
    fn no_schedule_and_no_execute_taints_need_tolerations() {
        let tainted = |effect| node("node").taint("dedicated", "team-a", effect);
        let tolerating = |operator, value, effect| pod().toleration("dedicated", operator, value, effect);
        for (pod, node, expected) in [
            (pod(), node("node"), true),
            (pod(), tainted(NoSchedule), false),
            (pod(), tainted(NoExecute), false),
            (pod(), tainted(PreferNoSchedule), true),
            (tolerating(Equal, "team-a", Some(NoSchedule)), tainted(NoSchedule), true),
            (tolerating(Equal, "team-b", Some(NoSchedule)), tainted(NoSchedule), false),
            (tolerating(Equal, "team-a", Some(NoExecute)), tainted(NoSchedule), false),
            (tolerating(Equal, "team-a", None), tainted(NoExecute), true),
            (tolerating(Exists, "", Some(NoSchedule)), tainted(NoSchedule), true),
            (tolerating(Exists, "", None), tainted(NoSchedule).taint("other", "", NoSchedule), false),
            (tolerating(Exists, "", None).toleration("other", Equal, "", None), tainted(NoSchedule), true),
            (pod().tolerate_everything(), tainted(NoSchedule).taint("other", "", NoExecute), true),
        ] {
            assert_eq!(fits(&pod, node.clone()), expected, "{:?} on {node:?}", pod.0.tolerations);
        }
    }

    #[test]
    fn numeric_toleration_operators_tolerate_nothing() {
        let five = node("node").taint("level", "5", NoSchedule);
        for operator in [LessThan, GreaterThan] {
            for value in ["1", "9"] {
                assert!(!fits(&pod().toleration("level", operator, value, None), five.clone()));
            }
        }
    }

    #[test]
    fn the_reason_is_kube_schedulers() {
        let mut host = Host::<Plugin>::new();
        host.node(node("node").taint("a", "b", NoSchedule));
        let verdict = host.verdict(&pod(), "node").unwrap();
        assert_eq!(verdict.code, berth_guest::types::Code::UnschedulableAndUnresolvable);
        assert_eq!(verdict.reasons, ["node(s) had untolerated taint(s)"]);
    }

    #[test]
    fn fewer_prefer_no_schedule_taints_score_higher() {
        let taints = |name, count: usize| {
            (0..count).fold(node(name), |node, number| node.taint(&format!("t{number}"), "v", PreferNoSchedule))
        };
        let tolerating = |key, effect| pod().toleration(key, Exists, "", effect);
        for (pod, expected) in [
            (pod(), [100, 50, 0]),
            (tolerating("t0", None), [100, 100, 0]),
            (tolerating("t1", Some(PreferNoSchedule)), [100, 0, 0]),
            (tolerating("t1", Some(NoSchedule)), [100, 50, 0]),
            (pod().tolerate_everything(), [100, 100, 100]),
        ] {
            let mut host = Host::<Plugin>::new();
            [("a", 0), ("b", 1), ("c", 2)].into_iter().for_each(|(name, count)| host.node(taints(name, count)));
            assert_eq!(host.scores(&pod).into_values().collect::<Vec<_>>(), expected, "{:?}", pod.0.tolerations);
        }
        let mut host = Host::<Plugin>::new();
        host.node(taints("a", 1).taint("strict", "", NoSchedule));
        host.node(taints("b", 3));
        assert_eq!(host.scores(&pod()).into_values().collect::<Vec<_>>(), [67, 0]);
    }

    #[test]
    fn a_node_with_tolerated_taints_causes_a_retry() {
        let (open, tainted) = (node("n"), node("n").taint("gpu", "", NoSchedule));
        let avoided = node("n").taint("gpu", "", PreferNoSchedule);
        let mut host = Host::<Plugin>::new();
        for (before, after, expected) in [
            (None, &open, Hint::Queue),
            (None, &tainted, Hint::Skip),
            (Some(&tainted), &open, Hint::Queue),
            (Some(&tainted), &avoided, Hint::Queue),
            (Some(&avoided), &open, Hint::Skip),
            (Some(&open), &tainted, Hint::Skip),
        ] {
            let actions = if before.is_none() { EventActions::ADD } else { EventActions::UPDATE_TAINTS };
            assert_eq!(host.node_hint(actions, [before, Some(after)], &pod()), expected, "{before:?} {after:?}");
        }
        let tolerant = pod().tolerate_everything();
        assert_eq!(host.node_hint(EventActions::UPDATE_TAINTS, [Some(&tainted), Some(&open)], &tolerant), Hint::Skip);
    }
}
