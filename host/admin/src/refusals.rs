//! Reports refused components and configurations: counts them, and writes events on the host's own pod.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use ::kube::Client;
use berth_core::action::PodEvent;
use berth_core::model::PodKey;
use tracing::warn;

use super::metrics::Metrics;
use crate::view::SchedulerView;
use berth_kube::OwnPod;
use berth_plugin_host::{PluginState, PluginStatus};

/// The period of the checks of plugins and configuration. It is shorter than the period of the plugin loader.
const PERIOD: Duration = Duration::from_secs(2);

/// The reporting controller of the events.
const CONTROLLER: &str = "berth";

/// A refused component or configuration, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Refusal {
    /// The path of a component and the reason.
    Plugin(String, String),
    /// The reason that the current content of the configuration file is refused.
    Configuration(String),
}

/// Reloads the configuration periodically through `reload`, which returns the reason if the file is refused. Counts
/// each new refusal of a component, and writes an event for each new refusal if this process runs in a known pod
/// (`own`). The future never completes.
pub async fn report_refusals(
    client: Client,
    own: Option<OwnPod>,
    scheduler: impl SchedulerView,
    metrics: Arc<Metrics>,
    mut reload: impl FnMut() -> Option<String>,
) {
    let mut known = BTreeSet::new();
    let mut period = tokio::time::interval(PERIOD);
    period.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        period.tick().await;
        let configuration = reload();
        metrics.set_configuration_refused(configuration.is_some());
        let fresh = fresh(&mut known, &scheduler.plugins(), configuration);
        if fresh.is_empty() {
            continue;
        }
        fresh.iter().filter(|refusal| matches!(refusal, Refusal::Plugin(..))).for_each(|_| metrics.count_refusal());
        let Some(own) = &own else { continue };
        match own.key(&client).await {
            Ok(key) => fresh.iter().for_each(|refusal| scheduler.emit(event(&key, refusal))),
            Err(error) => warn!(%error, "reading the scheduler's own pod failed; no event reports the refusal"),
        }
    }
}

/// Returns the refusals that the last check (`known`) did not find, and updates `known`. A refusal that was absent at
/// one check counts as new at the next check that finds it.
fn fresh(known: &mut BTreeSet<Refusal>, plugins: &[PluginStatus], configuration: Option<String>) -> Vec<Refusal> {
    let refused = plugins.iter().filter(|plugin| plugin.state == PluginState::Refused);
    let why = |plugin: &PluginStatus| plugin.last_error.clone().unwrap_or_else(|| "is refused".to_owned());
    let plugins = refused.map(|plugin| Refusal::Plugin(plugin.source.to_string(), why(plugin)));
    let now = plugins.chain(configuration.map(Refusal::Configuration)).collect();
    let before = std::mem::replace(known, now);
    known.difference(&before).cloned().collect()
}

fn event(pod: &PodKey, refusal: &Refusal) -> PodEvent {
    let (reason, note) = match refusal {
        Refusal::Plugin(path, why) => ("PluginRefused", format!("{path}: {why}")),
        Refusal::Configuration(why) => ("ConfigurationRefused", why.clone()),
    };
    PodEvent {
        pod: pod.clone(),
        scheduler_name: CONTROLLER.into(),
        kind: "Warning",
        reason,
        action: "Loading",
        note: note.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use berth_plugin_host::{Source, Usage};

    fn plugin(path: &str, state: PluginState, error: &str) -> PluginStatus {
        PluginStatus {
            name: "".into(),
            version: "".into(),
            source: Source::file(path),
            digest: None,
            arguments: "{}".into(),
            schema: None,
            grants: None,
            profiles: Vec::new(),
            state,
            last_error: Some(error.to_owned()),
            usage: Usage::default(),
        }
    }

    #[test]
    fn each_refusal_is_reported_once_until_it_is_fixed() {
        let mut known = BTreeSet::new();
        let bad = |error| plugin("a.wasm", PluginState::Refused, error);
        let good = || plugin("a.wasm", PluginState::Loaded, "trapped once");
        for (plugins, expected) in [
            (vec![good()], vec![]),
            (vec![bad("is empty")], vec!["is empty"]),
            (vec![bad("is empty"), plugin("a.wasm", PluginState::Refused, "is cut off")], vec!["is cut off"]),
            (vec![bad("is not WebAssembly")], vec!["is not WebAssembly"]),
            (vec![good()], vec![]),
            (vec![bad("is not WebAssembly")], vec!["is not WebAssembly"]),
        ] {
            let expected: Vec<_> = expected.iter().map(|&why| Refusal::Plugin("a.wasm".into(), why.into())).collect();
            assert_eq!(fresh(&mut known, &plugins, None), expected);
        }
    }

    #[test]
    fn a_refused_configuration_is_reported_once_until_it_is_fixed() {
        let mut known = BTreeSet::new();
        for (refused, expected) in
            [(None, 0), (Some("no YAML"), 1), (Some("no YAML"), 0), (None, 0), (Some("no YAML"), 1)]
        {
            assert_eq!(fresh(&mut known, &[], refused.map(str::to_owned)).len(), expected);
        }
    }

    #[test]
    fn the_event_names_the_file_and_the_reason() {
        let key = PodKey { namespace: "ns".into(), name: "berth-0".into(), uid: "u".into() };
        let event = event(&key, &Refusal::Plugin("/plugins/a.wasm".to_owned(), "is empty".to_owned()));
        assert_eq!((event.reason, &*event.note, event.pod), ("PluginRefused", "/plugins/a.wasm: is empty", key));
    }
}
