//! Pods in the API server: defaults, admission, validation, binding and eviction.

mod admission;
mod binding;
mod changes;
mod check;
mod defaults;
mod eviction;
mod label_keys;
mod limits;
mod quality;

pub use binding::bind;
pub use check::check_spec;
pub use defaults::default_spec;
pub use eviction::evict;
pub use limits::{admit_claim, default_item};
pub use quality::qos_class;

use serde_json::{Value, json};

use super::failure::{Failure, Problems};
use super::rules::Rules;
use super::state::State;
use super::value::{copy_member, items, set_condition, set_default, text, text_at};

/// The rules of core/v1 Pods.
pub struct Pods;

impl Rules for Pods {
    fn default(&self, object: &mut Value) {
        let spec = &mut object["spec"];
        set_default(spec, "enableServiceLinks", true);
        default_spec(spec);
        defaults::requests_from_limits(spec);
    }

    fn admit(&self, state: &State, object: &mut Value) -> Result<(), Failure> {
        admission::admit(state, object)
    }

    fn create(&self, object: &mut Value) {
        let mut status = json!({"phase": "Pending", "qosClass": qos_class(&object["spec"])});
        if items(&object["spec"], "schedulingGates").next().is_some() {
            let message = "Scheduling is blocked due to non-empty scheduling gates";
            let condition = json!({"type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
                "message": message, "lastProbeTime": null, "lastTransitionTime": null});
            set_condition(&mut status, condition);
        }
        object["status"] = status;
        label_keys::merge(object);
    }

    fn update(&self, new: &mut Value, old: &Value) {
        for field in ["priority", "preemptionPolicy"] {
            if new["spec"].get(field).is_none() {
                copy_member(&mut new["spec"], &old["spec"], field);
            }
        }
        admission::tolerate_briefly(&mut new["spec"]);
        let gated = |pod: &Value| items(&pod["spec"], "schedulingGates").next().is_some();
        if gated(old) && !gated(new) && text_at(new, "/status/conditions/0/reason") == "SchedulingGated" {
            super::value::remove(&mut new["status"], "conditions");
        }
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        check_spec(&object["spec"], "spec", problems);
    }

    fn check_update(&self, new: &Value, old: &Value, problems: &mut Problems) {
        changes::check(new, old, problems);
    }

    fn update_status(&self, new: &mut Value, old: &Value) {
        copy_member(&mut new["metadata"], &old["metadata"], "ownerReferences");
        if text(&new["status"], "qosClass").is_empty() {
            copy_member(&mut new["status"], &old["status"], "qosClass");
        }
    }
}
