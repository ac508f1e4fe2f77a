//! The CronJob controller: creates a Job at each time of the schedule, maintains the status, and deletes old Jobs.

use std::time::Duration;

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};
use k8s_openapi::api::batch::v1::{CronJob, CronJobSpec, CronJobStatus, Job, JobStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::ObjectMeta;
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::job::finished;
use super::kinds::Kind;
use super::metadata::{self, Key};
use super::write::{Plan, Write, owner_reference};

/// The annotation of a Job with its time in the schedule.
const SCHEDULED: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/// Returns the plan for one CronJob.
pub fn plan(cluster: &Cluster, key: &Key, now: Timestamp) -> Plan {
    let Some(cron_job) = cluster.get::<CronJob>(key) else { return Plan::none() };
    let (meta, spec) = (&cron_job.metadata, &cron_job.spec);
    if metadata::deleting(meta) {
        return Plan::none();
    }
    let jobs: Vec<&Job> = cluster.controlled::<Job>(metadata::uid(meta)).collect();
    let known = cron_job.status.clone().unwrap_or_default();
    let status = status(&known, &jobs);
    let mut plan = Plan::of(surplus(spec, &jobs));
    if !same(&status, &known) {
        plan.writes.push(Write::status(Kind::CronJob, meta, status_patch(&status)));
    }
    if spec.suspend == Some(true) {
        return plan;
    }
    let Some(schedule) = Schedule::of(spec) else { return plan };
    if let Some(next) = schedule.after(now) {
        plan.rerun_in(Duration::try_from(next.duration_since(now)).unwrap_or_default());
    }
    let since = status.last_schedule_time.as_ref().or(meta.creation_timestamp.as_ref()).map_or(now, |time| time.0);
    if let Some(due) = schedule.latest(now).filter(|due| *due > since && !is_too_late(spec, *due, now)) {
        plan.writes.extend(start(spec, meta, due, &jobs));
    }
    plan
}

/// The schedule of a CronJob, in its time zone.
struct Schedule {
    cron: Cron,
    zone: TimeZone,
}

impl Schedule {
    /// Reads `schedule` and `timeZone`. Returns `None` if one of them can't be read: such a CronJob creates no Jobs.
    fn of(spec: &CronJobSpec) -> Option<Self> {
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let cron = parser.parse(spec.schedule.trim()).ok()?;
        let zone = spec.time_zone.as_deref().filter(|zone| !zone.is_empty());
        let zone = zone.map_or(Some(TimeZone::UTC), |zone| TimeZone::get(zone).ok())?;
        Some(Self { cron, zone })
    }

    /// Returns the first time after `now`.
    fn after(&self, now: Timestamp) -> Option<Timestamp> {
        self.cron.find_next_occurrence(&self.zoned(now), false).ok().map(|time| time.timestamp())
    }

    /// Returns the last time up to `now`.
    fn latest(&self, now: Timestamp) -> Option<Timestamp> {
        self.cron.find_previous_occurrence(&self.zoned(now), true).ok().map(|time| time.timestamp())
    }

    fn zoned(&self, time: Timestamp) -> Zoned {
        time.to_zoned(self.zone.clone())
    }
}

/// Returns true if `startingDeadlineSeconds` have passed since this time.
fn is_too_late(spec: &CronJobSpec, due: Timestamp, now: Timestamp) -> bool {
    spec.starting_deadline_seconds.is_some_and(|seconds| now.duration_since(due) > SignedDuration::from_secs(seconds))
}

/// Starts the Job of this time, as `concurrencyPolicy` allows.
fn start(spec: &CronJobSpec, meta: &ObjectMeta, due: Timestamp, jobs: &[&Job]) -> Vec<Write> {
    let name = format!("{}-{}", metadata::name(meta), due.as_second() / 60);
    let mut active = jobs.iter().filter(|job| is_active(job)).peekable();
    let policy = spec.concurrency_policy.as_deref().unwrap_or("Allow");
    let exists = jobs.iter().any(|job| metadata::name(&job.metadata) == name);
    if exists || (policy == "Forbid" && active.peek().is_some()) {
        return Vec::new();
    }
    let replaced = active.filter(|_| policy == "Replace").map(|job| Write::delete(Kind::Job, &job.metadata));
    let mut writes: Vec<Write> = replaced.collect();
    writes.push(Write::create(Kind::Job, metadata::namespace(meta), job(spec, meta, &name, due)));
    writes
}

/// Returns the Job of a time of the schedule.
fn job(spec: &CronJobSpec, meta: &ObjectMeta, name: &str, due: Timestamp) -> Value {
    let template = spec.job_template.metadata.clone().unwrap_or_default();
    let mut annotations = template.annotations.unwrap_or_default();
    annotations.insert(SCHEDULED.to_owned(), due.to_string());
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "labels": template.labels.unwrap_or_default(),
            "annotations": annotations,
            "ownerReferences": [owner_reference("batch/v1", Kind::CronJob, meta)],
        },
        "spec": spec.job_template.spec,
    })
}

