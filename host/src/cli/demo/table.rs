//! The output of `berth demo`: for each Deployment the number of placed pods by zone, and the reasons that the other
//! pods have no node.

use std::collections::{BTreeMap, BTreeSet};

use comfy_table::{ContentArrangement, Table, presets::UTF8_BORDERS_ONLY};
use serde::Serialize;

use super::outcome::{Outcome, Outcomes};
use crate::cli::output::Listing;

/// The output of `berth demo`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct DemoReport {
    /// The Deployments in the order of the workload.
    pub deployments: Vec<DeploymentReport>,
    /// The number of pods with a node.
    pub placed: usize,
    /// The number of pods that were rejected.
    pub rejected: usize,
    /// The number of nodes in the cluster.
    pub nodes: usize,
    /// A sentence for each difference from the expected result.
    pub unexpected: Vec<String>,
}

/// The pods of a Deployment.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct DeploymentReport {
    /// The name of the Deployment.
    name: String,
    /// The number of pods.
    pods: usize,
    /// The number of pods with a node.
    placed: usize,
    /// The number of placed pods by zone.
    zones: BTreeMap<String, usize>,
    /// The nodes of the placed pods, without repetitions.
    nodes: BTreeSet<String>,
    /// The reasons of the pods without a node.
    reasons: Vec<Reason>,
}

/// A reason for which pods have no node.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Reason {
    /// The message of the scheduler.
    message: String,
    /// The number of pods with this message.
    pods: usize,
}

impl DeploymentReport {
    /// Returns the report of the Deployment called `name`. `zone_of` has the zones by node name.
    pub fn new(name: &str, outcomes: &Outcomes, zone_of: &BTreeMap<String, String>) -> Self {
        let (mut zones, mut nodes) = (BTreeMap::<String, usize>::new(), BTreeSet::new());
        let (mut pods, mut placed, mut messages) = (0, 0, BTreeMap::<&str, usize>::new());
        for outcome in outcomes.of(name) {
            pods += 1;
            match outcome {
                Outcome::Placed(node) => {
                    placed += 1;
                    *zones.entry(zone_of.get(node).map_or("no zone", String::as_str).to_owned()).or_default() += 1;
                    nodes.insert(node.clone());
                }
                Outcome::Rejected(message) => *messages.entry(message).or_default() += 1,
                Outcome::Open => *messages.entry("no attempt yet").or_default() += 1,
            }
        }
        let reason = |(message, pods): (&str, usize)| Reason { message: message.to_owned(), pods };
        let reasons = messages.into_iter().map(reason).collect();
        Self { name: name.to_owned(), pods, placed, zones, nodes, reasons }
    }

    /// Returns the numbers of pods by zone, as in `zone-a 20, zone-b 20 (38 nodes)`. The wide text names the nodes.
    fn places(&self, wide: bool) -> String {
        if self.nodes.is_empty() {
            return "-".into();
        }
        let zones: Vec<String> = self.zones.iter().map(|(zone, pods)| format!("{zone} {pods}")).collect();
        let names = || self.nodes.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let nodes = if wide { names() } else { format!("{} nodes", self.nodes.len()) };
        format!("{} ({nodes})", zones.join(", "))
    }

    /// Returns a line for each message, with the number of pods if there are several.
    fn why_not(&self) -> String {
        let line = |Reason { message, pods }: &Reason| match pods {
            1 => message.clone(),
            pods => format!("{pods} pods: {message}"),
        };
        self.reasons.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

impl Listing for DemoReport {
    fn table(&self, wide: bool) -> String {
        let mut table = Table::new();
        table.load_style(UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_header(["DEPLOYMENT", "PODS", "PLACED", "WHERE", "WHY NOT"]);
        for deployment in &self.deployments {
            let (pods, placed) = (deployment.pods.to_string(), deployment.placed.to_string());
            table.add_row([deployment.name.clone(), pods, placed, deployment.places(wide), deployment.why_not()]);
        }
        let all = self.placed + self.rejected;
        format!("{table}\n{} of {all} pods placed on {} nodes.\n", self.placed, self.nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_zones_and_the_reasons() {
        let placed = |node: &str| Outcome::Placed(node.into());
        let rejected = Outcome::Rejected("0/2 nodes are available: 2 Insufficient cpu.".into());
        let outcomes = Outcomes::given("web", [placed("a"), placed("a"), placed("b"), rejected.clone(), rejected]);
        let report = DeploymentReport::new("web", &outcomes, &[("a".to_owned(), "zone-a".to_owned())].into());
        assert_eq!((report.pods, report.placed), (5, 3));
        assert_eq!(report.places(false), "no zone 1, zone-a 2 (2 nodes)");
        assert_eq!(report.places(true), "no zone 1, zone-a 2 (a, b)");
        assert_eq!(report.why_not(), "2 pods: 0/2 nodes are available: 2 Insufficient cpu.");
    }

    #[test]
    fn the_schema_of_the_output_is_kept() {
        crate::cli::output::check_schema::<DemoReport>("demo");
    }
}
