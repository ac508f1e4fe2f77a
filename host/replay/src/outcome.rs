//! The comparison of recorded and replayed actions.

use std::collections::BTreeSet;

use berth_core::{Action, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// What a replay found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The number of steps.
    pub steps: u64,
    /// The number of scheduling cycles.
    pub cycles: u64,
    /// The number of recorded actions.
    pub actions: u64,
    /// The time of the first step.
    pub began: Option<Timestamp>,
    /// The time of the last step.
    pub ended: Option<Timestamp>,
    /// The number of steps with other actions than the recorded ones.
    pub differing_steps: u64,
    /// The first step with other actions than the recorded ones.
    pub first_difference: Option<Difference>,
    /// The plugins of which another version was used than the one that served when the capture was made.
    pub other_versions: BTreeSet<String>,
    /// The number of steps that could not be recorded, because the disk was too slow or full.
    pub lost_steps: u64,
}

impl Outcome {
    /// Adds the outcome of a later file of the same capture.
    pub fn add(&mut self, later: Self) {
        let Self {
            steps,
            cycles,
            actions,
            began,
            ended,
            differing_steps,
            first_difference,
            other_versions,
            lost_steps,
        } = later;
        self.steps += steps;
        self.cycles += cycles;
        self.actions += actions;
        self.began = self.began.or(began);
        self.ended = ended.or(self.ended);
        self.differing_steps += differing_steps;
        self.first_difference = self.first_difference.take().or(first_difference);
        self.other_versions.extend(other_versions);
        self.lost_steps += lost_steps;
    }
}

/// A step whose actions differ from the recorded ones.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The number of the step in the capture, from 1.
    pub step: u64,
    /// The time of the step.
    pub at: Timestamp,
    /// The event of the step.
    pub event: String,
    /// The index of the first action that differs, from 0.
    pub action: usize,
    /// The recorded action with this index; `None` if there were fewer actions.
    pub recorded: Option<Value>,
    /// The replayed action with this index; `None` if there are fewer actions.
    pub replayed: Option<Value>,
}

/// Returns whether the actions are the recorded ones.
pub(crate) fn is_same(recorded: Option<&RawValue>, replayed: &[Action]) -> bool {
    let Some(recorded) = recorded else { return replayed.is_empty() };
    if serde_json::to_string(replayed).is_ok_and(|text| text == recorded.get()) {
        return true;
    }
    // Another version of Berth may write the same actions with other spaces or in another order of fields.
    values(recorded) == written(replayed)
}

/// Returns the index of the first action that differs, with both actions.
pub(crate) fn first_difference(
    recorded: Option<&RawValue>,
    replayed: &[Action],
) -> (usize, Option<Value>, Option<Value>) {
    let (mut recorded, mut replayed) = (recorded.map_or_else(Vec::new, values), written(replayed));
    let at = recorded.iter().zip(&replayed).take_while(|(one, other)| one == other).count();
    let take = |values: &mut Vec<Value>| (at < values.len()).then(|| values.swap_remove(at));
    (at, take(&mut recorded), take(&mut replayed))
}

fn values(recorded: &RawValue) -> Vec<Value> {
    serde_json::from_str(recorded.get()).unwrap_or_default()
}

fn written(actions: &[Action]) -> Vec<Value> {
    actions.iter().filter_map(|action| serde_json::to_value(action).ok()).collect()
}
