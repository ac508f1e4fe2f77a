//! `predicates[]`: excludes nodes that a pod can't run on.

use super::model::{self, PredicateArgument};
use super::profile::Draft;
use super::{Findings, check_unique};
use crate::path::Path;
use berth_apimachinery::nearest;

/// The replacement of a predicate.
#[derive(Clone, Copy)]
enum Predicate {
    /// The filters of default plugins.
    Filters(&'static [&'static str]),
    /// A check of the plugin NodeConditions.
    Condition,
    /// A limit of the plugin InTreeVolumeLimits.
    VolumeLimit,
    /// A predicate with an argument. The value is the argument's required field.
    Argument(&'static str),
}

use Predicate::{Argument, Condition, Filters, VolumeLimit};

const LABELS_PRESENCE: &str = "labelsPresence";
const SERVICE_AFFINITY: &str = "serviceAffinity";

/// All predicates of Kubernetes v1.0 to v1.22.
const PREDICATES: [(&str, Predicate); 27] = [
    ("CheckNodeCondition", Condition),
    ("CheckNodeUnschedulable", Filters(&["NodeUnschedulable"])),
    ("GeneralPredicates", Filters(&["NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity"])),
    ("HostName", Filters(&["NodeName"])),
    ("PodFitsHostPorts", Filters(&["NodePorts"])),
    ("PodFitsPorts", Filters(&["NodePorts"])),
    ("MatchNodeSelector", Filters(&["NodeAffinity"])),
    ("PodFitsResources", Filters(&["NodeResourcesFit"])),
    ("NoDiskConflict", Filters(&["VolumeRestrictions"])),
    ("PodToleratesNodeTaints", Filters(&["TaintToleration"])),
    ("CheckNodeLabelPresence", Argument(LABELS_PRESENCE)),
    ("CheckServiceAffinity", Argument(SERVICE_AFFINITY)),
    ("labelsPresence", Argument(LABELS_PRESENCE)),
    ("serviceAffinity", Argument(SERVICE_AFFINITY)),
    ("MaxEBSVolumeCount", VolumeLimit),
    ("MaxGCEPDVolumeCount", VolumeLimit),
    ("MaxAzureDiskVolumeCount", VolumeLimit),
    ("MaxCinderVolumeCount", VolumeLimit),
    ("MaxCSIVolumeCount", Filters(&["NodeVolumeLimits"])),
    ("MaxCSIVolumeCountPred", Filters(&["NodeVolumeLimits"])),
    ("CheckVolumeBinding", Filters(&["VolumeBinding"])),
    ("NoVolumeZoneConflict", Filters(&["VolumeZone"])),
    ("EvenPodsSpread", Filters(&["PodTopologySpread"])),
    ("MatchInterPodAffinity", Filters(&["InterPodAffinity"])),
    ("CheckNodeMemoryPressure", Condition),
    ("CheckNodeDiskPressure", Condition),
    ("CheckNodePIDPressure", Condition),
];

/// Predicates that are enabled even if the Policy's list of predicates does not name them.
const MANDATORY: [&str; 2] = ["CheckNodeUnschedulable", "PodToleratesNodeTaints"];

/// kube-scheduler's predicates for a Policy without `predicates`.
const DEFAULTS: [&str; 12] = [
    "CheckNodeUnschedulable",
    "CheckVolumeBinding",
    "EvenPodsSpread",
    "GeneralPredicates",
    "MatchInterPodAffinity",
    "MaxAzureDiskVolumeCount",
    "MaxCSIVolumeCountPred",
    "MaxEBSVolumeCount",
    "MaxGCEPDVolumeCount",
    "NoDiskConflict",
    "NoVolumeZoneConflict",
    "PodToleratesNodeTaints",
];

/// Enables the predicates of kube-scheduler's default provider.
pub(super) fn defaults(draft: &mut Draft) {
    DEFAULTS.into_iter().for_each(|name| enable(name, draft));
}

