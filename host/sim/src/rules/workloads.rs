//! Rules of workloads: Deployments, ReplicaSets, StatefulSets, DaemonSets, ReplicationControllers, Jobs and CronJobs.

use serde_json::{Value, json};

use super::{PersistentVolumeClaims, Rules, template};
use crate::failure::Problems;
use crate::pods;
use crate::value::{copy_member, items_mut, object_mut, set_default, text};

/// The rules of apps/v1 Deployments.
pub struct Deployments;

impl Rules for Deployments {
    fn default(&self, object: &mut Value) {
        let spec = &mut object["spec"];
        set_default(spec, "replicas", 1);
        set_default(spec, "revisionHistoryLimit", 10);
        set_default(spec, "progressDeadlineSeconds", 600);
        set_default(spec, "strategy", json!({}));
        set_default(&mut spec["strategy"], "type", "RollingUpdate");
        if text(&spec["strategy"], "type") == "RollingUpdate" {
            set_default(&mut spec["strategy"], "rollingUpdate", json!({}));
            set_default(&mut spec["strategy"]["rollingUpdate"], "maxUnavailable", "25%");
            set_default(&mut spec["strategy"]["rollingUpdate"], "maxSurge", "25%");
        }
        template::default(spec);
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        template::check(object, problems);
    }

    fn check_update(&self, new: &Value, old: &Value, problems: &mut Problems) {
        template::check_same_selector(new, old, problems);
    }

    fn update_status(&self, new: &mut Value, old: &Value) {
        restore_labels(new, old);
    }
}

/// The rules of apps/v1 ReplicaSets.
pub struct ReplicaSets;

impl Rules for ReplicaSets {
    fn default(&self, object: &mut Value) {
        set_default(&mut object["spec"], "replicas", 1);
        template::default(&mut object["spec"]);
    }

    fn create(&self, object: &mut Value) {
        object["status"] = json!({"replicas": 0});
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        template::check(object, problems);
    }

    fn check_update(&self, new: &Value, old: &Value, problems: &mut Problems) {
        template::check_same_selector(new, old, problems);
    }

    fn update_status(&self, new: &mut Value, old: &Value) {
        restore_labels(new, old);
    }
}

/// The rules of apps/v1 StatefulSets.
pub struct StatefulSets;

impl Rules for StatefulSets {
    fn default(&self, object: &mut Value) {
        let spec = &mut object["spec"];
        set_default(spec, "replicas", 1);
        set_default(spec, "revisionHistoryLimit", 10);
        set_default(spec, "podManagementPolicy", "OrderedReady");
        set_default(
            spec,
            "persistentVolumeClaimRetentionPolicy",
            json!({"whenDeleted": "Retain", "whenScaled": "Retain"}),
        );
        set_default(spec, "updateStrategy", json!({}));
        set_default(&mut spec["updateStrategy"], "type", "RollingUpdate");
        if text(&spec["updateStrategy"], "type") == "RollingUpdate" {
            set_default(&mut spec["updateStrategy"], "rollingUpdate", json!({"partition": 0}));
        }
        for claim in items_mut(spec, "volumeClaimTemplates") {
            set_default(claim, "apiVersion", "v1");
            set_default(claim, "kind", "PersistentVolumeClaim");
            PersistentVolumeClaims.default(claim);
        }
        template::default(spec);
    }

    fn create(&self, object: &mut Value) {
        object["status"] = json!({"replicas": 0, "availableReplicas": 0});
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        template::check(object, problems);
    }

    fn check_update(&self, new: &Value, old: &Value, problems: &mut Problems) {
        template::check_same_selector(new, old, problems);
    }
}

/// The rules of apps/v1 DaemonSets.
pub struct DaemonSets;

impl Rules for DaemonSets {
    fn default(&self, object: &mut Value) {
        let spec = &mut object["spec"];
        set_default(spec, "revisionHistoryLimit", 10);
        set_default(
            spec,
            "updateStrategy",
            json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}),
        );
        template::default(spec);
    }

    fn create(&self, object: &mut Value) {
        object["status"] = json!({"currentNumberScheduled": 0, "desiredNumberScheduled": 0, "numberMisscheduled": 0, "numberReady": 0});
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        template::check(object, problems);
    }

    fn check_update(&self, new: &Value, old: &Value, problems: &mut Problems) {
        template::check_same_selector(new, old, problems);
    }
}

