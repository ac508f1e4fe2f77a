//! Tests that Jobs run their pods, count each pod once, and finish.

use serde_json::{Value, json};

use super::super::cluster::Cluster;
use super::super::job;
use super::super::kinds::Kind;
use super::super::write::Plan;
use super::{ago, cluster, created, heads, key, lines, now, owned_by, pod, status, with};

const TRACKING: &str = "batch.kubernetes.io/job-tracking";

fn job(more: Value) -> Value {
    let job = json!({
        "kind": "Job",
        "metadata": { "namespace": "default", "name": "j" },
        "spec": { "parallelism": 2, "completions": 3, "backoffLimit": 1, "template": { "spec": { "containers": [] } } },
        "status": { "startTime": ago(60), "uncountedTerminatedPods": {} },
    });
    with(job, more)
}

fn member(name: &str, phase: &str, more: Value) -> Value {
    let member = json!({
        "metadata": { "ownerReferences": owned_by("batch/v1", "Job", "j"), "finalizers": [TRACKING] },
        "spec": { "nodeName": "n" },
        "status": { "phase": phase },
    });
    pod(name, with(member, more))
}

fn plan(cluster: &Cluster) -> Plan {
    job::plan(cluster, &key("default/j"), now())
}

fn steps(objects: impl IntoIterator<Item = Value>) -> Vec<String> {
    heads(&plan(&cluster(objects))).into_iter().filter(|head| !head.contains("/status")).collect()
}

fn written(objects: impl IntoIterator<Item = Value>) -> Value {
    status(&plan(&cluster(objects)), Kind::Job)
}

fn true_conditions(status: &Value) -> Vec<&str> {
    let conditions = status["conditions"].as_array().into_iter().flatten();
    conditions
        .filter(|condition| condition["status"] == "True")
        .filter_map(|condition| condition["type"].as_str())
        .collect()
}

#[test]
fn parallelism_and_completions_limit_the_pods() {
    let create = "create Pod default/j-*";
    let cases: [(&str, Vec<Value>, &[&str]); 5] = [
        ("up to the parallelism", vec![job(json!({}))], &[create, create]),
        ("the rest of it", vec![job(json!({})), member("a", "Running", json!({}))], &[create]),
        ("no more than completions", vec![job(json!({ "status": { "succeeded": 2 } }))], &[create]),
        (
            "a suspended one runs nothing",
            vec![job(json!({ "spec": { "suspend": true } })), member("a", "Running", json!({}))],
            &["delete Pod default/a"],
        ),
        (
            "any success ends a work queue",
            vec![
                job(json!({ "spec": { "completions": null }, "status": { "succeeded": 1 } })),
                member("a", "Running", json!({})),
            ],
            &[],
        ),
    ];
    for (why, objects, wanted) in cases {
        assert_eq!(steps(objects), wanted, "{why}");
    }
    let pod = created(&plan(&cluster([job(json!({}))])));
    assert_eq!(pod["metadata"]["finalizers"], json!([TRACKING]));
    assert_eq!(pod["metadata"]["labels"]["batch.kubernetes.io/job-name"], "j");
}

