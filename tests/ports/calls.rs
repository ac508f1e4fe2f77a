//! Records the answers of the port during a step.

use std::collections::BTreeMap;

use berth_core::model::PodKey;
use berth_core::plugins::{self, Code, Permission, PluginError, PostFilterResult, PreFilterResult};
use berth_plugin_host::{CallObserver, Guests, PluginAnswer, PluginCall};
use serde::Deserialize;

/// A verdict about a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Status {
    /// The name of the code, as in kube-scheduler.
    pub code: String,
    /// The reasons.
    #[serde(default)]
    pub reasons: Vec<String>,
}

/// The answers of the port. Each map has the last answer about a pod, by `namespace/name`.
#[derive(Default)]
pub struct Calls {
    plugin: &'static str,
    /// The rejection by pre-enqueue, or `None` for an admitted pod.
    pub pre_enqueue: BTreeMap<String, Option<Status>>,
    /// The rejections by pre-filter.
    pub pre_filter: BTreeMap<String, Status>,
    /// The reasons of the post-filter.
    pub post_filter: BTreeMap<String, Vec<String>>,
    /// The answer of permit.
    pub permit: BTreeMap<String, Permission>,
    /// The errors of calls that failed.
    pub errors: Vec<String>,
}

impl Calls {
    /// Returns a record of the calls of the plugin with this name.
    pub fn new(plugin: &'static str) -> Self {
        Self { plugin, ..Self::default() }
    }
}

impl CallObserver for Calls {
    type Started = ();

    fn started(&mut self, _: &PluginCall<'_>) {}

    fn ended(
        &mut self,
        guests: &Guests,
        call: &PluginCall<'_>,
        (): (),
        answer: Result<PluginAnswer<'_>, &PluginError>,
    ) {
        if guests.name(call.plugin).is_none_or(|name| *name != *self.plugin) {
            return;
        }
        let pod = name(&call.cycle.pod.key);
        match answer {
            Ok(PluginAnswer::PreEnqueue(status)) => {
                self.pre_enqueue.insert(pod, status.as_ref().map(Status::from));
            }
            Ok(PluginAnswer::PreFilter(PreFilterResult::Reject(status))) => {
                self.pre_filter.insert(pod, status.into());
            }
            Ok(PluginAnswer::PostFilter(PostFilterResult::Unschedulable { reasons, .. })) => {
                self.post_filter.insert(pod, reasons.iter().map(ToString::to_string).collect());
            }
            Ok(PluginAnswer::Permit(permission)) => drop(self.permit.insert(pod, permission.clone())),
            Ok(_) => {}
            Err(error) => self.errors.push(format!("{pod}: {error}")),
        }
    }
}

impl From<&plugins::Status> for Status {
    fn from(status: &plugins::Status) -> Self {
        let code = match status.code {
            Code::Unschedulable => "Unschedulable",
            Code::UnschedulableAndUnresolvable => "UnschedulableAndUnresolvable",
            Code::Error => "Error",
            Code::Pending => "Pending",
        };
        Self { code: code.into(), reasons: status.reasons.iter().map(ToString::to_string).collect() }
    }
}

/// Returns `namespace/name`.
pub fn name(key: &PodKey) -> String {
    format!("{}/{}", key.namespace, key.name)
}
