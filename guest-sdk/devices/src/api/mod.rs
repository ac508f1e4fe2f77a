//! The objects of resource.k8s.io/v1 that plugins read. Names are those of the API.

mod claim;
mod class;
mod node_selector;
mod slice;

pub use claim::{
    AllocatedDevice, Allocation, AllocationConfig, AllocationMode, Ask, Claim, Constraint, Consumer, DeviceResult,
    DeviceResults, Request,
};
pub use class::{Class, Metadata as ClassMetadata, Selector, Spec as ClassSpec};
pub use node_selector::{NodeSelector, NodeSelectorTerm, Requirement};
pub use slice::{Capacity, CounterSet, Counters, Device, RequestPolicy, Slice, Taint};

use serde::de::DeserializeOwned;
use serde_json::Value;

/// `resource.k8s.io/v1`
pub const VERSION: &str = "resource.k8s.io/v1";

/// The annotation of claims that are created for extended resources.
pub const EXTENDED: &str = "resource.kubernetes.io/extended-resource-claim";

/// Reads an object. A field that is null counts as absent.
pub fn read<T: DeserializeOwned>(object: Value) -> Result<T, String> {
    serde_json::from_value(without_nulls(object)).map_err(|error| error.to_string())
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let present = fields.into_iter().filter(|(_, field)| !field.is_null());
            Value::Object(present.map(|(name, field)| (name, without_nulls(field))).collect())
        }
        Value::Array(elements) => Value::Array(elements.into_iter().map(without_nulls).collect()),
        other => other,
    }
}
