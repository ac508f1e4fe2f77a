//! The depth-first search for devices, in the order of claims, requests and devices, with backtracking.

use super::{MAX_DEVICES, Search};
use crate::api::AllocationMode;

/// A device, by its indexes in the pools of the attempt. The order is the order of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DeviceIndex {
    /// The index of the pool.
    pub pool: usize,
    /// The index of the slice in the pool.
    pub slice: usize,
    /// The index of the device in the slice.
    pub device: usize,
}

/// The search position: the device of a request that is to be found next.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchPosition {
    /// The index of the claim.
    pub claim: usize,
    /// The index of the request in the claim.
    pub request: usize,
    /// The index of the subrequest in the request.
    pub alternative: usize,
    /// The index of the device among the devices of the request.
    pub device: usize,
}

impl SearchPosition {
    /// Returns the key of the request or subrequest.
    pub fn key(self) -> [usize; 3] {
        [self.claim, self.request, self.alternative]
    }
}

/// The reason to stop the search or a branch of it.
#[derive(Debug)]
pub enum Stop {
    /// The claim would exceed the maximum number of devices. Other subrequests may need fewer devices.
    TooMany,
    /// The search cannot succeed.
    Invalid(String),
    /// The search exceeded its number of steps.
    TimedOut,
}

impl Search<'_> {
    /// Finds devices for position `at` and all later positions. `chosen` is true if the subrequest of `at` is already
    /// selected. Devices of one request are taken in order, starting at `from`, because other orders repeat the same
    /// combinations.
    pub(super) fn allocate_from(&mut self, at: SearchPosition, chosen: bool, from: DeviceIndex) -> Result<bool, Stop> {
        self.count_step()?;
        let Some(groups) = self.groups.get(at.claim) else { return Ok(true) };
        let Some(group) = groups.get(at.request) else {
            let next = SearchPosition { claim: at.claim + 1, ..SearchPosition::default() };
            return match self.allocate_from(next, false, DeviceIndex::default()) {
                // The limit counts per claim, so other subrequests of earlier claims don't help.
                Err(Stop::TooMany) => Ok(false),
                other => other,
            };
        };
        if group.has_alternatives() && !chosen {
            return self.allocate_alternatives(at);
        }
        let Some(prepared) = group.prepared.get(at.alternative) else { return Ok(false) };
        let (count, everything) = (prepared.count, prepared.ask.allocation_mode == AllocationMode::All);
        if everything && count == 0 {
            return Ok(false);
        }
        if at.device >= count {
            let next = SearchPosition { claim: at.claim, request: at.request + 1, ..SearchPosition::default() };
            return self.allocate_from(next, false, DeviceIndex::default());
        }
        if self.chosen[at.claim].len() + count - at.device > MAX_DEVICES {
            return Err(Stop::TooMany);
        }
        if everything {
            let device_index = prepared.all[at.device];
            return self.try_device(at, device_index, true, chosen, DeviceIndex::default());
        }
        self.allocate_any(at, chosen, from)
    }

    /// Tries the subrequests in order. If each exceeds the limit, returns `TooMany`, so that earlier requests of the
    /// claim try other subrequests.
    fn allocate_alternatives(&mut self, at: SearchPosition) -> Result<bool, Stop> {
        let mut all_too_many = true;
        for alternative in 0..self.groups[at.claim][at.request].prepared.len() {
            match self.allocate_from(SearchPosition { alternative, ..at }, true, DeviceIndex::default()) {
                Err(Stop::TooMany) => continue,
                Ok(true) => {
                    self.groups[at.claim][at.request].selected = alternative;
                    return Ok(true);
                }
                Ok(false) => all_too_many = false,
                Err(stop) => return Err(stop),
            }
        }
        if all_too_many { Err(Stop::TooMany) } else { Ok(false) }
    }

    /// Tries the devices in order, starting at `from`.
    fn allocate_any(&mut self, at: SearchPosition, chosen: bool, from: DeviceIndex) -> Result<bool, Stop> {
        for pool in from.pool..self.pools.len() {
            let first_slice = if pool == from.pool { from.slice } else { 0 };
            for slice in first_slice..self.pools[pool].slices.len() {
                let first_device = if pool == from.pool && slice == from.slice { from.device } else { 0 };
                for device in first_device..self.pools[pool].slices[slice].devices.len() {
                    let device_index = DeviceIndex { pool, slice, device };
                    if !self.is_candidate(at, device_index)? {
                        continue;
                    }
                    if self.try_device(
                        at,
                        device_index,
                        false,
                        chosen,
                        DeviceIndex { device: device + 1, ..device_index },
                    )? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Returns true if the device can be tried. Runs the cheap checks first.
    fn is_candidate(&mut self, at: SearchPosition, device_index: DeviceIndex) -> Result<bool, Stop> {
        let prepared = &self.groups[at.claim][at.request].prepared[at.alternative];
        let (ask, id) = (prepared.ask, &self.device(device_index).id);
        let used = if ask.admin_access { self.is_taken_for(id, at.claim) } else { self.is_in_use(id) };
        if used {
            return Ok(false);
        }
        // `is_selectable` borrows `self` mutably to cache its result, so `groups` is moved out for the call.
        let groups = std::mem::take(&mut self.groups);
        let prepared = &groups[at.claim][at.request].prepared[at.alternative];
        let selectable = self.is_selectable(prepared, at.key(), device_index);
        self.groups = groups;
        Ok(selectable.map_err(Stop::Invalid)? && self.capacity_suffices(ask, device_index))
    }

    /// Takes the device and continues the search at `from`. Gives the device back if the search fails. If `required` is
    /// true, a violated constraint is an error.
    fn try_device(
        &mut self,
        at: SearchPosition,
        device_index: DeviceIndex,
        required: bool,
        chosen: bool,
        from: DeviceIndex,
    ) -> Result<bool, Stop> {
        let Some(undo) = self.take(at, device_index, required).map_err(Stop::Invalid)? else { return Ok(false) };
        let found = self.allocate_from(SearchPosition { device: at.device + 1, ..at }, chosen, from);
        if !matches!(found, Ok(true)) {
            self.give_back(at, device_index, &undo);
        }
        found
    }

    fn count_step(&mut self) -> Result<(), Stop> {
        match &mut self.steps {
            Some(0) => Err(Stop::TimedOut),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }
}
