//! The common selector of the pods of a pod's workload, from the Services that select the pod and the controller that
//! owns it.

use std::collections::BTreeMap;

use berth_guest::objects::{Kind, Object};
use berth_guest::selector::{LabelSelector, WrittenLabelSelector};
use berth_guest::types::Owner;
use berth_guest::{LabelMap, pod};
use serde::Deserialize;

/// The labels of an equality-based selector.
pub type Map = BTreeMap<String, String>;

/// The selectors of Services, ReplicationControllers, ReplicaSets and StatefulSets.
#[derive(Debug, Default)]
pub struct Selectors {
    services: BTreeMap<String, BTreeMap<String, Map>>,
    /// The selectors of controllers, by kind, namespace and name.
    controllers: BTreeMap<(usize, String, String), Controlled>,
    version: u64,
}

/// The selector of a controller.
#[derive(Debug, PartialEq)]
enum Controlled {
    /// The selector of a ReplicationController.
    Map(Map),
    /// The selector of a ReplicaSet or StatefulSet.
    Selector(LabelSelector),
}

const FIELDS: [&str; 1] = ["spec.selector"];
const SERVICE: usize = 0;
/// The controllers, in the order of their positions in `Selectors::kinds`.
const CONTROLLERS: [(&str, &str); 3] =
    [("v1", "ReplicationController"), ("apps/v1", "ReplicaSet"), ("apps/v1", "StatefulSet")];
const REPLICATION_CONTROLLER: usize = 1;

#[derive(Default, Deserialize)]
#[serde(default)]
struct WithMap {
    spec: MapSpec,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MapSpec {
    selector: Option<Map>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WithSelector {
    spec: SelectorSpec,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SelectorSpec {
    selector: Option<WrittenLabelSelector>,
}

impl Selectors {
    /// Returns the kinds for an index that reads no other kinds: Services and controllers. Only their selectors are
    /// read.
    pub fn kinds() -> Vec<Kind> {
        let controllers = CONTROLLERS.iter().map(|(api_version, kind)| Kind::new(api_version, kind, FIELDS));
        Selectors::services_alone().into_iter().chain(controllers).collect()
    }

    /// Returns the kinds for an index that reads only Services.
    pub fn services_alone() -> Vec<Kind> {
        vec![Kind::new("v1", "Service", FIELDS)]
    }

    /// Stores the selector of an object that is new or changed. An object that can't be read is removed, with a
    /// warning in the log.
    pub fn set(&mut self, object: &Object<'_>) {
        let read = match object.kind {
            SERVICE => object.read().map(|WithMap { spec }| self.set_service(object, spec.selector)),
            REPLICATION_CONTROLLER => object.read().map(|WithMap { spec }| {
                self.set_controller(object, Controlled::Map(spec.selector.unwrap_or_default()));
            }),
            _ => object.read().map(|WithSelector { spec }| {
                match spec.selector.map_or(Ok(LabelSelector::NOTHING), WrittenLabelSelector::read) {
                    Ok(selector) => self.set_controller(object, Controlled::Selector(selector)),
                    Err(_) => self.remove(object),
                }
            }),
        };
        if let Err(error) = read {
            let (namespace, name) = (object.namespace, object.name);
            berth_guest::warn!("selector can't be read; ignoring it object={namespace}/{name} error={error}");
            self.remove(object);
        }
    }

    /// Removes an object.
    pub fn remove(&mut self, object: &Object<'_>) {
        let was_there = match object.kind {
            SERVICE => {
                let services = self.services.get_mut(object.namespace);
                services.and_then(|services| services.remove(object.name)).is_some()
            }
            _ => self.controllers.remove(&key(object)).is_some(),
        };
        self.version += u64::from(was_there);
    }

    /// Returns a version that grows with every change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns the common selector of the pods of this pod's workload. Selects everything if no Service or controller
    /// is known.
    pub fn of_pod(&self, namespace: &str, labels: &LabelMap, owners: &pod::Owners) -> LabelSelector {
        let mut wanted: BTreeMap<&str, &str> = BTreeMap::new();
        for service in self.services_of(namespace, labels) {
            wanted.extend(service.iter().map(|(key, value)| (key.as_str(), value.as_str())));
        }
        let of_controller =
            match owners.iter().find(|owner| owner.controller).and_then(|owner| self.find(namespace, owner)) {
                Some(Controlled::Map(map)) => {
                    wanted.extend(map.iter().map(|(key, value)| (key.as_str(), value.as_str())));
                    None
                }
                // A controller without a selector adds no requirement.
                Some(Controlled::Selector(selector)) => {
                    Some(selector).filter(|selector| **selector != LabelSelector::NOTHING)
                }
                None => None,
            };
        let mut selector = LabelSelector::of_map(wanted);
        if let Some(of_controller) = of_controller {
            selector.require_all(of_controller);
        }
        selector
    }

    /// Returns the selectors of the Services that select a pod with these labels, in the order of the Services'
    /// names.
    pub fn services_of<'a>(&'a self, namespace: &str, labels: &'a LabelMap) -> impl Iterator<Item = &'a Map> {
        let services = self.services.get(namespace).into_iter().flat_map(BTreeMap::values);
        services.filter(|service| service.iter().all(|(key, value)| labels.get(key) == Some(value)))
    }

    fn find(&self, namespace: &str, owner: &Owner) -> Option<&Controlled> {
        let kind = CONTROLLERS.iter().position(|known| *known == (owner.api_version.as_str(), owner.kind.as_str()))?;
        self.controllers.get(&(kind + 1, namespace.to_owned(), owner.name.clone()))
    }

    /// Stores the selector of a Service. A Service without a selector selects nothing.
    fn set_service(&mut self, service: &Object<'_>, selector: Option<Map>) {
        let Some(selector) = selector else { return self.remove(service) };
        let services = self.services.entry(service.namespace.to_owned()).or_default();
        let changed = services.get(service.name) != Some(&selector);
        services.insert(service.name.to_owned(), selector);
        self.version += u64::from(changed);
    }

    fn set_controller(&mut self, controller: &Object<'_>, selects: Controlled) {
        let key = key(controller);
        let changed = self.controllers.get(&key) != Some(&selects);
        self.controllers.insert(key, selects);
        self.version += u64::from(changed);
    }
}

fn key(object: &Object<'_>) -> (usize, String, String) {
    (object.kind, object.namespace.to_owned(), object.name.to_owned())
}
