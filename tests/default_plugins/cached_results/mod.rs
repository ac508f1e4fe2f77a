//! Cached results compared with fresh answers: the default components, in clusters of 500 to 5,000 nodes that are
//! all different. Nodes, pods and objects are added, changed and removed. Every cycle asks the components again and
//! compares. No difference is allowed.
//!
//! `CAMPAIGN_SECONDS` sets the minimum duration. `CAMPAIGN_SEED` repeats a run.

mod cluster;

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result};

use self::cluster::{Cluster, Counts};

/// The number of nodes of each cluster, and the number of changes.
const CLUSTERS: [(usize, usize); 3] = [(500, 3_000), (1_500, 1_500), (5_000, 500)];

/// The minimum share of pods that must be scheduled, in percent. Some pods must find no node, so that preemption is
/// compared as well.
const LEAST_PLACED: usize = 50;

#[test]
fn cached_results_equal_fresh_answers() {
    let first = number("CAMPAIGN_SEED").unwrap_or_else(now);
    let seconds = Duration::from_secs(number("CAMPAIGN_SECONDS").unwrap_or(0));
    let began = Instant::now();
    for seed in first.. {
        let mut counts = Counts::default();
        for (nodes, changes) in CLUSTERS {
            println!("cached results: CAMPAIGN_SEED={seed}: {nodes} nodes, {changes} changes");
            if let Err(error) = run(seed, nodes, changes, &mut counts) {
                panic!("CAMPAIGN_SEED={seed}: {nodes} nodes: {error:#}");
            }
        }
        let Counts { tried, scheduled, evicted } = counts;
        let said = format!("CAMPAIGN_SEED={seed}: {scheduled} of {tried} pods were scheduled, {evicted} were evicted");
        assert!(100 * scheduled >= LEAST_PLACED * tried && scheduled < tried && evicted > 0, "{said}");
        if began.elapsed() >= seconds {
            break;
        }
    }
}

fn run(seed: u64, nodes: usize, changes: usize, counts: &mut Counts) -> Result<()> {
    let mut cluster = Cluster::start(seed, nodes)?;
    let mut happened = BTreeMap::new();
    for nth in 0..changes {
        let change = cluster.change(counts).with_context(|| format!("change {nth}"))?;
        *happened.entry(change).or_insert(0_usize) += 1;
        cluster.check().with_context(|| format!("change {nth}, {change:?}"))?;
    }
    println!("cached results: {nodes} nodes: {happened:?}, {counts:?}");
    Ok(())
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is {text:?}, not a number")))
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
