//! Converts the chosen devices into allocations for the claims' status.

use std::collections::BTreeMap;

use super::{Chosen, Group, Search};
use crate::api::{
    AllocatedDevice, Allocation, AllocationConfig, DeviceResult, DeviceResults, NodeSelector, NodeSelectorTerm,
    Requirement,
};
use crate::devices::{Device, Nodes};

const FROM_CLASS: &str = "FromClass";
const FROM_CLAIM: &str = "FromClaim";

impl Search<'_> {
    /// Returns an allocation for each claim.
    pub(super) fn outcome(&self, seed: u64) -> Result<Vec<Allocation>, String> {
        let mut ids = ShareIds(seed);
        let mut all = Vec::with_capacity(self.claims.len());
        for (at, known) in self.claims.iter().enumerate() {
            let chosen = &self.chosen[at];
            let results = chosen.iter().map(|chosen| self.result(at, chosen, &mut ids)).collect();
            let problem = |problem| format!("create NodeSelector for claim {}: {problem}", known.name);
            let node_selector = self.node_selector(chosen).map_err(problem)?;
            let devices = DeviceResults { results, config: self.config(at) };
            all.push(Allocation { devices, node_selector, allocation_timestamp: None });
        }
        Ok(all)
    }

    fn result(&self, claim: usize, chosen: &Chosen, ids: &mut ShareIds) -> DeviceResult {
        let group = &self.groups[claim][chosen.request];
        let ask = group.prepared[chosen.alternative].ask;
        let Device { id, spec, .. } = self.device(chosen.device_index);
        DeviceResult {
            request: group.result_name(chosen.alternative),
            device: AllocatedDevice { driver: id.driver.clone(), pool: id.pool.clone(), device: id.device.clone() },
            admin_access: ask.admin_access,
            tolerations: ask.tolerations.clone(),
            binding_conditions: spec.binding_conditions.clone(),
            binding_failure_conditions: spec.binding_failure_conditions.clone(),
            share_id: chosen.consumed.as_ref().map(|_| ids.next()),
            consumed_capacity: chosen.consumed.clone().filter(|consumed| !consumed.is_empty()),
        }
    }

    /// Returns the claim's configuration: first the configuration of the classes of its requests, each class once, then
    /// the configuration in the claim's spec.
    fn config(&self, claim: usize) -> Vec<AllocationConfig> {
        let groups = &self.groups[claim];
        let mut all: Vec<AllocationConfig> = Vec::new();
        let mut of_class: BTreeMap<&str, std::ops::Range<usize>> = BTreeMap::new();
        for group in groups {
            let Some(prepared) = group.prepared.get(group.selected) else { continue };
            let name = group.result_name(group.selected);
            if let Some(known) = of_class.get(prepared.class.name.as_str()) {
                all[known.clone()].iter_mut().for_each(|config| config.requests.push(name.clone()));
                continue;
            }
            let first = all.len();
            for config in &prepared.class.class.spec.config {
                let requests = vec![name.clone()];
                all.push(AllocationConfig { source: FROM_CLASS.to_owned(), requests, opaque: config.opaque.clone() });
            }
            of_class.insert(&prepared.class.name, first..all.len());
        }
        for config in &self.claims[claim].claim.spec.devices.config {
            let named = groups.iter().filter(|group| applies_to(&config.requests, group)).count();
            let times = if config.requests.is_empty() { 1 } else { named };
            let (requests, opaque) = (config.requests.clone(), config.opaque.clone());
            let config = AllocationConfig { source: FROM_CLAIM.to_owned(), requests, opaque };
            all.extend(std::iter::repeat_n(config, times));
        }
        all
    }

    /// Returns the nodes on which the claim can be used: only this node, the nodes that match the selectors of all
    /// devices, or `None` for all nodes.
    fn node_selector(&self, chosen: &[Chosen]) -> Result<Option<NodeSelector>, String> {
        let mut term = NodeSelectorTerm::default();
        for chosen in chosen {
            let slice = &self.pools[chosen.device_index.pool].slices[chosen.device_index.slice];
            let device = self.device(chosen.device_index);
            let nodes = if slice.per_device { &device.nodes } else { &slice.nodes };
            let selector = match nodes {
                Nodes::Name(_) => return Ok(Some(NodeSelector::of_node(self.node.name))),
                _ if device.spec.binds_to_node => return Ok(Some(NodeSelector::of_node(self.node.name))),
                Nodes::Selected(selector, _) => selector,
                Nodes::All | Nodes::None => continue,
            };
            match selector.node_selector_terms.as_slice() {
                [] => (),
                [more] => {
                    add_new(&mut term.match_fields, &more.match_fields);
                    add_new(&mut term.match_expressions, &more.match_expressions);
                }
                many => return Err(format!("unsupported ResourceSlice.NodeSelector with {} terms", many.len())),
            }
        }
        let selects = !term.match_fields.is_empty() || !term.match_expressions.is_empty();
        Ok(selects.then(|| NodeSelector { node_selector_terms: vec![term] }))
    }
}

/// Returns true if `names` contains the request or its selected subrequest.
fn applies_to(names: &[String], group: &Group<'_>) -> bool {
    names.contains(&group.request.name)
        || group.has_alternatives() && names.contains(&group.result_name(group.selected))
}

fn add_new(known: &mut Vec<Requirement>, more: &[Requirement]) {
    for requirement in more {
        let same = |other: &Requirement| {
            let sorted = |requirement: &Requirement| {
                let mut values = requirement.values.clone();
                values.sort_unstable();
                values.dedup();
                values
            };
            (&other.key, &other.operator, sorted(other))
                == (&requirement.key, &requirement.operator, sorted(requirement))
        };
        if !known.iter().any(same) {
            known.push(requirement.clone());
        }
    }
}

/// Generates share ids: random UUIDs (version 4), derived from a seed because guests have no other randomness.
struct ShareIds(u64);

impl ShareIds {
    fn next(&mut self) -> String {
        let (high, low) = (self.random(), self.random());
        let high = high & 0xffff_ffff_ffff_0fff | 0x4000;
        let low = low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000;
        let (one, two, three) = (high >> 32, high >> 16 & 0xffff, high & 0xffff);
        format!("{one:08x}-{two:04x}-{three:04x}-{:04x}-{:012x}", low >> 48, low & 0xffff_ffff_ffff)
    }

    /// SplitMix64.
    fn random(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}