fn is_active(job: &Job) -> bool {
    job.status.as_ref().and_then(finished).is_none() && !metadata::deleting(&job.metadata)
}

/// Returns true if the Job has finished with a condition of this type.
fn ended_as(job: &Job, type_: &str) -> bool {
    job.status.as_ref().and_then(finished).is_some_and(|condition| condition.type_ == type_)
}

/// Deletes the oldest finished Jobs beyond the limits of the history.
fn surplus(spec: &CronJobSpec, jobs: &[&Job]) -> Vec<Write> {
    let mut writes = Vec::new();
    let limits = [("Complete", spec.successful_jobs_history_limit, 3), ("Failed", spec.failed_jobs_history_limit, 1)];
    for (type_, limit, default) in limits {
        let kept = usize::try_from(limit.unwrap_or(default)).unwrap_or(0);
        let mut ended: Vec<&Job> = jobs.iter().copied().filter(|job| ended_as(job, type_)).collect();
        ended.sort_by_key(|job| job.metadata.creation_timestamp.as_ref().map(|time| time.0));
        let old = ended.iter().take(ended.len().saturating_sub(kept)).filter(|job| !metadata::deleting(&job.metadata));
        writes.extend(old.map(|job| Write::delete(Kind::Job, &job.metadata)));
    }
    writes
}

/// Returns the status that follows from the Jobs.
fn status(known: &CronJobStatus, jobs: &[&Job]) -> CronJobStatus {
    let scheduled = jobs.iter().filter_map(|job| {
        metadata::annotation(&job.metadata, SCHEDULED).and_then(|time| time.parse::<Timestamp>().ok())
    });
    let completion = |status: &JobStatus| status.completion_time.as_ref().map(|time| time.0);
    let successful = jobs.iter().filter(|job| ended_as(job, "Complete"));
    let successful = successful.filter_map(|job| job.status.as_ref().and_then(completion));
    let latest = |known: &Option<Time>, times: &mut dyn Iterator<Item = Timestamp>| {
        known.as_ref().map(|time| time.0).into_iter().chain(times).max().map(Time)
    };
    let reference = |job: &&&Job| k8s_openapi::api::core::v1::ObjectReference {
        api_version: Some("batch/v1".to_owned()),
        kind: Some("Job".to_owned()),
        name: job.metadata.name.clone(),
        namespace: job.metadata.namespace.clone(),
        uid: job.metadata.uid.clone(),
        ..Default::default()
    };
    CronJobStatus {
        active: Some(jobs.iter().filter(|job| is_active(job)).map(|job| reference(&job)).collect()),
        last_schedule_time: latest(&known.last_schedule_time, &mut { scheduled }),
        last_successful_time: latest(&known.last_successful_time, &mut { successful }),
    }
}

fn same(status: &CronJobStatus, known: &CronJobStatus) -> bool {
    let active = |status: &CronJobStatus| status.active.clone().unwrap_or_default();
    active(status) == active(known)
        && status.last_schedule_time == known.last_schedule_time
        && status.last_successful_time == known.last_successful_time
}

/// Returns the status as a merge patch.
fn status_patch(status: &CronJobStatus) -> Value {
    json!({
        "active": status.active,
        "lastScheduleTime": status.last_schedule_time,
        "lastSuccessfulTime": status.last_successful_time,
    })
}
