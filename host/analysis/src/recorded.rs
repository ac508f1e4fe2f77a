//! Recorded attempts as text for people.

use std::fmt::Write;
use std::time::Duration;

use berth_apimachinery::human_duration;
use berth_core::Timestamp;
use berth_core::attempt::Outcome;
use berth_core::decision::{Binder, Chosen, Decision, RowKind};

/// Returns the recorded attempts of a pod as text, the latest in full.
#[must_use]
pub fn decisions(of: &[Decision], now: Timestamp) -> String {
    let mut text = latest_outcome(of, now);
    let Some(latest) = of.first() else { return text };
    line(&mut text, format_args!("  before:  {}", before(latest)));
    for wait in &latest.permit_waits {
        let waited = span(Duration::from_millis(wait.waited_millis));
        line(&mut text, format_args!("  permit:  waited {waited} for plugin {}", wait.plugin));
    }
    if let Some(preemption) = &latest.preemption {
        let victims: Vec<String> =
            preemption.victims.iter().map(|victim| format!("{}/{}", victim.namespace, victim.name)).collect();
        line(&mut text, format_args!("  evicts:  {} on node {}", victims.join(", "), preemption.node));
    }
    add_details(&mut text, latest);
    if of.len() > 1 {
        line(&mut text, format_args!("Earlier attempts:"));
        for earlier in &of[1..] {
            let when = ago(now, earlier.ended);
            line(&mut text, format_args!("  {:>3}  {when} ago  {}", earlier.attempt, outcome(earlier)));
        }
    }
    text
}

/// Returns when the latest recorded attempt of a pod was, and its outcome, as text.
#[must_use]
pub fn latest_outcome(of: &[Decision], now: Timestamp) -> String {
    let Some(latest) = of.first() else { return "No attempt of this pod is recorded.\n".to_owned() };
    let (attempt, profile) = (latest.attempt, &latest.policy.scheduler_name);
    let when = ago(now, latest.ended);
    let mut text = format!("Recorded: attempt {attempt} of profile {profile}, {when} ago ({})\n", latest.ended);
    line(&mut text, format_args!("  outcome: {}", outcome(latest)));
    text
}

fn add_details(text: &mut String, decision: &Decision) {
    let Some(details) = &decision.details else { return };
    let age = decision.began.since(details.recorded);
    let shared = if details.cycle == decision.cycle {
        String::new()
    } else {
        format!(", taken from an equal pod {} before", span(age))
    };
    line(text, format_args!("  nodes:   {} of {} fitted{shared}", details.feasible, details.nodes));
    for row in &details.rows {
        let reasons = row.reasons.join(", ");
        let what = match row.kind {
            RowKind::Rejected => format!("{}: {reasons}", row.plugin),
            RowKind::ExcludedByPreFilter => format!("{} (pre-filter): {reasons}", row.plugin),
            RowKind::RejectedByExtender => format!("an extender: {reasons}"),
            RowKind::NotLookedAt => "not looked at".to_owned(),
        };
        line(text, format_args!("  {:>7}  {what}", row.nodes));
    }
    for best in &details.best {
        let scores: Vec<String> =
            best.scores.iter().map(|score| format!("{} {}", score.plugin, score.weighted)).collect();
        line(text, format_args!("  {:>7}  {} = {}", best.total, best.node, scores.join(" + ")));
    }
}

fn outcome(decision: &Decision) -> String {
    let message = decision.message.as_deref().unwrap_or_default();
    let failed = match &decision.rejected {
        Some(rejected) => format!("rejected by {}: {}", rejected.plugin, rejected.reasons.join(", ")),
        None => message.to_owned(),
    };
    match (&decision.outcome, &decision.chosen) {
        (Outcome::Scheduled, Some(chosen)) => format!("bound to {}{}", chosen.node, choice(chosen)),
        (Outcome::Scheduled, None) => "bound".to_owned(),
        (Outcome::Unschedulable, Some(chosen)) => format!("{failed} (node {})", chosen.node),
        (Outcome::Unschedulable, None) => failed,
        (Outcome::Error, _) => format!("failed: {failed}"),
    }
}

/// Returns why this node was chosen.
fn choice(chosen: &Chosen) -> String {
    let by = match &chosen.bound_by {
        Some(Binder::Extender) => " by an extender".to_owned(),
        Some(Binder::Plugin(plugin)) => format!(" by plugin {plugin}"),
        Some(Binder::ApiServer) | None => String::new(),
    };
    let why = match (chosen.was_nominated, chosen.score, chosen.margin) {
        (true, ..) => "its nominated node".to_owned(),
        (_, None, _) => "the only node that fitted".to_owned(),
        (_, Some(score), _) if chosen.ties > 1 => {
            format!("score {score}, drawn among {} nodes with equal scores", chosen.ties)
        }
        (_, Some(score), Some(margin)) => format!("score {score}, {margin} more than the next node"),
        (_, Some(score), None) => format!("score {score}"),
    };
    format!("{by}: {why}")
}

