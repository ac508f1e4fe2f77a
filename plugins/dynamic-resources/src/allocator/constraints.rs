//! What the devices of a claim have to have in common, or not in common.

use std::collections::BTreeMap;

use crate::api;
use crate::cel::Attribute;
use crate::devices::Device;

/// A constraint, and what devices were added so far.
pub struct Constraint<'a> {
    /// Of the requests; of all where there is none.
    requests: &'a [String],
    attribute: &'a str,
    seen: Seen,
}

enum Seen {
    /// All have the same value: that of the first.
    Same { value: Option<Attribute>, devices: usize },
    /// Each has its own. By request, as kube-scheduler has it: of several devices of one request, the last counts.
    Distinct { values: BTreeMap<String, Attribute>, devices: usize },
}

/// For which request, and for which of its alternatives if it has some.
#[derive(Clone, Copy)]
pub struct For<'a> {
    /// The request's name.
    pub request: &'a str,
    /// The alternative's name.
    pub alternative: Option<&'a str>,
}

impl<'a> Constraint<'a> {
    /// `None` where it is of a kind that is not known.
    pub fn new(constraint: &'a api::Constraint) -> Option<Constraint<'a>> {
        let (attribute, seen) = match (&constraint.match_attribute, &constraint.distinct_attribute) {
            (Some(attribute), _) => (attribute, Seen::Same { value: None, devices: 0 }),
            (None, Some(attribute)) => (attribute, Seen::Distinct { values: BTreeMap::new(), devices: 0 }),
            (None, None) => return None,
        };
        Some(Constraint { requests: &constraint.requests, attribute, seen })
    }

    fn concerns(&self, of: For<'_>) -> bool {
        let whole = |alternative: &str| format!("{}/{alternative}", of.request);
        let is = |name: &String| {
            *name == of.request || of.alternative.is_some_and(|alternative| *name == whole(alternative))
        };
        self.requests.is_empty() || self.requests.iter().any(is)
    }

    /// Adds a device, if it may be added.
    pub fn add(&mut self, of: For<'_>, device: &Device) -> bool {
        if !self.concerns(of) {
            return true;
        }
        let Some(attribute) = attribute(device, self.attribute) else { return false };
        match &mut self.seen {
            Seen::Same { value, devices } => {
                if *devices > 0 && (*attribute == Attribute::Unknown || value.as_ref() != Some(attribute)) {
                    return false;
                }
                if *devices == 0 {
                    *value = Some(attribute.clone());
                }
                *devices += 1;
            }
            Seen::Distinct { values, devices } => {
                let is_new = |known: &Attribute| *attribute != Attribute::Unknown && known != attribute;
                if *devices > 0 && !values.values().all(is_new) {
                    return false;
                }
                values.insert(of.request.to_owned(), attribute.clone());
                *devices += 1;
            }
        }
        true
    }

    /// Takes one away that was added.
    pub fn remove(&mut self, of: For<'_>) {
        if !self.concerns(of) {
            return;
        }
        match &mut self.seen {
            Seen::Same { devices, .. } => *devices -= 1,
            Seen::Distinct { values, devices } => {
                values.remove(of.request);
                *devices -= 1;
            }
        }
    }
}

/// By its whole name, or by its name alone where the domain is the driver's.
fn attribute<'a>(device: &'a Device, name: &str) -> Option<&'a Attribute> {
    let attributes = &device.spec.attributes;
    attributes.get(name).or_else(|| {
        let (domain, name) = name.split_once('/')?;
        (domain == device.id.driver).then(|| attributes.get(name)).flatten()
    })
}
