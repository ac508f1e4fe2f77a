//! What the process was given and did not take, components and its configuration: counted, and told as events of the host's
//! own pod.

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

/// How often plugins and configuration are looked at: more often than the loader looks at its directory.
const PERIOD: Duration = Duration::from_secs(2);

/// Who reports, in events.
const CONTROLLER: &str = "berth";

/// Something that is not taken, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Refusal {
    /// A component, by its path.
    Plugin(String, String),
    /// What the configuration file says now.
    Configuration(String),
}

/// Takes up changes of the configuration file, counts refusals, and writes an event for each where this process runs in a
/// pod that it knows (`own`). Goes on for as long as it is polled.
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
            Err(error) => warn!("no events about what was refused: {error}"),
        }
    }
}

/// What is refused now and was not at the last look. One that was mended meanwhile counts anew when it comes back.
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
            profiles: Vec::new(),
            state,
            last_error: Some(error.to_owned()),
            usage: Usage::default(),
        }
    }

    #[test]
    fn each_refusal_is_told_once_until_it_is_mended() {
        let mut known = BTreeSet::new();
        let bad = |error| plugin("a.wasm", PluginState::Refused, error);
        let good = || plugin("a.wasm", PluginState::Loaded, "trapped once");
        for (plugins, told) in [
            (vec![good()], vec![]),
            (vec![bad("is empty")], vec!["is empty"]),
            (vec![bad("is empty"), plugin("a.wasm", PluginState::Refused, "is cut off")], vec!["is cut off"]),
            (vec![bad("is not WebAssembly")], vec!["is not WebAssembly"]),
            (vec![good()], vec![]),
            (vec![bad("is not WebAssembly")], vec!["is not WebAssembly"]),
        ] {
            let told: Vec<_> = told.iter().map(|&why| Refusal::Plugin("a.wasm".into(), why.into())).collect();
            assert_eq!(fresh(&mut known, &plugins, None), told);
        }
    }

    #[test]
    fn a_refused_configuration_is_told_once() {
        let mut known = BTreeSet::new();
        for (refused, told) in [(None, 0), (Some("no YAML"), 1), (Some("no YAML"), 0), (None, 0), (Some("no YAML"), 1)]
        {
            assert_eq!(fresh(&mut known, &[], refused.map(str::to_owned)).len(), told);
        }
    }

    #[test]
    fn the_event_names_the_file_and_what_is_wrong_with_it() {
        let key = PodKey { namespace: "ns".into(), name: "berth-0".into(), uid: "u".into() };
        let event = event(&key, &Refusal::Plugin("/plugins/a.wasm".to_owned(), "is empty".to_owned()));
        assert_eq!((event.reason, &*event.note, event.pod), ("PluginRefused", "/plugins/a.wasm: is empty", key));
    }
}
