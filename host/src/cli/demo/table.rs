//! The table at the end of the demo: placed pods by zone, and the reasons of the others.

use std::collections::{BTreeMap, BTreeSet};

use comfy_table::{ContentArrangement, Table, presets::UTF8_BORDERS_ONLY};

use super::outcome::{Outcome, Outcomes};

/// Returns the table with a row per Deployment, in the order of `apps`.
pub fn of_outcomes(apps: &[String], outcomes: &Outcomes, zone_of: &BTreeMap<String, String>) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["DEPLOYMENT", "PODS", "PLACED", "WHERE", "WHY NOT"]);
    for app in apps {
        let all: Vec<&Outcome> = outcomes.of(app).collect();
        let placed = all.iter().filter(|outcome| matches!(outcome, Outcome::Placed(_))).count();
        let row =
            [app.clone(), all.len().to_string(), placed.to_string(), places(&all, zone_of), reasons(&all).join("\n")];
        table.add_row(row);
    }
    table
}

/// Returns the numbers of pods by zone, as in `zone-a 20, zone-b 20 (38 nodes)`.
fn places(outcomes: &[&Outcome], zone_of: &BTreeMap<String, String>) -> String {
    let nodes: Vec<&String> = outcomes
        .iter()
        .filter_map(|outcome| match outcome {
            Outcome::Placed(node) => Some(node),
            _ => None,
        })
        .collect();
    if nodes.is_empty() {
        return "-".into();
    }
    let mut zones: BTreeMap<&str, usize> = BTreeMap::new();
    for node in &nodes {
        *zones.entry(zone_of.get(*node).map_or("no zone", String::as_str)).or_default() += 1;
    }
    let zones: Vec<String> = zones.iter().map(|(zone, pods)| format!("{zone} {pods}")).collect();
    let different = nodes.iter().collect::<BTreeSet<_>>().len();
    format!("{} ({different} nodes)", zones.join(", "))
}

/// Returns each distinct message once, with the number of pods if it is more than one.
fn reasons(outcomes: &[&Outcome]) -> Vec<String> {
    let mut messages: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes {
        match outcome {
            Outcome::Rejected(message) => *messages.entry(message).or_default() += 1,
            Outcome::Open => *messages.entry("not tried yet").or_default() += 1,
            Outcome::Placed(_) => {}
        }
    }
    let line = |(message, pods): (&&str, &usize)| match pods {
        1 => (*message).to_owned(),
        pods => format!("{pods} pods: {message}"),
    };
    messages.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_where_and_why_not() {
        let placed = |node: &str| Outcome::Placed(node.into());
        let rejected = Outcome::Rejected("0/2 nodes are available: 2 Insufficient cpu.".into());
        let all = [placed("a"), placed("a"), placed("b"), rejected.clone(), rejected];
        let zones = [("a".to_owned(), "zone-a".to_owned())].into();
        let all: Vec<&Outcome> = all.iter().collect();
        assert_eq!(places(&all, &zones), "no zone 1, zone-a 2 (2 nodes)");
        assert_eq!(reasons(&all), ["2 pods: 0/2 nodes are available: 2 Insufficient cpu."]);
    }
}
