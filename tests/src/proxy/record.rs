//! The requests that a proxy recorded: every bind and every Lease write, with times, and the number of lists by kind.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use serde_json::Value;
use tokio::sync::watch;

use super::request::RequestInfo;

/// Requests in the order in which they arrived.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Requests to bind a pod.
    pub binds: Vec<Bind>,
    /// Requests to create or update a Lease.
    pub leases: Vec<LeaseWrite>,
    /// The number of list requests by kind, a plural such as `pods`. Each page counts.
    pub lists: BTreeMap<String, usize>,
}

/// A request to bind a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    /// The pod's name.
    pub pod: String,
    /// The pod's uid in the request.
    pub uid: String,
    /// The node's name.
    pub node: String,
    /// When the complete request had arrived.
    pub arrived: Instant,
    /// The end of the request; `None` while it is in progress.
    pub end: Option<End>,
}

/// A request to create or update a Lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseWrite {
    /// `spec.holderIdentity`; empty if the request releases the Lease.
    pub holder: String,
    /// `spec.leaseDurationSeconds`.
    pub duration: Duration,
    /// When the complete request had arrived.
    pub arrived: Instant,
    /// The end of the request; `None` while it is in progress.
    pub end: Option<End>,
}

/// The end of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The time of the end.
    pub at: Instant,
    /// The status of the API server's answer, whether or not the caller got it; `None` if there was no answer
    /// before the caller disconnected.
    pub answer: Option<StatusCode>,
}

impl Bind {
    /// Returns whether the API server has bound the pod.
    pub fn is_done(&self) -> bool {
        is_success(self.end)
    }

    /// Returns whether the request is still in progress.
    pub fn is_open(&self) -> bool {
        self.end.is_none()
    }
}

impl LeaseWrite {
    /// Returns whether the API server has accepted the write.
    pub fn is_done(&self) -> bool {
        is_success(self.end)
    }
}

fn is_success(end: Option<End>) -> bool {
    end.and_then(|end| end.answer).is_some_and(|answer| answer.is_success())
}

/// A request that is being handled. Dropping the entry records the request's end, even if the caller disconnects.
pub(super) struct Entry<'a> {
    record: &'a watch::Sender<Record>,
    index: Option<RecordIndex>,
    answer: Option<StatusCode>,
}

#[derive(Clone, Copy)]
enum RecordIndex {
    Bind(usize),
    Lease(usize),
}

impl<'a> Entry<'a> {
    pub(super) fn begin(record: &'a watch::Sender<Record>, request: &RequestInfo, body: &[u8]) -> Self {
        let arrived = Instant::now();
        let mut index = None;
        record.send_if_modified(|record| {
            index = record.add(request, body, arrived);
            index.is_some() || request.is_list()
        });
        Self { record, index, answer: None }
    }

    pub(super) fn answered(&mut self, answer: StatusCode) {
        self.answer = Some(answer);
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        let Some(index) = self.index else { return };
        let end = Some(End { at: Instant::now(), answer: self.answer });
        self.record.send_modify(|record| match index {
            RecordIndex::Bind(at) => record.binds[at].end = end,
            RecordIndex::Lease(at) => record.leases[at].end = end,
        });
    }
}

impl Record {
    fn add(&mut self, request: &RequestInfo, body: &[u8], arrived: Instant) -> Option<RecordIndex> {
        if request.is_list() {
            *self.lists.entry(request.plural.clone()).or_default() += 1;
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if request.is_bind() {
            let binding: Value = serde_json::from_slice(body).unwrap_or_default();
            let (uid, node) = (text(&binding["metadata"]["uid"]), text(&binding["target"]["name"]));
            self.binds.push(Bind { pod: request.name.clone(), uid, node, arrived, end: None });
            return Some(RecordIndex::Bind(self.binds.len() - 1));
        }
        if request.is_lease_write() {
            let lease: Value = serde_json::from_slice(body).unwrap_or_default();
            let spec = &lease["spec"];
            let duration = Duration::from_secs(spec["leaseDurationSeconds"].as_u64().unwrap_or_default());
            self.leases.push(LeaseWrite { holder: text(&spec["holderIdentity"]), duration, arrived, end: None });
            return Some(RecordIndex::Lease(self.leases.len() - 1));
        }
        None
    }
}
