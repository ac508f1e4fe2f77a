//! Pod templates in workloads: their defaults, their validation, and the selector that must match their labels.

use serde_json::{Value, json};

use crate::failure::Problems;
use crate::pods;
use crate::selectors::LabelSelector;
use crate::value::set_default;

/// Sets the defaults of the pod template in `spec`.
pub fn default(spec: &mut Value) {
    if let Some(template) = spec.get_mut("template").filter(|template| template.is_object()) {
        set_default(template, "metadata", json!({}));
        if let Some(spec) = template.get_mut("spec") {
            pods::default_spec(spec);
        }
    }
}

/// Validates `spec.replicas` and `spec.template`, and checks that `spec.selector` matches the template's labels.
pub fn check(object: &Value, problems: &mut Problems) {
    let spec = &object["spec"];
    if let Some(replicas) = spec.get("replicas").filter(|replicas| replicas.as_i64().is_some_and(|n| n < 0)) {
        problems.invalid("spec.replicas", replicas, "must be greater than or equal to 0");
    }
    let template = &spec["template"];
    let selector = &spec["selector"];
    if selector.as_object().is_none_or(|members| members.is_empty()) {
        problems.required("spec.selector", "");
    } else {
        check_selector(selector, template, problems);
    }
    pods::check_spec(&template["spec"], "spec.template.spec", problems);
}

fn check_selector(selector: &Value, template: &Value, problems: &mut Problems) {
    match LabelSelector::from_object(Some(selector)) {
        Err(problem) => problems.invalid("spec.selector", selector, &problem),
        Ok(parsed) if !parsed.matches_value(template) => {
            let labels = template.pointer("/metadata/labels").cloned().unwrap_or_default();
            problems.invalid("spec.template.metadata.labels", &labels, "`selector` does not match template `labels`");
        }
        Ok(_) => {}
    }
}

/// Checks that an update does not change the selector.
pub fn check_same_selector(new: &Value, old: &Value, problems: &mut Problems) {
    if new["spec"]["selector"] != old["spec"]["selector"] {
        problems.invalid("spec.selector", &new["spec"]["selector"], "field is immutable");
    }
}
