//! Schedules the renewals of node leases.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

/// The minimum interval at which a kubelet renews the node's lease.
const INTERVAL: Duration = Duration::from_secs(10);
/// The number of steps into which the interval is divided to distribute the first renewals.
const STEPS: u32 = 1024;

/// The renewals, ordered by time.
#[derive(Debug)]
pub struct Schedule {
    rate: u32,
    nodes: HashMap<String, Node>,
    /// Added nodes whose first renewal has not started yet.
    new: VecDeque<Renewal>,
    /// Later renewals by time. The number distinguishes renewals at the same instant.
    renewals: BTreeMap<(Instant, u64), Renewal>,
    /// The earliest time of the next renewal, which enforces the rate.
    earliest: Option<Instant>,
    counter: u64,
}

#[derive(Debug)]
struct Node {
    uid: String,
    /// The number that the schedule gave the node when the node was added. A queued `Renewal` with another number is
    /// obsolete.
    number: u64,
}

#[derive(Debug)]
struct Renewal {
    node: String,
    number: u64,
}

impl Schedule {
    /// Returns a schedule with at most `rate` renewals per second.
    pub fn new(rate: u32) -> Self {
        Schedule {
            rate: rate.max(1),
            nodes: HashMap::new(),
            new: VecDeque::new(),
            renewals: BTreeMap::new(),
            earliest: None,
            counter: 0,
        }
    }

    /// Returns the time between two renewals of one lease. The first two renewals can be closer.
    pub fn interval(&self) -> Duration {
        let nodes = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        INTERVAL.max(Duration::from_secs(u64::from(nodes / self.rate)))
    }

    /// Adds a node. The node's lease is due immediately.
    pub fn add(&mut self, node: String, uid: String) {
        self.counter += 1;
        let number = self.counter;
        self.nodes.insert(node.clone(), Node { uid, number });
        self.new.push_back(Renewal { node, number });
    }

    /// Removes a node.
    pub fn remove(&mut self, node: &str) {
        self.nodes.remove(node);
    }

    /// Returns the name and the UID of the next node whose lease is due, and schedules the node's next renewal. Returns
    /// `None` if no lease is due or the rate does not allow a renewal now.
    pub fn next(&mut self, now: Instant) -> Option<(String, String)> {
        if self.earliest.is_some_and(|earliest| earliest > now) {
            return None;
        }
        loop {
            let (renewal, wait) = if let Some(renewal) = self.new.pop_front() {
                let wait = self.interval() * step(&renewal.node) / STEPS;
                (renewal, wait)
            } else if self.renewals.first_key_value().is_some_and(|((due, _), _)| *due <= now) {
                (self.renewals.pop_first()?.1, self.interval())
            } else {
                return None;
            };
            let Some(node) = self.nodes.get(&renewal.node).filter(|node| node.number == renewal.number) else {
                continue;
            };
            let due = (renewal.node.clone(), node.uid.clone());
            self.counter += 1;
            self.renewals.insert((now + wait, self.counter), renewal);
            self.earliest = Some(now + Duration::from_secs(1) / self.rate);
            return Some(due);
        }
    }

    /// Returns the time at which [`Schedule::next`] can return the next node. The time can be in the past. Returns
    /// `None` if there are no renewals.
    pub fn due(&self, now: Instant) -> Option<Instant> {
        let renewal = self.renewals.first_key_value().map(|((due, _), _)| *due);
        match (self.new.is_empty(), self.earliest) {
            (false, earliest) => earliest.or(Some(now)),
            (true, earliest) => renewal.map(|renewal| earliest.map_or(renewal, |earliest| renewal.max(earliest))),
        }
    }
}

/// Returns the step of the interval at which a node's second renewal starts, derived from the node's name.
fn step(node: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    node.hash(&mut hasher);
    u32::try_from(hasher.finish() % u64::from(STEPS)).unwrap_or(0)
}
