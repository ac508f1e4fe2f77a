//! ResourceSlice.

use std::collections::BTreeMap;

use berth_quantity::Quantity;
use serde::Deserialize;
use serde_json::Value;

use super::NodeSelector;
use crate::cel::Attribute;

/// A ResourceSlice.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Slice {
    /// `spec`
    pub spec: Spec,
}

/// `spec`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Spec {
    /// `driver`
    pub driver: String,
    /// `pool`
    pub pool: Pool,
    /// `nodeName`
    pub node_name: Option<String>,
    /// `nodeSelector`
    pub node_selector: Option<NodeSelector>,
    /// `allNodes`
    pub all_nodes: bool,
    /// `perDeviceNodeSelection`
    pub per_device_node_selection: bool,
    /// `devices`
    pub devices: Vec<Device>,
    /// `sharedCounters`
    pub shared_counters: Vec<CounterSet>,
}

/// `spec.pool`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Pool {
    /// `name`
    pub name: String,
    /// `generation`
    pub generation: i64,
    /// `resourceSliceCount`
    pub resource_slice_count: i64,
}

/// `spec.sharedCounters[]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CounterSet {
    /// `name`
    pub name: String,
    /// `counters`
    pub counters: BTreeMap<String, CounterValue>,
}

/// The value of a counter.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CounterValue {
    /// `value`
    pub value: Quantity,
}

/// `spec.devices[]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Device {
    /// `name`
    pub name: String,
    /// `attributes`
    #[serde(deserialize_with = "attributes")]
    pub attributes: BTreeMap<String, Attribute>,
    /// `capacity`
    pub capacity: BTreeMap<String, Capacity>,
    /// `consumesCounters`
    pub consumes_counters: Vec<Counters>,
    /// `nodeName`
    pub node_name: Option<String>,
    /// `nodeSelector`
    pub node_selector: Option<NodeSelector>,
    /// `allNodes`
    pub all_nodes: bool,
    /// `taints`
    pub taints: Vec<Taint>,
    /// `bindsToNode`
    pub binds_to_node: bool,
    /// `bindingConditions`
    pub binding_conditions: Vec<String>,
    /// `bindingFailureConditions`
    pub binding_failure_conditions: Vec<String>,
    /// `allowMultipleAllocations`
    pub allow_multiple_allocations: bool,
}

/// `consumesCounters[]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Counters {
    /// `counterSet`
    pub counter_set: String,
    /// `counters`
    pub counters: BTreeMap<String, CounterValue>,
}

/// `capacity`, by name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Capacity {
    /// `value`
    pub value: Quantity,
    /// `requestPolicy`
    pub request_policy: Option<RequestPolicy>,
}

/// `requestPolicy`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RequestPolicy {
    /// `default`
    pub default: Option<Quantity>,
    /// `validValues`, in ascending order.
    pub valid_values: Vec<Quantity>,
    /// `validRange`
    pub valid_range: Option<Range>,
}

/// `validRange`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Range {
    /// `min`
    pub min: Option<Quantity>,
    /// `max`
    pub max: Option<Quantity>,
    /// `step`
    pub step: Option<Quantity>,
}

/// `taints[]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Taint {
    /// `key`
    pub key: String,
    /// `value`
    pub value: String,
    /// `effect`
    pub effect: String,
}

/// Reads attributes. Each attribute is an object with one field, whose name is the attribute's type.
fn attributes<'de, D: serde::Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Attribute>, D::Error> {
    let all = BTreeMap::<String, BTreeMap<String, Value>>::deserialize(from)?;
    Ok(all.into_iter().map(|(name, value)| (name, attribute(&value))).collect())
}

fn attribute(fields: &BTreeMap<String, Value>) -> Attribute {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let int = || fields.get("int").and_then(Value::as_i64).map(Attribute::Int);
    let truth = || fields.get("bool").and_then(Value::as_bool).map(Attribute::Bool);
    int()
        .or_else(truth)
        .or_else(|| text("string").map(Attribute::Text))
        .or_else(|| text("version").map(Attribute::Version))
        .unwrap_or(Attribute::Unknown)
}
