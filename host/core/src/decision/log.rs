//! The bounded log of decision records.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;

use super::Decision;
use super::shared_details::SharedDetails;
use super::stored::{EndedAttempt, Stored, uid_tail};
use crate::queue::Incoming;
use crate::time::Timestamp;

/// Bounds of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionOptions {
    /// The approximate size limit of all records in bytes. 0: nothing is recorded.
    pub bytes: usize,
    /// The longest time for which a record is kept.
    pub age: Duration,
}

impl Default for DecisionOptions {
    fn default() -> Self {
        Self { bytes: 32 << 20, age: Duration::from_secs(6 * 3600) }
    }
}

/// The decision records, bounded in bytes and in age. If the limit is reached, the oldest record of the namespace with
/// the most bytes is dropped, so that one namespace can't push out the records of the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct DecisionLog {
    options: DecisionOptions,
    /// The namespaces. A namespace without records keeps its place for another namespace.
    namespaces: Vec<Namespace>,
    /// Indexes into `namespaces`, by name.
    by_name: HashMap<Arc<str>, usize>,
    /// Indexes into `namespaces` of those without records.
    free: Vec<usize>,
    /// The index of the namespace of the last record.
    last: usize,
    /// The index of the namespace from which records are dropped until it takes less than its share.
    largest: usize,
    details: SharedDetails,
    /// The text of a dropped record. Its memory is used for the next record.
    spare_text: String,
    /// The number of records that were ever added.
    added: u64,
    bytes: usize,
}

/// The records of one namespace, oldest first.
#[derive(Clone, Debug, Default)]
struct Namespace {
    name: Arc<str>,
    records: VecDeque<Stored>,
    /// The tails of the pods' uids, in the order of `records`. A search reads little memory.
    tails: VecDeque<u64>,
    bytes: usize,
}

/// The decision records as a reader sees them.
#[derive(Clone, Copy)]
pub struct Decisions<'a> {
    pub(crate) log: &'a DecisionLog,
    pub(crate) names: &'a Incoming,
}

impl<'a> Decisions<'a> {
    /// Returns whether decisions are recorded at all.
    #[must_use]
    pub fn is_enabled(self) -> bool {
        self.log.is_enabled()
    }

    /// Returns the records of the pod that are kept, the latest first.
    pub fn of_pod(self, namespace: &str, uid: &'a str) -> impl Iterator<Item = Decision> + use<'a> {
        let namespace = self.log.namespace(namespace);
        let tail = uid_tail(uid);
        let numbers = namespace.into_iter().flat_map(|namespace| namespace.tails.iter().enumerate().rev());
        let numbers = numbers.filter(move |(_, other)| **other == tail).map(|(at, _)| at);
        let records = numbers.filter_map(move |at| Some((namespace?, namespace?.records.get(at)?)));
        let of_pod = records.filter(move |(_, record)| record.uid() == uid);
        of_pod.map(move |(namespace, record)| record.decision(&namespace.name, self.names))
    }

    /// Returns the uid of the pod of this name that has the latest record.
    #[must_use]
    pub fn uid_of(self, namespace: &str, name: &str) -> Option<&'a str> {
        let mut records = self.log.namespace(namespace)?.records.iter().rev();
        records.find(|record| record.name() == name).map(Stored::uid)
    }

    /// Returns the records of a namespace, the latest first.
    pub fn in_namespace(self, namespace: &str) -> impl Iterator<Item = Decision> + use<'a> {
        let namespace = self.log.namespace(namespace);
        let records = namespace.into_iter().flat_map(|of| of.records.iter().rev().map(move |record| (of, record)));
        records.map(move |(of, record)| record.decision(&of.name, self.names))
    }

    /// Returns the number of records, and their approximate size in bytes.
    #[must_use]
    pub fn size(self) -> (usize, usize) {
        (self.log.len(), self.log.bytes)
    }
}

