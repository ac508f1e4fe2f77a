//! watch: streams the changes of a collection after a resource version.

use std::convert::Infallible;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::response::Response;
use berth_clock::Clock;
use futures::stream;
use serde_json::json;
use tokio::sync::watch as signal;

use super::list::selection;
use crate::failure::{Failure, Problems, Subject};
use crate::faults::WatchFault;
use crate::http::negotiate::View;
use crate::http::{Call, answer};
use crate::request::{Query, Target};
use crate::resource::Resource;
use crate::selectors::{FieldSelector, Selection};
use crate::state::State;
use crate::store::{Change, Object, Span, TooOld};
use crate::table;

/// The duration of a watch whose `timeoutSeconds` is absent or 0.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// The number of changes that are read from the history at once.
const BATCH: usize = 512;

/// The number of bytes of initial objects that are written at once.
const CHUNK: usize = 256 << 10;

/// Streams the changes that match the query.
///
/// # Errors
/// 400, 406, 410 for an injected fault, 422. A resource version that is too old or in the future gives an ERROR event
/// in the stream, as in kube-apiserver.
pub fn watch(state: &Arc<State>, target: Target, call: &Call) -> Result<Response, Failure> {
    let view = call.view()?;
    let mut selection = selection(&target.resource, &call.query)?;
    if let Some(name) = &target.name {
        selection.fields = FieldSelector::parse(&format!("metadata.name={name}"), &[], |label| Some(label))
            .map_err(Failure::bad_request)?;
    }
    let start = Start::read(&call.query)?;
    let timeout =
        call.query.number("timeoutSeconds")?.filter(|seconds| *seconds > 0).map_or(LONGEST, Duration::from_secs);
    match state.faults.take_watch(&target.resource.plural) {
        Some(WatchFault::Empty) => return Ok(answer::with_type(200, "application/json", Body::empty())),
        Some(WatchFault::GoneStatus) => return Err(Failure::expired("too old resource version: injected")),
        Some(fault) => return Ok(answer::with_type(200, "application/json", stream_of_fault(fault))),
        None => {}
    }
    let include = table::Include::read(&call.query)?;
    let clock = state.options.clock.clone();
    let start_time = clock.instant();
    let format = Format { resource: target.resource.clone(), view, include, clock };
    let mut watcher = Watcher {
        signal: target.resource.objects.subscribe(),
        faults: state.faults.listen(&target.resource.plural),
        stop: Box::pin(state.stopped()),
        format,
        namespace: Some(target.namespace).filter(|namespace| !namespace.is_empty()),
        selection,
        bookmarks: call.query.flag("allowWatchBookmarks"),
        bookmark_every: state.options.bookmark_every,
        next_bookmark: start_time + state.options.bookmark_every,
        deadline: start_time + timeout,
        initial: Vec::new().into_iter(),
        initial_end: false,
        seen: 0,
        reported: 0,
        ended: false,
    };
    if let Err(failure) = watcher.begin(start) {
        let mut out = Vec::new();
        write_error(&failure, &mut out);
        return Ok(answer::with_type(200, "application/json", Body::from(out)));
    }
    let frames = stream::unfold(watcher, |mut watcher| async move {
        let frame = watcher.next().await.filter(|bytes| !bytes.is_empty());
        frame.map(|bytes| (Ok::<_, Infallible>(Bytes::from(bytes)), watcher))
    });
    Ok(answer::with_type(200, "application/json", Body::from_stream(frames)))
}

/// The start of a watch.
enum Start {
    /// Sends the current objects as ADDED events first. The state must be at least as new as `version`. `end`
    /// requests a bookmark after the last object.
    Now { end: bool, version: u64 },
    /// Starts after a resource version; `u64::MAX` for the current one.
    After(u64),
}

impl Start {
    fn read(query: &Query) -> Result<Self, Failure> {
        let version = query.number("resourceVersion")?.unwrap_or_default();
        let mut problems = Problems::default();
        let rule = query.get("resourceVersionMatch");
        match query.get("sendInitialEvents") {
            Some(_) if rule != Some("NotOlderThan") => {
                problems.forbidden(
                    "resourceVersionMatch",
                    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
                );
            }
            None if rule.is_some() => {
                problems.forbidden(
                    "resourceVersionMatch",
                    "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
                );
            }
            _ => {}
        }
        if !problems.is_empty() {
            return Err(Failure::invalid(Subject { group: "meta.k8s.io", kind: "ListOptions", name: "" }, &problems));
        }
        Ok(match (query.get("sendInitialEvents").map(|_| query.flag("sendInitialEvents")), version) {
            (Some(true), version) => Self::Now { end: true, version },
            (Some(false), 0) => Self::After(u64::MAX),
            (None, 0) => Self::Now { end: false, version: 0 },
            (_, version) => Self::After(version),
        })
    }
}

