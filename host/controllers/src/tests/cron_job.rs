//! Tests when CronJobs create Jobs, and which Jobs they keep. It is 03:04:05 on 2 January 2026, a Friday.

use serde_json::{Value, json};

use super::super::cron_job;
use super::super::kinds::Kind;
use super::super::write::Plan;
use super::{ago, cluster, created, heads, key, now, owned_by, status, with};

fn cron_job(more: Value) -> Value {
    let template = json!({ "spec": { "template": { "spec": { "containers": [{ "name": "c", "image": "i" }] } } } });
    let cron_job = json!({
        "kind": "CronJob",
        "metadata": { "namespace": "default", "name": "c", "creationTimestamp": ago(3600) },
        "spec": { "schedule": "*/5 * * * *", "jobTemplate": template },
    });
    with(cron_job, more)
}

/// Returns a Job of the CronJob, which was scheduled `seconds` ago, with this condition.
fn job(name: &str, seconds: i64, condition: Option<&str>) -> Value {
    let conditions: Vec<Value> =
        condition.into_iter().map(|type_| json!({ "type": type_, "status": "True" })).collect();
    let completion = condition.filter(|type_| *type_ == "Complete").map(|_| ago(seconds - 1));
    json!({
        "kind": "Job",
        "metadata": {
            "namespace": "default", "name": name, "creationTimestamp": ago(seconds),
            "annotations": { "batch.kubernetes.io/cronjob-scheduled-timestamp": ago(seconds) },
            "ownerReferences": owned_by("batch/v1", "CronJob", "c"),
        },
        "status": { "conditions": conditions, "completionTime": completion },
    })
}

fn plan(more: Value, jobs: impl IntoIterator<Item = Value>) -> Plan {
    let objects = [cron_job(more)].into_iter().chain(jobs);
    cron_job::plan(&cluster(objects), &key("default/c"), now())
}

/// The Job of 03:00.
const DUE: &str = "create Job default/c-29455380";

#[test]
fn a_job_is_created_at_its_time() {
    let plan = plan(json!({}), []);
    assert_eq!(heads(&plan), [DUE]);
    assert_eq!(plan.rerun_after.map(|after| after.as_secs()), Some(55), "until 03:05");
    let job = created(&plan);
    let annotation = &job["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"];
    assert_eq!(annotation, "2026-01-02T03:00:00Z");
    assert_eq!(job["metadata"]["ownerReferences"][0]["kind"], "CronJob");
    assert_eq!(job["spec"]["template"]["spec"]["containers"][0]["name"], "c");
}

#[test]
fn a_schedule_has_its_own_zone_and_can_be_missed() {
    let schedule = |text: &str| json!({ "spec": { "schedule": text } });
    // Each case: the changes of the CronJob, and whether a Job is due.
    let cases = [
        (schedule("0 3 * * *"), true),
        (schedule("0 3 2 * *"), true),
        (schedule("0 3 * * FRI"), true),
        (schedule("0 3 * * SAT"), false),
        (schedule("@hourly"), true),
        (schedule("0 4 * * *"), false),
        (json!({ "spec": { "schedule": "0 4 * * *", "timeZone": "Europe/Berlin" } }), true),
        (json!({ "spec": { "schedule": "0 3 * * *", "timeZone": "Europe/Berlin" } }), false),
        (json!({ "spec": { "schedule": "0 3 * * *", "timeZone": "Mars/Olympus" } }), false),
        (schedule("every day"), false),
        (json!({ "spec": { "suspend": true } }), false),
        (json!({ "spec": { "startingDeadlineSeconds": 200 } }), false),
        (json!({ "spec": { "startingDeadlineSeconds": 250 } }), true),
        (json!({ "metadata": { "creationTimestamp": ago(100) } }), false),
        (json!({ "status": { "lastScheduleTime": ago(245) } }), false),
        (json!({ "metadata": { "deletionTimestamp": ago(1) } }), false),
    ];
    for (more, due) in cases {
        let plan = plan(more.clone(), []);
        assert_eq!(plan.writes.iter().any(|write| write.kind == Kind::Job), due, "{more}");
    }
}

#[test]
fn jobs_that_still_run_are_kept_forbid_or_are_replaced() {
    let running = || job("c-1", 600, None);
    let writes = |policy: &str| {
        let writes = heads(&plan(json!({ "spec": { "concurrencyPolicy": policy } }), [running()]));
        writes.into_iter().filter(|line| !line.starts_with("patch")).collect::<Vec<_>>()
    };
    assert_eq!(writes("Allow"), [DUE]);
    assert_eq!(writes("Forbid"), [""; 0]);
    assert_eq!(writes("Replace"), ["delete Job default/c-1", DUE]);
}

#[test]
fn the_status_and_the_history_follow_the_jobs() {
    let jobs = [
        job("c-29455380", 245, None),
        job("good-1", 900, Some("Complete")),
        job("good-2", 800, Some("Complete")),
        job("bad-1", 950, Some("Failed")),
        job("bad-2", 850, Some("Failed")),
    ];
    let plan = plan(json!({ "spec": { "successfulJobsHistoryLimit": 1 } }), jobs);
    assert_eq!(
        heads(&plan),
        ["delete Job default/good-1", "delete Job default/bad-1", "patch CronJob/status default/c"]
    );
    let status = status(&plan, Kind::CronJob);
    assert_eq!(status["active"].as_array().map(Vec::len), Some(1));
    assert_eq!(status["active"][0]["name"], "c-29455380");
    assert_eq!(status["lastScheduleTime"], "2026-01-02T03:00:00Z");
    assert_eq!(status["lastSuccessfulTime"], ago(799));
}
