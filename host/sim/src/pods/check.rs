//! Validates a pod's spec, in pods and in pod templates. Covers the fields that users often get wrong.

use std::collections::HashSet;

use berth_quantity::Quantity;
use serde_json::Value;

use crate::failure::Problems;
use crate::names::{is_dns_label, is_label_key, is_label_value};
use crate::value::{items, members, text};

/// Validates a pod's spec at field path `path`.
pub fn check_spec(spec: &Value, path: &str, problems: &mut Problems) {
    if items(spec, "containers").next().is_none() {
        problems.required(format!("{path}.containers"), "");
    }
    let volumes = check_volumes(spec, path, problems);
    let mut names = HashSet::new();
    for list in ["initContainers", "containers"] {
        for (index, container) in items(spec, list).enumerate() {
            let path = format!("{path}.{list}[{index}]");
            check_container(container, &path, &volumes, problems);
            if !names.insert(text(container, "name")) {
                problems.duplicate(format!("{path}.name"), &container["name"]);
            }
        }
    }
    check_choices(spec, path, problems);
    check_placement(spec, path, problems);
    check_gates(spec, path, problems);
}

fn check_volumes<'a>(spec: &'a Value, path: &str, problems: &mut Problems) -> HashSet<&'a str> {
    let mut names = HashSet::new();
    for (index, volume) in items(spec, "volumes").enumerate() {
        let path = format!("{path}.volumes[{index}]");
        let name = text(volume, "name");
        match name {
            "" => problems.required(format!("{path}.name"), ""),
            _ if !is_dns_label(name) => problems.invalid(format!("{path}.name"), &volume["name"], LABEL),
            _ if !names.insert(name) => problems.duplicate(format!("{path}.name"), &volume["name"]),
            _ => {}
        }
        if volume.as_object().is_some_and(|members| members.len() > 2) {
            problems.forbidden(path, "may not specify more than 1 volume type");
        }
    }
    names
}

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with \
                     an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

fn check_container(container: &Value, path: &str, volumes: &HashSet<&str>, problems: &mut Problems) {
    match text(container, "name") {
        "" => problems.required(format!("{path}.name"), ""),
        name if !is_dns_label(name) => problems.invalid(format!("{path}.name"), &container["name"], LABEL),
        _ => {}
    }
    match text(container, "image") {
        "" => problems.required(format!("{path}.image"), ""),
        image if image.trim() != image => problems.invalid(
            format!("{path}.image"),
            &container["image"],
            "must not have leading or trailing whitespace",
        ),
        _ => {}
    }
    let policy = text(container, "imagePullPolicy");
    if !matches!(policy, "Always" | "IfNotPresent" | "Never") {
        problems.unsupported(format!("{path}.imagePullPolicy"), policy, &["Always", "IfNotPresent", "Never"]);
    }
    for (index, port) in items(container, "ports").enumerate() {
        let path = format!("{path}.ports[{index}]");
        for field in ["containerPort", "hostPort"] {
            let number = port.get(field).and_then(Value::as_i64).unwrap_or_default();
            if !(0..=65_535).contains(&number) || (field == "containerPort" && number == 0) {
                problems.invalid(format!("{path}.{field}"), &port[field], "must be between 1 and 65535, inclusive");
            }
        }
        if !matches!(text(port, "protocol"), "TCP" | "UDP" | "SCTP") {
            problems.unsupported(format!("{path}.protocol"), text(port, "protocol"), &["SCTP", "TCP", "UDP"]);
        }
    }
    for (index, mount) in items(container, "volumeMounts").enumerate() {
        if !volumes.contains(text(mount, "name")) {
            problems.not_found(format!("{path}.volumeMounts[{index}].name"), &mount["name"]);
        }
    }
    check_resources(&container["resources"], &format!("{path}.resources"), problems);
}

/// Returns the amount of a quantity; 0 for a value that is not a quantity.
fn quantity(value: &Value) -> Quantity {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_default()
}

