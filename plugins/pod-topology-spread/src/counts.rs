//! Counts of pods by domain, with fast access to the minimum.

use std::collections::BTreeMap;

/// The number of nodes that count in each domain, and the number of matching pods on these nodes. Domains are indexes.
#[derive(Debug, Default)]
pub struct Domains {
    domains: Vec<Domain>,
    /// The number of domains with a given number of pods, by that number. Only domains with nodes that count are
    /// included.
    by_pods: BTreeMap<u32, u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Domain {
    /// The number of nodes that count.
    nodes: u32,
    /// The number of pods on these nodes.
    pods: u32,
}

impl Domains {
    /// Resets to this number of domains, without nodes.
    pub fn clear(&mut self, domains: usize) {
        self.domains.clear();
        self.domains.resize(domains, Domain::default());
        self.by_pods.clear();
    }

    /// Adds a node that counts. Call this before pods are added.
    pub fn add_node(&mut self, domain: usize) {
        if let Some(known) = self.domains.get_mut(domain) {
            known.nodes += 1;
            if known.nodes == 1 {
                *self.by_pods.entry(0).or_default() += 1;
            }
        }
    }

    /// Adds `by` pods on nodes that count, or removes pods if `by` is negative.
    pub fn add_pods(&mut self, domain: usize, by: i32) {
        let Some(known) = self.domains.get_mut(domain) else { return };
        let before = known.pods;
        known.pods = before.wrapping_add_signed(by);
        *self.by_pods.entry(known.pods).or_default() += 1;
        if let Some(domains) = self.by_pods.get_mut(&before) {
            *domains -= 1;
            if *domains == 0 {
                self.by_pods.remove(&before);
            }
        }
    }

    /// Returns the approximate size in bytes.
    pub fn bytes(&self) -> usize {
        self.domains.capacity() * size_of::<Domain>()
    }

    /// Returns the number of pods in a domain.
    #[inline(always)]
    pub fn pods(&self, domain: usize) -> i64 {
        self.domains.get(domain).map_or(0, |domain| domain.pods.into())
    }

    /// Returns the smallest number of pods in a domain with nodes that count, or `None` if there is no such domain.
    pub fn min_pods(&self) -> Option<i64> {
        self.by_pods.first_key_value().map(|(pods, _)| i64::from(*pods))
    }

    /// Returns the number of domains with nodes that count.
    pub fn len(&self) -> i64 {
        self.by_pods.values().copied().map(i64::from).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_is_always_known() {
        let mut domains = Domains::default();
        domains.clear(3);
        assert_eq!((domains.min_pods(), domains.len()), (None, 0));
        domains.add_node(0);
        domains.add_node(0);
        domains.add_node(2);
        for (domain, by, min_pods) in [(0, 1, 0), (2, 1, 1), (2, 1, 1), (0, 1, 2), (2, -1, 1), (0, -1, 1), (0, -1, 0)] {
            domains.add_pods(domain, by);
            assert_eq!((domains.min_pods(), domains.len()), (Some(min_pods), 2));
        }
        assert_eq!((domains.pods(0), domains.pods(1), domains.pods(2)), (0, 0, 1));
    }
}
