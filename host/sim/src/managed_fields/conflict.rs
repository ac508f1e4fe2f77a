//! Conflicts between an applied configuration and the fields of other managers.

use serde_json::{Value, json};

use super::entries::Manager;
use super::set::FieldSet;
use super::step::Step;
use crate::failure::Failure;

/// A field that the configuration changes and another manager owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The other manager.
    pub manager: Manager,
    /// The path of the field.
    pub path: Vec<Step>,
}

impl Conflict {
    fn path_text(&self) -> String {
        self.path.iter().map(Step::to_string).collect()
    }
}

/// Returns the conflicts as a set of fields.
pub fn fields_of(conflicts: &[Conflict]) -> FieldSet {
    let mut set = FieldSet::default();
    conflicts.iter().for_each(|conflict| set.insert(&conflict.path));
    set
}

/// Returns the response for conflicts, which are sorted by manager.
pub fn failure(conflicts: &[Conflict]) -> Failure {
    let causes: Value = conflicts
        .iter()
        .map(|conflict| {
            json!({"reason": "FieldManagerConflict", "message": format!("conflict with {}", conflict.manager),
                "field": conflict.path_text()})
        })
        .collect();
    Failure::apply_conflict(message(conflicts)).with_detail("causes", causes)
}

fn message(conflicts: &[Conflict]) -> String {
    if let [one] = conflicts {
        return format!("Apply failed with 1 conflict: conflict with {}: {}", one.manager, one.path_text());
    }
    let mut lines = Vec::new();
    let mut last = None;
    for conflict in conflicts {
        if last != Some(&conflict.manager) {
            lines.push(format!("conflicts with {}:", conflict.manager));
            last = Some(&conflict.manager);
        }
        lines.push(format!("- {}", conflict.path_text()));
    }
    format!("Apply failed with {} conflicts: {}", conflicts.len(), lines.join("\n"))
}