/// The rules of core/v1 ReplicationControllers. The selector is a map and defaults to the template's labels.
pub struct ReplicationControllers;

impl Rules for ReplicationControllers {
    fn default(&self, object: &mut Value) {
        let spec = &mut object["spec"];
        set_default(spec, "replicas", 1);
        template::default(spec);
        if let Some(labels) = spec.pointer("/template/metadata/labels").cloned() {
            set_default(spec, "selector", labels.clone());
            let metadata = object_mut(object, "metadata");
            metadata.map(|metadata| metadata.entry("labels").or_insert(labels));
        }
    }

    fn create(&self, object: &mut Value) {
        object["status"] = json!({"replicas": 0});
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        if object.pointer("/spec/template").is_none() {
            problems.required("spec.template", "");
        } else {
            pods::check_spec(&object["spec"]["template"]["spec"], "spec.template.spec", problems);
        }
    }
}

/// The rules of batch/v1 Jobs.
pub struct Jobs;

/// The labels that identify a job's pods.
const JOB_UID: &str = "batch.kubernetes.io/controller-uid";
const JOB_NAME: &str = "batch.kubernetes.io/job-name";

impl Rules for Jobs {
    fn default(&self, object: &mut Value) {
        default_job(&mut object["spec"]);
    }

    fn create(&self, object: &mut Value) {
        let (uid, name) = (object["metadata"]["uid"].clone(), object["metadata"]["name"].clone());
        let spec = &mut object["spec"];
        if spec["manualSelector"] == json!(true) {
            return;
        }
        set_default(&mut spec["template"], "metadata", json!({}));
        if let Some(labels) = object_mut(&mut spec["template"]["metadata"], "labels") {
            for (key, value) in [(JOB_UID, &uid), (JOB_NAME, &name), ("controller-uid", &uid), ("job-name", &name)] {
                labels.insert(key.into(), value.clone());
            }
        }
        spec["selector"] = json!({"matchLabels": {JOB_UID: uid}});
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        template::check(object, problems);
        let policy = text(&object["spec"]["template"]["spec"], "restartPolicy");
        if !matches!(policy, "OnFailure" | "Never") {
            problems.unsupported("spec.template.spec.restartPolicy", policy, &["OnFailure", "Never"]);
        }
    }

    fn check_update(&self, new: &Value, old: &Value, problems: &mut Problems) {
        for field in ["selector", "template", "completionMode", "podFailurePolicy"] {
            if new["spec"].get(field) != old["spec"].get(field) {
                problems.invalid(format!("spec.{field}"), &new["spec"][field], "field is immutable");
            }
        }
    }
}

fn default_job(spec: &mut Value) {
    if spec.get("completions").is_none() && spec.get("parallelism").is_none() {
        set_default(spec, "completions", 1);
    }
    set_default(spec, "parallelism", 1);
    set_default(spec, "backoffLimit", 6);
    set_default(spec, "completionMode", "NonIndexed");
    set_default(spec, "suspend", false);
    set_default(spec, "podReplacementPolicy", "TerminatingOrFailed");
    set_default(spec, "manualSelector", false);
    template::default(spec);
}

/// The rules of batch/v1 CronJobs.
pub struct CronJobs;

impl Rules for CronJobs {
    fn default(&self, object: &mut Value) {
        let spec = &mut object["spec"];
        set_default(spec, "concurrencyPolicy", "Allow");
        set_default(spec, "suspend", false);
        set_default(spec, "successfulJobsHistoryLimit", 3);
        set_default(spec, "failedJobsHistoryLimit", 1);
        if let Some(job) = spec.pointer_mut("/jobTemplate/spec") {
            template::default(job);
        }
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        if text(&object["spec"], "schedule").is_empty() {
            problems.required("spec.schedule", "");
        }
        let template = object.pointer("/spec/jobTemplate/spec/template/spec").cloned().unwrap_or_default();
        pods::check_spec(&template, "spec.jobTemplate.spec.template.spec", problems);
    }
}

fn restore_labels(new: &mut Value, old: &Value) {
    copy_member(&mut new["metadata"], &old["metadata"], "labels");
}