fn check_resources(resources: &Value, path: &str, problems: &mut Problems) {
    for part in ["limits", "requests"] {
        for (name, amount) in members(resources, part) {
            if amount.as_str().is_some_and(|text| text.starts_with('-')) {
                problems.invalid(format!("{path}.{part}[{name}]"), amount, "must be greater than or equal to 0");
            }
            if is_extended(name) && quantity(amount).exact().is_none() {
                problems.invalid(format!("{path}.{part}[{name}]"), amount, "must be an integer");
            }
        }
    }
    for (name, request) in members(resources, "requests") {
        let limit = resources["limits"].get(name);
        match limit {
            Some(limit) if quantity(request) > quantity(limit) => {
                let limit = limit.as_str().unwrap_or_default();
                problems.invalid(
                    format!("{path}.requests"),
                    request,
                    &format!("must be less than or equal to {name} limit of {limit}"),
                );
            }
            Some(limit) if is_extended(name) && request != limit => {
                let limit = limit.as_str().unwrap_or_default();
                problems.invalid(
                    format!("{path}.requests"),
                    request,
                    &format!("must be equal to {name} limit of {limit}"),
                );
            }
            None if is_extended(name) => {
                problems.required(format!("{path}.limits"), "Limit must be set for non overcommitable resources")
            }
            _ => {}
        }
    }
}

/// Returns true for an extended resource: a name with a domain outside `kubernetes.io` and its subdomains.
fn is_extended(name: &str) -> bool {
    name.contains('/') && !name.split('/').next().is_some_and(|domain| domain.ends_with("kubernetes.io"))
}

