//! Clusters of the tests, and sandboxes with the default plugins.

use std::sync::{Arc, OnceLock};

use berth_analysis::{ClusterCopy, Sandbox, wanted};
use berth_apimachinery::objects::{EventReader, Notes};
use berth_config::v1alpha1::BerthConfiguration;
use berth_core::Timestamp;
use berth_core::model::Pod;
use berth_core::profile_spec::ProfileSpec;
use berth_plugin_host::{ComponentSet, LoaderOptions};
use serde_json::{Value, json};

/// The time of all questions.
pub const NOW: Timestamp = Timestamp(1_767_225_600_000);

/// Returns the default components, compiled once.
pub fn components() -> &'static ComponentSet {
    static COMPONENTS: OnceLock<ComponentSet> = OnceLock::new();
    COMPONENTS.get_or_init(|| {
        let options = LoaderOptions {
            built_in: berth::default_plugins().to_vec(),
            grants: berth::grant_policy(&BerthConfiguration::default()).expect("valid grants"),
            ..LoaderOptions::default()
        };
        ComponentSet::load(&options).expect("the default components load")
    })
}

/// Returns the default profile.
pub fn specs() -> Vec<ProfileSpec> {
    vec![berth_config::default_profile("default-scheduler")]
}

/// Returns a copy of a cluster with these objects.
pub fn copy(objects: &[Value]) -> ClusterCopy {
    let wanted = wanted(components(), specs()).expect("the default profile serves");
    let (copy, notes) = ClusterCopy::read(objects, &wanted).expect("valid objects");
    assert!(notes.is_empty(), "{notes:?}");
    copy
}

/// Returns a sandbox with the default profile on this copy.
pub fn sandbox(copy: &ClusterCopy) -> Sandbox {
    Sandbox::new(components(), specs(), copy, NOW).expect("the default profile serves")
}

/// Returns a pod of the core's model.
pub fn pod(object: &Value) -> Arc<Pod> {
    Arc::new(EventReader::default().pod(object, &mut Notes::default()).expect("a valid pod"))
}

/// Returns a node with 4 CPU and 8 GiB of memory, with these changes.
pub fn node_object(name: &str, changes: Value) -> Value {
    let resources = json!({"cpu": "4", "memory": "8Gi", "pods": "110"});
    let mut node = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "uid": name, "labels": {"kubernetes.io/hostname": name}},
        "spec": {}, "status": {"allocatable": resources, "capacity": resources},
    });
    json_patch::merge(&mut node, &changes);
    node
}

/// Returns a pod that requests 1 CPU, with these changes.
pub fn pod_object(name: &str, changes: Value) -> Value {
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": "default", "name": name, "uid": name},
        "spec": {
            "schedulerName": "default-scheduler",
            "containers": [{"name": "c", "image": "app:1", "resources": {"requests": {"cpu": "1"}}}],
        },
    });
    json_patch::merge(&mut pod, &changes);
    pod
}
