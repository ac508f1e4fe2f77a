//! A case of Coscheduling.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::PLUGIN;

/// The objects of a cluster and the steps that follow. A pod's uid is its `namespace/name`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupCase {
    /// The difference that a case in `cases/` once showed, or the behavior that it shows. Empty in a drawn case.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The plugin's arguments.
    pub arguments: Value,
    /// The objects at the start. All are added at the same time.
    pub objects: Vec<Value>,
    /// The steps. A second passes before each step.
    pub steps: Vec<Step>,
}

/// A step of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// Adds or changes an object.
    Set(Value),
    /// Removes an object, if it exists.
    Remove(Value),
    /// Lets this many seconds pass.
    Wait(u64),
    /// Runs scheduling cycles until no pod is active. This number of bindings fails first.
    Run(u32),
}

impl GroupCase {
    /// Returns the KubeSchedulerConfiguration of Berth. DefaultPreemption is disabled, so that each pod that no node
    /// fits comes to the PostFilter of Coscheduling.
    pub fn configuration(&self) -> Value {
        json!({
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [{
                "schedulerName": "default-scheduler",
                "plugins": {
                    "multiPoint": {"enabled": [{"name": PLUGIN}]},
                    "queueSort": {"enabled": [{"name": PLUGIN}], "disabled": [{"name": "*"}]},
                    "postFilter": {"disabled": [{"name": "DefaultPreemption"}]},
                },
                "pluginConfig": [{"name": PLUGIN, "args": self.arguments}],
            }],
        })
    }
}
