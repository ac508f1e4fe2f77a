//! Counters that the devices of a pool share: parts of one card, say, of which only so many can be had at once.

use std::collections::BTreeMap;

use super::Search;
use super::pools::Pool;
use super::search::Place;
use crate::api::Counters;
use crate::devices::{Allocated, Amounts, add, subtract};

/// Counters by set and name.
pub type CounterSets = BTreeMap<String, Amounts>;

/// What is left beside allocated devices; it may be less than nothing.
fn available(pool: &Pool, allocated: &Allocated) -> CounterSets {
    let mut sets = pool.counter_sets.clone();
    let devices = pool.slices.iter().chain(&pool.elsewhere).flat_map(|slice| &slice.devices);
    for device in devices.filter(|device| allocated.has(&device.id)) {
        for taken in &device.spec.consumes_counters {
            if let Some(counters) = sets.get_mut(&taken.counter_set) {
                subtract(counters, &amounts(taken));
            }
        }
    }
    sets
}

fn amounts(taken: &Counters) -> Amounts {
    taken.counters.iter().map(|(name, counter)| (name.clone(), counter.value)).collect()
}

impl Search<'_> {
    /// Takes what the device takes of counters, if there is as much.
    pub(super) fn take_counters(&mut self, place: Place) -> bool {
        let pool = &self.pools[place.pool];
        let allocated = &self.cluster.allocated;
        let (available, used) =
            self.counters.entry(place.pool).or_insert_with(|| (available(pool, allocated), CounterSets::new()));
        for taken in &pool.slices[place.slice].devices[place.device].spec.consumes_counters {
            add(used.entry(taken.counter_set.clone()).or_default(), &amounts(taken));
        }
        let enough = available.iter().all(|(set, counters)| {
            let used = used.get(set);
            let of = |name: &String| used.and_then(|used| used.get(name)).copied().unwrap_or_default();
            counters.iter().all(|(name, counter)| of(name) <= *counter)
        });
        if !enough {
            self.give_counters_back(place);
        }
        enough
    }

    /// Gives back what the device took.
    pub(super) fn give_counters_back(&mut self, place: Place) {
        let Some((_, used)) = self.counters.get_mut(&place.pool) else { return };
        for taken in &self.pools[place.pool].slices[place.slice].devices[place.device].spec.consumes_counters {
            subtract(used.entry(taken.counter_set.clone()).or_default(), &amounts(taken));
        }
    }
}
