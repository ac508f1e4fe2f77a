//! ResourceClaim.

use std::collections::BTreeMap;

use berth_quantity::Quantity;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{NodeSelector, Selector};

/// A ResourceClaim.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Claim {
    /// `metadata`
    pub metadata: Metadata,
    /// `spec`
    pub spec: Spec,
    /// `status`
    pub status: Status,
}

/// `metadata`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Metadata {
    /// `deletionTimestamp`
    pub deletion_timestamp: Option<String>,
    /// `finalizers`
    pub finalizers: Vec<String>,
    /// `ownerReferences`
    pub owner_references: Vec<Owner>,
    /// `resourceVersion`
    pub resource_version: String,
    /// `annotations`. Only [`super::EXTENDED`] is read.
    pub annotations: BTreeMap<String, String>,
}

/// `metadata.ownerReferences[]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Owner {
    /// `uid`
    pub uid: String,
    /// `controller`
    pub controller: bool,
}

/// `spec`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Spec {
    /// `devices`
    pub devices: DeviceClaim,
}

/// `spec.devices`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct DeviceClaim {
    /// `requests`
    pub requests: Vec<Request>,
    /// `constraints`
    pub constraints: Vec<Constraint>,
    /// `config`
    pub config: Vec<ClaimConfig>,
}

/// `spec.devices.requests[]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Request {
    /// `name`
    pub name: String,
    /// `exactly`
    pub exactly: Option<Ask>,
    /// `firstAvailable`
    pub first_available: Vec<Ask>,
}

/// A request for devices: `exactly`, or an element of `firstAvailable`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Ask {
    /// `name`; only in `firstAvailable`.
    pub name: String,
    /// `deviceClassName`
    pub device_class_name: String,
    /// `selectors`
    pub selectors: Vec<Selector>,
    /// `allocationMode`
    pub allocation_mode: AllocationMode,
    /// `count`
    pub count: i64,
    /// `adminAccess`; only in `exactly`.
    pub admin_access: bool,
    /// `tolerations`
    pub tolerations: Vec<Toleration>,
    /// `capacity`
    pub capacity: CapacityRequirements,
}

/// `allocationMode`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum AllocationMode {
    /// `ExactCount`
    ExactCount,
    /// `All`
    All,
    /// An unknown mode. The API server always sets a mode.
    #[default]
    #[serde(other)]
    Unknown,
}

/// `capacity`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CapacityRequirements {
    /// `requests`
    pub requests: BTreeMap<String, Quantity>,
}

/// `tolerations[]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Toleration {
    /// `key`
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// `operator`
    #[serde(skip_serializing_if = "String::is_empty")]
    pub operator: String,
    /// `value`
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// `effect`
    #[serde(skip_serializing_if = "String::is_empty")]
    pub effect: String,
    /// `tolerationSeconds`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toleration_seconds: Option<i64>,
}

/// `spec.devices.constraints[]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Constraint {
    /// `requests`
    pub requests: Vec<String>,
    /// `matchAttribute`
    pub match_attribute: Option<String>,
    /// `distinctAttribute`
    pub distinct_attribute: Option<String>,
}

/// `spec.devices.config[]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ClaimConfig {
    /// `requests`
    pub requests: Vec<String>,
    /// `opaque`, unchanged.
    pub opaque: Option<Value>,
}

/// `status`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Status {
    /// `allocation`
    pub allocation: Option<Allocation>,
    /// `reservedFor`
    pub reserved_for: Vec<Consumer>,
    /// `devices`
    pub devices: Vec<DeviceStatus>,
}

/// `status.reservedFor[]`
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Consumer {
    /// `apiGroup`
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_group: String,
    /// `resource`
    pub resource: String,
    /// `name`
    pub name: String,
    /// `uid`
    pub uid: String,
}

/// `status.allocation`
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Allocation {
    /// `devices`
    pub devices: DeviceResults,
    /// `nodeSelector`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_selector: Option<NodeSelector>,
    /// `allocationTimestamp`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation_timestamp: Option<String>,
}

/// `status.allocation.devices`
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct DeviceResults {
    /// `results`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<DeviceResult>,
    /// `config`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub config: Vec<AllocationConfig>,
}

/// `status.allocation.devices.results[]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct DeviceResult {
    /// `request`: the request's name, or `request/alternative`.
    pub request: String,
    /// The allocated device.
    #[serde(flatten)]
    pub device: AllocatedDevice,
    /// `adminAccess`
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub admin_access: bool,
    /// `tolerations`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
    /// `bindingConditions`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub binding_conditions: Vec<String>,
    /// `bindingFailureConditions`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub binding_failure_conditions: Vec<String>,
    /// `shareID`
    #[serde(rename = "shareID", skip_serializing_if = "Option::is_none")]
    pub share_id: Option<String>,
    /// `consumedCapacity`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consumed_capacity: Option<BTreeMap<String, Quantity>>,
}

/// The full name of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct AllocatedDevice {
    /// `driver`
    pub driver: String,
    /// `pool`
    pub pool: String,
    /// `device`
    pub device: String,
}

/// `status.allocation.devices.config[]`
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct AllocationConfig {
    /// `source`: FromClass or FromClaim.
    pub source: String,
    /// `requests`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<String>,
    /// `opaque`, unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Value>,
}

/// `status.devices[]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct DeviceStatus {
    /// The device of this status.
    #[serde(flatten)]
    pub device: AllocatedDevice,
    /// `conditions`
    pub conditions: Vec<Condition>,
}

/// `status.devices[].conditions[]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Condition {
    /// `type`
    #[serde(rename = "type")]
    pub kind: String,
    /// `status`
    pub status: String,
}

impl Claim {
    /// Returns true if the pod with this uid is the claim's controller.
    pub fn is_controlled_by(&self, uid: &str) -> bool {
        self.metadata.owner_references.iter().find(|owner| owner.controller).is_some_and(|owner| owner.uid == uid)
    }

    /// Returns the uid of the pod for whose extended resources the claim was created; `None` for any other claim.
    pub fn is_for_extended_resources_of(&self) -> Option<&str> {
        self.metadata.annotations.get(super::EXTENDED).filter(|text| *text == "true")?;
        self.metadata.owner_references.iter().find(|owner| owner.controller).map(|owner| owner.uid.as_str())
    }

    /// Returns true if the pod with this uid can use the allocated claim: the claim is reserved for the pod, or can
    /// be reserved for one more pod.
    pub fn can_be_reserved_for(&self, uid: &str) -> bool {
        /// `ResourceClaimReservedForMaxSize`
        const MOST_PODS: usize = 256;
        self.status.reserved_for.len() < MOST_PODS || self.is_reserved_for(uid)
    }

    /// Returns true if the claim is reserved for the pod with this uid.
    pub fn is_reserved_for(&self, uid: &str) -> bool {
        self.status.reserved_for.iter().any(|consumer| consumer.uid == uid)
    }
}

impl Toleration {
    /// Returns true if the toleration tolerates the taint.
    pub fn tolerates(&self, taint: &super::Taint) -> bool {
        (self.effect.is_empty() || self.effect == taint.effect)
            && (self.key.is_empty() || self.key == taint.key)
            && match self.operator.as_str() {
                "" | "Equal" => self.value == taint.value,
                operator => operator == "Exists",
            }
    }
}