/// The serialization of events.
struct Format {
    resource: Arc<Resource>,
    view: View,
    include: table::Include,
    clock: Arc<dyn Clock>,
}

impl Format {
    fn event(&self, kind: &str, object: &Object, rv: u64, out: &mut Vec<u8>) {
        // Writing to a Vec can't fail.
        let _ = write!(out, r#"{{"type":"{kind}","object":"#);
        match self.view {
            View::Objects => self.resource.write(object, rv, out),
            View::Table { .. } => {
                let shown = self.resource.served_at(object, rv);
                let table = table::of_one(&self.resource, &shown, rv, self.include, self.clock.timestamp());
                let _ = serde_json::to_writer(&mut *out, &table);
            }
            View::Metadata => {
                let shown = self.resource.served_at(object, rv);
                let _ = serde_json::to_writer(&mut *out, &answer::metadata_only(&shown));
            }
        }
        out.extend_from_slice(b"}\n");
    }

    fn bookmark(&self, rv: u64, initial_end: bool, out: &mut Vec<u8>) {
        let mut metadata = json!({"resourceVersion": rv.to_string(), "creationTimestamp": null});
        if initial_end {
            metadata["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        let object = match self.view {
            View::Metadata => answer::metadata_only(&json!({"metadata": metadata})),
            View::Objects | View::Table { .. } => {
                json!({"kind": self.resource.kind, "apiVersion": self.resource.api_version(), "metadata": metadata})
            }
        };
        let _ = writeln!(out, "{}", json!({"type": "BOOKMARK", "object": object}));
    }
}

fn write_error(failure: &Failure, out: &mut Vec<u8>) {
    let _ = writeln!(out, "{}", json!({"type": "ERROR", "object": failure.to_value()}));
}

/// An open watch. Each watch reads the collection's history at its own pace. A watch ends with 410 if the history has
/// dropped a change that the watch has not read.
struct Watcher {
    format: Format,
    namespace: Option<String>,
    selection: Selection,
    bookmarks: bool,
    bookmark_every: Duration,
    next_bookmark: Instant,
    deadline: Instant,
    signal: signal::Receiver<u64>,
    faults: signal::Receiver<(u64, Option<WatchFault>)>,
    stop: std::pin::Pin<Box<dyn Future<Output = ()> + Send>>,
    /// The initial objects that are not written yet.
    initial: std::vec::IntoIter<Arc<Object>>,
    /// True if a bookmark must follow the initial objects.
    initial_end: bool,
    /// The changes up to this resource version are written or skipped.
    seen: u64,
    /// The latest resource version that the client knows: the start of the watch, or the last event sent.
    reported: u64,
    ended: bool,
}

impl Watcher {
    /// Sets the start of the watch.
    ///
    /// # Errors
    /// For a resource version in the future: 504 if the client requests initial events, else 410. In the second case,
    /// kube-apiserver sends nothing until it reaches the version. Here, a version in the future comes from another
    /// server, so the client would wait forever. After a 504, the client would retry with the same version; after a
    /// 410, the client lists again.
    fn begin(&mut self, start: Start) -> Result<(), Failure> {
        let objects = &self.format.resource.objects;
        let current = objects.rv();
        let (Start::After(version) | Start::Now { version, .. }) = start;
        if version > current && version != u64::MAX {
            return Err(match start {
                Start::Now { .. } => Failure::too_large_resource_version(version, current),
                Start::After(_) => {
                    Failure::expired(format!("too large resource version: {version}, current: {current}"))
                }
            });
        }
        match start {
            Start::After(u64::MAX) => self.seen = current,
            Start::After(version) => self.seen = version,
            Start::Now { end, .. } => {
                let span = Span { namespace: self.namespace.clone(), ..Span::default() };
                // A snapshot of the current state cannot be too old.
                if let Ok(mut found) = objects.snapshot(&span, None) {
                    found.objects.retain(|object| self.selection.matches(object));
                    self.seen = found.rv;
                    self.initial = found.objects.into_iter();
                }
                self.initial_end = end && self.bookmarks;
            }
        }
        self.reported = self.seen;
        Ok(())
    }

    /// Returns events for the next initial objects, and the bookmark after the last object if one must follow.
    fn initially(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        while out.len() < CHUNK {
            match self.initial.next() {
                Some(object) => self.format.event("ADDED", &object, object.rv(), &mut out),
                None if std::mem::take(&mut self.initial_end) => self.format.bookmark(self.seen, true, &mut out),
                None => break,
            }
        }
        out
    }

    /// Waits for the next events. Returns `None` at the end of the watch.
    async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            if self.ended {
                return None;
            }
            let out = self.initially();
            if !out.is_empty() {
                return Some(out);
            }
            self.signal.mark_unchanged();
            // Read this flag before the changes, so that no change is missed.
            let last = self.format.resource.objects.has_ended();
            let out = self.pending();
            if !out.is_empty() {
                return Some(out);
            }
            if last {
                return None;
            }
            let bookmark_timer = self.format.clock.sleep_in_background_until(self.next_bookmark);
            let end_timer = self.format.clock.sleep_in_background_until(self.deadline);
            // In a fixed order, so that a simulation gives the same result again.
            tokio::select! {
                biased;
                () = &mut self.stop => self.ended = true,
                changed = self.signal.changed() => self.ended |= changed.is_err(),
                changed = self.faults.changed() => {
                    let fault = *self.faults.borrow_and_update();
                    if let (Ok(()), Some(fault)) = (changed, fault.1) {
                        self.ended = true;
                        return Some(fault_bytes(fault));
                    }
                }
                () = bookmark_timer, if self.bookmarks => {
                    self.next_bookmark = self.format.clock.instant() + self.bookmark_every;
                    if self.seen > self.reported {
                        return Some(self.bookmark());
                    }
                }
                () = end_timer => {
                    self.ended = true;
                    return (self.bookmarks && self.seen > self.reported).then(|| self.bookmark());
                }
            }
        }
    }

