//! Checks of the decision records.

use berth_core::attempt::Outcome;
use berth_core::decision::{Decision, Details};

use super::World;

/// Checks the records of the attempts that the last step ended. Returns their number.
pub fn add_up(world: &World) -> usize {
    let log = world.core.decisions();
    if !log.is_enabled() {
        return 0;
    }
    for attempt in world.core.ended() {
        let key = &attempt.pod.key;
        let record = log.of_pod(&key.namespace, &key.uid).next();
        let Some(decision) = record.filter(|record| record.attempt == attempt.number) else {
            // An attempt that ended before its cycle, at pre-enqueue, has no record.
            assert_ne!(attempt.outcome, Outcome::Scheduled, "seed {}: {key} was bound without a record", world.seed);
            continue;
        };
        assert_eq!(decision.outcome, attempt.outcome, "seed {}: {key}", world.seed);
        is_consistent(world, &decision);
    }
    world.core.ended().len()
}

fn is_consistent(world: &World, decision: &Decision) {
    let seed = world.seed;
    assert!(decision.began <= decision.ended, "seed {seed}: {decision:?}");
    let bound = decision.outcome == Outcome::Scheduled;
    assert_eq!(bound, decision.message.is_none(), "seed {seed}: {decision:?}");
    assert!(!bound || decision.chosen.is_some(), "seed {seed}: {decision:?}");
    let Some(details) = &decision.details else { return };
    let rows: u32 = details.rows.iter().map(|row| row.nodes).sum();
    assert_eq!(rows + details.feasible, details.nodes, "seed {seed}: the rows do not add up to all nodes: {details:?}");
    assert!(details.recorded <= decision.began, "seed {seed}: {decision:?}");
    let (Some(chosen), Some(first)) = (&decision.chosen, details.best.first()) else { return };
    assert!(chosen.ties >= 1 && chosen.ties <= details.nodes.max(chosen.ties), "seed {seed}: {decision:?}");
    assert_eq!(chosen.margin == Some(0), chosen.ties > 1, "seed {seed}: {decision:?}");
    if details.cycle == decision.cycle {
        assert_eq!((&*first.node, Some(first.total)), (&*chosen.node, chosen.score), "seed {seed}: {decision:?}");
        scores_add_up(world, details);
    }
}

/// Checks that the scores of the plugins add up to the total, and that no other node is better than the first.
fn scores_add_up(world: &World, details: &Details) {
    for best in &details.best {
        let sum: i64 = best.scores.iter().map(|score| score.weighted).sum();
        let has_extenders = world.extenders.list().iter().any(|extender| extender.weight.is_some());
        assert!(sum == best.total || has_extenders, "seed {}: {best:?}", world.seed);
        assert!(best.total <= details.best[0].total, "seed {}: {details:?}", world.seed);
    }
}