fn check_choices(spec: &Value, path: &str, problems: &mut Problems) {
    for (field, choices) in [
        ("restartPolicy", &["Always", "Never", "OnFailure"][..]),
        ("dnsPolicy", &["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]),
    ] {
        let found = text(spec, field);
        if !choices.contains(&found) {
            problems.unsupported(format!("{path}.{field}"), found, choices);
        }
    }
    for field in ["terminationGracePeriodSeconds", "activeDeadlineSeconds"] {
        if let Some(seconds) = spec.get(field).filter(|seconds| seconds.as_i64().is_some_and(|n| n < 0)) {
            problems.invalid(format!("{path}.{field}"), seconds, "must be greater than or equal to 0");
        }
    }
}

fn check_placement(spec: &Value, path: &str, problems: &mut Problems) {
    for (key, value) in members(spec, "nodeSelector") {
        if !is_label_key(key) {
            problems.invalid(
                format!("{path}.nodeSelector"),
                &key.as_str().into(),
                "name part must consist of alphanumeric characters, '-', '_' or '.'",
            );
        }
        if !value.as_str().is_some_and(is_label_value) {
            problems.invalid(
                format!("{path}.nodeSelector"),
                value,
                "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'",
            );
        }
    }
    for (index, toleration) in items(spec, "tolerations").enumerate() {
        check_toleration(toleration, &format!("{path}.tolerations[{index}]"), problems);
    }
    for (index, spread) in items(spec, "topologySpreadConstraints").enumerate() {
        let path = format!("{path}.topologySpreadConstraints[{index}]");
        if spread["maxSkew"].as_i64().unwrap_or_default() <= 0 {
            problems.invalid(format!("{path}.maxSkew"), &spread["maxSkew"], "must be greater than zero");
        }
        if text(spread, "topologyKey").is_empty() {
            problems.required(format!("{path}.topologyKey"), "can not be empty");
        }
        let action = text(spread, "whenUnsatisfiable");
        if !matches!(action, "DoNotSchedule" | "ScheduleAnyway") {
            problems.unsupported(format!("{path}.whenUnsatisfiable"), action, &["DoNotSchedule", "ScheduleAnyway"]);
        }
    }
    check_affinity(&spec["affinity"], &format!("{path}.affinity"), problems);
}

fn check_toleration(toleration: &Value, path: &str, problems: &mut Problems) {
    let operator = text(toleration, "operator");
    if !matches!(operator, "" | "Equal" | "Exists" | "Lt" | "Gt") {
        problems.unsupported(format!("{path}.operator"), operator, &["Equal", "Exists"]);
    }
    if text(toleration, "key").is_empty() && operator != "Exists" {
        problems.invalid(
            format!("{path}.operator"),
            &operator.into(),
            "operator must be Exists when `key` is empty, which means \"match all values and all keys\"",
        );
    }
    if operator == "Exists" && !text(toleration, "value").is_empty() {
        problems.invalid(
            format!("{path}.operator"),
            &toleration["value"],
            "value must be empty when `operator` is 'Exists'",
        );
    }
    let effect = text(toleration, "effect");
    if !matches!(effect, "" | "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
        problems.unsupported(format!("{path}.effect"), effect, &["NoSchedule", "PreferNoSchedule", "NoExecute"]);
    }
    if toleration.get("tolerationSeconds").is_some() && effect != "NoExecute" {
        problems.invalid(
            format!("{path}.effect"),
            &effect.into(),
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
        );
    }
}

fn check_affinity(affinity: &Value, path: &str, problems: &mut Problems) {
    let required = &affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    let place = format!("{path}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
    if required.is_object() && items(required, "nodeSelectorTerms").next().is_none() {
        problems.required(&place, "must have at least one node selector term");
    }
    for (index, term) in items(required, "nodeSelectorTerms").enumerate() {
        check_expressions(term, &format!("{place}[{index}]"), problems);
    }
    for (index, preferred) in
        items(&affinity["nodeAffinity"], "preferredDuringSchedulingIgnoredDuringExecution").enumerate()
    {
        let place = format!("{path}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[{index}]");
        if !preferred["weight"].as_i64().is_some_and(|weight| (1..=100).contains(&weight)) {
            problems.invalid(format!("{place}.weight"), &preferred["weight"], "must be in the range 1-100");
        }
        check_expressions(&preferred["preference"], &format!("{place}.preference"), problems);
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        for (index, term) in items(&affinity[kind], "requiredDuringSchedulingIgnoredDuringExecution").enumerate() {
            if text(term, "topologyKey").is_empty() {
                let place =
                    format!("{path}.{kind}.requiredDuringSchedulingIgnoredDuringExecution[{index}].topologyKey");
                problems.required(place, "can not be empty");
            }
        }
    }
}

fn check_expressions(term: &Value, path: &str, problems: &mut Problems) {
    for (index, expression) in items(term, "matchExpressions").enumerate() {
        let path = format!("{path}.matchExpressions[{index}]");
        let values = items(expression, "values").count();
        match text(expression, "operator") {
            "In" | "NotIn" if values == 0 => {
                problems.required(format!("{path}.values"), "must be specified when `operator` is 'In' or 'NotIn'")
            }
            "Exists" | "DoesNotExist" if values > 0 => problems.forbidden(
                format!("{path}.values"),
                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
            "Gt" | "Lt" if values != 1 => problems
                .required(format!("{path}.values"), "must be specified single value when `operator` is 'Lt' or 'Gt'"),
            "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
            other => problems.invalid(format!("{path}.operator"), &other.into(), "not a valid selector operator"),
        }
        if !is_label_key(text(expression, "key")) {
            problems.invalid(
                format!("{path}.key"),
                &expression["key"],
                "name part must consist of alphanumeric characters, '-', '_' or '.'",
            );
        }
    }
}

fn check_gates(spec: &Value, path: &str, problems: &mut Problems) {
    let gates: Vec<&str> = items(spec, "schedulingGates").map(|gate| text(gate, "name")).collect();
    if !gates.is_empty() && !text(spec, "nodeName").is_empty() {
        problems.forbidden(format!("{path}.nodeName"), "cannot be set until all schedulingGates have been cleared");
    }
    for (index, gate) in gates.iter().enumerate() {
        if !is_label_key(gate) {
            problems.invalid(
                format!("{path}.schedulingGates[{index}]"),
                &(*gate).into(),
                "name part must consist of alphanumeric characters, '-', '_' or '.'",
            );
        }
    }
}
