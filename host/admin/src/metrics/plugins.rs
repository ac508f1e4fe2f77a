//! Resource usage of plugins, by name. Instances of one plugin with different arguments are summed up.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::add;
use super::labels::{InfoLabels, PluginLabels, RefusedLabels};
use berth_plugin_host::{PluginState, PluginStatus, Usage};

pub(super) fn add_to(registry: &mut Registry, plugins: &[PluginStatus]) {
    let serves = |plugin: &&PluginStatus| !matches!(plugin.state, PluginState::Refused | PluginState::Unused);
    let serving: Vec<&PluginStatus> = plugins.iter().filter(serves).collect();
    add_info(registry, &serving);
    add_usage(registry, &serving);
    let help = "Components that are refused. The log and the events of the host's pod have the reason";
    let refused: Family<RefusedLabels, Gauge> = add(registry, "berth_plugin_refused", help, Family::default());
    for plugin in plugins.iter().filter(|plugin| plugin.state == PluginState::Refused) {
        refused.get_or_create(&RefusedLabels { path: plugin.source.to_string() }).set(1);
    }
}

fn add_info(registry: &mut Registry, serving: &[&PluginStatus]) {
    let help = "The components in service";
    let info: Family<InfoLabels, Gauge> = add(registry, "berth_plugin_info", help, Family::default());
    for plugin in serving {
        let labels = InfoLabels {
            plugin: plugin.name.to_string(),
            digest: plugin.digest.map(|digest| digest.to_string()).unwrap_or_default(),
            version: plugin.version.to_string(),
            path: plugin.source.to_string(),
        };
        info.get_or_create(&labels).set(1);
    }
}

fn add_usage(registry: &mut Registry, serving: &[&PluginStatus]) {
    let calls = counters(
        registry,
        "berth_plugin_calls",
        "Calls into a plugin, with the calls that send it changes of the cluster",
    );
    let help = "CPU time in a plugin, from a sample of its calls";
    let seconds: Family<PluginLabels, Counter<f64, AtomicU64>> =
        add(registry, "berth_plugin_seconds", help, Family::default());
    let traps = counters(registry, "berth_plugin_traps", "Calls that trapped, or exceeded the limit of time or memory");
    let rebuilds = counters(
        registry,
        "berth_plugin_rebuilds",
        "How often an instance was rebuilt, after a trap or to reduce its memory",
    );
    let memory: Family<PluginLabels, Gauge> =
        add(registry, "berth_plugin_memory_bytes", "Linear memory of a plugin", Family::default());
    for (labels, usage) in by_name(serving) {
        calls.get_or_create(&labels).inc_by(usage.calls);
        seconds.get_or_create(&labels).inc_by(usage.cpu.as_secs_f64());
        traps.get_or_create(&labels).inc_by(usage.failures);
        rebuilds.get_or_create(&labels).inc_by(usage.rebuilds);
        memory.get_or_create(&labels).set(i64::try_from(usage.memory).unwrap_or(i64::MAX));
    }
}

fn counters(registry: &mut Registry, name: &str, help: &str) -> Family<PluginLabels, Counter> {
    add(registry, name, help, Family::default())
}

fn by_name(serving: &[&PluginStatus]) -> BTreeMap<PluginLabels, Usage> {
    let mut sums: BTreeMap<PluginLabels, Usage> = BTreeMap::new();
    for plugin in serving {
        let sum = sums.entry(PluginLabels { plugin: plugin.name.to_string() }).or_default();
        sum.calls += plugin.usage.calls;
        sum.cpu += plugin.usage.cpu;
        sum.failures += plugin.usage.failures;
        sum.rebuilds += plugin.usage.rebuilds;
        sum.memory += plugin.usage.memory;
    }
    sums
}
