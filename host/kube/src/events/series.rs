//! Merges repeated events into one event with a count, as client-go's events API does. The second observation writes
//! the count. Later observations only increment the count here. The count is written again when the series ends, and
//! every 30 minutes, because the API server forgets an event after an hour.

use std::time::Duration;

use berth_core::action::PodEvent;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use jiff::Timestamp;

use super::record::{Record, Series};

/// A series without a new observation for this long has ended.
const FINISHED_AFTER: Duration = Duration::from_secs(6 * 60);
/// The interval at which the count of a running series is written. The API server forgets events after an hour.
const REFRESHED_AFTER: Duration = Duration::from_secs(30 * 60);
/// The largest number of events that are tracked for repetition. When the table is full, each observation of an
/// untracked event is written as a new event.
const CAPACITY: usize = 32_768;

/// The number of Warning events between two searches of a full table.
const SEARCH_INTERVAL: usize = CAPACITY / 8;

/// Recent events that may be observed again.
#[derive(Debug, Default)]
pub(super) struct SeriesCache {
    observed: HashMap<Box<str>, Observed>,
    /// The number of Warning events, observed while the table is full, until the table is searched again for entries to
    /// evict. The cost of a search grows with the table.
    until_search: usize,
    /// The number of searches so far.
    searches: usize,
}

#[derive(Debug)]
struct Observed {
    record: Record,
    /// The count that was last queued for writing, and the time when it was queued.
    written: (i32, Timestamp),
}

impl SeriesCache {
    /// Records an observation of an event. Returns the record to write, or `None` if the observation only increments a
    /// count.
    pub(super) fn observe(&mut self, event: PodEvent, resource_version: Box<str>, now: Timestamp) -> Option<Record> {
        if event.kind != "Warning" {
            // A Normal event does not repeat: a pod is bound or preempted once.
            return Some(Record::new(event, resource_version, now));
        }
        let full = !self.has_room();
        match self.observed.entry(key(&event, &resource_version)) {
            Entry::Occupied(mut entry) => entry.get_mut().repeat(now),
            Entry::Vacant(_) if full => Some(Record::new(event, resource_version, now)),
            Entry::Vacant(entry) => {
                let record = Record::new(event, resource_version, now);
                entry.insert(Observed { record: record.clone(), written: (1, now) });
                Some(record)
            }
        }
    }

    /// Returns whether another event can be tracked. When the table is full, evicts the events that did not repeat,
    /// at most once every `SEARCH_INTERVAL` Warning events.
    fn has_room(&mut self) -> bool {
        if self.observed.len() >= CAPACITY {
            if self.until_search == 0 {
                self.observed.retain(|_, observed| observed.record.series.is_some());
                (self.until_search, self.searches) = (SEARCH_INTERVAL, self.searches + 1);
            }
            self.until_search -= 1;
        }
        self.observed.len() < CAPACITY
    }

    /// Removes ended series. Returns the records with an unwritten count whose series has ended or was last written
    /// [`REFRESHED_AFTER`] ago.
    pub(super) fn review(&mut self, now: Timestamp) -> Vec<Record> {
        let since = |then: Timestamp| now.duration_since(then).unsigned_abs();
        let mut due = Vec::new();
        self.observed.retain(|_, observed| {
            let (count, last) = observed.state();
            let finished = since(last) >= FINISHED_AFTER;
            if observed.written.0 < count && (finished || since(observed.written.1) >= REFRESHED_AFTER) {
                observed.written = (count, now);
                due.push(observed.record.clone());
            }
            !finished
        });
        due
    }

    /// Removes all series. Returns the records with an unwritten count.
    pub(super) fn finish(&mut self) -> Vec<Record> {
        let all = self.observed.drain().map(|(_, observed)| observed);
        all.filter(|observed| observed.written.0 < observed.state().0).map(|observed| observed.record).collect()
    }
}

impl Observed {
    fn state(&self) -> (i32, Timestamp) {
        self.record.series.map_or((1, self.record.time), |series| (series.count, series.last_observed_time))
    }

    fn repeat(&mut self, now: Timestamp) -> Option<Record> {
        let (count, _) = self.state();
        let series = Series { count: count.saturating_add(1), last_observed_time: now };
        let is_second = self.record.series.replace(series).is_none();
        is_second.then(|| {
            self.written = (series.count, now);
            self.record.clone()
        })
    }
}

