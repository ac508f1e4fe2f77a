//! Shared counters of a pool. Several devices, for example the partitions of one GPU, consume the same counter, whose
//! value limits the sum.

use super::Search;
use super::pools::{CounterSets, Pool};
use super::search::DeviceIndex;
use crate::api::Counters;
use crate::devices::{Allocated, Amounts, add, subtract};

/// Returns the pool's counters without the amounts that allocated devices consume. Values may be negative.
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
    /// Consumes the device's counters. Returns false, without a change, if the counters are not sufficient.
    pub(super) fn take_counters(&mut self, device_index: DeviceIndex) -> bool {
        let pool = &self.pools[device_index.pool];
        let allocated = &self.cluster.allocated;
        let (available, used) =
            self.counters.entry(device_index.pool).or_insert_with(|| (available(pool, allocated), CounterSets::new()));
        for taken in &pool.slices[device_index.slice].devices[device_index.device].spec.consumes_counters {
            add(used.entry(taken.counter_set.clone()).or_default(), &amounts(taken));
        }
        let enough = available.iter().all(|(set, counters)| {
            let used = used.get(set);
            let of = |name: &String| used.and_then(|used| used.get(name)).copied().unwrap_or_default();
            counters.iter().all(|(name, counter)| of(name) <= *counter)
        });
        if !enough {
            self.give_counters_back(device_index);
        }
        enough
    }

    /// Releases the counters that the device consumed.
    pub(super) fn give_counters_back(&mut self, device_index: DeviceIndex) {
        let Some((_, used)) = self.counters.get_mut(&device_index.pool) else { return };
        for taken in &self.pools[device_index.pool].slices[device_index.slice].devices[device_index.device]
            .spec
            .consumes_counters
        {
            subtract(used.entry(taken.counter_set.clone()).or_default(), &amounts(taken));
        }
    }
}
