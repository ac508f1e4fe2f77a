//! The output of `berth plugin check`.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use crate::cli::grants;
use crate::cli::output::{Listing, new_table, or_dash};
use berth_config::v1alpha1::{PluginGrants, PluginSettings};
use berth_conformance::{CHECK_NODES, CheckReport, Conformance, Variety};
use berth_core::facts::NodeFacts;
use berth_core::plugins::Declaration;
use berth_core::reads::PodReads;

/// The extension points whose answers can contain changes of the cluster, or victims to evict.
const CHANGES: [&str; 4] = ["post-filter", "reserve", "pre-bind", "bind"];

/// The output of `berth plugin check`. All times are CPU time in milliseconds.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct PluginReport {
    /// The name of the plugin.
    name: String,
    /// The version of the plugin.
    version: String,
    /// The SHA-256 of the component in hexadecimal digits.
    digest: String,
    /// The size of the component in bytes.
    size_bytes: usize,
    /// The version of the contract berth:scheduler that the component was built for.
    contract: String,
    /// The extension points that the component exports.
    extension_points: Vec<String>,
    /// The JSON Schema with which the plugin describes its arguments; null if it describes none.
    arguments_schema: Option<serde_json::Value>,
    /// The fields that the plugin reads.
    reads: Reads,
    /// The extension points at which the plugin can ask for changes of the cluster.
    can_ask_for_changes_at: Vec<String>,
    /// The grants that the plugin needs in a BerthConfiguration (`plugins[].grants`): for the kinds that it reads, and for
    /// the changes that it asked for during the check. It may ask for others in another cluster.
    grants: PluginGrants,
    /// The scope of filter answers: cluster, node or domain.
    filter_scope: String,
    /// The scope of score answers: cluster, node or domain.
    score_scope: String,
    /// The time to compile the component.
    compile_milliseconds: f64,
    /// The number of nodes in the measured calls.
    nodes: usize,
    /// The time to send the nodes to the plugin.
    first_sync_milliseconds: f64,
    /// The time of one call of each exported function, for all nodes.
    calls: Vec<Call>,
    /// The memory of the plugin after the calls, in bytes.
    memory_bytes: usize,
    /// The memory of the plugin after many changes of the cluster, in bytes; null if it was not measured.
    memory_at_rest_bytes: Option<usize>,
    /// Whether the plugin keeps the contract.
    pub conformance: Kept,
    /// How the plugin answered during the check. A plugin that always answers the same was hardly tested.
    answers: Answers,
}

/// The fields that a plugin reads: groups of facts, and `label KEY`, `annotation KEY` and `field PATH`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Reads {
    /// The fields of the pod to schedule.
    pod: Vec<String>,
    /// The fields of nodes.
    nodes: Vec<String>,
    /// The fields of the pods on nodes. Empty if the plugin does not read them.
    resident_pods: Vec<String>,
    /// The fields of pending pods; null if the plugin does not read them.
    pending_pods: Option<Vec<String>>,
    /// The facts of the cluster.
    cluster: Vec<String>,
    /// Whether the plugin reads the time of a cycle. Always false for version 0.1 of the contract, which does not declare
    /// it.
    time: bool,
}

/// The cost of a call.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Call {
    /// The exported function.
    function: String,
    /// The time of the call.
    milliseconds: f64,
}

/// The result of the conformance examination.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Kept {
    /// Whether the plugin keeps the contract.
    pub held: bool,
    /// The rules of docs/contract.md that the plugin broke, a sentence each.
    findings: Vec<String>,
    /// The number of changes of the cluster.
    changes: usize,
    /// The number of scheduling cycles.
    cycles: u64,
    /// The seed of the changes.
    seed: u64,
}

/// The answers of a plugin during the check.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Answers {
    /// The number of nodes that passed the filter.
    fits: usize,
    /// The number of nodes that the filter rejected.
    rejected: usize,
    /// The lowest and the highest score; null without a score.
    scores: Option<(i64, i64)>,
    /// The lowest and the highest sort key; null without a sort key.
    sort_keys: Option<(i64, i64)>,
    /// The number of pods that pre-enqueue let into the queue.
    enqueued: usize,
    /// The number of pods that pre-enqueue held back.
    held_back: usize,
    /// The number of pods that pre-filter skipped.
    filter_skipped: usize,
    /// The number of pods that pre-score skipped.
    score_skipped: usize,
    /// The number of pods for which post-filter nominated a node.
    nominated: usize,
    /// The number of pods for which post-filter found no node.
    not_nominated: usize,
    /// The number of reservations, approvals and answers without intents.
    approved: usize,
    /// The number of failed reservations, denials, waits and answers with intents.
    not_approved: usize,
    /// The number of calls that returned an error.
    errors: usize,
}