fn before(decision: &Decision) -> String {
    let queue = &decision.queue;
    let stays = [
        ("active", queue.active_millis),
        ("in backoff", queue.backoff_millis),
        ("unschedulable", queue.unschedulable_millis),
        ("gated", queue.gated_millis),
    ];
    let stays: Vec<String> = stays
        .into_iter()
        .filter(|(_, millis)| *millis > 0)
        .map(|(what, millis)| format!("{} {what}", span(Duration::from_millis(millis))))
        .collect();
    let stays = if stays.is_empty() { "no wait".to_owned() } else { stays.join(", ") };
    let held = if queue.held_by.is_empty() { String::new() } else { format!(", held by {}", queue.held_by.join(", ")) };
    format!("{stays}{held}, moved by {}", queue.moved_by)
}

/// Returns the duration from `then` to `now`.
#[must_use]
pub fn ago(now: Timestamp, then: Timestamp) -> String {
    span(now.since(then))
}

/// Returns a duration as kubectl prints it; below a second, in milliseconds.
fn span(duration: Duration) -> String {
    match i64::try_from(duration.as_secs()).unwrap_or(i64::MAX) {
        0 => format!("{}ms", duration.as_millis()),
        seconds => human_duration(seconds),
    }
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use berth_core::decision::{BestNode, Details, PluginScore, Policy, QueueHistory, Row};

    use super::*;

    fn bound() -> Decision {
        let score = |plugin: &str, weighted| PluginScore { plugin: plugin.into(), weighted, ..PluginScore::default() };
        let best = BestNode { node: "n1".into(), total: 190, scores: vec![score("Fit", 100), score("Images", 90)] };
        let row = Row { plugin: "Taints".into(), reasons: vec!["tainted".into()], nodes: 2, ..Row::default() };
        let details = Details {
            cycle: 4,
            recorded: Timestamp(1500),
            nodes: 3,
            feasible: 1,
            rows: vec![row],
            best: vec![best],
            ..Details::default()
        };
        Decision {
            attempt: 2,
            cycle: 5,
            began: Timestamp(2000),
            ended: Timestamp(3000),
            outcome: Outcome::Scheduled,
            queue: QueueHistory {
                moved_by: "NodeAdd".into(),
                unschedulable_millis: 250_000,
                held_by: vec!["Taints".into()],
                ..QueueHistory::default()
            },
            chosen: Some(Chosen { node: "n1".into(), score: Some(190), ties: 1, margin: Some(7), ..Chosen::default() }),
            details: Some(Arc::new(details)),
            policy: Arc::new(Policy { scheduler_name: "default-scheduler".into(), ..Policy::default() }),
            ..Decision::default()
        }
    }

    #[test]
    fn the_latest_attempt_is_told_in_full_and_the_others_by_outcome() {
        let earlier = Decision {
            attempt: 1,
            outcome: Outcome::Unschedulable,
            message: Some("0/3 nodes are available: 3 tainted.".into()),
            ..Decision::default()
        };
        let expected = "\
Recorded: attempt 2 of profile default-scheduler, 60s ago (1970-01-01T00:00:03.000Z)
  outcome: bound to n1: score 190, 7 more than the next node
  before:  4m10s unschedulable, held by Taints, moved by NodeAdd
  nodes:   1 of 3 fitted, taken from an equal pod 500ms before
        2  Taints: tainted
      190  n1 = Fit 100 + Images 90
Earlier attempts:
    1  63s ago  0/3 nodes are available: 3 tainted.
";
        assert_eq!(decisions(&[bound(), earlier], Timestamp(63_000)), expected);
    }

    #[test]
    fn each_reason_for_a_choice_has_its_words() {
        for (chosen, expected) in [
            (
                Chosen { ties: 4, margin: Some(0), score: Some(9), ..Chosen::default() },
                ": score 9, drawn among 4 nodes with equal scores",
            ),
            (Chosen { ties: 1, ..Chosen::default() }, ": the only node that fitted"),
            (Chosen { was_nominated: true, ..Chosen::default() }, ": its nominated node"),
            (
                Chosen { score: Some(1), bound_by: Some(Binder::Plugin("B".into())), ..Chosen::default() },
                " by plugin B: score 1",
            ),
        ] {
            assert_eq!(choice(&chosen), expected);
        }
    }
}
