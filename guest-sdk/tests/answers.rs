//! Tests of each extension point's answers, as the host gets them.

use berth_guest::post_filter::{PostFilter, Rejected, WhatIf};
use berth_guest::prelude::*;
use berth_guest::testing::{Host, Rejections, node, pod};
use berth_guest::types::{Code, NodeFacts, Normalization, PodFacts, Scope, Status};
use berth_guest::{Attempt, ClusterEvent, EventActions, Guest, Outcome};

/// Takes part in pre-filter, filter, pre-score, score and normalize. The filter's answer and the score depend on the
/// node's name. The pod's labels choose the other answers.
mod everywhere {
    use super::*;

    pub struct Answers(Vec<String>);

    fn prepare(labels: &pod::Labels) -> Answers {
        Answers(labels.iter().map(|(key, _)| key.to_owned()).collect())
    }

    impl Answers {
        fn has(&self, answer: &str) -> bool {
            self.0.iter().any(|known| known == answer)
        }
    }

    fn pre_filter(answers: &Answers) -> Result<PreFilter, String> {
        match () {
            () if answers.has("skip-filter") => Ok(PreFilter::Skip),
            () if answers.has("narrow") => Ok(PreFilter::Narrow(vec!["b".into(), "gone".into()])),
            () if answers.has("reject") => Err("rejected".into()),
            () => Ok(PreFilter::All),
        }
    }

    fn filter(name: &node::Name) -> Verdict {
        match &**name {
            "a" => Verdict::FITS,
            "b" => Verdict::unresolvable("b is bad"),
            _ => Rejection::error(format!("{} is unknown", &**name)).into(),
        }
    }

    fn pre_score(answers: &Answers) -> PreScore {
        if answers.has("skip-score") { PreScore::Skip } else { PreScore::Score }
    }

    fn score(answers: &Answers, name: &node::Name) -> Result<i64, std::num::ParseIntError> {
        if answers.has("bad-score") { name.parse() } else { Ok(name.bytes().map(i64::from).sum()) }
    }

    fn normalize(scores: &mut [i64], answers: &Answers) -> Outcome<()> {
        let lowest = scores.iter().copied().min().unwrap_or_default();
        scores.iter_mut().for_each(|score| *score -= lowest);
        if answers.has("bad-normalize") { Err("no".into()) } else { Ok(()) }
    }

    berth_guest::plugin!(
        name: "Everywhere",
        version: "7",
        prepare: prepare => Answers,
        pre_filter: pre_filter,
        filter: filter,
        pre_score: pre_score,
        score: score,
        normalize: normalize,
        retry_on: [ClusterEvent::new("Node", EventActions::ADD | EventActions::UPDATE_LABELS)],
        scope: Cluster,
    );
}

fn host() -> Host<everywhere::Plugin> {
    let mut host = Host::new();
    ["a", "b", "c"].into_iter().for_each(|name| host.node(node(name)));
    host
}

#[test]
fn the_plugin_line_is_declared() {
    let guest = Guest::<everywhere::Plugin>::default();
    assert_eq!((guest.describe().name.as_str(), guest.describe().version.as_str()), ("Everywhere", "7"));
    let host = host();
    let declaration = host.declaration();
    assert_eq!(declaration.normalization, Normalization::Custom);
    assert_eq!((declaration.filter_scope, declaration.score_scope), (Scope::Cluster, Scope::Cluster));
    assert_eq!(declaration.retry_on.len(), 1);
    assert_eq!(declaration.retry_on[0].actions, EventActions::ADD | EventActions::UPDATE_LABELS);
}

#[test]
fn verdicts_have_code_and_reasons() {
    let verdicts = host().verdicts(&pod());
    let statuses = verdicts.iter().map(|(_, status)| status.as_ref().map(|status| (status.code, &*status.reasons[0])));
    let unresolvable = Some((Code::UnschedulableAndUnresolvable, "b is bad"));
    assert_eq!(statuses.collect::<Vec<_>>(), [None, unresolvable, Some((Code::Error, "c is unknown"))]);
}

#[test]
fn a_pre_filter_skips_narrows_and_rejects() {
    let mut host = host();
    assert_eq!(host.fits(&pod().label("skip-filter", "")), ["a", "b", "c"]);
    let narrowed = host.verdicts(&pod().label("narrow", ""));
    assert_eq!(narrowed.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["b"]);
    let rejected = host.verdict(&pod().label("reject", ""), "a").unwrap();
    assert_eq!((rejected.code, &*rejected.reasons[0]), (Code::Unschedulable, "rejected"));
}

