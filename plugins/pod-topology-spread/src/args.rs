//! `PodTopologySpreadArgs` of kubescheduler.config.k8s.io/v1, with its defaults and checks.

use berth_guest::schemars::{self, JsonSchema};
use berth_guest::selector::LabelSelector;
use berth_guest::{Problems, names};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::constraint::{Action, Constraint, HOSTNAME};

const ZONE: &str = "topology.kubernetes.io/zone";

const SYSTEM: &str = "System";
const LIST: &str = "List";

const DO_NOT_SCHEDULE: &str = "DoNotSchedule";
const SCHEDULE_ANYWAY: &str = "ScheduleAnyway";

/// The checked `PodTopologySpreadArgs`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "PodTopologySpreadArgs")]
#[schemars(with = "PodTopologySpreadArgs", description = "`PodTopologySpreadArgs`.")]
pub struct Args {
    /// The constraints for pods without constraints of their own. Their selectors are derived from the pod's
    /// Services and controller.
    pub defaults: Vec<DefaultConstraint>,
    /// True if `defaults` are the built-in constraints (`defaultingType: System`). Nodes without a zone label then
    /// still count for the constraint by hostname.
    pub system: bool,
}

/// A constraint for pods without constraints of their own.
#[derive(Debug)]
pub struct DefaultConstraint {
    /// The action for a pod that violates the constraint.
    pub action: Action,
    /// The constraint, with a selector that selects no pods. For each pod, the selector of the pod's Services and
    /// controller replaces this selector, so `matchLabelKeys` has no effect.
    pub constraint: Constraint,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PodTopologySpreadArgs {
    #[serde(default)]
    default_constraints: Vec<TopologySpreadConstraint>,
    #[serde(default)]
    defaulting_type: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TopologySpreadConstraint {
    #[serde(default)]
    max_skew: i32,
    #[serde(default)]
    topology_key: String,
    #[serde(default)]
    when_unsatisfiable: String,
    #[schemars(with = "Option<berth_guest::args::Anything>")]
    label_selector: Option<IgnoredAny>,
    min_domains: Option<i32>,
    node_affinity_policy: Option<Policy>,
    node_taints_policy: Option<Policy>,
    #[serde(rename = "matchLabelKeys")]
    _match_label_keys: Option<Vec<String>>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, PartialEq)]
enum Policy {
    Honor,
    Ignore,
}

impl TryFrom<PodTopologySpreadArgs> for Args {
    type Error = String;

    fn try_from(args: PodTopologySpreadArgs) -> Result<Args, String> {
        let mut problems = Problems::default();
        let system = match args.defaulting_type.as_str() {
            SYSTEM | "" => true,
            LIST => false,
            unknown => {
                problems.not_supported("defaultingType", unknown, &[LIST, SYSTEM]);
                false
            }
        };
        if system && !args.default_constraints.is_empty() {
            problems.invalid("defaultingType", SYSTEM, "when .defaultConstraints are not empty");
        }
        let mut seen: Vec<(&str, &str)> = Vec::new();
        for (at, given) in args.default_constraints.iter().enumerate() {
            let path = format!("defaultConstraints[{at}]");
            given.check(&path, &mut problems);
            let pair = (given.topology_key.as_str(), given.when_unsatisfiable.as_str());
            if seen.contains(&pair) {
                problems.duplicate(path, format!("{{{}, {}}}", pair.0, pair.1));
            }
            seen.push(pair);
        }
        problems.into_result()?;
        let defaults = if system {
            vec![system_default(3, HOSTNAME), system_default(5, ZONE)]
        } else {
            args.default_constraints.into_iter().map(Into::into).collect()
        };
        Ok(Args { defaults, system })
    }
}

impl TopologySpreadConstraint {
    fn check(&self, path: &str, problems: &mut Problems) {
        if self.max_skew <= 0 {
            problems.invalid(format_args!("{path}.maxSkew"), self.max_skew, "not in valid range (0, inf)");
        }
        let key = format!("{path}.topologyKey");
        if self.topology_key.is_empty() {
            problems.required(&key, "can not be empty");
        } else {
            for problem in names::key_problems(&self.topology_key) {
                problems.invalid(&key, &self.topology_key, problem);
            }
        }
        let when = format!("{path}.whenUnsatisfiable");
        match self.when_unsatisfiable.as_str() {
            "" => problems.required(when, "can not be empty"),
            DO_NOT_SCHEDULE | SCHEDULE_ANYWAY => (),
            unknown => problems.not_supported(when, unknown, &[DO_NOT_SCHEDULE, SCHEDULE_ANYWAY]),
        }
        if self.label_selector.is_some() {
            let why = "constraint must not define a selector, as they deduced for each pod";
            problems.forbidden(format_args!("{path}.labelSelector"), why);
        }
    }
}

impl From<TopologySpreadConstraint> for DefaultConstraint {
    fn from(given: TopologySpreadConstraint) -> DefaultConstraint {
        let must = given.when_unsatisfiable == DO_NOT_SCHEDULE;
        DefaultConstraint {
            action: if must { Action::DoNotSchedule } else { Action::ScheduleAnyway },
            constraint: Constraint {
                key: given.topology_key,
                max_skew: given.max_skew.into(),
                min_domains: given.min_domains.unwrap_or(1).into(),
                selector: LabelSelector::NOTHING,
                honor_affinity: given.node_affinity_policy != Some(Policy::Ignore),
                honor_taints: given.node_taints_policy == Some(Policy::Honor),
            },
        }
    }
}

fn system_default(max_skew: i64, key: &str) -> DefaultConstraint {
    DefaultConstraint {
        action: Action::ScheduleAnyway,
        constraint: Constraint {
            key: key.to_owned(),
            max_skew,
            min_domains: 1,
            selector: LabelSelector::NOTHING,
            honor_affinity: true,
            honor_taints: false,
        },
    }
}
