//! The columns of workloads.

use berth_apimachinery::human_duration;
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE_COLUMN, Column, age_column, joined, number, number_column, pairs, text_column, wide_column};
use crate::clock;
use crate::value::{is_true, items, text, text_at};

const CONTAINERS: Column = wide_column("Containers", |object| joined(object, "/spec/template/spec/containers", "name"));
const IMAGES: Column = wide_column("Images", |object| joined(object, "/spec/template/spec/containers", "image"));
const SELECTOR: Column = wide_column("Selector", selector);

fn selector(object: &Value) -> Value {
    let selector = &object["spec"]["selector"];
    pairs(Some(selector.get("matchLabels").unwrap_or(selector)))
}

/// The columns of Deployments.
pub const DEPLOYMENTS: &[Column] = &[
    text_column("Ready", |object| {
        format!("{}/{}", number(object, "/status/readyReplicas"), number(object, "/spec/replicas")).into()
    }),
    text_column("Up-to-date", |object| number(object, "/status/updatedReplicas").into()),
    text_column("Available", |object| number(object, "/status/availableReplicas").into()),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

/// The columns of ReplicaSets and ReplicationControllers.
pub const REPLICA_SETS: &[Column] = &[
    number_column("Desired", |object| number(object, "/spec/replicas").into()),
    number_column("Current", |object| number(object, "/status/replicas").into()),
    number_column("Ready", |object| number(object, "/status/readyReplicas").into()),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

/// The columns of StatefulSets.
pub const STATEFUL_SETS: &[Column] = &[
    text_column("Ready", |object| {
        format!("{}/{}", number(object, "/status/readyReplicas"), number(object, "/spec/replicas")).into()
    }),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
];

/// The columns of DaemonSets.
pub const DAEMON_SETS: &[Column] = &[
    number_column("Desired", |object| number(object, "/status/desiredNumberScheduled").into()),
    number_column("Current", |object| number(object, "/status/currentNumberScheduled").into()),
    number_column("Ready", |object| number(object, "/status/numberReady").into()),
    number_column("Up-to-date", |object| number(object, "/status/updatedNumberScheduled").into()),
    number_column("Available", |object| number(object, "/status/numberAvailable").into()),
    text_column("Node Selector", |object| pairs(object.pointer("/spec/template/spec/nodeSelector"))),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

/// The columns of Jobs.
pub const JOBS: &[Column] = &[
    text_column("Status", job_status),
    text_column("Completions", completions),
    age_column("Duration", false, duration),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

fn job_status(job: &Value) -> Value {
    let holds = |kind: &str| {
        items(&job["status"], "conditions").any(|one| text(one, "type") == kind && text(one, "status") == "True")
    };
    let known = [
        ("Complete", "Complete"),
        ("Failed", "Failed"),
        ("Suspended", "Suspended"),
        ("FailureTarget", "FailureTarget"),
    ];
    known.into_iter().find(|(kind, _)| holds(kind)).map_or("Running", |(_, shown)| shown).into()
}

fn completions(job: &Value) -> Value {
    let succeeded = number(job, "/status/succeeded");
    match job.pointer("/spec/completions").and_then(Value::as_i64) {
        Some(wanted) => format!("{succeeded}/{wanted}").into(),
        None => format!("{succeeded}/1").into(),
    }
}

fn duration(job: &Value, now: Timestamp) -> Value {
    let time = |pointer| text_at(job, pointer).parse::<Timestamp>().ok();
    let Some(start) = time("/status/startTime") else { return "".into() };
    let end = time("/status/completionTime").unwrap_or(now);
    human_duration(end.duration_since(start).as_secs()).into()
}

/// The columns of CronJobs.
pub const CRON_JOBS: &[Column] = &[
    text_column("Schedule", |object| text_at(object, "/spec/schedule").into()),
    text_column("Timezone", |object| super::or_none(object, "/spec/timeZone")),
    text_column("Suspend", |object| if is_true(&object["spec"], "suspend") { "True" } else { "False" }.into()),
    number_column("Active", |object| items(&object["status"], "active").count().into()),
    age_column("Last Schedule", false, last_schedule),
    AGE_COLUMN,
];

fn last_schedule(job: &Value, now: Timestamp) -> Value {
    match text_at(job, "/status/lastScheduleTime") {
        "" => "<none>".into(),
        time => clock::age(Some(time), now).into(),
    }
}
