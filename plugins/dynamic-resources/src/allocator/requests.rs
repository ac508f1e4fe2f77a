//! Prepares requests: finds the class, the number of devices, and the devices that match the selectors.

use std::rc::Rc;

use super::constraints::Constraint;
use super::search::Place;
use super::{Failure, Group, MOST_DEVICES, Search, Wanted, capacity};
use crate::api::{AllocationMode, Ask, Selector};
use crate::cel::Problem;
use crate::devices::Device;

impl<'a> Search<'a> {
    /// Prepares all claims.
    pub(super) fn prepare(&mut self) -> Result<(), Failure> {
        for at in 0..self.claims.len() {
            self.prepare_claim(at).map_err(Failure::Broken)?;
        }
        Ok(())
    }

    fn prepare_claim(&mut self, at: usize) -> Result<(), String> {
        let claims = self.claims;
        let known = &*claims[at];
        let devices = &known.claim.spec.devices;
        let mut least = 0;
        let mut groups = Vec::new();
        for (request_at, request) in devices.requests.iter().enumerate() {
            let asks: Vec<(&'a str, &'a Ask)> = match &request.exactly {
                Some(ask) => vec![(&request.name, ask)],
                None => request.first_available.iter().map(|ask| (ask.name.as_str(), ask)).collect(),
            };
            let mut wanted = Vec::with_capacity(asks.len());
            for (alternative, (name, ask)) in asks.into_iter().enumerate() {
                wanted.push(self.wanted(name, ask, [at, request_at, alternative])?);
            }
            least += wanted.iter().map(|wanted| wanted.count).min().unwrap_or(0);
            groups.push(Group { request, wanted, selected: 0 });
        }
        if least > MOST_DEVICES {
            return Err(format!(
                "claim {known}: number of requested devices {least} exceeds the claim limit of {MOST_DEVICES}"
            ));
        }
        let mut constraints = Vec::new();
        for (number, constraint) in devices.constraints.iter().enumerate() {
            let unknown =
                || format!("claim {known}, constraint #{number}: empty constraint (unsupported constraint type?)");
            constraints.push(Constraint::new(constraint).ok_or_else(unknown)?);
        }
        self.groups.push(groups);
        self.constraints.push(constraints);
        Ok(())
    }

    fn wanted(&mut self, name: &'a str, ask: &'a Ask, key: [usize; 3]) -> Result<Wanted<'a>, String> {
        let claims = self.claims;
        let wrong = |what: &str| format!("claim {}, request {name}{what}", claims[key[0]]);
        if let Some(number) = ask.selectors.iter().position(|selector| selector.cel.is_none()) {
            return Err(wrong(&format!(", selector #{number}: CEL expression empty (unsupported selector type?)")));
        }
        let class_name = ask.device_class_name.as_str();
        if class_name.is_empty() {
            return Err(wrong(": missing device class name (unsupported request type?)"));
        }
        let no_class = || {
            wrong(&format!(
                ": could not retrieve device class {class_name}: deviceclass.resource.k8s.io \"{class_name}\" not found"
            ))
        };
        let class = self.cluster.classes.get(class_name).ok_or_else(no_class)?;
        let mut wanted = Wanted { ask, name, class, count: 0, all: Vec::new() };
        match ask.allocation_mode {
            AllocationMode::ExactCount => wanted.count = usize::try_from(ask.count).unwrap_or(0),
            AllocationMode::All => {
                wanted.all = self.all_devices(&wanted, key)?;
                wanted.count = wanted.all.len();
            }
            AllocationMode::Unknown => return Err(wrong(": unsupported count mode ")),
        }
        Ok(wanted)
    }

    fn all_devices(&mut self, wanted: &Wanted<'a>, key: [usize; 3]) -> Result<Vec<Place>, String> {
        let mut all = Vec::new();
        for pool in 0..self.pools.len() {
            let known = &self.pools[pool];
            let state = match (known.is_incomplete, known.is_invalid) {
                (true, _) => Some("being updated"),
                (_, true) => Some("invalid"),
                _ => None,
            };
            if let Some(state) = state {
                let (driver, name) = &known.id;
                return Err(format!(
                    "claim {}, request {}: asks for all devices, but resource pool {driver}/{name} is currently {state}",
                    self.claims[key[0]], wanted.name
                ));
            }
            for slice in 0..self.pools[pool].slices.len() {
                for device in 0..self.pools[pool].slices[slice].devices.len() {
                    let place = Place { pool, slice, device };
                    if self.is_selectable(wanted, key, place)? && self.capacity_suffices(wanted.ask, place) {
                        all.push(place);
                    }
                }
            }
        }
        Ok(all)
    }

    pub(super) fn device(&self, place: Place) -> &Device {
        &self.pools[place.pool].slices[place.slice].devices[place.device]
    }

    pub(super) fn capacity_suffices(&self, ask: &Ask, place: Place) -> bool {
        let device = self.device(place);
        capacity::suffices(device, ask, self.cluster.allocated.consumed(&device.id), self.consumed.get(&device.id))
    }

    /// Returns true if the selectors of class and request match the device, and the node can use the device.
    pub(super) fn is_selectable(&mut self, wanted: &Wanted<'a>, key: [usize; 3], place: Place) -> Result<bool, String> {
        if let Some(known) = self.matches.get(&(place, key)) {
            return Ok(*known);
        }
        let slice = Rc::clone(&self.pools[place.pool].slices[place.slice]);
        let device = &slice.devices[place.device];
        let claim = &self.claims[key[0]];
        let matches = self
            .select(device, &wanted.class.class.spec.selectors, || format!("class {}", wanted.class.name))?
            && self.select(device, &wanted.ask.selectors, || format!("claim {claim}"))?
            && (!slice.per_device || device.nodes.include(self.node.name, self.node.labels)?);
        self.matches.insert((place, key), matches);
        Ok(matches)
    }

    fn select(&self, device: &Device, selectors: &[Selector], whose: impl Fn() -> String) -> Result<bool, String> {
        for (number, selector) in selectors.iter().enumerate() {
            let expression = selector.cel.as_ref().map_or("", |cel| cel.expression.as_str());
            match device.is_selected(expression, &self.cluster.compiler) {
                Ok(true) => (),
                Ok(false) => return Ok(false),
                Err(Problem::Compile(wrong)) => {
                    return Err(format!("{}: selector #{number}: CEL compile error: {wrong}", whose()));
                }
                Err(Problem::Runtime(wrong)) => {
                    return Err(format!("{}: selector #{number}: CEL runtime error: {wrong}", whose()));
                }
            }
        }
        Ok(true)
    }
}
