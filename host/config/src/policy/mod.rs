//! Converts the old Policy file (`apiVersion: v1`, `kind: Policy`) into an equivalent v1 configuration.
//!
//! kube-scheduler v1.22 was the last version that read Policy files. `model` has the fields of a Policy, `predicates`
//! and `priorities` map the names of predicates and priorities to plugins, and `profile` builds the resulting profile.
//! The order of the plugins does not depend on the order of names in the file.

mod extenders;
mod model;
#[cfg(test)]
mod page;
mod predicates;
mod priorities;
mod profile;

pub(super) use self::model::KIND;
use self::model::Policy;
use self::profile::Draft;
use super::conform;
use super::error::{Problem, Problems};
use super::path::Path;
use super::tree::{Node, Value};
use super::v1;

/// The environment variable that replaces kube-scheduler's limits for in-tree volumes.
const MAX_VOLUMES: &str = "KUBE_MAX_PD_VOLS";

/// Problems by field path.
type Findings = Vec<(Path, String)>;

/// Returns the configuration equivalent to the Policy. The configuration is complete only if there are no problems.
pub(super) fn read(root: &Node) -> (Option<v1::KubeSchedulerConfiguration>, Problems) {
    let (policy, mut problems) = conform::read::<Policy>(root);
    let mut findings = Findings::new();
    let max_volumes = max_volumes(std::env::var(MAX_VOLUMES).ok().as_deref());
    let configuration = policy.map(|policy| convert(policy, max_volumes, &mut findings));
    for (path, message) in findings {
        let name = path.to_string();
        // A problem at or below this path already explains the finding.
        if problems.iter().all(|known| !known.path.starts_with(&name)) {
            problems.push(Problem { place: root.place_of(&path), path: name, message });
        }
    }
    (configuration, problems)
}

/// Returns a note if the Policy sets `alwaysCheckAllPredicates`, which has no effect.
pub(super) fn notes(root: &Node) -> Option<Problem> {
    let name = "alwaysCheckAllPredicates";
    let node = root.get(name).filter(|node| matches!(node.value, Value::Bool(true)))?;
    let message = "has no effect: Berth reports only the reasons of the first predicate that rejects a node".to_owned();
    Some(Problem { place: node.place, path: name.to_owned(), message })
}

fn convert(policy: Policy, max_volumes: Option<u32>, findings: &mut Findings) -> v1::KubeSchedulerConfiguration {
    let top = Path::default();
    let mut draft = Draft::default();
    draft.hard_pod_affinity_weight = policy.hard_pod_affinity_symmetric_weight.filter(|weight| *weight > 0);
    draft.max_volumes = max_volumes;
    match &policy.predicates {
        Some(predicates) => predicates::convert(predicates, &top.field("predicates"), &mut draft, findings),
        None => predicates::defaults(&mut draft),
    }
    match &policy.priorities {
        Some(priorities) => priorities::convert(priorities, &top.field("priorities"), &mut draft, findings),
        None => priorities::defaults(&mut draft),
    }
    let extenders = extenders::convert(policy.extenders, &top.field("extenders"), findings);
    let profiles = vec![draft.into_profile()];
    v1::KubeSchedulerConfiguration { profiles, extenders, ..v1::KubeSchedulerConfiguration::default() }
}

/// Parses the value of `KUBE_MAX_PD_VOLS`. A value that is no number above 0 is ignored with a warning, as in
/// kube-scheduler.
fn max_volumes(variable: Option<&str>) -> Option<u32> {
    let text = variable.filter(|text| !text.is_empty())?;
    let number = text.parse().ok().filter(|number| *number > 0);
    if number.is_none() {
        tracing::warn!(
            variable = MAX_VOLUMES,
            value = text,
            "environment variable is not a number above 0 and is ignored"
        );
    }
    number
}

/// Reports names that a list contains twice.
fn check_unique<'a>(names: impl Iterator<Item = &'a str> + Clone, list: &Path, findings: &mut Findings) {
    for (at, name) in names.clone().enumerate() {
        if let Some(first) = names.clone().take(at).position(|other| other == name) {
            findings.push((list.index(at).field("name"), format!("{name:?} is already in {list}[{first}]")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_limit_must_be_a_number_above_0() {
        for (variable, expected) in [
            (None, None),
            (Some(""), None),
            (Some("7"), Some(7)),
            (Some("0"), None),
            (Some("-1"), None),
            (Some("x"), None),
        ] {
            assert_eq!(max_volumes(variable), expected, "{variable:?}");
        }
    }
}
