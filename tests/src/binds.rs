//! Checks that the binds of several schedulers keep Berth's guarantees. The checks use only what proxies recorded,
//! and nothing that a scheduler reports.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::proxy::{Bind, Record};

/// Returns the binds that arrived while their sender did not hold the Lease, judged by the Lease writes that the
/// API server accepted from that sender. A scheduler counts the Lease's duration from the time at which it sent a
/// write, so for the scheduler the Lease ends earlier.
#[must_use]
pub fn late_binds(record: &Record) -> Vec<&Bind> {
    record.binds.iter().filter(|bind| lease_end(record, bind.arrived).is_none_or(|end| bind.arrived > end)).collect()
}

/// Returns the end of the Lease that the scheduler held last before `at`, or `None` if it held none.
fn lease_end(record: &Record, at: Instant) -> Option<Instant> {
    let mut taken = record.leases.iter().filter(|write| write.is_done() && !write.holder.is_empty());
    let last = taken.rfind(|write| write.arrived <= at)?;
    Some(last.arrived + last.duration)
}

/// Checks the binds of schedulers, each behind a proxy of its own: no scheduler binds before it first held the
/// Lease, no pod is bound twice, and every pod is on the node that it was bound to. `nodes` has the nodes of all
/// pods, by uid. Returns the number of late binds.
///
/// # Errors
/// Returns an error that names each violation.
pub fn check(records: &[Record], nodes: &HashMap<String, String>) -> Result<usize> {
    let violations = violations(records, nodes);
    ensure!(violations.is_empty(), "{}", violations.join("; "));
    Ok(records.iter().map(|record| late_binds(record).len()).sum())
}

fn violations(records: &[Record], nodes: &HashMap<String, String>) -> Vec<String> {
    let mut violations = Vec::new();
    let mut done = BTreeMap::<&str, Vec<&Bind>>::new();
    for (scheduler, record) in records.iter().enumerate() {
        for bind in &record.binds {
            if lease_end(record, bind.arrived).is_none() {
                violations
                    .push(format!("scheduler {scheduler} sent a bind of pod {} before it held the Lease", bind.pod));
            }
            if bind.is_done() {
                done.entry(&bind.uid).or_default().push(bind);
            }
        }
    }
    for (uid, binds) in done {
        let Bind { pod, node, .. } = binds[0];
        if binds.len() > 1 {
            let to: Vec<&str> = binds.iter().map(|bind| bind.node.as_str()).collect();
            violations.push(format!("pod {pod} was bound {} times, to the nodes {to:?}", binds.len()));
        }
        if let Some(on) = nodes.get(uid).filter(|on| *on != node) {
            violations.push(format!("pod {pod} was bound to node {node}, but is on node {on}"));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::http::StatusCode;

    use super::*;
    use crate::proxy::{End, LeaseWrite};

    const SECOND: Duration = Duration::from_secs(1);

    fn end(at: Instant, answer: StatusCode) -> Option<End> {
        Some(End { at, answer: Some(answer) })
    }

    fn bind(uid: &str, node: &str, arrived: Instant, answer: StatusCode) -> Bind {
        Bind { pod: uid.into(), uid: uid.into(), node: node.into(), arrived, end: end(arrived, answer) }
    }

    /// Returns the record of a scheduler that wrote a Lease of 2 s at these times.
    fn scheduler(renewed: &[Instant], binds: Vec<Bind>) -> Record {
        let write =
            |&at| LeaseWrite { holder: "a".into(), duration: 2 * SECOND, arrived: at, end: end(at, StatusCode::OK) };
        Record { binds, leases: renewed.iter().map(write).collect(), lists: BTreeMap::new() }
    }

    fn on(node: &str) -> HashMap<String, String> {
        HashMap::from([("u".to_owned(), node.to_owned())])
    }

    #[test]
    fn a_valid_history_has_no_violations() {
        let t = Instant::now();
        let refused = bind("u", "n", t + SECOND, StatusCode::CONFLICT);
        let bound = bind("u", "m", t + 4 * SECOND, StatusCode::CREATED);
        let history = [scheduler(&[t], vec![refused]), scheduler(&[t + 3 * SECOND], vec![bound])];
        assert_eq!(check(&history, &on("m")).ok(), Some(0));
    }

    #[test]
    fn a_second_bind_of_a_pod_is_a_violation() {
        let t = Instant::now();
        let bound = |at| bind("u", "n", at, StatusCode::CREATED);
        let history = [scheduler(&[t], vec![bound(t)]), scheduler(&[t], vec![bound(t + SECOND)])];
        assert_eq!(violations(&history, &on("n")), [r#"pod u was bound 2 times, to the nodes ["n", "n"]"#]);
        let one = [scheduler(&[t], vec![bound(t), bound(t + SECOND)])];
        assert_eq!(violations(&one, &on("n")).len(), 1);
    }

    #[test]
    fn a_pod_on_another_node_than_its_bind_is_a_violation() {
        let t = Instant::now();
        let history = [scheduler(&[t], vec![bind("u", "n", t, StatusCode::CREATED)])];
        assert_eq!(violations(&history, &on("m")), ["pod u was bound to node n, but is on node m"]);
    }

    #[test]
    fn a_bind_before_the_lease_is_a_violation() {
        let t = Instant::now();
        let early = bind("u", "n", t, StatusCode::CREATED);
        let history = [scheduler(&[t + SECOND], vec![early])];
        assert_eq!(violations(&history, &on("n")), ["scheduler 0 sent a bind of pod u before it held the Lease"]);
        let mut refused = scheduler(&[t], vec![bind("u", "n", t + SECOND, StatusCode::CREATED)]);
        refused.leases[0].end = end(t, StatusCode::CONFLICT);
        assert_eq!(violations(&[refused], &on("n")).len(), 1);
    }

    #[test]
    fn binds_after_the_lease_are_counted() {
        let t = Instant::now();
        let bound = |at| bind("u", "n", at, StatusCode::CONFLICT);
        let binds = vec![bound(t + SECOND), bound(t + 3 * SECOND), bound(t + 6 * SECOND)];
        let record = scheduler(&[t, t + 2 * SECOND], binds);
        assert_eq!(late_binds(&record).len(), 1, "only the bind 4 s after the last renewal is late");
    }
}