    /// Returns a bookmark for the current position.
    fn bookmark(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.format.bookmark(self.seen, false, &mut out);
        self.reported = self.seen;
        out
    }

    /// Returns the events for the changes since the last call.
    fn pending(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        loop {
            let (changes, known) = match self.format.resource.objects.changes_since(self.seen, BATCH) {
                Ok(found) => found,
                Err(old) => {
                    self.fail(&old, &mut out);
                    return out;
                }
            };
            for change in &changes {
                self.write_change(change, &mut out);
            }
            self.seen = self.seen.max(known);
            if changes.len() < BATCH || !out.is_empty() {
                return out;
            }
        }
    }

    /// Writes a change as the watch's selectors see it: an object that stops matching is DELETED, and an object that
    /// starts matching is ADDED.
    fn write_change(&mut self, change: &Change, out: &mut Vec<u8>) {
        let matched = |object: &Option<Arc<Object>>| object.clone().filter(|object| self.takes(object));
        let event = match (matched(&change.before), matched(&change.after)) {
            (None, Some(after)) => Some(("ADDED", after)),
            (Some(_), Some(after)) => Some(("MODIFIED", after)),
            (Some(before), None) => Some(("DELETED", before)),
            (None, None) => None,
        };
        if let Some((kind, object)) = event {
            self.format.event(kind, &object, change.rv, out);
            self.reported = change.rv;
        }
    }

    fn takes(&self, object: &Object) -> bool {
        self.namespace.as_deref().is_none_or(|namespace| object.namespace() == namespace)
            && self.selection.matches(object)
    }

    fn fail(&mut self, old: &TooOld, out: &mut Vec<u8>) {
        write_error(&Failure::expired(old.to_string()), out);
        self.ended = true;
    }
}

fn fault_bytes(fault: WatchFault) -> Vec<u8> {
    let mut out = Vec::new();
    match fault {
        WatchFault::CutMidLine => out.extend_from_slice(br#"{"type":"MODIFIED","object":{"kind":"#),
        WatchFault::Gone | WatchFault::GoneStatus => {
            write_error(&Failure::expired("too old resource version: injected"), &mut out)
        }
        WatchFault::End | WatchFault::Empty => {}
    }
    out
}

fn stream_of_fault(fault: WatchFault) -> Body {
    Body::from(fault_bytes(fault))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_line_does_not_parse() {
        let parse = |bytes: Vec<u8>| serde_json::from_slice::<serde_json::Value>(&bytes);
        assert!(parse(fault_bytes(WatchFault::CutMidLine)).is_err());
        assert_eq!(parse(fault_bytes(WatchFault::Gone)).unwrap()["object"]["code"], 410);
        assert!(fault_bytes(WatchFault::End).is_empty());
    }
}
