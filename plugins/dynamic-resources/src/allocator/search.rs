//! The search: one device after the other, in the order of claims, requests and devices, back where it can't go on.

use super::{MOST_DEVICES, Search};
use crate::api::AllocationMode;

/// A device, by its place in the pools of the attempt. Ordered as devices are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// Of the pools.
    pub pool: usize,
    /// Of the pool's slices.
    pub slice: usize,
    /// Of the slice's devices.
    pub device: usize,
}

/// Which device is looked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct At {
    /// For which claim.
    pub claim: usize,
    /// For which of its requests.
    pub request: usize,
    /// For which of the request's alternatives.
    pub alternative: usize,
    /// The how manieth of that.
    pub device: usize,
}

impl At {
    /// As a key of what is known of a request.
    pub fn key(self) -> [usize; 3] {
        [self.claim, self.request, self.alternative]
    }
}

/// Why the search ends, or this branch of it.
#[derive(Debug)]
pub enum Stop {
    /// The claim would have more devices than it may; with other alternatives it may have fewer.
    TooMany,
    /// Nothing will help.
    Broken(String),
    /// It took too many steps.
    Late,
}

impl Search<'_> {
    /// Finds devices for all that is left from here on. `chosen` says that the alternative is the one to be tried. Devices of one
    /// request are taken in their order, from `from` on: any other order is the same again.
    pub(super) fn allocate_from(&mut self, at: At, chosen: bool, from: Place) -> Result<bool, Stop> {
        self.count_step()?;
        let Some(groups) = self.groups.get(at.claim) else { return Ok(true) };
        let Some(group) = groups.get(at.request) else {
            let next = At { claim: at.claim + 1, ..At::default() };
            return match self.allocate_from(next, false, Place::default()) {
                // Of the claims before, other alternatives won't help: each is counted for itself.
                Err(Stop::TooMany) => Ok(false),
                other => other,
            };
        };
        if group.has_alternatives() && !chosen {
            return self.allocate_alternatives(at);
        }
        let Some(wanted) = group.wanted.get(at.alternative) else { return Ok(false) };
        let (count, everything) = (wanted.count, wanted.ask.allocation_mode == AllocationMode::All);
        if everything && count == 0 {
            return Ok(false);
        }
        if at.device >= count {
            let next = At { claim: at.claim, request: at.request + 1, ..At::default() };
            return self.allocate_from(next, false, Place::default());
        }
        if self.chosen[at.claim].len() + count - at.device > MOST_DEVICES {
            return Err(Stop::TooMany);
        }
        if everything {
            let place = wanted.all[at.device];
            return self.try_place(at, place, true, chosen, Place::default());
        }
        self.allocate_any(at, chosen, from)
    }

    /// Tries one alternative after the other. That each is too many is for the requests before to know.
    fn allocate_alternatives(&mut self, at: At) -> Result<bool, Stop> {
        let mut all_too_many = true;
        for alternative in 0..self.groups[at.claim][at.request].wanted.len() {
            match self.allocate_from(At { alternative, ..at }, true, Place::default()) {
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

    /// Tries one device after the other.
    fn allocate_any(&mut self, at: At, chosen: bool, from: Place) -> Result<bool, Stop> {
        for pool in from.pool..self.pools.len() {
            let first_slice = if pool == from.pool { from.slice } else { 0 };
            for slice in first_slice..self.pools[pool].slices.len() {
                let first_device = if pool == from.pool && slice == from.slice { from.device } else { 0 };
                for device in first_device..self.pools[pool].slices[slice].devices.len() {
                    let place = Place { pool, slice, device };
                    if !self.is_candidate(at, place)? {
                        continue;
                    }
                    if self.try_place(at, place, false, chosen, Place { device: device + 1, ..place })? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Whether the device can be tried: cheap questions first.
    fn is_candidate(&mut self, at: At, place: Place) -> Result<bool, Stop> {
        let wanted = &self.groups[at.claim][at.request].wanted[at.alternative];
        let (ask, id) = (wanted.ask, &self.device(place).id);
        let used = if ask.admin_access { self.is_taken_for(id, at.claim) } else { self.is_in_use(id) };
        if used {
            return Ok(false);
        }
        // Taken out for the while, as the answer is kept beside it.
        let groups = std::mem::take(&mut self.groups);
        let wanted = &groups[at.claim][at.request].wanted[at.alternative];
        let selectable = self.is_selectable(wanted, at.key(), place);
        self.groups = groups;
        Ok(selectable.map_err(Stop::Broken)? && self.capacity_suffices(ask, place))
    }

    /// Takes the device and goes on; gives it back where that came to nothing.
    fn try_place(&mut self, at: At, place: Place, must: bool, chosen: bool, from: Place) -> Result<bool, Stop> {
        let Some(undo) = self.take(at, place, must).map_err(Stop::Broken)? else { return Ok(false) };
        let found = self.allocate_from(At { device: at.device + 1, ..at }, chosen, from);
        if !matches!(found, Ok(true)) {
            self.give_back(at, place, &undo);
        }
        found
    }

    fn count_step(&mut self) -> Result<(), Stop> {
        match &mut self.steps {
            Some(0) => Err(Stop::Late),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }
}
