//! Traces of SimKube, version 2: the changes of the tracked objects of a cluster, and how long their pods ran.
//!
//! A trace is a MessagePack map (`Trace` in `sk-core/src/trace/mod.rs`):
//! - `events`: for a time in seconds since 1970, `applied_objs` and `deleted_objs`;
//! - `pod_lifecycles`: for the kind and the name of an owner, the lifecycles of its pods by the hash of their spec. A pod
//!   without an owner is its own owner;
//! - `config`: for each tracked kind, the paths of pod templates in its objects.

use std::collections::BTreeMap;
use std::fmt;

use berth_core::Timestamp;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::{Value, json};

use super::history::History;
use super::time::At;
use super::{ImportError, Keep, RUN_SECONDS, Report};

/// The version of traces that this module reads.
const VERSION: u64 = 2;

/// The largest depth of a trace, as for JSON.
const MAX_DEPTH: usize = 128;

/// Reads the objects of a trace at a time, by default its end.
pub(crate) fn read(bytes: &[u8], at: Option<At>, report: &mut Report, keep: &mut Keep<'_>) -> Result<(), ImportError> {
    let mut history = History::new(at);
    let mut deserializer = rmp_serde::Deserializer::from_read_ref(bytes);
    deserializer.set_max_depth(MAX_DEPTH);
    let mut version = None;
    let seed = TraceSeed { history: &mut history, version: &mut version };
    let read = deserializer.deserialize_map(seed);
    if let Some(other) = version.filter(|version| *version != VERSION) {
        return Err(ImportError::TraceVersion(other));
    }
    let trace = read.map_err(ImportError::Trace)?;
    let Some(time) = history.time()? else { return Err(ImportError::Empty) };
    report
        .note(format!("The cluster is that of the trace at {time}. A trace has only the objects that SimKube tracks."));
    let seconds = i64::try_from(time.0 / 1000).unwrap_or(i64::MAX);
    history.finish(report, keep, |object, report| trace.annotate(object, seconds, report))
}

/// The parts of a trace other than the events.
#[derive(Default)]
struct Trace {
    config: Config,
    /// By the kind (`GROUP/VERSION.KIND`, or `VERSION.KIND`) and the `NAMESPACE/NAME` of the owner.
    lifecycles: BTreeMap<(String, String), BTreeMap<u64, Vec<Lifecycle>>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    tracked_objects: BTreeMap<String, Tracked>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Tracked {
    pod_spec_template_paths: Option<Vec<String>>,
}

/// When a pod ran, in seconds since 1970.
#[derive(Clone, Copy, Deserialize)]
enum Lifecycle {
    /// The pod has not started.
    Empty,
    /// The pod has started, and has not ended before the end of the trace.
    Running(#[expect(dead_code, reason = "only the end of a pod matters")] i64),
    /// The pod has started and ended.
    Finished(i64, i64),
}

#[derive(Deserialize)]
struct Event {
    ts: i64,
    applied_objs: Vec<Value>,
    deleted_objs: Vec<Value>,
}

impl Trace {
    /// Tells the simulated kubelets how long the pods of an object run. Returns false for a pod that has ended.
    fn annotate(&self, object: &mut Value, time: i64, report: &mut Report) -> bool {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (version, kind) = (text(&object["apiVersion"]), text(&object["kind"]));
        let metadata = &object["metadata"];
        let owner =
            (format!("{version}.{kind}"), format!("{}/{}", text(&metadata["namespace"]), text(&metadata["name"])));
        let Some(lifecycles) = self.lifecycles.get(&owner) else { return true };
        let finished = |lifecycle: &Lifecycle| match *lifecycle {
            Lifecycle::Finished(start, end) => Some((start, end)),
            Lifecycle::Empty | Lifecycle::Running(_) => None,
        };
        let mut runs: Vec<(i64, i64)> = lifecycles.values().flatten().filter_map(finished).collect();
        if kind == "Pod" {
            match runs.pop() {
                Some((_, end)) if end <= time => {
                    report.leave_out(object, "the pod had ended by then");
                    return false;
                }
                Some((start, end)) => run_for(object, end - start.max(time)),
                None => {}
            }
            return true;
        }
        let mut seconds: Vec<i64> = runs.iter().map(|(start, end)| end.saturating_sub(*start)).collect();
        seconds.sort_unstable();
        let Some(median) = seconds.get(seconds.len() / 2) else { return true };
        let mut set = false;
        for path in self.templates(&owner.0, &kind) {
            if let Some(template) = object.pointer_mut(&path).filter(|template| template["spec"].is_object()) {
                run_for(template, *median);
                set = true;
            }
        }
        if set {
            report.note(format!(
                "The pods of an owner whose pods have ended in the trace run for the median of their times ({RUN_SECONDS})."
            ));
        }
        true
    }

    /// Returns the paths of the pod templates in objects of a kind.
    fn templates(&self, owner: &str, kind: &str) -> Vec<String> {
        let tracked =
            self.config.tracked_objects.get(owner).and_then(|tracked| tracked.pod_spec_template_paths.clone());
        match kind {
            "CronJob" => vec!["/spec/jobTemplate/spec/template".to_owned()],
            "DaemonSet" | "Deployment" | "Job" | "ReplicaSet" | "StatefulSet" => vec!["/spec/template".to_owned()],
            _ => tracked.unwrap_or_default(),
        }
    }
}

/// Sets the seconds that a pod, or the pods of a template, run: at least one.
fn run_for(pod: &mut Value, seconds: i64) {
    if !pod["metadata"]["annotations"].is_object() {
        if !pod["metadata"].is_object() {
            pod["metadata"] = json!({});
        }
        pod["metadata"]["annotations"] = json!({});
    }
    pod["metadata"]["annotations"][RUN_SECONDS] = seconds.max(1).to_string().into();
}

/// Reads a trace, and applies its events to a history while it reads.
struct TraceSeed<'a> {
    history: &'a mut History,
    version: &'a mut Option<u64>,
}

impl<'de> Visitor<'de> for TraceSeed<'_> {
    type Value = Trace;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a trace of SimKube")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Trace, A::Error> {
        let mut trace = Trace::default();
        let mut has_events = false;
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "version" => {
                    let version = map.next_value()?;
                    *self.version = Some(version);
                    if version != VERSION {
                        return Err(A::Error::custom("another version"));
                    }
                }
                "config" => trace.config = map.next_value()?,
                "events" => {
                    map.next_value_seed(Events(self.history))?;
                    has_events = true;
                }
                "pod_lifecycles" => trace.lifecycles = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        match (self.version, has_events) {
            (None, _) => Err(A::Error::missing_field("version")),
            (_, false) => Err(A::Error::missing_field("events")),
            _ => Ok(trace),
        }
    }
}

/// Applies the events of a trace, one after the other.
struct Events<'a>(&'a mut History);

impl<'de> DeserializeSeed<'de> for Events<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Events<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<(), A::Error> {
        while let Some(event) = events.next_element::<Event>()? {
            let seconds = u64::try_from(event.ts).map_err(|_| A::Error::custom("an event is before 1970"))?;
            if !self.0.reaches(Timestamp(seconds.saturating_mul(1000))) {
                continue;
            }
            for object in &event.applied_objs {
                check(object)?;
                self.0.apply(object);
            }
            event.deleted_objs.iter().for_each(|object| self.0.delete(object));
        }
        Ok(())
    }
}

fn check<E: de::Error>(object: &Value) -> Result<(), E> {
    let is_typed = object["kind"].is_string() && object["apiVersion"].is_string();
    if is_typed { Ok(()) } else { Err(E::custom("an object has no kind and no apiVersion")) }
}
