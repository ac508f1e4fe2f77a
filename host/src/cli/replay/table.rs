//! The output of a comparison.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use berth_core::Timestamp;
use berth_replay::{Column, Comparison, History, Moved};
use serde::Serialize;

use super::report::length;
use crate::cli::output::{Listing, new_table};

/// The number of pods of each list in a wide table.
const LISTED: usize = 20;

/// The result of a comparison.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct ComparisonReport {
    /// The path of the capture.
    capture: String,
    /// The time at which the comparison begins: that of the first event after the plugins served.
    began: Timestamp,
    /// The time of the last event.
    ended: Timestamp,
    /// The policies, the base first.
    policies: Vec<Column>,
    /// The conditions of --fail-if that are true, each with the name of the policy.
    failures: Vec<String>,
    /// What the comparison does not consider, one sentence each.
    notes: Vec<String>,
}

impl ComparisonReport {
    pub fn new(
        capture: String,
        history: &History,
        comparison: Comparison,
        mut notes: Vec<String>,
        failures: Vec<String>,
    ) -> Self {
        let (began, ended) = history.interval();
        if history.lost_steps() > 0 {
            let lost = history.lost_steps();
            notes.push(format!("{lost} events are not in the capture, because the disk was too slow or full."));
        }
        notes.extend(history.truncated().iter().map(|truncated| format!("Not complete: {truncated}.")));
        for column in &comparison.columns {
            if !column.left_out.is_empty() {
                let names = column.left_out.join(", ");
                notes.push(format!("{}: these plugins take no part, because they can't serve: {names}.", column.name));
            }
            notes.extend(column.warnings.iter().map(|warning| format!("{}: plugin {warning}.", column.name)));
        }
        Self { capture, began, ended, policies: comparison.columns, failures, notes }
    }
}

/// A row of the table: a name, and one value for each policy.
type Row = (String, Vec<String>);

impl Listing for ComparisonReport {
    fn table(&self, wide: bool) -> String {
        let mut text = String::new();
        // Writing to a String does not fail.
        let _ = self.write(wide, &mut text);
        text
    }
}

impl ComparisonReport {
    fn write(&self, wide: bool, text: &mut String) -> std::fmt::Result {
        let Self { capture, began, ended, policies, failures, notes } = self;
        writeln!(text, "{capture}, {began} to {ended} ({})\n", length(*began, *ended))?;
        let mut table = new_table();
        table.set_header([String::new()].into_iter().chain(policies.iter().map(|column| column.name.clone())));
        for (name, values) in self.rows() {
            table.add_row([name].into_iter().chain(values));
        }
        writeln!(text, "{table}")?;
        if wide {
            self.write_pods(text)?;
        }
        if !notes.is_empty() {
            writeln!(text)?;
        }
        notes.iter().try_for_each(|note| writeln!(text, "{note}"))?;
        failures.iter().try_for_each(|failure| writeln!(text, "\nThe condition is true for {failure}"))
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut row = |name: &str, value: &dyn Fn(&Column) -> String| {
            rows.push((name.to_owned(), self.policies.iter().map(value).collect()));
        };
        row("bindings", &|column| column.measures.bound.to_string());
        row("pods placed elsewhere", &|column| column.placed_elsewhere.to_string());
        row("pending time, median", &|column| seconds(column.measures.pending.median));
        row("pending time, p99", &|column| seconds(column.measures.pending.p99));
        row("pending time, longest", &|column| seconds(column.measures.pending.max));
        row("pending at the end", &|column| column.measures.pending_at_end.to_string());
        row("evictions", &|column| column.measures.evictions.to_string());
        if self.policies.iter().any(|column| column.measures.lost_with_nodes > 0) {
            row("lost with their nodes", &|column| column.measures.lost_with_nodes.to_string());
        }
        for (what, values) in [
            ("utilization", (|column| &column.measures.utilization) as fn(&Column) -> &BTreeMap<Arc<str>, f64>),
            ("imbalance", |column| &column.measures.imbalance),
            ("fragmentation", |column| &column.measures.fragmentation),
        ] {
            for resource in self.resources() {
                row(&format!("{what} of {resource}"), &|column| percent(values(column).get(&resource).copied()));
            }
        }
        row("nodes used, mean", &|column| format!("{:.1}", column.measures.nodes_used.mean));
        row("nodes used, most", &|column| column.measures.nodes_used.max.to_string());
        row("compaction: fewest nodes", &|column| {
            column.measures.compaction.map_or_else(|| "-".to_owned(), |nodes| nodes.to_string())
        });
        row("spread: largest share on a node", &|column| percent(column.measures.spread.node));
        row("spread: largest share in a zone", &|column| percent(column.measures.spread.zone));
        rows
    }

    fn resources(&self) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> =
            self.policies.iter().flat_map(|column| column.measures.utilization.keys().cloned()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn write_pods(&self, text: &mut String) -> std::fmt::Result {
        for column in &self.policies {
            if !column.moved.is_empty() {
                writeln!(text, "\n{}: pods placed elsewhere", column.name)?;
                column.moved.iter().take(LISTED).try_for_each(|moved| writeln!(text, "  {}", line(moved)))?;
                more(column.placed_elsewhere, column.moved.len(), text)?;
            }
            if !column.still_pending.is_empty() {
                writeln!(text, "\n{}: pending at the end", column.name)?;
                for pod in column.still_pending.iter().take(LISTED) {
                    let message = pod.message.as_deref().unwrap_or("no attempt");
                    writeln!(text, "  {}/{}: {message}", pod.namespace, pod.name)?;
                }
                more(column.measures.pending_at_end, column.still_pending.len(), text)?;
            }
        }
        Ok(())
    }
}

fn more(all: u64, known: usize, text: &mut String) -> std::fmt::Result {
    let shown = known.min(LISTED) as u64;
    if all > shown { writeln!(text, "  and {} more", all - shown) } else { Ok(()) }
}

fn line(Moved { namespace, name, base, new }: &Moved) -> String {
    let node = |node: &Option<String>| node.clone().unwrap_or_else(|| "no node".to_owned());
    format!("{namespace}/{name}: {} → {}", node(base), node(new))
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.1} s")
}

fn percent(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{:.1} %", 100.0 * ratio))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_of_the_output_is_kept() {
        crate::cli::output::check_schema::<super::ComparisonReport>("replay compare");
    }
}
