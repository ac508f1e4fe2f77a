//! Takes a single device for a request, and gives the device back.

use super::constraints::RequestName;
use super::search::{DeviceIndex, SearchPosition};
use super::{Chosen, Search, capacity};
use crate::api::Ask;
use crate::devices::{Amounts, Device, DeviceId, add, subtract};

/// The steps that were done to take a device, so that `give_back` can undo them. `constraints` is the number of the
/// claim's constraints that have the device.
#[derive(Default)]
pub struct Undo {
    counters: bool,
    constraints: usize,
    taken: bool,
    /// For a shared device: the amounts that this request consumes, and whether this attempt consumed a share of the
    /// device before.
    consumed: Option<(Amounts, bool)>,
    chosen: bool,
}

impl<'a> Search<'a> {
    fn ask(&self, at: SearchPosition) -> &'a Ask {
        self.groups[at.claim][at.request].prepared[at.alternative].ask
    }

    fn names(&self, at: SearchPosition) -> RequestName<'a> {
        let group = &self.groups[at.claim][at.request];
        let alternative = group.has_alternatives().then(|| group.prepared[at.alternative].name);
        RequestName { request: &group.request.name, alternative }
    }

    /// Takes the device for the request. Returns `None` if the device is not available. If `required` is true, a
    /// violated constraint is an error.
    pub(super) fn take(
        &mut self,
        at: SearchPosition,
        device_index: DeviceIndex,
        required: bool,
    ) -> Result<Option<Undo>, String> {
        let ask = self.ask(at);
        let device = self.device(device_index);
        let id = device.id.clone();
        let (shared, counts) = (device.spec.allow_multiple_allocations, !device.spec.consumes_counters.is_empty());
        if ask.admin_access && !shared && self.is_taken_for(&id, at.claim) || !ask.admin_access && self.is_in_use(&id) {
            return Ok(None);
        }
        let tainted = is_tainted(device, ask);
        let has_share = self.consumed.contains_key(&id) || self.cluster.allocated.consumed(&id).is_some();
        let mut undo = Undo::default();
        if counts && !(shared && has_share) {
            if !self.take_counters(device_index) {
                return Ok(None);
            }
            undo.counters = true;
        }
        if tainted {
            self.give_back(at, device_index, &undo);
            return Ok(None);
        }
        if !self.add_to_constraints(at, device_index, &mut undo) {
            self.give_back(at, device_index, &undo);
            let claim = &self.claims[at.claim];
            let name = self.groups[at.claim][at.request].prepared[at.alternative].name;
            let violated = || {
                format!(
                    "claim {claim}, request {name}: cannot add device {id} because a claim constraint would not be satisfied"
                )
            };
            return if required { Err(violated()) } else { Ok(None) };
        }
        if !shared {
            self.taken.entry(id.clone()).or_default().insert(at.claim);
            undo.taken = true;
        }
        if !self.capacity_suffices(ask, device_index) {
            self.give_back(at, device_index, &undo);
            return Ok(None);
        }
        let mut consumed = None;
        if shared {
            let amounts = capacity::consumed(self.device(device_index), ask);
            let before = self.consumed.contains_key(&id);
            add(self.consumed.entry(id).or_default(), &amounts);
            undo.consumed = Some((amounts.clone(), before));
            consumed = Some(amounts);
        }
        let chosen = Chosen { request: at.request, alternative: at.alternative, device_index, consumed };
        self.chosen[at.claim].push(chosen);
        undo.chosen = true;
        Ok(Some(undo))
    }

    fn add_to_constraints(&mut self, at: SearchPosition, device_index: DeviceIndex, undo: &mut Undo) -> bool {
        let names = self.names(at);
        let device = &self.pools[device_index.pool].slices[device_index.slice].devices[device_index.device];
        for constraint in &mut self.constraints[at.claim] {
            if !constraint.add(names, device) {
                return false;
            }
            undo.constraints += 1;
        }
        true
    }

    /// Undoes the steps of `take` in reverse order.
    pub(super) fn give_back(&mut self, at: SearchPosition, device_index: DeviceIndex, undo: &Undo) {
        let id = self.device(device_index).id.clone();
        if undo.chosen {
            self.chosen[at.claim].pop();
        }
        if let Some((amounts, before)) = &undo.consumed {
            let left = self.consumed.get_mut(&id);
            left.into_iter().for_each(|consumed| subtract(consumed, amounts));
            if !before {
                self.consumed.remove(&id);
            }
        }
        if undo.taken
            && let Some(claims) = self.taken.get_mut(&id)
        {
            claims.remove(&at.claim);
        }
        let names = self.names(at);
        for constraint in self.constraints[at.claim].iter_mut().take(undo.constraints) {
            constraint.remove(names);
        }
        if undo.counters {
            self.give_counters_back(device_index);
        }
    }

    /// Returns true if an allocated claim or a claim of this attempt has the whole device.
    pub(super) fn is_in_use(&self, id: &DeviceId) -> bool {
        self.cluster.allocated.has_whole(id) || self.taken.get(id).is_some_and(|claims| !claims.is_empty())
    }

    /// Returns true if this attempt has taken the device for this claim.
    pub(super) fn is_taken_for(&self, id: &DeviceId, claim: usize) -> bool {
        self.taken.get(id).is_some_and(|claims| claims.contains(&claim))
    }
}

/// Returns true if a taint of the device is not tolerated.
fn is_tainted(device: &Device, ask: &Ask) -> bool {
    let tolerated = |taint| ask.tolerations.iter().any(|toleration| toleration.tolerates(taint));
    let mut taints = device.spec.taints.iter();
    taints.any(|taint| matches!(taint.effect.as_str(), "NoSchedule" | "NoExecute") && !tolerated(taint))
}
