//! Equal pod specs kept once: the pods of a Deployment share theirs.

use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use berth_core::model::PodSpec;
use hashbrown::{DefaultHashBuilder, HashTable};

/// Every spec that is in use somewhere, found by its content.
///
/// It holds none of them alive. Entries of specs that are gone are cleared whenever the table would grow, so that it is
/// never larger than twice the specs in use.
#[derive(Debug, Default)]
pub struct SpecTable {
    hasher: DefaultHashBuilder,
    specs: Mutex<HashTable<(u64, Weak<PodSpec>)>>,
}

impl SpecTable {
    /// The one copy of this spec.
    #[must_use]
    pub fn share(&self, spec: PodSpec) -> Arc<PodSpec> {
        let hash = self.hasher.hash_one(&spec);
        let mut specs = self.specs.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = None;
        specs.find(hash, |(other, weak)| {
            found = (*other == hash).then(|| weak.upgrade()).flatten().filter(|known| **known == spec);
            found.is_some()
        });
        if let Some(known) = found {
            return known;
        }
        if specs.len() == specs.capacity() {
            specs.retain(|(_, weak)| weak.strong_count() > 0);
        }
        let spec = Arc::new(spec);
        specs.insert_unique(hash, (hash, Arc::downgrade(&spec)), |(hash, _)| *hash);
        spec
    }

    /// How many entries there are, of which some may be of specs that are gone.
    #[must_use]
    pub fn len(&self) -> usize {
        self.specs.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// No entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(priority: i32) -> PodSpec {
        PodSpec { priority, ..PodSpec::default() }
    }

    #[test]
    fn equal_specs_are_one() {
        let table = SpecTable::default();
        let (a, b, c) = (table.share(spec(1)), table.share(spec(1)), table.share(spec(2)));
        assert!(Arc::ptr_eq(&a, &b) && !Arc::ptr_eq(&a, &c));
        assert_eq!(table.len(), 2);
    }

    #[test]
    fn specs_that_are_gone_leave_the_table() {
        let table = SpecTable::default();
        let kept = table.share(spec(-1));
        for priority in 0..10_000 {
            let _gone = table.share(spec(priority));
        }
        assert!(table.len() < 100, "{} entries for one spec in use", table.len());
        assert!(Arc::ptr_eq(&kept, &table.share(spec(-1))));
    }
}
