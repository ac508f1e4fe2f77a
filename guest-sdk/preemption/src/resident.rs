//! A pod on a node.

use std::cmp::Reverse;

use berth_guest::{node, pod};

/// A pod on a node.
#[derive(Debug)]
pub struct Resident {
    /// The pod's node.
    pub node: node::Id,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.labels`.
    pub labels: pod::Labels,
    /// `spec.priority`.
    pub priority: i32,
    /// `status.startTime`, in milliseconds since 1970; `None` if the pod has not started.
    pub started: Option<i64>,
}

impl Resident {
    /// Returns the pod's start time in milliseconds since 1970, or `now` if the pod has not started.
    pub fn started(&self, now: i64) -> i64 {
        self.started.unwrap_or(now)
    }

    /// Returns a key that sorts pods in descending order of importance: by priority, then by start time.
    pub fn importance(&self, now: i64) -> (Reverse<i32>, i64) {
        (Reverse(self.priority), self.started(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_are_sorted_by_priority_and_start_time() {
        let pod = |priority, started| Resident {
            node: node::Id(0),
            name: String::new(),
            namespace: String::new(),
            labels: pod::Labels::default(),
            priority,
            started,
        };
        let in_order = [pod(2, None), pod(1, Some(10)), pod(1, Some(20)), pod(1, None), pod(-1, Some(1))];
        let keys: Vec<_> = in_order.iter().map(|pod| pod.importance(30)).collect();
        assert!(keys.is_sorted_by(|before, after| before < after), "{keys:?}");
    }
}