#[test]
fn scores_are_normalized() {
    let mut host = host();
    assert_eq!(host.raw_scores(&pod()).into_values().collect::<Vec<_>>(), [97, 98, 99]);
    assert_eq!(host.scores(&pod()).into_values().collect::<Vec<_>>(), [0, 1, 2]);
    assert!(host.scores(&pod().label("skip-score", "")).is_empty());
}

#[test]
#[should_panic(expected = "score: invalid digit found in string")]
fn a_score_may_fail() {
    host().scores(&pod().label("bad-score", ""));
}

#[test]
#[should_panic(expected = "normalize: no")]
fn a_normalization_may_fail() {
    host().scores(&pod().label("bad-normalize", ""));
}

#[test]
fn calls_that_break_the_contract_are_errors() {
    let mut guest = Guest::<everywhere::Plugin>::default();
    let attempt = Attempt { signature: 5, ..Attempt::default() };
    assert_eq!(guest.filter(&attempt, &[]).unwrap_err(), "Everywhere: called before configure");
    guest.configure("{}").unwrap();
    assert_eq!(guest.filter(&attempt, &[]).unwrap_err(), "Everywhere: called with unknown pod signature 5");
    guest.add_signature(5, pod().0);
    assert!(guest.filter(&attempt, &[]).unwrap().nodes.is_empty());
    let unknown = guest.filter(&attempt, &[3]).unwrap_err();
    assert_eq!(unknown, "Everywhere: called with unknown node 3");
    guest.remove_signatures(&[5]);
    assert!(guest.score(&attempt, &[]).is_err());
}

/// Nominates a node that the pod would fit without the leaving pods, if the pod's priority is above 0.
mod preempting {
    use super::*;

    fn post_filter(
        rejected: &mut Rejected<'_>,
        priority: &pod::Priority,
        pod: &pod::Identity,
        cycle: &Cycle,
    ) -> Result<PostFilter, String> {
        let helped: Vec<_> = rejected.iter().filter(|(_, code)| *code == Code::Unschedulable).collect();
        let pods: Vec<pod::Id> = rejected.leaving().collect();
        let cases: Vec<_> = helped.iter().map(|(node, _)| WhatIf { node: *node, removed: pods.clone() }).collect();
        let answers = rejected.ask(&cases);
        if let Some(error) = answers.iter().flatten().find(|status| status.code == Code::Error) {
            return Err(error.reasons.join(", "));
        }
        match helped.iter().zip(answers).find(|(_, status)| status.is_none()) {
            Some(((node, _), _)) if priority.value > 0 => {
                Ok(PostFilter::nominate(*node, pods, format!("{} in cycle {}", pod.name, cycle.id))
                    .activating(["next"]))
            }
            _ => Ok(PostFilter::no_room(format!("{} of {} nodes", helped.len(), rejected.iter().len()))),
        }
    }

    berth_guest::plugin!(name: "Preempting", post_filter: post_filter);
}

#[test]
fn a_post_filter_asks_what_if() {
    let mut host = Host::<preempting::Plugin>::new();
    ["a", "b", "c"].into_iter().for_each(|name| host.node(node(name)));
    let rejections = Rejections {
        codes: &[("a", Code::UnschedulableAndUnresolvable)],
        leaving: &[berth_guest::pod::Id(7)],
        ..Rejections::default()
    };
    let rejection = |code| Some(Status { code, reasons: vec!["full".into()] });
    let only_c = |name: &str, removed: &[berth_guest::pod::Id]| {
        assert_eq!(removed, [berth_guest::pod::Id(7)]);
        if name == "c" { None } else { rejection(Code::Unschedulable) }
    };
    let answer = host.post_filter(&pod().priority(1), rejections, only_c);
    let (node, evict) = (berth_guest::node::Id(2), vec![berth_guest::pod::Id(7)]);
    assert_eq!(answer, Ok(PostFilter::nominate(node, evict, "pod in cycle 0").activating(["next"])));
    assert_eq!(host.post_filter(&pod(), rejections, only_c), Ok(PostFilter::no_room("2 of 3 nodes")));
    assert_eq!(host.post_filter(&pod(), rejections, |_, _| rejection(Code::Error)), Err("full".into()));
    let declaration = host.declaration();
    assert_eq!((declaration.pod.facts, declaration.node.facts), (PodFacts::PRIORITY, NodeFacts::empty()));
}
