//! Amounts of resources, in integers.

use std::sync::Arc;

/// Amounts of resources: a container's requests, a node's allocatable, what a node's pods ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Resources {
    /// `cpu`, in millicores.
    pub milli_cpu: i64,
    /// `memory`, in bytes.
    pub memory: i64,
    /// `ephemeral-storage`, in bytes.
    pub ephemeral_storage: i64,
    /// `pods`: how many a node may run, or does run.
    pub pods: i64,
    /// All others by name, sorted: extended resources, hugepages, attachable volumes. Unit: the resource's own.
    pub scalars: Vec<(Arc<str>, i64)>,
}

impl Resources {
    /// The quantity of a scalar resource; 0 where it is not named.
    #[must_use]
    pub fn scalar(&self, name: &str) -> i64 {
        self.scalars.binary_search_by(|(n, _)| n.as_ref().cmp(name)).map_or(0, |at| self.scalars[at].1)
    }

    /// Sets a scalar resource.
    pub fn set_scalar(&mut self, name: &str, quantity: i64) {
        match self.scalars.binary_search_by(|(n, _)| n.as_ref().cmp(name)) {
            Ok(at) => self.scalars[at].1 = quantity,
            Err(at) => self.scalars.insert(at, (name.into(), quantity)),
        }
    }

    /// Adds every amount of `other`; saturates.
    pub fn add(&mut self, other: &Self) {
        self.combine(other, i64::saturating_add);
    }

    /// Takes away every amount of `other`; saturates. Names stay, at 0 where nothing is left.
    pub fn subtract(&mut self, other: &Self) {
        self.combine(other, i64::saturating_sub);
    }

    /// Raises every amount to that of `other` where that is more.
    pub fn raise_to(&mut self, other: &Self) {
        self.combine(other, i64::max);
    }

    fn combine(&mut self, other: &Self, with: fn(i64, i64) -> i64) {
        self.milli_cpu = with(self.milli_cpu, other.milli_cpu);
        self.memory = with(self.memory, other.memory);
        self.ephemeral_storage = with(self.ephemeral_storage, other.ephemeral_storage);
        self.pods = with(self.pods, other.pods);
        for (name, quantity) in &other.scalars {
            match self.scalars.binary_search_by(|(n, _)| n.cmp(name)) {
                Ok(at) => self.scalars[at].1 = with(self.scalars[at].1, *quantity),
                Err(at) => self.scalars.insert(at, (Arc::clone(name), with(0, *quantity))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpus(n: i64) -> Resources {
        Resources { milli_cpu: 100, scalars: vec![("nvidia.com/gpu".into(), n)], ..Resources::default() }
    }

    #[test]
    fn what_is_added_and_taken_away_leaves_nothing_but_the_name() {
        let mut sum = Resources::default();
        sum.add(&gpus(2));
        sum.add(&gpus(1));
        assert_eq!((sum.milli_cpu, sum.scalar("nvidia.com/gpu")), (200, 3));
        sum.subtract(&gpus(2));
        sum.subtract(&gpus(1));
        assert_eq!(sum.scalars, vec![("nvidia.com/gpu".into(), 0)]);
    }

    #[test]
    fn raising_takes_the_greater_of_each() {
        let mut a = gpus(1);
        a.memory = 5;
        a.raise_to(&gpus(4));
        assert_eq!((a.memory, a.scalar("nvidia.com/gpu"), a.milli_cpu), (5, 4, 100));
    }
}
