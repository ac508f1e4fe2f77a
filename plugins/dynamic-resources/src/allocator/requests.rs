//! Prepares requests: finds the class, the number of devices, and the devices that match the selectors.

use std::rc::Rc;

use super::constraints::Constraint;
use super::search::DeviceIndex;
use super::{Failure, Group, MAX_DEVICES, PreparedRequest, Search, capacity};
use crate::api::{AllocationMode, Ask, Selector};
use crate::cel::Problem;
use crate::devices::Device;

impl<'a> Search<'a> {
    /// Prepares all claims.
    pub(super) fn prepare(&mut self) -> Result<(), Failure> {
        for at in 0..self.claims.len() {
            self.prepare_claim(at).map_err(Failure::Invalid)?;
        }
        Ok(())
    }

    fn prepare_claim(&mut self, at: usize) -> Result<(), String> {
        let claims = self.claims;
        let known = &*claims[at];
        let devices = &known.claim.spec.devices;
        let mut minimum = 0;
        let mut groups = Vec::new();
        for (request_at, request) in devices.requests.iter().enumerate() {
            let asks: Vec<(&'a str, &'a Ask)> = match &request.exactly {
                Some(ask) => vec![(&request.name, ask)],
                None => request.first_available.iter().map(|ask| (ask.name.as_str(), ask)).collect(),
            };
            let mut prepared = Vec::with_capacity(asks.len());
            for (alternative, (name, ask)) in asks.into_iter().enumerate() {
                prepared.push(self.prepared(name, ask, [at, request_at, alternative])?);
            }
            minimum += prepared.iter().map(|prepared| prepared.count).min().unwrap_or(0);
            groups.push(Group { request, prepared, selected: 0 });
        }
        if minimum > MAX_DEVICES {
            return Err(format!(
                "claim {known}: number of requested devices {minimum} exceeds the claim limit of {MAX_DEVICES}"
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

    fn prepared(&mut self, name: &'a str, ask: &'a Ask, key: [usize; 3]) -> Result<PreparedRequest<'a>, String> {
        let claims = self.claims;
        let problem = |reason: &str| format!("claim {}, request {name}{reason}", claims[key[0]]);
        if let Some(number) = ask.selectors.iter().position(|selector| selector.cel.is_none()) {
            return Err(problem(&format!(", selector #{number}: CEL expression empty (unsupported selector type?)")));
        }
        let class_name = ask.device_class_name.as_str();
        if class_name.is_empty() {
            return Err(problem(": missing device class name (unsupported request type?)"));
        }
        let no_class = || {
            problem(&format!(
                ": could not retrieve device class {class_name}: deviceclass.resource.k8s.io \"{class_name}\" not found"
            ))
        };
        let class = self.cluster.classes.get(class_name).ok_or_else(no_class)?;
        let mut prepared = PreparedRequest { ask, name, class, count: 0, all: Vec::new() };
        match ask.allocation_mode {
            AllocationMode::ExactCount => prepared.count = usize::try_from(ask.count).unwrap_or(0),
            AllocationMode::All => {
                prepared.all = self.all_devices(&prepared, key)?;
                prepared.count = prepared.all.len();
            }
            AllocationMode::Unknown => return Err(problem(": unsupported count mode ")),
        }
        Ok(prepared)
    }

    fn all_devices(&mut self, prepared: &PreparedRequest<'a>, key: [usize; 3]) -> Result<Vec<DeviceIndex>, String> {
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
                    self.claims[key[0]], prepared.name
                ));
            }
            for slice in 0..self.pools[pool].slices.len() {
                for device in 0..self.pools[pool].slices[slice].devices.len() {
                    let device_index = DeviceIndex { pool, slice, device };
                    if self.is_selectable(prepared, key, device_index)?
                        && self.capacity_suffices(prepared.ask, device_index)
                    {
                        all.push(device_index);
                    }
                }
            }
        }
        Ok(all)
    }

    pub(super) fn device(&self, device_index: DeviceIndex) -> &Device {
        &self.pools[device_index.pool].slices[device_index.slice].devices[device_index.device]
    }

    pub(super) fn capacity_suffices(&self, ask: &Ask, device_index: DeviceIndex) -> bool {
        let device = self.device(device_index);
        capacity::suffices(device, ask, self.cluster.allocated.consumed(&device.id), self.consumed.get(&device.id))
    }

    /// Returns true if the selectors of class and request match the device, and the node can use the device.
    pub(super) fn is_selectable(
        &mut self,
        prepared: &PreparedRequest<'a>,
        key: [usize; 3],
        device_index: DeviceIndex,
    ) -> Result<bool, String> {
        if let Some(known) = self.matches.get(&(device_index, key)) {
            return Ok(*known);
        }
        let slice = Rc::clone(&self.pools[device_index.pool].slices[device_index.slice]);
        let device = &slice.devices[device_index.device];
        let claim = &self.claims[key[0]];
        let matches = self
            .select(device, &prepared.class.class.spec.selectors, || format!("class {}", prepared.class.name))?
            && self.select(device, &prepared.ask.selectors, || format!("claim {claim}"))?
            && (!slice.per_device || device.nodes.include(self.node.name, self.node.labels)?);
        self.matches.insert((device_index, key), matches);
        Ok(matches)
    }

    fn select(&self, device: &Device, selectors: &[Selector], whose: impl Fn() -> String) -> Result<bool, String> {
        for (number, selector) in selectors.iter().enumerate() {
            let expression = selector.cel.as_ref().map_or("", |cel| cel.expression.as_str());
            match device.is_selected(expression, &self.cluster.compiler) {
                Ok(true) => (),
                Ok(false) => return Ok(false),
                Err(Problem::Compile(problem)) => {
                    return Err(format!("{}: selector #{number}: CEL compile error: {problem}", whose()));
                }
                Err(Problem::Runtime(problem)) => {
                    return Err(format!("{}: selector #{number}: CEL runtime error: {problem}", whose()));
                }
            }
        }
        Ok(true)
    }
}
