//! Resource pools, as far as a node can use their devices.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Node;
use crate::devices::{Amounts, Nodes, PoolId, Slice, Slices};

/// Counter values by counter set and counter name.
pub type CounterSets = BTreeMap<String, Amounts>;

/// A resource pool.
#[derive(Debug, Default)]
pub struct Pool {
    /// Driver name and pool name.
    pub id: PoolId,
    /// True if slices of the pool are missing because the driver has not published them yet.
    pub is_incomplete: bool,
    /// True if the pool's slices contradict each other.
    pub is_invalid: bool,
    /// Slices with devices for the node, by name.
    pub slices: Vec<Rc<Slice>>,
    /// The pool's slices with devices for other nodes only. Their devices may consume the same counters.
    pub elsewhere: Vec<Rc<Slice>>,
    /// The pool's shared counters.
    pub counter_sets: CounterSets,
}

/// Returns the pools with slices that are relevant for the node, ordered by driver and name. Pools with a device that
/// has binding conditions come last, because devices without binding conditions can be bound at once.
pub fn gather(slices: &Slices, node: Node<'_>) -> Result<Vec<Pool>, String> {
    let mut pools: BTreeMap<&PoolId, Vec<&Rc<Slice>>> = BTreeMap::new();
    for slice in slices.for_node(node.name) {
        if is_relevant(slice, node)? {
            let known = pools.entry(&slice.pool).or_default();
            match known.first().map_or(slice.generation, |first| first.generation) {
                older if older < slice.generation => *known = vec![slice],
                same if same == slice.generation => known.push(slice),
                _ => (),
            }
        }
    }
    let pools = pools.into_iter().filter_map(|(id, found)| pool(slices, id, found));
    let (at_once, later): (Vec<Pool>, Vec<Pool>) = pools.partition(|pool| !has_binding_conditions(pool));
    Ok(at_once.into_iter().chain(later).collect())
}

fn is_relevant(slice: &Slice, node: Node<'_>) -> Result<bool, String> {
    let selection_error =
        |object: &str, error: String| format!("failed to perform node selection for {object}: {error}");
    match &slice.nodes {
        // Slices with shared counters are needed to use any device of the pool.
        _ if !slice.shared_counters.is_empty() => Ok(true),
        Nodes::None if slice.per_device => {
            for device in &slice.devices {
                let included = device.nodes.include(node.name, node.labels);
                let name = || format!("device {} in slice {}", device.id.device, slice.name);
                if included.map_err(|error| selection_error(&name(), error))? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        nodes => {
            let included = nodes.include(node.name, node.labels);
            included.map_err(|error| selection_error(&format!("slice {}", slice.name), error))
        }
    }
}

fn has_binding_conditions(pool: &Pool) -> bool {
    pool.slices.iter().flat_map(|slice| &slice.devices).any(|device| !device.spec.binding_conditions.is_empty())
}

/// Returns `None` if a newer generation of the pool exists.
fn pool(slices: &Slices, id: &PoolId, mut found: Vec<&Rc<Slice>>) -> Option<Pool> {
    let first = found.first()?;
    let (generation, slice_count) = (first.generation, first.slices_of_pool);
    let is_complete = |count: usize| i64::try_from(count) == Ok(slice_count);
    let mut elsewhere = Vec::new();
    if !is_complete(found.len()) {
        let all = slices.of_pool(id);
        if all.iter().any(|slice| slice.generation > generation) {
            return None;
        }
        let current = || all.iter().filter(|slice| slice.generation == generation);
        if !is_complete(current().count()) {
            return Some(Pool { id: id.clone(), is_incomplete: true, ..Pool::default() });
        }
        elsewhere = current().filter(|slice| !found.iter().any(|known| Rc::ptr_eq(known, slice))).cloned().collect();
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Some(valid(id, &found, elsewhere).unwrap_or_else(|| Pool { id: id.clone(), is_invalid: true, ..Pool::default() }))
}

/// Returns `None` if a device or counter set occurs twice, or if a device consumes an unknown counter.
fn valid(id: &PoolId, found: &[&Rc<Slice>], elsewhere: Vec<Rc<Slice>>) -> Option<Pool> {
    let (with_counters, with_devices): (Vec<&Rc<Slice>>, Vec<_>) =
        found.iter().partition(|slice| !slice.shared_counters.is_empty());
    let mut names = BTreeSet::new();
    let mut devices = with_devices.iter().flat_map(|slice| &slice.devices);
    if !devices.all(|device| names.insert(&device.id.device)) {
        return None;
    }
    let mut counter_sets = CounterSets::new();
    for set in with_counters.iter().flat_map(|slice| &slice.shared_counters) {
        let counters = set.counters.iter().map(|(name, counter)| (name.clone(), counter.value)).collect();
        if counter_sets.insert(set.name.clone(), counters).is_some() {
            return None;
        }
    }
    let all = found.iter().copied().chain(&elsewhere).flat_map(|slice| &slice.devices);
    let is_known = all.flat_map(|device| &device.spec.consumes_counters).all(|taken| {
        let set = counter_sets.get(&taken.counter_set);
        set.is_some_and(|set| taken.counters.keys().all(|name| set.contains_key(name)))
    });
    let slices = with_devices.into_iter().cloned().collect();
    is_known.then(|| Pool { id: id.clone(), slices, elsewhere, counter_sets, ..Pool::default() })
}