impl DecisionLog {
    /// Creates an empty log.
    pub fn new(options: DecisionOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Returns whether records are kept at all.
    pub fn is_enabled(&self) -> bool {
        self.options.bytes > 0
    }

    fn len(&self) -> usize {
        self.namespaces.iter().map(|namespace| namespace.records.len()).sum()
    }

    fn namespace(&self, name: &str) -> Option<&Namespace> {
        self.by_name.get(name).map(|at| &self.namespaces[*at])
    }

    /// Adds a record, and drops old records if the log takes more than its limits.
    pub fn add(&mut self, attempt: EndedAttempt<'_>) {
        let now = attempt.common.ended;
        let at = self.place_of(&attempt.key.namespace);
        let tail = uid_tail(&attempt.key.uid);
        let record = Stored::new(attempt, std::mem::take(&mut self.spare_text));
        let bytes = record.bytes();
        self.bytes += bytes;
        if let Some(details) = &record.details {
            self.bytes += self.details.hold(details);
        }
        let namespace = &mut self.namespaces[at];
        namespace.bytes += bytes;
        namespace.records.push_back(record);
        namespace.tails.push_back(tail);
        while self.bytes > self.options.bytes && self.drop_from_largest() {}
        self.added += 1;
        if self.added.is_multiple_of(256) {
            self.drop_older(now);
        }
    }

    /// Drops the records that are older than the limit.
    pub fn drop_older(&mut self, now: Timestamp) {
        let age = self.options.age;
        for at in 0..self.namespaces.len() {
            let is_old = |record: &Stored| now.since(record.ended()) > age;
            while self.namespaces[at].records.front().is_some_and(is_old) {
                self.drop_first(at);
            }
        }
    }

    /// Returns the index of the namespace, perhaps of a new one.
    fn place_of(&mut self, name: &str) -> usize {
        // Pods of one namespace often come one after the other.
        if self.namespaces.get(self.last).is_some_and(|last| *last.name == *name && !last.records.is_empty()) {
            return self.last;
        }
        self.last = self.by_name.get(name).copied().unwrap_or_else(|| {
            let at = self.free.pop().unwrap_or_else(|| {
                self.namespaces.push(Namespace::default());
                self.namespaces.len() - 1
            });
            let name: Arc<str> = name.into();
            self.namespaces[at].name = Arc::clone(&name);
            self.by_name.insert(name, at);
            at
        });
        self.last
    }

    /// Drops the oldest record of the namespace with the most bytes. Returns false if there is no record.
    fn drop_from_largest(&mut self) -> bool {
        // The share is below the average, so that the largest namespace is looked for rarely.
        let share = self.bytes / (2 * self.by_name.len().max(1));
        if self.namespaces.get(self.largest).is_none_or(|largest| largest.bytes < share || largest.bytes == 0) {
            let by_bytes = self.namespaces.iter().enumerate().max_by_key(|(_, namespace)| namespace.bytes);
            self.largest = by_bytes.map_or(0, |(at, _)| at);
        }
        self.drop_first(self.largest)
    }

    /// Drops the oldest record of the namespace with this index. Returns false if the namespace has no records.
    fn drop_first(&mut self, at: usize) -> bool {
        let Some(namespace) = self.namespaces.get_mut(at) else { return false };
        let Some(first) = namespace.records.front_mut() else { return false };
        let mut bytes = first.bytes();
        namespace.bytes -= bytes;
        if let Some(details) = &first.details {
            bytes += self.details.release(details);
        }
        self.bytes -= bytes;
        self.spare_text = first.take_text();
        namespace.records.pop_front();
        namespace.tails.pop_front();
        if namespace.records.is_empty() {
            let Namespace { name, .. } = std::mem::take(namespace);
            self.by_name.remove(&name);
            self.free.push(at);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::Details;
    use super::super::stored::Common;
    use super::*;
    use crate::attempt::Outcome;
    use crate::model::PodKey;
    use crate::queue::Cause;

    fn add(log: &mut DecisionLog, namespace: &str, pod: &str, attempt: u32, details: Option<&Arc<Details>>) {
        let uid = format!("uid-{namespace}-{pod}").into();
        let common = Common {
            attempt,
            cycle: 1,
            began: Timestamp(0),
            ended: Timestamp(0),
            outcome: Outcome::Scheduled,
            first_seen: Timestamp(0),
            moved_by: Cause::PodAdded,
            millis: [1, 2, 3, 4],
            score: Some(7),
            ties: 1,
            margin: None,
            was_nominated: false,
            bound_by_server: true,
        };
        log.add(EndedAttempt {
            key: &PodKey { namespace: namespace.into(), name: pod.into(), uid },
            node: "n1",
            common,
            policy: Arc::default(),
            details: details.cloned(),
            rare: None,
        });
    }

    fn read<R>(log: &DecisionLog, read: impl FnOnce(Decisions<'_>) -> R) -> R {
        read(Decisions { log, names: &Incoming::default() })
    }

    fn attempts(log: &DecisionLog, namespace: &str, pod: &str) -> Vec<u32> {
        let uid = format!("uid-{namespace}-{pod}");
        let names = Incoming::default();
        Decisions { log, names: &names }.of_pod(namespace, &uid).map(|decision| decision.attempt).collect()
    }

    fn in_namespace(log: &DecisionLog, namespace: &str) -> usize {
        read(log, |decisions| decisions.in_namespace(namespace).count())
    }

    #[test]
    fn the_attempts_of_a_pod_are_found_latest_first() {
        let mut log = DecisionLog::new(DecisionOptions::default());
        for attempt in 1..4 {
            add(&mut log, "a", "p", attempt, None);
            add(&mut log, "a", "q", attempt, None);
            add(&mut log, "b", "p", attempt + 10, None);
        }
        assert_eq!(attempts(&log, "a", "p"), [3, 2, 1]);
        assert_eq!(attempts(&log, "b", "p"), [13, 12, 11]);
        let names = Incoming::default();
        let decisions = Decisions { log: &log, names: &names };
        assert_eq!(decisions.uid_of("a", "q"), Some("uid-a-q"));
        assert_eq!(decisions.uid_of("c", "q"), None);
        let decision = decisions.of_pod("a", "uid-a-q").next().expect("a record");
        assert_eq!((&*decision.namespace, &*decision.name, &*decision.uid), ("a", "q", "uid-a-q"));
        let chosen = decision.chosen.expect("a node");
        assert_eq!(
            (&*chosen.node, chosen.score, chosen.bound_by),
            ("n1", Some(7), Some(super::super::Binder::ApiServer))
        );
        assert_eq!(decision.queue.gated_millis, 4);
        assert_eq!(&*decision.queue.moved_by, "UnschedulablePodAdd");
        assert_eq!(in_namespace(&log, "a"), 6);
    }

    #[test]
    fn a_busy_namespace_does_not_push_out_the_records_of_another() {
        let mut log = DecisionLog::new(DecisionOptions { bytes: 100_000, ..DecisionOptions::default() });
        (0..10).for_each(|n| add(&mut log, "quiet", &format!("p{n}"), 1, None));
        for n in 0..10_000 {
            add(&mut log, "busy", &format!("p{n}"), 1, None);
            assert!(log.bytes <= 100_000, "{} bytes", log.bytes);
        }
        assert_eq!(in_namespace(&log, "quiet"), 10);
        assert!(in_namespace(&log, "busy") > 100);
        assert!(attempts(&log, "busy", "p0").is_empty());
        assert_eq!(attempts(&log, "busy", "p9999"), [1]);
    }

    #[test]
    fn many_namespaces_share_the_log() {
        let mut log = DecisionLog::new(DecisionOptions { bytes: 100_000, ..DecisionOptions::default() });
        for n in 0..10_000 {
            add(&mut log, &format!("ns{}", n % 50), &format!("p{n}"), 1, None);
        }
        for n in 0..50 {
            assert!(in_namespace(&log, &format!("ns{n}")) >= 2, "namespace {n}");
        }
    }

    #[test]
    fn old_records_are_dropped_and_nothing_of_them_is_left() {
        let options = DecisionOptions { age: Duration::from_secs(1), ..DecisionOptions::default() };
        let mut log = DecisionLog::new(options);
        let details = Arc::new(Details { cycle: 7, ..Details::default() });
        (0..100).for_each(|n| add(&mut log, &format!("n{}", n % 7), &format!("p{n}"), 1, Some(&details)));
        log.drop_older(Timestamp(1000));
        assert_eq!(log.len(), 100, "a record of exactly this age stays");
        log.drop_older(Timestamp(1001));
        assert!(log.len() == 0 && log.by_name.is_empty() && log.details.is_empty());
        assert_eq!((log.bytes, log.free.len()), (0, 7));
    }

    #[test]
    fn shared_details_count_once() {
        let mut log = DecisionLog::new(DecisionOptions::default());
        let details = Arc::new(Details { cycle: 7, ..Details::default() });
        add(&mut log, "a", "p", 1, Some(&details));
        let one = log.bytes;
        add(&mut log, "a", "p", 2, Some(&details));
        assert_eq!(log.bytes, 2 * one - details.bytes());
    }
}