impl PluginReport {
    pub fn new(report: &CheckReport, seed: u64) -> Self {
        let CheckReport { declaration, conformance, .. } = report;
        let scope = |scope| format!("{scope:?}").to_lowercase();
        Self {
            name: declaration.name.to_string(),
            version: declaration.version.to_string(),
            digest: report.digest.to_string(),
            size_bytes: report.size,
            contract: report.contract.to_string(),
            extension_points: report.exports.split(", ").map(str::to_owned).collect(),
            // The host accepts only a schema that is JSON.
            arguments_schema: report.arguments.as_ref().and_then(|text| serde_json::from_str(text).ok()),
            reads: Reads::of(declaration),
            can_ask_for_changes_at: report
                .exports
                .split(", ")
                .filter(|point| CHANGES.contains(point))
                .map(str::to_owned)
                .collect(),
            grants: PluginGrants::from(&conformance.needs),
            filter_scope: scope(declaration.filter_scope),
            score_scope: scope(declaration.score_scope),
            compile_milliseconds: milliseconds(report.compile),
            nodes: CHECK_NODES,
            first_sync_milliseconds: milliseconds(report.first_sync),
            calls: report
                .calls
                .iter()
                .map(|(export, time)| Call { function: export.to_string(), milliseconds: milliseconds(*time) })
                .collect(),
            memory_bytes: report.memory,
            memory_at_rest_bytes: (conformance.memory.rounds > 0).then_some(conformance.memory.bytes),
            conformance: Kept::new(conformance, seed),
            answers: Answers::new(&conformance.variety),
        }
    }
}

impl Kept {
    fn new(conformance: &Conformance, seed: u64) -> Self {
        Self {
            held: conformance.findings.is_empty(),
            findings: conformance.findings.iter().map(ToString::to_string).collect(),
            changes: conformance.deltas,
            cycles: conformance.cycles,
            seed,
        }
    }
}

impl Answers {
    fn new(variety: &Variety) -> Self {
        Self {
            fits: variety.fits,
            rejected: variety.rejected,
            scores: variety.scores,
            sort_keys: variety.sort_keys,
            enqueued: variety.enqueued,
            held_back: variety.held_back,
            filter_skipped: variety.filter_skipped,
            score_skipped: variety.score_skipped,
            nominated: variety.nominated,
            not_nominated: variety.not_nominated,
            approved: variety.approved,
            not_approved: variety.not_approved,
            errors: variety.errors,
        }
    }

    /// Returns a summary. The narrow one leaves out the extension points that most plugins don't have.
    fn summary(&self, wide: bool) -> String {
        let mut parts = vec![format!("{} nodes fit, {} do not", self.fits, self.rejected)];
        parts.extend(self.scores.map(|(lowest, highest)| format!("scores {lowest} to {highest}")));
        parts.extend(
            self.sort_keys.filter(|_| wide).map(|(lowest, highest)| format!("sort keys {lowest} to {highest}")),
        );
        let counts = [
            (true, self.filter_skipped, "pods skipped by pre-filter"),
            (true, self.nominated, "pods nominated"),
            (true, self.score_skipped, "pods skipped by pre-score"),
            (true, self.errors, "errors of the plugin"),
            (wide, self.enqueued, "pods let into the queue"),
            (wide, self.held_back, "pods held back"),
            (wide, self.not_nominated, "pods not nominated"),
            (wide, self.approved, "calls approved"),
            (wide, self.not_approved, "calls not approved"),
        ];
        let counts = counts.iter().filter(|(shown, count, _)| *shown && *count > 0);
        parts.extend(counts.map(|(_, count, what)| format!("{count} {what}")));
        parts.join(", ")
    }
}

