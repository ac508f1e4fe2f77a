//! PrioritySort: orders pods by descending priority, then by the start of their wait.
//!
//! Reads `spec.priority`, as kube-scheduler v1.36 does.

use berth_guest::Queued;
use berth_guest::prelude::*;

fn queue_sort(times: Queued, pod: &pod::Priority) -> [i64; 2] {
    [-i64::from(pod.value), times.queued]
}

berth_guest::plugin!(name: "PrioritySort", queue_sort: queue_sort);

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, pod};

    use super::*;

    #[test]
    fn by_priority_then_by_time() {
        let mut host = Host::<Plugin>::new();
        let in_order = [(i32::MAX, 9), (1, 5), (1, 6), (0, 1), (i32::MIN, 0)];
        let mut key = |(priority, queued)| host.sort_key(&pod().priority(priority), Queued { first_queued: 0, queued });
        let keys: Vec<Vec<i64>> = in_order.into_iter().map(&mut key).collect();
        assert!(keys.is_sorted(), "{keys:?}");
    }
}
