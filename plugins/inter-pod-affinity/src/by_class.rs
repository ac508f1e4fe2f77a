//! Answers by classes of nodes. Two nodes belong to the same class if, for each topology key, they are in the same
//! domain or, for a key with many domains (such as the hostname), in domains with the same sums.

use berth_guest::Verdicts;
use berth_guest::classes::{ChangedClasses, ClassFilter, ClassScores, Classified, Known, Passed, Touched};
use berth_guest::prelude::*;
use berth_guest::topology::{Topologies, Topology};

use crate::PreparedPod;
use crate::args::Args;
use crate::cluster::Cluster;
use crate::filtering::{has_nothing_to_do, is_first, rejections};
use crate::scoring::{ignores_existing_pods, normalize};
use crate::tally::{Key, Sums, Tally};
use crate::terms::Term;

pub fn classify(known: &Known, pod: &PreparedPod, args: &Args, cluster: &Cluster) -> Option<Classified> {
    // Without classes, the host calls pre-filter and pre-score, which report the invalid term.
    if pod.incoming.terms.error().is_some() {
        return None;
    }
    pod.read(args, cluster, |tally| {
        let filters = !has_nothing_to_do(pod, tally);
        let scores = !ignores_existing_pods(pod, args) && tally.scored > 0;
        if !filters && !scores {
            return Some(Classified { filter: ClassFilter::Skip, scores, changed: ChangedClasses::nothing() });
        }
        if !follow(tally, &cluster.topologies()) {
            return None;
        }
        let filter = if filters { ClassFilter::Verdicts(verdicts(pod, tally, cluster)) } else { ClassFilter::Skip };
        Some(Classified { filter, scores, changed: tally.classes.changed(known) })
    })
}

/// Updates the classes. Returns false if there are too many classes.
fn follow(tally: &mut Tally, topologies: &Topologies) -> bool {
    let Tally { sums, classes, touched, .. } = tally;
    let few = classes.follow(touched.take(), topologies.node_bound(), |node| {
        let part = |sums: &Sums| sums.part(node, topologies.of(sums.key));
        topologies.contains(node).then(|| sums.iter().map(part).collect())
    });
    if !few {
        // The next call computes all classes again.
        *touched = Touched::All;
    }
    few
}

/// The sums of one topology key for the nodes of a class. The affinity fields are true if the sum is positive.
#[derive(Clone, Copy, Default)]
struct DomainSums {
    /// True if the nodes have the topology label.
    labelled: bool,
    affinity: bool,
    anti_affinity: bool,
    existing_anti_affinity: bool,
    score: i64,
}

fn verdicts(pod: &PreparedPod, tally: &Tally, cluster: &Cluster) -> Verdicts {
    let topologies = cluster.topologies();
    let place = |term: &Term| tally.sums.iter().position(|sums| topologies.of(sums.key).key() == term.key);
    let affinity: Vec<usize> = pod.incoming.terms.affinity.iter().filter_map(place).collect();
    let first = is_first(&pod.incoming, tally, cluster);
    let mut verdicts = Verdicts::new(tally.classes.iter().len(), rejections());
    for key in tally.classes.iter() {
        let domain_sums: Vec<DomainSums> = tally.domain_sums(key).collect();
        let matches_affinity =
            |at: &usize| domain_sums.get(*at).is_some_and(|of| of.labelled && (first || of.affinity));
        match () {
            () if !affinity.iter().all(matches_affinity) => verdicts.rejected(0),
            () if domain_sums.iter().any(|of| of.anti_affinity) => verdicts.rejected(1),
            () if domain_sums.iter().any(|of| of.existing_anti_affinity) => verdicts.rejected(2),
            () => verdicts.fits(),
        }
    }
    verdicts
}

pub fn score_classes(passed: &Passed, pod: &PreparedPod, args: &Args, cluster: &Cluster) -> ClassScores {
    pod.read(args, cluster, |tally| {
        let score = |(class, _)| tally.domain_sums(tally.classes.get(class)).map(|of| of.score).sum();
        let raw: Vec<i64> = passed.iter().map(score).collect();
        let mut normalized = raw.clone();
        normalize(&mut normalized);
        ClassScores { raw, normalized }
    })
}

impl Tally {
    /// Returns the sums for each topology key of the class with this key; nothing for an unknown class.
    fn domain_sums(&self, key: Option<&Key>) -> impl Iterator<Item = DomainSums> {
        let parts = key.map(|key| &**key).unwrap_or_default();
        self.sums.iter().zip(parts).map(|(sums, part)| sums.domain_sums(*part))
    }
}

const AFFINITY_BIT: i64 = 1;
const ANTI_AFFINITY_BIT: i64 = 2;
const EXISTING_BIT: i64 = 4;
const LABELLED_BIT: i64 = 8;
/// The number of flag bits below the score in a part of a class key.
const BITS: u32 = 4;

impl Sums {
    /// Returns the part of the node's class key for this topology key: 0 for a node without the label, otherwise the
    /// domain's index plus one (if `by_domain` is true) or the encoded sums of the domain.
    fn part(&self, node: node::Id, topology: &Topology) -> i64 {
        match topology.domain(node) {
            None => 0,
            Some(domain) if self.by_domain => 1 + domain as i64,
            Some(domain) => {
                let DomainSums { affinity, anti_affinity, existing_anti_affinity, score, .. } = self.in_domain(domain);
                let bit = |bit, is: bool| if is { bit } else { 0 };
                score << BITS
                    | LABELLED_BIT
                    | bit(AFFINITY_BIT, affinity)
                    | bit(ANTI_AFFINITY_BIT, anti_affinity)
                    | bit(EXISTING_BIT, existing_anti_affinity)
            }
        }
    }

    /// Returns the sums for nodes with this part of the class key.
    fn domain_sums(&self, part: i64) -> DomainSums {
        if part == 0 {
            return DomainSums::default();
        }
        if self.by_domain {
            return self.in_domain((part - 1) as usize);
        }
        let has = |bit| part & bit != 0;
        DomainSums {
            labelled: true,
            affinity: has(AFFINITY_BIT),
            anti_affinity: has(ANTI_AFFINITY_BIT),
            existing_anti_affinity: has(EXISTING_BIT),
            score: part >> BITS,
        }
    }

    fn in_domain(&self, domain: usize) -> DomainSums {
        let sum = |sums: &[i64]| sums.get(domain).copied().unwrap_or(0);
        let any = |sums: &[i64]| sum(sums) > 0;
        DomainSums {
            labelled: true,
            affinity: any(&self.affinity),
            anti_affinity: any(&self.anti_affinity),
            existing_anti_affinity: any(&self.existing_anti_affinity),
            score: sum(&self.score),
        }
    }
}
