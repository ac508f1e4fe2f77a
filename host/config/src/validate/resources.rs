//! Checks weighted resources and utilization functions.

use super::Findings;
use crate::path::Path;
use crate::v1::{ResourceSpec, UtilizationShapePoint};

/// Checks the resource's name. The schema checks the bounds of the weight.
pub(super) fn resource_spec(resource: &ResourceSpec, path: &Path, findings: &mut Findings) {
    if let Err(message) = super::names::resource(&resource.name) {
        findings.note(path.field("name"), message);
    }
}

/// Checks that the function has a point, and that utilization increases from point to point.
pub(super) fn shape(points: &[UtilizationShapePoint], path: &Path, findings: &mut Findings) {
    if points.is_empty() {
        findings.note(path.clone(), "needs at least one point: {utilization: 0, score: 0}");
    }
    for (at, pair) in points.windows(2).enumerate() {
        let (before, here) = (pair[0].utilization, pair[1].utilization);
        if before >= here {
            let message = format!("is {here} after {before}; order the points by increasing utilization");
            findings.note(path.index(at + 1).field("utilization"), message);
        }
    }
}