/// Enables the predicates of the file and the mandatory predicates.
pub(super) fn convert(list: &[model::Predicate], path: &Path, draft: &mut Draft, findings: &mut Findings) {
    check_unique(list.iter().map(|predicate| predicate.name.as_str()), path, findings);
    MANDATORY.into_iter().for_each(|name| enable(name, draft));
    for (at, predicate) in list.iter().enumerate() {
        convert_one(predicate, &path.index(at), draft, findings);
    }
}

fn convert_one(predicate: &model::Predicate, path: &Path, draft: &mut Draft, findings: &mut Findings) {
    let name = predicate.name.as_str();
    let (named, argument_path) = (path.field("name"), path.field("argument"));
    match (known(name), &predicate.argument) {
        (Some(Argument(kind)), None) => findings.push((named, format!("{name} needs an argument: {kind}"))),
        (Some(Argument(kind)), Some(argument)) => {
            enable_by_argument(argument, &[kind], &argument_path, draft, findings)
        }
        (Some(_), Some(_)) => findings.push((argument_path, format!("{name} takes no argument"))),
        (Some(_), None) => enable(name, draft),
        (None, Some(argument)) => {
            enable_by_argument(argument, &[SERVICE_AFFINITY, LABELS_PRESENCE], &argument_path, draft, findings)
        }
        (None, None) => {
            let hint = match nearest(name, PREDICATES.into_iter().map(|(name, _)| name)) {
                Some(known) => format!("did you mean {known}?"),
                None => format!("a custom predicate needs an argument: {SERVICE_AFFINITY} or {LABELS_PRESENCE}"),
            };
            findings.push((named, format!("unknown predicate {name:?}; {hint}")));
        }
    }
}

fn known(name: &str) -> Option<Predicate> {
    PREDICATES.iter().find(|(known, _)| *known == name).map(|(_, predicate)| *predicate)
}

/// Enables a predicate without an argument.
fn enable(name: &str, draft: &mut Draft) {
    match known(name) {
        Some(Filters(plugins)) => plugins.iter().for_each(|plugin| draft.filter(plugin)),
        Some(Condition) => draft.check_condition(name),
        Some(VolumeLimit) => draft.limit_volumes(name),
        Some(Argument(_)) | None => {}
    }
}

/// Enables a predicate by its argument, which must be one of `kinds`.
fn enable_by_argument(
    argument: &PredicateArgument,
    kinds: &[&str],
    path: &Path,
    draft: &mut Draft,
    findings: &mut Findings,
) {
    match argument {
        PredicateArgument { service_affinity: Some(affinity), labels_presence: None }
            if kinds.contains(&SERVICE_AFFINITY) =>
        {
            check_labels(&affinity.labels, &path.fields(&[SERVICE_AFFINITY, "labels"]), findings);
            draft.require_alike(&affinity.labels);
        }
        PredicateArgument { service_affinity: None, labels_presence: Some(presence) }
            if kinds.contains(&LABELS_PRESENCE) =>
        {
            check_labels(&presence.labels, &path.fields(&[LABELS_PRESENCE, "labels"]), findings);
            draft.require_labels(&presence.labels, presence.presence);
        }
        _ => findings.push((path.clone(), format!("must have exactly one field: {}", kinds.join(" or ")))),
    }
}

fn check_labels(labels: &[String], path: &Path, findings: &mut Findings) {
    if labels.is_empty() {
        findings.push((path.clone(), "is empty; list at least one label key".to_owned()));
    }
    for (at, _) in labels.iter().enumerate().filter(|(_, label)| label.is_empty()) {
        findings.push((path.index(at), "is empty; expected a label key".to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::page;
    use super::*;

    #[test]
    fn the_page_names_the_plugins_of_each_predicate() {
        for (name, predicate) in PREDICATES {
            let listed = page::plugins_for(name);
            let plugins: &[&str] = match predicate {
                Filters(plugins) => plugins,
                Condition => &["NodeConditions"],
                VolumeLimit => &["InTreeVolumeLimits"],
                Argument(LABELS_PRESENCE) => &["NodeLabel"],
                Argument(_) => &["ServiceAffinity"],
            };
            assert!(
                plugins.iter().all(|plugin| listed.contains(plugin)),
                "{name}: {plugins:?}, the page lists {listed:?}"
            );
        }
    }
}
