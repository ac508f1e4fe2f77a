//! `NodeResourcesFitArgs` of kubescheduler.config.k8s.io/v1, with its defaults and checks.

use berth_guest::schemars::{self, JsonSchema};
use berth_guest::{Problems, Resource, names};
use berth_guest_devices::{Extent, ReadsDevices};
use serde::Deserialize;

/// The checked `NodeResourcesFitArgs`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "NodeResourcesFitArgs")]
#[schemars(with = "NodeResourcesFitArgs", description = "`NodeResourcesFitArgs`.")]
pub struct Args {
    ignored_resources: Vec<String>,
    ignored_resource_groups: Vec<String>,
    /// The scoring strategy.
    pub strategy: Strategy,
}

impl Args {
    /// Returns true if the filter ignores this resource. Only extended resources can be ignored.
    pub fn ignores(&self, resource: &str) -> bool {
        let group = resource.split('/').next().unwrap_or_default();
        names::is_extended_resource(resource)
            && (self.ignored_resources.iter().any(|ignored| ignored == resource)
                || self.ignored_resource_groups.iter().any(|ignored| ignored == group))
    }
}

/// The filter needs at least the DeviceClasses: it does not check an extended resource that a DeviceClass maps to
/// devices, because the plugin DynamicResources does.
impl ReadsDevices for Args {
    fn extent(&self) -> Extent {
        Extent::of_scores(self.strategy.resources.iter().map(|(resource, _)| resource)).max(Extent::Classes)
    }
}

/// The scoring strategy.
#[derive(Debug)]
pub struct Strategy {
    /// The scoring function.
    pub by: ScoringType,
    /// The resources to score, with their weights.
    pub resources: Vec<(Resource, i64)>,
}

/// The score of a resource, as a function of its utilization.
#[derive(Debug)]
pub enum ScoringType {
    /// Lower utilization gives a higher score.
    LeastAllocated,
    /// Higher utilization gives a higher score.
    MostAllocated,
    /// A piecewise linear function through these points: (utilization in percent, score from 0 to 100).
    RequestedToCapacityRatio(Vec<(i64, i64)>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NodeResourcesFitArgs {
    #[serde(default)]
    ignored_resources: Vec<String>,
    #[serde(default)]
    ignored_resource_groups: Vec<String>,
    scoring_strategy: Option<ScoringStrategy>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ScoringStrategy {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    resources: Vec<ResourceSpec>,
    requested_to_capacity_ratio: Option<Ratio>,
}

#[derive(Deserialize, JsonSchema)]
struct ResourceSpec {
    #[serde(default)]
    name: String,
    /// 0 means 1.
    #[serde(default)]
    weight: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Ratio {
    #[serde(default)]
    shape: Vec<Point>,
}

#[derive(Deserialize, JsonSchema)]
struct Point {
    #[serde(default)]
    utilization: i32,
    #[serde(default)]
    score: i32,
}

const LEAST_ALLOCATED: &str = "LeastAllocated";
const MOST_ALLOCATED: &str = "MostAllocated";
const RATIO: &str = "RequestedToCapacityRatio";

/// The maximum score of a point in the arguments. Scores are scaled so that this maximum becomes 100.
const SHAPE_SCORE: i64 = 10;

impl TryFrom<NodeResourcesFitArgs> for Args {
    type Error = String;

    fn try_from(args: NodeResourcesFitArgs) -> Result<Args, String> {
        let mut problems = Problems::default();
        check_names(&args.ignored_resources, "ignoredResources", &mut problems);
        for (at, group) in args.ignored_resource_groups.iter().enumerate() {
            if group.contains('/') {
                let field = format!("ignoredResourceGroups[{at}]");
                problems.invalid(field, group, "resource group name can't contain '/'");
            }
        }
        check_names(&args.ignored_resource_groups, "ignoredResourceGroups", &mut problems);
        let strategy = args.scoring_strategy.unwrap_or(ScoringStrategy {
            kind: LEAST_ALLOCATED.into(),
            resources: Vec::new(),
            requested_to_capacity_ratio: None,
        });
        let strategy = strategy.checked(&mut problems);
        problems.into_result()?;
        Ok(Args {
            ignored_resources: args.ignored_resources,
            ignored_resource_groups: args.ignored_resource_groups,
            strategy,
        })
    }
}

fn check_names(names: &[String], field: &str, problems: &mut Problems) {
    for (at, name) in names.iter().enumerate() {
        for problem in names::key_problems(name) {
            problems.invalid(format_args!("{field}[{at}]"), name, problem);
        }
    }
}

impl ScoringStrategy {
    fn checked(self, problems: &mut Problems) -> Strategy {
        let kind = self.kind.as_str();
        if ![LEAST_ALLOCATED, MOST_ALLOCATED, RATIO].contains(&kind) {
            problems.not_supported("scoringStrategy.type", kind, &[LEAST_ALLOCATED, MOST_ALLOCATED, RATIO]);
        }
        let resources = checked_resources(self.resources, problems);
        let field = "scoringStrategy.requestedToCapacityRatio";
        let shape = match self.requested_to_capacity_ratio {
            Some(ratio) if kind == RATIO => checked_shape(&ratio.shape, &format!("{field}.shape"), problems),
            Some(_) => {
                problems.forbidden(field, "must be nil when type is not RequestedToCapacityRatio");
                Vec::new()
            }
            None if kind == RATIO => {
                problems.required(field, "must be specified when type is RequestedToCapacityRatio");
                Vec::new()
            }
            None => Vec::new(),
        };
        let by = match kind {
            MOST_ALLOCATED => ScoringType::MostAllocated,
            RATIO => ScoringType::RequestedToCapacityRatio(shape),
            _ => ScoringType::LeastAllocated,
        };
        Strategy { by, resources }
    }
}

fn checked_resources(resources: Vec<ResourceSpec>, problems: &mut Problems) -> Vec<(Resource, i64)> {
    if resources.is_empty() {
        return vec![(Resource::Cpu, 1), (Resource::Memory, 1)];
    }
    let mut checked = Vec::new();
    for (at, ResourceSpec { name, weight }) in resources.into_iter().enumerate() {
        let weight = if weight == 0 { 1 } else { weight };
        if !(1..=100).contains(&weight) {
            let detail = format!("resource weight of {name} not in valid range (0, 100]");
            problems.invalid(format_args!("scoringStrategy.resources[{at}].weight"), weight, detail);
        }
        checked.push((Resource::new(&name), weight));
    }
    checked
}

fn checked_shape(shape: &[Point], field: &str, problems: &mut Problems) -> Vec<(i64, i64)> {
    if shape.is_empty() {
        problems.required(field, "at least one point must be specified");
    }
    let unsorted = shape.windows(2).position(|pair| matches!(pair, [one, two] if one.utilization >= two.utilization));
    if let Some(at) = unsorted.map(|at| at + 1)
        && let Some(point) = shape.get(at)
    {
        let field = format!("{field}[{at}].utilization");
        problems.invalid(field, point.utilization, "values must be sorted in increasing order");
    }
    for (at, point) in shape.iter().enumerate() {
        if !(0..=100).contains(&point.utilization) {
            let field = format!("{field}[{at}].utilization");
            problems.invalid(field, point.utilization, "not in valid range [0, 100]");
        }
        if !(0..=10).contains(&point.score) {
            problems.invalid(format!("{field}[{at}].score"), point.score, "not in valid range [0, 10]");
        }
    }
    let scaled = |point: &Point| (i64::from(point.utilization), i64::from(point.score) * (100 / SHAPE_SCORE));
    shape.iter().map(scaled).collect()
}