/// Returns the identity of an event. Two events with the same key are repetitions.
fn key(event: &PodEvent, resource_version: &str) -> Box<str> {
    let PodEvent { pod, scheduler_name, kind, reason, action, note } = event;
    format!("{}\0{resource_version}\0{scheduler_name}\0{kind}\0{reason}\0{action}\0{note}", pod.uid).into()
}

#[cfg(test)]
mod tests {
    use berth_core::model::PodKey;

    use super::*;

    fn event(kind: &'static str, note: &str) -> PodEvent {
        PodEvent {
            pod: PodKey { namespace: "ns".into(), name: "web-0".into(), uid: "u-1".into() },
            scheduler_name: "berth".into(),
            kind,
            reason: "FailedScheduling",
            action: "Scheduling",
            note: note.into(),
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).expect("a time")
    }

    struct Clock(SeriesCache);

    impl Clock {
        /// Observes a failure at this second. Returns the count that is written: 1 for a new event.
        fn failure(&mut self, note: &str, second: i64) -> Option<i32> {
            let record = self.0.observe(event("Warning", note), "7".into(), at(second))?;
            Some(record.series.map_or(1, |series| series.count))
        }

        /// Reviews the series at this second. Returns the counts that are written.
        fn review(&mut self, second: i64) -> Vec<i32> {
            self.0.review(at(second)).iter().filter_map(|record| Some(record.series?.count)).collect()
        }
    }

    #[test]
    fn the_second_event_writes_a_count_and_later_ones_only_increment_it() {
        let mut clock = Clock(SeriesCache::default());
        let written: Vec<_> = (0..5).map(|n| clock.failure("full", n)).collect();
        assert_eq!(written, [Some(1), Some(2), None, None, None]);
        assert_eq!(clock.failure("tainted", 5), Some(1), "another note is another event");
    }

    #[test]
    fn a_count_is_written_when_the_series_pauses() {
        let mut clock = Clock(SeriesCache::default());
        for second in [0, 1, 2] {
            clock.failure("full", second);
        }
        assert!(clock.review(300).is_empty());
        assert_eq!(clock.review(2 + 360), [3]);
        assert_eq!(clock.failure("full", 363), Some(1), "the series had ended");
    }

    #[test]
    fn a_running_series_is_written_before_the_api_server_forgets_it() {
        let mut clock = Clock(SeriesCache::default());
        let mut written = Vec::new();
        for minute in 0..65 {
            clock.failure("full", minute * 60);
            written.extend(clock.review(minute * 60 + 1));
        }
        assert_eq!(written, [32, 62]);
    }

    #[test]
    fn unwritten_counts_are_written_at_the_end() {
        let mut clock = Clock(SeriesCache::default());
        for second in [0, 1, 2] {
            clock.failure("full", second);
        }
        clock.failure("once", 3);
        clock.failure("twice", 3);
        clock.failure("twice", 4);
        let counts: Vec<_> = clock.0.finish().iter().filter_map(|record| Some(record.series?.count)).collect();
        assert_eq!(counts, [3]);
    }

    #[test]
    fn memory_is_bounded() {
        let mut cache = SeriesCache::default();
        for n in 0..100_000 {
            assert!(cache.observe(event("Warning", &n.to_string()), "7".into(), at(n / 1000)).is_some());
        }
        assert!(cache.observed.len() <= CAPACITY);
        assert!(cache.observe(event("Normal", "assigned"), "7".into(), at(0)).is_some());
        assert!(cache.observe(event("Normal", "assigned"), "7".into(), at(0)).is_some());
    }

    #[test]
    fn a_full_table_is_searched_at_intervals() {
        let mut cache = SeriesCache::default();
        let mut observe = |note: usize| cache.observe(event("Warning", &note.to_string()), "7".into(), at(0)).is_some();
        // Each event repeats, so it is a series, which is never evicted.
        for note in 0..CAPACITY {
            observe(note);
            observe(note);
        }
        for note in 0..10_000 {
            assert!(observe(CAPACITY + note), "an event of its own");
        }
        assert!(cache.searches <= 1 + 30_000 / SEARCH_INTERVAL, "{} searches", cache.searches);
    }
}
