//! Constraints of a claim: attributes that must be equal, or distinct, across the claim's devices.

use std::collections::BTreeMap;

use crate::api;
use crate::cel::Attribute;
use crate::devices::Device;

/// A constraint, and the attributes of the devices added so far.
pub struct Constraint<'a> {
    /// Names of the requests that the constraint applies to. Empty: all requests.
    requests: &'a [String],
    attribute: &'a str,
    state: ConstraintState,
}

enum ConstraintState {
    /// `matchAttribute`: all devices have the value of the first device.
    Same { value: Option<Attribute>, devices: usize },
    /// `distinctAttribute`: all devices have distinct values. Values are keyed by request, as in kube-scheduler: of
    /// several devices of one request, the last value is kept.
    Distinct { values: BTreeMap<String, Attribute>, devices: usize },
}

/// The request that a device is added for, and the subrequest if the request has alternatives.
#[derive(Clone, Copy)]
pub struct RequestName<'a> {
    /// The request's name.
    pub request: &'a str,
    /// The name of the subrequest in `firstAvailable`.
    pub alternative: Option<&'a str>,
}

impl<'a> Constraint<'a> {
    /// Creates a constraint without devices. Returns `None` for an unknown kind of constraint.
    pub fn new(constraint: &'a api::Constraint) -> Option<Constraint<'a>> {
        let (attribute, state) = match (&constraint.match_attribute, &constraint.distinct_attribute) {
            (Some(attribute), _) => (attribute, ConstraintState::Same { value: None, devices: 0 }),
            (None, Some(attribute)) => (attribute, ConstraintState::Distinct { values: BTreeMap::new(), devices: 0 }),
            (None, None) => return None,
        };
        Some(Constraint { requests: &constraint.requests, attribute, state })
    }

    fn applies_to(&self, of: RequestName<'_>) -> bool {
        let whole = |alternative: &str| format!("{}/{alternative}", of.request);
        let is = |name: &String| {
            *name == of.request || of.alternative.is_some_and(|alternative| *name == whole(alternative))
        };
        self.requests.is_empty() || self.requests.iter().any(is)
    }

    /// Adds a device if the constraint allows the device. Returns false otherwise. Returns true, without a change, if
    /// the constraint does not apply to the request.
    pub fn add(&mut self, of: RequestName<'_>, device: &Device) -> bool {
        if !self.applies_to(of) {
            return true;
        }
        let Some(attribute) = attribute(device, self.attribute) else { return false };
        match &mut self.state {
            ConstraintState::Same { value, devices } => {
                if *devices > 0 && (*attribute == Attribute::Unknown || value.as_ref() != Some(attribute)) {
                    return false;
                }
                if *devices == 0 {
                    *value = Some(attribute.clone());
                }
                *devices += 1;
            }
            ConstraintState::Distinct { values, devices } => {
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

    /// Removes a device that was added for this request.
    pub fn remove(&mut self, of: RequestName<'_>) {
        if !self.applies_to(of) {
            return;
        }
        match &mut self.state {
            ConstraintState::Same { devices, .. } => *devices -= 1,
            ConstraintState::Distinct { values, devices } => {
                values.remove(of.request);
                *devices -= 1;
            }
        }
    }
}

/// Returns the attribute with this qualified name. Also finds an attribute without domain if the name's domain is
/// the driver's name.
fn attribute<'a>(device: &'a Device, name: &str) -> Option<&'a Attribute> {
    let attributes = &device.spec.attributes;
    attributes.get(name).or_else(|| {
        let (domain, name) = name.split_once('/')?;
        (domain == device.id.driver).then(|| attributes.get(name)).flatten()
    })
}
