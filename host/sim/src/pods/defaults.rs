//! The defaults of a pod's spec, in pods and in the pod templates of workloads.

use serde_json::{Value, json};

use crate::value::{copy_member, is_true, items_mut, object_mut, set_default, text};

/// Sets the defaults of a pod's spec.
pub fn default_spec(spec: &mut Value) {
    for (member, default) in
        [("dnsPolicy", "ClusterFirst"), ("restartPolicy", "Always"), ("schedulerName", "default-scheduler")]
    {
        set_default(spec, member, default);
    }
    set_default(spec, "securityContext", json!({}));
    set_default(spec, "terminationGracePeriodSeconds", 30);
    let on_host = is_true(spec, "hostNetwork");
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in items_mut(spec, list) {
            default_container(container, on_host);
        }
    }
    items_mut(spec, "volumes").for_each(default_volume);
    if spec.get("serviceAccountName").is_none() {
        copy_as(spec, "serviceAccount", "serviceAccountName");
    }
    copy_as(spec, "serviceAccountName", "serviceAccount");
}

/// Copies a field under another name, for the deprecated name of the service account.
fn copy_as(spec: &mut Value, from: &str, to: &str) {
    if let Some(value) = spec.get(from).cloned() {
        spec[to] = value;
    }
}

fn default_container(container: &mut Value, on_host: bool) {
    let policy = match is_latest(text(container, "image")) {
        true => "Always",
        false => "IfNotPresent",
    };
    set_default(container, "imagePullPolicy", policy);
    set_default(container, "terminationMessagePath", "/dev/termination-log");
    set_default(container, "terminationMessagePolicy", "File");
    set_default(container, "resources", json!({}));
    for port in items_mut(container, "ports") {
        set_default(port, "protocol", "TCP");
        if on_host {
            let number = port["containerPort"].clone();
            set_default(port, "hostPort", number);
        }
    }
    for variable in items_mut(container, "env") {
        if let Some(field) = variable.pointer_mut("/valueFrom/fieldRef") {
            set_default(field, "apiVersion", "v1");
        }
    }
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = container.get_mut(probe) {
            default_probe(probe);
        }
    }
}

/// Returns true if an image has the tag `latest`, or has neither a tag nor a digest.
fn is_latest(image: &str) -> bool {
    let name = image.rsplit('/').next().unwrap_or_default();
    !name.contains('@') && name.split_once(':').is_none_or(|(_, tag)| tag == "latest")
}

fn default_probe(probe: &mut Value) {
    for (member, default) in
        [("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)]
    {
        set_default(probe, member, default);
    }
    if let Some(get) = probe.get_mut("httpGet") {
        set_default(get, "path", "/");
        set_default(get, "scheme", "HTTP");
    }
}

fn default_volume(volume: &mut Value) {
    if volume.as_object().is_some_and(|members| members.keys().all(|key| key == "name")) {
        volume["emptyDir"] = json!({});
    }
    for source in ["secret", "configMap", "downwardAPI", "projected"] {
        if let Some(source) = volume.get_mut(source) {
            set_default(source, "defaultMode", 0o644);
        }
    }
    if let Some(path) = volume.get_mut("hostPath") {
        set_default(path, "type", "");
    }
    if let Some(spec) = volume.pointer_mut("/ephemeral/volumeClaimTemplate/spec") {
        set_default(spec, "volumeMode", "Filesystem");
    }
}

/// Sets missing requests to the limits. Applies to pods, not to pod templates.
pub fn requests_from_limits(spec: &mut Value) {
    for list in ["initContainers", "containers"] {
        for container in items_mut(spec, list) {
            fill_requests(&mut container["resources"]);
        }
    }
    if let Some(resources) = spec.get_mut("resources") {
        fill_requests(resources);
    }
}

fn fill_requests(resources: &mut Value) {
    let Some(limits) = resources.get("limits").cloned() else { return };
    let names: Vec<String> = limits.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    if names.is_empty() {
        return;
    }
    let Some(requests) = object_mut(resources, "requests") else { return };
    let mut filled = Value::Object(std::mem::take(requests));
    for name in names.iter().filter(|name| filled.get(name.as_str()).is_none()).cloned().collect::<Vec<_>>() {
        copy_member(&mut filled, &limits, &name);
    }
    resources["requests"] = filled;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_without_a_fixed_tag_are_always_pulled() {
        for (image, latest) in [
            ("nginx", true),
            ("nginx:latest", true),
            ("nginx:1.2", false),
            ("registry:5000/nginx", true),
            ("registry:5000/nginx:2", false),
            ("nginx@sha256:abc", false),
        ] {
            assert_eq!(is_latest(image), latest, "{image}");
        }
    }

    #[test]
    fn limits_become_requests() {
        let mut spec =
            json!({"containers": [{"resources": {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}}}]});
        requests_from_limits(&mut spec);
        assert_eq!(spec["containers"][0]["resources"]["requests"], json!({"cpu": "1", "memory": "1Gi"}));
    }
}