impl Listing for PluginReport {
    fn table(&self, wide: bool) -> String {
        let mut table = new_table();
        let mut row = |name: &str, value: String| {
            table.add_row([name.to_owned(), value]);
        };
        row("plugin", format!("{} {}", self.name, self.version));
        row("digest", format!("sha256:{}", self.digest));
        row("size", kibibytes(self.size_bytes));
        row("contract version", format!("berth:scheduler@{}, {}", self.contract, served(&self.contract)));
        row("extension points", self.extension_points.join(", "));
        row("reads of the pod", or_dash(&self.reads.pod.join(", ")));
        row("reads of nodes", or_dash(&self.reads.nodes.join(", ")));
        row("reads of pods on nodes", or_dash(&self.reads.resident_pods.join(", ")));
        if let Some(pending) = &self.reads.pending_pods {
            row("reads of pending pods", if pending.is_empty() { "their number".into() } else { pending.join(", ") });
        }
        row("reads of the cluster", or_dash(&self.reads.cluster.join(", ")));
        if self.reads.time {
            row("reads the time", "yes".into());
        }
        row("reads of other kinds", or_dash(&grants::reads(&self.grants).join(", ")));
        row("can ask for changes at", or_dash(&self.can_ask_for_changes_at.join(", ")));
        row("asked for in the check", or_dash(&grants::changes(&self.grants).join(", ")));
        row("scope", format!("filter {}, score {}", self.filter_scope, self.score_scope));
        row("compile time", format!("{:.3} ms", self.compile_milliseconds));
        row(&format!("send {} nodes", self.nodes), format!("{:.3} ms", self.first_sync_milliseconds));
        for call in &self.calls {
            row(&format!("{}, {} nodes", call.function, self.nodes), format!("{:.3} ms", call.milliseconds));
        }
        row("memory", kibibytes(self.memory_bytes));
        if let Some(bytes) = self.memory_at_rest_bytes {
            row("memory at rest", kibibytes(bytes));
        }
        row("trial", "passed".into());
        row("contract", self.conformance.summary());
        row("answers", self.answers.summary(wide));
        let mut text = format!("{table}\n");
        if self.grants != PluginGrants::default() {
            let settings = PluginSettings {
                name: self.name.clone(),
                grants: Some(self.grants.clone()),
                ..PluginSettings::default()
            };
            // A struct of texts is always YAML.
            let entry = serde_saphyr::to_string(&[settings]).unwrap_or_default();
            let entry = entry.trim_end();
            let _ = writeln!(
                text,
                "\nAn entry of plugins in the BerthConfiguration, which grants it in all namespaces:\n{entry}"
            );
        }
        if !self.conformance.held {
            text.push_str("\nBroken rules (docs/contract.md, \"What a guest must hold\"):\n");
            for finding in &self.conformance.findings {
                // Writing to a string does not fail.
                let _ = writeln!(text, "- {finding}");
            }
        }
        text
    }
}

impl Kept {
    fn summary(&self) -> String {
        let held = if self.held { "kept" } else { "BROKEN" };
        format!("{held} in {} changes and {} cycles, seed {}", self.changes, self.cycles, self.seed)
    }
}

/// Returns until when hosts load components of a version of the contract: docs/contract.md, "Versions".
fn served(version: &str) -> String {
    let minor = version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
    minor.map_or_else(String::new, |minor| format!("which hosts load until version 0.{} is released", minor + 2))
}

impl Reads {
    fn of(declaration: &Declaration) -> Self {
        let pods = |reads: &PodReads| {
            let facts = reads.facts.iter_names().map(|(name, _)| name);
            fields(facts, [&reads.label_keys, &reads.annotation_keys, &reads.fields])
        };
        let node = &declaration.node;
        let facts = (node.facts - NodeFacts::PODS).iter_names().map(|(name, _)| name);
        Self {
            pod: pods(&declaration.pod),
            nodes: fields(facts, [&node.label_keys, &node.annotation_keys, &node.fields]),
            resident_pods: pods(&declaration.resident_pods),
            pending_pods: declaration.pending_pods.as_ref().map(pods),
            cluster: fields(declaration.cluster_facts.iter_names().map(|(name, _)| name), [&[], &[], &[]]),
            time: declaration.reads_time,
        }
    }
}

/// Returns the names of facts, then the keys of labels, the keys of annotations, and the paths of `names`.
fn fields<'a>(facts: impl Iterator<Item = &'a str>, names: [&[Box<str>]; 3]) -> Vec<String> {
    let facts = facts.map(|name| name.to_lowercase().replace('_', "-"));
    let named = ["label", "annotation", "field"].into_iter().zip(names);
    facts.chain(named.flat_map(|(what, names)| names.iter().map(move |name| format!("{what} {name}")))).collect()
}

fn kibibytes(bytes: usize) -> String {
    format!("{} KiB", bytes.div_ceil(1024))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_of_the_output_is_kept() {
        crate::cli::output::check_schema::<PluginReport>("plugin check");
    }
}
