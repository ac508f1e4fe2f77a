//! When which node's lease is renewed.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

/// A kubelet renews its lease this often.
const INTERVAL: Duration = Duration::from_secs(10);
/// First renewals are spread over the interval in this many steps.
const STEPS: u32 = 1024;

/// The renewals in the order of their times.
#[derive(Debug)]
pub struct Schedule {
    rate: u32,
    nodes: HashMap<String, Node>,
    /// Nodes whose lease hasn't been made yet.
    new: VecDeque<Turn>,
    /// By time; the number tells turns of one instant apart.
    turns: BTreeMap<(Instant, u64), Turn>,
    /// No renewal before this time, so that the rate is kept.
    earliest: Option<Instant>,
    counter: u64,
}

#[derive(Debug)]
struct Node {
    uid: String,
    /// The number under which the node came; turns of an earlier one of this name are void.
    number: u64,
}

#[derive(Debug)]
struct Turn {
    node: String,
    number: u64,
}

impl Schedule {
    /// A schedule of at most `rate` renewals a second.
    pub fn new(rate: u32) -> Self {
        Schedule {
            rate: rate.max(1),
            nodes: HashMap::new(),
            new: VecDeque::new(),
            turns: BTreeMap::new(),
            earliest: None,
            counter: 0,
        }
    }

    /// The time between two renewals of one lease.
    pub fn interval(&self) -> Duration {
        let nodes = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        INTERVAL.max(Duration::from_secs(u64::from(nodes / self.rate)))
    }

    /// A node is there: its lease is due at once.
    pub fn add(&mut self, node: String, uid: String) {
        self.counter += 1;
        let number = self.counter;
        self.nodes.insert(node.clone(), Node { uid, number });
        self.new.push_back(Turn { node, number });
    }

    /// A node is gone.
    pub fn remove(&mut self, node: &str) {
        self.nodes.remove(node);
    }

    /// The node whose lease is due, with its uid.
    pub fn next(&mut self, now: Instant) -> Option<(String, String)> {
        if self.earliest.is_some_and(|earliest| earliest > now) {
            return None;
        }
        loop {
            let (turn, wait) = if let Some(turn) = self.new.pop_front() {
                let wait = self.interval() * step(&turn.node) / STEPS;
                (turn, wait)
            } else if self.turns.first_key_value().is_some_and(|((due, _), _)| *due <= now) {
                (self.turns.pop_first()?.1, self.interval())
            } else {
                return None;
            };
            let Some(node) = self.nodes.get(&turn.node).filter(|node| node.number == turn.number) else { continue };
            let due = (turn.node.clone(), node.uid.clone());
            self.counter += 1;
            self.turns.insert((now + wait, self.counter), turn);
            self.earliest = Some(now + Duration::from_secs(1) / self.rate);
            return Some(due);
        }
    }

    /// When the next lease is due.
    pub fn due(&self) -> Option<Instant> {
        let turn = self.turns.first_key_value().map(|((due, _), _)| *due);
        match (self.new.is_empty(), self.earliest) {
            (false, earliest) => earliest.or(Some(Instant::now())),
            (true, earliest) => turn.map(|turn| earliest.map_or(turn, |earliest| turn.max(earliest))),
        }
    }
}

/// Which step of the interval a node's renewals fall on.
fn step(node: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    node.hash(&mut hasher);
    u32::try_from(hasher.finish() % u64::from(STEPS)).unwrap_or(0)
}