#[test]
fn a_finished_pod_is_listed_then_released_then_counted() {
    let ended = || member("a", "Succeeded", json!({}));
    let first = plan(&cluster([job(json!({})), ended()]));
    let listed = status(&first, Kind::Job);
    assert_eq!(listed["uncountedTerminatedPods"]["succeeded"], json!(["a-uid"]));
    assert_eq!(listed["succeeded"], 0);
    assert!(!heads(&first).contains(&"patch Pod default/a".to_owned()), "not before the status is written");
    let known = || job(json!({ "status": listed }));
    let second = plan(&cluster([known(), ended()]));
    assert!(lines(&second).contains(&r#"patch Pod default/a {"metadata":{"finalizers":[]}}"#.to_owned()));
    for gone in [vec![known()], vec![known(), member("a", "Succeeded", json!({ "metadata": { "finalizers": [] } }))]] {
        let counted = written(gone);
        assert_eq!(
            (&counted["succeeded"], &counted["uncountedTerminatedPods"]["succeeded"]),
            (&json!(1), &Value::Null)
        );
    }
}

#[test]
fn a_job_completes_when_everything_is_counted() {
    let uncounted = json!({ "status": { "succeeded": 2, "uncountedTerminatedPods": { "succeeded": ["a-uid"] } } });
    let waiting = written([job(uncounted), member("a", "Succeeded", json!({}))]);
    assert_eq!(true_conditions(&waiting), ["SuccessCriteriaMet"]);
    let done = written([job(json!({ "status": { "succeeded": 3 } }))]);
    assert_eq!(true_conditions(&done), ["SuccessCriteriaMet", "Complete"]);
    assert_eq!(done["completionTime"], "2026-01-02T03:04:05Z");
    let finished = job(json!({ "status": done }));
    assert!(lines(&plan(&cluster([finished]))).is_empty());
}

#[test]
fn a_job_fails_at_its_backoff_limit_or_deadline() {
    let failures = json!({ "status": { "failed": 2 } });
    let failed = plan(&cluster([job(failures.clone()), member("a", "Running", json!({}))]));
    assert_eq!(true_conditions(&status(&failed, Kind::Job)), ["FailureTarget"]);
    assert!(heads(&failed).contains(&"delete Pod default/a".to_owned()));
    assert_eq!(true_conditions(&written([job(failures)])), ["FailureTarget", "Failed"]);
    let deadline = |seconds: i64| job(json!({ "spec": { "activeDeadlineSeconds": seconds } }));
    assert_eq!(true_conditions(&written([deadline(60)])), ["FailureTarget", "Failed"]);
    assert_eq!(plan(&cluster([deadline(90)])).rerun_after.map(|after| after.as_secs()), Some(30));
}

#[test]
fn an_indexed_job_completes_each_index_once() {
    let indexed = |more: Value| {
        job(with(json!({ "spec": { "completionMode": "Indexed", "parallelism": 5, "completions": 5 } }), more))
    };
    let at = |name: &str, phase: &str, index: &str| {
        member(
            name,
            phase,
            json!({ "metadata": { "annotations": { "batch.kubernetes.io/job-completion-index": index } } }),
        )
    };
    let known = json!({ "status": { "succeeded": 2, "completedIndexes": "0,3" } });
    let objects =
        || [indexed(known.clone()), at("a", "Succeeded", "1"), at("b", "Running", "4"), at("c", "Succeeded", "3")];
    let plan = plan(&cluster(objects()));
    let status = status(&plan, Kind::Job);
    assert_eq!((&status["completedIndexes"], &status["succeeded"]), (&json!("0,1,3"), &json!(3)));
    let steps: Vec<_> = heads(&plan).into_iter().filter(|head| !head.contains("/status")).collect();
    assert_eq!(steps, ["patch Pod default/c", "create Pod default/j-2-*"]);
    assert_eq!(created(&plan)["spec"]["hostname"], "j-2");
    let all = written([indexed(json!({ "status": { "succeeded": 5, "completedIndexes": "0-4" } }))]);
    assert_eq!(true_conditions(&all), ["SuccessCriteriaMet", "Complete"]);
}

#[test]
fn pods_of_a_finished_or_deleted_job_are_released() {
    let finished = json!({ "status": { "conditions": [
        { "type": "Complete", "status": "True", "lastTransitionTime": ago(50) },
    ] } });
    let objects = [job(finished.clone()), member("a", "Running", json!({}))];
    assert_eq!(steps(objects), ["patch Pod default/a"]);
    let orphan = cluster([member("a", "Failed", json!({}))]);
    assert_eq!(heads(&job::release_orphan(&orphan, &key("default/a"))), ["patch Pod default/a"]);
    let expiring =
        |seconds: i64| job(with(finished.clone(), json!({ "spec": { "ttlSecondsAfterFinished": seconds } })));
    assert_eq!(steps([expiring(50)]), ["delete Job default/j"]);
    assert_eq!(plan(&cluster([expiring(60)])).rerun_after.map(|after| after.as_secs()), Some(10));
}

#[test]
fn restarts_of_containers_count_as_failures() {
    let failed = |limit: i32, policy: &str, restarts: i32| {
        let container = json!([{ "name": "main", "restartCount": restarts, "state": {} }]);
        let more = json!({ "spec": { "restartPolicy": policy }, "status": { "containerStatuses": container } });
        let job = job(json!({ "spec": { "backoffLimit": limit } }));
        let status = written([job, member("a", "Running", more)]);
        true_conditions(&status).contains(&"FailureTarget")
    };
    assert!(failed(2, "OnFailure", 2) && failed(0, "OnFailure", 1));
    assert!(!failed(2, "OnFailure", 1) && !failed(0, "OnFailure", 0) && !failed(2, "Never", 2));
}
