//! Extended resources that DeviceClasses map to devices. If no device plugin on the node provides such a resource, the
//! plugin creates a claim with the requests of the pod's containers for the resource.

use std::collections::BTreeSet;
use std::iter;

use berth_guest::types::{Container, ContainerKind, Resources};
use serde::{Deserialize, Serialize};

use crate::api::{AllocationMode, Ask, Request};
use crate::classes;

/// `pod.status.extendedResourceClaimStatus.requestMappings[]`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mapping {
    /// `containerName`
    pub container_name: String,
    /// `resourceName`
    pub resource_name: String,
    /// `requestName`
    pub request_name: String,
}

/// Returns the extended resources that the containers request.
pub fn extended_resources(containers: &[Container]) -> BTreeSet<String> {
    let scalars = containers.iter().flat_map(|container| &container.requests.scalars);
    let extended = scalars.filter(|scalar| scalar.quantity != 0 && classes::can_stand_for(&scalar.name));
    extended.map(|scalar| scalar.name.clone()).collect()
}

/// Returns the requests of a claim for these resources, given as (resource, class), and the mapping of containers to
/// requests.
///
/// Containers and sidecars each have a request of their own. An init container uses the devices of the containers and
/// sidecars that start later. If an init container needs more devices, all init containers share one additional
/// request, because they run one after the other.
pub fn requests(containers: &[Container], resources: &[(&str, &str)]) -> (Vec<Request>, Vec<Mapping>) {
    let (mut requests, mut mappings) = (Vec::new(), Vec::new());
    for &(resource, class) in resources {
        let mapped = MappedResource { containers, resource, class };
        let mut long_running: Vec<Option<Request>> = vec![None; containers.len()];
        for (at, _) in mapped.of(|kind| kind != ContainerKind::Init) {
            if let Some(slot) = long_running.get_mut(at) {
                *slot = mapped.request(at, 0);
                mappings.extend(slot.iter().map(|request| mapped.mapping(at, &request.name)));
            }
        }
        let (largest, init_mappings) = mapped.init_request(&long_running);
        mappings.extend(init_mappings);
        requests.extend(largest);
        requests.extend(long_running.into_iter().flatten());
    }
    requests.sort_by(|a, b| a.name.cmp(&b.name));
    (requests, mappings)
}

/// An extended resource, the class that maps it to devices, and the pod's containers.
struct MappedResource<'a> {
    containers: &'a [Container],
    resource: &'a str,
    class: &'a str,
}

impl MappedResource<'_> {
    /// Returns the containers of the given kinds that request the resource, as (index, quantity).
    fn of(&self, is: impl Fn(ContainerKind) -> bool) -> impl Iterator<Item = (usize, i64)> {
        let containers = self.containers.iter().enumerate().filter(move |(_, container)| is(container.kind));
        containers
            .map(|(at, container)| (at, container.requests.scalar(self.resource)))
            .filter(|(_, quantity)| *quantity > 0)
    }

    /// Returns the request of the container at this index, reduced by `found` devices.
    fn request(&self, at: usize, found: i64) -> Option<Request> {
        let requests = &self.containers.get(at)?.requests;
        let name = format!("container-{at}-request-{}", resource_index(requests, self.resource));
        let ask = Ask {
            device_class_name: self.class.to_owned(),
            allocation_mode: AllocationMode::ExactCount,
            count: requests.scalar(self.resource) - found,
            ..Ask::default()
        };
        Some(Request { name, exactly: Some(ask), ..Request::default() })
    }

    fn mapping(&self, at: usize, request: &str) -> Mapping {
        let container_name = self.containers.get(at).map(|container| container.name.clone()).unwrap_or_default();
        Mapping { container_name, resource_name: self.resource.to_owned(), request_name: request.to_owned() }
    }

    /// Returns the shared request of all init containers that are not sidecars, if one of them needs additional
    /// devices, and the mappings of these containers. `long_running` has the requests of the other containers by index.
    fn init_request(&self, long_running: &[Option<Request>]) -> (Option<Request>, Vec<Mapping>) {
        let (mut largest, mut used) = (None::<Request>, Vec::new());
        for (at, quantity) in self.of(|kind| kind == ContainerKind::Init) {
            let mut found = 0;
            for request in long_running.iter().skip(at).flatten() {
                if found >= quantity {
                    break;
                }
                found += count(request);
                used.push((at, Some(request.name.clone())));
            }
            if let Some(request) = self.request(at, found).filter(|request| count(request) > 0) {
                used.push((at, None));
                if largest.as_ref().is_none_or(|largest| count(largest) < count(&request)) {
                    largest = Some(request);
                }
            }
        }
        let shared = largest.as_ref().map(|request| request.name.clone()).unwrap_or_default();
        let mapping = |(at, name): (usize, Option<String>)| self.mapping(at, name.as_ref().unwrap_or(&shared));
        (largest, used.into_iter().map(mapping).collect())
    }
}

fn count(request: &Request) -> i64 {
    request.exactly.as_ref().map_or(0, |ask| ask.count)
}

/// Returns the index that the resource has among the container's requests if these are sorted by name.
fn resource_index(requests: &Resources, resource: &str) -> usize {
    let own =
        [("cpu", requests.milli_cpu), ("memory", requests.memory), ("ephemeral-storage", requests.ephemeral_storage)];
    let own = own.into_iter().filter(|(_, quantity)| *quantity != 0).map(|(name, _)| name);
    let scalars = requests.scalars.iter().map(|scalar| scalar.name.as_str());
    own.chain(scalars).filter(|name| *name < resource).count()
}

/// Returns `base`, cut if necessary, followed by five characters that depend only on `seed`. The API server builds
/// names from `generateName` in the same form.
pub fn generated(base: &str, seed: u64) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    const ALL: usize = 63;
    const RANDOM: usize = 5;
    let end = (0..=base.len().min(ALL - RANDOM)).rev().find(|end| base.is_char_boundary(*end)).unwrap_or(0);
    let mut rest = seed;
    let random = iter::repeat_with(|| {
        let letter = LETTERS.get((rest % LETTERS.len() as u64) as usize).copied().unwrap_or(b'b');
        rest /= LETTERS.len() as u64;
        char::from(letter)
    });
    base.get(..end).unwrap_or_default().chars().chain(random.take(RANDOM)).collect()
}
